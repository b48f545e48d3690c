"""Documents of markup to a draft: notes and matter are set apart, the rest is divided into sections."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from alexandria.book import BlockKind, LeftOut, Metadata, count_words
from alexandria.extract.clean import one_line
from alexandria.extract.draft import Draft, DraftNote, PageMark
from alexandria.extract.markup.blanks import with_rare_blanks
from alexandria.extract.markup.notes import NoteLinks, find_notes
from alexandria.extract.markup.passages import Passage, Reading, Region
from alexandria.extract.markup.sections import ContentsEntry, DocumentText, build_sections
from alexandria.extract.markup.tree import Document, Element, local_name
from alexandria.extract.markup.walk import walk

# Kinds of matter whose document may keep only its heading once they are set apart: it is left out too.
_EMPTIED = ("notes", "contents")


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure that the book declares."""

    entries: tuple[ContentsEntry, ...] = ()
    pages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Page labels by path and id; an empty id is the start of the document."""


MatterOf = Callable[[Document], Mapping[Element, str]]
"""Returns the elements of a document that are matter, with their kinds."""


def no_matter(document: Document) -> Mapping[Element, str]:
    """Return no elements: the whole document is text."""
    return {}


def compose(
    metadata: Metadata,
    documents: Sequence[Document],
    outline: Outline = Outline(),
    *,
    matter_of: MatterOf = no_matter,
    warnings: Sequence[str] = (),
) -> Draft:
    """Return the draft of a book from its documents in reading order.

    If nothing would be left, as in a book that consists of its table of contents, nothing is set apart.
    """
    links = find_notes(documents)
    sorted_passages = _sort(documents, links, outline, matter_of)
    if not any(chapter.passages for chapter in sorted_passages.chapters):
        sorted_passages = _sort(documents, links, outline, no_matter)
    lost = sum(not key for key in links.cites.values())
    if lost:
        warnings = (*warnings, f"{lost} note {'mark leads' if lost == 1 else 'marks lead'} to no note")
    return Draft(
        metadata=metadata,
        sections=build_sections(sorted_passages.chapters, outline.entries),
        notes=_notes(links, sorted_passages.notes),
        left_out=tuple(sorted_passages.left_out),
        warnings=tuple(warnings),
    )


@dataclass(slots=True)
class _Sorted:
    """The passages of a book by their use."""

    chapters: list[DocumentText] = field(default_factory=list)
    notes: dict[str, list[Passage]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


def _sort(documents: Sequence[Document], links: NoteLinks, outline: Outline, matter_of: MatterOf) -> _Sorted:
    titles = {(entry.path, entry.fragment): entry.titles[-1] for entry in outline.entries}
    in_notes = {e: Region("note", note.key) for note in links.notes for e in note.elements}
    out = _Sorted()
    page: str | None = None
    for document in documents:
        regions = {e: Region(kind) for e, kind in matter_of(document).items()}
        # Notes inside matter are left out with it.
        regions |= {e: n for e, n in in_notes.items() if not any(a in regions for a in e.iterancestors())}
        pages = outline.pages.get(document.path, {})
        walked = walk(document.root, Reading(regions, links.cites, links.backlinks, pages))
        page = pages.get("", page)
        text: list[Passage] = []
        left: dict[str, list[Passage]] = {}
        break_before = False
        for passage in walked.passages:
            # A break before a note is one before the text after the note.
            break_before = break_before or passage.break_before
            if passage.region is None:
                text.append(replace(_starting(passage, page), break_before=break_before))
                page, break_before = None, False
                continue
            page = passage.pages[-1].label if passage.pages else page
            if passage.region.note is not None:
                out.notes.setdefault(passage.region.note, []).append(passage)
                left.setdefault("notes", [])
            else:
                left.setdefault(passage.region.kind, []).append(passage)
        page = walked.last_page or page
        text, left = _emptied(text, left)
        out.chapters.append(DocumentText(document.path, tuple(text)))
        where = titles.get((document.path, ""), document.path)
        out.left_out += _left_out(left, where, hidden=walked.hidden, ornaments=walked.ornaments)
    out.chapters = with_rare_blanks(out.chapters)
    return out


def _starting(passage: Passage, page: str | None) -> Passage:
    """Return the passage as the start of a page that began before it, in matter or an empty passage."""
    if page is None or (passage.pages and passage.pages[0].offset == 0):
        return passage
    return replace(passage, pages=(PageMark(0, None, page), *passage.pages))


def _emptied(
    text: list[Passage], left: dict[str, list[Passage]]
) -> tuple[list[Passage], dict[str, list[Passage]]]:
    kind = next((kind for kind in _EMPTIED if kind in left), None)
    if kind is None or any(passage.kind is not BlockKind.HEADING for passage in text):
        return text, left
    return [], left | {kind: left[kind] + text}


def _left_out(
    left: Mapping[str, Sequence[Passage]], where: str, *, hidden: int, ornaments: int
) -> list[LeftOut]:
    words = {kind: sum(count_words(p.text) for p in passages) for kind, passages in left.items()}
    for kind, n in (("hidden", hidden), ("ornament", ornaments)):
        words[kind] = words.get(kind, 0) + n
    return [LeftOut(kind, where, n) for kind, n in words.items() if n]


def _notes(links: NoteLinks, passages: Mapping[str, Sequence[Passage]]) -> tuple[DraftNote, ...]:
    notes = []
    for note in links.notes:
        text = "\n".join(passage.text for passage in passages.get(note.key, ()))
        if text := _without_label(text, one_line(note.label), in_list=local_name(note.elements[0]) == "li"):
            notes.append(DraftNote(note.key, one_line(note.label), text, note.key))
    return tuple(notes)


def _without_label(text: str, label: str, *, in_list: bool) -> str:
    """Return a note's text without its printed label; list items have none in the text."""
    # Brackets or a full stop around a link back remain when it is removed.
    text = re.sub(r"^(?:\[\s*\]|\(\s*\)|[.:)\]])\s*", "", text)
    if in_list or not label:
        return text
    return re.sub(rf"^[\[(]?{re.escape(label)}[\])]?[.:]?\s+", "", text)
