"""Removes running heads and page numbers: lines that are repeated at the edges of pages."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from alexandria.extract.numerals import EAST_ASIAN, IN_WORDS, numeral_value
from alexandria.extract.pdf.archive import is_stamp
from alexandria.extract.pdf.hyphens import HYPHENS
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page, without_lines

_NUMBER = re.compile(
    rf"\d+(?:[rv](?![^\W_]))?|(?<![^\W_])(?:[ivxlc]+|{IN_WORDS})(?![^\W_])|{EAST_ASIAN}+", re.IGNORECASE
)
_FOLIO = re.compile(r"^(?:\d+|[ivxlc]+)\s+|\s+(?:\d+|[ivxlc]+)$")  # a page number next to a head
_PAGE = (
    r"(?:page|p[aàá]g(?:ina)?|pages?|pg|p|f|fol|folio|seite|s|blad(?:zijde)?|blz|str(?:ona|ana|án(?:k?a)?)?|sid[ae]?|"
    r"sivu|sayfa|sf|oldal|lk|lpp|psl|puslapis|bls|trang|hal(?:aman)?|стор(?:інка)?|старонка|стр(?:аница|\.)?|с|"
    r"σελίδα|σελ|صفحة|صفحه|ص|עמוד|עמ['׳]|पृष्ठ|পৃষ্ঠা|பக்கம்|หน้า|第|第\s*页|頁)"
)
_OF_TOTAL = (
    r"\s*[-–—]?\s*(?:[/|(]共?|(?:out )?of|from|von|de|di|sur|su|z[eo]?|od|iz|из|із?|з|от|av|af|van|din|dari|"
    r"από(?: τις)?|מתוך|من|از|共)[\W_]*\d{1,5}"
)  # after a page number: of 140, /140, (140)
PAGE_NUMBER = re.compile(
    rf"[\W_]*(?:{_PAGE}\.?[\W_]*)?(?P<number>\d{{1,5}}[rv]?|[ivxlc]+|{EAST_ASIAN}{{1,6}}|{IN_WORDS})"
    r"[\W_]*(?:(?:页|頁|ページ|쪽|페이지|oldal|sivu|стр|с|lk|lpp|sayfa)[\W_]*)?"
    rf"(?:{_OF_TOTAL}[\W_]*(?:pages|页|頁|ページ|쪽|oldal)?[\W_]*|[\W_]*\d{{1,5}}[\W_]*)?",
    re.IGNORECASE,
)  # a page number with ornaments or words around it: "– 21 –", "Seite 21", "21 of 140", "第21页", "f. 7r".
_WITH_CHAPTER = re.compile(r"(?:[A-Z]|\d{1,2}|[IVX]+)[-–—.]\d{1,4}")
"""A page number after that of its chapter or appendix, as manuals print it: "2-17", "A-3"."""
_BEFORE_TOTAL = re.compile(rf"{_OF_TOTAL}[页頁]?\W*\Z", re.I)
_SET_OFF = re.compile(rf"[|–—•·/\[~*]\s*\Z|\A(?!第){_PAGE}\.?\s*\Z", re.I)
"""An ornament or a word before a number inside a head: "On Salt | 21 | A Book", "Page 21 On Salt"."""
_TWO_PAGES = re.compile(r"(\d{1,5})\s+(\d{1,5})")
_LABEL = re.compile(
    r"(?:p(?:ages?|g|p)?\.? ?)?\[?((?:\w{1,3}[-–.: ]?)?(?:\d+|[ivxlcdm]+)\w?|\w{1,2})\]?", re.I
)  # a label that is or has a number: 12, xii, A-3, 12a, p. [219]; or a letter.
_COUNTED = re.compile(rf"\d+\.? [^\W\d_]+|(?!{_PAGE}\b)[^\W\d_]+ \d+", re.I)
"""A title of one word with its number, such as a date: "11. May", "Day 3"."""
_MIN_PAGES = 3  # fewest pages on which a line must be repeated: on two, it may be by chance
_MAX_NUMBER_BESIDE = 8  # characters of a page number beside the text
_EDGE_LINES = 3  # lines at each edge that may be heads or feet: books have no more, and seldom as many
_MAX_SIZE = 1.1  # times the body size: heads are not larger than the text
_LARGER = 1.05  # times the body size: folios are no larger than the text
_MAX_NUMBER_SIZE = 1.3  # times the body size: in a manual, that may be code, smaller than page numbers
_SAME_HEIGHT = 0.2  # times its size: how far the height of a head may vary from page to page
_SAME_SIZE = 0.04  # share of the size: a larger difference is intended
_MIN_STAMP_SIZE = 2.0  # times the body size: a watermark is larger
_MIN_COVERED = 2  # fewest lines under a watermark
_WIDE = 1.0  # times the size: the width of a character, on average, in a head whose words are at both edges
_MAX_HEAD_SIZE = 0.95  # times the body size: the largest type of a head on a scan known by its place alone
_MIN_DISTANCE = 1.8  # times the body size: the smallest distance of such a head from the text
_SAME_PLACE = 0.4  # times the body size: lines closer to each other are at the same height
_SCANNED = 4  # times that: on a scan, where each page lies a little differently
_MIN_HEADS = 1 / 3  # share of the lines at a place of heads that are repeated; short chapters' are not
_MIN_THIRD = 0.6  # share of the pages with heads that have a third row of them, if any has
_MIN_SAME = 3  # times that a page has a line, if it is text at its edge too: titles under names
_MAX_LEADING = 1.6  # times the size: lines of text are closer to each other, heads are further from the text
_FULL = 0.95  # share of the width of type: a line of text is shorter only at the end of a paragraph
_MAX_LONE_WORDS = 4  # words per page with heads, at most, that occur only in them: what has more is text
_MIN_BOOK = 10  # fewest pages on which these words are counted
_WORD = re.compile(r"[^\W\d_]{2,}")
_HEAD = re.compile(r"\d{2,4} [^\W\d].*[\]).]|\d{3} .*|[^\W\d_].* \d{2,4}")
"""A head with the number of its page; two figures alone before words may be those of a section."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """A line removed from the edge of a page, and whether it is only the page number."""

    line: Line
    is_number: bool
    label: str = ""  # the page's number as printed in the line; empty if none in it counts the pages


class _Key(NamedTuple):
    """What lines of several pages have in common if they are one head: their place, and words or a count.

    The head "12 Of Clay" on the page with index 11 has three: its text; its text with the distance 1 of its
    number from the index, `# Of Clay`; and that distance alone.
    """

    edge: str  # `top`, `foot` or, in the outer margin, `beside`
    height: int | None  # None for what may be at any height
    text: str | None  # with `#` for the number that counts; None if the text may change
    distance: int | None = None  # of the number from what it counts; None for a text alone
    counts: str = "pages"  # or `leaves`, or `openings` of two pages
    is_third: bool = False  # it is in the third row from the edge, but on other pages maybe in the second


@dataclass(frozen=True, slots=True)
class _EdgeLine:
    """What may be a head or a page number: a line at the top or the foot of a page."""

    line: Line
    at_top: bool  # True at the top, False at the foot
    keys: Mapping[_Key, str]
    """What would be equal on other pages, with the number in it as printed; empty for the text alone."""
    is_body: bool  # whether it is as close to another line as lines of text are
    runs_on: bool  # whether it is also full, begins in mid-sentence, or ends in mid-word
    is_third: bool  # whether it is in the third row from the edge


class WithoutHeads(NamedTuple):
    """Pages without running heads and page numbers."""

    pages: list[Page]
    furniture: list[Furniture]  # what was removed
    doubtful: list[Line]  # lines that look like heads, and were left in since they may be text


class _Slot(NamedTuple):
    """The height and size of lines at the edges of pages, and what they are by themselves."""

    y: float
    size: float
    is_head: bool
    is_body: bool


@dataclass(frozen=True, slots=True)
class _Book:
    """What the edges of all pages show."""

    body_size: float
    is_short: bool  # whether it has too few pages to repeat a head
    n_pages: Counter[_Key]  # the number of pages on which each key occurs
    slots: Mapping[bool, Counter[_Slot]]  # lines at each place, at the top (True) and at the foot (False)
    home_pages: Mapping[str, frozenset[int]]  # as `_home_pages` returns it


class _Edges(NamedTuple):
    """The lines at the edges of a page, and what there is to judge them by."""

    page: Page
    lines: Sequence[_EdgeLine]
    labels: Mapping[bool, str]  # the numbers at the top (True) and at the foot that count with the pages
    book: _Book


def separate_running_heads(
    pages: Sequence[Page], body_size: float, names: Iterable[str] = (), outline: Iterable[OutlineEntry] = ()
) -> WithoutHeads:
    """Return the pages without running heads and page numbers, and the lines removed.

    If all lines would be removed, none are: pages that are the same throughout have no heads. Lines whose
    words occur nowhere else stay if there are many of them.

    Args:
        names: the book's title and authors; a head with one of them, or with a title of the outline, need not
            be repeated.
        outline: empty if the file has none.
    """
    edge_lines = [[*_edge_lines(page, body_size)] for page in pages]
    n_pages = Counter(key for heads in edge_lines for key in {key for head in heads for key in head.keys})
    book = _Book(
        body_size=body_size,
        is_short=len(pages) < _MIN_PAGES,
        n_pages=n_pages,
        slots=_count_slots(pages, edge_lines, n_pages, body_size),
        home_pages=_home_pages(pages, names, outline),
    )
    watermarks = _watermarks(pages, body_size)
    remaining: list[Page] = []
    removed: list[Furniture] = []
    for page, candidates in zip(pages, edge_lines, strict=True):
        heads = _find_heads(_Edges(page, candidates, _labels_at(candidates, n_pages), book))
        text = without_lines(page, [head.line for head in heads])
        stamps = [
            line
            for line in text.lines
            if is_stamp(line, page) or (watermarks and (line.text, round(line.y)) in watermarks)
        ]
        for head in heads:
            is_number = PAGE_NUMBER.fullmatch(head.line.text) is not None
            removed.append(Furniture(head.line, is_number, _printed_label(head, n_pages)))
        removed += [Furniture(line, False) for line in stamps]
        remaining.append(without_lines(text, stamps))
    if not any(page.lines for page in remaining):
        return WithoutHeads([*pages], [], [])  # copies of a form repeat each other, and are text all the same
    doubtful = _lone_lines([entry.line for entry in removed], remaining)
    if not doubtful:
        return WithoutHeads(remaining, removed, [])
    doubtful_ids = set(map(id, doubtful))
    removed = [entry for entry in removed if id(entry.line) not in doubtful_ids]
    gone = [entry.line for entry in removed]
    return WithoutHeads([without_lines(page, gone) for page in pages], removed, doubtful)


def _find_heads(edges: _Edges) -> list[_EdgeLine]:
    """Return the lines at the edges of a page that are heads, and not text for another reason."""
    heads = [
        head
        for head in edges.lines
        if any(is_head(head, edges) for is_head in _HEAD_IF)
        and not any(is_text(head, edges) for is_text in _TEXT_IF)
    ]
    text = without_lines(edges.page, [head.line for head in heads]).lines
    return [head for head in heads if not _is_count_below_title(head, text, edges.book)]


def _lone_lines(heads: Sequence[Line], remaining: Sequence[Page]) -> list[Line]:
    """Return those of the removed lines that have words of their own, if there are too many such words."""
    # Words of real heads occur in other heads, or in the text.
    n_lines = Counter(word for line in heads for word in {*_words_of(line)})
    max_lone = _MAX_LONE_WORDS * len({line.page for line in heads})
    if len(remaining) < _MIN_BOOK or len(n_lines) <= max_lone:  # the usual case
        return []
    lone = n_lines.keys() - {word for page in remaining for line in page.lines for word in _words_of(line)}
    if len(lone) <= max_lone:
        return []
    return [line for line in heads if any(word in lone and n_lines[word] == 1 for word in _words_of(line))]


def _words_of(line: Line) -> list[str]:
    return _WORD.findall(line.text.casefold())


def labels_of(pages: Sequence[Page], furniture: Iterable[Furniture]) -> list[str | None]:
    """Return the label of each page: the file's own, or the number printed on it.

    The file's own count if they are numbers, and agree with most printed ones.

    A page without a printed number, such as the first one of a chapter, has the number between those of its
    neighbours. Numbers that are those of the file's pages are no labels.
    """
    own = [page.label and _number_in(page.label) for page in pages]
    printed = {entry.line.page: entry.label for entry in furniture if entry.label}
    both = [(own[i], label) for i, label in printed.items() if own[i] and label.isdecimal()]
    n_wrong = sum(label != number for number, label in both)
    counts_file = all(
        label == str(i + 1) for i, label in printed.items() if label.isdecimal() or not any(own)
    )
    agrees = any(own) and (n_wrong < _MIN_PAGES or 2 * n_wrong <= len(both))
    if counts_file or agrees:
        return [number or page.label for number, page in zip(own, pages, strict=True)]
    offsets = {i: int(label) - i for i, label in printed.items() if label.isdecimal()}  # from index to number
    for before, after in pairwise(sorted(offsets)):
        if offsets[before] == offsets[after]:
            printed |= {i: str(i + offsets[before]) for i in range(before + 1, after)}
    if any(page.label for page in pages) and len(set(offsets.values())) == 1:
        first = min(offsets)  # the page before it, as the first of an article, has no head
        printed |= {i: str(i + offsets[first]) for i in range(max(first - 1, 0), first) if pages[i].lines}
    return [printed.get(i) for i in range(len(pages))]


def _number_in(label: str) -> str | None:
    """Return the number of a page in a label of the file: "219" for "p. [219]", none for "image 3"."""
    match = _LABEL.fullmatch(label)
    return match[1] if match else None


def _printed_label(head: _EdgeLine, n_pages: Counter[_Key]) -> str:
    """Return the number in a line that counts with the pages, as printed; empty if none does."""
    return next((label for key, label in head.keys.items() if label and n_pages[key] >= _MIN_PAGES), "")


def _labels_at(lines: Iterable[_EdgeLine], n_pages: Counter[_Key]) -> dict[bool, str]:
    return {head.at_top: label for head in lines if (label := _printed_label(head, n_pages))}


def _is_number_as_title(head: _EdgeLine, edges: _Edges) -> bool:
    """Return whether a number above the text is its title, on a page with another number, its folio, below.

    Titles of fables, sonnets and annals may count with the pages: in larger type than the text or bold, in
    Roman capitals, years, or dates.
    """
    if not head.at_top or len(edges.labels) < 2:
        return False
    folio = edges.labels[False]
    if edges.labels[True] != folio and _COUNTED.fullmatch(head.line.text):
        return True
    text, is_large = head.line.text.strip(" .[]()"), head.line.size > _LARGER * edges.book.body_size
    is_other_kind = text.isdecimal() is not folio.isdecimal() and text.isupper()
    is_year = len(text) == 4 > len(folio)
    return text.isalnum() and (is_large or head.line.bold or is_other_kind or is_year)


def _is_many_times_on_page(head: _EdgeLine, edges: _Edges) -> bool:
    """Return whether words are repeated on the page itself, as titles of offices are under names."""
    n_same = sum(line.text == head.line.text for line in edges.page.lines)
    return n_same >= _MIN_SAME and bool(_words_of(head.line))


def _is_count_below_title(head: _EdgeLine, text: Iterable[Line], book: _Book) -> bool:
    """Return whether words with a number stand below a title, as "Serves 4" does: heads are above titles."""
    if not head.at_top or not _printed_label(head, book.n_pages) or PAGE_NUMBER.fullmatch(head.line.text):
        return False
    return any(
        line.y > head.line.y + line.size  # y grows upwards
        and (line.bold or line.size > _MAX_SIZE * book.body_size)
        for line in text
    )


def _is_repeated(head: _EdgeLine, n_pages: Counter[_Key]) -> bool:
    """Return whether a line is repeated on enough pages; `n_pages` has the number of pages of each key."""
    return any(n_pages[key] >= _MIN_PAGES for key in head.keys)


def _count_slots(
    pages: Sequence[Page], edge_lines: Sequence[Sequence[_EdgeLine]], n_pages: Counter[_Key], body_size: float
) -> dict[bool, Counter[_Slot]]:
    """Return how many lines are at each place, at the top (True) and at the foot (False)."""
    # The heads of a book are at few places; each is that of a line which is repeated, or small and apart.
    slots: dict[bool, Counter[_Slot]] = {True: Counter(), False: Counter()}
    for page, candidates in zip(pages, edge_lines, strict=True):
        for head in candidates:
            is_head = _is_repeated(head, n_pages) or _is_apart_from_text(head, page, body_size)
            slots[head.at_top][_Slot(round(head.line.y, 1), head.line.size, is_head, head.is_body)] += 1
    return slots


def _home_pages(
    pages: Sequence[Page], names: Iterable[str], outline: Iterable[OutlineEntry]
) -> Mapping[str, frozenset[int]]:
    """Return the indexes of the pages where each title is a title, by the title as heads may print it."""
    # A name is one on the first page with it, and a title of the outline where its section begins. Names that
    # are on no page are left out. Heads print titles as they are or in capitals.
    home_pages: dict[str, set[int]] = {name: set() for name in names if name}
    for index, page in enumerate(pages):
        missing_names = [name for name, home in home_pages.items() if not home]
        if not missing_names:
            break
        text = " ".join(line.text for line in page.lines).casefold()
        for name in missing_names:
            if name.casefold() in text:
                home_pages[name].add(index)
    for entry in outline:
        home_pages.setdefault(entry.title, set()).add(entry.page)
    as_printed = [(printed, home) for name, home in home_pages.items() for printed in (name, name.upper())]
    return {printed: frozenset(home) for printed, home in as_printed if home}


def _repeats_title(head: _EdgeLine, edges: _Edges) -> bool:
    """Return whether a line repeats a title, perhaps with a page number, on a page after the title's own."""
    # Case matters: a chapter "Home" may end with a line "home".
    text, home_pages = " ".join(head.line.text.split()), edges.book.home_pages
    title_pages = home_pages.get(text) or home_pages.get(_FOLIO.sub("", text))
    if not title_pages:
        return False
    return head.line.page > min(title_pages) and head.line.page not in title_pages


