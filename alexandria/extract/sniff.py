"""Which format a file is in, told from its bytes, never from its name."""

import re
import zipfile
from pathlib import Path

from alexandria.errors import BookError, Code
from alexandria.extract.encoding import looks_like_text

SNIFF_BYTES = 64 * 1024

_PDF_REACH = 1024  # bytes that may stand before the header, as PDF readers have always allowed
_EPUB_MIMETYPE = b"application/epub+zip"
# The first element's name, behind declarations and comments. Atomic groups: a hostile prolog stays linear.
_ROOT = re.compile(
    r"\s*+(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*+(?:<!(?P<doctype>doctype\s+[\w:.-]+)(?>[^\[>]*(?:\[.*?\]\s*+)?>)\s*+)?"
    r"(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*+(?:<(?P<root>[\w:.-]+))?",
    re.DOTALL | re.IGNORECASE,
)
_CONVERT = "convert it to EPUB first, for example with Calibre"
_SAVE_AS = "save it as EPUB, PDF or plain text"
_NOT_A_BOOK = "give an EPUB, a PDF or a text file"

# (offset, bytes there, what it is, what to do)
_SIGNATURES = (
    (60, b"BOOKMOBI", "a MOBI or AZW3 book", _CONVERT),
    (60, b"TEXtREAd", "a PalmDOC book", _CONVERT),
    (0, b"TPZ", "a Topaz (AZW1) book", _CONVERT),
    (0, b"\xeaDRMION\xee", "a KFX book with DRM", _NOT_A_BOOK),
    (0, b"CONT\x02\x00", "a KFX book", _CONVERT),
    (0, b"ITOLITLS", "a Microsoft LIT book", _CONVERT),
    (0, b"ITSF", "a CHM help file", _CONVERT),
    (
        0,
        b"AT&TFORM",
        "a DjVu document",
        "convert it to PDF with a text layer, for example with ddjvu and ocrmypdf",
    ),
    (0, b"{\\rtf", "an RTF document", _SAVE_AS),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document (.doc)", _SAVE_AS),
    (0, b"%!PS", "a PostScript document", "convert it to PDF, for example with ps2pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image", _NOT_A_BOOK),
    (0, b"\xff\xd8\xff", "a JPEG image", _NOT_A_BOOK),
    (0, b"GIF8", "a GIF image", _NOT_A_BOOK),
    (0, b"II*\x00", "a TIFF image", _NOT_A_BOOK),
    (0, b"MM\x00*", "a TIFF image", _NOT_A_BOOK),
    (8, b"WEBP", "a WebP image", _NOT_A_BOOK),
    (0, b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (0, b"BZh", "a bzip2 archive", "unpack it first"),
    (0, b"\xfd7zXZ\x00", "an xz archive", "unpack it first"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive", "unpack it first"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (0, b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
    (257, b"ustar", "a tar archive", "unpack it first"),
    (0, b"SQLite format 3\x00", "an SQLite database", _NOT_A_BOOK),
    (0, b"\x7fELF", "a program", _NOT_A_BOOK),
    (0, b"ID3", "an MP3 recording", _NOT_A_BOOK),
    (4, b"ftyp", "an MP4 or M4B recording", _NOT_A_BOOK),
    (0, b"OggS", "an Ogg recording", _NOT_A_BOOK),
)


def sniff(path: Path, head: bytes) -> str:
    """Return the name of the extractor for a file that begins with `head`.

    Markdown is plain text to the bytes: among texts alone the endings `.md` and `.markdown` count.

    Raises:
        BookError: `empty`; `unsupported`, with what the file seems to be; `damaged` for a ZIP archive
            that is cut off before it says what it is.
    """
    if not head:
        raise BookError(f"cannot read {path}", why="the file is empty", fix="check the file", code=Code.EMPTY)
    if head.startswith(b"PK"):
        return _sniff_zip(path, head)
    if re.search(rb"%PDF-\d", head[:_PDF_REACH]):
        return "pdf"
    for offset, signature, what, fix in _SIGNATURES:
        if head.startswith(signature, offset):
            raise _unsupported(path, f"it is {what}", fix)
    if not looks_like_text(head):
        raise _unsupported(path, "it is binary data of no known kind", _NOT_A_BOOK)
    return _sniff_text(path, head)


def _sniff_text(path: Path, head: bytes) -> str:
    # Markup is ASCII: without byte order mark and zero bytes it reads the same in every encoding.
    start = head.translate(None, b"\0\xef\xbb\xbf\xff\xfe").decode("latin-1").lstrip()
    found = _ROOT.match(start)
    doctype = (found["doctype"] or "").lower() if found else ""
    root = (found["root"] or "").lower() if found else ""
    if doctype.endswith(" html") or root in {"html", "head", "body"}:
        return "html"
    if root == "fictionbook":
        return "fb2"
    if root and start.startswith("<?xml"):
        raise _unsupported(path, f"it is an XML document of another kind (<{root}>)", _SAVE_AS)
    return "markdown" if path.suffix.lower() in {".md", ".markdown"} else "txt"


def _sniff_zip(path: Path, head: bytes) -> str:
    # The specification puts it first and unpacked, so that even half an EPUB still says what it was.
    if _EPUB_MIMETYPE in head[:128] or b"META-INF/container.xml" in head:
        return "epub"
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            mimetype = archive.read("mimetype")[:100] if "mimetype" in names else b""
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError) as error:
        raise BookError(
            f"cannot read {path}",
            why="a ZIP archive, damaged or cut off",
            fix="get the file again",
            code=Code.DAMAGED,
        ) from error
    if mimetype.strip() == _EPUB_MIMETYPE or any(name.lower() == "meta-inf/container.xml" for name in names):
        return "epub"
    if "word/document.xml" in names:
        raise _unsupported(path, "it is a Word document (.docx)", _SAVE_AS)
    if mimetype.startswith(b"application/vnd.oasis.opendocument"):
        raise _unsupported(path, "it is an OpenDocument file (.odt)", _SAVE_AS)
    raise _unsupported(path, "a ZIP archive, but not an EPUB", "unpack it first")


def _unsupported(path: Path, why: str, fix: str) -> BookError:
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.UNSUPPORTED)
