"""Chunks: slices of the book with their notes, pages and headings, and vectors that cover the whole chunk."""

from dataclasses import replace

import numpy as np
import pytest

from alexandria.book.model import Boundary, Note, PageStart, Reason, Segmentation
from alexandria.chunking import assemble, chunk_vectors
from tests.chunking.builders import book_of, random_rows

BOOK, SENTENCES = book_of((1, "One", ["Alpha beta.", "Gamma."]), (1, "Two", ["Delta."]))
SIMILARITIES = np.array([0.5, 0.25, 0.0, 1.0], np.float32)


def cut_at(*gaps: int) -> Segmentation:
    return Segmentation(SIMILARITIES, tuple(Boundary(gap, 0.0, None, Reason.TOPIC) for gap in gaps))


def test_chunks_are_slices_that_partition_the_sentences() -> None:
    chunks = assemble(BOOK, SENTENCES, cut_at(2))
    assert [chunk.text for chunk in chunks] == ["One\n\nAlpha beta.\n\nGamma.", "Two\n\nDelta."]
    assert all(BOOK.text[c.start : c.end] == c.text for c in chunks)
    assert [(c.first_sentence, c.n_sentences, c.word_count) for c in chunks] == [(0, 3, 4), (3, 2, 2)]
    assert [c.headings for c in chunks] == [("One",), ("Two",)]
    assert [c.href for c in chunks] == ["One.xhtml", "Two.xhtml"]
    assert chunks[0].boundary is None
    assert chunks[1].boundary is not None


def test_the_average_similarity_is_that_of_neighbours_inside() -> None:
    averages = [chunk.avg_similarity for chunk in assemble(BOOK, SENTENCES, cut_at(2, 3))]
    assert averages == [0.375, 1.0, 1.0]


def test_no_sentences_give_no_chunks() -> None:
    book, sentences = book_of()
    assert assemble(book, sentences, Segmentation(np.empty(0, np.float32), ())) == ()


def test_each_cited_note_is_in_exactly_one_chunk() -> None:
    ends = [sentence.end for sentence in SENTENCES]
    starts = [sentence.start for sentence in SENTENCES]
    cited = {"end of the first": ends[2], "before the second": starts[3], "inside": starts[1] + 5, "start": 0}
    notes = (*(Note("*", text, at) for text, at in cited.items()), Note("*", "cited by nothing", None))
    chunks = assemble(replace(BOOK, notes=notes), SENTENCES, cut_at(2))
    assert [chunk.notes for chunk in chunks] == [
        ("start", "inside", "end of the first"),
        ("before the second",),
    ]


def test_pages_are_those_of_the_first_and_the_last_character() -> None:
    pages = (
        PageStart(0, 1, "i"),
        PageStart(SENTENCES[2].start, 2, "ii"),
        PageStart(SENTENCES[3].start, 3, "iii"),
    )
    chunks = assemble(replace(BOOK, page_starts=pages), SENTENCES, cut_at(2))
    assert [(c.page_start, c.page_end, c.page_label) for c in chunks] == [(1, 2, "i"), (3, 3, "iii")]


def test_overlap_is_context_beside_the_text() -> None:
    boundary = Boundary(2, 0.0, None, Reason.MAX_SIZE, overlap=2)
    chunks = assemble(BOOK, SENTENCES, Segmentation(SIMILARITIES, (boundary,)))
    assert chunks[1].text == "Two\n\nDelta."
    rows = random_rows(5)
    expected = rows[1:].sum(axis=0) / np.linalg.norm(rows[1:].sum(axis=0))
    assert chunk_vectors(rows, chunks)[1] == pytest.approx(expected, abs=1e-6)


def test_a_chunk_vector_is_the_normalised_mean_of_its_rows() -> None:
    rows = np.array([[1, 0], [0, 1], [1, 0], [1, 0], [-1, 0]], np.float32)
    vectors = chunk_vectors(rows, assemble(BOOK, SENTENCES, cut_at(1, 2)))
    half = 0.5**0.5
    assert vectors == pytest.approx(np.array([[half, half], [1, 0], [1, 0]]), abs=1e-6)
    assert vectors.dtype == np.float32