def _is_page_number(head: _EdgeLine, edges: _Edges) -> bool:
    """Return whether a line is the page's number, apart from other lines."""
    # It need not be repeated, as a file of one or two pages repeats nothing; but beside a number that counts
    # with the pages, another one is that of a chapter.
    line, page = head.line, edges.page
    match = PAGE_NUMBER.fullmatch(line.text)
    if edges.labels or match is None or match["number"] not in (page.label, str(page.index + 1)):
        return False
    return all(abs(line.y - other.y) > 2 * line.size for other in page.lines if other is not line)


def _is_numbered_head(head: _EdgeLine, edges: _Edges) -> bool:
    """Return whether the top row of a short scan, apart from the text, has words and the number of a page."""
    page = edges.page
    if not edges.book.is_short or not page.text_layer:
        return False
    row = [line.text for line in page.lines if abs(line.y - head.line.y) < line.size / 2]
    return bool(_HEAD.fullmatch(" ".join(row))) and _is_apart(head, page, edges.book.body_size)


def _is_apart_from_text(head: _EdgeLine, page: Page, body_size: float) -> bool:
    """Return whether a line is small type at the top of a scan, apart from the text."""
    # On scans, repeated heads may be misread, and then have no key in common.
    line = head.line
    is_scan = page.text_layer or page.confidence is not None
    return is_scan and line.size <= _MAX_HEAD_SIZE * body_size and _is_apart(head, page, body_size)


