"""The anchors of every strategy's chunks: inside the chunk, and at its words in the file.

The EPUB is resolved as its standard says (`tests/extract/cfi.py`), and the PDF is read by PDFium.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from zipfile import ZipFile

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pytest

from alexandria.book.model import Book, Chunk, Sentence
from alexandria.book.places import cfi_at, parts_between, split_anchors
from alexandria.chunking import STRATEGIES, Strategy, assemble, segment_book
from alexandria.chunking.sentences import split
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import extract
from alexandria.library.search.alignment import Letters
from tests.conftest import SAMPLES
from tests.extract.cfi import Resolver
from tests.real import read_once

SMALL = {
    "min_words": 10, "max_words": 60, "overlap_words": 0, "max_sentences": 4, "min_sentences": 1,
    "max_chars": 300, "short_tokens": 20, "long_tokens": 60, "window_tokens": 40, "overlap_sentences": 0,
    "min_tokens": 20, "target_tokens": 40, "max_tokens": 60,
}  # fmt: skip
"""Options of all strategies under which cuts fall inside paragraphs."""
STRATEGY = pytest.mark.parametrize("cls", STRATEGIES.values(), ids=list(STRATEGIES))


def small(cls: type[Strategy]) -> Strategy:
    names = {option.name for option in fields(cls)}
    return cls(**{name: value for name, value in SMALL.items() if name in names})


def cut(book: Book, strategy: Strategy) -> tuple[tuple[Sentence, ...], tuple[Chunk, ...]]:
    sentences = split(book, max_words=strategy.max_words)
    rows = HashingEncoder().encode([book.text[s.start : s.end] for s in sentences])
    return sentences, assemble(book, sentences, segment_book(strategy, rows, sentences, book))


def placed(book: Book, strategy: Strategy) -> Iterator[tuple[Chunk, Sentence]]:
    """Yield each sentence that has a place, with its chunk."""
    sentences, chunks = cut(book, strategy)
    for chunk in chunks:
        for sentence in sentences[chunk.first_sentence : chunk.first_sentence + chunk.n_sentences]:
            if any(offset < sentence.end for offset, _ in split_anchors(chunk.anchors)):
                yield chunk, sentence


@cache
def sample(name: str) -> Book:
    return extract(SAMPLES / name)


@STRATEGY
@pytest.mark.parametrize("name", ["the-quiet-trades.epub", "small-machines.pdf"])
def test_every_anchor_of_a_chunk_is_inside_the_chunk(cls: type[Strategy], name: str) -> None:
    book = sample(name)
    chunks = cut(book, small(cls))[1]
    block_starts = {block.start for block in book.blocks}
    assert any(chunk.start not in block_starts for chunk in chunks), "no cut is inside a paragraph"
    for chunk in chunks:
        offsets = [offset for offset, _ in split_anchors(chunk.anchors)]
        assert offsets[0] == chunk.start
        assert offsets == sorted(set(offsets))
        assert offsets[-1] < chunk.end


def plain(text: str) -> str:
    return re.sub(r"[\s\u00ad\u200b\u2060\ufeff]+", "", unicodedata.normalize("NFC", text))


def lost_in_epub(book: Book, file: Path, strategy: Strategy) -> list[tuple[str | None, str]]:
    """Return the sentences whose CFI does not lead to their first letters."""
    lost = []
    with ZipFile(file) as archive:
        resolver = Resolver(archive)
        for chunk, sentence in placed(book, strategy):
            cfi = cfi_at(chunk.anchors, sentence.start)
            if cfi and ":" not in cfi:
                continue  # a picture or a formula, whose words are not in the text of the file
            words = plain(book.text[sentence.start : sentence.end])
            there = plain(resolver.text_at(cfi)) if cfi else ""
            n = min(6, len(there), len(words))
            if not n or there[:n] != words[:n]:
                lost.append((cfi, words[:30]))
    return lost


def lost_in_pdf(book: Book, file: Path, strategy: Strategy) -> list[tuple[str, str]]:
    """Return the sentences whose boxes hold other letters, with what PDFium reads there.

    Where a sentence begins in its line is estimated by its share of the line's characters: at both ends,
    some letters may be missing. The middle half of the sentence is to be found.
    """
    lost = []
    document = pdfium.PdfDocument(file)
    pages = {n: document[n].get_textpage() for n in range(len(document))}
    for chunk, sentence in placed(book, strategy):
        read = ""
        for part in parts_between(chunk.anchors, sentence.start, sentence.end, chunk.end):
            box = part.quad
            read += pages[box.page - 1].get_text_bounded(box.left, box.bottom, box.right, box.top)
        words, there = (Letters.of(text).text for text in (book.text[sentence.start : sentence.end], read))
        n_differing = 0 if words[4:-4] in there else _n_missing(words[6:-6], there)
        if n_differing > len(words) // 4:
            lost.append((there[:40], words[:40]))
    return lost


def _n_missing(words: str, there: str) -> int:
    """Return how many of the pairs of neighbouring letters are not in the other text."""
    return sum(words[i : i + 2] not in there for i in range(len(words) - 1))


@STRATEGY
def test_a_cfi_of_a_chunk_leads_to_its_words(cls: type[Strategy]) -> None:
    name = "the-quiet-trades.epub"
    assert lost_in_epub(sample(name), SAMPLES / name, small(cls)) == []


@STRATEGY
def test_the_boxes_of_a_chunk_hold_its_words(cls: type[Strategy]) -> None:
    name = "small-machines.pdf"
    assert lost_in_pdf(sample(name), SAMPLES / name, small(cls)) == []


REAL_BOOKS = (
    "epub/russell-the-problems-of-philosophy",
    "epub/idpf-kusamakura-preview-embedded",
    "epub/darwin-the-voyage-of-the-beagle",
    "pdf/machiavelli-the-prince-2col",
    "pdf/russell-the-problems-of-philosophy",
    "pdf/shelley-frankenstein",
)


@pytest.mark.shared
@pytest.mark.parametrize(  # each book is cut in three ways, each way cuts two books at least
    ("name", "cls"),
    [
        pytest.param(name, cls, id=f"{name}-{cls.name}")
        for i, name in enumerate(REAL_BOOKS)
        for cls in islice(cycle(STRATEGIES.values()), 3 * i, 3 * i + 3)
    ],
)
def test_the_places_of_real_books_are_right_however_they_are_cut(
    shared_data: Path, name: str, cls: type[Strategy]
) -> None:
    file = shared_data / f"{name}.{name.partition('/')[0]}"
    lost = lost_in_epub if file.suffix == ".epub" else lost_in_pdf
    assert lost(read_once(file), file, cls()) == []
