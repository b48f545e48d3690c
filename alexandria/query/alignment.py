"""Where quoted words are in a text, by their letters: punctuation, hyphens, line ends and case do not count.

The edit distance of the quotation to every place of the text is found in one pass with bit vectors (Myers
1999, "A fast bit-vector algorithm for approximate string matching"); Python's integers are as long as needed.
"""

import re
import unicodedata
from dataclasses import dataclass

# A hyphen at the end of a line is no letter either way; an underscore is a word character to `re` alone.
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters and digits of a text, in lower case and without accents, and where each was."""

    text: str
    places: tuple[int, ...]
    """Offset in the original text of each letter; a ligature gives two of one place."""

    @classmethod
    def of(cls, original: str) -> "Letters":
        """Return the letters of a text."""
        if original.isascii():
            matches = [match.start() for match in _LETTER.finditer(original)]
            return cls("".join(original[i] for i in matches).lower(), tuple(matches))
        letters, places = [], []
        for i, character in enumerate(original):
            plain = character.lower() if character.isascii() else _plain(character)
            for letter in plain:
                if letter.isalnum():
                    letters.append(letter)
                    places.append(i)
        return cls("".join(letters), tuple(places))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The place in a text that is nearest to a quotation."""

    start: int
    """Offset of its first letter, counted in letters."""
    end: int
    """Offset after its last letter."""
    distance: int
    """Letters to insert, delete or replace."""


def align(quotation: str, text: str) -> Alignment:
    """Return the nearest place, the first of equal ones; both are `Letters.text`, and not empty."""
    at = text.find(quotation)
    if at >= 0:
        return Alignment(at, at + len(quotation), 0)
    end, distance = _nearest_end(quotation, text)
    # Backwards from that end; of equally near beginnings the farthest, which takes in a changed first word.
    window = text[max(0, end - 2 * len(quotation)) : end][::-1]
    length = _longest_start(quotation[::-1], window, distance)
    return Alignment(end - length, end, distance)


def _nearest_end(pattern: str, text: str) -> tuple[int, int]:
    """Return where the nearest place ends, and its distance."""
    best_end, best = 0, len(pattern)
    for end, distance in enumerate(_distances(pattern, text, anchored=False), 1):
        if distance < best:
            best_end, best = end, distance
    return best_end, best


def _longest_start(pattern: str, text: str, distance: int) -> int:
    """Return the greatest length of a beginning of the text at this distance from the pattern."""
    lengths = (n for n, d in enumerate(_distances(pattern, text, anchored=True), 1) if d <= distance)
    return max(lengths, default=0)


def _distances(pattern: str, text: str, *, anchored: bool) -> list[int]:
    """Return the pattern's distance to what ends at each letter, and begins anywhere or at the beginning."""
    places: dict[str, int] = {}
    for i, letter in enumerate(pattern):
        places[letter] = places.get(letter, 0) | 1 << i
    mask, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    rising, falling, distance = mask, 0, len(pattern)
    distances = []
    for letter in text:
        equal = places.get(letter, 0)
        vertical = equal | falling
        horizontal = (((equal & rising) + rising) ^ rising) | equal
        up, down = falling | (mask & ~(horizontal | rising)), rising & horizontal
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        distances.append(distance)
        up = up << 1 | anchored
        rising = (down << 1 | ~(vertical | up)) & mask
        falling = up & vertical & mask
    return distances


def _plain(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