def _is_apart(head: _EdgeLine, page: Page, body_size: float) -> bool:
    """Return whether a line at the top is further from the next line than lines of text are."""
    line = head.line
    below = max((other.y for other in page.lines if line.y - other.y > line.size / 2), default=0.0)
    return head.at_top and line.y - below > _MIN_DISTANCE * body_size


def _is_repeated_head(head: _EdgeLine, edges: _Edges) -> bool:
    """Return whether a line is repeated, or at a place where most lines are."""
    # The place recognises the head of a short chapter, which is printed only once, unless it is text.
    slots, n_pages = edges.book.slots[head.at_top], edges.book.n_pages
    y, size, outwards = head.line.y, head.line.size, 1 if head.at_top else -1
    near = _slots_near(head.line, slots)
    n_heads = sum(n for slot, n in near if slot.is_head)
    n_body = sum(n for slot, n in near if slot.is_body and not slot.is_head)
    is_place = n_heads > max(n_body, _MIN_HEADS * sum(n for _, n in near))
    outer = [  # repeated ones
        other.line
        for other in edges.lines
        if other.at_top is head.at_top
        and (other.line.y - y) * outwards > size / 2
        and _is_repeated(other, n_pages)
    ]
    if head.is_third and len({round(line.y) for line in outer}) < _EDGE_LINES - 1:
        return False
    n_outer = [sum(n for _, n in _slots_near(line, slots)) for line in outer]
    if _is_repeated(head, n_pages):
        # A second row of heads is on about as many pages as the first, and so is a third.
        min_share = _MIN_THIRD if head.is_third else _MIN_HEADS
        return (is_place or not head.is_body) and n_heads > min_share * max(n_outer, default=0)
    return is_place and n_heads >= _MIN_PAGES and not head.runs_on and not n_outer


