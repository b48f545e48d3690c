"""Members of enums in pickles, which Python 3.11.0 to 3.11.3 writes as a call of `getattr`."""

import pickle
from enum import Enum, EnumType

AS_GETATTR = ("builtins", "getattr")
"""What those versions write; a loader that allows only some names puts `enum_member` in its place."""


def enum_member(kind: object, name: object) -> Enum:
    """Return a member of an enum by its name.

    Raises:
        UnpicklingError: it is not one; `getattr` itself could reach any function.
    """
    if not isinstance(kind, EnumType) or name not in kind.__members__:
        raise pickle.UnpicklingError(f"{name!r} is not a member of an enum")
    member: Enum = kind.__members__[str(name)]
    return member
