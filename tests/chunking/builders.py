"""Test inputs: rows with given similarities, sizes with given words, books from a few lines."""

from collections.abc import Sequence

import numpy as np

from alexandria.book.model import BlockKind, Book, Embeddings, Metadata, Sentence
from alexandria.chunking import Sizes
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind


def rows_with(similarities: Sequence[float]) -> Embeddings:
    """Return unit rows in the plane whose neighbours have these cosines."""
    angles = np.concatenate(([0.0], np.cumsum(np.arccos(similarities))))
    return np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)


def topics(*lengths: int) -> Embeddings:
    """Return rows of as many topics as there are lengths, each orthogonal to the others."""
    return np.repeat(np.eye(len(lengths), dtype=np.float32), lengths, axis=0)


def random_rows(n: int, dim: int = 8, seed: int = 0) -> Embeddings:
    """Return n random unit rows."""
    rows = np.random.default_rng(seed).standard_normal((n, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)


def sizes_with(
    words: Sequence[int],
    *,
    characters: Sequence[int] | None = None,
    breaks: tuple[int, ...] = (),
    after_heading: Sequence[int] = (),
    paragraphs: Sequence[int] | None = None,
    after_break: Sequence[int] = (),
) -> Sizes:
    """Return sizes; by default five characters per word, and each sentence is a paragraph."""
    n = len(words)
    starts = np.isin(np.arange(n), range(n) if paragraphs is None else paragraphs)
    return Sizes(
        words=np.array(words, np.int64),
        characters=np.array([5 * w for w in words] if characters is None else characters, np.int64),
        starts_block=starts,
        may_begin=~np.isin(np.arange(n), after_heading),
        break_before=np.isin(np.arange(n), after_break),
        breaks=breaks,
    )


def book_of(*sections: tuple[int, str, Sequence[str]]) -> tuple[Book, tuple[Sentence, ...]]:
    """Return a book of (level, heading, paragraphs) and its sentences, one per heading or paragraph."""
    drafts = tuple(
        DraftSection(
            headings=(heading,),
            level=level,
            href=f"{heading}.xhtml",
            blocks=(
                *((DraftBlock(BlockKind.HEADING, heading),) if heading else ()),
                *(DraftBlock(BlockKind.PARAGRAPH, text) for text in paragraphs),
            ),
        )
        for level, heading, paragraphs in sections
    )
    book = bind(Draft(Metadata(title="T"), drafts), id="0" * 64, source="t.txt", format="txt")
    sentences, n = [], 0
    for i, section in enumerate(book.sections):
        for block in section.blocks:
            sentences.append(Sentence(block.start, block.end, i, n))
            n += 1
    return book, tuple(sentences)


def words(n: int, word: str = "word") -> str:
    """Return a text of n words."""
    return " ".join([word] * n)
