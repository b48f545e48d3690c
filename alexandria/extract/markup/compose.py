"""Makes a draft from documents of markup: sets apart notes and matter, divides the rest into sections."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from alexandria.book.model import BlockKind, LeftOut, Metadata, count_words
from alexandria.extract.clean import one_line, path_text
from alexandria.extract.draft import Draft, DraftNote, PageMark
from alexandria.extract.markup import pieces
from alexandria.extract.markup.blocks import MarkupBlock, Reading, Region
from alexandria.extract.markup.breaks import with_blanks_as_breaks
from alexandria.extract.markup.bylines import with_bylines
from alexandria.extract.markup.elements import HEADINGS
from alexandria.extract.markup.hiding import hide_elements
from alexandria.extract.markup.matter import find_declared_matter
from alexandria.extract.markup.sections import ContentsEntry, DocumentText, build_sections
from alexandria.extract.markup.stylesheets import apply_stylesheets
from alexandria.extract.markup.tree import Document, Element, local_name, text_of
from alexandria.extract.markup.typed_headings import make_typed_headings
from alexandria.extract.markup.verse_numbers import separate_verse_numbers
from alexandria.extract.markup.walk import walk
from alexandria.extract.notes import cited
from alexandria.extract.notes.hidden import link_hidden_notes
from alexandria.extract.notes.in_markup import NoteLinks, find_notes
from alexandria.extract.notes.in_text import separate_typed_notes
from alexandria.extract.notes.links import UNNAMED
from alexandria.extract.notes.untangle import untangle
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import no_text

_MIN_ENTRIES = 2  # entries of contents that divide a book; without them, typed headings do
_MAY_BE_HEADINGS = ("{*}p", "{*}div", "{*}span", "{*}font", "{*}ol", "{*}li")
"""Elements whose styles matter in a book that is not divided; otherwise, those of lists do."""
_TITLED_KINDS = ("notes", "contents")
"""Kinds of front and back matter whose heading is left out with them, if their document has no other text."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure that the book declares."""

    entries: tuple[ContentsEntry, ...] = ()
    pages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Page labels by path, then by id; an empty id is the start of the document."""


FindMatter = Callable[[Document], Mapping[Element, str]]
"""A function that returns the elements of a document that are front or back matter, with the kind of each."""


def find_no_matter(document: Document) -> Mapping[Element, str]:
    """Return no elements: a `FindMatter` for books that are all text."""
    return {}


def compose(
    metadata: Metadata,
    documents: Sequence[Document],
    outline: Outline = Outline(),
    *,
    find_matter: FindMatter = find_no_matter,
    warnings: Sequence[str] = (),
    stylesheets: Mapping[str, str] = MappingProxyType({}),
) -> Draft:
    """Return the draft of a book from its documents in reading order.

    If no text would remain, as in a book that consists of its table of contents, no matter is set apart.

    Args:
        documents: the documents of the book, in reading order; they are changed in place.
        outline: the contents and page labels that the book declares.
        find_matter: a function that finds the front and back matter of a document.
        warnings: the caller's own warnings; more may follow them.
        stylesheets: the texts of the style sheets that are files of their own, by path.
    """
    hide_elements(documents, stylesheets)
    untangle(documents)
    is_undivided = len(outline.entries) < _MIN_ENTRIES
    names = _MAY_BE_HEADINGS if is_undivided else ("{*}ol", "{*}li")
    apply_stylesheets(documents, "".join(stylesheets.values()), names)
    if is_undivided:
        make_typed_headings(documents)
        outline = _without_unprinted(outline, metadata.title, documents)
    link_hidden_notes(documents)
    links = find_notes(documents)
    separate_verse_numbers(documents, links.cites.keys() | links.backlinks)
    sorted_blocks = _sort_documents(documents, links, outline, find_matter)
    if not any(chapter.blocks for chapter in sorted_blocks.chapters):
        find_matter = find_no_matter
        sorted_blocks = _sort_documents(documents, links, outline, find_matter)
    if uncited := cited.find_uncited_notes(sorted_blocks.chapters, sorted_blocks.notes):
        # No mark in the text leads to these notes: they remain text, where they are printed.
        links = links.without(uncited)
        sorted_blocks = _sort_documents(documents, links, outline, find_matter)
    notes, labels = _make_notes(links, sorted_blocks.notes)
    chapters = cited.with_nested_notes(sorted_blocks.chapters, sorted_blocks.notes)
    chapters = with_bylines(chapters, metadata)
    sections, typed_notes, n_typed = separate_typed_notes(
        build_sections(chapters, outline.entries), all_or_none=True
    )
    typed_marks = [LeftOut("note_mark", "typed marks of notes", n_typed)] if n_typed else []
    n_lost = sum(not key for key in links.cites.values())
    if n_lost:
        marks_lead = "mark leads" if n_lost == 1 else "marks lead"
        warnings = (*warnings, f"{n_lost} note {marks_lead} to no note")
    return Draft(
        metadata=metadata,
        sections=sections,
        notes=(*notes, *typed_notes),
        left_out=(*sorted_blocks.left_out, *labels, *typed_marks),
        warnings=tuple(warnings),
    )


def _without_unprinted(outline: Outline, title: str, documents: Sequence[Document]) -> Outline:
    """Return the outline of headings without entries that none of them has: the book's title, or "Start"."""
    headings = [e for document in documents for e in document.root.iter("{*}*") if local_name(e) in HEADINGS]
    if len(headings) < _MIN_ENTRIES:
        return outline
    printed = [text_of(heading).casefold() for heading in headings]

    def is_printed(entry: str) -> bool:
        return entry != title.casefold() and any(entry in text or text in entry for text in printed)

    entries = (entry for entry in outline.entries if is_printed(one_line(entry.titles[-1]).casefold()))
    return replace(outline, entries=tuple(entries))


