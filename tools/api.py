"""What `docs/api.md` generates: the public names with their signatures and docstrings."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import chain
from typing import Any

import alexandria
from alexandria import described
from alexandria.book.filters import Filters, filters

_TITLES = {"Args:": "Arguments:", "Returns:": "Returns:", "Raises:": "Errors:"}
_FIELD = re.compile(r'^    (\w+): [^\n]+\n    """(.*?)"""', re.MULTILINE | re.DOTALL)
FIRST = ("open", "Library", "ingest", "search", "inspect", "chunk")


def reference() -> str:
    """Return a section per public name: what one starts with, types, errors, then `alexandria.described`."""
    others = [name for name in alexandria._NAMES if name not in FIRST]
    errors = [name for name in others if name.endswith("Error")]
    values = [name for name in others if name not in errors]
    sections = [_section(getattr(alexandria, name), name) for name in (*FIRST, *values, *errors)]
    of_descriptions = [_section(getattr(described, name), f"described.{name}") for name in described.__all__]
    return "\n\n".join([*sections, *of_descriptions])


def _section(public: Any, path: str) -> str:
    name = path.rpartition(".")[2]
    parts = [f"## `alexandria.{path}`"]
    if inspect.isfunction(public):
        return "\n\n".join([*parts, _code(name, public), _to_markdown(public)])
    if not issubclass(public, Exception) and "__init__" in vars(public) and not is_dataclass(public):
        parts.append(_code(name, public.__init__))
    parts.append(_to_markdown(public))
    if "__init__" in vars(public) and not is_dataclass(public) and not issubclass(public, Exception):
        parts.append(_to_markdown(public.__init__))
    parts += _members(public)
    return "\n\n".join(part for part in parts if part)


def _members(public: type) -> Iterator[str]:
    """Yield the fields and properties of a class as a list, then a part per method."""
    described = _field_docstrings(public)
    names = [field.name for field in fields(public)] if is_dataclass(public) else []
    rows = [f"- `{name}`: {described[name]}" if name in described else f"- `{name}`" for name in names]
    for name, member in inspect.getmembers(public):
        if isinstance(member, property) and not name.startswith("_"):
            rows.append(f"- `{name}`: {_one_line(member)}")
    if rows:
        yield "\n".join(rows)
    classes = (public, *filter(_is_private, public.__mro__[1:]))
    for name, member in chain.from_iterable(vars(cls).items() for cls in classes):
        method = member.__func__ if isinstance(member, classmethod) else member
        is_own = inspect.getattr_static(public, name) is member
        if inspect.isfunction(method) and is_own and not name.startswith("_"):
            yield f"### `{public.__name__}.{name}`"
            yield _code(name, method)
            yield _to_markdown(method)


def _is_private(base: type) -> bool:
    """Return whether a class is ours, and only described where another extends it."""
    return base.__module__.startswith("alexandria.") and not hasattr(alexandria, base.__name__)


def _field_docstrings(public: type) -> dict[str, str]:
    """Return the strings written under the fields of a class and of the classes it extends."""
    docstrings: dict[str, str] = {}
    for cls in reversed(public.__mro__[:-1]):
        source = inspect.getsource(cls) if cls.__module__.startswith("alexandria") else ""
        docstrings |= {name: " ".join(text.split()) for name, text in _FIELD.findall(source)}
    if public is Filters:
        docstrings |= {name: filter.help for name, filter in filters()}
    return docstrings


def _code(name: str, function: object) -> str:
    signature = inspect.signature(function)  # type: ignore[arg-type]  # functions and __init__ alone
    parameters = [value for name, value in signature.parameters.items() if name not in ("self", "cls")]
    lines, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            lines.append("*")
        lines.append(_parameter(parameter))
    returned = signature.return_annotation
    arrow = "" if returned in (None, "None", inspect.Signature.empty) else f" -> {_annotation(returned)}"
    inside = "".join(f"\n    {line}," for line in lines)
    return f"```text\n{name}({inside}\n){arrow}\n```" if lines else f"```text\n{name}(){arrow}\n```"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    text = f"{stars}{parameter.name}: {_annotation(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return text
    if inspect.isfunction(parameter.default):
        return f"{text} = …"
    default = parameter.default
    return f"{text} = {str(default)!r}" if isinstance(default, str) else f"{text} = {default!r}"


def _annotation(annotation: object) -> str:
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)
    text = re.sub(r"\*<class '(\w+)'>", r"Unpack[\1]", text)
    text = re.sub(r"Union\[(\w+), (Literal\[[^]]*\])(?:, (None)Type)?\]", _as_alternatives, text)
    return text.replace("]]]", "]] ]")  # Cog would end there


def _as_alternatives(union: re.Match[str]) -> str:
    return " | ".join(part for part in union.groups() if part)


def _to_markdown(documented: object) -> str:
    """Return a docstring as Markdown: its arguments and errors as lists."""
    text = inspect.getdoc(documented) or ""
    if text == inspect.getdoc(object.__init__):  # inherited
        return ""
    text, *sections = re.split(r"\n\n(?=(?:Args|Returns|Raises):\n)", text)
    parts = [text]
    for section in sections:
        title, _, body = section.partition("\n")
        entries = re.findall(r"^    (\S.*(?:\n        .*)*)", body, re.MULTILINE)
        rows = [re.sub(r"^(\**\w+): ", r"`\1`: ", " ".join(entry.split())) for entry in entries]
        parts.append("\n".join([_TITLES[title], "", *(f"- {row}" for row in rows)]))
    return "\n\n".join(parts)


def _one_line(documented: object) -> str:
    return " ".join((inspect.getdoc(documented) or "").split())
