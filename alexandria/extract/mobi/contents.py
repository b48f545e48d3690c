"""Reads what leads to positions in a MOBI: contents (NCX), the guide with its landmarks, and links."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from lxml import etree

from alexandria.extract.clean import one_line
from alexandria.extract.markup import tree
from alexandria.extract.markup.toc import Toc, TocLine
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.mobi.header import Header
from alexandria.extract.mobi.index import Index, IndexEntry, read_index
from alexandria.extract.mobi.palmdb import DamageError, Database
from alexandria.extract.mobi.parts import Parts

_FILEPOS = re.compile(rb"""filepos\s{0,9}=\s{0,9}["']?\s{0,9}([0-9]{1,10})""", re.IGNORECASE)
_DIGITS = re.compile(r"\s{0,9}([0-9]{1,10})")
_KINDLE_LINK = re.compile(r"kindle:pos:fid:([0-9A-V]{1,10}):off:([0-9A-V]{1,12})", re.IGNORECASE)
_KINDLE_LINK_BYTES = re.compile(_KINDLE_LINK.pattern.encode(), re.IGNORECASE)
_NCX, _GUIDE = 0xF4, 0x104  # where the header names the first record of each index

_MAX_DEPTH = 10  # levels of contents whose index states their depth; more are an error of the file
_INDENTING = frozenset(["blockquote", "ul", "ol", "li"])

# Tags of the contents and the guide; the values of a fragment are its number and an offset in it.
_POSITION, _LABEL, _DEPTH, _FRAGMENT, _PARENT = 1, 3, 4, 6, 21

Targets = Mapping[int, tuple[str, str]]  # the path and id of the element at a position in the text


@dataclass(frozen=True, slots=True)
class ContentsLine:
    """A line of the contents or of the guide."""

    title: str  # in the guide, a type such as `toc`
    depth: int  # 1 for the outermost lines
    position: int | None  # where it leads in the text, in bytes; None if that is damaged


def read_contents(database: Database, header: Header, parts: Parts) -> tuple[ContentsLine, ...]:
    """Return the lines of the contents, each followed by the lines below it; empty if there are none.

    Without contents, or if their index is damaged, headings divide the book: no text is lost.
    """
    index = _read_index_at(database, header, _NCX)
    if index is None:
        return ()
    children: dict[int | None, list[int]] = {}  # by the index of the parent; None for the outermost lines
    for i, entry in enumerate(index.entries):
        parent = entry.optional_value(_PARENT)
        if parent is not None and parent >= i:
            parent = None  # only an earlier line counts, so that no line is its own ancestor
        children.setdefault(parent, []).append(i)
    names_parents = children.keys() > {None}
    lines: list[ContentsLine] = []
    stack = [(i, 1) for i in reversed(children.get(None, ()))]
    while stack:  # depth first, so that each line is followed by the lines below it
        i, depth = stack.pop()
        entry = index.entries[i]
        if not names_parents:  # the entries state their depths instead, counted from 0
            stated_depth = 1 + (entry.optional_value(_DEPTH) or 0)
            depth = min(stated_depth, _MAX_DEPTH)
        if title := _read_label(index, entry, header):
            position = _read_position(entry, header, parts)
            lines.append(ContentsLine(title=title, depth=depth, position=position))
        stack += [(child, depth + 1) for child in reversed(children.get(i, ()))]
    return tuple(lines)


def read_guide(database: Database, header: Header, parts: Parts) -> tuple[ContentsLine, ...]:
    """Return the guide of a KF8 book: types such as `toc` and `cover`, with their positions.

    Without a guide, or if its index is damaged, return nothing.
    """
    index = _read_index_at(database, header, _GUIDE) if header.is_kf8 else None
    if index is None:
        return ()
    return tuple(
        ContentsLine(
            title=header.decode(entry.name).lower(), depth=1, position=_read_position(entry, header, parts)
        )
        for entry in index.entries
    )


def linked_positions(parts: Parts, lines: Sequence[ContentsLine]) -> Iterator[int]:
    """Yield the positions to which the contents and the links of the text lead."""
    yield from (line.position for line in lines if line.position is not None)
    for part in parts.parts:
        yield from (int(match[1]) for match in _FILEPOS.finditer(part.markup))
        for match in _KINDLE_LINK_BYTES.finditer(part.markup):
            position = _kindle_position(match[0].decode("ascii"), parts)
            if position is not None:
                yield position


def resolve_links(documents: Sequence[Document], parts: Parts, targets: Targets) -> None:
    """Turn links to positions into links to paths and ids, in place; links to unknown positions stay."""
    for document in documents:
        for element in document.root.iter():
            if not isinstance(element.tag, str):
                continue
            position = _linked_position(element, parts)
            if position is not None and position in targets:
                path, id = targets[position]
                element.set("href", tree.without_illegal(f"{path}#{id}"))


def toc_of(
    lines: Sequence[ContentsLine],
    guide: Sequence[ContentsLine],
    documents: Sequence[Document],
    targets: Targets,
) -> Toc:
    """Return the contents and the landmarks of a book.

    If the index of contents is missing, the links of the printed contents take its place. If it states no
    depths, the printed contents supply them: for MOBI 6, calibre only indents these. A target at the
    beginning of a document becomes the document itself.

    Args:
        guide: the lines of the guide; references in the documents are added to them.
    """
    starts = {(document.path, id) for document in documents for id in _ids_before_text(document)}
    landmarks = _collect_landmarks(guide, documents, targets, starts)
    toc_lines = tuple(
        TocLine(
            title=line.title,
            depth=line.depth,
            target=_without_first_id(_target_of_line(line, targets), starts),
        )
        for line in lines
    )
    states_depths = len({line.depth for line in toc_lines}) > 1
    if not states_depths:
        by_path = {document.path: document for document in documents}
        printed = [by_path[path] for (path, id), types in landmarks.items() if "toc" in types and not id]
        toc_lines = _with_printed_depths(toc_lines, _link_printed_lines(printed, starts))
    return Toc(lines=toc_lines, landmarks=landmarks)


