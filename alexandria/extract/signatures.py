"""Kinds of file that are recognised by their first bytes, and refused by name."""

from dataclasses import dataclass

_CONVERT = "convert it to EPUB first, for example with Calibre"
AS_DOCX = "save it as .docx, in Word or with LibreOffice: soffice --convert-to docx FILE"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of a compound file: an old document of Office, or a new one that is encrypted."""
NOT_A_BOOK = "choose an EPUB, a PDF or a text file"
SAVE_AS = "save it as EPUB, PDF or plain text"
"""What to do about a file of another kind."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Bytes that mark a kind of file."""

    offset: int
    magic: bytes
    what: str
    """The kind of file, with its article."""
    fix: str


def find_signature(head: bytes) -> Signature | None:
    """Return the first signature in a file that begins with `head`, or None."""
    return next((entry for entry in _SIGNATURES if head.startswith(entry.magic, entry.offset)), None)


_SIGNATURES = (
    Signature(0, b"TPZ", "a Topaz (AZW1) book", _CONVERT),
    Signature(0, b"\xeaDRMION\xee", "a KFX book with DRM", NOT_A_BOOK),
    Signature(0, b"CONT\x02\x00", "a KFX book", f"{_CONVERT} and its plugin KFX Input"),
    Signature(0, b"ITOLITLS", "a Microsoft LIT book", _CONVERT),
    Signature(0, b"ITSF", "a CHM help file", _CONVERT),
    Signature(
        0,
        b"AT&TFORM",
        "a DjVu document",
        "convert it to PDF with a text layer, for example with ddjvu and ocrmypdf",
    ),
    Signature(0, b"{\\rtf", "an RTF document", AS_DOCX),
    Signature(0, OLE_MAGIC, "an old Microsoft Office document (.doc)", AS_DOCX),
    Signature(0, b"%!PS", "a PostScript document", "convert it to PDF, for example with ps2pdf"),
    Signature(0, b"\x89PNG\r\n\x1a\n", "a PNG image", NOT_A_BOOK),
    Signature(0, b"\xff\xd8\xff", "a JPEG image", NOT_A_BOOK),
    Signature(0, b"GIF8", "a GIF image", NOT_A_BOOK),
    Signature(0, b"II*\x00", "a TIFF image", NOT_A_BOOK),
    Signature(0, b"MM\x00*", "a TIFF image", NOT_A_BOOK),
    Signature(8, b"WEBP", "a WebP image", NOT_A_BOOK),
    Signature(0, b"\x1f\x8b", "a gzip archive", "unpack it first"),
    Signature(0, b"BZh", "a bzip2 archive", "unpack it first"),
    Signature(0, b"\xfd7zXZ\x00", "an xz archive", "unpack it first"),
    Signature(0, b"\x28\xb5\x2f\xfd", "a Zstandard archive", "unpack it first"),
    Signature(0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    Signature(0, b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
    Signature(257, b"ustar", "a tar archive", "unpack it first"),
    Signature(0, b"SQLite format 3\x00", "an SQLite database", NOT_A_BOOK),
    Signature(0, b"\x7fELF", "a program", NOT_A_BOOK),
    Signature(0, b"ID3", "an MP3 recording", NOT_A_BOOK),
    Signature(4, b"ftyp", "an MP4 or M4B recording", NOT_A_BOOK),
    Signature(0, b"OggS", "an Ogg recording", NOT_A_BOOK),
)
