"""Two files may be the same book."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.shingles import containment, likeness, pack_sketch, sketch_of, unpack_sketch
from alexandria.library.ingest.duplicates import SAME_TEXT, _is_one_work, remark_on_same_file, same_name
from alexandria.store.record import Record
from tests.real import read_once

WORDS = " ".join(f"word{n} and {n * 7}" for n in range(400))


def record(title: str, author: str = "", source: str = "/shelf/a.epub") -> Record:
    return Record(
        book_id=title + author,
        generation="g",
        title=title,
        author=author,
        language=None,
        format="epub",
        source=source,
        domain="default",
        strategy="fixed",
        settings={},
        n_chunks=1,
        n_words=1,
        warnings=(),
        ingested_at="2026-01-01",
    )


def test_titles_and_authors_select_what_may_be_the_same_book() -> None:
    cases = {
        "same": ("The Prince", "N. Machiavelli", "The Prince", "Niccolò Machiavelli", True),
        "subtitle": ("Moby Dick; or The Whale", "Melville", "Moby-Dick", "Herman Melville", True),
        "a file name, no author": ("the_prince", "", "The Prince", "Machiavelli", True),
        "short": ("She", "Haggard", "She", "H. Rider Haggard", True),
        "the same title, any author": ("Alice", "Chuck", "Alice", "Lewis Carroll", True),
        "by another author": ("Poems", "Keats", "Selected Poems", "Emily Dickinson", False),
        "one word of several": ("War and Peace", "Tolstoy", "War of the Worlds", "Wells", False),
        "another book by the same author": ("Emma", "Jane Austen", "Persuasion", "Jane Austen", False),
    }
    for title, author, other, by, alike in cases.values():
        assert same_name(record(title, author), record(other, by)) is alike
        assert same_name(record(other, by), record(title, author)) is alike


def test_texts_of_fifty_words_and_similar_length_are_one_work_whatever_their_titles() -> None:
    for n_words, other, are_one in ((50, 100, True), (49, 50, False), (50, 101, False)):
        salt, glass = replace(record("Salt"), n_words=n_words), replace(record("Glass"), n_words=other)
        assert _is_one_work(salt, glass) is _is_one_work(glass, salt) is are_one
        assert _is_one_work(salt, replace(glass, title="Salt"))


def test_a_text_shares_everything_with_itself_and_nothing_with_another() -> None:
    assert likeness(sketch_of([WORDS]), sketch_of([WORDS.upper()])) == 1
    assert likeness(sketch_of([WORDS]), sketch_of([WORDS.replace("word", "term")])) == 0
    assert likeness((), sketch_of([WORDS])) == 0


def test_a_preface_and_a_truncated_end_do_not_hide_a_text() -> None:
    edition = "A preface by the editor. " * 40 + WORDS[: len(WORDS) // 2]
    assert likeness(sketch_of([WORDS]), sketch_of([edition])) > SAME_TEXT


def long_text(first: int, n: int) -> str:
    return " ".join(f"word{number} and {number * 7}" for number in range(first, first + n))


def test_a_sketch_tells_the_share_of_a_text_in_another() -> None:
    text, half = sketch_of([long_text(0, 20_000)]), sketch_of([long_text(0, 10_000)])
    assert containment(half, text) > 0.97
    assert 0.4 < containment(text, half) < 0.6
    assert likeness(text, half) == containment(half, text)
    assert likeness(text, sketch_of([long_text(20_000, 20_000)])) < 0.02
    assert likeness(sketch_of(["A few words only, five."]), sketch_of([long_text(0, 9)])) == 0
    assert unpack_sketch(pack_sketch(text)) == text
    assert sketch_of([]) == unpack_sketch("") == ()


@given(st.lists(st.text(max_size=60), max_size=6))
def test_how_a_text_is_cut_hardly_matters(texts: Sequence[str]) -> None:
    # Chunks end between words, and so do these.
    assert sketch_of(texts) == sketch_of([" ".join(texts)])


def test_a_file_under_its_own_name_is_not_a_duplicate() -> None:
    assert remark_on_same_file(record("x", source="/shelf/a.epub"), Path("/shelf/a.epub")) == ()
    assert remark_on_same_file(record("x", source="/shelf/a.epub"), Path("/shelf/b.epub")) != ()


@pytest.mark.shared
def test_real_editions_of_one_text_share_most_of_it_and_other_books_almost_nothing(shared_data: Path) -> None:
    names = [
        "epub/machiavelli-the-prince.epub",
        "txt/machiavelli-the-prince.txt",
        "pdf/machiavelli-the-prince-2col.pdf",
        "epub/shelley-frankenstein.epub",
        "pdf/shelley-frankenstein.pdf",
        "pdf/darwin-the-voyage-of-the-beagle.pdf",
    ]
    texts = {name: read_once(shared_data / name).text for name in names}
    sketches = {name: sketch_of([text]) for name, text in texts.items()}
    for left, right in combinations(names, 2):
        same = left.split("/")[1][:6] == right.split("/")[1][:6]
        share = likeness(sketches[left], sketches[right])
        assert share > 0.85 if same else share < 0.1
