"""XML and HTML as lxml trees, from untrusted bytes: no entity is expanded, no file or network touched."""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from html.entities import html5
from html.parser import HTMLParser
from typing import cast
from urllib.parse import unquote, urlsplit

from lxml import etree

from alexandria.extract.mojibake import mended

Element = etree._Element

OPS_TYPE = "{http://www.idpf.org/2007/ops}type"
"""The attribute `epub:type`."""

MADE = "data-alexandria-made"
"""The attribute of elements that the file does not have: a CFI does not count them."""
_NAMED_ENTITY = re.compile(rb"&([A-Za-z_][\w.:-]*;)")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*+)?>", re.DOTALL | re.IGNORECASE)
_DOCTYPE_BEGINS = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_REFERENCE = re.compile(rb"&#(?:[xX]([0-9A-Fa-f]+)|([0-9]+));?")
_XML_OWN = {b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"}
_ENCODING = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9_.:-]+)""")
_MISREAD = re.compile(rb"\xc3[\x82-\xb4][\xc2\xc5\xc6\xcb\xe2]")
"""In UTF-8, the beginning of each sequence of mojibake: Â to ô and a character above ASCII."""
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_PLAIN_LINK = re.compile(r"([\w.-][\w./-]*+)?(?:#([\w.:-]*+))?")
"""A link within the book without anything to unquote; it may be empty."""
_UNDECODABLE = re.compile("[\udc80-\udcff]")
# Where few of many elements are looked for, libxml2 finds them ten times as fast as Python.
_NAMED = etree.XPath("descendant-or-self::*[@id or @name]")
_LINKED = etree.XPath("descendant-or-self::*[@href]")
_TYPED = etree.XPath("descendant-or-self::*[@role or @*[local-name()='type' or local-name()='epub:type']]")
_RUBY_READINGS = ("rt", "rp")
_NONE: frozenset[str] = frozenset()
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)


class _LocalNames(dict[object, str]):
    """Local names by tag, each computed once."""

    def __missing__(self, tag: object) -> str:
        name = tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""
        self[tag] = name
        return name


_LOCAL_NAMES = _LocalNames()


@dataclass(frozen=True, slots=True)
class Document:
    """A content document: its path in the book and its tree."""

    path: str
    root: Element
    cfi: str = ""
    """How an EPUB CFI into the document begins: `/6/8!`; empty where there are none."""
    elements: Sequence[Element] = field(init=False, repr=False, compare=False)
    """All of its elements, so that they are held."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "elements", held(self.root))


def held(root: Element) -> Sequence[Element]:
    """Return all elements of a tree, in order; while they are held, a deep tree is walked in linear time.

    For each element that Python drops, lxml climbs to the nearest that it has not: otherwise to the root.
    """
    return list(root.iter())


