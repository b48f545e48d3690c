"""Turns lines of plain text into blocks: joins wrapped prose; verse, lists, tables and code keep their lines.

Lines are first grouped at blank lines (`group_lines`); the whole text then shows how it is typed
(`find_layout`); with that, each group becomes blocks (`blocks_of`).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

from alexandria.book.model import BlockKind
from alexandria.extract.clean import clean
from alexandria.extract.divisions import ENDS_SENTENCE, counting_lines, names_division
from alexandria.extract.draft import DraftBlock
from alexandria.extract.ornaments import STARS
from alexandria.extract.text.speeches import find_speakers, speaker_alone, speech_starts


@dataclass(frozen=True)
class Group:
    """The lines between two blank lines, as typed: with indentation, but without trailing white space."""

    lines: tuple[str, ...]
    blank_before: int  # blank lines before it; for the first group, `_BLANKS_BEFORE_TEXT` more
    fenced: bool = False  # True for code between two fences, which are included
    counts: bool = False  # True for a line that numbers a chapter, and follows the others
    underlined_with: str = ""  # the sign in the row below an underlined title; the row is the next group

    @cached_property
    def text(self) -> str:
        """The lines joined into one, single-spaced."""
        return " ".join(" ".join(self.lines).split())

    @cached_property
    def indents(self) -> tuple[int, ...]:
        """The indentation of each line in spaces."""
        return tuple(len(line) - len(line.lstrip()) for line in self.lines)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is typed."""

    width: int  # the length of full lines of prose, in characters; 0 if each line is a paragraph
    indent: int  # spaces at the start of lines of prose: 0 in most texts
    vocabulary: frozenset[str]  # the text's words in lower case, for hyphens at line ends; empty without any
    breaks_words: bool = False  # True if most hyphens at line ends break words, as in print
    is_verse: bool = False  # True if the text is all verse; its width is then that of its lines of verse
    speakers: frozenset[str] = frozenset()  # names on lines of their own, above speeches


# Prose is wrapped at 50 to 80 characters, columns at 35; longer lines are paragraphs, shorter ones not prose.
# Chinese and Japanese characters are twice as wide.
_MIN_WIDTH, MAX_WIDTH, _MIN_EAST_ASIAN = 30, 120, 16
_UNSPACED = re.compile("[\u3001-\u30ff\u3400-\u9fff\uff00-\uff60]")  # without the space of an indent
_UNSPACED_ONLY = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60“”‘’—…· ]+")
_MAX_UNSPACED_VERSE, _MIN_UNSPACED_VERSE_SHARE = 24, 0.9
"""Characters of a line of Chinese or Japanese verse; the share of such lines in a text of verse."""
_MAX_VERSE = 60  # characters of a line of verse in a text that is not wrapped
_MIN_UNWRAPPED_VERSE = 3  # lines of verse in a text that is not wrapped; fewer short lines may be paragraphs
_MIN_NARROW_PROSE = 4  # lines of prose that is recognised as wrapped at a narrower width than the text
_MIN_FULL_SHARE = 0.75  # share of the lines of wrapped prose that are full
_MIN_MEAN_LENGTH = 0.85  # mean length of lines of wrapped prose, as a share of the width; verse is shorter
MIN_VERSE_CAPITALS = 0.7  # share of the lines of verse that begin with a capital
_WIDTH_TOLERANCE = 2  # characters by which a full line may be shorter than the longest line of its group
_MIN_CAPITALS_IN_NARROW_VERSE = (
    0.8  # share of lines that begin with a capital, in verse that looks like prose
)
_MAX_INDENTED_VERSE = 0.8  # longest line of indented verse, as a share of the width
_MAX_LAST_LINE = 0.75  # length of a line that ends a paragraph: the next word would have fitted in it
_MIN_DEEPER = 2  # spaces by which a line is indented more than others
_TYPICAL_SHARE = 0.9  # share of lines that are not longer than the width; the others may be tables
_MIN_PARAGRAPHS = 5  # lines with a next one in their group that show that each line is a paragraph
_MIN_ENDED_SHARE = 0.8  # share of these that end a sentence if lines are paragraphs; in prose, few do
_MIN_VERSE_LINES = 8  # lines from which a text of nothing but verse is known
_MIN_VERSE_SHARE = 0.8  # share of the lines below another that begin with a capital in a text of verse
_HYPHEN_END = re.compile(r"(?<=[^\W\d_])-$")
_BROKEN_HEAD = re.compile(r"([^\W\d_]+)-$")
_HYPHENATED = re.compile(r"[^\s-]--?\Z")  # " --" and rules keep their space
_FENCE = re.compile(r"\s*(```|~~~)")
_STARS = re.compile(rf"\s*(?:{STARS})")
_UNDERLINE = re.compile(r"\s*([-=~_*])\1{3,}")  # three may be a fence or the end of front matter
_UNDERLINED_TITLE = re.compile(r"[^\W_](?:.*[^\s,;:|])?")
_BLANKS_BEFORE_TEXT = 9  # blank lines above the first line of a text: more than any heading needs


