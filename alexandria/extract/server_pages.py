"""Recognises what a server sends instead of a book: an error, a login page, a pointer to the file."""

import re
from html import unescape

from alexandria.book import count_words
from alexandria.extract.clean import one_line
from alexandria.extract.words import read_words

_BOOK_SUFFIXES = {
    *(".pdf", ".epub", ".mobi", ".azw", ".azw3", ".prc", ".docx", ".docm", ".odt", ".ott", ".djvu", ".fb2")
}
"""Of formats that are no HTML: a page with such a name is not what was asked for."""
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
_MAX_WORDS = 400
"""Words of a page that a server sends: more are a text."""
_MAX_NAMED = 80
"""Characters of the page's title in a message."""
_POINTERS = {
    b"version https://git-lfs.github.com/spec/": "a pointer of Git LFS to the file",
    b"<fulfillmentToken": "a token of Adobe (ACSM) by which a book with DRM is fetched",
}
_POINTER_REACH = 200
"""Bytes in which a pointer begins: an XML declaration may precede it."""


def describe_server_page(head: bytes, suffix: str, *, is_html: bool) -> str | None:
    """Return what a text is if a server sent it instead of the book, with its article; otherwise None.

    An HTML page with the name of a PDF or an EPUB is one if it is short; any other page must also speak of an
    error, or ask for a password; any other text must say nothing but an error, unless it has such a name.

    Args:
        head: the beginning of the file.
        suffix: of its name, in lower case.
        is_html: it is an HTML page.
    """
    if pointer := next((what for sign, what in _POINTERS.items() if sign in head[:_POINTER_REACH]), None):
        return f"{pointer}, not the file itself"
    source = _HIDDEN.sub(" ", head.decode("utf-8", "replace"))
    text = one_line(unescape(_TAG.sub(" ", source)))
    named_as_book = suffix in _BOOK_SUFFIXES
    is_html = is_html or (named_as_book and _MARKUP.match(source) is not None)
    if count_words(text) > _MAX_WORDS:
        return None
    title = next((one_line(unescape(_TAG.sub(" ", a or b))) for a, b in _TITLE.findall(source) if a or b), "")
    is_error = _ERROR.search(f"{title} {text[:_MAX_NAMED]}") is not None
    if not is_html:
        is_error = bool(_SHORT_ERROR.fullmatch(text)) or (is_error and named_as_book)
        is_answer = text.startswith("{") and re.search(r'"(?:error|message|detail)"\s*:', text) is not None
        return f"a server's answer: {text[:_MAX_NAMED]}" if is_error or is_answer else None
    is_login = not is_error and _PASSWORD.search(source) is not None
    if not (named_as_book or is_error or is_login):
        return None
    kind = "a login page" if is_login or (not is_error and _LOGIN.search(source)) else "an HTML page"
    return f"{kind}: {(title or text)[:_MAX_NAMED]}".rstrip(": ")
