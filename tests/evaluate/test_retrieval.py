"""Strategies and modes against questions; the figures of an independent computation."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from alexandria.book.choices import ChunkVector, Mode, OverlapUse
from alexandria.book.model import BlockKind, Embeddings, Metadata
from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.embed.encoder import PlainEncoder
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.lab import K
from alexandria.lab.books_and_questions import make_questions
from alexandria.lab.corpus import read_as_is
from alexandria.lab.questions import AnsweredQuestion, place_questions, read_questions
from alexandria.lab.ranking import Rankings
from alexandria.lab.reports import MemoizedEncoder
from alexandria.lab.retrieval import (
    METRICS,
    TEXT_VECTOR,
    build_index,
    evaluate_retrieval,
    make_queries,
    run_modes,
)
from alexandria.lab.settings import Variant, parse_variant, registered_variants
from alexandria.library.ingest.one_book import analyse, prepare
from tests.evaluate.made import book, paragraph

pytestmark = pytest.mark.annex
ENCODER = load_encoder("hashing")
SMALL = load_domain(options={"strategy": "recursive", "max_words": 60, "overlap_words": 0})
BOOKS = [book("First"), book("Second", ("Stars", "Law"))]
QUESTIONS = [
    AnsweredQuestion("rope anchor deck", 0, ((10, 40),)),
    AnsweredQuestion("comet moon", 1, ((20, 60),)),
    AnsweredQuestion("the jury and the judge", 1, ((700, 750),)),
]


def test_every_strategy_and_every_mode_is_in_the_comparison() -> None:
    report = evaluate_retrieval(registered_variants(), BOOKS, QUESTIONS, ENCODER, modes=list(Mode))
    assert [(one.setting, one.mode) for one in report.runs] == [(s, m) for s in STRATEGIES for m in Mode]
    assert (report.baseline.setting, report.baseline.mode) == ("fixed", TEXT_VECTOR)
    for one in report.runs:
        assert set(one.scores) == set(METRICS)
        assert all(
            len(values) == len(QUESTIONS) and 0 <= values.min() <= values.max() <= 1
            for values in one.scores.values()
        )


def test_a_domain_without_sentence_vectors_is_not_searched_by_sentences() -> None:
    variant = parse_variant("optimal sentence_vectors=false")
    modes = [one.mode for one in run_modes(variant, BOOKS, QUESTIONS, ENCODER, modes=list(Mode))]
    assert modes == [mode for mode in Mode if mode is not Mode.SENTENCES]


def test_what_is_hidden_is_in_no_text_vector_or_word_of_the_index() -> None:
    made = BOOKS[0]
    analysis = analyse(made, SMALL, ENCODER)
    sentence = analysis.sentences[3]
    span = (sentence.start, sentence.end)
    plain, masked = build_index([analysis], {}), build_index([analysis], {0: [span]})
    chunk = next(i for i, p in enumerate(plain.passages) if p.start <= span[0] < p.end)
    assert masked.passages == plain.passages  # what a reader gets is the whole chunk all the same
    assert made.text[span[0] : span[1]] in plain.texts[chunk]
    assert made.text[span[0] : span[1]] not in masked.texts[chunk]
    assert len(masked.chunks.sentence_vectors) == len(plain.chunks.sentence_vectors) - 1
    assert not np.allclose(masked.chunks.dense[chunk], plain.chunks.dense[chunk])
    others = np.arange(len(plain.passages)) != chunk
    assert np.array_equal(masked.chunks.dense[others], plain.chunks.dense[others])


@pytest.mark.parametrize("chunk_vector", ChunkVector)
@pytest.mark.parametrize("overlap_for", OverlapUse)
def test_chunks_are_indexed_as_a_library_would_store_them(
    chunk_vector: ChunkVector, overlap_for: OverlapUse
) -> None:
    options = {"max_words": 60, "overlap_words": 20, "chunk_vector": chunk_vector, "overlap_for": overlap_for}
    domain = load_domain(options={"strategy": "recursive", **options})
    analysis = analyse(BOOKS[0], domain, ENCODER)
    assert any(chunk.overlap_before for chunk in analysis.chunks)
    indexed, points = build_index([analysis], {}).chunks, prepare(analysis, "x").points
    assert np.array_equal(indexed.dense, [point.dense for point in points])
    assert list(indexed.terms) == [point.bm25 for point in points]
    hidden = [(sentence.start, sentence.end) for sentence in analysis.sentences[3:5]]
    without = build_index([analysis], {0: hidden}).chunks
    changed = [not np.array_equal(*pair) for pair in zip(without.dense, indexed.dense, strict=True)]
    first = next(i for i, chunk in enumerate(analysis.chunks) if chunk.start <= hidden[0][0] < chunk.end)
    assert changed[first]
    assert not any(changed[first + 3 :])


def test_a_chunk_of_nothing_but_hidden_sentences_is_not_in_the_index() -> None:
    analysis = analyse(BOOKS[1], SMALL, ENCODER)
    gone = analysis.chunks[1]
    index = build_index([analysis], {0: [(gone.start, gone.end)]})
    assert [p.start for p in index.passages] == [c.start for c in analysis.chunks if c is not gone]


def test_self_made_questions_are_sentences_and_headings_of_the_book_and_hidden() -> None:
    questions, hidden = make_questions(BOOKS)
    assert {question.kind for question in questions} == {"sentence", "heading"}
    for question in questions:
        text = BOOKS[question.book].text
        at = [(start, end) for start, end in hidden[question.book] if text[start:end] == question.question]
        assert at, "the question itself is hidden"
        if question.kind == "sentence":
            assert question.references[0] in at
    assert questions == make_questions(BOOKS)[0]


def test_headings_without_a_word_of_their_own_are_no_questions() -> None:
    made = book(topics=("Ships", "Bread"))
    blocks = [question.question for question in make_questions([made])[0] if question.kind == "heading"]
    assert blocks == ["Ships", "Bread"]
    same = book(topics=("Ships", "Ships"))
    assert [p for p in make_questions([same])[0] if p.kind == "heading"] == []


@pytest.mark.parametrize(
    ("numbered", "titled"),
    [
        pytest.param(("Chapter XVIII", "Chapter XXIII"), "Chapter XXVIII: Mild Ale", id="Roman"),
        pytest.param(("LXXVI", "MDCCLXXVI"), "LXXVII. CIVIL WAR", id="Roman alone"),
        pytest.param(("Chapter Eleven", "Chapter Seventeen"), "Chapter Nineteen: Bread", id="words"),
        pytest.param(("Erster Teil", "Dritter Teil"), "Vierter Teil: Brot", id="German"),
    ],
)
def test_a_heading_that_only_has_a_number_of_its_own_is_no_question(
    numbered: tuple[str, ...], titled: str
) -> None:
    """A search cannot find a section by its number; beside a title, the number does no harm."""
    sections = tuple(
        DraftSection(
            (heading,),
            1,
            None,
            (DraftBlock(BlockKind.HEADING, heading), DraftBlock(BlockKind.PARAGRAPH, paragraph("Ships"))),
        )
        for heading in (*numbered, titled)
    )
    made = bind(Draft(Metadata("Made"), sections), id="made", source="made.txt", format="txt")
    questions = make_questions([made])[0]
    assert [question.question for question in questions if question.kind == "heading"] == [titled]


def test_a_comparison_splits_by_the_kind_of_question() -> None:
    questions = [AnsweredQuestion("rope", 0, ((0, 9),), "heading"), *QUESTIONS]
    variant = parse_variant("fixed")
    whole = evaluate_retrieval([variant], BOOKS, questions, ENCODER, modes=["dense"])
    parts = whole.by_kind()
    assert {kind: len(part.runs[0].scores["mrr"]) for kind, part in parts.items()} == {
        "heading": 1,
        "given": 3,
    }
    assert parts["given"].runs[0].scores["mrr"].tolist() == whole.runs[0].scores["mrr"][1:].tolist()


def test_the_encoder_is_asked_for_no_sentence_twice() -> None:
    asked: list[str] = []

    class Counting(PlainEncoder):
        name, dim = "counting", ENCODER.dim

        def encode(self, texts: Sequence[str]) -> Embeddings:
            asked.extend(texts)
            return ENCODER.encode(texts)

    memoized = MemoizedEncoder(Counting())
    variants = [
        parse_variant("universal-semantic"),
        parse_variant("optimal"),
        parse_variant("optimal min_words=50 max_words=170"),
    ]
    for variant in variants:
        list(run_modes(variant, BOOKS, QUESTIONS, memoized, modes=["dense"]))
    assert len(asked) == len(set(asked))
    texts = ["a b", "c", "a b"]
    assert np.array_equal(memoized.encode(texts), ENCODER.encode(texts))


def independent(
    references: list[tuple[int, int]], chunks: list[tuple[str, int, int]], corpus: str
) -> tuple[float, float, float]:
    """Return recall, precision and IoU as Chroma defines them, character by character."""
    wanted = np.zeros(200_000, bool)
    for start, end in references:
        wanted[start:end] = True
    read = np.zeros(200_000, bool)
    for name, start, end in chunks:
        if name == corpus:
            read[start:end] = True
    found = int((wanted & read).sum())
    n_read = sum(end - start for _, start, end in chunks)
    n_wanted = sum(end - start for start, end in references)
    return found / n_wanted, found / n_read, found / (n_read + int((wanted & ~read).sum()))


@pytest.mark.shared
def test_chroma_scores_are_those_of_an_independent_computation(shared_data: Path) -> None:
    folder = shared_data / "eval" / "chroma"
    books = [read_as_is(path) for path in sorted((folder / "corpora").glob("*.md"))]
    questions, _ = place_questions(read_questions(folder / "questions_dev.csv"), books)
    variant = Variant(
        "optimal", load_domain(options={"strategy": "optimal", "min_words": 50, "max_words": 170})
    )
    (run,) = run_modes(variant, books, questions, ENCODER, modes=["hybrid"])
    index = build_index([analyse(one, variant.domain, ENCODER) for one in books], {})
    rankings = Rankings.of(
        index.chunks, make_queries([question.question for question in questions], books, ENCODER)
    )
    with (folder / "questions_dev.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [one.title for one in books]
    for i, row in enumerate(rows):
        references = [(one["start_index"], one["end_index"]) for one in json.loads(row["references"])]
        best = [index.passages[int(n)] for n in rankings.best(i, Mode.HYBRID)[:K]]
        chunks = [(names[p.book], p.start, p.end) for p in best]
        expected = independent(references, chunks, row["corpus_id"])
        own = tuple(run.scores[name][i] for name in ("recall", "precision", "iou"))
        assert own == pytest.approx(expected, abs=1e-6)
