"""A query becomes hits: filters, context, the best sentence, and queries that are hard to answer."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria.book.choices import Diverse, Mode
from alexandria.book.filters import Filters
from alexandria.book.model import Embeddings
from alexandria.embed import Encoder
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.models.languages import sentences
from alexandria.errors import ConfigError, StoreError
from alexandria.library.location import open_catalog
from alexandria.library.search import seeking
from alexandria.library.search.hits import Results, search
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.reranking import Ranker
from alexandria.library.search.seeking import MEANING_ACROSS, _weight_of_meaning
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import CatalogFile
from alexandria.store.sparse import languages_outside, query_languages, query_terms

ENCODER = HashingEncoder()
GARDEN = """Garden Book

CHAPTER I
On Roses

Roses want sun and a deep soil. Water them early in the day. The beetle comes in June.

CHAPTER II
On Cabbages

A cabbage is sown in March. The white butterfly lays her eggs under its leaves. Nets keep her away.
"""
SEA = """Sea Book

CHAPTER I
On Tides

The tide turns twice a day. A spring tide runs highest behind the new moon. Sailors read it from a table.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("shelf")
    for name, text in (("garden", GARDEN), ("sea", SEA)):
        (folder / f"{name}.txt").write_text(text)
    where, options = str(folder / "library"), {"model": "hashing", "min_words": 5, "max_words": 30}
    alexandria.ingest([folder / "garden.txt"], domain="technical", options=options, store=where)
    alexandria.ingest([folder / "sea.txt"], options=options, store=where)
    with open_catalog(where, "books", None) as opened:
        yield opened


def find(
    library: Catalog, query: str, *, encoder: Encoder = ENCODER, ranker: Ranker | None = None, **more: Any
) -> Results:
    return search(SearchRequest(query=query, **more), library, encoder, ranker=ranker)


def titles(results: Results) -> set[str]:
    return {hit.title for hit in results.hits}


def test_a_question_takes_few_statements_of_the_catalog(library: Catalog) -> None:
    find(library, "when is cabbage sown")  # what does not change is asked once
    statements: list[str] = []
    records = library.store.records
    assert isinstance(records, CatalogFile)
    records._database.set_trace_callback(statements.append)
    try:
        find(library, "when does the tide turn")
    finally:
        records._database.set_trace_callback(None)
    assert 0 < len(statements) <= 8


@pytest.mark.parametrize("mode", Mode)
def test_each_mode_finds_the_passage(library: Catalog, mode: Mode) -> None:
    best = find(library, "the white butterfly lays her eggs", mode=mode).hits[0]
    assert "butterfly" in best.text


def test_hits_are_of_several_books_or_chapters_where_that_is_asked_for(library: Catalog) -> None:
    everything = find(library, "the", limit=10).hits
    assert len(everything) > 3
    by_book = find(library, "the", limit=10, diverse=Diverse.BOOK).hits
    assert sorted(hit.title for hit in by_book) == ["Garden Book", "Sea Book"]
    by_chapter = find(library, "the", limit=10, diverse=Diverse.CHAPTER).hits
    assert len({(hit.title, hit.section[:1]) for hit in by_chapter}) == len(by_chapter) > 2
    varied = find(library, "the", limit=10, diverse=Diverse.MMR).hits
    assert {hit.id for hit in varied} == {hit.id for hit in everything}
    excerpts = find(library, "the", words=30, diverse=Diverse.BOOK).hits
    assert len({hit.book_id for hit in excerpts}) == len(excerpts) == 2


class Shortest:
    """Ranks short passages first."""

    name = "shortest"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([-len(text) for text in texts], np.float32)


def test_a_cross_encoder_ranks_the_best_chunks(library: Catalog) -> None:
    hits = find(library, "the white butterfly lays her eggs", limit=10, ranker=Ranker(Shortest(), 1.0)).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    plain = find(library, "the white butterfly lays her eggs", limit=10).hits
    assert {hit.id for hit in plain} == {hit.id for hit in hits}
    assert [hit.id for hit in plain] != [hit.id for hit in hits]
    assert find(library, "the white butterfly", words=200, ranker=Ranker(Shortest(), 0.5)).hits


def test_the_best_sentence_is_the_one_that_answers(library: Catalog) -> None:
    hit = find(library, "the white butterfly lays her eggs").hits[0]
    assert hit.best is not None
    start, end = (offset - hit.start for offset in hit.best)
    assert hit.sentence == hit.text[start:end] == "The white butterfly lays her eggs under its leaves."


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), {"Garden Book", "Sea Book"}),
        (Filters(domain="technical"), {"Garden Book"}),
        (Filters(book="SEA"), {"Sea Book"}),
        (Filters(language="en"), {"Garden Book", "Sea Book"}),
        (Filters(chapter="tides"), {"Sea Book"}),
        (Filters(chapter="CABBAGE"), {"Garden Book"}),
    ],
    ids=["none", "domain", "title", "language", "section", "section in capitals"],
)
def test_a_filter_lets_through_what_it_names(library: Catalog, filters: Filters, expected: set[str]) -> None:
    assert titles(find(library, "day", filters=filters, limit=50)) == expected


