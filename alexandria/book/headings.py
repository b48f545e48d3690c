"""Which headings a reader means by a heading, its beginning, its number, or words in it."""

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache
from itertools import combinations
from pathlib import Path

from alexandria.book.patterns import pattern
from alexandria.book.word_lists import read_word_sets
from alexandria.book.words import MARKS, fold_text, spaced_letters

Levels = Sequence[Set[str]]
"""Headings of which a passage must be under one each: of the act, and of the scene."""
_AFTER_NUMBER = re.compile(r"(?<=\d)\s+(?=[^\W\d])")
_STEP = re.compile(r"\s*[›>]\s*|,\s+")
_TWO_NUMBERS = re.compile(
    r"(?:(?i:a[ck]t[eo]?|atto)\s)?([IVXLCivxlc]+|\d{1,2})(?:[.:,]\s?|\s)([IVXLCivxlc]+|\d{1,2})(?:[.:,]\s?[\d–-]+)?\.?"
)
"""An act and a scene, with or without lines."""
_SEVERAL = re.compile(
    r"([^\W\d]+?)(?:s|n|en)?\s(\d{1,3}(?:(?:, (?:[^\W\d]+ )?| [^\W\d]+ | ?[&–—-] ?)\d{1,3}\b)+)"
)  # a division, and several of its numbers
_LAST_NUMBER = re.compile(r"(?:([^\W\d]+?)\.? )?(\d{1,3})")
_SECTION_AT_END = re.compile(r"(.*\S)\s+(?:section |§ ?)?(\d+)")
_PAGE_AT_END = re.compile(r"(?<=\S), (?:in a note|(?:pp?\.|pages?) \S+(?: of the file)?)$")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_END = r"(?=[.:]?$|[.:]\s|\s?[:—–]|\s-\s)"
"""Where a heading ends, or its part before a colon, a dash or a full stop."""
_NUMBERED = pattern(
    rf"(?:(?:[^\W\d]|[{MARKS}])+\.?\s)?(\d+)\b(?!\.\d|\.?\s[^\W\d]+\s\d{{4}}$)"
    rf"|[^\W\d]+\.?\s(?!i\s)([ivxlcdm]+)\b(?!')|([ivxlcdm]+){_END}"
)  # `12 Truth`, `Chapter XII Truth` and `XII: Truth`; not `2.1 Truth`, `3 May 1911` or `What I Believe`


def headings_meant(text: str, headings: Iterable[str]) -> set[str]:
    """Return the headings that a reader means; case, accents, signs and how a number is written do not count.

    They are those that the first rule finds that finds any: `Book V`, `Book Five` and `5` mean “Book V: On
    Tides”. The headings of several books are compared together, so that a book without a Book V adds nothing
    to those that have one.
    """
    sought = heading_in_digits(text)
    wanted = _with_arabic_numbers(sought).rstrip(".: ")
    is_number = wanted.isdecimal()
    has_number = wanted[-1:].isdecimal() and (" " in wanted or sought == wanted)
    beginning = re.compile(re.escape(wanted) + (r"(?!\w|\.\d)" if has_number and not is_number else _END))
    edges = [r"\d" if edge.isdecimal() else r"\w" for edge in (wanted[:1], wanted[-1:])]
    # A bare number is not the end of a range, as in `1512–27`.
    before = rf"(?<!{edges[0]})" + (r"(?<!\d[–—-])" if is_number else "")
    words, bare = re.compile(rf"{before}{re.escape(wanted)}(?!{edges[1]})"), spaced_letters(wanted)
    numbers, place = _number_words()
    several, asked = _LAST_NUMBER.fullmatch(wanted), place.fullmatch(wanted)
    number = (asked["after"] or "") if asked else ""

    def begins(folded: str, spelled: str) -> bool:
        """Whether a heading is this, whole or up to a colon, a dash or a full stop, or has this number."""
        return bool(beginning.match(spelled)) or (is_number and _number_of(folded) == wanted)

    def has_words(folded: str, spelled: str) -> bool:
        in_letters = " " in bare and f" {bare} " in f" {spaced_letters(spelled)} "
        return in_letters or bool(words.search(spelled))

    def contains(folded: str, spelled: str) -> bool:
        """Whether a heading contains this, unless it ends in a number: a missing Book V is not Book VI."""
        return not has_number and sought in folded

    def has_several(folded: str, spelled: str) -> bool:
        return several is not None and _is_one_of(several[1] or "", int(several[2]), spelled)

    def is_unnamed(folded: str, spelled: str) -> bool:
        """Whether "Chapter 4" is "IV. Verse and Notes", which does not call itself a chapter."""
        is_named = place.match(folded) or _SEVERAL.match(spelled)
        return number.isdecimal() and not is_named and _number_of(folded) == number

    forms = {heading: (one := heading_in_digits(heading), _with_arabic_numbers(one)) for heading in headings}
    for is_meant in (begins, has_words, contains, has_several, is_unnamed) if wanted else (contains,):
        if found := {heading for heading, form in forms.items() if is_meant(*form)}:
            return found
    return headings_meant(numbers[wanted], forms) if wanted in numbers else set()


