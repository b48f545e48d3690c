"""A cross-encoder: what it reads, what its scores count, and that they move the part which is shown."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.library.library import Library
from alexandria.library.location import open_catalog
from alexandria.library.search.excerpts import CANDIDATES
from alexandria.library.search.hits import Results, search
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.reranking import N_WINDOWS, Ranker

SAMPLES = Path(__file__).parents[2] / "samples"
QUESTION = "how do bees tell each other the way"


class Likes:
    """Scores what has a word above what has not, and keeps what it read."""

    def __init__(self, word: str) -> None:
        self.name, self.word = word, word
        self.read: list[str] = []

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read += texts
        return np.array([self.word in text for text in texts], np.float32)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with alexandria.open(tmp_path_factory.mktemp("shelf") / "library") as opened:
        opened.ingest(SAMPLES / "the-quiet-trades.epub", options={"min_words": 100, "max_words": 300})
        yield opened


def ask(library: Library, ranker: Ranker | None) -> Results:
    with open_catalog(library.store, library.collection, None) as catalog:
        request = SearchRequest(query=QUESTION, limit=CANDIDATES)
        return search(request, catalog, load_encoder("all-MiniLM-L6-v2"), ranker=ranker)


def test_it_reads_two_windows_of_a_chunk_after_author_and_title(library: Library) -> None:
    model = Likes("bread")
    hits = ask(library, Ranker(model, 0.5)).hits
    assert len(hits) > 3
    assert len(hits) < len(model.read) <= N_WINDOWS * len(hits)
    for text in model.read:
        head, title, passage = text.split("\n", 2)
        assert (head, title) == ("Ida Marlow", "The Quiet Trades")
        assert any(passage in hit.text for hit in hits)
        assert len(passage.split()) < 160


def test_its_weight_says_whose_order_it_is(library: Library) -> None:
    plain, ours, both, its = (
        ask(library, ranker).hits
        for ranker in (None, *(Ranker(Likes("horizon"), weight) for weight in (0.0, 0.5, 1.0)))
    )
    assert [hit.id for hit in ours] == [hit.id for hit in plain]
    assert "horizon" in its[0].text
    places = [next(i for i, hit in enumerate(hits) if "horizon" in hit.text) for hits in (its, both, plain)]
    assert places == sorted(places)
    assert places[0] < places[-1]
    with pytest.raises(ConfigError, match=r"rerank_weight must be from 0 to 1, not 1\.5"):
        Ranker(Likes("horizon"), 1.5)


def test_the_part_that_it_prefers_is_shown_and_without_a_preference_the_same(library: Library) -> None:
    def shown(word: str | None) -> dict[str, str]:
        hits = ask(library, None if word is None else Ranker(Likes(word), 0.5)).hits
        return {
            hit.id: hit.text[hit.excerpt[0] - hit.start : hit.excerpt[1] - hit.start]
            for hit in hits
            if hit.excerpt
        }

    plain = shown(None)
    assert shown("xylophone") == plain
    moved = {id: part for id, part in shown("foragers").items() if part != plain[id]}
    assert moved
    assert not any("foragers" in plain[id] for id in moved)
