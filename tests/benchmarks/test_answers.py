"""Plain pipelines, and what a search hands out in comparison."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.lab.questions import AnsweredQuestion
from alexandria.lab.settings import parse_variant
from alexandria.library.ingest.one_book import analyse, generation, prepare, read_options, store
from alexandria.library.location import open_catalog
from alexandria.library.search.hits import search
from alexandria.library.search.request import SearchRequest
from benchmarks.asking.answers import MRR, evaluate_answers
from benchmarks.asking.plain import fuse_ranks, reciprocal_rank, split_recursively
from tests.evaluate.made import book


@given(st.text(alphabet="ab \n", max_size=300), st.integers(5, 40), st.integers(0, 4))
def test_plain_chunks_hold_every_word_and_are_short_enough(text: str, size: int, overlap: int) -> None:
    spans = split_recursively(text, size=size, overlap=overlap)
    assert all(0 < end - start <= size for start, end in spans)
    covered = {i for start, end in spans for i in range(start, end)}
    assert {i for i, letter in enumerate(text) if not letter.isspace()} <= covered


def test_plain_chunks_are_those_of_the_splitter_that_most_people_use() -> None:
    """The result of langchain-text-splitters 0.3 for this text, size 20 and overlap 8."""
    text = "One two three four.\n\nFive six seven eight nine ten.\nEleven"
    chunks = [text[start:end] for start, end in split_recursively(text, size=20, overlap=8)]
    assert chunks == ["One two three four.", "Five six seven", "seven eight nine", "nine ten.", "Eleven"]


def test_ranks_are_fused_by_their_reciprocals() -> None:
    assert fuse_ranks([[1, 2, 3], [3, 1]]) == [1, 3, 2]
    assert reciprocal_rank([False, True, True]) == 0.5
    assert reciprocal_rank([False]) == 0.0


@pytest.fixture(scope="module")
def questions() -> list[AnsweredQuestion]:
    text = book("First").text
    spans = [(block.start, block.start + len(block.text)) for block in book("First").blocks]
    return [AnsweredQuestion(text[start : start + 40], 0, ((start, end),)) for start, end in spans[1:9:2]]


def test_what_is_handed_out_is_what_a_search_of_the_library_returns(
    questions: list[AnsweredQuestion], tmp_path: Path
) -> None:
    books = [book("First"), book("Second", ("Stars", "Law"))]
    encoder, domain = load_encoder("hashing"), load_domain()
    report = evaluate_answers(domain, books, questions, encoder, budgets=(30, 60))
    ours = report.systems[-1]
    with open_catalog(str(tmp_path / "library"), "books", encoder) as library:
        for one in books:
            name = generation(one.id, domain, encoder, read_options(domain))
            store(prepare(analyse(one, domain, encoder), name), library)
        for i, question in enumerate(questions):
            (start, end), found = question.references[0], 0
            request = SearchRequest(query=question.question, words=60)
            for hit in search(request, library, encoder).hits:
                if hit.book_id == books[0].id:
                    found += max(0, min(end, hit.end) - max(start, hit.start))
            assert ours.scores["60"][i] == pytest.approx(found / (end - start))


def test_every_system_is_measured_within_each_budget(questions: list[AnsweredQuestion]) -> None:
    report = evaluate_answers(
        load_domain(),
        [book("First")],
        questions,
        load_encoder("hashing"),
        budgets=(30, 300),
        further=[parse_variant("fixed max_words=40 overlap_words=0")],
    )
    assert [system.name.removesuffix(", hybrid") for system in report.systems] == [
        "recursive 1,000/200 characters, dense",
        "the same chunks, BM25",
        "both, RRF",
        "Alexandria, optimal",
        "Alexandria, fixed max_words=40 overlap_words=0",
    ]
    assert report.library is report.systems[3]
    assert report.systems[4].n_chunks > report.library.n_chunks
    for system in report.systems:
        assert set(system.scores) == {"30", "300", MRR}
        assert system.estimate("300").value >= system.estimate("30").value
    strongest = max(report.systems[:3], key=lambda system: system.estimate(MRR).value)
    gain = report.gain(strongest, MRR)
    assert (gain.value, gain.low, gain.high) == (0, 0, 0), (
        "from itself, the plain pipeline differs by nothing"
    )
