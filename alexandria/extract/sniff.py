"""Recognises the format of a file by its bytes, not by its name; refuses server pages and cut-off files."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from alexandria.book.model import count_words
from alexandria.errors import BookError, Code
from alexandria.extract.clean import one_line
from alexandria.extract.formats import FORMATS, Format
from alexandria.extract.probe import NOT_A_BOOK, SAVE_AS, Probe
from alexandria.extract.refusals import damaged, locked, unsupported
from alexandria.extract.words import read_words

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif")
_READ_PICTURES = "unpack it, and make a PDF with a text layer, for example with img2pdf and ocrmypdf"
_BOOK_SUFFIXES = {
    *(".pdf", ".epub", ".mobi", ".azw", ".azw3", ".prc", ".docx", ".docm", ".odt", ".ott", ".djvu", ".fb2")
}  # of formats that are no HTML: a page with such a name is not what was asked for
_WORDS = read_words("server_pages")
_ERROR = re.compile(rf"\b(?:{_WORDS['error']})\b|{_WORDS['unspaced']}", re.I)
_SHORT_ERROR = re.compile(
    r"(?:[45]\d\d\W+)?(?:internal server error|bad gateway|service unavailable|too many requests|not found|"
    r"forbidden|gone)\.?",
    re.I,
)
_MARKUP = re.compile(r"\s*<(?:br|b|p|div|h\d|font|center|table|title|script|span|pre)\b[^>]*>", re.I)
"""The beginning of a page without a head, such as PHP's message of an error."""
_PASSWORD = re.compile(r"<input[^>]+type=[\"']?password", re.I)
_LOGIN = re.compile(r"\b(?:log ?in|sign ?in|anmelden|einloggen|connexion|iniciar sesi[óo]n)\b", re.I)
# What is not closed reaches to the end: otherwise each further beginning would be searched to it again.
_HIDDEN = re.compile(r"<(script|style|noscript|template)\b(?:.*?</\1\s*>|.*)|<!--(?:.*?-->|.*)", re.I | re.S)
_TITLE = re.compile(r"<title[^>]{0,200}>(.{0,500}?)</title|<h1[^>]{0,200}>(.{0,500}?)</h1", re.I | re.S)
_TAG = re.compile(r"<[^>]*>")
_MAX_WORDS = 400  # words of a page that a server sends: more are a text
_MAX_NAMED = 80  # characters of the page's title in a message
_POINTERS = {b"version https://git-lfs.github.com/spec/": "a pointer of Git LFS to the file"}
_LICENCE = b"<fulfillmentToken"
_CLIPPINGS = re.compile(
    rb"(?:\xef\xbb\xbf)?[^\r\n]+\r?\n- [^\r\n]+\|[^\r\n]+(?:\r?\n[^\r\n]*){1,60}?\r?\n={10}\r?\n"
)  # the first entry of "My Clippings.txt", in any language: a title, where and when, the words, a line
_POINTER_REACH = 200  # bytes in which a pointer begins: an XML declaration may precede it


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
    _refuse_by_name(probe)
    for format in _candidates():
        if format.matches(probe):
            _refuse_server_page(probe, format)
            return format
    if probe.is_cut_off or probe.is_pdf_without_header:
        raise _cut_off_error(probe)
    if probe.is_encrypted_office:
        raise locked(
            path,
            "it is a Word or other Microsoft Office document encrypted with a password",
            "open it in Word or LibreOffice, and save it without a password",
        )
    why, fix = _describe_unknown(probe)
    raise unsupported(path, why, fix)


def _refuse_by_name(probe: Probe) -> None:
    """Refuse what is about books, and is none: a list of highlights, a token by which a book is fetched."""
    if _CLIPPINGS.match(probe.head):
        why = "it is a Kindle's list of highlights, not a book"
        raise unsupported(probe.path, why, "alexandria check FILE compares the highlights with your books")
    if _LICENCE in probe.head[:_POINTER_REACH]:
        why = "it is a token of Adobe (ACSM) by which a book is fetched, not the book itself"
        raise unsupported(
            probe.path,
            why,
            "open it in Adobe Digital Editions; a book with DRM cannot be read, one without can",
        )


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


def _cut_off_error(probe: Probe) -> BookError:
    """Return the error of a file that lacks its end, or of a PDF that lacks its beginning."""
    if not probe.is_cut_off:
        return damaged(probe.path, "it is a PDF whose beginning is missing")
    return damaged(probe.path, f"it has only {len(probe.head)} byte{'s' if len(probe.head) > 1 else ''}")


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
    if not probe.head.strip(b"\0"):
        return "it holds only zero bytes, as a download that was not finished", "download the file again"
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


def describe_server_page(head: bytes, suffix: str, *, is_html: bool) -> str | None:
    """Return what a text is if a server sent it instead of the book, with its article; otherwise None.

    A page of HTML is a server's if it is short and has the name of a PDF or an EPUB, speaks of an error, or
    asks for a password. Any other text is one if it states an error and nothing else, or has such a name.

    Args:
        suffix: of its name, in lower case.
    """
    pointer = next((what for sign, what in _POINTERS.items() if sign in head[:_POINTER_REACH]), None)
    if pointer:
        return f"{pointer}, not the file itself"
    source = _HIDDEN.sub(" ", head.decode("utf-8", "replace"))
    text = _without_tags(source)
    if count_words(text) > _MAX_WORDS:
        return None
    is_named_as_book = suffix in _BOOK_SUFFIXES
    title = next((_without_tags(a or b) for a, b in _TITLE.findall(source) if a or b), "")
    names_error = _ERROR.search(f"{title} {text[:_MAX_NAMED]}") is not None
    if not is_html and not (is_named_as_book and _MARKUP.match(source)):
        is_error = _SHORT_ERROR.fullmatch(text) or (names_error and is_named_as_book)
        is_json = text.startswith("{") and re.search(r'"(?:error|message|detail)"\s*:', text)
        return f"a server's answer: {text[:_MAX_NAMED]}" if is_error or is_json else None
    is_login = not names_error and _PASSWORD.search(source) is not None
    if not (is_named_as_book or names_error or is_login):
        return None
    kind = "a login page" if is_login or (not names_error and _LOGIN.search(source)) else "an HTML page"
    return f"{kind}: {(title or text)[:_MAX_NAMED]}".rstrip(": ")


def _without_tags(source: str) -> str:
    """Return the text of markup on one line."""
    return one_line(unescape(_TAG.sub(" ", source)))
