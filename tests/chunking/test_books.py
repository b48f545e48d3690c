"""Real books: every word is in exactly one chunk, whatever the strategy."""

from itertools import cycle, islice, pairwise
from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.chunking import STRATEGIES, assemble, segment_book
from alexandria.chunking.sentences import split
from alexandria.embed import load_encoder
from alexandria.errors import BookError
from tests.real import read_once


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["epub", "txt", "pdf"])
def test_every_word_of_a_book_is_in_exactly_one_chunk(shared_data: Path, folder: str) -> None:
    """Each book is cut in three ways, by the hashing encoder: where the cuts fall does not matter here."""
    encoder, strategies = load_encoder("hashing"), cycle(STRATEGIES.values())
    n_books = 0
    for path in sorted((shared_data / folder).glob(f"*.{folder}")):
        try:
            book = read_once(path)
        except BookError:
            continue
        assert all(book.text[block.start : block.end] == block.text for block in book.blocks)
        sentences = split(book)
        assert_all_but_white_space(book, [(s.start, s.end) for s in sentences])
        rows = encoder.encode([book.text[s.start : s.end] for s in sentences])
        for cls in islice(strategies, 3):
            strategy = cls()
            chunks = assemble(book, sentences, segment_book(strategy, rows, sentences, book))
            assert_all_but_white_space(book, [(c.start, c.end) for c in chunks])
            assert all(c.n_sentences == 1 or c.word_count <= strategy.max_words for c in chunks)
            assert sum(len(c.notes) for c in chunks) == sum(n.cited_at is not None for n in book.notes)
        n_books += 1
    assert n_books


def assert_all_but_white_space(book: Book, spans: list[tuple[int, int]]) -> None:
    for (_, end), (start, _) in pairwise([(0, 0), *spans, (len(book.text), 0)]):
        assert end <= start
        assert not book.text[end:start].strip()