def parse_xml(data: bytes, *, recover: bool = False) -> Element | None:
    """Return the root of an XML document, or None if it is not well-formed (with `recover`: not XML at all).

    HTML's named entities become characters. Declarations of the document are ignored, so that no entity
    expands; comments and processing instructions are removed.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(_without_entities(data), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is not None:
        etree.strip_tags(root, etree.Entity)
    return root


def refused_entities(data: bytes) -> tuple[str, ...]:
    """Return the names of entities that are neither XML's nor HTML's, each once: their text is missing.

    A document could declare them as another file or a billion words, so declarations are ignored.
    """
    # Without zero bytes UTF-16 reads as ASCII, which names are.
    markup = _without_doctype(data.replace(b"\0", b""))
    names = dict.fromkeys(match[1].decode("ascii") for match in _NAMED_ENTITY.finditer(markup))
    return tuple(name.removesuffix(";") for name in names if name not in html5)


def parse_xhtml(data: bytes) -> tuple[Element | None, bool]:
    """Return the root of a content document, and whether it was well-formed XML.

    Other markup is read as HTML, as repaired XML, or tag by tag, whichever first keeps all text: libxml2
    stops at markup nested some 256 levels deep, and its repairs stop at an undecodable byte.
    """
    root = parse_xml(data)
    if root is not None:
        return root, True
    text = _without_entities(decode_markup(data).encode("utf-8", "replace")).decode()
    soup = _SoupReader.read(text)
    n_visible = _n_visible(soup)
    for reading in (parse_html(text), parse_xml(data, recover=True)):
        # 1 %: parsers differ in whether a broken tag counts as text.
        if reading is not None and _n_visible(reading) >= 0.99 * n_visible:
            return reading, False
    return soup, False


def parse_html(text: str) -> Element | None:
    """Return the root of an HTML document, or None if it has none."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False
    )
    try:
        # As bytes: lxml rejects a str with an encoding declaration.
        data = _DECLARATION.sub("", text).encode("utf-8", "replace")
        return etree.fromstring(_REFERENCE.sub(_known, data), parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None


def mended_markup(data: bytes) -> tuple[bytes, int]:
    """Return markup without mojibake that is certain, and the number of places that only look like it."""
    if data.isascii() or _is_plain_utf8(data):
        return data, 0
    text = decode_markup(data)
    repaired = mended(text)
    if repaired.text == text:
        return data, repaired.n_doubtful
    # What it says of its encoding is true no longer.
    return _ENCODING.sub(
        b'encoding="utf-8"', repaired.text.encode("utf-8", "replace"), 1
    ), repaired.n_doubtful


def _is_plain_utf8(data: bytes) -> bool:
    """Return whether markup is UTF-8 in which no sequence of mojibake begins, without making it text."""
    declared = _ENCODING.search(data[:1024])
    if (declared and declared[1].lower() != b"utf-8") or _MISREAD.search(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def decode_markup(data: bytes) -> str:
    """Return markup as text, by its byte order mark, its declaration, or as UTF-8.

    Invalid bytes are read as Windows-1252, the most common encoding of stray characters.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    declared = _ENCODING.search(data[:1024])
    name = declared[1].decode("ascii") if declared else "utf-8"
    try:
        text = data.decode(name, "surrogateescape")
    except (LookupError, UnicodeError):
        text = data.decode("utf-8", "surrogateescape")
    return _UNDECODABLE.sub(_as_windows_1252, text).removeprefix("\ufeff")


def local_name(element: Element) -> str:
    """Return the element's name without namespace or prefix, in lower case; empty for comments."""
    return _LOCAL_NAMES[element.tag]


def types(element: Element) -> frozenset[str]:
    """Return the element's declared types: the words of `epub:type` and of its ARIA `role`, in lower case.

    The `doc-` roles share the vocabulary of `epub:type` and lose their prefix here.
    """
    declared = element.get(OPS_TYPE) or element.get("epub:type") or ""
    role = element.get("role") or ""
    if not declared and not role:  # as of most elements
        return _NONE
    if not role:
        return _words(declared)
    return _words(declared) | {word.removeprefix("doc-") for word in _words(role)}


def classes(element: Element) -> frozenset[str]:
    """Return the words of the element's `class`, in lower case."""
    words = element.get("class")
    return _words(words) if words else _NONE


@lru_cache(maxsize=1024)  # a book uses the same few for all of its elements
def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


def identifier(element: Element) -> str | None:
    """Return the name that links use for the element: its id, or the `name` of an old anchor."""
    if id := element.get("id"):
        return id
    name = element.get("name")  # asked first: most elements have neither
    return name if name and local_name(element) == "a" else None


def named_elements(root: Element) -> Sequence[Element]:
    """Return the elements of a tree that links can lead to, in order, with some that have a `name` only."""
    return cast(list[Element], _NAMED(root))


def linked_elements(root: Element) -> Sequence[Element]:
    """Return the elements of a tree that have a `href`, in order."""
    return cast(list[Element], _LINKED(root))


def typed_elements(root: Element) -> Sequence[Element]:
    """Return all elements of a tree that have `types`, in order, among others."""
    return cast(list[Element], _TYPED(root))


def text_of(element: Element) -> str:
    """Return all text inside the element except ruby annotations, with white space collapsed."""
    if not len(element):  # as of most marks and links
        return " ".join((element.text or "").split())
    return " ".join("".join(_texts(element)).split())


def short_text_of(element: Element, most: int) -> str | None:
    """Return what `text_of` does, or None if it has more than `most` characters, without reading them all."""
    parts: list[str] = []
    n = 0
    for text in _texts(element) if len(element) else (element.text or "",):
        n += len(text.strip())
        if n > most:
            return None
        parts.append(text)
    return " ".join("".join(parts).split())


def has_text(element: Element) -> bool:
    """Return whether `text_of` is not empty, without reading all of a large element."""
    text = element.text
    if text and not text.isspace():
        return True
    return len(element) > 0 and any(text.strip() for text in _texts(element))


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    events = etree.iterwalk(element, events=("start", "end"))
    for event, each in events:
        if event == "end":
            yield each.tail or "" if each is not element else ""
        elif local_name(each) in _RUBY_READINGS:
            events.skip_subtree()
        elif each is not element:
            yield each.text or ""


def body_of(root: Element) -> Element:
    """Return the body of a document, or the root if it has none (SVG, a fragment)."""
    return next((e for e in root.iter() if local_name(e) == "body"), root)


def resolve(base: str, href: str) -> tuple[str, str] | None:
    """Return the path and fragment that a link in the file `base` leads to, or None if it leaves the book.

    A leading slash is the container's root; `..` never climbs above it.
    """
    if plain := _PLAIN_LINK.fullmatch(href):  # as most are
        path, fragment = plain.groups("")
        return _joined(base, path) if path else base, fragment
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return None
    fragment = unquote(parts.fragment)
    if not parts.path:
        return base, fragment
    return _joined(base, unquote(parts.path)), fragment


@lru_cache(maxsize=1024)
def _joined(base: str, path: str) -> str:
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), path)).lstrip("/")


