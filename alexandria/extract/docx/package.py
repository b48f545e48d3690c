"""The package of a Word file: which parts it has, and what they are to each other."""

from dataclasses import dataclass

from alexandria.errors import BookError, Code
from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml, resolve
from alexandria.extract.office.parts import SAVE_AGAIN, main_part

_USUAL = "word/document.xml"


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part that another one refers to."""

    kind: str
    """The end of the URI of its kind, in lower case: `footnotes`, `header`, `styles`…"""
    id: str
    name: str
    """Of the member of the archive."""


@dataclass(frozen=True, slots=True)
class WordPackage:
    """The text and the parts that belong to it."""

    document: Element
    parts: tuple[WordPart, ...]
    properties: str
    """The name of the part with title, author and date; empty if there is none."""

    def named(self, kind: str) -> str | None:
        """Return the name of the first part of a kind, or None."""
        return next((part.name for part in self.parts if part.kind == kind), None)


def read_word_package(container: Container) -> WordPackage:
    """Return the package of a Word file.

    Raises:
        BookError: `damaged`; its text is missing or is not XML. `unsupported`; it is another document.
    """
    top = _related(container, "")
    name = next((part.name for part in top if part.kind == "officedocument"), _USUAL)
    if container.find(name) is None:
        name = _USUAL
    document = main_part(container, name)
    if local_name(document) != "document":
        raise BookError(
            f"cannot read {container.path}",
            why=f"{name}, which should hold its text, is another document (<{local_name(document)}>)",
            fix=SAVE_AGAIN,
            code=Code.DAMAGED,
        )
    properties = next((part.name for part in top if part.kind == "core-properties"), "docProps/core.xml")
    return WordPackage(
        document, _related(container, name), properties if container.find(properties) is not None else ""
    )


def _related(container: Container, name: str) -> tuple[WordPart, ...]:
    """Return the parts that a part refers to; those of the package itself for an empty name."""
    folder, slash, file = name.rpartition("/")
    try:
        root = parse_xml(container.read(f"{folder}{slash}_rels/{file}.rels"), recover=True)
    except MemberError:
        return ()
    parts = []
    for element in root if root is not None else ():
        target = resolve(name, element.get("Target", ""))
        if target and element.get("TargetMode", "").lower() != "external":
            kind = element.get("Type", "").rpartition("/")[2].lower()
            parts.append(WordPart(kind, element.get("Id", ""), target[0]))
    return tuple(dict.fromkeys(parts))
