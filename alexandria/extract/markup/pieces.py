"""Puts blocks together that are pieces of one paragraph, and divides those that are several.

Markup converted from plain text or from pages has an element per line, or line breaks between paragraphs; an
initial may be a picture in a block of its own.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.book.model import BlockKind, count_words
from alexandria.book.places import shift_anchors, slice_anchors, without_spans
from alexandria.extract.divisions import ENDS_SENTENCE
from alexandria.extract.markup.blocks import MarkupBlock
from alexandria.extract.markup.sections import DocumentText
from alexandria.extract.runs import group_runs
from alexandria.extract.text import unwrapping
from alexandria.extract.text.unwrapping import Group, Layout

_INITIAL = re.compile(r"[\"'“‘„«¿¡—]*([^\W\d_])")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_MIN_PROSE = 20  # characters of prose, below its initial or before it goes on; entries of a list have fewer
_WORDS_OF_ONE_LETTER = frozenset("AIOÀÉYÓÚÖИЯВСКОУ")
_MIN_TITLE = 4  # characters of a title that may be there twice; "I" may be a part and its first chapter
_MIN_LINES = 8  # paragraphs that show that each is a line; in one block, `_MIN_BREAKS` lines
_MIN_BREAKS = 3
_MAX_LINE, _MAX_LONGER = 120, 1.2  # characters of a wrapped line, and times the width; longer are paragraphs
_MIN_FULL = 0.93  # length of a full line as a share of the width, which varies with the letters in print
_MIN_OPEN = 0.25  # share of lines that a small letter continues within a sentence; of paragraphs, few are
_MIN_ENDED = 0.8  # share of the parts between line breaks that end a sentence, if they are paragraphs
_MIN_PARAGRAPH = 60  # characters of a paragraph between line breaks, on average; lines of verse are shorter


def join_initials_and_drop_repeats(blocks: Sequence[MarkupBlock], skipped: Counter[str]) -> list[MarkupBlock]:
    """Return the blocks, with each initial that is a block of its own in its word.

    Titles that are there twice, and initials beside their whole word, are left out and counted.
    """
    result = [*blocks[:1]]
    for block in blocks[1:]:
        above = result[-1]
        letter, word = _INITIAL.fullmatch(above.text), _FIRST_WORD.match(block.text)
        is_repeated = block.text[:1].casefold() == above.text[-1:].casefold()
        is_same = len(block.text) >= _MIN_TITLE and block.text.casefold() == above.text.casefold()
        if above.rank and block.rank and is_same:
            skipped["running_head"] += count_words(block.text)
        elif not letter or not word or not _may_begin(above, block):
            result.append(block)
        elif is_repeated and above.kind is BlockKind.CAPTION:  # the letter of a list repeats its words too
            skipped["ornament"] += 1
            result[-1] = replace(block, ids=(*above.ids, *block.ids))
        elif is_repeated or not (word[0].isupper() or word[0].islower()):
            result.append(block)
        else:
            whole = re.compile(rf"(?i)\b{letter[1]}{word[0]}\b")
            is_word = letter[1] in _WORDS_OF_ONE_LETTER and not any(whole.search(b.text) for b in blocks)
            result[-1] = _join(above, block, " " if is_word else "")
    return result


def _may_begin(initial: MarkupBlock, block: MarkupBlock) -> bool:
    """Return whether a block with one letter may be the first letter of the paragraph below it."""
    kinds_fit = initial.kind in (BlockKind.CAPTION, BlockKind.PARAGRAPH) and block.kind is BlockKind.PARAGRAPH
    is_paragraph = len(block.text) >= _MIN_PROSE and initial.region is block.region is None
    return kinds_fit and is_paragraph and initial.text[-1].isupper()


def with_whole_paragraphs(documents: Sequence[DocumentText]) -> list[DocumentText]:
    """Return the documents with each paragraph whole.

    Wrapped lines are joined, as is a sentence that goes on in the next document; line breaks may divide.
    """
    documents = _with_sentences_joined(documents)
    documents = [replace(d, blocks=tuple(p for b in d.blocks for p in _divide(b))) for d in documents]
    runs = [run for document in documents for run in _runs(document.blocks, _MAX_LINE)]
    layout = _layout_of_lines([[block.text for block in run] for run in runs], _MIN_LINES)
    if layout is None:
        return documents
    longest = int(_MAX_LONGER * layout.width)
    return [
        replace(d, blocks=tuple(b for run in _runs(d.blocks, longest) for b in _unwrap(run, layout)))
        for d in documents
    ]


def _with_sentences_joined(documents: Sequence[DocumentText]) -> list[DocumentText]:
    """Return the documents, with a paragraph that goes on at the start of the next document in the first."""
    whole = [*documents]
    for i, (above, below) in enumerate(pairwise(documents)):
        ends, begins = whole[i].blocks[-1:], below.blocks[:1]
        are_prose = {block.kind for block in (*ends, *begins)} == {BlockKind.PARAGRAPH}
        if not (ends and begins and are_prose) or begins[0].break_before or not begins[0].text[0].islower():
            continue
        if not ENDS_SENTENCE.search(ends[0].text) and len(ends[0].text) >= _MIN_PROSE:
            whole[i] = replace(above, blocks=(*whole[i].blocks[:-1], _join(ends[0], begins[0], " ")))
            whole[i + 1] = replace(below, blocks=below.blocks[1:])
    return whole


def _runs(blocks: Sequence[MarkupBlock], longest: int) -> list[list[MarkupBlock]]:
    """Return the blocks in runs: lines with nothing between them, or any other block."""

    def goes_on(run: Sequence[MarkupBlock], block: MarkupBlock) -> bool:
        is_apart = block.break_before or block.blank_before
        return not is_apart and _is_line(block, longest) and _is_line(run[-1], longest)

    return group_runs(blocks, goes_on)


def _is_line(block: MarkupBlock, longest: int) -> bool:
    is_one_line = len(block.text) <= longest and "\n" not in block.text
    return block.kind is BlockKind.PARAGRAPH and is_one_line


def _layout_of_lines(runs: Sequence[Sequence[str]], min_lines: int) -> Layout | None:
    """Return how the lines in these runs are wrapped; None if they are paragraphs, or verse."""
    pairs = [pair for run in runs for pair in pairwise(run)]
    open_pairs = [pair for pair in pairs if not ENDS_SENTENCE.search(pair[0])]
    n_continued = sum(below[:1].islower() and _is_prose(line) for line, below in open_pairs)
    if len(pairs) < min_lines or n_continued < _MIN_OPEN * len(pairs):
        return None
    layout = unwrapping.find_layout([Group(pair, 1) for pair in open_pairs])
    is_prose = layout.width > 0 and not layout.is_verse
    return layout if is_prose and unwrapping.are_full(open_pairs, int(_MIN_FULL * layout.width)) else None


def _is_prose(line: str) -> bool:
    """Return whether most characters are letters, unlike in formulas."""
    return 2 * sum(map(str.isalpha, line)) > len(line)


def _unwrap(run: Sequence[MarkupBlock], layout: Layout) -> Iterator[MarkupBlock]:
    """Yield the paragraphs of a run of lines; verse stays as it is."""
    group = Group(tuple(block.text for block in run), 1)
    if len(run) == 1 or unwrapping.looks_like_verse(group, layout):
        yield from run
        return
    starts = [i for i in range(1, len(run)) if _ends_paragraph(run[i - 1].text, run[i].text, layout)]
    for start, end in pairwise((0, *starts, len(run))):
        paragraph = run[start]
        for block in run[start + 1 : end]:
            whole = unwrapping.join_lines((paragraph.text, block.text), layout)
            if not whole.startswith(paragraph.text):  # without the hyphen at its end
                length = len(paragraph.text) - 1
                source = without_spans(paragraph.source, [(length, length + 1)], paragraph.text)
                paragraph = replace(paragraph, text=paragraph.text[:length], source=source)
            paragraph = _join(paragraph, block, whole[len(paragraph.text) : len(whole) - len(block.text)])
        yield paragraph


def _ends_paragraph(line: str, below: str, layout: Layout) -> bool:
    """Return whether a line ends a paragraph: at the end of a sentence, it has room for the next word."""
    # So does a line that ends a speech, above one that begins another.
    if not ENDS_SENTENCE.search(line) or below[:1].islower():
        return False
    are_speeches = line[-1] in '”»’"' and below[0] in '“«‘"—'
    return are_speeches or len(line) + 1 + len(below.split()[0]) < _MIN_FULL * layout.width


def _divide(block: MarkupBlock) -> Iterator[MarkupBlock]:
    """Yield the paragraphs of a block that line breaks separate, or the block as it is."""
    lines = [line for line in block.text.split("\n") if line]
    if block.kind is not BlockKind.PARAGRAPH or len(lines) < 2:
        yield block
        return
    n_ended = sum(ENDS_SENTENCE.search(line) is not None for line in lines)
    are_apart = "\n" not in block.text.replace("\n\n", "")
    is_long = sum(map(len, lines)) >= _MIN_PARAGRAPH * len(lines)
    if is_long and n_ended >= _MIN_ENDED * len(lines) and (are_apart or len(lines) >= _MIN_BREAKS):
        yield from _lines_of(block)
    elif layout := _layout_of_lines([lines], _MIN_BREAKS):
        yield from _unwrap([*_lines_of(block)], layout)
    else:
        yield block


def _lines_of(block: MarkupBlock) -> Iterator[MarkupBlock]:
    """Yield each line of a block as a block."""
    return parts_of(block, [line.span() for line in re.finditer(r"[^\n]+", block.text)])


def parts_of(block: MarkupBlock, spans: Iterable[tuple[int, int]]) -> Iterator[MarkupBlock]:
    """Yield the parts of a block between offsets, the first of which is 0; the ids are those of the first."""
    notes, pages = [*block.notes], [*block.pages]
    for start, end in spans:
        own_notes = [notes.pop(0) for note in block.notes if note in notes and note.offset <= end]
        own_pages = [pages.pop(0) for page in block.pages if page in pages and page.offset < end]
        yield replace(
            block,
            text=block.text[start:end],
            ids=block.ids if start == 0 else (),
            notes=tuple(replace(note, offset=max(0, note.offset - start)) for note in own_notes),
            pages=tuple(replace(page, offset=max(0, page.offset - start)) for page in own_pages),
            break_before=block.break_before and start == 0,
            blank_before=block.blank_before and start == 0,
            source=slice_anchors(block.source, len(block.text), start, end),
        )


def _join(first: MarkupBlock, second: MarkupBlock, between: str) -> MarkupBlock:
    """Return two blocks as one, of the kind of the second."""
    shift = len(first.text) + len(between)
    sources = (first.source, shift_anchors(second.source, shift))
    return replace(
        second,
        text=f"{first.text}{between}{second.text}",
        ids=(*first.ids, *second.ids),
        last_id=first.last_id,
        sections=first.sections,
        notes=(*first.notes, *(replace(n, offset=n.offset + shift) for n in second.notes)),
        pages=(*first.pages, *(replace(p, offset=p.offset + shift) for p in second.pages)),
        break_before=first.break_before,
        blank_before=first.blank_before,
        source=";".join(filter(None, sources)),
    )
