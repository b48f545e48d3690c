"""Reads MOBI 6, KF8 (AZW3), files that hold both, and PalmDOC, from the public descriptions of the formats.

A file is a database of records (`palmdb`), the first of which describes the others (`header`). `text` unpacks
and joins those of the text (with `huffman`); `parts` divides it into documents; `contents` reads links
and contents (through `index`); `unmarked` adds the markup that MOBI 6 lacks. In a joint file, the KF8
book is read: it is what its publisher made, and the MOBI 6 book is a simpler copy.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lxml import etree

from alexandria.book.model import Metadata
from alexandria.extract.draft import Draft
from alexandria.extract.encoding import decode
from alexandria.extract.markup import tree
from alexandria.extract.markup.compose import compose, find_no_matter
from alexandria.extract.markup.matter import MatterHints, find_matter
from alexandria.extract.markup.toc import outline_of
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.mobi.contents import (
    linked_positions,
    read_contents,
    read_guide,
    resolve_links,
    toc_of,
)
from alexandria.extract.mobi.header import MOBI, Header, find_second_book, header_metadata, palmdoc_metadata
from alexandria.extract.mobi.palmdb import DamageError, Database
from alexandria.extract.mobi.parts import TextPart, assemble_parts, split_at_page_breaks, with_ids
from alexandria.extract.mobi.text import TEXT_BYTES, TooLongError, read_text
from alexandria.extract.mobi.unmarked import mark_headings, mark_stanzas, with_named_matter
from alexandria.extract.mojibake import mojibake_warnings
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import damaged, no_text, protected, too_large, unsupported
from alexandria.extract.text import draft_of

_DRM: Mapping[int, str] = {1: "old Mobipocket DRM", 2: "Kindle (Mobipocket) DRM"}
_PRINT_REPLICA = b"%MOP"
_MARKUP = re.compile(rb"<(?:html|body|p|br|h[1-6])\b[^<>]{0,999}>", re.I)
_HEAD_BYTES = 4096  # bytes at the beginning of a PalmDOC book that are searched for markup and metadata


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a MOBI, AZW3, PRC or PalmDOC book.

    Raises:
        BookError: `damaged`, `drm`, `unsupported` for a Print Replica, `too_large`, `no_text` or `empty`.
    """
    try:
        return _read(path, options)
    except DamageError as error:
        raise damaged(path, str(error)) from error
    except TooLongError as error:
        raise too_large(path, "its text", TEXT_BYTES) from error


def _read(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a book.

    Raises:
        BookError: as `extract`, except `damaged` and `too_large`.
        DamageError: the file is damaged.
        TooLongError: its text is too long.
    """
    database = Database.parse(path.read_bytes())
    if database.is_palmdoc and database.record(0)[16:20] != MOBI:
        return _read_palmdoc(database, path, options)
    first_header = Header.parse(database.record(0))
    metadata = header_metadata(database, first_header, database.record(0))
    book = find_second_book(database, first_header) or database
    header = Header.parse(book.record(0))
    _refuse_drm(path, first_header, header)
    text = read_text(book, header)
    if text.startswith(_PRINT_REPLICA):
        raise unsupported(
            path,
            "it is a Print Replica: a PDF packed for Kindles",
            "unpack the PDF, for example with Calibre and the plugin KindleUnpack",
        )
    return _compose_markup(path, options, book, header, text, metadata)


def _read_palmdoc(database: Database, path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a PalmDOC book: the markup of early Mobipocket files, or plain text."""
    header = Header.of_palmdoc(database.record(0))
    text = read_text(database, header)
    name = header.decode(database.name)
    if not _MARKUP.search(text[:_HEAD_BYTES]):
        draft = draft_of(decode(text), path, options, name=name)
        return replace(draft, warnings=(*draft.warnings, *_shortfall_warnings(header, text)))
    metadata = palmdoc_metadata(text[:_HEAD_BYTES], header, name)
    return _compose_markup(path, options, database, header, text, metadata)


def _compose_markup(
    path: Path, options: ReadOptions, database: Database, header: Header, text: bytes, metadata: Metadata
) -> Draft:
    """Return the draft of a book whose text is markup.

    Raises:
        BookError: `no_text`.
        DamageError: a table of the parts is damaged.
    """
    parts = assemble_parts(database, header, text) if header.is_kf8 else split_at_page_breaks(text)
    lines = read_contents(database, header, parts)
    guide = read_guide(database, header, parts)
    parts_with_ids, targets = with_ids(parts, linked_positions(parts, (*lines, *guide)))
    documents = []
    warnings = [*parts.warnings, *_shortfall_warnings(header, text)]
    for part in parts_with_ids.parts:
        document, n_doubtful = _make_document(part, header)
        warnings += (f"{part.path}: {warning}" for warning in mojibake_warnings(n_doubtful))
        if document is not None:
            documents.append(document)
    resolve_links(documents, parts, targets)
    toc = with_named_matter(toc_of(lines, guide, documents, targets), documents, metadata.title)
    mark_headings(documents, toc.lines)
    matter = {document.path: find_matter(document, MatterHints(toc.landmarks)) for document in documents}
    draft = compose(
        metadata,
        documents,
        outline_of(toc, documents, matter),
        find_matter=find_no_matter if options.keep_matter else lambda document: matter[document.path],
        warnings=warnings,
    )
    if not draft.sections:
        raise no_text(
            path,
            "its pages contain images and no text",
            "use an edition with text",
        )
    return draft


def _refuse_drm(path: Path, *headers: Header) -> None:
    """Refuse a book if one of its headers says that the text is encrypted, naming the protection.

    Raises:
        BookError: `drm`.
    """
    kind = next((header.encryption for header in headers if header.encryption), 0)
    if kind:
        raise protected(path, _DRM.get(kind, "DRM"))


def _make_document(part: TextPart, header: Header) -> tuple[Document | None, int]:
    """Return a part of the text as a document, and how many places in it look like mojibake."""
    # The document is None if the part is not markup.
    markup = part.markup
    if header.encoding != "utf-8":
        # Undefined bytes are dropped: in practice they are control characters, which are not shown.
        markup = markup.decode(header.encoding, "ignore").encode()
    # The markup may still declare the encoding that it had before it was converted to a MOBI.
    markup, n_doubtful = tree.repair_mojibake(tree.declare_utf8(markup))
    root, _ = tree.parse_xhtml(markup)
    if root is None:
        return None, n_doubtful
    document = Document(part.path, root)
    if header.is_kf8:
        _restore_types(root)
    else:
        mark_stanzas(document)
    return document, n_doubtful


def _restore_types(root: Element) -> None:
    """Give elements the `epub:type` that a conversion from EPUB left as `type`, in place."""
    # The types of HTML itself, such as those of lists and scripts, do no harm: they are not types of EPUB.
    for element in root.iter(etree.Element):
        if (type := element.get("type")) and element.get(tree.OPS_TYPE) is None:
            element.set(tree.OPS_TYPE, tree.without_illegal(type))


def _shortfall_warnings(header: Header, text: bytes) -> list[str]:
    """Return a warning if the text is shorter than the header says; otherwise nothing."""
    n_missing = header.n_bytes - len(text)
    return [f"the text is {n_missing:,} bytes shorter than the file says"] if n_missing > 0 else []
