"""The picture of a page as PNG, and the boxes that frame a passage in it.

A library stores the box of each line; where a sentence begins or ends in a line is estimated from the number
of characters, which may be a word off. The picture comes with the box of each letter on the page, so the
words are looked for among the letters in the line.
"""

import struct
import zlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import PagePicture
from alexandria.book.places import LinePart, Quad
from alexandria.library.search.alignment import Letters, align
from alexandria.store.passage import Passage

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB = struct.pack(">BBBBB", 8, 2, 0, 0, 0)  # bits, colour type, compression, filter, interlace


def png_of(picture: PagePicture) -> bytes:
    """Return a picture as a PNG file.

    The isolated process that draws pages sends pixels, not a file: the browser never opens a file made by it.
    """
    stride = 3 * picture.width
    rows = (picture.pixels[row * stride : (row + 1) * stride] for row in range(picture.height))
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)  # \0: the row is not filtered
    header = struct.pack(">II", picture.width, picture.height) + _RGB
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


Frame = tuple[float, float, float, float]
"""x, y, width and height, in thousandths of the picture's width and height."""
_MARGIN_ACROSS = 1.0  # points by which a letter may be above or below its line's box, whose sides are rounded
_MARGIN_ALONG = 72.0
"""Points by which a letter may be before or after its line's box, whose ends may be estimated."""
_LETTERS_PER_SLIP = 5  # one letter in this many may differ, or may have been added by the mark of a note


def frames(passage: Passage, number: int, picture: PagePicture) -> list[Frame]:
    """Return the boxes around the lines of a passage on a page; its number is counted in the file."""
    parts = [part for part in passage.line_parts if part.line.page == number]
    return [to_frame(_box_of_part(part, passage, picture), picture.transform) for part in parts]


def _box_of_part(part: LinePart, passage: Passage, picture: PagePicture) -> Quad:
    """Return the box around the letters of a part of a line; the estimated box if they are not found."""
    wanted = Letters.of(passage.text[part.start - passage.start : part.end - passage.start]).text
    boxes = np.frombuffer(picture.boxes, np.float32).reshape(-1, 4)  # (n, 4)
    nearby = _boxes_in_line(boxes, part.line)
    letters = Letters.of("".join(picture.letters[i] for i in nearby))
    if not wanted or not letters.text:
        return part.quad

    def box_between(start: int, end: int) -> Quad:
        """Return the box around the letters from `start` to `end`, without `end`."""
        # `offsets` leads from a letter to its character in the joined text, `nearby` from there to its box.
        first, last = letters.offsets[start], letters.offsets[end - 1]
        return _box_around(boxes[nearby[first : last + 1]], part.line)

    starts = [i for i in range(len(letters.text)) if letters.text.startswith(wanted, i)]
    quads = [box_between(start, start + len(wanted)) for start in starts]
    if quads:  # the same words may be twice in a line: the estimate is near the right ones
        return min(quads, key=lambda quad: abs(quad.left - part.quad.left) + abs(quad.top - part.quad.top))
    nearest = align(wanted, letters.text)
    if nearest.distance * _LETTERS_PER_SLIP > len(wanted):
        return part.quad
    return box_between(nearest.start, nearest.end)


def _is_turned(line: Quad) -> bool:
    return line.top - line.bottom > line.right - line.left


def _boxes_in_line(boxes: NDArray[np.float32], line: Quad) -> NDArray[np.intp]:
    """Return the numbers of the boxes whose middle is in a line, within the margins."""
    x, y = boxes[:, [0, 2]].mean(axis=1), boxes[:, [1, 3]].mean(axis=1)
    dx, dy = (_MARGIN_ACROSS, _MARGIN_ALONG) if _is_turned(line) else (_MARGIN_ALONG, _MARGIN_ACROSS)
    in_width = (line.left - dx <= x) & (x <= line.right + dx)
    in_height = (line.bottom - dy <= y) & (y <= line.top + dy)
    return np.flatnonzero(in_width & in_height)


def _box_around(boxes: NDArray[np.float32], line: Quad) -> Quad:
    """Return the box around letters, as high as their line, or as wide if the line is turned."""
    left, bottom = (float(side) for side in boxes[:, :2].min(axis=0))
    right, top = (float(side) for side in boxes[:, 2:].max(axis=0))
    if _is_turned(line):
        return replace(line, bottom=bottom, top=top)
    return replace(line, left=left, right=right)


def to_frame(quad: Quad, transform: tuple[float, ...]) -> Frame:
    """Return where a box of a page is in the page's picture.

    Args:
        quad: a box on the page, in points.
        transform: the matrix from points to fractions of the picture, as in PDF: (a, b, c, d, e, f).
    """
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