def test_a_section_filter_keeps_to_its_section(library: Catalog) -> None:
    hits = find(library, "day", filters=Filters(chapter="cabbage"), limit=50).hits
    assert hits
    assert all("cabbage" in " ".join(hit.section).casefold() for hit in hits)


@pytest.mark.parametrize(
    "filters",
    [
        Filters(domain="law"),
        Filters(book="x"),
        Filters(author="y"),
        Filters(language="la"),
        Filters(chapter="z"),
    ],
    ids=str,
)
def test_a_filter_that_nothing_passes_is_named(library: Catalog, filters: Filters) -> None:
    with pytest.raises(ConfigError, match=r"no book has the|no chapter is called"):
        find(library, "day", filters=filters)


def test_context_brings_the_neighbours_in_reading_order(library: Catalog) -> None:
    for hit in find(library, "beetle", context=1, limit=50).hits:
        book = library.book(hit.book_id)
        texts = [chunk.text for chunk in library.chunks(book)]
        number = hit.chunk_id
        assert list(hit.before) == texts[max(0, number - 1) : number]
        assert list(hit.after) == texts[number + 1 : number + 2]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "…!?"])
def test_an_empty_query_is_refused(library: Catalog, query: str) -> None:
    with pytest.raises(ConfigError, match="nothing to search for"):
        find(library, query)


@pytest.mark.parametrize("query", ["風が強い", "zzzqqq"], ids=["another script", "unknown"])
def test_a_query_without_a_known_word_is_answered_with_a_remark(library: Catalog, query: str) -> None:
    results = find(library, query)
    assert results.hits
    assert any("No passage contains any of your words" in remark for remark in results.remarks)


def test_an_ordinary_query_needs_no_remark(library: Catalog) -> None:
    assert find(library, "spring tide").remarks == ()


def test_a_very_long_query_is_answered(library: Catalog) -> None:
    assert "tide" in find(library, "the spring tide " * 5000).hits[0].text.casefold()


def test_searching_by_sentences_without_sentence_vectors_says_so(tmp_path: Path) -> None:
    (tmp_path / "sea.txt").write_text(SEA)
    options = {"model": "hashing", "sentence_vectors": False}
    alexandria.ingest([tmp_path / "sea.txt"], options=options, store=str(tmp_path / "library"))
    with open_catalog(str(tmp_path / "library"), "books", None) as opened:
        with pytest.raises(ConfigError, match="cannot search by sentences"):
            find(opened, "tide", mode=Mode.SENTENCES)
        hit = find(opened, "tide").hits[0]  # hybrid falls back on the chunk's vector
        assert hit.best is None


def test_without_a_library_one_is_told_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no library") as caught:
        alexandria.search("tide", store=str(tmp_path / "none"))
    assert caught.value.fix == f"alexandria ingest BOOK --store {tmp_path / 'none'}"


def test_under_a_budget_of_words_the_hits_are_the_sentences_that_answer(library: Catalog) -> None:
    results = find(library, "the white butterfly lays her eggs", words=10)
    (hit,) = results.hits
    assert hit.text == "The white butterfly lays her eggs under its leaves."
    assert hit.best == (hit.start, hit.end)
    assert hit.title == "Garden Book"
    whole = next(chunk for chunk in find(library, "butterfly").hits if chunk.id == hit.id)
    assert whole.text[hit.start - whole.start : hit.end - whole.start] == hit.text


def test_without_a_budget_a_hit_says_which_of_its_sentences_answer(library: Catalog) -> None:
    hit = find(library, "the white butterfly lays her eggs").hits[0]
    assert hit.excerpt is not None
    assert hit.best is not None
    assert hit.start <= hit.excerpt[0] <= hit.best[0] < hit.best[1] <= hit.excerpt[1] <= hit.end


@pytest.mark.parametrize(("words", "context"), [(0, 0), (-5, 0), (300, 1)])
def test_a_budget_that_makes_no_sense_is_refused(library: Catalog, words: int, context: int) -> None:
    with pytest.raises(ConfigError, match="words"):
        find(library, "butterfly", words=words, context=context)