_HEAD_IF = (_is_repeated_head, _is_page_number, _repeats_title, _is_numbered_head)
"""Each makes a line at the edge a head…"""
_TEXT_IF = (_is_number_as_title, _is_many_times_on_page)  # … unless one of these makes it text


def _slots_near(line: Line, slots: Counter[_Slot]) -> list[tuple[_Slot, int]]:
    """Return the slots at the height of a line, in its size, with the number of lines in each."""
    return [
        (slot, n)
        for slot, n in slots.items()
        if abs(slot.y - line.y) <= _SAME_HEIGHT * line.size
        and abs(slot.size - line.size) <= _SAME_SIZE * line.size
    ]


def _edge_lines(page: Page, body_size: float) -> Iterator[_EdgeLine]:
    """Yield the outermost lines at the top and the foot of a page, except large type, which is a heading."""
    heights = [round(line.y) for line in page.lines]
    ascending = sorted(set(heights))
    inner = {True: ascending[-_EDGE_LINES - 2 :], False: ascending[: _EDGE_LINES + 2]}
    width = max([line.x1 for line in page.lines], default=0) - min(
        [line.x0 for line in page.lines], default=0
    )
    tops, feet = _edge_rows(ascending[::-1]), _edge_rows(ascending)
    for line, height in zip(page.lines, heights, strict=True):
        if height not in tops and height not in feet and not _is_number_beside_text(line, page):
            continue
        is_number = PAGE_NUMBER.fullmatch(line.text) is not None
        # In a layer, lines of capitals and figures seem large.
        max_size = _MAX_NUMBER_SIZE if is_number or page.text_layer else _MAX_SIZE
        if line.size <= max_size * body_size:
            # On a page of few lines, a line may be among the first and the last.
            is_at_both = height in tops and height in feet
            top = line.y >= page.height / 2 if is_at_both else height in tops
            place = _SAME_PLACE * body_size * (_SCANNED if page.text_layer else 1)
            edge = "top" if top else "foot"
            keys = dict(_head_keys(line, edge, round(line.y / place), page.index, body_size))
            if line.text[-1:].isdecimal() and (first := _first_of_two(line, page)):
                keys[_Key(edge, None, None, first - 2 * page.index, "openings")] = ""
            is_body = not is_number and _is_body(line, inner[top])
            is_full = line.x1 - line.x0 > _FULL * width
            is_part = is_full or line.text[:1].islower() or line.text.endswith(HYPHENS)
            is_third = height in (tops if top else feet)[_EDGE_LINES - 1 :]
            if is_third:  # a note may be there, and on other pages in the second row
                keys = {key._replace(is_third=True): label for key, label in keys.items()}
            yield _EdgeLine(line, top, keys, is_body, is_body and is_part, is_third)