def group_lines(text: str) -> list[Group]:
    """Return the groups of lines of a text, whose line breaks are `\\n`.

    Fenced code with its fences is one group, even without blank lines around it. So is a line of asterisks,
    an underlined title of one or two lines, and the row of signs below it.
    """
    lines = [line.rstrip() for line in text.expandtabs(4).split("\n")]
    closing_fence = _find_fences(lines)
    groups: list[Group] = []
    n_blank = _BLANKS_BEFORE_TEXT
    start = 0
    while start < len(lines):
        if not lines[start]:
            n_blank += 1
            start += 1
            continue
        end = _group_end(lines, start, closing_fence)
        is_fenced = start in closing_fence
        sign = "" if is_fenced else _underline_below(lines, start)
        groups.append(Group(tuple(lines[start:end]), n_blank, fenced=is_fenced, underlined_with=sign))
        n_blank, start = 0, end
    return groups


def _group_end(lines: Sequence[str], start: int, closing_fence: Mapping[int, int]) -> int:
    """Return the index of the line after the group that begins at `start`."""
    # `closing_fence`: the line of each closing fence, by the line of its opening fence.
    if start in closing_fence:
        return closing_fence[start] + 1
    if _STARS.fullmatch(lines[start]) or _row_below(lines, start) or _row_below(lines, start - 1):
        return start + 1
    for i in range(start + 1, len(lines)):
        if not lines[i] or i in closing_fence or _STARS.fullmatch(lines[i]):
            return i
        if i == start + 2 and _is_row_below_two(lines, i):
            return i
    return len(lines)


def _underline_below(lines: Sequence[str], i: int) -> str:
    """Return the sign with which a title is underlined in the row below it; empty if it is not."""
    # A row less than half as long as the line above is a break.
    row = _row_below(lines, i)
    return row[:1] if 2 * len(row) >= len(lines[i].strip()) else ""


def _row_below(lines: Sequence[str], i: int) -> str:
    """Return the row of signs below line `i` if that may be a title of one line; otherwise empty."""
    # A title has a blank line above it, and is not the head of a table. `i` may also be -1.
    if not 0 <= i < len(lines) - 1 or not _UNDERLINE.fullmatch(lines[i + 1]):
        return ""
    is_below_blank = i == 0 or not lines[i - 1]
    is_title = _UNDERLINED_TITLE.fullmatch(lines[i].strip()) is not None
    is_in_table = any(map(_TABLE_LINE.match, (lines[i], *lines[i + 2 : i + 3])))
    return lines[i + 1].strip() if is_below_blank and is_title and not is_in_table else ""


def _is_row_below_two(lines: Sequence[str], i: int) -> bool:
    """Return whether line `i` is a row of signs below a title of two lines, and above a blank one."""
    if not _UNDERLINE.fullmatch(lines[i]) or any(lines[i + 1 : i + 2]):
        return False
    title = lines[i - 2 : i]
    is_below_blank = i == 2 or not lines[i - 3]
    is_title = _UNDERLINED_TITLE.fullmatch(" ".join(map(str.strip, title))) is not None
    return is_below_blank and is_title and not any(map(_TABLE_LINE.match, title))


def _find_fences(lines: list[str]) -> dict[int, int]:
    """Return the line of each closing fence of fenced code, by the line of its opening fence."""
    # A fence that is never closed is not code.
    closing_fence: dict[int, int] = {}
    open_fence: tuple[int, str] | None = None  # its line and its characters
    for i, line in enumerate(lines):
        if not (fence := _FENCE.match(line)):
            continue
        if open_fence is None:
            if _underline_below(lines, i - 1):
                continue
            open_fence = i, fence[1]
        elif open_fence[1] == fence[1]:
            closing_fence[open_fence[0]] = i
            open_fence = None
    return closing_fence