@lru_cache(maxsize=1024)
def fold(path: str) -> str:
    """Return the path in the form in which names that do not match exactly are compared."""
    return unicodedata.normalize("NFC", unquote(path)).casefold()


def _without_entities(data: bytes) -> bytes:
    """Return markup without declarations, with HTML's entities as numeric references, which XML knows."""
    return _REFERENCE.sub(_known, _NAMED_ENTITY.sub(_numeric, _without_doctype(data)))


def _without_doctype(data: bytes) -> bytes:
    """Return markup without its first declaration, unless that has no end: then no other is looked for."""
    begins = _DOCTYPE_BEGINS.search(data)
    match = begins and _DOCTYPE.match(data, begins.start())
    return data[: match.start()] + data[match.end() :] if match else data


def _known(match: re.Match[bytes]) -> bytes:
    """Return a numeric reference, or one to U+FFFD if there is no such character.

    libxml2's repairs accept surrogates as characters, and lxml then fails to return them.
    """
    digits = match[1] or match[2]
    # Eight digits suffice for every character; Python refuses numbers with thousands of digits.
    code = int(digits[-8:], 16 if match[1] else 10) if len(digits.lstrip(b"0")) <= 8 else -1
    return match[0] if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else b"&#xFFFD;"


def _numeric(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name in _XML_OWN:
        return match[0]
    characters = html5.get(name.decode("ascii"))
    return "".join(f"&#{ord(c)};" for c in characters or "").encode()


def _as_windows_1252(match: re.Match[str]) -> str:
    byte = ord(match[0]) - 0xDC00
    # What it does not define is a control in practice, as in browsers: a piece of misread UTF-8.
    return bytes([byte]).decode("cp1252", "ignore") or chr(byte)


def _n_visible(root: Element) -> int:
    elements = held(root)
    body = next((element for element in elements if local_name(element) == "body"), root)
    return len("".join(text_of(body).split()))


class _SoupReader(HTMLParser):
    """Reads tags one by one, at any depth; an end tag closes all back to the last start tag of its name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._root = etree.Element("html")
        self._open: list[Element] = [self._root]
        self._n_open: Counter[str] = Counter()
        # Joined at the next tag: each stray `<` arrives alone, and a text that grew by each would be copied
        # as often.
        self._text: list[str] = []
        self._missing: set[str] = set()
        """Ends that do not come any more: each of many comments would look for one in vain."""

    @classmethod
    def read(cls, text: str) -> Element:
        reader = cls()
        # After the last `>` all is text; the library would look for one again from each `<!`.
        markup, end, rest = _DECLARATION.sub("", text).rpartition(">")
        reader.feed(markup + end)
        reader.close()
        if reader.cdata_elem is None:  # otherwise it belongs to a script
            reader.handle_data(unescape(rest))
        reader._add_text()
        return reader._root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "html":
            return
        self._add_text()
        element = etree.SubElement(self._open[-1], re.sub(r"[^a-zA-Z0-9_.-]", "-", tag))
        for name, value in attrs:
            if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name):
                element.set(name, legal(value or ""))
            elif name == "epub:type":
                element.set(OPS_TYPE, legal(value or ""))
        if tag not in _VOID:
            self._open.append(element)
            self._n_open[element.tag] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        depth = len(self._open)
        self.handle_starttag(tag, attrs)
        self._close_from(max(depth, 1))

    def handle_endtag(self, tag: str) -> None:
        if not self._n_open[tag]:  # looked for in vain, each of many would pass all that are open
            return
        for i in range(len(self._open) - 1, 0, -1):
            if self._open[i].tag == tag:
                self._close_from(i)
                return

    def _close_from(self, depth: int) -> None:
        self._add_text()
        self._n_open.subtract(element.tag for element in self._open[depth:])
        del self._open[depth:]

    def parse_comment(self, i: int, report: bool = True) -> int:
        end = -1 if "-->" in self._missing else super().parse_comment(i, report)
        if end < 0:
            self._missing.add("-->")
        return end

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        # The library's own method drops the content of CDATA, and fails an assertion on an unknown keyword.
        cdata = self.rawdata.startswith("<![CDATA[", i)
        mark = "]]>" if cdata else ">"
        end = -1 if mark in self._missing else self.rawdata.find(mark, i)
        if end < 0:
            self._missing.add(mark)
            return -1
        if cdata:
            self.handle_data(self.rawdata[i + len("<![CDATA[") : end])
        return end + len(mark)

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def _add_text(self) -> None:
        """Put the text since the last tag into the tree."""
        text, self._text = legal("".join(self._text)), []
        parent = self._open[-1]
        if not text:
            return
        last = next(parent.iterchildren(reversed=True), None)  # lxml counts children for `len`, one by one
        if last is not None:
            last.tail = (last.tail or "") + text
        else:
            parent.text = (parent.text or "") + text


def legal(text: str) -> str:
    """Return the text without the characters that XML 1.0 forbids."""
    # lxml rejects what XML 1.0 forbids: controls, lone surrogates, U+FFFE and U+FFFF.
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)
