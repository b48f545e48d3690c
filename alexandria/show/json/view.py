"""Documents are filled from the values they show: by the names of their fields, as their types say."""

import ast
import inspect
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NotRequired,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

T = TypeVar("T")
Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class From:
    """What fills a field that has another name: the path of an attribute, such as `location.page`."""

    path: str


@dataclass(frozen=True, slots=True)
class Rounded:
    """How many digits a number keeps after the point."""

    n_digits: int


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    path: str | None  # where `From` says that it comes from
    convert: Convert
    is_optional: bool  # whether it is left out instead of being null

    def value(self, source: object) -> Any:
        """Return what fills it: the attribute of this name or, for a count, with `n_` before it."""
        if self.path is not None:
            return attrgetter(self.path)(source)
        counted = f"n_{self.name}"
        return getattr(source, counted if hasattr(source, counted) else self.name)


def view_of(kind: type[T], source: object, **given: Any) -> T:
    """Return a value as a document of a kind.

    Args:
        kind: a TypedDict. Its fields may be entries, which are filled in the same way.
        source: what has the attributes that the fields are filled from.
        given: fields that are not attributes, converted like those.

    Raises:
        AttributeError: a field is neither given nor an attribute.
    """
    document = {}
    for field in _fields(cast(Hashable, kind)):
        value = given[field.name] if field.name in given else field.value(source)
        if value is not None or not field.is_optional:
            document[field.name] = field.convert(value)
    return cast(T, document)  # its fields are those of the kind


def views_of(kind: type[T], sources: Iterable[object]) -> list[T]:
    """Return several values as documents of a kind."""
    return [view_of(kind, source) for source in sources]


def document_of(value: object) -> dict[str, Any]:
    """Return a dataclass as a document of all its fields."""
    return cast(dict[str, Any], view_of(type(value), value))


@cache
def _fields(kind: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        _Field(name, _path(hint), _converter(hint), get_origin(hint) is NotRequired)
        for name, hint in hints.items()
    )


def _path(hint: Any) -> str | None:
    if get_origin(hint) is NotRequired:
        return _path(*get_args(hint))
    named = [extra.path for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, From)]
    return named[0] if named else None


@cache
def _converter(hint: Any) -> Convert:
    """Return what makes of a value one of this type, as JSON has it; None stays None."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _converter(arguments[0])
    if origin is Annotated:
        digits = [extra.n_digits for extra in arguments[1:] if isinstance(extra, Rounded)]
        inner = _converter(arguments[0])
        return _unless_none(lambda value: round(value, digits[0])) if digits else inner
    if origin in (Union, UnionType):
        members = [_converter(member) for member in arguments if member is not NoneType]
        return _unless_none(members[0] if len(members) == 1 else _plain)
    if origin in (list, tuple):  # tuple[X, ...]
        item = _converter(arguments[0])
        return lambda values: [item(value) for value in values]
    if origin in (dict, Mapping):
        member = _converter(arguments[1])
        return lambda mapping: {_plain(key): member(value) for key, value in mapping.items()}
    if is_typeddict(hint) or is_dataclass(hint):
        return lambda value: _members(hint, value) if isinstance(value, Mapping) else view_of(hint, value)
    return str if hint in (str, Path) else _plain


def _members(kind: Any, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of which the fields are there by name."""
    return {
        field.name: field.convert(mapping[field.name]) for field in _fields(kind) if field.name in mapping
    }


def _unless_none(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


@cache
def attribute_docs(kind: Any) -> Mapping[str, str]:
    """Return the strings below the fields of a class and of the classes it extends, by field."""
    try:
        source = inspect.getsource(kind)
    except OSError:  # made by a call, not by a class statement
        return {}
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    docs: dict[str, str] = {}
    for base in definition.bases:
        # By name: a TypedDict forgets its bases until Python 3.12.
        parent = getattr(sys.modules[kind.__module__], ast.unparse(base))
        docs |= attribute_docs(parent) if is_typeddict(parent) or is_dataclass(parent) else {}
    for field, below in pairwise(definition.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docs[name] = inspect.cleandoc(text).replace("None", "null")
    return docs