def find_layout(groups: Sequence[Group]) -> Layout:
    """Return the layout that most lines of a text have."""
    lengths: Counter[int] = Counter()
    indents: Counter[int] = Counter()
    has_hyphens = False
    for group in groups:
        lengths.update(len(line) for line in group.lines[:-1])
        indents.update(group.indents)
        has_hyphens = has_hyphens or any(_HYPHEN_END.search(line) for line in group.lines[:-1])
    width = _quantile(lengths, _TYPICAL_SHARE)
    speakers = find_speakers([group.lines for group in groups])
    is_wide_enough = width >= _MIN_WIDTH or (width >= _MIN_EAST_ASIAN and _is_set_solid(groups, width))
    is_wrapped = is_wide_enough and width <= MAX_WIDTH and not _are_lines_paragraphs(groups, speakers)
    vocabulary = _collect_vocabulary(groups) if has_hyphens else frozenset()
    return Layout(
        width=width if is_wrapped else 0,
        indent=indents.most_common(1)[0][0] if indents else 0,
        vocabulary=vocabulary,
        breaks_words=has_hyphens and _most_break_words(groups, vocabulary),
        is_verse=_is_all_verse(groups) if is_wrapped else _is_all_unspaced_verse(groups),
        speakers=speakers,
    )


def _is_set_solid(groups: Sequence[Group], width: int) -> bool:
    """Return whether a Chinese or Japanese text is wrapped: its lines are full, except above an indent."""
    pairs = chain.from_iterable(pairwise(group.lines) for group in groups)
    are_full = [abs(len(line) - width) <= _WIDTH_TOLERANCE for line, below in pairs if _UNSPACED.match(below)]
    return sum(are_full) >= max(_MIN_PARAGRAPHS, _TYPICAL_SHARE * len(are_full))


def _are_lines_paragraphs(groups: Iterable[Group], speakers: Collection[str]) -> bool:
    """Return whether each line of a text is a paragraph: almost all end a sentence, or name a chapter."""
    lines = [line for group in groups if not group.fenced for line in group.lines[:-1]]
    lines = [line for line in lines if not speakers or speaker_alone(line) not in speakers]
    open_lines = [line for line in lines if not ENDS_SENTENCE.search(line)]
    n_ended = len(lines) - len(open_lines)
    if n_ended < _MIN_PARAGRAPHS or len(open_lines) > n_ended:
        return False
    counted = counting_lines(lines)
    n_open = sum(not names_division(line.strip()) and line.strip() not in counted for line in open_lines)
    return n_ended >= _MIN_ENDED_SHARE * (n_ended + n_open)


def _is_all_verse(groups: Iterable[Group]) -> bool:
    """Return whether almost all lines of a text begin with a capital, wherever the line above ends."""
    lines = [line for group in groups if not group.fenced for line in group.lines[1:]]
    n_capitals = sum(_begins_with_capital(line) for line in lines)
    n_table = sum(bool(_TABLE_LINE.match(line) or _BULLET.match(line)) for line in lines)
    return (
        len(lines) >= _MIN_VERSE_LINES
        and n_capitals >= _MIN_VERSE_SHARE * len(lines)
        and 2 * n_table < len(lines)
    )


def _is_all_unspaced_verse(groups: Iterable[Group]) -> bool:
    """Return whether almost all lines of a Chinese or Japanese text are short, and few end a sentence."""
    lines = [line for group in groups if not group.fenced and len(group.lines) > 1 for line in group.lines]
    n_short = sum(len(line) <= _MAX_UNSPACED_VERSE and is_unspaced(line) for line in lines)
    n_ended = sum(bool(ENDS_SENTENCE.search(line)) for line in lines)
    return (
        len(lines) >= _MIN_VERSE_LINES
        and n_short >= _MIN_UNSPACED_VERSE_SHARE * len(lines)
        and 2 * n_ended <= len(lines)
    )


def is_unspaced(line: str) -> bool:
    """Return whether a line is in Chinese or Japanese alone."""
    return _UNSPACED_ONLY.fullmatch(line) is not None


def _begins_with_capital(line: str) -> bool:
    return next((character for character in line if character.isalpha()), "").isupper()


