"""Reads Word files (.docx): their package here, styles in `styles`, text in `body`, with `fields`.

The text is rewritten as XHTML. lxml reads the WordprocessingML, rather than a library such as mammoth: such
libraries drop what they do not support (text boxes, formulas, newer elements) without reporting it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.book.model import LeftOut, count_words
from alexandria.extract.container import Container, MemberError
from alexandria.extract.docx.body import WordFindings, WordStory, paragraph_texts
from alexandria.extract.docx.numbering import Numbering
from alexandria.extract.docx.styles import WordStyles, own_attribute, value_of
from alexandria.extract.draft import Draft
from alexandria.extract.markup.compose import compose_file
from alexandria.extract.markup.tree import Element, body_of, local_name, parse_xml, resolve
from alexandria.extract.office.page import XhtmlPage
from alexandria.extract.office.parts import SAVE_AGAIN, main_part, optional_part, read_properties
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import damaged

_MARGIN_KINDS = {"header": "running_head", "footer": "running_head", "comments": "comment"}
"""Kinds of parts with text that is not the book's, with the kind under which it is left out."""
_PICTURE_KINDS = {"chart": "picture", "diagramdata": "picture"}
_NOT_READ = {"afchunk": "text of another format", "subdocument": "a document of its own"}
"""Kinds of parts with text that is not read, each with what a warning calls it."""
_USUAL_DOCUMENT = "word/document.xml"
_USUAL_PROPERTIES = "docProps/core.xml"


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part that another one refers to."""

    kind: str  # the end of the URI of its relationship type, in lower case: `footnotes`, `header`, `styles`…
    id: str  # the id by which the other part refers to it
    name: str  # the name of the member of the archive


@dataclass(frozen=True, slots=True)
class WordPackage:
    """The main document and the parts that it refers to."""

    document: Element
    parts: tuple[WordPart, ...]
    properties: str  # the name of the part with title, author and date; empty if there is none

    def first_of_kind(self, kind: str) -> str | None:
        """Return the name of the first part of a kind, or None."""
        return next((part.name for part in self.parts if part.kind == kind), None)


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a Word document.

    Headers, footers, comments, deleted text and the words in charts are left out by name.

    Raises:
        BookError: `damaged`, `password`, `too_large`, or `no_text`.
    """
    warnings: list[str] = []
    with Container.open(path) as container:
        package = read_word_package(container)
        reader = _Reader(container, package, warnings)
        root = reader.read_text()
        left_out = [*reader.find_left_out()]
        properties = optional_part(container, package.properties, warnings) if package.properties else None
    draft = compose_file(path, options, read_properties(properties, reader.title), root, warnings=warnings)
    return replace(draft, left_out=(*draft.left_out, *left_out))


