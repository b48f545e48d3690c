"""In what the words of a book differ from a quotation that has the same letters."""

import re
import unicodedata
from collections.abc import Callable

from alexandria.book.words import MARKS, letters_of, word_parts

_SIGN = re.compile(rf"[^\w\s{MARKS}]|_")
_ENDS = re.compile(rf"^[^\w{MARKS}]+|[^\w{MARKS}]+$")
_LAST_ACCENT = "\u036f"


def differences(text: str, words: str) -> tuple[str, ...]:
    """Return in what words of a book differ from a quotation, as `Quotation.differences` names it."""
    texts = [_ENDS.sub("", unicodedata.normalize("NFC", one)) for one in (text, words)]
    if letters_of(texts[0]) != letters_of(texts[1]):
        return ("letters",)
    kinds: dict[str, Callable[[str], object]] = {
        "capitals": _capitals,
        "spacing": lambda one: list(map(letters_of, word_parts(one))),
        "punctuation": _SIGN.findall,
        "accents": lambda one: [mark for mark in _marks(one) if mark <= _LAST_ACCENT],
        "points": lambda one: [mark for mark in _marks(one) if mark > _LAST_ACCENT],
        "spelling of letters": _plain_letters,
    }
    return tuple(kind for kind, seen in kinds.items() if seen(texts[0]) != seen(texts[1]))


def _capitals(text: str) -> list[int]:
    """Return which letters are capitals, as a quotation counts letters."""
    places, n = [], 0
    for character in text:
        if folded := letters_of(character):
            places += [n] if character != character.lower() else []
            n += len(folded)
    return places


def _marks(text: str) -> list[str]:
    return [mark for mark in unicodedata.normalize("NFD", text) if unicodedata.combining(mark)]


def _plain_letters(text: str) -> str:
    """Return the letters without their marks and case: what is left is their spelling, such as æ or ß."""
    letters = "".join(word_parts(text)).lower()
    return "".join(
        letter for letter in unicodedata.normalize("NFD", letters) if not unicodedata.combining(letter)
    )
