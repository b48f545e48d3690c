"""The words of a book as a second, plainer reader finds them, which shares no code with the extractors.

It knows nothing of notes, running heads, contents or chapters: every word that the file shows is dumped.
"""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from lxml import etree, html

Element = etree._Element

_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data default del dfn em emphasis font i ins kbd mark q rb ruby s
    samp small span strike strikethrough strong style sub sup switch time tt u var wbr""".split()  # noqa: SIM905
)
# Never shown by a reading system that knows the element; FictionBook's `style` is inline.
_UNSEEN = frozenset(
    "annotation annotation-xml audio head metadata rp script style template video".split()  # noqa: SIM905
)
_NO_ALTERNATIVE = re.compile(r"\s*alternat\w+ text not available\.?\s*", re.IGNORECASE)
# Hyphens at the end of a line, as PDFium writes them.
_LINE_HYPHENS = re.compile("[\x02\ufffe](?:\r?\n)?")
# Front matter, fences, rules, link targets, footnote labels, headings, quotes, list marks, emphasis.
_MARKDOWN = re.compile(
    r"\A---\n.*?^---$|^\s*(?:```|~~~).*$|^[\s|:-]+$|\]\([^)\s]*\)|^\s*\[\^[^\]]+\]:"
    r"|^\s*[#>]+|^\s*[-+*] |[*_`|\\]",
    re.MULTILINE | re.DOTALL,
)


def dump(path: Path, format: str) -> str:
    """Return all text of a book, in the order of the file.

    Raises:
        KeyError: there is no second reader for the format.
        Exception: whatever the plain parsers raise on a damaged file.
    """
    return _DUMPS[format](path)


def _epub(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        names = {unquote(name).casefold(): name for name in archive.namelist()}
        texts = []
        for member in _spine(archive):
            name = names.get(unquote(member).casefold())
            if name is None:
                continue
            try:
                texts.append(_text(_parse(archive.read(name))))
            except (zipfile.BadZipFile, OSError, EOFError, ValueError, etree.LxmlError):
                continue  # as the extractor does, with a warning
        return " ".join(texts)


def _spine(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the paths of the documents that are read, each once."""
    parser = etree.XMLParser(recover=True)
    container = etree.fromstring(archive.read("META-INF/container.xml"), parser)
    package_path = next(e for e in container.iter("{*}rootfile")).get("full-path", "")
    package = etree.fromstring(archive.read(package_path), parser)
    items = {item.get("id"): item for item in package.iter("{*}item")}
    seen = set()
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        while item is not None and not _is_document(item) and item.get("fallback"):
            item = items.get(item.get("fallback"))
        if item is not None and _is_document(item) and item not in seen:
            seen.add(item)
            href = item.get("href", "")
            yield posixpath.normpath(posixpath.join("/", posixpath.dirname(package_path), href)).lstrip("/")


def _is_document(item: Element) -> bool:
    media_type = item.get("media-type", "")
    return "html" in media_type or media_type.endswith(("dtbook+xml", "oeb1-document", "svg+xml"))


def _parse(data: bytes) -> Element:
    try:
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, load_dtd=False))
    except etree.XMLSyntaxError:
        return html.document_fromstring(data)


def _html(path: Path) -> str:
    return _text(_parse(path.read_bytes()))


def _fb2(path: Path) -> str:
    root = etree.fromstring(path.read_bytes(), etree.XMLParser(recover=True))
    for element in (*root.iter("{*}style"),):
        element.tag = "span"
    return " ".join(_text(body) for body in root.iterchildren("{*}body"))


