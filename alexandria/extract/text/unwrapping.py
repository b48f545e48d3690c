"""Lines of plain text to blocks: wrapped prose is joined; verse, lists, tables and code keep their lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from alexandria.book import BlockKind
from alexandria.extract.clean import clean
from alexandria.extract.draft import DraftBlock
from alexandria.extract.ornaments import STARS


@dataclass(frozen=True)
class Group:
    """The lines between two blank lines, as typed: with indentation, without trailing white space."""

    lines: tuple[str, ...]
    blank_before: int
    """How many blank lines come before; 9 at the start of the text, more than anywhere else."""
    fenced: bool = False
    """True for code between two fences, which are included."""

    @cached_property
    def text(self) -> str:
        """The lines as one, single-spaced."""
        return " ".join(" ".join(self.lines).split())

    @cached_property
    def indents(self) -> tuple[int, ...]:
        """The indentation of each line in spaces."""
        return tuple(len(line) - len(line.lstrip()) for line in self.lines)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is typed."""

    width: int
    """Characters at which prose is wrapped; 0 if each line is a paragraph."""
    indent: int
    """Spaces at the start of lines of prose: 0 in most texts."""
    words: frozenset[str]
    """The text's words in lower case, which decide on hyphens at line ends; empty if there are none."""


# Prose is wrapped at 50–80 characters, columns at 35; longer lines are paragraphs, shorter ones not prose.
_NARROWEST, _WIDEST = 30, 120
_LONGEST_VERSE = 60  # characters of a verse in a text that is not wrapped
_HYPHEN_END = re.compile(r"(?<=[^\W\d_])-$")
_HYPHENATED = re.compile(r"[^\s-]--?\Z")  # " --" and rules keep their space
_FENCE = re.compile(r"\s*(```|~~~)")
_STARS = re.compile(rf"\s*(?:{STARS})")
_FAR = 9  # blank lines "before" the first group: more than before any heading


def group_lines(text: str) -> list[Group]:
    """Return the groups of a text with `\\n` as line breaks.

    Fenced code is one group, with its fences, and so is a line of asterisks, even without blank lines around.
    """
    lines = [line.rstrip() for line in text.expandtabs(4).split("\n")]
    closes = _fences(lines)
    groups: list[Group] = []
    start, blank, i = 0, _FAR, 0
    while i <= len(lines):
        stars = i < len(lines) and bool(_STARS.fullmatch(lines[i]))
        if i == len(lines) or not lines[i] or i in closes or stars:
            if start < i:
                groups.append(Group(tuple(lines[start:i]), blank))
                blank = 0
            if stars:
                groups.append(Group((lines[i],), blank))
                blank = 0
            elif end := closes.get(i):
                groups.append(Group(tuple(lines[i : end + 1]), blank, fenced=True))
                blank, i = 0, end
            else:
                blank += 1
            start = i + 1
        i += 1
    return groups


def _fences(lines: list[str]) -> dict[int, int]:
    """Return the last line of each block of fenced code by its first; a fence never closed does not count."""
    closes: dict[int, int] = {}
    opened: tuple[int, str] | None = None
    for i, line in enumerate(lines):
        if not (mark := _FENCE.match(line)):
            continue
        if opened is None:
            opened = i, mark[1]
        elif opened[1] == mark[1]:
            closes[opened[0]] = i
            opened = None
    return closes


def find_layout(groups: Iterable[Group]) -> Layout:
    """Return the layout that most lines of a text have."""
    lengths: Counter[int] = Counter()
    indents: Counter[int] = Counter()
    hyphens = False
    for group in groups:
        lengths.update(len(line) for line in group.lines[:-1])
        indents.update(group.indents)
        hyphens = hyphens or any(_HYPHEN_END.search(line) for line in group.lines[:-1])
    # The longest tenth of the lines may be headings, tables, addresses; the others end at the margin.
    width = _quantile(lengths, 0.9)
    words = frozenset(
        word.lower() for group in groups if hyphens for word in re.findall(r"[\w-]+", " ".join(group.lines))
    )
    wrapped = _NARROWEST <= width <= _WIDEST
    return Layout(width if wrapped else 0, indents.most_common(1)[0][0] if indents else 0, words)


