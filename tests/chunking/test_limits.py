"""The limits that hold for every strategy: a book's own divisions, the cap, short tails."""

from dataclasses import replace

import numpy as np

from alexandria.book.model import BlockKind, Boundary, Contribution, Metadata, Reason
from alexandria.chunking import assemble, segment_book
from alexandria.chunking.limits import apply_limits, measure_sentences
from alexandria.chunking.sentences import split
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from tests.chunking.builders import book_of, sizes_with, topics, words

T, M, S = Reason.TOPIC, Reason.MAX_SIZE, Reason.SECTION
CHAPTER, PART = 1, 2


def test_limits() -> None:
    cases: dict[str, tuple[list[int], tuple[int, ...], tuple[int, ...], list[tuple[int, Reason]]]] = {
        "all fits": ([10] * 4, (), (), []),
        "a section breaks": ([10] * 4, (2,), (), [(1, S)]),
        "the cap cuts at the last sentence that fits": ([20] * 5, (), (), [(1, M), (3, M)]),
        "the cap counts from the cut before": ([20] * 5, (), (0,), [(0, T), (2, M)]),
        "a sentence above the cap is a chunk of its own": ([60, 5, 20], (), (), [(0, M)]),
        "so is each of two": ([5, 60, 60, 20], (), (), [(0, M), (1, M), (2, M)]),
        "split by the cap whatever the topic": ([30, 30, 30], (), (0,), [(0, M), (1, M)]),
        "a tail that does not fit remains": ([20, 20, 5], (), (1,), [(1, T)]),
        "a short tail joins": ([20, 15, 5], (), (1,), []),
        "a tail of min_words remains": ([20, 10, 10], (), (1,), [(1, T)]),
        "a tail joins inside its section": ([20, 5, 20], (2,), (0,), [(1, S)]),
        "a short chapter does not join": ([5, 20, 15], (1,), (1,), [(0, S), (1, T)]),
    }
    for sizes, breaks, changes, expected in cases.values():
        similarities = np.zeros(len(sizes) - 1, np.float32)
        cuts = [Boundary(gap, 0.0, 0.5, T) for gap in changes]
        limited = apply_limits(
            cuts, sizes_with(sizes, breaks=breaks), similarities, min_words=10, max_words=40
        )
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


def test_the_breaks_of_a_book() -> None:
    cases: dict[str, tuple[list[tuple[int, str, list[str]]], tuple[int, ...]]] = {
        "an empty book": ([], ()),
        "one chapter": ([(1, "One", [words(5)])], ()),
        "a short chapter still breaks": ([(1, "One", [words(5)]), (1, "Two", [words(5)])], (2,)),
        "lower sections break once the chunk before is full": (
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (2, "b", [words(30)])],
            (2, 4),
        ),
        "a short section joins the next": (
            [(1, "One", [words(30)]), (2, "a", [words(5)]), (2, "b", [words(30)])],
            (2,),
        ),
        "a short last section of a chapter joins what is before it": (
            [(1, "One", [words(30)]), (2, "a", [words(5)]), (1, "Two", [words(30)])],
            (4,),
        ),
        "a short last section of the book joins what is before it": (
            [(1, "One", [words(30)]), (2, "a", [words(5)])],
            (),
        ),
        "a heading without text stays with the next": (
            [(0, "", [words(5)]), (1, "One", [words(30)]), (2, "a", []), (2, "b", [words(25)])],
            (1, 3),
        ),
        "paragraphs of one section do not break": ([(1, "One", [words(30), words(30)])], ()),
        "min_words before it are enough": ([(1, "One", [words(19)]), (2, "a", [words(30)])], (2,)),
        "min_words in it are enough": ([(1, "One", [words(30)]), (2, "a", [words(19)])], (2,)),
        "a word short before it": ([(1, "One", [words(18)]), (2, "a", [words(30)])], ()),
        "a word short in it": ([(1, "One", [words(30)]), (2, "a", [words(18)])], ()),
        "a short last chapter still breaks": (
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (1, "Two", [words(5)])],
            (2, 4),
        ),
        "a chapter after a section that is only a heading breaks before that heading": (
            [(1, "One", [words(10)]), (2, "a", []), (1, "Two", [words(30)])],
            (2,),
        ),
        "a short chapter after a section that is only a heading still breaks": (
            [(1, "One", [words(30)]), (2, "a", []), (1, "Two", [words(5)])],
            (2,),
        ),
        "nor does a long heading break from the next": (
            [(1, "One", [words(30)]), (2, words(25), []), (2, "b", [words(30)])],
            (2,),
        ),
        "a section is full or not by the words since the last break": (
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (2, "b", [words(5)]), (2, "c", [words(30)])],
            (2, 4),
        ),
        "a short last section joins the one before it": (
            [(1, "One", [words(30)]), (2, "a", [words(30)]), (2, "b", [words(5)])],
            (2,),
        ),
        "headings alone do not break": ([(1, "One", []), (2, "a", []), (1, "Two", [words(30)])], ()),
    }
    for sections, breaks in cases.values():
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


def test_a_term_stays_with_its_definition() -> None:
    texts = (
        "Floe",
        "Ice that drifts.",
        "Fog",
        "Weather at sea.",
        "He said:",
        "Apples",
        "Pears and quinces",
        "Figs",
    )
    blocks = tuple(DraftBlock(BlockKind.LIST_ITEM, text) for text in texts)
    draft = Draft(Metadata(title="T"), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    sizes = measure_sentences(book, split(book), min_words=0, respect_sections=True)
    assert [text for text, may in zip(texts, sizes.may_begin, strict=True) if not may] == [texts[1], texts[3]]


def test_a_signature_stays_with_what_it_signs() -> None:
    signed = ["—Ada Pym", "—“The Mad Clerk”", "— G. J.", "– A. N. Other, 1911", "--The Author"]
    others = ["—Yes, he said.", "— Да, — сказал он.", "—“I come!”", "Ada Pym", "— 12 —", f"—{words(40)}"]
    for text in (*signed, *others):
        book, sentences = book_of((1, "One", ["Hail, fruit!", text]))
        sizes = measure_sentences(book, sentences, min_words=0, respect_sections=True)
        assert sizes.may_begin[2:].all() == (text not in signed), text


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
