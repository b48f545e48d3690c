from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import load_domain
from alexandria.errors import ConfigError
from alexandria.library.ingest.run import ingest
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.inspection import Inspection
from alexandria.library.location import open_catalog
from alexandria.store.catalog import Catalog
from tests.conftest import SAMPLES
from tests.inspection.made import ENCODER, compared, document_of, inspected, without_blocks

BOOKS = sorted(path for path in SAMPLES.iterdir() if path.name != "README.md")
EPUB = SAMPLES / "the-quiet-trades.epub"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """All samples, cut as `inspected` cuts them."""
    domain = load_domain(options={"model": "hashing"}, environ={})
    with open_catalog(str(tmp_path_factory.mktemp("library")), "books", ENCODER) as opened:
        list(ingest(BOOKS, domain, ENCODER, opened))
        yield opened


def stored_as_shown(library: Catalog, book: str) -> Inspection:
    record = library.find(book)
    return Inspection.of_library(record, library.chunks(record))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.name)
def test_a_stored_book_shows_what_its_file_shows(path: Path, library: Catalog) -> None:
    fresh = inspected(path)
    stored = stored_as_shown(library, fresh.book_id)
    here, there = document_of(fresh), document_of(stored)
    assert there["book"].pop("source") == str(Path(here["book"].pop("source")).absolute())
    assert without_blocks(here) == there


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_stored_book_tells_how_any_strategy_cut_it(strategy: str, tmp_path: Path) -> None:
    fresh = inspected(EPUB, strategy)
    with open_catalog(str(tmp_path), "books", ENCODER) as library:
        list(ingest([EPUB], fresh.domain, ENCODER, library))
        stored = stored_as_shown(library, "quiet")
    here, there = document_of(fresh), document_of(stored)
    del here["book"]["source"], there["book"]["source"]
    assert without_blocks(here) == there


@pytest.mark.parametrize(
    ("covered", "n_beyond"), [pytest.param(1.0, 0, id="all read"), pytest.param(0.9, None, id="how many, no")]
)
def test_a_stored_book_knows_whether_the_model_read_all(
    covered: float, n_beyond: int | None, library: Catalog
) -> None:
    record = library.find("quiet")
    first, *others = library.chunks(record)
    first = replace(first, payload={**first.payload, "vector_coverage": covered})
    stored = Inspection.of_library(record, [first, *others])
    assert stored.quality.n_beyond_window == n_beyond


def test_a_chunk_s_sentences_are_its_text() -> None:
    for strategy in ["universal-semantic", "tiered", "recursive"]:
        for chunk in inspected(EPUB, strategy).chunks:
            sentences = chunk.sentences
            assert len(sentences) == chunk.n_sentences
            assert "".join("".join(sentences).split()) == "".join(chunk.text.split())
            assert all(one == one.strip() for one in sentences)


def test_sentences_are_found_by_number() -> None:
    book = inspected(EPUB)
    every = [one for chunk in book.chunks for one in chunk.sentences]
    assert [book.sentence(i) for i in range(book.n_sentences)] == every
    with pytest.raises(ConfigError, match="no sentence 202"):
        book.sentence(202)


def test_chapters_are_runs_of_chunks() -> None:
    book = inspected(EPUB)
    assert [chunk for chapter in book.chapters for chunk in chapter.chunks] == list(book.chunks)
    assert sum(chapter.n_words for chapter in book.chapters) == book.n_words


def test_the_same_way_twice_agrees_everywhere() -> None:
    way = inspected(EPUB)
    comparison = Comparison.of([way, way])
    assert comparison.n_agreed == len(comparison.places) == len(way.boundaries)


def test_ways_agree_where_both_cut() -> None:
    comparison = compared(EPUB, "universal-semantic", "optimal")
    cuts = [{chunk.start for chunk in way.chunks if chunk.boundary} for way in comparison.inspections]
    assert comparison.n_agreed == comparison.count_shared(0, 1) == len(cuts[0] & cuts[1])
    assert {place.start for place in comparison.places} == cuts[0] | cuts[1]
    assert {place.start for place in comparison.places if place.is_agreed} == cuts[0] & cuts[1]


def test_ways_share_their_vectors_and_not_their_cuts() -> None:
    """One pass of the model for all gives the same as one for each."""
    together = compared(EPUB, *STRATEGIES)
    apart = [inspected(EPUB, name) for name in STRATEGIES]
    assert [document_of(way) for way in together.inspections] == [document_of(way) for way in apart]
