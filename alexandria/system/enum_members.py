"""Loads members of enums from pickles, in which Python 3.11.0 to 3.11.3 writes them as calls of `getattr`."""

import pickle
from enum import Enum, EnumType

AS_GETATTR = ("builtins", "getattr")
"""The module and name in such a pickle: an unpickler that allows few names returns `enum_member` for them."""


def enum_member(enum_class: object, name: object) -> Enum:
    """Return a member of an enum by its name, in place of `getattr`, which would return any function.

    Raises:
        UnpicklingError: `enum_class` is not an enum with this member.
    """
    if not (isinstance(enum_class, EnumType) and isinstance(name, str) and name in enum_class.__members__):
        raise pickle.UnpicklingError(f"{name!r} is not a member of an enum")
    member: Enum = enum_class.__members__[name]
    return member
