"""`UniversalChunker`, the class of the first specification."""

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from alexandria.library.chunk_text import UniversalChunker

TEXT = "Cats purr. Cats sleep.\n\nStocks fell!  Stocks rose? Cats eat."


class ByFirstWord:
    """A model whose rows, of length 3, depend on a sentence's first word alone."""

    def encode(self, sentences: list[str], /) -> NDArray[np.float64]:
        words = sorted({sentence.split()[0] for sentence in sentences})
        return 3.0 * np.eye(len(words))[[words.index(sentence.split()[0]) for sentence in sentences]]


def test_chunks_are_dictionaries_of_slices_with_the_metadata_merged() -> None:
    metadata = {"author": "A", "text": "not this", "chunk_id": 99}
    chunks = UniversalChunker(ByFirstWord(), min_chunk_size=4).chunk(TEXT, metadata)
    assert chunks == [
        {"author": "A", "text": text, "chunk_id": i, "word_count": n, "strategy": "universal-semantic"}
        for i, (text, n) in enumerate(
            [("Cats purr. Cats sleep.", 4), ("Stocks fell!  Stocks rose? Cats eat.", 6)]
        )
    ]
    assert metadata == {"author": "A", "text": "not this", "chunk_id": 99}


def test_a_tail_shorter_than_the_minimum_joins_only_where_the_cap_allows() -> None:
    chunker = UniversalChunker(ByFirstWord(), min_chunk_size=3, max_chunk_size=4)
    assert [c["word_count"] for c in chunker.chunk(TEXT)] == [4, 4, 2]


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_text_without_words_has_no_chunks(text: str) -> None:
    assert UniversalChunker(ByFirstWord()).chunk(text) == []


def test_one_sentence_is_one_chunk_without_metadata() -> None:
    (chunk,) = UniversalChunker(ByFirstWord()).chunk("Only one.")
    assert chunk == {"text": "Only one.", "chunk_id": 0, "word_count": 2, "strategy": "universal-semantic"}


def test_nothing_is_lost() -> None:
    chunks = UniversalChunker(ByFirstWord(), min_chunk_size=1).chunk(TEXT)
    assert re.findall(r"\S+", " ".join(c["text"] for c in chunks)) == TEXT.split()


def test_sizes_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        UniversalChunker(ByFirstWord(), min_chunk_size=300, max_chunk_size=200)
