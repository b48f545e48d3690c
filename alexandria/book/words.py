"""What a word is, and when two are the same: stored or entered, in questions, quotations, names and topics.

Imports nothing that takes time.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate, pairwise

from alexandria.book.patterns import pattern
from alexandria.errors import well_formed

_BLOCKS = ((0x300, 0x1E00), (0x302A, 0x309B), (0xA66F, 0xABEE), (0xFE20, 0xFE30), (0x11000, 0x11F00))
"""Where Unicode has marks that belong to a letter: accents, points, vowel signs, tones."""
ALL_MARKS = frozenset(
    character
    for block in _BLOCKS
    for character in map(chr, range(*block))
    if unicodedata.category(character) in ("Mn", "Mc")
)
MARKS = "".join(
    f"{first}-{last}"
    for first, last in zip(
        sorted(mark for mark in ALL_MARKS if chr(ord(mark) - 1) not in ALL_MARKS),
        sorted(mark for mark in ALL_MARKS if chr(ord(mark) + 1) not in ALL_MARKS),
        strict=True,
    )
)  # these marks, each of which `re` takes for the end of a word, as a class of a pattern has them
_JOINERS = "\u200c\u200d"
# Whether a character is one of the marks takes long to find out: it is not asked of the many below U+0300.
_IN_WORD = rf"\w+(?:(?![\0-\u02ff])[{MARKS}{_JOINERS}][\w{MARKS}{_JOINERS}]*)?"
WORD = pattern(rf"{_IN_WORD}(?:['’ʼ]{_IN_WORD})*")
_PART = pattern(_IN_WORD)
_LETTERS_IN_A_ROW = pattern(rf"[\w{MARKS}]+")
_UNMARKED = re.compile(r"\w+")
_ASCII_PART = re.compile(r"[A-Za-z0-9]+")
HAN = r"\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = rf"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\uaa60-\uaa7f{HAN}"
"""The scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""
_RUN = pattern(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_UNSPACED_UNIT = pattern(rf"[{_UNSPACED}][{MARKS}]*")
_BORDERED_ANYWHERE = rf"_\u1100-\u11ff\uac00-\ud7af{_UNSPACED}"
_INSIDE_WORD = pattern(
    rf"(?<=[\w{MARKS}])(?:[{MARKS}]|(?<![{_BORDERED_ANYWHERE}])(?![{_BORDERED_ANYWHERE}])\w)"
)
_BORDERED_LETTER = pattern(f"[{_BORDERED_ANYWHERE}]")
_BORDER = pattern(rf"(?![{MARKS}])(?:[{_BORDERED_ANYWHERE}]|(?<=[{_BORDERED_ANYWHERE}]))")

_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ё": "е"}
    | dict.fromkeys("’ʼ‘ʹ`´＇", "'")
    | dict.fromkeys("\xad\u200b\u2060", "")
)  # what Unicode does not decompose, but people type in another way; and characters that no reader sees
_POINTS = "".join(mark for mark in ALL_MARKS if "\u0591" <= mark <= "\u074a")
"""Those of Hebrew, Arabic and Syriac, which most texts leave out."""
_UNCOMPARED = str.maketrans(dict.fromkeys(f"{_POINTS}{_JOINERS}\u0345\u0640"))
"""With them the joiners, the iota below a Greek vowel, and the stroke that lengthens an Arabic word."""
_STRESS = re.compile("(?<=[\u0400-\u052f])[\u0300\u0301]")
_ZEROS = "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០"
_REFINED = pattern(
    "[\u0300\u0301\u0345\u0591-\u074a\u0e4d\u0ecd\u1f80-\u1fff\u200c\u200d\ufb1d-\ufdff\ufe70-\ufefc"
    + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS)
    + "]"
)  # what `fold_text` compares in another way than catalogs do
_ALIKE = str.maketrans(
    {"ک": "ك", "ی": "ي", "ى": "ي", "ٱ": "ا"}
    | {chr(ord(zero) + i): str(i) for zero in _ZEROS for i in range(10)}
)  # forms of an Arabic letter that keyboards of other languages have, and the digits of other scripts
_TONE_LAST = re.compile("([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb])")
"""A tone of Thai or Lao after the circle of am, as it may be typed: the same to the eye."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LAST_LATIN_OR_GREEK = "\u03ff"
"""Up to here, a mark above a letter is an accent; in later scripts it makes another letter (й, が)."""
_INVISIBLE = str.maketrans(dict.fromkeys("\xad\u200b\u2060\ufeff"))


def entered_text(text: str) -> str:
    """Return a text that a person or a program has entered in the form that the texts of books have.

    Letters are composed ("é" in one character); soft hyphens and the like are left out.
    """
    return unicodedata.normalize("NFC", well_formed(text)).translate(_INVISIBLE)


def fold_text(text: str) -> str:
    """Return a text as index, questions, quotations and filters compare it.

    Case, accents, ligatures (ﬁ, œ), ß, the long s, full and half width, points of Hebrew and Arabic, tatweel,
    marks of stress, the forms of an Arabic letter, of digits and of an apostrophe do not count. Traditional
    and simplified Han, u and v, i and j are different letters.
    """
    return _fold(text, _fold_letters)


def catalog_fold(text: str) -> str:
    """Return a text as catalogs store names and titles: as version 1.0.0 folded them, with points."""
    return _fold(text, _fold_letters_as_stored)


def _fold(text: str, fold_letters: Callable[[str], str]) -> str:
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFC", text)  # a letter and its accent in one character
    return _NOT_ASCII.sub(lambda part: fold_letters(part[0]), composed).lower()


@lru_cache(maxsize=1 << 16)
def _fold_letters(letters: str) -> str:
    """Return some letters, none of them ASCII, as `fold_text` does."""
    if not _REFINED.search(letters):
        return _fold_letters_as_stored(letters)
    plain = _STRESS.sub("", unicodedata.normalize("NFD", letters).translate(_UNCOMPARED))
    plain = _TONE_LAST.sub(r"\2\1", unicodedata.normalize("NFC", plain))
    return _fold_letters_as_stored(plain).translate(_ALIKE)


@lru_cache(maxsize=1 << 16)
def _fold_letters_as_stored(letters: str) -> str:
    """Return some letters, none of them ASCII, as `catalog_fold` does."""
    folded, accented = [], True  # an accent that comes first is of the ASCII letter before
    for character in unicodedata.normalize("NFKD", letters.translate(_LETTERS).casefold()):
        if not unicodedata.combining(character):
            accented = character <= _LAST_LATIN_OR_GREEK
            folded.append(character)
        elif not accented:
            folded.append(character)
    return unicodedata.normalize("NFC", "".join(folded)).translate(_LETTERS)


def word_parts(text: str) -> list[str]:
    """Return the words of a text as the index has them: cut at apostrophes, but not folded."""
    if text.isascii():
        return _ASCII_PART.findall(text)
    return _PART.findall(text.replace("_", " ").replace("ʼ", "’"))  # the former is a letter to Unicode


def index_terms(folded: str, *, asked: bool = False) -> list[str]:
    """Return by what a folded word is looked up: itself, or runs of letters where its script has no spaces.

    These are each letter with its marks, and each two that adjoin; a question of several asks for the latter.
    """
    if not lacks_spaces(folded):
        return [folded]
    terms = []
    for run in _RUN.findall(folded):
        units = _UNSPACED_UNIT.findall(run)
        pairs = [one + other for one, other in pairwise(units)]
        terms += [run] if not units else pairs if asked and pairs else units + pairs
    return terms


def lacks_spaces(word: str) -> bool:
    """Return whether a word has letters of a script without spaces between words."""
    return _UNSPACED_UNIT.search(word) is not None


def is_inside_word(text: str, i: int) -> bool:
    """Return whether the letter at an offset goes on with the word of the character before it.

    Only in scripts that space their words. In Korean, what follows a word is written to it.
    """
    return _INSIDE_WORD.match(text, i) is not None


def letters_of(text: str, fold: Callable[[str], str] = fold_text) -> str:
    """Return the letters and digits of a text with their marks, folded."""
    return "".join(_letters_in_a_row(fold(text).replace("_", " ")))


def spaced_letters(text: str) -> str:
    """Return the words of a text, folded, with a space between them: `l'été` is two."""
    return " ".join(_letters_in_a_row(fold_text(text).replace("_", " ")))


def _letters_in_a_row(folded: str) -> list[str]:
    # Without marks, ten times as fast.
    return (_UNMARKED if ALL_MARKS.isdisjoint(folded) else _LETTERS_IN_A_ROW).findall(folded)


def letters_and_borders(text: str) -> tuple[str, list[int]]:
    """Return the folded letters of a text, and at which of them a word begins: see `is_inside_word`."""
    folded = fold_text(text).replace("_", " ")
    parts = _letters_in_a_row(folded)
    borders = list(accumulate(map(len, parts), initial=0))
    letters = "".join(parts)
    if _BORDERED_LETTER.search(letters):
        borders += (match.start() for match in _BORDER.finditer(letters))
    return letters, borders[:-1] if parts else []


def count_of(n: int, noun: str) -> str:
    """Return a number with its noun: `1 word`, `1,200 words`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
