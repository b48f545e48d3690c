"""Find quotations by their letters: punctuation, hyphens, line ends and case do not count.

The edit distance of the quotation to every place of the text is computed in one pass with bit vectors (Myers
1999, "A fast bit-vector algorithm for approximate string matching"); Python's integers are as long as needed.
"""

import re
from dataclasses import dataclass

from alexandria.book.words import MARKS, fold_text

# Without the underscore, which is a word character to `re` only.
_NO_LETTERS = re.compile(rf"[^\w{MARKS}]+")
_ASCII_LETTER = re.compile(r"[A-Za-z0-9]")
_LETTER = re.compile(rf"(?:[^\W_]|[{MARKS}])[{MARKS}\u200c\u200d]*")


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters and digits of a text, as `fold_text` folds them, and where each was."""

    text: str
    offsets: tuple[int, ...]
    """Offset of each letter in the original text; both letters of a ligature have the same one, and so do a
    letter and its marks if some of these do not count."""

    @classmethod
    def of(cls, original: str) -> "Letters":
        """Return the letters of a text."""
        if original.isascii():
            starts = [match.start() for match in _ASCII_LETTER.finditer(original)]
            return cls("".join(original[i] for i in starts).lower(), tuple(starts))
        letters, offsets = [], list[int]()
        for match in _LETTER.finditer(original):
            folded, start = _NO_LETTERS.sub("", fold_text(match[0])), match.start()
            are_all = len(folded) == match.end() - start
            letters.append(folded)
            offsets += range(start, match.end()) if are_all else [start] * len(folded)
        return cls("".join(letters), tuple(offsets))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The place in a text that is nearest to a quotation."""

    start: int  # offset of its first letter, counted in letters
    end: int  # offset after its last letter
    distance: int  # letters to insert, delete or replace


def align(quotation: str, text: str) -> Alignment:
    """Return the place in a text that is nearest to a quotation; of several equally near, the first.

    Args:
        quotation: as in `Letters.text`, not empty.
    """
    start = text.find(quotation)
    if start >= 0:
        return Alignment(start=start, end=start + len(quotation), distance=0)
    end, distance = _nearest_end(quotation, text)
    # Aligning both texts backwards from this end gives the start. Of several starts at the same distance, the
    # one farthest from the end is taken: the place then includes a first word that was changed.
    reversed_text = text[max(0, end - 2 * len(quotation)) : end][::-1]
    length = _longest_start(quotation[::-1], reversed_text, distance)
    return Alignment(start=end - length, end=end, distance=distance)


def _nearest_end(pattern: str, text: str) -> tuple[int, int]:
    """Return the offset after the place nearest to the pattern, and its distance."""
    best_end, best_distance = 0, len(pattern)
    for end, distance in enumerate(_compute_distances(pattern, text, anchored=False), 1):
        if distance < best_distance:
            best_end, best_distance = end, distance
    return best_end, best_distance


def _longest_start(pattern: str, text: str, distance: int) -> int:
    """Return the length of the longest beginning of the text that is within a distance of the pattern."""
    # 0 if none is.
    lengths = (n for n, d in enumerate(_compute_distances(pattern, text, anchored=True), 1) if d <= distance)
    return max(lengths, default=0)


def distances_along(pattern: str, text: str) -> list[int]:
    """Return the distance of a pattern to each beginning of a text, from its first letter on."""
    return _compute_distances(pattern, text, anchored=True)


def _compute_distances(pattern: str, text: str, *, anchored: bool) -> list[int]:
    """Return, for each letter of the text, the pattern's distance to the nearest part that ends there."""
    # A part begins anywhere, or if `anchored`, at the beginning of the text. Bit i of each vector belongs to
    # letter i of the pattern. The vectors are those of Myers, figure 3: `rising` and `falling` are Pv and Mv,
    # `vertical` and `horizontal` Xv and Xh, `up` and `down` Ph and Mh.
    bits_of: dict[str, int] = {}  # by letter: bit i is set where letter i of the pattern is this letter
    for i, letter in enumerate(pattern):
        bits_of[letter] = bits_of.get(letter, 0) | 1 << i
    mask, last_bit = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    rising, falling, distance = mask, 0, len(pattern)
    distances = []
    for letter in text:
        equal = bits_of.get(letter, 0)
        vertical = equal | falling
        horizontal = (((equal & rising) + rising) ^ rising) | equal
        up, down = falling | (mask & ~(horizontal | rising)), rising & horizontal
        if up & last_bit:
            distance += 1
        elif down & last_bit:
            distance -= 1
        distances.append(distance)
        up = up << 1 | anchored  # an anchored part costs one more for each letter of the text before it
        rising = (down << 1 | ~(vertical | up)) & mask
        falling = up & vertical & mask
    return distances