@dataclass(slots=True)
class _SortedBook:
    """The blocks of a book by their use."""

    chapters: list[DocumentText] = field(default_factory=list)  # the blocks that are text, by document
    notes: dict[str, list[MarkupBlock]] = field(default_factory=dict)  # the blocks of each note, by its key
    left_out: list[LeftOut] = field(default_factory=list)


def compose_file(
    path: Path,
    options: ReadOptions,
    metadata: Metadata,
    *roots: Element | None,
    find_matter: FindMatter = find_declared_matter,
    warnings: Sequence[str] = (),
) -> Draft:
    """Return the draft of a file that is a whole book, without contents of its own; `compose` says the rest.

    Args:
        roots: its documents; None for one that could not be parsed.
        find_matter: not asked if the options say to keep the matter.

    Raises:
        BookError: `no_text`.
    """
    documents = [Document(path_text(path.name), root) for root in roots if root is not None]
    find_matter = find_no_matter if options.keep_matter else find_matter
    draft = compose(metadata, documents, find_matter=find_matter, warnings=warnings)
    if not draft.sections:
        raise no_text(path)
    return draft


def _sort_documents(
    documents: Sequence[Document], links: NoteLinks, outline: Outline, find_matter: FindMatter
) -> _SortedBook:
    """Walk the documents, and return their blocks sorted into text, notes, and what is left out."""
    titles = {(entry.path, entry.fragment): entry.titles[-1] for entry in outline.entries}
    note_regions: dict[str, dict[Element, Region]] = {}  # by path
    for note in links.notes:
        region = Region("note", note.key)
        note_regions.setdefault(note.path, {}).update((element, region) for element in note.elements)
    book = _SortedBook()
    page: str | None = None  # the label of a page that has begun and whose first text is still to come
    for document in documents:
        regions = _regions(find_matter(document), note_regions.get(document.path, {}))
        pages = outline.pages.get(document.path, {})
        walked = walk(document.root, Reading(regions, links.cites, links.backlinks, pages, document.cfi))
        page = pages.get("", page)
        skipped = Counter(walked.skipped)
        whole = pieces.join_initials_and_drop_repeats(walked.blocks, skipped)
        blocks = _sort_document(cited.with_notes_headings(whole), page)
        page = walked.last_page or blocks.page
        for key, note_blocks in blocks.notes.items():
            book.notes.setdefault(key, []).extend(note_blocks)
        text, left_out = _without_lone_headings(blocks.text, blocks.left_out)
        book.chapters.append(DocumentText(document.path, tuple(text)))
        where = titles.get((document.path, ""), document.path)
        book.left_out += _list_left_out(left_out, where, skipped)
    book.chapters = pieces.with_whole_paragraphs(with_blanks_as_breaks(book.chapters))
    return book


