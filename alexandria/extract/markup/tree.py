"""Parses XML and HTML from untrusted bytes into lxml trees, and reads text, names and links from them.

No entity that a document declares is expanded; no file is opened and no network connection is made.
"""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from html import unescape
from html.entities import html5
from html.parser import HTMLParser
from typing import cast
from urllib.parse import unquote, urlsplit

from lxml import etree

from alexandria.extract.encoding import decode
from alexandria.extract.mojibake import mend_mojibake

Element = etree._Element

OPS_TYPE = "{http://www.idpf.org/2007/ops}type"  # the attribute `epub:type`

MADE = "data-alexandria-made"  # of elements that are not in the file but were added: a CFI skips them
SPACE = "alexandria-space"  # the name of an element added here for a space that the file does not have
VERSE = "data-alexandria-verse"  # added to an element with which a verse begins: `16`, `3:16`, `Gen 3:16`
_NAMED_ENTITY = re.compile(rb"&([A-Za-z_][\w.:-]*;)")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*+)?>", re.DOTALL | re.IGNORECASE)
_DOCTYPE_BEGINS = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_REFERENCE = re.compile(rb"&#(?:[xX]([0-9A-Fa-f]+)|([0-9]+));?")
_CHARACTER_DATA_OR_STRAY_SIGN = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rb"|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#[xX][0-9A-Fa-f]+);)|<(?![A-Za-z_:/!?\x80-\xff])",
    re.DOTALL,
)
"""A section of character data, or outside of one, an ampersand that begins no reference or a `<` that begins
no tag."""
_ESCAPES = {b"&": b"&amp;", b"<": b"&lt;"}
_XML_ENTITIES = {b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"}
_DECLARED_ENCODING = re.compile(
    rb"""(<(?i:\?xml|meta)\b[^<>]*?\b(?:encoding|charset)\s*=\s*["']?)([A-Za-z0-9_.:-]+)"""
)  # only in tags that declare an encoding: the text, or a link to a script, may name one too
_HEAD_BYTES = 1024  # bytes at the beginning of a document that are searched for its encoding, as browsers do
_MISREAD = re.compile(rb"\xc3[\x82-\xb4][\xc2\xc5\xc6\xcb\xe2]")
"""In UTF-8, the beginning of each sequence of mojibake: Â to ô and a character above ASCII."""
_UNKNOWN_CHARACTER = b"&#xFFFD;"
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_PLAIN_LINK = re.compile(r"([\w.-][\w./-]*+)?(?:#([\w.:-]*+))?")
"""A link within the book without anything to unquote; it may be empty."""
_TAG = re.compile("<[^<>]*>")
_MAX_STRAY_SHARE = 0.4  # largest share of the characters that are stray bytes, or accents of a Latin script
_MIN_GUESSED = 20  # undecodable bytes that show an encoding; a row of ornaments (• • •) has fewer
_UNDECODABLE = re.compile("[\udc80-\udcff]")
# XPath: libxml2 finds a few elements among many ten times as fast as a loop in Python.
_NAMED = etree.XPath("descendant-or-self::*[@id or @name]")
_LINKED = etree.XPath("descendant-or-self::*[@href]")
_TYPED = etree.XPath("descendant-or-self::*[@role or @*[local-name()='type' or local-name()='epub:type']]")
_RUBY_READINGS = ("rt", "rp")
_MIN_SHARE_OF_TEXT = 0.99  # share of the characters that a parser must keep; a broken tag may be text
_MAX_NAMED_ENTITIES = 3  # entities that a warning names
_MAX_DIGITS = 8  # digits of a numeric reference; Python refuses to parse thousands of digits
_NO_WORDS: frozenset[str] = frozenset()
_NEVER_SHOWN = ("head", "script", "style")
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
    cfi: str = ""  # how an EPUB CFI into the document begins: `/6/8!`; empty in other formats
    elements: Sequence[Element] = field(init=False, repr=False, compare=False)
    """All elements of the tree: see `all_elements` for why a document keeps references to them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "elements", all_elements(self.root))


def all_elements(root: Element) -> Sequence[Element]:
    """Return all elements of a tree, in document order.

    Keep the result while you walk a deep tree: whenever Python drops its last reference to an element, lxml
    climbs to the nearest ancestor that Python still refers to, which makes the walk quadratic.
    """
    return list(root.iter())


def parse_xml(data: bytes, *, recover: bool = False) -> Element | None:
    """Return the root of an XML document, or None if it is not well-formed (with `recover`: not XML at all).

    HTML's named entities become characters. The document type declaration is ignored, so that no entity is
    expanded; comments and processing instructions are removed.

    Raises:
        MemoryError: the memory is too small for the tree.
    """
    markup = _with_numeric_references(data)
    root = _parse_as_xml(markup, recover=False)
    if root is None and recover:
        root = _parse_as_xml(_with_escaped_signs(markup), recover=True)
    return root


def _parse_as_xml(markup: bytes, *, recover: bool) -> Element | None:
    """Return the root of XML whose named entities are replaced, or None if it cannot be read."""
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
        root = _parse(markup, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is not None:
        etree.strip_tags(root, etree.Entity)
    return root


def _parse(markup: bytes, parser: etree.XMLParser | etree.HTMLParser) -> Element | None:
    """Return the root of a document as a parser reads it, or None if it has none.

    Raises:
        MemoryError: the memory is too small for the tree; lxml reports that as an error of syntax.
    """
    try:
        return etree.fromstring(markup, parser)
    except etree.XMLSyntaxError as error:
        # Its `code` is that of the first error, after which a repair may have gone on.
        last = error.error_log.last_error  # type: ignore[attr-defined]  # not in its stubs
        if last is not None and last.type == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        raise


def find_refused_entities(data: bytes) -> tuple[str, ...]:
    """Return the names of the entities that neither XML nor HTML defines, each once.

    They cannot be replaced, so that their text is missing from the book: a document could declare such an
    entity to be another file or a billion words, and its declarations are ignored.
    """
    # Without its zero bytes, UTF-16 reads as ASCII, and names of entities are ASCII.
    markup = _without_doctype(data.replace(b"\0", b""))
    names = dict.fromkeys(match[1].decode("ascii") for match in _NAMED_ENTITY.finditer(markup))
    return tuple(name.removesuffix(";") for name in names if name not in html5)  # its keys end in ";" too


def warn_of_entities(data: bytes) -> str:
    """Return the warning that markup declares entities, which are not expanded; empty if it has none."""
    refused = find_refused_entities(data)
    names = ", ".join(f"&{name};" for name in refused[:_MAX_NAMED_ENTITIES])
    their = "its" if len(refused) == 1 else "their"
    return f"declares {names} itself: not expanded, so {their} text is missing" if names else ""


def parse_xhtml(data: bytes) -> tuple[Element | None, bool]:
    """Return the root of a content document, and whether it was well-formed XML, all of its text in its body.

    Other markup is read as HTML, then as repaired XML, then tag by tag, until one reading keeps all text:
    libxml2 stops at markup nested some 256 levels deep, and its repairs stop at an undecodable byte.
    """
    root = parse_xml(data)
    if root is not None and not _has_text_outside_body(root):
        return root, True
    text = _with_numeric_references(decode_markup(data).encode("utf-8", "replace")).decode()
    soup = _SoupParser.parse(text)  # keeps all text, but does not repair the structure as the others do
    min_characters = _MIN_SHARE_OF_TEXT * _count_visible_characters(soup)
    repairs: tuple[Callable[[], Element | None], ...] = (
        partial(parse_html, text),
        partial(parse_xml, data, recover=True),
    )
    for parse in repairs:
        root = parse()
        if root is not None and _count_visible_characters(root) >= min_characters:
            return root, False
    return soup, False


def _has_text_outside_body(root: Element) -> bool:
    """Return whether an HTML document has text beside its body and its head, where browsers show it too."""
    body = next((child for child in root if local_name(child) == "body"), None)
    if local_name(root) != "html" or body is None:
        return False
    if any(text and not text.isspace() for text in (root.text, *(child.tail for child in root))):
        return True
    others = (child for child in root if child is not body and local_name(child) not in _NEVER_SHOWN)
    return any(map(has_text, others))


def parse_html(text: str) -> Element | None:
    """Return the root of an HTML document, or None if it has none.

    Raises:
        MemoryError: the memory is too small for the tree.
    """
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False
    )
    try:
        # As bytes: lxml rejects a str with an encoding declaration.
        data = _DECLARATION.sub("", text).encode("utf-8", "replace")
        return _parse(_REFERENCE.sub(_replace_invalid_reference, data), parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None


def repair_mojibake(data: bytes) -> tuple[bytes, int]:
    """Return markup in which mojibake is repaired, and the number of places that may be mojibake.

    It is repaired only where it is certain. Repaired markup is UTF-8, whatever it declared before.
    """
    if data.isascii() or _is_plain_utf8(data):
        return data, 0
    text = decode_markup(data)
    repaired = mend_mojibake(text)
    if repaired.text == text:
        return data, repaired.n_doubtful
    return declare_utf8(repaired.text.encode("utf-8", "replace")), repaired.n_doubtful


def declare_utf8(markup: bytes) -> bytes:
    """Return markup in UTF-8, its declaration of another encoding changed to UTF-8; add no declaration."""
    head, rest = markup[:_HEAD_BYTES], markup[_HEAD_BYTES:]
    return _DECLARED_ENCODING.sub(rb"\1utf-8", head, count=1) + rest


def _is_plain_utf8(data: bytes) -> bool:
    """Return whether markup is UTF-8 in which nothing looks like mojibake, judged by its bytes."""
    declared = _DECLARED_ENCODING.search(data[:_HEAD_BYTES])
    if (declared and declared[2].lower() != b"utf-8") or _MISREAD.search(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def decode_markup(data: bytes) -> str:
    """Return markup as text, decoded by its byte order mark or its declaration, otherwise as UTF-8.

    A declaration of UTF-16 is read as one of UTF-8: it could not be read if it were true. If much of the text
    is not UTF-8, its encoding is guessed, as for plain text. A few invalid bytes are read as Windows-1252,
    the most common encoding of stray characters.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    declared = _DECLARED_ENCODING.search(data[:_HEAD_BYTES])
    name = declared[2].decode("ascii").lower() if declared else "utf-8"
    if name.startswith(("utf-16", "utf-32")):
        name = "utf-8"
    try:
        text = data.decode(name, "surrogateescape")
    except (LookupError, UnicodeError):
        name, text = "utf-8", data.decode("utf-8", "surrogateescape")
    if name in ("utf-8", "utf8") and _is_mostly_undecodable(text):
        return decode(data).text
    return _UNDECODABLE.sub(_as_windows_1252, text).removeprefix("\ufeff")


def _is_mostly_undecodable(text: str) -> bool:
    """Return whether the text between the tags of markup has too many undecodable bytes for Latin accents."""
    if not _UNDECODABLE.search(text):
        return False
    characters = "".join(_TAG.sub("", text).split())
    n_undecodable = len(_UNDECODABLE.findall(characters))
    return n_undecodable >= _MIN_GUESSED and n_undecodable > _MAX_STRAY_SHARE * len(characters)


def local_name(element: Element) -> str:
    """Return the element's name without namespace or prefix, in lower case; empty for comments."""
    return _LOCAL_NAMES[element.tag]


def types(element: Element) -> frozenset[str]:
    """Return the element's declared types: the words of `epub:type` and of its ARIA `role`, in lower case.

    The `doc-` roles share the vocabulary of `epub:type` and lose their prefix here.
    """
    declared = element.get(OPS_TYPE) or element.get("epub:type") or ""
    role = element.get("role") or ""
    if not declared and not role:  # the usual case
        return _NO_WORDS
    if not role:
        return _words(declared)
    return _words(declared) | {word.removeprefix("doc-") for word in _words(role)}


def classes(element: Element) -> frozenset[str]:
    """Return the words of the element's `class`, in lower case."""
    words = element.get("class")
    return _words(words) if words else _NO_WORDS


@lru_cache(maxsize=1024)  # a book uses the same few attributes on all of its elements
def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


def identifier(element: Element) -> str | None:
    """Return the name that links use for the element: its id, or the `name` of an old anchor."""
    if id := element.get("id"):
        return id
    name = element.get("name")  # before the element's own name: most elements have no attribute `name`
    return name if name and local_name(element) == "a" else None


def named_elements(root: Element) -> Sequence[Element]:
    """Return the elements of a tree with an id or a `name`, in order; links can lead to most of them."""
    return find_elements(_NAMED, root)


def linked_elements(root: Element) -> Sequence[Element]:
    """Return the elements of a tree that have a `href`, in order."""
    return find_elements(_LINKED, root)


def typed_elements(root: Element) -> Sequence[Element]:
    """Return the elements of a tree that may have `types`, in order: all that have, and a few others."""
    return find_elements(_TYPED, root)


def find_elements(query: etree.XPath, root: Element) -> Sequence[Element]:
    """Return the elements that an XPath query finds in a tree, in order.

    Raises:
        MemoryError: the memory is too small for them.
    """
    try:
        return cast(list[Element], query(root))
    except etree.XPathEvalError as error:  # the queries are valid, so that nothing else can fail
        raise MemoryError from error


def text_of(element: Element) -> str:
    """Return all text inside the element except ruby annotations, with white space collapsed."""
    if not len(element):  # most marks and links
        return " ".join((element.text or "").split())
    return " ".join("".join(_iter_texts(element)).split())


def short_text_of(element: Element, max_length: int) -> str | None:
    """Return `text_of` an element, or None if it is longer than `max_length`: the rest is then not read.

    White space at the ends of its text nodes does not count.
    """
    parts: list[str] = []
    length = 0
    for text in _iter_texts(element) if len(element) else (element.text or "",):
        length += len(text.strip())
        if length > max_length:
            return None
        parts.append(text)
    return " ".join("".join(parts).split())


def has_text(element: Element) -> bool:
    """Return whether `text_of` an element is not empty; a large element is read up to its first text only."""
    text = element.text
    if text and not text.isspace():
        return True
    return len(element) > 0 and any(text.strip() for text in _iter_texts(element))


def _iter_texts(element: Element) -> Iterator[str]:
    """Yield the text nodes inside an element, in order, except for those in ruby annotations."""
    yield element.text or ""
    events = etree.iterwalk(element, events=("start", "end"))
    for event, inner in events:
        if event == "end":
            yield (inner.tail or "") if inner is not element else ""  # its own tail is outside
        elif local_name(inner) in _RUBY_READINGS:
            events.skip_subtree()
        elif inner is not element:
            yield inner.text or ""


def body_of(root: Element) -> Element:
    """Return the body of a document, or the root if it has none (SVG, a fragment)."""
    return next((e for e in root.iter() if local_name(e) == "body"), root)


def resolve(base: str, href: str) -> tuple[str, str] | None:
    """Return the path and fragment that a link in the file `base` leads to, or None if it leaves the book.

    In `text/1.xhtml`, the link `../notes.xhtml#n3` leads to `("notes.xhtml", "n3")`. A leading slash is the
    container's root; `..` never climbs above it.
    """
    if plain := _PLAIN_LINK.fullmatch(href):  # most links: nothing to split or unquote
        path, fragment = plain.groups("")
        return _join_paths(base, path) if path else base, fragment
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return None
    fragment = unquote(parts.fragment)
    if not parts.path:
        return base, fragment
    return _join_paths(base, unquote(parts.path)), fragment


@lru_cache(maxsize=1024)
def _join_paths(base: str, path: str) -> str:
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), path)).lstrip("/")


