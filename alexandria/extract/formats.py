"""The formats that books are read from.

To add one: write `extract/<format>.py` with `extract(path, options) -> Draft`, and add a record to `FORMATS`.
An installed package offers its record as an entry point of the group `alexandria.formats`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alexandria.extract.draft import Draft
from alexandria.extract.options import ReadOptions
from alexandria.extract.probe import Probe
from alexandria.system.annexes import load
from alexandria.system.plugins import Registry

ENTRY_POINTS = "alexandria.formats"
"""The group of entry points by which packages offer formats."""
EPUB_MIMETYPE = b"application/epub+zip"
_ODT_MIMETYPE = b"application/vnd.oasis.opendocument.text"  # templates and masters begin like this

_MAX_TEXT_BYTES = 64 << 20  # bytes of a text without pictures: the largest genuine one we have met has 50 MB
_PDF_REACH = 1024  # bytes that may precede the header, as PDF readers have always allowed


@dataclass(frozen=True, slots=True)
class Format:
    """A format that books are read from."""

    name: str
    suffixes: tuple[str, ...]
    """Of its files, in lower case, the usual one first."""
    matches: Callable[[Probe], bool]
    """Returns whether a file is of this format; bytes decide, names only among texts that look the same."""
    libraries: tuple[str, ...] = ()
    """Distributions that read it, the parser first: another version may read a file differently."""
    module: str = ""
    """Holds `extract(path, options) -> Draft`; if empty, the module of this package with the format's name.

    Imported on first need, since parsers are slow to import."""
    in_parts: bool = False
    """Its files are read in parts, each with a limit of its own; files of other formats are read whole."""
    in_folders: bool = True
    """A folder is searched for its suffixes."""
    largest_bytes: int = 256 << 20
    """Size limit for a file that is read whole; most of such an HTML or FB2 file is pictures."""

    def extractor(self) -> Callable[[Path, ReadOptions], Draft]:
        """Return the function that reads a file of this format.

        Raises:
            MissingAnnexError: this build has none.
        """
        function: Callable[[Path, ReadOptions], Draft] = load(
            self.module or f"{__package__}.{self.name}"
        ).extract
        return function


def _is_epub(probe: Probe) -> bool:
    """Return whether a file is an EPUB, even one whose archive is truncated."""
    if not probe.is_zip:
        return False
    # The head is examined first, as the archive of a truncated file cannot be opened. The specification puts
    # the member `mimetype` first and unpacked: even half an EPUB shows what it is.
    if EPUB_MIMETYPE in probe.head[:128] or b"META-INF/container.xml" in probe.head:
        return True
    has_container = any(name.lower() == "meta-inf/container.xml" for name in probe.archive.names)
    return has_container or probe.archive.mimetype.strip() == EPUB_MIMETYPE


def _is_docx(probe: Probe) -> bool:
    """Return whether a file is a Word document: a ZIP archive with the members that such a file has."""
    if not probe.is_zip:
        return False
    names = [name.lower() for name in probe.archive.names]
    return "[content_types].xml" in names and any(name.startswith("word/document") for name in names)


def _is_odt(probe: Probe) -> bool:
    return probe.is_zip and probe.archive.mimetype.startswith(_ODT_MIMETYPE)


def _is_mobi(probe: Probe) -> bool:
    return probe.head[60:68] in (b"BOOKMOBI", b"TEXtREAd")


def _is_pdf(probe: Probe) -> bool:
    return not probe.is_zip and re.search(rb"%PDF-\d", probe.head[:_PDF_REACH]) is not None


def _is_html(probe: Probe) -> bool:
    markup = probe.markup
    if probe.is_text and (markup.doctype.endswith(" html") or markup.root in {"html", "head", "body"}):
        return True
    # Among texts that begin with any other tag, the name decides.
    has_suffix = probe.suffix in {".html", ".htm", ".xhtml"}
    return has_suffix and probe.is_plain_text and markup.root != "" and not _is_fb2(probe)


def _is_fb2(probe: Probe) -> bool:
    return probe.is_text and probe.markup.root == "fictionbook"


def _is_markdown(probe: Probe) -> bool:
    return probe.is_plain_text and probe.suffix in {".md", ".markdown"}


def _is_txt(probe: Probe) -> bool:
    return probe.is_plain_text


def _by_name(*formats: Format) -> Mapping[str, Format]:
    return {format.name: format for format in formats}


LATEX = Format("latex", suffixes=(".tex", ".ltx"), matches=_is_txt, libraries=("lxml", "chardet"))
"""Read as such only for `check`: to `ingest`, these files are plain text."""

FORMATS: Mapping[str, Format] = Registry(
    ENTRY_POINTS,
    _by_name(
        Format("epub", suffixes=(".epub",), matches=_is_epub, libraries=("lxml", "chardet"), in_parts=True),
        Format(
            "mobi", suffixes=(".mobi", ".azw3", ".azw", ".prc", ".pdb"), matches=_is_mobi, libraries=("lxml",)
        ),
        Format(
            "pdf",
            suffixes=(".pdf",),
            matches=_is_pdf,
            module="alexandria.extract.pdf.document",
            libraries=("pypdfium2", "pypdf"),
            in_parts=True,
        ),
        Format("html", suffixes=(".html", ".htm", ".xhtml"), matches=_is_html, libraries=("lxml", "chardet")),
        Format("fb2", suffixes=(".fb2",), matches=_is_fb2, libraries=("lxml", "chardet")),
        Format("docx", suffixes=(".docx", ".docm", ".dotx", ".dotm"), matches=_is_docx, libraries=("lxml",)),
        Format("odt", suffixes=(".odt", ".ott"), matches=_is_odt, libraries=("lxml",)),
        Format(
            "markdown",
            suffixes=(".md", ".markdown"),
            matches=_is_markdown,
            libraries=("markdown-it-py", "mdit-py-plugins", "lxml", "chardet"),
            largest_bytes=_MAX_TEXT_BYTES,
        ),
        Format(
            "txt",
            suffixes=(".txt", ".text"),
            matches=_is_txt,
            module="alexandria.extract.text",
            libraries=("chardet",),
            largest_bytes=_MAX_TEXT_BYTES,
        ),
    ),
    kind="format",
    accepts=lambda entry: isinstance(entry, Format),
)
"""By name, in the order in which a file is compared with them; then those that installed packages add."""


@cache
def folder_suffixes() -> frozenset[str]:
    """Return the suffixes of the files that are read from a folder.

    A file that is given by its own path may have any suffix: its bytes decide.
    """
    return frozenset(suffix for format in FORMATS.values() if format.in_folders for suffix in format.suffixes)
