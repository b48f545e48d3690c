"""Reads plain text: decodes it, removes its licence, unwraps its lines, divides it at its headings.

`unwrapping` groups the lines and turns each group into blocks; `headings` and `breaks` find where sections
and thoughts end; `title` finds the title. Headings that no blank lines surround, as in texts typed one
paragraph per line, are set apart here.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from alexandria.book.model import BlockKind, LeftOut, count_words
from alexandria.errors import BookError, Code
from alexandria.extract.clean import path_text
from alexandria.extract.divisions import CHAPTER, ENDS_SENTENCE, counting_lines, in_capitals, names_division
from alexandria.extract.draft import Draft, DraftBlock, DraftSection
from alexandria.extract.encoding import Decoded, decode
from alexandria.extract.gutenberg import unwrap_licence
from alexandria.extract.mojibake import mojibake_warnings
from alexandria.extract.notes.in_text import separate_typed_notes
from alexandria.extract.options import ReadOptions
from alexandria.extract.text import unwrapping
from alexandria.extract.text.aozora import read_aozora
from alexandria.extract.text.breaks import find_breaks, has_words
from alexandria.extract.text.headings import Heading, find_contents, find_headings
from alexandria.extract.text.pages import with_pages_of_scan, without_line_numbers, without_page_furniture
from alexandria.extract.text.subtitles import without_cues
from alexandria.extract.text.title import with_printed_title
from alexandria.extract.text.unwrapping import Group, Layout

_TITLE_GROUPS = 4  # groups of lines at the beginning of a text in which its title may be printed
_NO_HEADING = Heading(rank=0, n_groups=0)  # in place of a heading, for the text before the first one
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|<br\s*/?>", re.I)
_MAX_HEADING_TEXT = 200  # characters of a group that may be a heading of several lines
_UNSTOPPED = re.compile(r"\s*[\u3400-\u9fff·\s（）]{1,20}")
_COUPLET = re.compile(r"\s*[\u3400-\u9fff]{3,8}[，？、；！。](?:[\u3400-\u9fff]{3,8}[，？、；！。])?")
_MIN_TITLES = 2  # titles right above stanzas; one may be a line of its poem
_MAX_LISTED_SHARE = 0.5  # share of the lines of a group that are headings; in a table of contents, most are


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a plain text.

    Italics typed as `_word_` lose their underscores. Project Gutenberg's licence and credits, a printed table
    of contents and lines of ornaments are left out; transcribers' notes are kept.

    Raises:
        BookError: `empty`, or `unreadable`.
    """
    return draft_of(decode(path.read_bytes()), path, options)


def draft_of(decoded: Decoded, path: Path, options: ReadOptions, *, name: str = "") -> Draft:
    """Return the draft of a text.

    Args:
        name: the title if the text does not print one; if empty, the name of the file is used.

    Raises:
        BookError: `empty`.
    """
    spoken, n_cues = without_cues(decoded.text)
    unpaged, furniture = without_page_furniture(spoken)
    if not furniture:
        unpaged, furniture = with_pages_of_scan(_LINE_END.sub("\n", unpaged))
    unwrapped = unwrap_licence(_LINE_END.sub("\n", unpaged))
    aozora = read_aozora(unwrapped.text)
    text, n_numbers = (aozora.text, 0) if aozora else without_line_numbers(unwrapped.text)
    groups = unwrapping.group_lines(text)
    layout = unwrapping.find_layout(groups)
    if aozora:
        layout = replace(layout, width=0, is_verse=False)  # each line is a paragraph
    groups = set_headings_apart(groups, layout)
    contents = range(0) if options.keep_matter else find_contents(groups, layout)
    outside_contents = [group for i, group in enumerate(groups) if i not in contents]
    body = [group for group in outside_contents if has_words(group)]
    if not body:
        raise BookError(f"cannot read {path}", why="it has no text", fix="check the file", code=Code.EMPTY)
    headings = find_headings(body, layout)
    ranks = sorted({heading.rank for heading in headings.values()})
    levels = {rank: level for level, rank in enumerate(ranks, 1)}
    breaks = find_breaks(outside_contents, layout)
    all_sections = tuple(_make_sections(body, layout, headings, levels, breaks))
    sections, notes, n_marks = separate_typed_notes(all_sections)
    first_groups = ["\n".join(group.lines) for group in body[:_TITLE_GROUPS]]
    return Draft(
        metadata=with_printed_title(
            aozora.metadata if aozora else unwrapped.metadata, name or path_text(path.stem), first_groups
        ),
        sections=sections,
        notes=notes,
        left_out=(
            *unwrapped.left_out,
            *(aozora.left_out if aozora else ()),
            *([LeftOut("running_head", "at the edges of pages", n)] if (n := count_words(furniture)) else ()),
            *([LeftOut("line_numbers", "at the beginning of lines", n_numbers)] if n_numbers else ()),
            *([LeftOut("cues", "numbers and times of subtitles", n_cues)] if n_cues else ()),
            *_left_out(groups, contents, n_marks, n_rows=aozora.n_headings if aozora else 0),
        ),
        warnings=_make_warnings(decoded),
        chapter_level=levels.get(CHAPTER),
    )