class _Reader:
    """Reads the stories of a package: its main text, notes, headers and footers, comments.

    Its constructor already reads the styles and settings. Parts that cannot be read are added to `warnings`.
    """

    def __init__(self, container: Container, package: WordPackage, warnings: list[str]) -> None:
        """Read what the text and the notes depend on: styles, lists, and the number formats of notes."""
        self.container, self.package, self.warnings = container, package, warnings
        self.styles = WordStyles.read(self._read_part("styles"))
        self.numbering = Numbering.read(self._read_part("numbering"), self.styles)
        self.findings = WordFindings()
        # Word's default; the settings win over it, and the last section wins over both.
        self.note_formats = {"endnote": "lowerRoman"} | _read_note_formats(self._read_part("settings"))
        self.note_formats |= _read_note_formats(package.document)
        self.notes_without_mark: list[Element] = []  # notes without a mark in the text; `read_text` sets it
        self.title = ""  # the text of the first title; `read_text` sets it

    def read_text(self) -> Element:
        """Return the text as XHTML with the notes that it cites; set `notes_without_mark` and `title`.

        Characters of fonts without a known Unicode equivalent are added to `warnings`.
        """
        page = XhtmlPage()
        self._write(body_of(self.package.document), page)
        self.notes_without_mark = self._write_cited_notes(page)
        self.title = page.settle_titles()
        for font, n in self.findings.n_unknown.items():
            signs = "1 character" if n == 1 else f"{n} characters"
            have = "has" if n == 1 else "have"
            self.warnings.append(f"{signs} in the font {font} {have} no Unicode equivalent: not read")
        return page.root

    def _write_cited_notes(self, page: XhtmlPage) -> list[Element]:
        """Write the notes cited in the text, and those cited in these notes; return the others."""
        notes = {
            (kind, id): note
            for kind in ("footnote", "endnote")
            for id, note in self._read_notes(kind).items()
        }
        written = set()
        with page.inside("ol", role="doc-endnotes"):
            # In rounds, until no more are cited: writing a note adds the notes that it cites to the findings.
            while remaining := [key for key in self.findings.note_marks if key not in written]:
                for key in remaining:
                    written.add(key)
                    if (note := notes.get(key)) is not None:
                        kind, id = key
                        with page.inside("li", id=f"{kind}-{id}", role=f"doc-{kind}"):
                            self._write(note, page)
        return [note for key, note in notes.items() if key not in written]

    def find_left_out(self) -> Iterator[LeftOut]:
        """Yield a record of each thing left out, with its number of words; warn of parts that are not read.

        Call it after `read_text`, which counts deleted words and finds the notes without a mark.
        """
        if self.findings.n_deleted:
            yield LeftOut("deleted", "tracked changes", self.findings.n_deleted)
        if n := sum(self._count_story_words(note) for note in self.notes_without_mark):
            yield LeftOut("hidden", "notes without a mark", n)
        # Without their ids, by which several places may refer to one part: each part counts once.
        for part in dict.fromkeys(replace(part, id="") for part in self.package.parts):
            if part.kind in _NOT_READ:
                self.warnings.append(f"{part.name} was not read: it is {_NOT_READ[part.kind]}")
                continue
            left_out_as = _MARGIN_KINDS.get(part.kind) or _PICTURE_KINDS.get(part.kind)
            if left_out_as is None:
                continue  # the notes, or a part without text, such as the styles
            root = optional_part(self.container, part.name, self.warnings)
            if root is None:
                continue  # damaged: a warning has been added
            # A drawing is not a story: DrawingML has paragraphs and runs, but no fields or notes.
            is_drawing = part.kind in _PICTURE_KINDS  # in which a word may be split between two runs
            n = sum(map(count_words, paragraph_texts(root))) if is_drawing else self._count_story_words(root)
            if n:
                yield LeftOut(left_out_as, part.name, n)

    def _write(self, root: Element, page: XhtmlPage) -> None:
        """Write a story to the page, and record in the findings what it cites and deletes."""
        WordStory(self.styles, page, self.findings, self.note_formats, self.numbering).write(root)

    def _count_story_words(self, root: Element) -> int:
        """Return how many words a story has, deleted ones included, without recording what it cites."""
        page, findings = XhtmlPage(), WordFindings()
        WordStory(self.styles, page, findings, {}).write(root)
        return page.n_words() + findings.n_deleted

    def _read_part(self, kind: str) -> Element | None:
        """Return the root of the first part of a kind, or None if there is none that can be read."""
        name = self.package.first_of_kind(kind)
        return optional_part(self.container, name, self.warnings) if name else None

    def _read_notes(self, kind: str) -> dict[str, Element]:
        """Return the notes of a kind by their ids, without the separators, which Word stores as notes too."""
        root = self._read_part(f"{kind}s")
        if root is None:
            return {}
        return {
            own_attribute(note, "id"): note
            for note in root
            if local_name(note) == kind and own_attribute(note, "type") in ("", "normal")
        }


def _read_note_formats(root: Element | None) -> dict[str, str]:
    """Return the number format of each kind of note that a part states: its settings, or its last section."""
    # The result has no entry for a kind without a format, and is empty for a missing part (None).
    if root is None:
        return {}
    formats = {}
    for kind in ("footnote", "endnote"):
        for properties in root.iter(f"{{*}}{kind}Pr"):
            if format := value_of(properties, "numfmt"):
                formats[kind] = format  # the format of a later section replaces it
    return formats


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