@lru_cache(maxsize=1024)
def fold(path: str) -> str:
    """Return the path unquoted, composed (NFC) and case-folded, to compare paths however they are spelled."""
    return unicodedata.normalize("NFC", unquote(path)).casefold()


def _with_numeric_references(data: bytes) -> bytes:
    """Return markup without its document type, and with HTML's entities as numeric references, as in XML."""
    # `&eacute;` becomes `&#233;`; references to what is no character become U+FFFD.
    data = _NAMED_ENTITY.sub(_replace_named_entity, _without_doctype(data))
    return _REFERENCE.sub(_replace_invalid_reference, data)


def _with_escaped_signs(markup: bytes) -> bytes:
    """Return markup whose stray signs are text; in sections of character data, all signs are."""
    # libxml2's repairs drop them, and the word after an ampersand too: they turn "AT&T" into "AT".
    if b"\0" in markup:  # UTF-16, in which no reference looks like one
        return markup
    return _CHARACTER_DATA_OR_STRAY_SIGN.sub(lambda match: _ESCAPES.get(match[0], match[0]), markup)


def _without_doctype(data: bytes) -> bytes:
    """Return markup without its document type declaration."""
    # Only the first `<!DOCTYPE` is tried: if it has no end, a search from each further one would be
    # quadratic.
    beginning = _DOCTYPE_BEGINS.search(data)
    doctype = _DOCTYPE.match(data, beginning.start()) if beginning else None
    return data[: doctype.start()] + data[doctype.end() :] if doctype else data