def _collect_landmarks(
    guide: Sequence[ContentsLine],
    documents: Sequence[Document],
    targets: Targets,
    starts: Set[tuple[str, str]],
) -> dict[tuple[str, str], frozenset[str]]:
    """Return the kinds (`toc`) that the guide and `<reference>` elements state of places, by path and id."""
    # `guide`: its lines, each with a kind in place of a title.
    # `starts`: the path and id of each element that no text of its document precedes.
    stated = [(line.title, _target_of_line(line, targets)) for line in guide]
    stated += ((kind, _link_target(e)) for document in documents for e, kind in _find_references(document))
    paths = {document.path for document in documents}
    landmarks: dict[tuple[str, str], frozenset[str]] = {}
    for kind, raw_target in stated:
        target = _without_first_id(raw_target, starts)
        if target is not None and target[0] in paths:
            landmarks[target] = landmarks.get(target, frozenset()) | {kind}
    return landmarks


def _without_first_id(target: tuple[str, str] | None, starts: Set[tuple[str, str]]) -> tuple[str, str] | None:
    """Return a path and id, the id empty if the element is at the beginning of its document."""
    return (target[0], "") if target is not None and target in starts else target


def _link_printed_lines(documents: Sequence[Document], starts: Set[tuple[str, str]]) -> tuple[TocLine, ...]:
    """Return the links of printed contents; the elements that indent a link show its depth."""
    # `starts`: the path and id of each element that no text of its document precedes.
    lines = []
    indents: list[int] = []  # of the line and of the lines above it, ascending
    for document in documents:
        for element in document.root.iter():
            target = _link_target(element) if tree.local_name(element) == "a" else None
            title = one_line(tree.text_of(element)) if target else ""
            if not title:
                continue
            indent = sum(tree.local_name(e) in _INDENTING for e in element.iterancestors())
            while indents and indents[-1] >= indent:
                indents.pop()
            indents.append(indent)
            lines.append(TocLine(title=title, depth=len(indents), target=_without_first_id(target, starts)))
    return tuple(lines)


def _with_printed_depths(lines: tuple[TocLine, ...], printed: tuple[TocLine, ...]) -> tuple[TocLine, ...]:
    """Return the lines with the depths of the printed lines that have the same targets."""
    # If a line is not printed, all lines keep their depths; if there are no lines, the printed ones are
    # returned.
    if not lines:
        return printed
    depths = {line.target: line.depth for line in printed}
    if not all(line.target in depths for line in lines):
        return lines
    return tuple(replace(line, depth=depths[line.target]) for line in lines)


def _target_of_line(line: ContentsLine, targets: Targets) -> tuple[str, str] | None:
    return targets.get(line.position) if line.position is not None else None


def _find_references(document: Document) -> Iterator[tuple[Element, str]]:
    """Yield the `reference` elements of the guide, which MOBI 6 keeps in the text, each with its type."""
    for element in document.root.iter():
        if tree.local_name(element) == "reference" and (type := element.get("type", "").strip().lower()):
            yield element, type


def _link_target(element: Element) -> tuple[str, str] | None:
    """Return the path and id to which a resolved link leads, or None for any other link."""
    path, hash_sign, id = element.get("href", "").partition("#")
    return (path, id) if hash_sign and path else None


def _ids_before_text(document: Document) -> frozenset[str]:
    """Return the ids of a document's elements that no text precedes."""
    body = tree.body_of(document.root)
    ids: set[str | None] = set()
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if event == "start":
            ids.add(tree.identifier(element))
            text = element.text
        else:
            text = element.tail
        if text and not text.isspace():
            break
    return frozenset(id for id in ids if id)


def _read_index_at(database: Database, header: Header, offset: int) -> Index | None:
    """Return the index that the header names at an offset, or None if there is none or it is damaged."""
    first_record = header.record_number(offset)
    try:
        return read_index(database, first_record) if first_record is not None else None
    except DamageError:
        return None


def _read_label(index: Index, entry: IndexEntry, header: Header) -> str:
    """Return the title of a line of the contents, or an empty string if it is damaged."""
    try:
        return header.decode(index.string(entry.value(_LABEL)))
    except DamageError:
        return ""


def _read_position(entry: IndexEntry, header: Header, parts: Parts) -> int | None:
    """Return the position to which an entry leads, or None if the entry is damaged."""
    try:
        if header.is_kf8:
            return parts.position(entry.value(_FRAGMENT), entry.value(_FRAGMENT, 1))
        return entry.value(_POSITION)
    except DamageError:
        return None


def _linked_position(element: Element, parts: Parts) -> int | None:
    """Return the position to which a link leads, or None if it does not lead to one."""
    # `match`, as in `filepos=0000000099/>`, without quotes, the slash is part of the value.
    if match := _DIGITS.match(element.get("filepos", "")):
        return int(match[1])
    href = element.get("href", "")
    return _kindle_position(href, parts) if href.startswith("kindle:pos:") else None


def _kindle_position(href: str, parts: Parts) -> int | None:
    """Return the position of a link into a fragment, whose number and offset are written in base 32."""
    match = _KINDLE_LINK.match(href)
    return parts.position(int(match[1], 32), int(match[2], 32)) if match else None
