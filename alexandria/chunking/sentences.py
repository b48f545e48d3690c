"""Splits a book into sentences: spans of its text that never cross a block and leave out no word.

`split` is the entry; `_split_default` is our own splitter, `_split_as_specified` that of the specification.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from alexandria.book.model import Block, BlockKind, Book, Sentence, count_words, word_starts
from alexandria.book.word_lists import read_word_sets
from alexandria.errors import ConfigError

Spans = list[tuple[int, int]]
"""Half-open spans of one text: ascending, stripped, together covering all but white space."""
FindStarts = Callable[[str, str | None], list[int]]
"""Returns the offsets at which sentences after the first begin, given a text and its language (BCP 47)."""

# Headings, code and tables are one sentence each, whatever full stops they contain.
_UNSPLIT_KINDS = frozenset({BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE})
# Lines have a meaning here: a sentence that is too long is preferably cut between lines.
_LINE_KINDS = frozenset({BlockKind.CODE, BlockKind.TABLE, BlockKind.VERSE})


def split(book: Book, *, splitter: str = "default", max_words: int = 1200) -> tuple[Sentence, ...]:
    """Return the sentences of a book, in order; each character that is not white space is in exactly one.

    A heading, a code block and a table are one sentence each; in verse, a sentence may span several lines.

    Args:
        splitter: a name in `SPLITTERS`.
        max_words: a longer sentence is cut into as few parts of about equal length as possible: at clause
            marks, in code, tables and verse at line ends, otherwise between words. At least 1.

    Raises:
        ConfigError: there is no such splitter, its package is missing, or the cap is below 1.
    """
    if splitter not in SPLITTERS:
        raise ConfigError(
            f"unknown sentence splitter {splitter!r}", fix=f"choose one of {', '.join(SPLITTERS)}"
        )
    if max_words < 1:
        raise ConfigError(
            f"max_words cannot be {max_words}", why="a sentence has a word or more", fix="set it to 1 or more"
        )
    require_splitter(splitter)
    find_spans = SPLITTERS[splitter]
    if splitter in EXTRA_SPLITTERS:
        find_spans = partial(_split_with, EXTRA_SPLITTERS[splitter], language=book.language)
    sentences = []
    n_blocks = 0
    for n_section, section in enumerate(book.sections):
        for n_block, block in enumerate(section.blocks, start=n_blocks):
            for start, end in _block_spans(block, find_spans, max_words):
                sentence = Sentence(block.start + start, block.start + end, section=n_section, block=n_block)
                sentences.append(sentence)
        n_blocks += len(section.blocks)
    return tuple(sentences)


def _block_spans(block: Block, splitter: Callable[[str], Spans], max_words: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a block's sentences, none of which exceeds the cap."""
    spans = _spans_between([], block.text) if block.kind in _UNSPLIT_KINDS else splitter(block.text)
    for start, end in spans:
        # A word has at least one character: words are counted only in long sentences.
        if end - start <= max_words or count_words(block.text[start:end]) <= max_words:
            yield start, end
        else:
            mark = _LINE_END if block.kind in _LINE_KINDS else _CLAUSE_MARK
            yield from _split_long(block.text, start, end, max_words, mark)


# --- sentences too long ---------------------------------------------------------------------------

_CLAUSE_MARK = re.compile(r"[;:,—–、，；：،؛](?=\s*\Z)|--(?=\s*\Z)")
_LINE_END = re.compile(r"\n\s*\Z")


