"""Links, contents (NCX) and guide: what leads to positions in the text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from alexandria.extract.clean import one_line
from alexandria.extract.markup.toc import Toc, TocLine
from alexandria.extract.markup.tree import Document, Element, body_of, identifier, legal, local_name, text_of
from alexandria.extract.mobi.header import Header
from alexandria.extract.mobi.index import Index, IndexEntry, read_index
from alexandria.extract.mobi.palmdb import DamageError, Database
from alexandria.extract.mobi.parts import Parts

_FILEPOS = re.compile(rb"""filepos\s{0,9}=\s{0,9}["']?\s{0,9}([0-9]{1,10})""", re.IGNORECASE)
_DIGITS = re.compile(r"\s{0,9}([0-9]{1,10})")
_KINDLE = re.compile(r"kindle:pos:fid:([0-9A-V]{1,10}):off:([0-9A-V]{1,12})", re.IGNORECASE)
_KINDLE_BYTES = re.compile(_KINDLE.pattern.encode(), re.IGNORECASE)
_NCX, _GUIDE = 0xF4, 0x104
"""Where the header names the records of the indexes."""

_INDENTING = frozenset(["blockquote", "ul", "ol", "li"])

# Tags of the contents and the guide.
_POSITION, _LABEL, _DEPTH, _PLACE, _PARENT = 1, 3, 4, 6, 21

Targets = Mapping[int, tuple[str, str]]
"""Path and id by position."""


@dataclass(frozen=True, slots=True)
class ContentsLine:
    """A line of the contents, or of the guide, whose title is a type then."""

    title: str
    depth: int
    position: int | None


def read_contents(database: Database, header: Header, parts: Parts) -> tuple[ContentsLine, ...]:
    """Return the lines of the contents, each followed by those below it; empty if there are none.

    Without contents, or if their index is damaged, headings divide the book: no text is lost.
    """
    index = _index(database, header, _NCX)
    if index is None:
        return ()
    below: dict[int | None, list[int]] = {}
    for i, entry in enumerate(index.entries):
        parent = next(iter(entry.values.get(_PARENT, ())), None)
        # A line below one that comes later could be below itself.
        below.setdefault(parent if parent is not None and parent < i else None, []).append(i)
    lines: list[ContentsLine] = []
    waiting = [(i, 1) for i in reversed(below.get(None, ()))]
    while waiting:
        i, depth = waiting.pop()
        entry = index.entries[i]
        if len(below) == 1:  # no line names the one above it: depths are all there is
            depth = 1 + min(next(iter(entry.values.get(_DEPTH, ())), 0), 9)
        if title := _label(index, entry, header):
            lines.append(ContentsLine(title, depth, _position(entry, header, parts)))
        waiting += [(child, depth + 1) for child in reversed(below.get(i, ()))]
    return tuple(lines)


def read_guide(database: Database, header: Header, parts: Parts) -> tuple[ContentsLine, ...]:
    """Return the guide of a KF8 book: types such as `toc` and `cover`, and where they are."""
    index = _index(database, header, _GUIDE) if header.is_kf8 else None
    entries = index.entries if index else ()
    return tuple(
        ContentsLine(header.decoded(e.name).lower(), 1, _position(e, header, parts)) for e in entries
    )


def linked_positions(parts: Parts, lines: Sequence[ContentsLine]) -> Iterator[int]:
    """Yield the positions to which the contents and the links of the text lead."""
    yield from (line.position for line in lines if line.position is not None)
    for part in parts.parts:
        yield from (int(match[1]) for match in _FILEPOS.finditer(part.markup))
        for match in _KINDLE_BYTES.finditer(part.markup):
            position = _linked(match[0].decode("ascii"), parts)
            if position is not None:
                yield position


def resolve_links(documents: Sequence[Document], parts: Parts, targets: Targets) -> None:
    """Give the links of all documents the paths and ids to which they lead, in place."""
    for document in documents:
        for element in document.root.iter():
            if not isinstance(element.tag, str):
                continue
            position = _position_of(element, parts)
            if position is not None and position in targets:
                path, id = targets[position]
                element.set("href", legal(f"{path}#{id}"))


