"""The limits that hold for every strategy: a book's own divisions, the cap, short tails."""

from dataclasses import replace

import numpy as np
import pytest

from alexandria.book.model import BlockKind, Boundary, Contribution, Metadata, Reason
from alexandria.chunking import assemble, segment_book
from alexandria.chunking.limits import apply_limits, measure_sentences
from alexandria.chunking.sentences import split
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from tests.chunking.builders import book_of, sizes_with, topics, words

T, M, S = Reason.TOPIC, Reason.MAX_SIZE, Reason.SECTION
CHAPTER, PART = 1, 2


@pytest.mark.parametrize(
    ("words", "breaks", "topics", "expected"),
    [
        pytest.param([10] * 4, (), (), [], id="all fits"),
        pytest.param([10] * 4, (2,), (), [(1, S)], id="a section breaks"),
        pytest.param([20] * 5, (), (), [(1, M), (3, M)], id="the cap cuts at the last sentence that fits"),
        pytest.param([20] * 5, (), (0,), [(0, T), (2, M)], id="the cap counts from the cut before"),
        pytest.param([60, 5, 20], (), (), [(0, M)], id="a sentence above the cap is a chunk of its own"),
        pytest.param([5, 60, 60, 20], (), (), [(0, M), (1, M), (2, M)], id="so is each of two"),
        pytest.param([30, 30, 30], (), (0,), [(0, M), (1, M)], id="split by the cap whatever the topic"),
        pytest.param([20, 20, 5], (), (1,), [(1, T)], id="a tail that does not fit remains"),
        pytest.param([20, 15, 5], (), (1,), [], id="a short tail joins"),
        pytest.param([20, 10, 10], (), (1,), [(1, T)], id="a tail of min_words remains"),
        pytest.param([20, 5, 20], (2,), (0,), [(1, S)], id="a tail joins inside its section"),
        pytest.param([5, 20, 15], (1,), (1,), [(0, S), (1, T)], id="a short chapter does not join"),
    ],
)
def test_limits(
    words: list[int], breaks: tuple[int, ...], topics: tuple[int, ...], expected: list[tuple[int, Reason]]
) -> None:
    similarities = np.zeros(len(words) - 1, np.float32)
    cuts = [Boundary(gap, 0.0, 0.5, T) for gap in topics]
    limited = apply_limits(cuts, sizes_with(words, breaks=breaks), similarities, min_words=10, max_words=40)
    assert [(b.gap, b.reason) for b in limited] == expected


def test_the_cap_leaves_no_heading_at_the_end_of_a_chunk() -> None:
    sizes = sizes_with([20, 15, 5, 20, 10], after_heading=[3])
    limited = apply_limits((), sizes, np.zeros(4, np.float32), min_words=0, max_words=40)
    assert [b.gap for b in limited] == [1]


def test_a_heading_before_a_sentence_that_fills_the_cap_is_a_chunk_of_its_own() -> None:
    sizes = sizes_with([20, 5, 40], after_heading=[2])
    limited = apply_limits((), sizes, np.zeros(2, np.float32), min_words=0, max_words=40)
    assert [b.gap for b in limited] == [0, 1]


def test_no_other_limit_separates_a_heading_from_its_text() -> None:
    sizes = sizes_with([20, 5, 30, 20], after_heading=[2])
    by_characters = [Boundary(gap, 0.0, 0.5, M) for gap in (0, 1, 2)]
    limited = apply_limits(by_characters, sizes, np.zeros(3, np.float32), min_words=0, max_words=40)
    assert [b.gap for b in limited] == [0, 2]


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


def test_a_section_by_others_begins_a_chunk_however_short_and_deep_it_is() -> None:
    book, sentences = book_of((1, "Essays", []), (2, "Bread", [words(5)]), (2, "War", [words(5)]))
    essays, bread, war = book.sections
    own = [replace(one, contribution=Contribution(one.headings[-1], "Ada Wren")) for one in (bread, war)]
    for sections, breaks in [
        ((essays, bread, war), ()),
        ((essays, own[0], war), (3,)),
        ((essays, *own), (3,)),
    ]:
        divided = replace(book, sections=tuple(replace(one, chapter=one is essays) for one in sections))
        assert measure_sentences(divided, sentences, min_words=20, respect_sections=True).breaks == breaks


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
