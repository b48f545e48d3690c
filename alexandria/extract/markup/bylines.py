"""Finds who wrote a chapter of a book by several: bylines beside headings, and metadata of documents."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from alexandria.book.model import BlockKind, Metadata
from alexandria.book.people import AUTHOR, EDITOR, is_full_name, people_of
from alexandria.extract.markup.blocks import MarkupBlock
from alexandria.extract.markup.pieces import parts_of
from alexandria.extract.markup.sections import ORDINAL, DocumentText
from alexandria.extract.markup.tree import Element, classes, local_name, text_of, types

_AUTHOR = re.compile(
    r"(?:.*(?:author|by-?line)|(?:.*[-_\d])?(?:aut?h?|contrib(?:utor)?))s?(?:[-_]?(?:name|group|list)s?)?[-_]?\d*"
)  # a class or a type of bylines
_OTHER = re.compile(r"epi(?:gr|$|[-_])|quot|about|bio|note|source|transl|attrib|book|series|verse|poem")
"""What is in classes of other authors' names: those of an epigraph, of the book, or of other books."""
_BETWEEN = re.compile(r"sub-?_?ti?t|affil|institut|universit|orcid|e-?mail")
"""What is in classes of blocks that may be between a heading and its byline, or two names of it."""
_AFFILIATION = re.compile(
    r"\b(?:universi|institut|department|faculty|college|school|hochschule)", re.IGNORECASE
)
_BY = re.compile(r"^(?:by|von|par|por|di|door|av|af)[\s:]+(?=\S)", re.IGNORECASE)
# A name of one word, or in Chinese, Japanese or Korean characters.
_SINGLE_NAME = re.compile(r"(?![a-z])[^\W\d_]{2,20}|[\u3041-\u9fff\uac00-\ud7af·・ ]{2,12}")
_MARKS = re.compile(r"(?<=[^\W\d_])[\d*†‡]+(?:,[\d*†‡]+)*")  # marks of affiliations after a name
_MAX_BYLINE = 200  # characters
_KINDS = (BlockKind.HEADING, BlockKind.PARAGRAPH)
_IN_HEAD = ("author", "dc.creator", "dcterms.creator", "dcterms:creator")


class _Byline(NamedTuple):
    heading: MarkupBlock
    blocks: tuple[MarkupBlock, ...]
    authors: tuple[str, ...]
    is_plain: bool  # whether nothing but its place shows that it is one


def with_bylines(chapters: Sequence[DocumentText], metadata: Metadata) -> list[DocumentText]:
    """Return the documents, in which headings have the authors of their chapters, and bylines are paragraphs.

    The book must state its editors; or most of its chapters have bylines, of several people. The authors of
    the whole book are not those of a chapter.
    """
    apart = [replace(d, blocks=tuple(p for b in d.blocks for p in _with_byline_apart(b))) for d in chapters]
    own = {person.name for person in metadata.people if person.role == AUTHOR}
    own = own if metadata.people else {*metadata.authors}
    has_editors = any(person.role == EDITOR for person in metadata.people)
    bylines = [
        byline
        for document in apart
        for byline in _bylines_of(document.blocks, metadata.language)
        if own != {*byline.authors} and (has_editors or not own.issuperset(byline.authors))
        if byline.heading.text.casefold() != metadata.title.casefold()
    ]
    sure = [byline for byline in bylines if not byline.is_plain]
    if len({byline.authors for byline in sure if not byline.blocks}) == 1:  # the same in every document
        sure = [byline for byline in sure if byline.blocks]
    if has_editors and not own:
        sure += _confirmed([b for b in bylines if b.is_plain], apart, metadata.language)
    else:
        ranks = {byline.heading.rank for byline in sure}
        n_chapters = sum(block.rank in ranks for document in apart for block in document.blocks)
        if len({byline.authors for byline in sure}) < 2 or 2 * len(sure) < n_chapters:
            return [*chapters]
    authors = {id(byline.heading): byline.authors for byline in sure}
    demoted = {id(block) for byline in sure for block in byline.blocks}

    def marked(block: MarkupBlock) -> MarkupBlock:
        if id(block) in demoted:
            return replace(block, kind=BlockKind.PARAGRAPH, rank=0)
        return replace(block, authors=authors[id(block)]) if id(block) in authors else block

    return [replace(document, blocks=tuple(map(marked, document.blocks))) for document in apart]