def _quantile(counts: Counter[int], share: float) -> int:
    left = share * counts.total()
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return 0


# --- one group ------------------------------------------------------------------------------------

_BULLET = re.compile(r"\s*(?:[*•·▪◦‣]|-(?!-)|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?=\S)")
_DIALOGUE = re.compile(r"\s*[—–]\s?\S")
_TABLE_LINE = re.compile(r"\s*[+|][^A-Za-z]|.*\S {3,}\S|.*\.{5,}|.*[│┃├└─]")
_CODE_LINE = re.compile(
    r".*[{};]$|\s*[$#>%]\s\S|\s*(?:def|class|import|from|return|if|for|while|int|char|void|var|let|const)\b.*[:;({]$"
    r"|.*\w\([^()]*\)[;:{]|.*\s[=!+-]?=\s|.*\s-[A-Za-z]\b|\s*</?\w+[^>]*>"
)
_CAPTION = re.compile(r"\[(?:Illustration|Image|Figure|Abbildung|Ilustracija)(?::\s*(.*))?\]", re.S | re.I)
_EMPHASIS = re.compile(r"(?<!\w)_([^\s_](?:[^_]{0,400}[^\s_])?)_(?!\w)")
_ENDS_SENTENCE = re.compile(r"[.!?:…][\"'”’»)\]_]*$")
_BEGINS_SENTENCE = re.compile(r"[\"'“‘„»«(_]*[^\W_a-z]|[—–-]")


def blocks_of(group: Group, layout: Layout) -> Iterator[DraftBlock]:
    """Yield the blocks of a group, in order; each word of the group is in one of them."""
    if group.fenced:
        yield _as_typed(BlockKind.CODE, group.lines)
        return
    if text := illustration_caption(group):
        yield DraftBlock(BlockKind.CAPTION, without_emphasis(text))
        return
    several = len(group.lines) > 1
    if _mostly(_TABLE_LINE, group.lines) and several:
        yield _as_typed(BlockKind.TABLE, group.lines)
    elif _is_code(group, layout):
        yield _as_typed(BlockKind.CODE, group.lines)
    elif sum(bool(_BULLET.match(line)) for line in group.lines) > several:
        yield from _list_items(group, layout)
    elif several and looks_like_verse(group, layout):
        yield DraftBlock(BlockKind.VERSE, without_emphasis("\n".join(group.lines)))
    elif not layout.width:
        yield from (DraftBlock(BlockKind.PARAGRAPH, without_emphasis(line)) for line in group.lines)
    else:
        # All lines indented by two spaces more than the text: a quotation.
        deeper = min(group.indents) >= layout.indent + 2
        kind = BlockKind.QUOTE if deeper and several else BlockKind.PARAGRAPH
        for lines in _paragraphs(group, layout):
            yield DraftBlock(kind, without_emphasis(join_lines(lines, layout)))


def illustration_caption(group: Group) -> str | None:
    """Return the caption of an illustration, empty if it has none; None for any other group."""
    match = _CAPTION.fullmatch(group.text)
    return None if match is None else match[1] or ""


def without_emphasis(text: str) -> str:
    """Return the cleaned text without the underscores that stand for italics."""
    return clean(_EMPHASIS.sub(r"\1", text))


def join_lines(lines: Iterable[str], layout: Layout) -> str:
    """Return wrapped lines as one; a word that is broken at a line end becomes whole."""
    parts: list[str] = []
    for line in map(str.strip, lines):
        if not parts:
            parts.append(line)
        elif not _HYPHENATED.search(last := parts[-1]):
            parts += [" ", line]
        elif not last.endswith("--") and _is_broken(last, line, layout):
            parts[-1] = last[:-1]
            parts.append(line)
        else:
            parts.append(line)  # "Rabbit-" + "Hole", "word--" + "word"
    return "".join(parts)


def _is_broken(line: str, following: str, layout: Layout) -> bool:
    head = re.search(r"([^\W\d_]+)-$", line)
    tail = re.match(r"[^\W\d_]+", following)
    if head is None or tail is None or not tail[0].islower():
        return False
    word = (head[1] + tail[0]).lower()
    return word in layout.words and f"{head[1]}-{tail[0]}".lower() not in layout.words