def levels_meant(text: str, headings: Iterable[str]) -> Levels:
    """Return the headings that a reader means; of a path, as `Act III › Scene I`, those of each of its parts.

    `III.i` is such a path, too. A page after it, as places are printed, is left out. Empty if the text means
    none, or a part of the path.

    Args:
        text: what was typed.
        headings: all headings, those of an act before those of its scenes.
    """
    headings = list(dict.fromkeys(headings))
    if meant := headings_meant(text, headings):
        return [meant]
    if (chapter := _PAGE_AT_END.sub("", text)) != text:
        return levels_meant(chapter, headings)
    if (numbers := _TWO_NUMBERS.fullmatch(text)) and (
        levels := _numbered_levels(numbers[1], numbers[2], headings)
    ):
        return levels
    parts = [part for part in _STEP.split(text) if part]
    if len(parts) == 1:
        parts = _AFTER_NUMBER.split(folded := _with_arabic_numbers(heading_in_digits(text)))
        if len(parts) == 1 and (section := _SECTION_AT_END.fullmatch(folded)):  # `Song of Myself 11`
            above = spaced_letters(section[1])
            whole = {heading for heading in headings if spaced_letters(heading) == above}
            return [whole, numbered] if whole and (numbered := headings_meant(section[2], headings)) else []
    levels = [headings_meant(part, headings) for part in parts]
    return levels if len(levels) > 1 and all(levels) else []


def _numbered_levels(first: str, second: str, headings: Sequence[str]) -> Levels:
    """Return the headings of two numbers, as `III.ii`: those of a division, and those of one inside it."""
    division_of = {heading: _division_of(heading) for heading in headings}
    meant = [headings_meant(arabic(number), headings) for number in (first, second)]
    for outer, inner in combinations(dict.fromkeys(division_of.values()), 2):
        pairs = zip(meant, (outer, inner), strict=True)
        levels = [{heading for heading in level if division_of[heading] == name} for level, name in pairs]
        if all(levels):
            return levels
    return []


def _division_of(heading: str) -> str:
    """Return the word of a heading that says what it is of, such as `act`; empty if it has none."""
    match = _number_words()[1].match(heading_in_digits(heading))
    return (match["first"] or match["last"] or match["sign"]) if match else ""


def is_under(section: Iterable[str], levels: Levels) -> bool:
    """Return whether a section, or its headings, are under one heading of each level."""
    return not any(level.isdisjoint(section) for level in levels)


def number_in_digits(word: str) -> str:
    """Return a number that is written as a word, such as `second`, in digits; anything else as it is."""
    return _number_words()[0].get(fold_text(word), word)


def arabic(number: str) -> str:
    """Return a Roman number in Arabic digits; anything else as it is."""
    text = number.strip().upper()
    if not re.fullmatch(r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", text):
        return number
    values = [_ROMAN[letter] for letter in text]
    return str(sum(-v if values[i + 1 : i + 2] and v < values[i + 1] else v for i, v in enumerate(values)))


def _is_one_of(division: str, number: int, folded: str) -> bool:
    """Return whether a heading of several chapters, `Lectures 11, 12 and 13` or `Chapters 6–8`, has one."""
    several = _SEVERAL.match(folded)
    if (
        several is None
        or not _number_words()[1].match(f"{several[1]} 1")
        or not several[1].startswith(division.removesuffix("s"))
    ):
        return False
    spans = [list(map(int, re.findall(r"\d+", part))) for part in re.split(r",|\s[^\W\d]+\s|&", several[2])]
    return any(span and span[0] <= number <= span[-1] for span in spans)


def _number_of(folded: str) -> str:
    """Return the number of a chapter in Arabic digits, from its folded heading; empty if it has none."""
    match = _NUMBERED.match(folded)
    return arabic(match[match.lastindex or 0]) if match else ""


def heading_in_digits(text: str) -> str:
    """Return a folded heading; of `Chapter Two`, `2. Kapitel` and `第二章` the number in digits, last."""
    folded = " ".join(fold_text(text).replace("§", "§ ").split())
    numbers, place = _number_words()
    match = place.match(folded)
    word = (match["after"] or match["before"] or match["between"]) if match else ""
    number = word if word.isdecimal() else numbers.get(word)
    if match is None or number is None:
        return folded
    division = match["first"] or match["last"] or match["sign"]
    return f"{division} {number}{folded[match.end() :]}"


@cache
def _number_words() -> tuple[dict[str, str], re.Pattern[str]]:
    """Return numbers by the words for them, and where such a word stands in a heading."""
    lists = read_word_sets(Path(__file__).with_name("numbers.txt"))
    divisions = "|".join(sorted(lists.pop("division")))
    place = re.compile(
        rf"(?P<first>{divisions})\s(?:the\s)?(?P<after>[^\W_][\w{MARKS}-]*){_END}"
        rf"|(?P<before>[^\W_][\w{MARKS}-]*)\.?\s(?P<last>{divisions}){_END}"
        rf"|第(?P<between>\w{{1,4}}?)(?P<sign>{divisions})"
    )
    return {word: number for number, words in lists.items() for word in words}, place


def _with_arabic_numbers(folded: str) -> str:
    return re.sub(r"(?<!')\b[ivxlcdm]+\b(?!')", lambda numeral: arabic(numeral[0]), folded)