def _replace_invalid_reference(match: re.Match[bytes]) -> bytes:
    """Return a numeric reference, or a reference to U+FFFD if there is no such character."""
    # libxml2's repairs accept surrogates as characters, and lxml then fails to return them.
    hexadecimal, decimal = match.groups()
    digits = (hexadecimal or decimal).lstrip(b"0")
    if len(digits) > _MAX_DIGITS:
        return _UNKNOWN_CHARACTER
    code = int(digits or b"0", 16 if hexadecimal else 10)
    is_character = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return match[0] if is_character else _UNKNOWN_CHARACTER


def _replace_named_entity(match: re.Match[bytes]) -> bytes:
    """Return the numeric references for a named entity of HTML."""
    # The entities of XML stay as they are; any other entity that HTML does not define is removed.
    name = match[1]
    if name in _XML_ENTITIES:
        return match[0]
    characters = html5.get(name.decode("ascii"), "")
    return "".join(f"&#{ord(c)};" for c in characters).encode()


def _as_windows_1252(match: re.Match[str]) -> str:
    """Return the character of Windows-1252 for an undecodable byte, which Python keeps as a surrogate."""
    byte = ord(match[0]) - 0xDC00  # how `surrogateescape` encodes a byte
    # The five bytes that Windows-1252 leaves undefined become control characters, as in browsers.
    return bytes([byte]).decode("cp1252", "ignore") or chr(byte)