def _left_out(groups: Sequence[Group], contents: range, n_marks: int, *, n_rows: int) -> Iterator[LeftOut]:
    """Yield how many words are left out, by kind."""
    # `contents`: the indexes of the groups in the printed table of contents.
    # `n_rows`: how many rows below headings are not the file's.
    if n_marks:
        yield LeftOut("note_mark", "the marks that cite notes, and their labels", n_marks)
    if n_contents := sum(count_words(groups[i].text) for i in contents):
        yield LeftOut("contents", "the printed table of contents", n_contents)
    outside = [group for i, group in enumerate(groups) if i not in contents]
    if n_ornaments := sum(count_words(group.text) for group in outside if not has_words(group)) - n_rows:
        yield LeftOut("ornament", "lines without words, illustrations without captions", n_ornaments)
    # One word before each caption: "[Illustration: The Hatter]".
    if n_captions := sum(bool(unwrapping.illustration_caption(group)) for group in outside):
        yield LeftOut("illustration", "the marks before captions", n_captions)


def _make_sections(
    groups: Sequence[Group],
    layout: Layout,
    headings: dict[int, Heading],
    levels: dict[int, int],
    breaks: frozenset[int],
) -> Iterator[DraftSection]:
    """Yield one section per heading; text before the first heading is a section without one."""
    # `headings`: the headings by the index of their first group, ascending.
    # `levels`: the level of a heading by its rank: 1 for the outermost rank in the text.
    # `breaks`: the indexes of the groups that follow a break.
    starts = list(headings) if 0 in headings else [0, *headings]
    path: list[tuple[int, str]] = []  # ranks and titles of the headings that the section is under
    for start, end in zip(starts, [*starts[1:], len(groups)], strict=True):
        heading = headings.get(start, _NO_HEADING)
        text_start = start + heading.n_groups
        title = unwrapping.without_emphasis(" ".join(group.text for group in groups[start:text_start]))
        title_blocks = (DraftBlock(BlockKind.HEADING, title),) if title else ()
        if title:
            path = [(rank, text) for rank, text in path if rank < heading.rank]
            path.append((heading.rank, title))
        blocks = [
            block
            for i in range(text_start, end)
            for block in _make_blocks(groups[i], layout, break_before=i in breaks)
        ]
        yield DraftSection(
            headings=tuple(text for _, text in path),
            level=levels[heading.rank] if title else 0,
            href=None,
            blocks=(*title_blocks, *blocks),
        )


def _make_blocks(group: Group, layout: Layout, *, break_before: bool) -> Iterator[DraftBlock]:
    """Yield the blocks of a group that have text; if `break_before`, a break is before the first of them."""
    # A block of nothing but control characters is empty after cleaning.
    blocks = (block for block in unwrapping.blocks_of(group, layout) if block.text)
    for i, block in enumerate(blocks):
        yield replace(block, break_before=True) if break_before and i == 0 else block


def _make_warnings(decoded: Decoded) -> tuple[str, ...]:
    """Return warnings of text that looks like mojibake, and of bytes that are invalid in its encoding."""
    warnings = mojibake_warnings(decoded.n_doubtful)
    if decoded.n_invalid:
        encoding = decoded.encoding.upper()
        warnings += (f"{decoded.n_invalid} invalid bytes in its {encoding} text became \ufffd",)
    return warnings


def set_headings_apart(groups: Sequence[Group], layout: Layout) -> list[Group]:
    """Return the groups, with each line that names a chapter as a group of its own below a blank line.

    In a wrapped text, only lines after the end of a sentence are headings, and the first of a long group.
    """
    counted = counting_lines(line for group in groups if not group.fenced for line in group.lines)
    titles = [group.lines[0] for group in groups if _begins_with_title(group, layout)]
    if len(titles) >= _MIN_TITLES:
        counted |= {title.strip() for title in titles}
    return [part for group in groups for part in _divide(group, layout, counted)]


def _begins_with_title(group: Group, layout: Layout) -> bool:
    """Return whether a stanza begins with its title: a line in capitals, after more than one blank line."""
    # A title in Chinese has no stops, while the lines below have; the name of the poet may be between them.
    lines = group.lines
    if _UNSTOPPED.fullmatch(lines[0]):
        n_above = 2 if _UNSTOPPED.fullmatch("".join(lines[1:2])) else 1  # the title, perhaps with the poet
        return len(lines) >= n_above + 2 and all(map(_COUPLET.fullmatch, lines[n_above:]))
    is_set_apart = layout.is_verse and group.blank_before > 1 and len(lines) > 2
    return is_set_apart and in_capitals(lines[0]) and not in_capitals(lines[1])


def _divide(group: Group, layout: Layout, counted: Collection[str]) -> Iterator[Group]:
    """Yield the parts of a group: its headings, and the lines between them."""
    is_line_whole = not layout.width or layout.is_verse  # not a piece of a wrapped paragraph
    candidates = [
        i for i, line in enumerate(map(str.strip, group.lines)) if line in counted or names_division(line)
    ]
    headings = [i for i in candidates if is_line_whole or _is_between_paragraphs(group, i)]
    is_list = len(group.lines) > 2 and len(headings) > _MAX_LISTED_SHARE * len(group.lines)
    if group.fenced or len(group.lines) == 1 or is_list:
        is_counted = len(group.lines) == 1 and group.text in counted
        yield replace(group, counts=True) if is_counted else group
        return
    bounds = sorted({0, *headings, *(i + 1 for i in headings), len(group.lines)})
    for start, end in pairwise(bounds):
        counts = start in headings and group.lines[start].strip() in counted
        part = replace(group, lines=group.lines[start:end], counts=counts)
        yield part if start == 0 else replace(part, blank_before=1)


def _is_between_paragraphs(group: Group, i: int) -> bool:
    if i > 0:
        return ENDS_SENTENCE.search(group.lines[i - 1]) is not None
    return len(group.text) > _MAX_HEADING_TEXT