def _collect_vocabulary(groups: Iterable[Group]) -> frozenset[str]:
    """Return the words of a text in lower case; a word with hyphens is one word."""
    texts = (" ".join(group.lines) for group in groups)
    return frozenset(word.lower() for text in texts for word in re.findall(r"[\w-]+", text))


def _most_break_words(groups: Iterable[Group], vocabulary: frozenset[str]) -> bool:
    """Return whether most hyphens at line ends are after what is no word of the text."""
    heads = [_BROKEN_HEAD.search(line) for group in groups for line in group.lines[:-1]]
    are_breaks = [head[1].lower() not in vocabulary for head in heads if head]
    return sum(are_breaks) >= max(_MIN_PARAGRAPHS, _MIN_ENDED_SHARE * len(are_breaks))


def _quantile(counts: Counter[int], share: float) -> int:
    """Return the least value that this share of the counted values does not exceed; 0 if there are none."""
    n_remaining = share * counts.total()
    for value in sorted(counts):
        n_remaining -= counts[value]
        if n_remaining <= 0:
            return value
    return 0


# --- one group ------------------------------------------------------------------------------------

_BULLET = re.compile(r"\s*(?:[*•·▪◦‣]|-(?!-)|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?=\S)")
_DIALOGUE = re.compile(r"\s*[—–]\s?\S")
_TABLE_LINE = re.compile(r"\s*[+|][^A-Za-z]|.*\S {3,}\S|.*\.{5,}|.*[│┃├└─]")
_CODE_LINE = re.compile(
    r".*[{}]$|.*[(\[{=<>].*;$|\s*[$#>%]\s\S|\s*(?:def|class|import|from|return|if|for|while|int|char|void|var|let|const)\b.*[:;({]$"
    r"|.*\w\([^()]*\)[;:{]|.*\s[=!+-]?=\s|.*\s-[A-Za-z]\b|\s*</?\w+[^>]*>"
)
_CAPTION = re.compile(r"\[(?:Illustration|Image|Figure|Abbildung|Ilustracija)(?::\s*(.*))?\]", re.S | re.I)
# A line of nothing but speech, which has no stop in Japanese.
_SPOKEN = re.compile(r"\s*(?:「[^」]+」|『[^』]+』)")
_EMPHASIS = re.compile(r"(?<!\w)_([^\s_](?:[^_]{0,400}[^\s_])?)_(?!\w)")
_BEGINS_SENTENCE = re.compile(r"[\"'“‘„»«(_]*[^\W_a-z]|[—–-]")


def blocks_of(group: Group, layout: Layout) -> Iterator[DraftBlock]:
    """Yield the blocks of a group, in order; each word of the group is in one of them."""
    if group.fenced:
        yield _block_as_typed(BlockKind.CODE, group.lines)
        return
    if text := illustration_caption(group):
        yield DraftBlock(BlockKind.CAPTION, without_emphasis(text))
        return
    has_several_lines = len(group.lines) > 1
    n_bullets = sum(bool(_BULLET.match(line)) for line in group.lines)
    # A bullet on the only line of a group makes it a list, but one among several lines does not.
    min_bullets = 2 if has_several_lines else 1
    if starts := speech_starts(group.lines, is_wrapped=layout.width > 0):
        yield from _speeches(group, starts, layout)
    elif has_several_lines and _match_most(_TABLE_LINE, group.lines):
        yield _block_as_typed(BlockKind.TABLE, group.lines)
    elif _is_code(group, layout):
        yield _block_as_typed(BlockKind.CODE, group.lines)
    elif n_bullets >= min_bullets:
        yield from _list_items(group, layout)
    elif len(starts := _speaker_lines(group, layout)) > 1:
        yield from _speeches(group, starts, layout)
    elif has_several_lines and looks_like_verse(group, layout):
        yield DraftBlock(BlockKind.VERSE, without_emphasis("\n".join(group.lines)))
    elif starts:
        yield from _speeches(group, starts, layout)
    elif not layout.width:
        yield from (DraftBlock(BlockKind.PARAGRAPH, without_emphasis(line)) for line in group.lines)
    else:
        kind = BlockKind.QUOTE if has_several_lines and _is_deeper(group, layout) else BlockKind.PARAGRAPH
        for lines in _split_paragraphs(group, layout):
            yield DraftBlock(kind, without_emphasis(join_lines(lines, layout)))


def _speaker_lines(group: Group, layout: Layout) -> list[int]:
    """Return the indexes of the lines with nothing but a speaker, above what is said."""
    lines = enumerate(group.lines[:-1]) if layout.speakers else ()
    return [i for i, line in lines if speaker_alone(line) in layout.speakers]


