"""Makes headings of paragraphs that are typed as such, in books whose markup has none.

They are the paragraphs that `divisions` knows by their words ("Chapter One"), those that count up, and short
bold or centred ones above prose, where they run through the book.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.extract import divisions
from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.tree import Document, Element, local_name, short_text_of
from alexandria.extract.runs import group_runs

_MAX_HEADING = 80  # characters of a heading; a longer paragraph is prose
_MAX_IN_A_ROW = 3  # paragraphs of a heading: number, title and subtitle; more in a row are a list
_MIN_HEADINGS = 2  # headings by their words that show how a book is divided; one may be a mention
_MIN_SET_OFF = 3  # short bold or centred paragraphs that run through a book
_MAX_SET_OFF_SHARE = 0.25  # share of such paragraphs among all: more are a way to emphasise, or a poem
_PLACES = frozenset(("html", "body", "div", "section", "article", "main", "center", "header"))
"""Elements in which a heading may be; in a list, a table or a quotation it is none."""
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)", re.I)
_CENTRED = re.compile(r"text-align\s*:\s*center", re.I)
_CENTRED_CLASS = re.compile(r"\b(?:c|center|centre|centered|centred|zentriert|centrado)\b", re.I)
_LARGE = re.compile(
    r"font-size\s*:\s*(?:(?:1\.[2-9]|[2-9])\d*r?em|(?:1[2-9]|[2-9]\d)\d%|x+-large|larger|"
    r"(?:1[4-9]|[2-9]\d)(?:\.\d+)?pt|(?:1[9]|[2-9]\d)(?:\.\d+)?px)",
    re.I,
)  # at least a fifth larger than the usual size of text
_LARGE_SIZES = ("4", "5", "6", "7", "+1", "+2", "+3")
_NO_TITLE_ENDS = (",", ";", "，", "”", '"', "»", "’")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    element: Element
    text: str | None  # None for prose, which is longer than a heading
    set_off: bool = False  # it is bold, centred, large or in capitals

    @property
    def is_title(self) -> bool:
        """Whether it may be a title without a number."""
        return self.set_off and self.is_no_sentence

    @property
    def is_no_sentence(self) -> bool:
        """Whether it is short, and does not end as a sentence does."""
        text = self.text or ""
        ends_as_text = text.endswith(_NO_TITLE_ENDS) or divisions.ENDS_SENTENCE.search(text)
        return bool(text) and not ends_as_text and not divisions.STATEMENT.match(text)


def make_typed_headings(documents: Sequence[Document]) -> None:
    """Rename the paragraphs that are headings to `h1` and below, unless the documents have headings."""
    n_headings = sum(local_name(e) in HEADINGS for document in documents for e in document.root.iter("{*}*"))
    if n_headings >= _MIN_HEADINGS:
        return
    paragraphs = [paragraph for document in documents for paragraph in _paragraphs(document.root)]
    ranks = _find_headings(paragraphs)
    levels = {rank: level for level, rank in enumerate(sorted(set(ranks.values())), 1 + n_headings)}
    for i, rank in ranks.items():
        tag = str(paragraphs[i].element.tag)
        paragraphs[i].element.tag = f"{tag[: tag.rfind('}') + 1]}h{levels[rank]}"


def _paragraphs(root: Element) -> Iterator[_Paragraph]:
    """Yield the paragraphs with text in a document, in order; without the text if it cannot be a heading."""
    # Text that follows an element directly, in no element of its own, counts as such a paragraph.
    for element in root.iter("{*}p", "{*}div", "{*}center", "{*}li", "{*}td", "{*}pre"):
        if any(local_name(child) in BLOCKS for child in element):
            continue
        text = short_text_of(element, _MAX_HEADING)
        if text is None:  # longer
            yield _Paragraph(element, None)
        elif text:
            may_be_heading = all(local_name(outer) in _PLACES for outer in element.iterancestors())
            if may_be_heading and local_name(element) in ("p", "div", "center"):
                set_off = _is_centred(element) or _stands_out(element) or divisions.in_capitals(text)
                yield _Paragraph(element, text, set_off)
            else:
                yield _Paragraph(element, None)
        if _is_above_loose_text(element):
            yield _Paragraph(element, None)


def _is_above_loose_text(element: Element) -> bool:
    """Return whether text in no paragraph of its own follows an element, up to the next block."""
    following: Element | None = element
    while following is not None and not (following.tail or "").strip():
        following = following.getnext()
        if following is None or local_name(following) in BLOCKS:
            return False
        if short_text_of(following, 0) != "":
            return True
    return following is not None


def _is_centred(element: Element) -> bool:
    parent = element.getparent()
    if any(outer is not None and local_name(outer) == "center" for outer in (element, parent)):
        return True
    style, classes = element.get("style") or "", element.get("class") or ""
    is_aligned = (element.get("align") or "").lower() == "center"
    return is_aligned or bool(_CENTRED.search(style) or _CENTRED_CLASS.search(classes))


def _stands_out(element: Element) -> bool:
    """Return whether all text of a paragraph is bold or large."""
    style = element.get("style") or ""
    if local_name(element) in ("b", "strong") or element.get("size", "") in _LARGE_SIZES:
        return True
    if _BOLD.search(style) or _LARGE.search(style):
        return True
    inner = [child for child in element if isinstance(child.tag, str) and short_text_of(child, 0) != ""]
    has_own_text = any((text or "").strip() for text in (element.text, *(child.tail for child in element)))
    return bool(inner) and not has_own_text and all(map(_stands_out, inner))


def _find_headings(paragraphs: Sequence[_Paragraph]) -> dict[int, int]:
    """Return the ranks of the headings by the index of their paragraph."""
    # Headings name a division or count, are titles below such a heading, or are set off above prose.
    named = _find_divisions(paragraphs)
    headings = _find_titles_below(paragraphs, named) | named
    rank = divisions.SECTION if named else divisions.CHAPTER
    set_off = _find_titles_above_prose(paragraphs, headings, are_chapters=not named)
    return headings | dict.fromkeys(set_off, rank)


def _find_divisions(paragraphs: Sequence[_Paragraph]) -> dict[int, int]:
    """Return the ranks of the paragraphs that name a division, or count: none if they are too few."""
    by_words = {i: rank for i, p in enumerate(paragraphs) if (rank := _rank_by_words(p)) is not None}
    counting = divisions.counting_lines("." if p.text is None else p.text for p in paragraphs)
    rank_of_numbers = divisions.SECTION if divisions.CHAPTER in by_words.values() else divisions.CHAPTER
    by_number = {
        i: rank_of_numbers
        for i, p in enumerate(paragraphs)
        if p.text in counting and (p.set_off or _is_bare(p))
    }
    named = _without_lists(by_words | by_number)
    return named if len(named) >= _MIN_HEADINGS else {}


def _find_titles_below(paragraphs: Sequence[_Paragraph], named: Mapping[int, int]) -> dict[int, int]:
    """Return the ranks of the titles right below bare divisions: those set off, or all if each has one."""
    bare = [i for i in named if _is_bare(paragraphs[i]) and i + 2 < len(paragraphs)]
    below = [i + 1 for i in bare if i + 1 not in named and paragraphs[i + 1].is_no_sentence]
    all_titled = len(below) == len(bare) >= _MIN_SET_OFF
    return {i: named[i - 1] for i in below if all_titled or paragraphs[i].is_title}


def _find_titles_above_prose(
    paragraphs: Sequence[_Paragraph], headings: Mapping[int, int], *, are_chapters: bool
) -> list[int]:
    """Return the indices of titles right above prose, apart from headings: none if they are few, or many."""
    # If they are the book's chapters, no two have the same title.
    titles = [
        i
        for i, (paragraph, below) in enumerate(pairwise(paragraphs))
        if paragraph.is_title and below.text is None and headings.keys().isdisjoint((i - 1, i))
    ]
    if are_chapters:
        counts = Counter(paragraphs[i].text for i in titles)
        titles = [i for i in titles if counts[paragraphs[i].text] == 1]
    return titles if _MIN_SET_OFF <= len(titles) <= _MAX_SET_OFF_SHARE * len(paragraphs) else []


def _rank_by_words(paragraph: _Paragraph) -> int | None:
    """Return the rank of a paragraph that names a division: a bare one, one set off, or one in capitals."""
    text = paragraph.text
    if not text:
        return None
    is_named = paragraph.set_off or divisions.names_division(text)
    if division := divisions.read_division(text):
        return division.rank if division.is_bare or is_named else None
    return divisions.CHAPTER if is_named and divisions.is_part_name(text) else None


def _is_bare(paragraph: _Paragraph) -> bool:
    text = paragraph.text or ""
    division = divisions.read_division(text)
    return division.is_bare if division else len(re.findall(r"\w+", text)) == 1


def _without_lists(ranks: dict[int, int]) -> dict[int, int]:
    """Return the headings without those of which several follow each other, as in contents."""
    runs = group_runs(sorted(ranks), lambda run, i: i == run[-1] + 1)
    return {i: ranks[i] for run in runs if len(run) <= _MAX_IN_A_ROW for i in run}
