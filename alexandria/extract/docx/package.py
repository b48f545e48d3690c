"""Reads the package of a Word file: which parts it has, and of what kinds they are."""

from dataclasses import dataclass

from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml, resolve
from alexandria.extract.office.parts import SAVE_AGAIN, main_part
from alexandria.extract.refusals import damaged

_USUAL_DOCUMENT = "word/document.xml"
_USUAL_PROPERTIES = "docProps/core.xml"


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part that another one refers to."""

    kind: str
    """The end of the URI of its relationship type, in lower case: `footnotes`, `header`, `styles`…"""
    id: str
    """The id by which the other part refers to it."""
    name: str
    """The name of the member of the archive."""


@dataclass(frozen=True, slots=True)
class WordPackage:
    """The main document and the parts that it refers to."""

    document: Element
    parts: tuple[WordPart, ...]
    properties: str
    """The name of the part with title, author and date; empty if there is none."""

    def first_of_kind(self, kind: str) -> str | None:
        """Return the name of the first part of a kind, or None."""
        return next((part.name for part in self.parts if part.kind == kind), None)


def read_word_package(container: Container) -> WordPackage:
    """Return the package of a Word file.

    Raises:
        BookError: `damaged`; its text is missing, is not XML, or is another kind of document.
    """
    names_by_kind = {
        part.kind: part.name for part in reversed(_read_related_parts(container, ""))
    }  # the first wins
    document_name = names_by_kind.get("officedocument", _USUAL_DOCUMENT)
    if container.find(document_name) is None:
        document_name = _USUAL_DOCUMENT
    document = main_part(container, document_name)
    root_name = local_name(document)
    if root_name != "document":
        raise damaged(
            container.path,
            f"{document_name}, which should hold its text, is another document (<{root_name}>)",
            fix=SAVE_AGAIN,
        )
    properties_name = names_by_kind.get("core-properties", _USUAL_PROPERTIES)
    return WordPackage(
        document,
        parts=_read_related_parts(container, document_name),
        properties=properties_name if container.find(properties_name) else "",
    )


def _read_related_parts(container: Container, name: str) -> tuple[WordPart, ...]:
    """Return the parts to which a part refers; for an empty name, the parts of the package itself."""
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
            path, _ = target
            parts.append(WordPart(kind=kind, id=element.get("Id", ""), name=path))
    return tuple(dict.fromkeys(parts))
