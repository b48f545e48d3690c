"""Loads members of enums from pickles, in which Python 3.11.0 to 3.11.3 writes them as calls of `getattr`."""

import pickle
from enum import Enum, EnumType

AS_GETATTR = ("builtins", "getattr")
"""The name that those versions write; an unpickler that allows only some names returns `enum_member` for
it."""


def enum_member(kind: object, name: object) -> Enum:
    """Return a member of an enum by its name.

    Raises:
        UnpicklingError: `kind` is not an enum with this member. `getattr` itself would return any function.
    """
    if not isinstance(kind, EnumType) or name not in kind.__members__:
        raise pickle.UnpicklingError(f"{name!r} is not a member of an enum")
    member: Enum = kind.__members__[str(name)]
    return member
