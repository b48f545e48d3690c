"""A relevance means the same in every search: what is common to question and passage, nothing else."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import alexandria
from alexandria.book.choices import Mode
from alexandria.book.model import Embeddings
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.models.locate import locate
from alexandria.library.search import seeking
from alexandria.library.search.excerpts import ScoredChunks, score_chunks
from alexandria.library.search.relevance import Asked, Resemblance, coefficients_of, judge_with, resemblance
from alexandria.library.search.remarks import NO_GOOD_MATCH
from alexandria.library.search.seeking import Seeker
from alexandria.library.search.vocabulary import Word
from alexandria.store import QueryVectors
from alexandria.store.passage import LINE, STRONG, Hit, Strength, strength_of
from alexandria.store.sparse import document_terms, query_terms, term_id

TEXT = "It was on a dreary night of November that I beheld the accomplishment of my toils."
TERMS = frozenset(document_terms(TEXT, "en").indices)


def hit(number: int) -> Hit:
    return Hit(id=str(number), payload={"text": TEXT, "language": "en", "book_id": "a"}, score=number)


RARITY = {"november": 6.0, "toils": 5.0, "night": 2.0, "brownies": 9.0}


def asked(words: str) -> Asked:
    terms = {word: term_id(word, "en") for word in words.lower().rstrip(".").split()}
    judged = [
        Word(word, frozenset({term}), RARITY.get(word, 3.0), exists=word != "brownies", is_indexed=True)
        for word, term in terms.items()
        if term is not None
    ]
    return Asked(np.array([1, 0], np.float32), judged)


def rows(similarity: float) -> Embeddings:
    other = (1 - similarity**2) ** 0.5
    return np.array([[0.1, 0.995], [similarity, other]], np.float32)


def resemblance_to(text: str, similarity: float) -> Resemblance:
    judged = resemblance(asked(text), rows(similarity), TERMS)
    assert judged
    return judged


def relevance(text: str, similarity: float, standing: float | None = 2.5) -> float:
    judged = judge_with("all-MiniLM-L6-v2@53aa51172d14")(resemblance_to(text, similarity), standing)
    assert judged is not None
    return judged


def test_the_nearer_its_best_sentence_and_the_more_words_the_more_relevant() -> None:
    for near in (0.2, 0.4, 0.9):
        more = [relevance(words, near) for words in ("brownies", "toils brownies", "toils november")]
        assert more == sorted(more)
        assert more[-1] > more[0]
    for words in ("brownies", "toils"):
        nearer = [relevance(words, near) for near in (0.2, 0.4, 0.6)]
        assert nearer == sorted(set(nearer))
    assert relevance(TEXT, 1.0) > 0.95
    assert relevance(TEXT, 1.0) == relevance(
        "dreary night november beheld accomplishment", 1.0
    )  # five suffice
    # The best sentences for it in novels have .27 to .31, and a third of its words by chance.
    assert relevance("recipe for chocolate november", 0.3) < LINE / 2


def test_a_passage_that_stands_out_is_more_relevant_and_one_alone_is_judged_by_all_words() -> None:
    by_standing = [relevance("toils november", 0.5, standing) for standing in (1.5, 2.5, 3.5)]
    assert by_standing == sorted(set(by_standing))
    assert by_standing[0] < LINE < STRONG < by_standing[-1]
    assert relevance("toils brownies", 0.6, None) < relevance("toils", 0.6, None)
    closeness = resemblance_to("toils november", 0.5).closeness  # by which hits are ordered
    assert closeness == pytest.approx(0.888, abs=0.001)


def test_how_far_a_passage_stands_out_is_known_in_a_hybrid_search_of_twenty() -> None:
    def standings(n_hits: int, mode: Mode) -> Mapping[str, float]:
        more: dict[str, object] = {"book_title": "t", "section": [], "sentence_starts": "0 5", "chunk_id": 0}
        more |= {"start": 0, "end": len(TEXT)}
        hits = [replace(one, payload={**one.payload, **more}) for one in map(hit, range(n_hits))]
        vectors = {one.id: rows(0.3 + one.score / 100) for one in hits}
        return score_chunks(query, hits, vectors, mode=mode).standings

    query = QueryVectors(dense=np.array([1, 0], np.float32), bm25=query_terms("toils", frozenset({"en"})))
    known = standings(20, Mode.HYBRID)
    assert np.mean([*known.values()]) == pytest.approx(1.5)
    assert standings(19, Mode.HYBRID) == standings(20, Mode.DENSE) == {}


def test_closeness_counts_in_the_order_and_is_left_out_where_it_is_not_known() -> None:
    made = SimpleNamespace(_asked=lambda _: asked("toils"), question=SimpleNamespace(books=()))
    seeker = cast("Seeker", made)
    made._judged = partial(Seeker._judged, seeker)
    more = {"book_title": "t", "book_id": "b", "section": [], "sentence_starts": "0 5", "start": 0}
    ranked = [
        replace(one, payload={**one.payload, **more, "chunk_id": number}, score=score)
        for number, score in ((1, 1.0), (2, 0.9))
        for one in [hit(number)]
    ]
    vectors, terms = {"1": rows(0.1), "2": rows(0.9)}, {"1": frozenset[int](), "2": TERMS}
    order = Seeker._with_closeness_in_score(seeker, ranked, vectors, terms)
    assert [found.id for found in order] == ["2", "1"]
    assert Seeker._with_closeness_in_score(seeker, ranked, {"1": rows(0.1)}, terms) == ranked


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    near = {words: resemblance_to(words, 0.4).closeness for words in ("night brownies", "november brownies")}
    assert near["night brownies"] < near["november brownies"]
    assert relevance("night november", 0.4) == relevance("november night", 0.4)


def test_without_vectors_nothing_is_known() -> None:
    assert resemblance(asked("toils"), None, ()) is None
    assert hit(5).strength is None


def test_a_strength_is_a_relevance_in_a_word() -> None:
    cases = [
        (0.0, Strength.WEAK),
        (LINE - 0.001, Strength.WEAK),
        (LINE, Strength.FAIR),
        (STRONG - 0.001, Strength.FAIR),
        (STRONG, Strength.STRONG),
        (1.0, Strength.STRONG),
    ]
    for relevance, strength in cases:
        assert strength_of(relevance) is strength


@pytest.mark.model
def test_the_line_is_known_for_both_packaged_models_and_no_other() -> None:
    assert all(coefficients_of(locate(name).name) for name in ("all-MiniLM-L6-v2", "multilingual"))
    assert not coefficients_of(HashingEncoder().name)


def auc(positive: list[float], negative: list[float]) -> float:
    """The share of pairs in the right order."""
    pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    return sum(pairs) / len(pairs)


@pytest.mark.shared
def test_answers_are_told_from_what_only_resembles_them(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "eval" / "chroma"
    with (folder / "questions_dev.csv").open() as file:
        questions = [(row["question"], row["corpus_id"]) for row in csv.DictReader(file)][::5]
    corpora = {file.stem: file for file in sorted((folder / "corpora").glob("*.md"))}
    found: dict[bool, list[float]] = {True: [], False: []}
    for absent in corpora:
        with alexandria.open(tmp_path / absent) as library:
            library.ingest([file for name, file in corpora.items() if name != absent])
            for question, corpus in questions:
                best = max(hit.relevance or 0 for hit in library.search(question))
                if corpus == absent:
                    found[False].append(best)
                elif absent == min(name for name in corpora if name != corpus):
                    found[True].append(best)
            brownies = library.search("recipe for chocolate brownies")
            assert brownies.remarks[-1] == NO_GOOD_MATCH
    assert len(found[True]) == len(found[False]) == len(questions)
    assert auc(found[True], found[False]) >= 0.95
    assert sum(value < LINE for value in found[True]) <= 0.08 * len(questions)
    assert sum(value >= LINE for value in found[False]) <= 0.12 * len(questions)


def test_closeness_counts_among_the_first_twenty_only_so_that_a_short_list_is_the_head_of_a_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[int] = []

    def note(hits: list[Hit], *more: object) -> list[Hit]:
        judged.append(len(hits))
        return hits[::-1]

    request = SimpleNamespace(mode=Mode.HYBRID, diverse=None, words=None)
    made = SimpleNamespace(request=request, ranker=None, _with_closeness_in_score=note)
    ranked = tuple(replace(hit(number), score=100.0 - number) for number in range(50))
    scored = ScoredChunks(hits=ranked, evidence=(), present_terms={}, standings={})
    monkeypatch.setattr(seeking, "_score_all_chunks", lambda *more: scored)
    near = SimpleNamespace(hits=(), query=None, mode=None, sentence_vectors={}, comparable_vectors={})
    hits = Seeker._score(cast("Seeker", made), cast("Any", near)).hits
    assert judged == [20]
    assert [found.id for found in hits] == [f"{n}" for n in (*range(19, -1, -1), *range(20, 50))]