class NoGerman(HashingEncoder):
    """The hashing encoder, but all German sentences of the probe are the same to it."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "no-german"

    def encode(self, texts: Sequence[str]) -> Embeddings:
        return super().encode(["ein Satz" if text in sentences()["de"] else text for text in texts])


@pytest.fixture
def german(tmp_path: Path) -> Iterator[Catalog]:
    (tmp_path / "bienen.txt").write_text(
        "Bienen\n\nKAPITEL I\n\nDie Biene fliegt zur Blume. Sie trinkt dort.\n\n"
        "KAPITEL II\n\nDer Honig ist süß. Er kommt in das Glas.\n"
    )
    options = {"model": "hashing", "min_words": 3, "max_words": 30}
    where = str(tmp_path / "library")
    outcomes = alexandria.ingest([tmp_path / "bienen.txt"], options=options, store=where)
    assert [outcome.status for outcome in outcomes] == ["ingested"]
    with open_catalog(where, "books", None) as opened:
        assert [record.language for record in opened.books()] == ["de"]
        yield opened


def test_where_the_model_cannot_read_the_language_words_decide_and_it_is_said(german: Catalog) -> None:
    by_words = find(german, "süßer Honig", mode=Mode.BM25)
    results = find(german, "süßer Honig", encoder=NoGerman())
    assert [(hit.id, hit.score) for hit in results] == [(hit.id, hit.score) for hit in by_words]
    assert any(
        "de" in remark and "copy(FOLDER, model='multilingual')" in remark for remark in results.remarks
    )
    read = find(german, "süßer Honig")
    assert not any("models test" in remark for remark in read.remarks)


def test_where_no_word_occurs_meaning_decides_however_poor(german: Catalog) -> None:
    assert find(german, "Schmetterling", encoder=NoGerman()).hits


def test_the_stop_words_are_those_of_the_language_of_the_query() -> None:
    both = frozenset({"en", "ja"})
    assert query_terms("what is truth", both) == query_terms("truth", both)
    assert query_languages("what is truth", frozenset({"en", "de", "ja"})) == {"en"}
    assert query_languages("was ist die Wahrheit", frozenset({"en-GB", "de"})) == {"de"}
    assert query_languages("Wahrheit", frozenset({"en", "de"})) == {"en", "de"}
    assert query_terms("to be or not to be", frozenset({"en", "ja"})).indices, "it has no other words"


def test_a_query_in_no_language_of_the_books_is_known_by_its_stop_words() -> None:
    cases: dict[str, tuple[str, set[str | None], set[str | None]]] = {
        "German beside English": ("was ist die Wahrheit", {"en"}, {"de"}),
        "German beside German": ("was ist die Wahrheit", {"en", "de-AT"}, set()),
        "a language without stop words has other letters": ("what is truth", {"zh"}, {"en"}),
        "as many of the books' language": ("Kant a priori", {"en"}, set()),
        "no stop word": ("Wahrheit", {"en"}, set()),
        "no list of stop words": ("što je istina", {"hr"}, set()),
        "books in no known language": ("what is truth", {None}, set()),
    }
    for query, languages, foreign in cases.values():
        asked_in = languages_outside(query, frozenset(languages))
        assert asked_in == foreign
        if asked_in:
            assert query_terms(query, frozenset(languages), asked_in) != query_terms(
                query, frozenset(languages)
            )


def test_a_query_in_another_language_than_the_books_weighs_meaning_more(
    german: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def weight(languages: frozenset[str | None], encoder: Encoder, *, across: bool) -> float:
        asked.append(across)
        return 1.0

    monkeypatch.setattr("alexandria.library.search.seeking.connects", lambda encoder, tag: True)
    monkeypatch.setattr("alexandria.library.search.seeking._weight_of_meaning", weight)
    find(german, "what is a butterfly")
    find(german, "was ist ein Schmetterling")
    monkeypatch.setattr("alexandria.library.search.seeking.connects", lambda encoder, tag: False)
    find(german, "what is a butterfly")
    assert asked == [True, False, False]


def test_in_a_library_of_languages_that_the_model_connects_meaning_weighs_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("alexandria.library.search.seeking.connects", lambda encoder, tag: tag != "xx")
    assert _weight_of_meaning(frozenset({"de", "en"}), ENCODER, across=False) == MEANING_ACROSS
    assert _weight_of_meaning(frozenset({"de-AT", "de", None}), ENCODER, across=False) == 2
    assert _weight_of_meaning(frozenset({"en", "xx"}), ENCODER, across=False) == 2
    assert _weight_of_meaning(frozenset({"de"}), ENCODER, across=True) == MEANING_ACROSS
    monkeypatch.setattr("alexandria.library.search.seeking.connects", lambda encoder, tag: tag == "en")
    assert _weight_of_meaning(frozenset({"de", "en"}), ENCODER, across=False) == 1


def test_books_that_change_while_the_model_computes_are_selected_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, options = tmp_path / "sea.txt", {"model": "hashing", "min_words": 5}
    file.write_text(SEA)
    (tmp_path / "garden.txt").write_text(GARDEN)
    with alexandria.open(tmp_path / "library") as library:
        library.ingest([file, tmp_path / "garden.txt"], options={**options, "max_words": 30})
        encode = seeking.encode

        def encode_late(*asked: Any) -> Any:
            library.ingest(file, options={**options, "max_words": 60})
            return encode(*asked)

        monkeypatch.setattr("alexandria.library.search.hits.encode", encode_late)
        assert library.search("spring tide", book="sea")[0].title == "Sea Book"
