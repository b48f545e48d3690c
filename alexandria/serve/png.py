"""Pictures as PNG, the one format that needs nothing but zlib."""

import struct
import zlib

from alexandria.book import PagePicture

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
