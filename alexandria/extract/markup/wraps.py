"""Line ends inside Chinese and Japanese text, which typesetting leaves in markup: no space takes their place.

The walk replaces a line end beside such a character with `WRAP`; once the block is complete, `settle_wraps`
turns those that are a space into one, and cleaning removes the others.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from alexandria.extract.clean import MARK, WRAP

_WIDE = re.compile(
    "[\u2e80-\u2fdf\u3001-\u312f\u3190-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff01-\uff9f\uffe0-\uffe6\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff\U00020000-\U0003fffd]"
)  # Han, kana, bopomofo, and the full-width signs beside them; not Hangul, which has spaces between words
_WIDE_BESIDE_WIDE = frozenset("“”‘’…—·")  # signs that Chinese shares with Latin text
_HANGUL = re.compile("[\uac00-\ud7a3]")
_BETWEEN = re.compile(f"[ {WRAP}{MARK}]+")


def is_wide(character: str) -> bool:
    """Return whether a character is Chinese or Japanese; an empty text is not."""
    return _WIDE.match(character) is not None


def collapse(white: re.Match[str]) -> str:
    """Return `WRAP` for white space with a line end beside a wide character, otherwise a space."""
    text, start, end = white.string, white.start(), white.end()
    if "\n" not in white[0] and "\r" not in white[0]:
        return " "
    return WRAP if is_wide(text[max(0, start - 1) : start]) or is_wide(text[end : end + 1]) else " "


def settle_wraps(parts: Sequence[str]) -> list[str]:
    """Return the parts of a block, as long as before, with `WRAP` only where no space is to remain.

    That is between two wide characters, whatever marks are between them, unless the block has Hangul.
    """
    raw = "".join(parts)
    has_spaces = _HANGUL.search(raw) is not None

    def settle(between: re.Match[str]) -> str:
        if WRAP not in between[0]:
            return between[0]
        sides = raw[max(0, between.start() - 1) : between.start()], raw[between.end() : between.end() + 1]
        are_wide = [is_wide(side) for side in sides]
        joins = any(are_wide) and all(
            w or s in _WIDE_BESIDE_WIDE for w, s in zip(are_wide, sides, strict=True)
        )
        if joins and not has_spaces:
            return between[0].replace(" ", WRAP)
        return between[0].replace(WRAP, " ")

    settled = _BETWEEN.sub(settle, raw)
    return [settled[start:end] for start, end in pairwise(accumulate(map(len, parts), initial=0))]