def _split_long(
    text: str, start: int, end: int, max_words: int, mark: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """Yield spans of at most `max_words` words each: as few as possible, of about equal length."""
    # `end`: the sentence's end.
    # `max_words`: the most words in a part.
    # `mark`: matches the end of a word and the space after it where a cut is preferred.
    offsets = word_starts(text[start:end]) + start  # of each word
    n_words = len(offsets)
    n_parts = -(-n_words // max_words)  # rounded up
    # A quarter of a part: far enough to meet a clause mark, near enough to keep the parts alike.
    leeway = n_words // n_parts // 4
    cut = 0  # as a number of words
    cuts = []
    for i in range(1, n_parts):
        even_cut = i * n_words // n_parts
        # The words before the cut must fit into one part, those after it into the remaining parts.
        latest = cut + max_words
        earliest = n_words - (n_parts - i) * max_words
        allowed = range(max(earliest, even_cut - leeway), min(latest, even_cut + leeway) + 1)
        at_marks = (n for n in allowed if mark.search(text, int(offsets[n - 1]), int(offsets[n])))
        cut = min(at_marks, key=lambda n: abs(n - even_cut), default=min(even_cut, latest))
        cuts.append(int(offsets[cut]))
    yield from _spans_between(cuts, text[:end], start)


def _spans_between(cuts: list[int], text: str, start: int = 0) -> Spans:
    """Return the spans of the text between the cuts, stripped of white space; empty spans are dropped."""
    spans = []
    for left, right in pairwise((start, *cuts, len(text))):
        inner = text[left:right]
        left += len(inner) - len(inner.lstrip())
        right = left + len(inner.strip())
        if right > left:
            spans.append((left, right))
    return spans


# --- the splitter of the specification ------------------------------------------------------------

_SPECIFIED_GAP = re.compile(r"(?<=[.!?])\s+")


def _split_as_specified(text: str) -> Spans:
    """Split after every `.`, `!` and `?` that is followed by white space."""
    # A piece of at most two characters ("A.") is not a sentence; it joins the one before, or else the next.
    spans = _spans_between([gap.end() for gap in _SPECIFIED_GAP.finditer(text)], text)
    return _join_fragments(spans, lambda start, end: end - start <= 2)


def _join_fragments(spans: Spans, is_fragment: Callable[[int, int], bool]) -> Spans:
    """Return the spans with each fragment joined to the span before it, or to the next if it is the first."""
    joined: Spans = []
    for start, end in spans:
        if joined and (is_fragment(start, end) or is_fragment(*joined[-1])):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


# --- our own splitter -----------------------------------------------------------------------------

# Full stops and question marks of many scripts. Burmese, Khmer and Tibetan write no space between words, and
# need none after their marks.
_UNSPACED_MARKS = "။។៕།༎༏༑"
_MARKS = f".!?…‽⁇⁈⁉‼؟۔։׃।॥෴።፧፨᠃᠉{_UNSPACED_MARKS}"
_GREEK_QUESTION_MARKS = ";\u037e"


def _stop_pattern(marks: str) -> re.Pattern[str]:
    """Return a pattern for a mark that may end a sentence, and what closes after it: quotes, note marks."""
    # A mark is followed by a space. Not in Chinese and its like, but for ។ in ។ល។, Khmer for “and so on”. Two
    # word dividers are a full stop in Ethiopic.
    # Without the look-behind and the possessive quantifiers, a line of dots would take quadratic time.
    return re.compile(
        rf"""
        (?<![{marks}]) (?P<mark> [{marks}]++ | ፡፡ )
        (?P<tail>
            (?>(?: ["'”’»«“‘›‹)\]}}_*†‡¹²³⁰⁴-⁹] | \[(?:\d{{1,4}}|\*)\] | \{{\d{{1,4}}\}} | [ ]»(?!\S) )*)
        )
        (?: (?=\s) | (?<=[{_UNSPACED_MARKS}])(?=\w)(?!ល។) )
        | [。！？｡．]++ (?P<inner> [」』”’）》〉】]*+ )
        """,
        re.VERBOSE,
    )


_STOP = _stop_pattern(_MARKS)
_GREEK_STOP = _stop_pattern(_MARKS + _GREEK_QUESTION_MARKS)
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_VERSE_NUMBER = re.compile(r"\s*\d+\s*[।॥]")  # the number of a verse between its last two marks: ॥ १२ ॥
# The word that begins the next sentence, after any opening marks; 24 letters are enough to recognise it.
_FOLLOWING = re.compile(r"\s*+(?>(?:[\"'“”‘’„‚«»‹›「『（(\[{_*¿¡§—–-]++\s*+)*)(\w{0,24})")
# The word before a full stop, with what belongs to it: `e.g`, `z. B`, `J. S`, `1,000`.
_TOKEN = re.compile(r"(?:(?<!\w)[^\W\d_]\.[ ]?)*(?:[^\W_]|(?<=\d),(?=\d)|(?<=\w)\.(?=\w))+\Z")
_TOKEN_REACH = 32  # characters before a full stop that are looked at; longer than any abbreviation
# The word before a token.
_BEFORE = re.compile(r"([^\W\d_]+)[\s_]+\Z")


_ATTRIBUTION = re.compile(
    r"[^。！？，、：；…“”「」『』\s]{0,8}(?:[说說道问問喊叫答笑想曰云嚷骂罵吼应應念]|低语|低語)[着著了道过]?(?=[。，：！]|\Z)"
)  # who speaks, after a quotation in Chinese: “…。”他说。
_TITLE_REACH = 40  # characters before a mark in which the title 《…》 that it belongs to may begin


def _split_default(text: str) -> Spans:
    """Split where a reader would; closing quotes and note marks stay with their sentence."""
    # Abbreviations, initials, ordinals and ellipses do not end a sentence, nor does any mark before a
    # lower-case letter (`"Stop!" he cried.`), unless the whole text is in lower case.
    all_lower = text.islower()
    pattern = _GREEK_STOP if _is_greek(text) else _STOP
    cuts = [stop.end() for stop in pattern.finditer(text) if _ends_sentence(text, stop, all_lower=all_lower)]
    spans = _spans_between(cuts, text)
    return _join_fragments(spans, lambda start, end: not any(map(str.isalnum, text[start:end])))


def _is_greek(text: str) -> bool:
    """Return whether most letters of a text are Greek: its semicolons are question marks."""
    if text.isascii() or not any(mark in text for mark in _GREEK_QUESTION_MARKS):
        return False
    return 2 * len(_GREEK.findall(text)) > sum(map(str.isalpha, text))


def _ends_east_asian_sentence(text: str, stop: re.Match[str]) -> bool:
    """Return whether a full-width mark ends a sentence: not in a title or a number, nor before who speaks."""
    following = text[stop.end() : stop.end() + 1]
    before = text[max(0, stop.start() - _TITLE_REACH) : stop.start()]
    if before.rfind("《") > before.rfind("》"):
        return False  # 《摔跤吧！爸爸》
    if stop[0] == "．" and before[-1:].isdigit() and following.isdigit():
        return False  # 3．14
    # In Japanese the sentence may continue after a quotation: 「…。」と言った.
    if not stop["inner"]:
        return True
    return not (following in "とっ、，" or _ATTRIBUTION.match(text, stop.end()))


def _ends_sentence(text: str, stop: re.Match[str], *, all_lower: bool) -> bool:
    """Return whether a match of `_STOP` ends a sentence, by the words before and after it."""
    following = _FOLLOWING.match(text, stop.end())
    word = following[1] if following else ""
    if stop["mark"] is None:  # a full-width mark: no space follows, and letters have no case
        return _ends_east_asian_sentence(text, stop)
    if not word:
        # ". . ." is one ellipsis; after it, a bracket or comma continues the sentence.
        return following is None or text[following.end() : following.end() + 1] not in ".,;:!?…)"
    if word[0].islower() and not all_lower:
        return False
    if stop["mark"] in "।॥" and _VERSE_NUMBER.match(text, stop.end()):
        return False
    is_spaced_dot = stop["mark"] == "." and text[max(0, stop.start() - 1) : stop.start()].isspace()
    if is_spaced_dot or stop["mark"] in {"…", "..", "..."}:
        return word != "I"  # "but... I do not know"
    if stop["mark"] == "." and not stop["tail"].strip("_*"):  # nothing but marks of emphasis follows it
        return not _is_abbreviation(text, stop, word)
    return True


def _is_abbreviation(text: str, stop: re.Match[str], word: str) -> bool:
    """Return whether a full stop belongs to the word before it, although a capital or digit follows."""
    # `stop`: the match of `_STOP` at the full stop.
    before = text[max(0, stop.start() - _TOKEN_REACH) : stop.start()]
    last_word = before.rpartition(" ")[2]
    is_plain_word = last_word.isalpha() and last_word.islower() and last_word not in _WORDS_WITH_STOPS
    if is_plain_word and not _ROMAN.fullmatch(last_word):
        return False  # the fast path, for nearly all full stops
    token = _TOKEN.search(before)
    if token is None:
        return False
    name = token[0].replace(" ", "")
    previous_mark = before[: token.start()].rstrip(" \n_*([")[-1:]
    if _is_enumerator(name) and previous_mark in _BEFORE_ENUMERATORS:
        return True  # "1. The first. 2. The second."
    if name.casefold() in _ABBREVIATIONS:
        return True
    if name.casefold() in _BEFORE_NUMBERS and _NUMBER.fullmatch(word) and not before.endswith("et al"):
        return True
    if name in _LAW_REPORTS and (word in _LAW_REPORTS or (_NUMBER.fullmatch(word) and word != "I")):
        return True
    if _COURT.search(before) and _YEAR.match(text, stop.end()):
        return True
    if name in _BEFORE_STATUTES and _STATUTE.fullmatch(word):
        return True
    if not name.isdigit() and name != "I":
        # Initials and "U.S." do not end a sentence, unless what follows is unlikely to be a name.
        return (len(name) == 1 or "." in name) and word not in _STARTERS
    previous = _BEFORE.search(before[: token.start()])
    if name.isdigit():
        is_ordinal = previous is not None and previous[1].casefold() in _BEFORE_ORDINALS
        return len(name) <= _MAX_DIGITS and word not in _STARTERS and (is_ordinal or word in _MONTHS)
    # What is left is "I": "Charles I. Stuart", but "So did I."
    return word not in _STARTERS and not (previous is not None and previous[1].islower())


_BEFORE_ENUMERATORS = ("", ".", "!", "?", ":", ";")  # "": the block begins
_MAX_DIGITS = 3
"""Digits of an ordinal or of a number in an enumeration: a year has four, and may end a sentence."""


def _is_enumerator(name: str) -> bool:
    """Return whether a word before a full stop may number an item: `a.`, `12.`, `iv.`"""
    is_number = name.isdigit() and len(name) <= _MAX_DIGITS
    return len(name) == 1 or is_number or _ROMAN.fullmatch(name) is not None


_ROMAN = re.compile(r"[IVXLCDM]+|[ivxlcdm]+")
_NUMBER = re.compile(r"\d\w*|[IVXLCDM]+|[ivxlcdm]+|[B-HJ-NP-XZ]")
"""A number or a letter that numbers: "art. R. 4127-1"; a lone A, I or O is rather a word."""
_COURT = re.compile(r"\((?:[A-Z0-9][\w.'’]*\s+)*[A-Z][\w.'’]*\Z")
_YEAR = re.compile(r"\s+\d{4}\)")  # the year of a judgment, after its court: (2d Cir. 1994).
_STATUTE = re.compile(r"\w*[A-Z]\w*[A-Z]|Art")
"""What German statutes are called for short, "§§ 433 ff. BGB" (two capitals or more), or "Art. 5"."""


_WORDS = read_word_sets(Path(__file__).with_suffix(".txt"))
_ABBREVIATIONS = _WORDS["abbreviations"]
"""Words whose full stop does not end a sentence even before a capital. Words that often end a sentence
("etc.", "Jr.", "usw.") are not listed: before a lower-case letter, none ends anyway."""
_BEFORE_NUMBERS = _WORDS["before numbers"]
"""Words that are abbreviations only before a number: "No. 5", but "No. He left"."""
_LAW_REPORTS = _WORDS["law reports"]
"""Courts, statutes and reports of American law: abbreviations before a number and before one another."""
_BEFORE_STATUTES = _WORDS["before statutes"]
_WORDS_WITH_STOPS = _ABBREVIATIONS | _BEFORE_NUMBERS | _BEFORE_STATUTES | {*"abcdefghijklmnopqrstuvwxyz"}
"""The words above and single letters: after any other lower-case word, a full stop ends the sentence."""
_BEFORE_ORDINALS, _MONTHS = _WORDS["before ordinals"], _WORDS["months"]
"""German: "am 3. März", "im 19. Jahrhundert"."""
_STARTERS = _WORDS["starters"]  # words that begin sentences and hardly ever names


def _split_with(find_starts: FindStarts, text: str, *, language: str | None) -> Spans:
    """Split where another package would; a piece without a letter or digit joins its neighbour."""
    spans = _spans_between(find_starts(text, language), text)
    return _join_fragments(spans, lambda start, end: not any(map(str.isalnum, text[start:end])))


def require_splitter(name: str) -> None:
    """Make sure that the package of a splitter is installed; our own splitters need none.

    Raises:
        ConfigError: the package is not installed.
    """
    if name in EXTRA_SPLITTERS and find_spec(name) is None:
        raise ConfigError(
            f"cannot split sentences with {name}",
            why="the package is not installed",
            fix="pip install 'alexandria-books[sentences]', or set `sentences: default`",
        )


def _split_with_nupunkt(text: str, language: str | None) -> list[int]:
    """Return where the sentences after the first begin, as the package nupunkt finds them."""
    from nupunkt import sent_spans

    return [start for start, _ in sent_spans(text)][1:]


def _split_with_sentencex(text: str, language: str | None) -> list[int]:
    """Return where the sentences after the first begin, as the package sentencex finds them."""
    from sentencex import get_sentence_boundaries

    primary = (language or "en").partition("-")[0]
    return [int(sentence["start_index"]) for sentence in get_sentence_boundaries(primary, text)][1:]


EXTRA_SPLITTERS: Mapping[str, FindStarts] = {
    "nupunkt": _split_with_nupunkt,
    "sentencex": _split_with_sentencex,
}
"""The splitters by name. nupunkt knows only English; sentencex has rules for many languages, and keeps
quotations whole."""

SPLITTERS: Mapping[str, Callable[[str], Spans]] = {
    "default": _split_default,
    "regex": _split_as_specified,
    **{name: partial(_split_with, starts, language=None) for name, starts in EXTRA_SPLITTERS.items()},
}  # the splitters, by the name that a domain's option `sentences` takes
