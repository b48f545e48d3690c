"""The boxes that frame a passage in the picture of its page.

What is stored of a line is its box; where in it a sentence begins or ends is estimated from the number of
characters, which may be a word off. The picture comes with the box of each letter on the page, so the words
are looked for among those in the line.
"""

import numpy as np
from numpy.typing import NDArray

from alexandria.anchors import LinePart, Quad
from alexandria.book import PagePicture
from alexandria.passage import Passage
from alexandria.query.alignment import Letters, align

Frame = tuple[float, float, float, float]
"""x, y, width and height, in thousandths of the picture's width and height."""
_ACROSS, _ALONG = 1.0, 72.0
"""Points by which a letter may be outside its line's box: sides are rounded, ends may be estimated."""
_PER_SLIP = 5
"""Letters of a part for each one that may differ, or that a mark of a note may have added."""


def frames(passage: Passage, number: int, picture: PagePicture) -> list[Frame]:
    """Return the boxes around those lines of a passage that are on a page, by its number in the file."""
    parts = [part for part in passage.line_parts if part.line.page == number]
    return [framed(_exact(part, passage, picture), picture.transform) for part in parts]


def _exact(part: LinePart, passage: Passage, picture: PagePicture) -> Quad:
    """Return the box of a part of a line: around its letters, if they are found near the estimate."""
    words = Letters.of(passage.text[part.start - passage.start : part.end - passage.start]).text
    boxes = np.frombuffer(picture.boxes, np.float32).reshape(-1, 4)  # (n, 4)
    inside = _near(boxes, part.line)
    letters = Letters.of("".join(picture.letters[i] for i in inside))
    if not words or not letters.text:
        return part.quad
    starts = [at for at in range(len(letters.text)) if letters.text.startswith(words, at)]
    quads = [
        _around(boxes[inside[letters.offsets[at] : letters.offsets[at + len(words) - 1] + 1]], part.line)
        for at in starts
    ]
    if quads:
        return min(quads, key=lambda quad: abs(quad.left - part.quad.left) + abs(quad.top - part.quad.top))
    nearest = align(words, letters.text)
    if nearest.distance * _PER_SLIP > len(words):
        return part.quad
    first, last = letters.offsets[nearest.start], letters.offsets[nearest.end - 1]
    return _around(boxes[inside[first : last + 1]], part.line)


def _is_turned(line: Quad) -> bool:
    return line.top - line.bottom > line.right - line.left


def _near(boxes: NDArray[np.float32], line: Quad) -> NDArray[np.intp]:
    """Return the numbers of the boxes whose middle is in a line, or before or after it."""
    x, y = boxes[:, [0, 2]].mean(axis=1), boxes[:, [1, 3]].mean(axis=1)
    dx, dy = (_ACROSS, _ALONG) if _is_turned(line) else (_ALONG, _ACROSS)
    across = (line.left - dx <= x) & (x <= line.right + dx)
    return np.flatnonzero(across & (line.bottom - dy <= y) & (y <= line.top + dy))


def _around(boxes: NDArray[np.float32], line: Quad) -> Quad:
    """Return the box around letters, as high as their line, or as wide if it is turned."""
    left, bottom = (float(side) for side in boxes[:, :2].min(axis=0))
    right, top = (float(side) for side in boxes[:, 2:].max(axis=0))
    if _is_turned(line):
        return Quad(line.page, line.left, bottom, line.right, top)
    return Quad(line.page, left, line.bottom, right, line.top)


def framed(quad: Quad, transform: tuple[float, ...]) -> Frame:
    """Return a box of a page in its picture: x, y, width and height, in thousandths of the picture's."""
    a, b, c, d, e, f = transform
    corners = [(x, y) for x in (quad.left, quad.right) for y in (quad.bottom, quad.top)]
    across = sorted(1000 * (a * x + c * y + e) for x, y in corners)
    down = sorted(1000 * (b * x + d * y + f) for x, y in corners)
    return (
        round(across[0], 1),
        round(down[0], 1),
        round(across[-1] - across[0], 1),
        round(down[-1] - down[0], 1),
    )