def _with_byline_apart(block: MarkupBlock) -> Iterator[MarkupBlock]:
    """Yield a heading, and as a paragraph the author that its element has after it, in one of their class."""
    parts = block.element.iterdescendants() if block.rank and block.element is not None else ()
    names = [part for part in parts if any(map(_AUTHOR.fullmatch, classes(part)))]
    name = names and re.search(rf"[\s,:|/—–-]+((?:by )?{re.escape(text_of(names[-1]))})$", block.text, re.I)
    if name:
        title, byline = parts_of(block, [(0, name.start()), name.span(1)])
        yield from (title, replace(byline, kind=BlockKind.PARAGRAPH, rank=0, element=names[-1]))
    else:
        yield block


def _confirmed(
    plain: Sequence[_Byline], chapters: Sequence[DocumentText], language: str | None
) -> list[_Byline]:
    """Return the names whose elements have names at headings alone, and that are no words of the book."""
    every = [block for document in chapters for block in document.blocks] if plain else []
    n_names = Counter(_style_of(block) for block in every if _names_in(block.text, language))
    n_bylines = Counter(_style_of(byline.blocks[0]) for byline in plain)
    words = {word for block in every for word in block.text.split() if word.islower()}
    return [
        byline
        for byline in plain
        if n_names[style := _style_of(byline.blocks[0])] == n_bylines[style]
        and len({other.authors for other in plain}) > 1
        and 2 * len(plain) >= sum(block.rank == byline.heading.rank for block in every)
        and all({*name.lower().split()} - words for name in byline.authors)
    ]


def _style_of(block: MarkupBlock) -> tuple[str, str | None]:
    return ("", None) if block.element is None else (local_name(block.element), block.element.get("class"))


def _bylines_of(blocks: Sequence[MarkupBlock], language: str | None) -> Iterator[_Byline]:
    """Yield what may be a byline of each heading in a document; if none is, what its metadata says of it."""
    first = next((block for block in blocks if block.rank), None)
    for i, heading in enumerate(blocks):
        byline = _byline(heading, islice(blocks, i + 1, None), language) if heading.rank else None
        if byline is None and heading is first and i == 1:
            byline = _byline(heading, blocks[:1], language)
        if byline is not None:
            first = None
            yield byline
    if first is not None and first.element is not None:
        metas = first.element.getroottree().iter("{*}meta")
        names = (meta.get("content") or "" for meta in metas if (meta.get("name") or "").lower() in _IN_HEAD)
        if people := [name for text in names for name in _names_in(text, language)]:
            yield _Byline(first, (), tuple(people), is_plain=False)


def _byline(heading: MarkupBlock, blocks: Iterable[MarkupBlock], language: str | None) -> _Byline | None:
    """Return what may be the byline in the blocks that are beside a heading, from the nearest on."""
    members: list[MarkupBlock] = []
    authors: list[str] = []
    is_plain = False
    for block in blocks:
        element = block.element
        if element is None or block.kind not in _KINDS or any(map(_OTHER.search, classes(element))):
            break
        labels = _labels(element)
        is_labelled = any(map(_AUTHOR.fullmatch, labels))
        text = block.text.partition("\n")[0] if is_labelled else block.text
        is_sure = is_labelled or bool(_BY.match(text))
        names = _names_in(text, language, is_labelled=is_labelled)
        if names and (is_sure or not (members or ORDINAL.fullmatch(heading.text))):
            members.append(block)
            authors += names
            is_plain = not is_sure
        elif not any(map(_BETWEEN.search, labels)):
            break
    return _Byline(heading, tuple(members), tuple(authors), is_plain) if members else None


def _labels(element: Element) -> list[str]:
    """Return the classes and types of an element, of two around it and of those in it."""
    around = (element, *islice(element.iterancestors("{*}div", "{*}header"), 2), *element.iterdescendants())
    return [label for part in around for label in classes(part) | types(part)]


def _names_in(text: str, language: str | None, *, is_labelled: bool = False) -> list[str]:
    """Return the names in a text that has nothing else but "by" and affiliations; otherwise none."""
    # A name of one word, or without spaces, is one only if the text is labelled as a byline.
    text = _MARKS.sub("", _BY.sub("", text)) if len(text) <= _MAX_BYLINE else ""
    people = ", ".join(part for part in re.split(r"\s*[,|]\s*", text) if not _AFFILIATION.search(part))
    names = [person.name for person in people_of(people, language=language)]
    are_names = all(is_full_name(name) or (is_labelled and _SINGLE_NAME.fullmatch(name)) for name in names)
    return names if are_names else []