@dataclass(slots=True)
class _SortedDocument:
    """The blocks of one document by their use."""

    page: str | None
    """The label of a page that has begun and whose first text is still to come; None if there is none."""
    text: list[MarkupBlock] = field(default_factory=list)
    notes: dict[str, list[MarkupBlock]] = field(default_factory=dict)  # the blocks of each note, by its key
    left_out: dict[str, list[MarkupBlock]] = field(default_factory=dict)
    """The blocks that are left out, by kind. If there are notes, the kind `notes` is there, maybe empty."""


def _sort_document(blocks: Sequence[MarkupBlock], page: str | None) -> _SortedDocument:
    """Return the blocks of a document sorted by their regions."""
    # `page`: the label of a page that has begun before them and whose first text is still to come.
    result = _SortedDocument(page)
    break_before = False
    for block in blocks:
        # A break before a note becomes one before the text that follows the note.
        break_before = break_before or block.break_before
        region = block.region
        if region is None:
            result.text.append(_with_page_and_break(block, result.page, break_before=break_before))
            result.page, break_before = None, False
            continue
        result.page = next((mark.label for mark in reversed(block.pages) if mark.label), result.page)
        if region.note is None:
            result.left_out.setdefault(region.kind, []).append(block)
        else:
            result.notes.setdefault(region.note, []).append(block)
            result.left_out.setdefault("notes", [])  # for a heading above them: see `_without_lone_headings`
    return result


def _regions(matter: Mapping[Element, str], note_regions: Mapping[Element, Region]) -> dict[Element, Region]:
    """Return the regions of a document: its front and back matter, and the notes outside it."""
    notes = {
        element: region
        for element, region in note_regions.items()
        if not any(outer in matter for outer in element.iterancestors())
    }
    return {element: Region(kind) for element, kind in matter.items()} | notes


def _with_page_and_break(block: MarkupBlock, page: str | None, *, break_before: bool) -> MarkupBlock:
    """Return a block with a break before it or not, and with the mark of a page that began before it."""
    # `page`: the label of a page that began in matter, in a note or in an empty block; None if none did.
    if block.break_before is not break_before:  # copies take time
        block = replace(block, break_before=break_before)
    if page is None or any(mark.label and not mark.offset for mark in block.pages):
        return block
    return replace(block, pages=(PageMark(0, None, page), *block.pages))


def _without_lone_headings(
    text: list[MarkupBlock], left_out: dict[str, list[MarkupBlock]]
) -> tuple[list[MarkupBlock], dict[str, list[MarkupBlock]]]:
    """Return the text of a document, and the blocks that are left out of it, by kind."""
    # If the document has notes or contents, and no text but headings, these headings are left out as well.
    kind = next((kind for kind in _TITLED_KINDS if kind in left_out), None)
    if kind is None or any(block.kind is not BlockKind.HEADING for block in text):
        return text, left_out
    return [], left_out | {kind: left_out[kind] + text}


def _list_left_out(
    blocks_by_kind: Mapping[str, Sequence[MarkupBlock]], where: str, skipped: Mapping[str, int]
) -> list[LeftOut]:
    """Count the words left out of one document, by kind."""
    n_words = Counter(skipped)
    for kind, blocks in blocks_by_kind.items():
        n_words[kind] += sum(count_words(block.text) for block in blocks)
    return [LeftOut(kind, where, n) for kind, n in n_words.items() if n]


def _make_notes(
    links: NoteLinks, blocks: Mapping[str, Sequence[MarkupBlock]]
) -> tuple[tuple[DraftNote, ...], list[LeftOut]]:
    """Return the notes without their printed labels, and what is left out: these labels."""
    notes = []
    n_words = 0
    for note in links.notes:
        whole_text = "\n".join(block.text for block in blocks.get(note.key, ()))
        first = note.elements[0]
        is_term, is_item = local_name(first) == "dt", local_name(first) == "li"
        label = one_line(note.label)
        text = cited.without_label(
            cited.without_cited_words(whole_text) if is_term else whole_text,
            label,
            printed="" if is_item else one_line(text_of(first)),
        )
        n_words += cited.count_label_words(whole_text, text)
        if text:
            href = note.key.partition(UNNAMED)[0]  # a note without an id leads to its document
            notes.append(DraftNote(key=note.key, label=label, text=text, href=href))
    left_out = [LeftOut("note_mark", "the labels of notes", n_words)] if n_words else []
    return tuple(notes), left_out