def toc_of(
    lines: Sequence[ContentsLine],
    guide: Sequence[ContentsLine],
    documents: Sequence[Document],
    targets: Targets,
) -> Toc:
    """Return the contents and the landmarks; without an index of contents, the links of the printed contents.

    Where the index has no depths, those of the printed contents hold: for MOBI 6, calibre indents only these.

    What leads to the beginning of a document leads to that document.
    """
    types: dict[tuple[str, str], frozenset[str]] = {}
    by_path = {document.path: document for document in documents}
    beginnings = {document.path: _beginnings(document) for document in documents}

    def place(target: tuple[str, str] | None) -> tuple[str, str] | None:
        path, id = target or ("", "")
        return (path, "") if id in beginnings.get(path, ()) else target

    references = [(line.title, _place(line, targets)) for line in guide]
    references += ((type, _target(e)) for document in documents for e, type in _references(document))
    for type, target in references:
        if target and target[0] in by_path and (where := place(target)):
            types[where] = types.get(where, frozenset()) | {type}
    toc_lines = tuple(TocLine(line.title, line.depth, place(_place(line, targets))) for line in lines)
    if len({line.depth for line in toc_lines}) <= 1:
        printed = [by_path[path] for (path, id), words in types.items() if "toc" in words and not id]
        linked = (replace(line, target=place(line.target)) for line in _printed_lines(printed))
        toc_lines = _with_depths(toc_lines, tuple(linked))
    return Toc(toc_lines, {}, types)


def _printed_lines(documents: Sequence[Document]) -> Iterator[TocLine]:
    """Yield the links of printed contents, as deep as they are indented under others."""
    indents: list[int] = []
    for document in documents:
        for element in document.root.iter():
            target = _target(element) if local_name(element) == "a" else None
            if target and (title := one_line(text_of(element))):
                indent = sum(local_name(e) in _INDENTING for e in element.iterancestors())
                while indents and indents[-1] >= indent:
                    indents.pop()
                indents.append(indent)
                yield TocLine(title, len(indents), target)


def _with_depths(lines: tuple[TocLine, ...], printed: tuple[TocLine, ...]) -> tuple[TocLine, ...]:
    """Return lines without depths as deep as printed ones of the same targets, all or none; or the latter."""
    depths = {line.target: line.depth for line in printed}
    if not all(line.target in depths for line in lines):
        return lines
    return tuple(replace(line, depth=depths[line.target]) for line in lines) or printed


def _place(line: ContentsLine, targets: Targets) -> tuple[str, str] | None:
    return targets.get(line.position) if line.position is not None else None


def _references(document: Document) -> Iterator[tuple[Element, str]]:
    for element in document.root.iter():
        if local_name(element) == "reference" and (type := element.get("type", "").strip().lower()):
            yield element, type


def _target(element: Element) -> tuple[str, str] | None:
    path, mark, id = element.get("href", "").partition("#")
    return (path, id) if mark and path else None


def _beginnings(document: Document) -> frozenset[str]:
    """Return the ids of the document's elements that no text precedes."""
    body = body_of(document.root)
    ids = {identifier(body)}
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if event == "start":
            ids.add(identifier(element))
        text = element.text if event == "start" else element.tail
        if (text or "").strip() and element.tag is not etree.Comment:
            break
    return frozenset(id for id in ids if id)


def _index(database: Database, header: Header, offset: int) -> Index | None:
    first = header.index(offset)
    try:
        return read_index(database, first) if first is not None else None
    except DamageError:
        return None


def _label(index: Index, entry: IndexEntry, header: Header) -> str:
    try:
        return header.decoded(index.string(entry.value(_LABEL)))
    except DamageError:
        return ""


def _position(entry: IndexEntry, header: Header, parts: Parts) -> int | None:
    try:
        if header.is_kf8:
            return parts.position(entry.value(_PLACE), entry.value(_PLACE, 1))
        return entry.value(_POSITION)
    except DamageError:
        return None


def _position_of(element: Element, parts: Parts) -> int | None:
    # Without quotes, `filepos=0000000099/>` leaves the slash to the number.
    if match := _DIGITS.match(element.get("filepos", "")):
        return int(match[1])
    href = element.get("href", "")
    return _linked(href, parts) if href.startswith("kindle:pos:") else None


def _linked(href: str, parts: Parts) -> int | None:
    match = _KINDLE.match(href)
    return parts.position(int(match[1], 32), int(match[2], 32)) if match else None