def _count_visible_characters(root: Element) -> int:
    """Return how many characters the body of a document has, white space not counted."""
    elements = all_elements(root)  # kept while a deep tree is walked: see there
    body = next((element for element in elements if local_name(element) == "body"), root)
    return len("".join(text_of(body).split()))


class _SoupParser(HTMLParser):
    """Parses tag soup, nested at any depth; an end tag closes all elements up to the last one of its name.

    The body ends with the markup: what follows `</html>`, even another page, continues it.
    """

    def __init__(self) -> None:
        """Begin with an empty `html` element, which is open."""
        super().__init__(convert_charrefs=True)
        self._root = etree.Element("html")
        self._open: list[Element] = [self._root]
        self._n_open: Counter[str] = Counter()
        # The text since the last tag. A list, as each stray `<` arrives alone: appending it to a string would
        # copy all the text before it each time.
        self._text: list[str] = []
        # Ends of comments and sections that the rest of the markup does not contain, so that further unclosed
        # comments do not each search to the end.
        self._absent_ends: set[str] = set()

    @classmethod
    def parse(cls, text: str) -> Element:
        """Return the root of a tree built from tag soup."""
        parser = cls()
        # HTMLParser searches from each `<!` for a `>`. Where none is left, that is quadratic. Thus the parser
        # gets the markup up to the last `>` only; the rest is text.
        markup, end, rest = _DECLARATION.sub("", text).rpartition(">")
        parser.feed(markup + end)
        parser.close()
        if parser.cdata_elem is None:  # inside an unclosed script, the rest is code: drop it
            parser.handle_data(unescape(rest))
        parser._add_text()
        return parser._root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element in the innermost open one; one without content, such as `br`, is not left open."""
        if tag == "html" or (tag == "body" and self._n_open[tag]):
            return
        self._add_text()
        element = etree.SubElement(self._open[-1], re.sub(r"[^a-zA-Z0-9_.-]", "-", tag))
        for name, value in attrs:
            if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name):
                element.set(name, without_illegal(value or ""))
            elif name == "epub:type":
                element.set(OPS_TYPE, without_illegal(value or ""))
        if tag not in _VOID:
            self._open.append(element)
            self._n_open[element.tag] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        depth = len(self._open)
        self.handle_starttag(tag, attrs)
        self._close_from(depth)  # the element itself; a void one was not opened

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost open element of this name, and all elements inside it."""
        if not self._n_open[tag]:  # without the count, each stray end tag would search all open elements
            return
        for i in range(len(self._open) - 1, 0, -1):
            if self._open[i].tag == tag:
                self._close_from(i + 1 if tag == "body" else i)
                return

    def _close_from(self, depth: int) -> None:
        """Close the open elements from a depth downwards; the root has depth 0."""
        self._add_text()
        self._n_open.subtract(element.tag for element in self._open[depth:])
        del self._open[depth:]

    def parse_comment(self, i: int, report: bool = True) -> int:
        """Skip a comment. After one without an end, no end is searched for again."""
        end = -1 if "-->" in self._absent_ends else super().parse_comment(i, report)
        if end < 0:
            self._absent_ends.add("-->")
        return end

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Keep the text of CDATA, skip other sections. After one without an end, no end is searched for."""
        # HTMLParser's own method drops the content of CDATA, and fails an assertion on an unknown keyword.
        is_cdata = self.rawdata.startswith("<![CDATA[", i)
        end_mark = "]]>" if is_cdata else ">"
        end = -1 if end_mark in self._absent_ends else self.rawdata.find(end_mark, i)
        if end < 0:
            self._absent_ends.add(end_mark)
            return -1
        if is_cdata:
            self.handle_data(self.rawdata[i + len("<![CDATA[") : end])
        return end + len(end_mark)

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def _add_text(self) -> None:
        """Put the text since the last tag into the tree."""
        text, self._text = without_illegal("".join(self._text)), []
        parent = self._open[-1]
        if not text:
            return
        last = next(parent.iterchildren(reversed=True), None)  # not `len(parent)`: lxml counts one by one
        if last is not None:
            last.tail = (last.tail or "") + text
        else:
            parent.text = (parent.text or "") + text


def without_illegal(text: str) -> str:
    """Return the text without the characters that XML 1.0 forbids and lxml rejects.

    They are the control characters, lone surrogates, U+FFFE and U+FFFF.
    """
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)
