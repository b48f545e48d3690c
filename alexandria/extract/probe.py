"""What shows the kind of a file: its first bytes, the members of a ZIP archive, its root element.

Kinds of file in `_SIGNATURES` are refused by name.
"""

import re
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from alexandria.extract.encoding import looks_like_text
from alexandria.extract.refusals import damaged

try:
    from lzma import LZMAError
except ImportError:  # Python may be built without it; zipfile then reads no such member
    LZMAError = zipfile.BadZipFile  # type: ignore[assignment,misc]  # stands in for it

DAMAGE = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError, NotImplementedError)
"""What zipfile raises on damaged archives."""
HEAD_BYTES = 64 * 1024

_PDF_OBJECT = re.compile(rb"^\d+ \d+ obj\b\s*(?:<<|\[|\().*?(?:\bendobj\b|\Z)", re.MULTILINE | re.DOTALL)
_MIN_BYTES = {".epub": 58, ".pdf": 5}
"""Bytes up to the end of what identifies a file: the entry `mimetype` of an EPUB, the header of a PDF."""
_OLE_HEADER_BYTES = 76  # bytes of a compound file's header, up to the list of its sectors
_MAX_SECTOR_SHIFT = 12  # largest sector of a compound file, as a power of two
_OLE_DIRECTORY_BYTES = 16 * 1024  # bytes of a directory that are searched: 128 entries; twelve are usual
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")  # the name of what an encrypted document holds
# The first element's name, after declarations and comments. Atomic groups: a hostile prolog stays linear.
_ROOT = re.compile(
    r"\s*+(?>(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*)(?:<!(?P<doctype>doctype\s+[\w:.-]+)(?>[^\[>]*(?:\[.*?\]\s*+)?>)\s*+)?"
    r"(?>(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*)(?:<(?P<root>[\w:.-]+))?",
    re.DOTALL | re.IGNORECASE,
)


_CONVERT = "convert it to EPUB first, for example with Calibre"
_AS_DOCX = "save it as .docx, in Word or with LibreOffice: soffice --convert-to docx FILE"
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of a compound file: an old document of Office, or a new one that is encrypted."""
NOT_A_BOOK = "choose an EPUB, a PDF or a text file"
SAVE_AS = "save it as EPUB, PDF or plain text"  # what to do about a file of another kind


@dataclass(frozen=True, slots=True)
class Signature:
    """Bytes that mark a kind of file."""

    offset: int
    magic: bytes
    what: str  # the kind of file, with its article
    fix: str


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
    Signature(0, b"{\\rtf", "an RTF document", _AS_DOCX),
    Signature(0, _OLE_MAGIC, "an old Microsoft Office document (.doc)", _AS_DOCX),
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


@dataclass(frozen=True, slots=True)
class Markup:
    """How a text begins, read as markup."""

    is_xml: bool  # it begins with an XML declaration
    doctype: str  # in lower case, such as `doctype html`; empty if there is none
    root: str  # the name of the first element in lower case; empty if there is none


@dataclass(frozen=True, slots=True)
class Archive:
    """The directory of a ZIP archive."""

    names: frozenset[str]
    mimetype: bytes  # what its member `mimetype` holds; empty if there is none


@dataclass(frozen=True)  # without slots: cached properties need a `__dict__`
class Probe:
    """A file as the formats see it when they are asked whether they match."""

    path: Path
    head: bytes  # its first `HEAD_BYTES`

    @property
    def suffix(self) -> str:
        """The suffix of the file's name, in lower case; it counts only for texts that look the same."""
        return self.path.suffix.lower()

    @property
    def is_zip(self) -> bool:
        """Whether the file begins as a ZIP archive."""
        return self.head.startswith(b"PK")

    @cached_property
    def archive(self) -> Archive:
        """The directory of the ZIP archive that the file is.

        Raises:
            BookError: `damaged`; the archive is incomplete.
        """
        try:
            with zipfile.ZipFile(self.path) as archive:
                names = frozenset(archive.namelist())
                return Archive(names, archive.read("mimetype")[:100] if "mimetype" in names else b"")
        except (*DAMAGE, RuntimeError, ValueError) as error:
            raise damaged(self.path, "it is a ZIP archive that is damaged or truncated") from error

    @cached_property
    def signature(self) -> Signature | None:
        """The first signature of a kind of file that is not a book, or None."""
        return next((entry for entry in _SIGNATURES if self.head.startswith(entry.magic, entry.offset)), None)

    @cached_property
    def is_encrypted_office(self) -> bool:
        """Whether the file is an encrypted document of Microsoft Office, which is a compound file."""
        if not self.head.startswith(_OLE_MAGIC) or len(self.head) < _OLE_HEADER_BYTES:
            return False
        # MS-CFB: the header holds the size of sectors, as a power of two, and the number of the directory's
        # first sector. The header takes the place of a sector, but is not numbered.
        sector_bytes = 1 << min(int.from_bytes(self.head[30:32], "little"), _MAX_SECTOR_SHIFT)
        first_directory_sector = int.from_bytes(self.head[48:52], "little")
        with self.path.open("rb") as file:
            file.seek((first_directory_sector + 1) * sector_bytes)
            directory = file.read(_OLE_DIRECTORY_BYTES)
        return _ENCRYPTED_STREAM in directory or _ENCRYPTED_STREAM in self.head

    @cached_property
    def is_pdf_without_header(self) -> bool:
        """Whether the file consists of the objects of a PDF, without the header that begins it."""
        n_object_bytes = sum(len(match[0]) for match in _PDF_OBJECT.finditer(self.head))
        # More than half of the file: a text on PDF prints an object here and there.
        return 2 * n_object_bytes > len(self.head)

    @property
    def is_cut_off(self) -> bool:
        """Whether the file is too short for the format that its name says, and so looks like plain text."""
        is_too_short = len(self.head) < _MIN_BYTES.get(self.suffix, 0)
        return is_too_short and self.is_text and not self._is_xml_document

    @cached_property
    def is_text(self) -> bool:
        """Whether the file is text of some kind: plain, markup or source."""
        if self.is_zip or self.signature is not None or self.is_pdf_without_header:
            return False
        return looks_like_text(self.head)

    @cached_property
    def markup(self) -> Markup:
        """The declarations and the root element at the file's start."""
        # Markup is ASCII: without byte order mark and zero bytes it reads the same in every encoding.
        start = self.head.translate(None, b"\0\xef\xbb\xbf\xff\xfe").decode("latin-1").lstrip()
        match = _ROOT.match(start)
        doctype, root = match.group("doctype", "root") if match else ("", "")
        return Markup(start.startswith("<?xml"), (doctype or "").lower(), (root or "").lower())

    @property
    def is_plain_text(self) -> bool:
        """Whether the file is text, neither an XML document nor the beginning of a file of another format."""
        return self.is_text and not self.is_cut_off and not self._is_xml_document

    @property
    def _is_xml_document(self) -> bool:
        """Whether the file begins with an XML declaration that a root element follows."""
        return self.markup.is_xml and self.markup.root != ""