def _speeches(group: Group, starts: Sequence[int], layout: Layout) -> Iterator[DraftBlock]:
    """Yield one block per speech, each with its speaker, and one for what precedes the first."""
    speaker_lines = _speaker_lines(group, layout)
    for start, end in pairwise(sorted({0, *starts, len(group.lines)})):
        lines = group.lines[start:end]
        said, min_verse = (lines[1:], 2) if start in speaker_lines else (lines, 3)
        if len(said) >= min_verse and looks_like_verse(replace(group, lines=said), layout):
            yield DraftBlock(BlockKind.VERSE, without_emphasis("\n".join(lines)))
        else:
            yield DraftBlock(BlockKind.PARAGRAPH, without_emphasis(join_lines(lines, layout)))


def _is_deeper(group: Group, layout: Layout) -> bool:
    """Return whether all lines of a group are indented more than the text."""
    return min(group.indents) >= layout.indent + _MIN_DEEPER


def illustration_caption(group: Group) -> str | None:
    """Return the caption of an illustration, empty if it has none; None for a group that is anything else."""
    match = _CAPTION.fullmatch(group.text)
    return None if match is None else match[1] or ""


def without_emphasis(text: str) -> str:
    """Return the cleaned text without the underscores that stand for italics."""
    return clean(_EMPHASIS.sub(r"\1", text))


def join_lines(lines: Iterable[str], layout: Layout) -> str:
    """Return wrapped lines joined into one.

    A line that ends in a hyphen or dash is joined without a space ("Rabbit-" + "Hole"); the hyphen is dropped
    if it breaks a word.
    """
    parts: list[str] = []
    for line in map(str.strip, lines):
        if parts:
            last = parts[-1]
            if not _HYPHENATED.search(last):
                parts.append(" ")
            elif _is_broken_word(last, line, layout) and not last.endswith("--"):
                parts[-1] = last.removesuffix("-")
        parts.append(line)
    return "".join(parts)


def _is_broken_word(line: str, following: str, layout: Layout) -> bool:
    """Return whether the hyphen at the end of a line breaks a word."""
    # The text must have the word without the hyphen elsewhere, and not with it. Where most hyphens break
    # words, one of its parts must be no word.
    head = _BROKEN_HEAD.search(line)
    tail = re.match(r"[^\W\d_]+", following)
    if head is None or tail is None or not tail[0].islower():
        return False
    word, hyphenated = f"{head[1]}{tail[0]}".lower(), f"{head[1]}-{tail[0]}".lower()
    are_words = {head[1].lower(), tail[0]} <= layout.vocabulary
    is_broken = word in layout.vocabulary or (layout.breaks_words and not are_words)
    return is_broken and hyphenated not in layout.vocabulary


def looks_like_verse(group: Group, layout: Layout) -> bool:
    """Return whether a group looks like verse rather than prose.

    Lines of verse do not fill the width of the text; most of them begin with a capital, or all are indented.
    """
    lines = group.lines
    if layout.is_verse:
        n_capitals_below = sum(map(_begins_with_capital, lines[1:]))
        if 2 * n_capitals_below >= len(lines) - 1 or all(map(is_unspaced, lines)):
            return True
    if _is_wrapped(lines, layout.width) if layout.width else _are_paragraphs(lines):
        return False
    longest = max(map(len, lines))
    share_of_capitals = sum(bool(_BEGINS_SENTENCE.match(line.strip())) for line in lines) / len(lines)
    # Prose that is wrapped at a narrower width has full lines too, but few of them begin with a capital.
    if len(lines) >= _MIN_NARROW_PROSE and share_of_capitals < _MIN_CAPITALS_IN_NARROW_VERSE:
        narrower_width = longest - _WIDTH_TOLERANCE
        if _share_of_full_lines(lines, narrower_width) >= _MIN_FULL_SHARE:
            return False
    is_indented = _is_deeper(group, layout) and longest < _MAX_INDENTED_VERSE * layout.width
    has_verse_lines = is_indented or share_of_capitals >= MIN_VERSE_CAPITALS
    return has_verse_lines and not _match_most(_DIALOGUE, lines)