def _edge_rows(heights: Sequence[int]) -> Sequence[int]:
    """Return the heights, from the edge inwards, that may be those of heads."""
    # Three rows are heads only if the third is closer to the second than to the text.
    distances = [abs(row - following) for row, following in pairwise(heights[: _EDGE_LINES + 1])]
    has_third = len(distances) == _EDGE_LINES and distances[-2] < distances[-1]
    return heights[: _EDGE_LINES if has_third else _EDGE_LINES - 1]


def _is_body(line: Line, heights: Iterable[int]) -> bool:
    """Return whether a line at the edge of a page is at the distance of lines of text from another one."""
    # `heights`: those of the lines near that edge.
    return any(line.size / 2 < abs(line.y - y) <= _MAX_LEADING * line.size for y in heights)


def _watermarks(pages: Sequence[Page], body_size: float) -> set[tuple[str, int]]:
    """Return the text and the height of words that are drawn over lines of text on enough pages."""
    large = ((page, line) for page in pages for line in page.lines if line.size > _MIN_STAMP_SIZE * body_size)
    n_pages = Counter((line.text, round(line.y)) for page, line in large if _is_over_text(line, page))
    return {key for key, n in n_pages.items() if n >= _MIN_PAGES}


def _is_over_text(line: Line, page: Page) -> bool:
    bottom, top = line.extent
    n_covered = sum(
        bottom < other.y < top and line.x0 < other.x1 and other.x0 < line.x1 for other in page.lines
    )
    return n_covered > _MIN_COVERED and len(line.text) > 1  # with itself; one letter may be a drop cap


