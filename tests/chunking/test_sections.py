"""Chapters and headings: where a book's own divisions cut, and where they do not."""

import pytest

from alexandria.book import BlockKind, Metadata, Reason
from alexandria.chunking import assemble, segment_book
from alexandria.chunking.sections import measure_sentences
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.sentences import split
from tests.chunking.builders import book_of, sizes_with, topics, words

CHAPTER, PART = 1, 2


@pytest.mark.parametrize(
    ("sections", "breaks"),
    [
        pytest.param([], (), id="an empty book"),
        pytest.param([(1, "One", [words(5)])], (), id="one chapter"),
        pytest.param(
            [(1, "One", [words(5)]), (1, "Two", [words(5)])], (2,), id="a short chapter still breaks"
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (2, "b", [words(30)])],
            (2, 4),
            id="lower sections break once the chunk before is full",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(5)]), (2, "b", [words(30)])],
            (2,),
            id="a short section joins the next",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(5)]), (1, "Two", [words(30)])],
            (4,),
            id="a short last section of a chapter joins what is before it",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(5)])],
            (),
            id="a short last section of the book joins what is before it",
        ),
        pytest.param(
            [(0, "", [words(5)]), (1, "One", [words(30)]), (2, "a", []), (2, "b", [words(25)])],
            (1, 3),
            id="a heading without text stays with the next",
        ),
        pytest.param([(1, "One", [words(30), words(30)])], (), id="paragraphs of one section do not break"),
        pytest.param(
            [(1, "One", [words(19)]), (2, "a", [words(30)])], (2,), id="min_words before it are enough"
        ),
        pytest.param([(1, "One", [words(30)]), (2, "a", [words(19)])], (2,), id="min_words in it are enough"),
        pytest.param([(1, "One", [words(18)]), (2, "a", [words(30)])], (), id="a word short before it"),
        pytest.param([(1, "One", [words(30)]), (2, "a", [words(18)])], (), id="a word short in it"),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (1, "Two", [words(5)])],
            (2, 4),
            id="a short last chapter still breaks",
        ),
        pytest.param(
            [(1, "One", [words(10)]), (2, "a", []), (1, "Two", [words(30)])],
            (2,),
            id="a chapter after a section that is only a heading breaks before that heading",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", []), (1, "Two", [words(5)])],
            (2,),
            id="a short chapter after a section that is only a heading still breaks",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, words(25), []), (2, "b", [words(30)])],
            (2,),
            id="nor does a long heading break from the next",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (2, "b", [words(5)]), (2, "c", [words(30)])],
            (2, 4),
            id="a section is full or not by the words since the last break",
        ),
        pytest.param(
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (2, "b", [words(5)])],
            (2,),
            id="a short last section joins the one before it",
        ),
        pytest.param(
            [(1, "One", []), (2, "a", []), (1, "Two", [words(30)])],
            (),
            id="headings alone do not break",
        ),
    ],
)
def test_the_breaks_of_a_book(sections: list[tuple[int, str, list[str]]], breaks: tuple[int, ...]) -> None:
    book, sentences = book_of(*sections)
    assert measure_sentences(book, sentences, min_words=20, respect_sections=True).breaks == breaks


def test_a_chapter_without_sentences_breaks_before_what_follows_it() -> None:
    book, sentences = book_of((1, "One", [words(30)]), (1, "Two", [words(30)]), (2, "a", [words(5)]))
    others = [sentence for sentence in sentences if sentence.section != 1]
    assert measure_sentences(book, others, min_words=20, respect_sections=True).breaks == (2,)


def test_a_part_that_is_only_a_heading_stays_with_its_first_chapter_which_names_the_chunk() -> None:
    book, sentences = book_of((1, "Part", []), (2, "Chapter", [words(600)]), (2, "Next", [words(600)]))
    assert [section.chapter for section in book.sections] == [True, True, True]
    segmentation = segment_book(UniversalSemantic(), topics(5), sentences, book)
    assert [(b.gap, b.reason) for b in segmentation.boundaries] == [(2, Reason.SECTION)]
    assert [chunk.headings for chunk in assemble(book, sentences, segmentation)] == [("Chapter",), ("Next",)]


def test_without_respect_for_sections_a_chunk_reaches_across_chapters() -> None:
    book, sentences = book_of((1, "One", [words(30)]), (1, "Two", [words(30)]))
    segmentation = segment_book(UniversalSemantic(), topics(4), sentences, book, respect_sections=False)
    assert segmentation.boundaries == ()


def test_paragraphs_and_headings_are_known_by_their_blocks() -> None:
    book, sentences = book_of((1, "One", [words(3), words(4)]))
    sizes = measure_sentences(book, sentences, min_words=0, respect_sections=True)
    assert sizes.words.tolist() == [1, 3, 4]
    assert sizes.characters.tolist() == [len("One"), len("word word word"), len("word word word word")]
    assert sizes.starts_block.tolist() == [True, True, True]
    assert sizes.may_begin.tolist() == [True, False, True]


def test_the_first_sentence_after_a_break_of_the_author_is_known() -> None:
    blocks = (
        DraftBlock(BlockKind.PARAGRAPH, "One. Two."),
        DraftBlock(BlockKind.PARAGRAPH, "Three. Four.", break_before=True),
    )
    draft = Draft(Metadata(title="T"), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    sizes = measure_sentences(book, split(book), min_words=0, respect_sections=True)
    assert sizes.break_before.tolist() == [False, False, True, False]


def test_a_span_of_sentences_keeps_its_breaks() -> None:
    sizes = sizes_with([5] * 6, after_break=[1, 4])
    assert sizes.subset(3, 6).break_before.tolist() == [False, True, False]