def _are_paragraphs(lines: tuple[str, ...]) -> bool:
    """Return whether lines of a text that is not wrapped are paragraphs of prose rather than verse."""
    if len(lines) < _MIN_UNWRAPPED_VERSE or max(map(len, lines)) > _MAX_VERSE:
        return True
    n_ended = sum(bool(ENDS_SENTENCE.search(line) or _SPOKEN.fullmatch(line)) for line in lines)
    return n_ended >= _MIN_ENDED_SHARE * len(lines)


def _is_wrapped(lines: tuple[str, ...], width: int) -> bool:
    """Return whether lines, at least two, are prose wrapped at the width."""
    # The first line may be short: a term that the other lines explain.
    if _share_of_full_lines(lines[1:], width) >= _MIN_FULL_SHARE:
        return True
    mean_length = sum(map(len, lines[:-1])) / (len(lines) - 1)
    if mean_length >= _MIN_MEAN_LENGTH * width:
        return True
    return _share_of_full_lines(lines, width) >= _MIN_FULL_SHARE


def are_full(pairs: Sequence[tuple[str, str]], width: int) -> bool:
    """Return whether most of these lines have no room for the first word of the line below."""
    return sum(_share_of_full_lines(pair, width) for pair in pairs) >= _MIN_FULL_SHARE * len(pairs)


def _share_of_full_lines(lines: tuple[str, ...], width: int) -> float:
    """Return the share of lines, except the last, that have no room for the first word of the next line."""
    n_full = 0
    for line, next_line in pairwise(lines):
        first_word = next_line.split(maxsplit=1)[0]
        n_full += len(line) + 1 + len(first_word) >= width
    return n_full / max(1, len(lines) - 1)


def _split_paragraphs(group: Group, layout: Layout) -> Iterator[list[str]]:
    """Yield the lines of each paragraph in a group of prose."""
    # Between two sentences, a paragraph ends after a short line, before an indented line, and before
    # dialogue.
    lines: list[str] = []
    min_indent = min(group.indents)
    for i, line in enumerate(group.lines):
        if lines and ENDS_SENTENCE.search(lines[-1]) and _BEGINS_SENTENCE.match(line.lstrip()):
            is_after_short = len(lines[-1]) < _MAX_LAST_LINE * layout.width
            is_deeper = group.indents[i] >= min_indent + _MIN_DEEPER
            is_indented = is_deeper and group.indents[i - 1] == min_indent
            if is_after_short or is_indented or _DIALOGUE.match(line):
                yield lines
                lines = []
        lines.append(line)
    yield lines


def _list_items(group: Group, layout: Layout) -> Iterator[DraftBlock]:
    """Yield the items of a list; lines before the first bullet, or left of the bullets, are a paragraph."""
    lines: list[str] = []  # of the open block
    kind, bullet_indent = BlockKind.PARAGRAPH, 0  # of the open block; a paragraph has no bullet
    for line, indent in zip(group.lines, group.indents, strict=True):
        has_bullet = bool(_BULLET.match(line))
        if lines and (has_bullet or indent < bullet_indent):
            yield DraftBlock(kind, without_emphasis(join_lines(lines, layout)))
            lines = []
        if not lines and has_bullet:
            kind, bullet_indent = BlockKind.LIST_ITEM, indent
        elif not lines:
            kind, bullet_indent = BlockKind.PARAGRAPH, 0
        lines.append(line)
    yield DraftBlock(kind, without_emphasis(join_lines(lines, layout)))


def _is_code(group: Group, layout: Layout) -> bool:
    return _is_deeper(group, layout) and _match_most(_CODE_LINE, group.lines)


def _match_most(pattern: re.Pattern[str], lines: tuple[str, ...]) -> bool:
    """Return whether the beginnings of most lines match a pattern."""
    return 2 * sum(bool(pattern.match(line)) for line in lines) > len(lines)


def _block_as_typed(kind: BlockKind, lines: tuple[str, ...]) -> DraftBlock:
    """Return a block of lines as typed, without common indentation or, except in code, marks of emphasis."""
    common_indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    text = "\n".join(_clean_between_spaces(line[common_indent:]) for line in lines).strip("\n")
    return DraftBlock(kind, text if kind is BlockKind.CODE else _EMPHASIS.sub(r"\1", text))


def _clean_between_spaces(line: str) -> str:
    """Return a line cleaned except for its spaces, which align a table or indent code."""
    return "".join(part if part.isspace() else clean(part) for part in re.split(r"( +)", line)).rstrip()
