"""Documents of markup to a draft: notes and matter are set apart, the rest is divided into sections."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from alexandria.book import BlockKind, LeftOut, Metadata, count_words
from alexandria.extract.clean import one_line
from alexandria.extract.draft import Draft, DraftNote, PageMark
from alexandria.extract.markup.blanks import with_rare_blanks
from alexandria.extract.markup.blocks import MarkupBlock, Reading, Region
from alexandria.extract.markup.citations import (
    n_label_words,
    uncited_notes,
    with_nested_notes,
    with_notes_titled,
    without_cited_words,
    without_label,
)
from alexandria.extract.markup.inline_notes import lift_inline_notes
from alexandria.extract.markup.notes import UNNAMED, NoteLinks, find_notes
from alexandria.extract.markup.popups import link_popups
from alexandria.extract.markup.sections import ContentsEntry, DocumentText, build_sections
from alexandria.extract.markup.tree import Document, Element, local_name, text_of
from alexandria.extract.markup.untangle import untangle
from alexandria.extract.markup.walk import walk
from alexandria.extract.typed_notes import take_notes

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
    untangle(documents)
    link_popups(documents)
    lift_inline_notes(documents)
    links = find_notes(documents)
    sorted_blocks = _sort(documents, links, outline, matter_of)
    if not any(chapter.blocks for chapter in sorted_blocks.chapters):
        matter_of = no_matter
        sorted_blocks = _sort(documents, links, outline, matter_of)
    if uncited := uncited_notes(sorted_blocks.chapters, sorted_blocks.notes):
        # No block would lead to them: they are text, where they are printed.
        links = links.without(uncited)
        sorted_blocks = _sort(documents, links, outline, matter_of)
    notes, labels = _notes(links, sorted_blocks.notes)
    chapters = with_nested_notes(sorted_blocks.chapters, sorted_blocks.notes)
    sections, typed_notes, n_typed = take_notes(build_sections(chapters, outline.entries), all_or_none=True)
    typed_marks = [LeftOut("note_mark", "typed marks of notes", n_typed)] if n_typed else []
    lost = sum(not key for key in links.cites.values())
    if lost:
        warnings = (*warnings, f"{lost} note {'mark leads' if lost == 1 else 'marks lead'} to no note")
    return Draft(
        metadata=metadata,
        sections=sections,
        notes=(*notes, *typed_notes),
        left_out=(*sorted_blocks.left_out, *labels, *typed_marks),
        warnings=tuple(warnings),
    )


@dataclass(slots=True)
class _Sorted:
    """The blocks of a book by their use."""

    chapters: list[DocumentText] = field(default_factory=list)
    notes: dict[str, list[MarkupBlock]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


def _sort(documents: Sequence[Document], links: NoteLinks, outline: Outline, matter_of: MatterOf) -> _Sorted:
    titles = {(entry.path, entry.fragment): entry.titles[-1] for entry in outline.entries}
    in_notes: dict[str, dict[Element, Region]] = {}
    for note in links.notes:
        region = Region("note", note.key)
        in_notes.setdefault(note.path, {}).update((element, region) for element in note.elements)
    out = _Sorted()
    page: str | None = None
    for document in documents:
        regions = {e: Region(kind) for e, kind in matter_of(document).items()}
        # Notes inside matter are left out with it.
        regions |= {
            e: region
            for e, region in in_notes.get(document.path, {}).items()
            if not any(a in regions for a in e.iterancestors())
        }
        pages = outline.pages.get(document.path, {})
        walked = walk(document.root, Reading(regions, links.cites, links.backlinks, pages, document.cfi))
        page = pages.get("", page)
        text: list[MarkupBlock] = []
        left: dict[str, list[MarkupBlock]] = {}
        break_before = False
        for block in with_notes_titled(walked.blocks):
            # A break before a note is one before the text after the note.
            break_before = break_before or block.break_before
            if block.region is None:
                text.append(_starting(block, page, break_before=break_before))
                page, break_before = None, False
                continue
            page = block.pages[-1].label if block.pages else page
            if block.region.note is not None:
                out.notes.setdefault(block.region.note, []).append(block)
                left.setdefault("notes", [])
            else:
                left.setdefault(block.region.kind, []).append(block)
        page = walked.last_page or page
        text, left = _emptied(text, left)
        out.chapters.append(DocumentText(document.path, tuple(text)))
        where = titles.get((document.path, ""), document.path)
        out.left_out += _left_out(left, where, walked.skipped)
    out.chapters = with_rare_blanks(out.chapters)
    return out


def _starting(block: MarkupBlock, page: str | None, *, break_before: bool) -> MarkupBlock:
    """Return the block as the start of a page that began before it, in matter or an empty block."""
    if block.break_before is not break_before:  # copies take time
        block = replace(block, break_before=break_before)
    if page is None or (block.pages and block.pages[0].offset == 0):
        return block
    return replace(block, pages=(PageMark(0, None, page), *block.pages))


def _emptied(
    text: list[MarkupBlock], left: dict[str, list[MarkupBlock]]
) -> tuple[list[MarkupBlock], dict[str, list[MarkupBlock]]]:
    kind = next((kind for kind in _EMPTIED if kind in left), None)
    if kind is None or any(block.kind is not BlockKind.HEADING for block in text):
        return text, left
    return [], left | {kind: left[kind] + text}


def _left_out(
    left: Mapping[str, Sequence[MarkupBlock]], where: str, skipped: Mapping[str, int]
) -> list[LeftOut]:
    words = Counter(skipped)
    for kind, blocks in left.items():
        words[kind] += sum(count_words(block.text) for block in blocks)
    return [LeftOut(kind, where, n) for kind, n in words.items() if n]


def _notes(
    links: NoteLinks, blocks: Mapping[str, Sequence[MarkupBlock]]
) -> tuple[tuple[DraftNote, ...], list[LeftOut]]:
    """Return the notes without their printed labels, and the words of these."""
    notes = []
    n_words = 0
    for note in links.notes:
        printed = "\n".join(block.text for block in blocks.get(note.key, ()))
        first = note.elements[0]
        label = one_line(note.label)
        text = without_label(
            without_cited_words(printed) if local_name(first) == "dt" else printed,
            label,
            printed="" if local_name(first) == "li" else one_line(text_of(first)),
        )
        n_words += n_label_words(printed, text)
        if text:
            href = note.key.partition(UNNAMED)[0]
            notes.append(DraftNote(note.key, label, text, href))
    left_out = [LeftOut("note_mark", "the labels of notes", n_words)] if n_words else []
    return tuple(notes), left_out
