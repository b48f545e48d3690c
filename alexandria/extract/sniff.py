"""Recognises the format of a file by its bytes, not by its name."""

from collections.abc import Iterator
from pathlib import Path

from alexandria.errors import BookError, Code
from alexandria.extract.formats import FORMATS, Format
from alexandria.extract.probe import Probe
from alexandria.extract.refusals import damaged, locked, unsupported
from alexandria.extract.server_pages import describe_server_page
from alexandria.extract.signatures import NOT_A_BOOK, SAVE_AS

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif")
_READ_PICTURES = "unpack it, and make a PDF with a text layer, for example with img2pdf and ocrmypdf"


def sniff(path: Path, head: bytes) -> Format:
    """Return the format of a file that begins with `head`.

    Markdown is plain text by its bytes, and so is HTML without a head: only among texts do suffixes such as
    `.md` and `.html` count.

    Raises:
        BookError: `empty`; `unsupported`, with what the file seems to be, such as a server's error page;
            `damaged` for a ZIP archive that is cut off before its content shows, and for a PDF without its
            first bytes.
    """
    if not head:
        raise BookError(f"cannot read {path}", why="the file is empty", fix="check the file", code=Code.EMPTY)
    probe = Probe(path, head)
    for format in _candidates():
        if format.matches(probe):
            _refuse_server_page(probe, format)
            return format
    if probe.is_cut_off or probe.is_pdf_without_header:
        raise _incomplete_error(probe)
    if probe.is_encrypted_office:
        raise locked(
            path,
            "it is a Word or other Microsoft Office document encrypted with a password",
            "open it in Word or LibreOffice, and save it without a password",
        )
    why, fix = _describe_unknown(probe)
    raise unsupported(path, why, fix)


def _refuse_server_page(probe: Probe, format: Format) -> None:
    """Refuse the page that a server sent instead of the book, such as "403 Forbidden"."""
    is_html = format.name == "html"
    if not is_html and format.name != "txt":
        return
    if page := describe_server_page(probe.head, probe.suffix, is_html=is_html):
        raise unsupported(
            probe.path,
            f"it is {page}",
            "download the file again; in a browser, if its site asks you to log in",
        )


def _incomplete_error(probe: Probe) -> BookError:
    if probe.is_cut_off:
        n_bytes = len(probe.head)
        why = f"it has only {n_bytes} byte{'s' if n_bytes > 1 else ''}"
    else:
        why = "it is a PDF whose beginning is missing"
    return damaged(probe.path, why)


def _candidates() -> Iterator[Format]:
    """Yield the formats in the order in which they are tried: plain text, which any text matches, is last."""
    yield from (format for name, format in FORMATS.items() if name != "txt")
    yield FORMATS["txt"]


def _describe_unknown(probe: Probe) -> tuple[str, str]:
    """Return what a file in no known format seems to be, and what to do about it."""
    if probe.is_zip:
        return _describe_unknown_zip(probe)
    if probe.signature:
        return f"it is {probe.signature.what}", probe.signature.fix
    if not probe.is_text:
        return "it is binary data of an unknown kind", NOT_A_BOOK
    return f"it is an XML document of another kind (<{probe.markup.root}>)", SAVE_AS


def _describe_unknown_zip(probe: Probe) -> tuple[str, str]:
    """Return what a ZIP archive in no known format seems to be, and what to do about it."""
    if any(name.startswith(("xl/", "ppt/")) for name in probe.archive.names):
        return "it is a workbook or a presentation of Microsoft Office", SAVE_AS
    if probe.archive.mimetype.startswith(b"application/vnd.oasis.opendocument"):
        return "it is an OpenDocument file, but not a text", SAVE_AS
    files = [name for name in probe.archive.names if not name.endswith(("/", ".xml"))]
    if files and all(name.lower().endswith(_PICTURES) for name in files):
        return "it is a comic (.cbz) or another archive of pictures", _READ_PICTURES
    return "it is a ZIP archive, but not an EPUB", "unpack it first"