def looks_like_verse(group: Group, layout: Layout) -> bool:
    """Return whether lines end before the margin, and begin as verses do: with capitals, or indented."""
    lines = group.lines
    own_width = max(map(len, lines))
    if not layout.width and (len(lines) < 3 or own_width > _LONGEST_VERSE):
        return False
    if layout.width and _is_wrapped(lines, layout.width):
        return False
    capitals = sum(bool(_BEGINS_SENTENCE.match(line.strip())) for line in lines) / len(lines)
    narrow_prose = len(lines) > 3 and _share_full(lines, own_width - 2) >= 0.75
    if narrow_prose and capitals < 0.8:
        return False
    indented = min(group.indents) >= layout.indent + 2 and own_width < 0.8 * layout.width
    return (capitals >= 0.7 or indented) and not _mostly(_DIALOGUE, lines)


def _is_wrapped(lines: tuple[str, ...], width: int) -> bool:
    """Return whether lines reach the margin; the first may be a term that the others explain."""
    if _share_full(lines[1:], width) >= 0.75:
        return True
    # Verses end, on average, well before 85 % of the width.
    mean = sum(map(len, lines[:-1])) / (len(lines) - 1)
    return mean >= 0.85 * width or _share_full(lines, width) >= 0.75


def _share_full(lines: tuple[str, ...], width: int) -> float:
    """Return the share of lines, without the last, that had no room for the first word of the next."""
    full = sum(
        len(line) + 1 + len(following.split(maxsplit=1)[0]) >= width for line, following in pairwise(lines)
    )
    return full / max(1, len(lines) - 1)


def _paragraphs(group: Group, layout: Layout) -> Iterator[list[str]]:
    """Yield the paragraphs of prose without blank lines: a short line ends one, an indent begins one."""
    lines: list[str] = []
    least = min(group.indents)
    for i, line in enumerate(group.lines):
        if lines and _ENDS_SENTENCE.search(lines[-1]) and _BEGINS_SENTENCE.match(line.lstrip()):
            # A quarter of the line is empty: more than any word needs.
            short = len(lines[-1]) < 0.75 * layout.width
            indented = group.indents[i] >= least + 2 and group.indents[i - 1] == least
            if short or indented or _DIALOGUE.match(line):
                yield lines
                lines = []
        lines.append(line)
    yield lines


def _list_items(group: Group, layout: Layout) -> Iterator[DraftBlock]:
    item: list[str] = []
    kind, depth = BlockKind.PARAGRAPH, 0
    for line, indent in zip(group.lines, group.indents, strict=True):
        bullet = bool(_BULLET.match(line))
        if item and (bullet or indent < depth):
            yield DraftBlock(kind, without_emphasis(join_lines(item, layout)))
            item = []
        if not item:
            kind, depth = (BlockKind.LIST_ITEM, indent) if bullet else (BlockKind.PARAGRAPH, 0)
        item.append(line)
    yield DraftBlock(kind, without_emphasis(join_lines(item, layout)))


def _is_code(group: Group, layout: Layout) -> bool:
    return min(group.indents) >= layout.indent + 2 and _mostly(_CODE_LINE, group.lines)


def _mostly(pattern: re.Pattern[str], lines: tuple[str, ...]) -> bool:
    return 2 * sum(bool(pattern.match(line)) for line in lines) > len(lines)


def _as_typed(kind: BlockKind, lines: tuple[str, ...]) -> DraftBlock:
    """Return a block of the lines as typed, without shared indentation; in tables, without emphasis."""
    common = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    text = "\n".join(_cleaned_line(line[common:]) for line in lines).strip("\n")
    return DraftBlock(kind, text if kind is BlockKind.CODE else _EMPHASIS.sub(r"\1", text))


def _cleaned_line(line: str) -> str:
    """Return a line cleaned except for its spaces, which draw the table or nest the code."""
    return "".join(part if part.isspace() else clean(part) for part in re.split(r"( +)", line)).rstrip()
