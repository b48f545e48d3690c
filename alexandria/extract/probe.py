"""What a file shows before it is read: its first bytes, the members of a ZIP archive, its root element."""

import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from alexandria.errors import BookError, Code
from alexandria.extract.encoding import looks_like_text
from alexandria.extract.signatures import Signature, find_signature

HEAD_BYTES = 64 * 1024

# The first element's name, after declarations and comments. Atomic groups: a hostile prolog stays linear.
_ROOT = re.compile(
    r"\s*+(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*+(?:<!(?P<doctype>doctype\s+[\w:.-]+)(?>[^\[>]*(?:\[.*?\]\s*+)?>)\s*+)?"
    r"(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*+(?:<(?P<root>[\w:.-]+))?",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Markup:
    """How a text begins, read as markup."""

    is_xml: bool
    """It begins with an XML declaration."""
    doctype: str
    """In lower case, such as `doctype html`; empty if there is none."""
    root: str
    """The name of the first element in lower case; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The directory of a ZIP archive."""

    names: frozenset[str]
    mimetype: bytes
    """What its member `mimetype` holds; empty if there is none."""


@dataclass(frozen=True)  # without slots, which cached properties cannot do with
class Probe:
    """A file as the formats see it when they are asked whether they match."""

    path: Path
    head: bytes
    """Its first `HEAD_BYTES`."""

    @property
    def suffix(self) -> str:
        """The suffix of the file's name, in lower case: for texts that do not show what they are."""
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
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            RuntimeError,
            OSError,
            EOFError,
            ValueError,
        ) as error:
            raise BookError(
                f"cannot read {self.path}",
                why="it is a ZIP archive that is damaged or truncated",
                fix="download or copy the file again",
                code=Code.DAMAGED,
            ) from error

    @cached_property
    def signature(self) -> Signature | None:
        """The signature of a kind of file that is not a book, or None."""
        return find_signature(self.head)

    @cached_property
    def is_text(self) -> bool:
        """Whether the file is text of some kind: plain, markup or source."""
        return not self.is_zip and self.signature is None and looks_like_text(self.head)

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
        """Whether the file is text and not an XML document."""
        return self.is_text and not (self.markup.is_xml and self.markup.root)