def _pdf(path: Path) -> str:
    """Return the text of the pages, with the comments on them at the end."""
    import pypdf
    import pypdfium2  # type: ignore[import-untyped]  # ships no types

    document = pypdfium2.PdfDocument(path)
    try:
        pages = [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()
    annotations = (
        each.get_object() for page in pypdf.PdfReader(path).pages for each in page.annotations or ()
    )
    comments = [str(each["/Contents"]) for each in annotations if each.get("/Contents")]
    return _LINE_HYPHENS.sub("", "\n".join([*pages, *comments]))


def _txt(path: Path) -> str:
    data = path.read_bytes()
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _markdown(path: Path) -> str:
    return re.sub(r"</?[a-z][^>]*>", "", _MARKDOWN.sub(" ", _txt(path)))


def _docx(path: Path) -> str:
    """Return the text of all parts, with notes' marks; deleted text is at the end."""
    texts, apart = [], []
    with zipfile.ZipFile(path) as archive:
        parts = [
            etree.fromstring(archive.read(name))
            for name in sorted(archive.namelist())
            if re.fullmatch(r"word/(?:document|footnotes|endnotes|header\d*|footer\d*|comments)\.xml", name)
        ]
    n_notes: dict[str, int] = {}
    for root in parts:
        # Both forms of alternate content have the same words: keep one.
        for element in [*root.iter("{*}Fallback")]:
            _remove_content(element)
        for element in [*root.iter("{*}del", "{*}moveFrom")]:
            apart.append(_word_text(element, n_notes))
            _remove_content(element)
        texts.append(_word_text(root, n_notes))
    return " ".join((*texts, *apart))


_WORD_BREAKS = frozenset("p tbl tc tab ptab br cr txbxContent".split())  # noqa: SIM905
_WORD_SIGNS = {"noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}


def _word_text(root: Element, n_notes: dict[str, int]) -> str:
    """Return the text of a part of a DOCX; the numbering of notes goes on from `n_notes`."""
    parts: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = etree.QName(element).localname
        if event == "end":
            parts.append(" " if name in _WORD_BREAKS else "")
        elif name in ("t", "delText"):
            parts.append(element.text or "")
        elif name in ("footnoteReference", "endnoteReference"):
            n_notes[name] = n_notes.get(name, 0) + 1
            parts.append(f" {n_notes[name]} ")
        else:
            parts.append(" " if name in _WORD_BREAKS else _WORD_SIGNS.get(name, ""))
            parts.append(f" {element.get('descr', '')} " if name == "docPr" and _is_picture(element) else "")
    return "".join(parts)


def _is_picture(properties: Element) -> bool:
    """Return whether a drawing's properties are of a picture, not of a text box."""
    drawing = properties.getparent()
    return drawing is not None and next(drawing.iter("{*}txbxContent"), None) is None


def _odt(path: Path) -> str:
    texts, apart = [], []
    with zipfile.ZipFile(path) as archive:
        for name in ("content.xml", "styles.xml"):
            root = etree.fromstring(archive.read(name))
            for element in [*root.iter("{*}annotation", "{*}tracked-changes")]:
                apart += [_odf_text(p) for p in element.iter("{*}p")]
                _remove_content(element)
            for element in [*root.iter("{*}number", "{*}index-title-template")]:
                _remove_content(element)
            for element in [*root.iter("{*}title")]:
                if element.getnext() is not None:  # the description
                    _remove_content(element)
            for box in root.iter("{*}text-box"):
                for element in (*box.itersiblings("{*}desc", "{*}title"),):
                    _remove_content(element)
            texts.append(_odf_text(root))
    return " ".join((*texts, *apart))


_ODF_BLOCKS = frozenset(
    "p h note note-citation note-body tab s line-break frame title desc text-box".split()  # noqa: SIM905
)


def _odf_text(root: Element) -> str:
    """Return the text inside paragraphs, headings, titles and descriptions; text elsewhere is layout."""
    parts: list[str] = []
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = etree.QName(element).localname
        parts.append(" " if name in _ODF_BLOCKS else "")
        holds_text = name in ("p", "h", "title", "desc")
        depth += holds_text if event == "start" else -holds_text
        text = element.text if event == "start" else element.tail
        parts.append((text or "") if depth else "")
    return "".join(parts)


def _remove_content(element: Element) -> None:
    """Remove what is in an element, not what follows it."""
    tail = element.tail
    element.clear()
    element.tail = tail


def _mobi(path: Path) -> str:
    """Dump the markup of a MOBI book, not of one with Huffman codes; of a joint file, that of KF8."""
    data = path.read_bytes()
    table = data[78 : 78 + 8 * int.from_bytes(data[76:78], "big")]
    starts = [int.from_bytes(table[i : i + 4], "big") for i in range(0, len(table), 8)]
    records = [data[start:end] for start, end in zip(starts, (*starts[1:], len(data)), strict=True)]
    if b"BOUNDARY" in records:
        records = records[records.index(b"BOUNDARY") + 1 :]
    head = records[0]
    compression, n = int.from_bytes(head[:2], "big"), int.from_bytes(head[8:10], "big")
    if compression not in (1, 2):
        raise KeyError("mobi with Huffman codes")
    texts = [
        _without_trailing_entries(record, int.from_bytes(head[0xF2:0xF4], "big"))
        for record in records[1 : n + 1]
    ]
    markup = b"".join(_decompress_palmdoc(text) if compression == 2 else text for text in texts)
    # After the last tag come style sheets.
    markup = re.sub(rb"(?s)<head.*?</head>", b" ", markup[: markup.rfind(b">") + 1])
    text = markup.decode("utf-8" if head[30:32] == b"\xfd\xe9" else "cp1252", "replace")
    return unescape(re.sub(r"</?([\w:]*)[^>]*>", lambda tag: "" if tag[1].lower() in _INLINE else " ", text))


def _without_trailing_entries(record: bytes, flags: int) -> bytes:
    """Return a text record without the entries after its text, of which there is one per flag.

    The end of an entry gives its size, in 7-bit digits; the entry of flag 0, for the bytes of a character
    that is divided between records, comes first and gives its size in its last two bits.
    """
    for _ in range(bin(flags >> 1).count("1")):
        tail = re.search(rb"(?s)[\x80-\xff]?[\x00-\x7f]{0,3}\Z", record)
        size = 0
        for byte in tail[0] if tail else b"":
            size = size * 128 + byte % 128
        record = record[: len(record) - size]
    return record[: len(record) - record[-1] % 4 - 1] if flags & 1 else record


def _decompress_palmdoc(data: bytes) -> bytes:
    """Return a decompressed record: bytes as they are, copies of earlier ones, and a space with a letter."""
    out, i = bytearray(), 0
    while i < len(data):
        if data[i] in range(1, 9):
            out += data[i + 1 : i + 1 + data[i]]
            i += 1 + data[i]
        elif data[i] < 0x80:
            out.append(data[i])
            i += 1
        elif data[i] < 0xC0:
            distance, length = divmod(int.from_bytes(data[i : i + 2], "big") - 0x8000, 8)
            for _ in range(length + 3):
                out.append(out[-distance])
            i += 2
        else:
            out += bytes((0x20, data[i] - 0x80))
            i += 1
    return bytes(out)


_DUMPS: Mapping[str, Callable[[Path], str]] = {
    "epub": _epub,
    "pdf": _pdf,
    "html": _html,
    "fb2": _fb2,
    "docx": _docx,
    "odt": _odt,
    "markdown": _markdown,
    "mobi": _mobi,
    "txt": _txt,
}


def _text(root: Element) -> str:
    """Return the text of a page's body, or of the whole tree if there is none."""
    body = next(root.iter("{*}body", "body"), root)
    parts: list[str] = []
    _collect_text(body, parts)
    return "".join(parts)


def _collect_text(root: Element, parts: list[str]) -> None:
    """Add the text inside an element; without recursion, since markup may be nested to any depth."""
    events = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in events:
        name = etree.QName(element).localname.lower() if isinstance(element.tag, str) else ""
        in_margin = re.search(r"\bltx_(note|tag)", element.get("class", "")) if name else None
        space = "" if not name or (name in _INLINE and not in_margin) else " "
        if event == "start":
            parts += [space, _alternative(element, name)]
            if not name or name in _UNSEEN or name == "math":  # without a name: an entity
                events.skip_subtree()
            else:
                parts.append(element.text or "")
            continue
        parts.append(space)
        if element is not root:
            parts.append(element.tail or "")


def _alternative(element: Element, name: str) -> str:
    """Return the words that an element shows in place of its content."""
    if name == "img" and element.get("role") not in ("presentation", "none"):
        alternative = (element.get("alt") or "").strip()
        return f" {alternative} " if len(alternative) > 1 else alternative
    if name != "math":
        return ""
    alternative = element.get("alttext") or ""
    if alternative.strip() and not _NO_ALTERNATIVE.fullmatch(alternative):
        return alternative
    leaves = (e for e in element.iter("*") if not len(e) and "annotation" not in str(e.tag))
    return " ".join(leaf.text or "" for leaf in leaves)