def _first_of_two(line: Line, page: Page) -> int:
    """Return the first of the numbers of two pages of a book that are on one page of the file; 0 if not."""
    row = " ".join(other.text for other in page.lines if other.y == line.y)
    match = _TWO_PAGES.fullmatch(row)
    return int(match[1]) if match and int(match[2]) == int(match[1]) + 1 else 0


def _is_number_beside_text(line: Line, page: Page) -> bool:
    """Return whether a line is a number in the margin, left or right of all other lines."""
    if len(line.text) > _MAX_NUMBER_BESIDE:
        return False
    is_left = all(line.x1 < other.x0 for other in page.lines if other is not line)
    is_beside = is_left or all(other.x1 < line.x0 for other in page.lines if other is not line)
    return is_beside and PAGE_NUMBER.fullmatch(line.text) is not None


def _head_keys(
    line: Line, edge: str, height: int, index: int, body_size: float
) -> Iterator[tuple[_Key, str]]:
    """Yield the keys of a line at the edge of a page, each with the number in it as printed, if any."""
    text = " ".join(line.text.split())
    yield _Key(edge, height, text), ""
    if line.turn == 3 and line.size <= _MAX_HEAD_SIZE * body_size:  # beside columns, in the outer margin
        yield _Key("beside", None, text), ""
    # As guide words, with the number between them; Chinese letters are as wide as that.
    is_spread = line.character_width > _WIDE * line.size and max(text, default="") < "\u2e80"
    numbers = [*_NUMBER.finditer(text)]
    for match in numbers:
        number, before, after = match.group(), text[: match.start()], text[match.end() :]
        is_inside = bool(before and after)
        # Within a sentence, as in a note that names a year, a number may count by chance.
        is_set_off = _SET_OFF.search(before) or _BEFORE_TOTAL.match(after)
        if is_inside and not (is_set_off or is_spread or PAGE_NUMBER.fullmatch(text)):
            continue
        # "Chapter 3" on three pages in a row counts chapters; a page number keeps its distance to the index.
        distance = numeral_value(number.rstrip("rv") if number[0].isdigit() else number) - index
        word = f"{before.rpartition(' ')[2]}{number}{after.partition(' ')[0]}"
        yield (
            _Key(edge, height, f"{before}#{after}", distance),
            word if _WITH_CHAPTER.fullmatch(word) else number,
        )
        if len(numbers) > 1:  # which all may count, as on the stamps of courts
            yield _Key(edge, height, _NUMBER.sub("#", text), distance), ""
        if number[0].isdigit() and number[-1] in "rv":  # the front or the back of a leaf: 7r, 7v, 8r
            yield _Key(edge, height, None, 2 * distance + index + (number[-1] == "v"), "leaves"), number
        # Next to a page number, the title may change. At the foot, or before a full stop, the number may be a
        # note's.
        is_at_end = not is_inside or is_spread
        is_a_word = before[-1:] in ("", " ") and after[:1] in ("", " ")
        if is_at_end and edge == "top" and number.isdigit() and is_a_word:
            yield _Key(edge, height, None, distance), number
