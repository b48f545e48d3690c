"""A relevance means the same in every search: what is common to question and passage, nothing else."""

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import alexandria
from alexandria.book import Embeddings
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.locate import locate
from alexandria.modes import Mode
from alexandria.passage import LINE, STRONG, Hit, Strength, strength_of
from alexandria.query import seeking
from alexandria.query.excerpts import ScoredChunks
from alexandria.query.question import Word
from alexandria.query.relevance import CALIBRATED, NO_GOOD_MATCH, Asked, with_relevance
from alexandria.query.seeking import Seeker
from alexandria.store.sparse import term_id, terms_in

TEXT = "It was on a dreary night of November that I beheld the accomplishment of my toils."


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


def relevance(text: str, similarity: float) -> float:
    judged = with_relevance(hit(1), asked(text), rows(similarity), terms_in(TEXT, "en"))
    assert judged.relevance is not None
    return judged.relevance


def test_the_nearer_its_best_sentence_and_the_more_words_the_more_relevant() -> None:
    for near in (0.2, 0.4, 0.9):
        more = [relevance(words, near) for words in ("brownies", "toils brownies", "toils")]
        assert more == sorted(set(more))
    for words in ("brownies", "toils"):
        nearer = [relevance(words, near) for near in (0.2, 0.4, 0.6)]
        assert nearer == sorted(set(nearer))
    assert relevance(TEXT, 1.0) > 0.99
    # The best sentences for it in novels have .27 to .31, and a third of its words by chance.
    assert relevance("recipe for chocolate november", 0.3) < LINE / 2


def test_relevance_counts_in_the_order_and_is_left_out_where_it_is_not_known() -> None:
    made = SimpleNamespace(_asked=lambda _: asked("toils"), question=SimpleNamespace(books=()))
    seeker = cast("Seeker", made)
    made._judged = partial(Seeker._judged, seeker)
    more = {"book_title": "t", "book_id": "b"}
    ranked = [
        replace(one, payload={**one.payload, **more, "chunk_id": number}, score=score)
        for number, score in ((1, 1.0), (2, 0.9))
        for one in [hit(number)]
    ]
    vectors, terms = {"1": rows(0.1), "2": rows(0.9)}, {"1": frozenset[int](), "2": terms_in(TEXT, "en")}
    order = Seeker._with_relevance_in_score(seeker, ranked, vectors, terms)
    assert [found.id for found in order] == ["2", "1"]
    assert Seeker._with_relevance_in_score(seeker, ranked, {"1": rows(0.1)}, terms) == ranked


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert relevance("night brownies", 0.4) < relevance("november brownies", 0.4)
    assert relevance("night november", 0.4) == relevance("november night", 0.4)


def test_neither_rank_nor_score_count_and_without_vectors_nothing_is_known() -> None:
    first, last = (with_relevance(hit(n), asked("toils"), rows(0.5), ()) for n in (1, 9))
    assert first.relevance == last.relevance
    assert with_relevance(hit(5), asked("toils"), None, ()).relevance is None
    assert with_relevance(hit(5), asked("toils"), None, ()).strength is None


@pytest.mark.parametrize(
    ("relevance", "strength"),
    [
        (0.0, Strength.WEAK),
        (LINE - 0.001, Strength.WEAK),
        (LINE, Strength.FAIR),
        (STRONG - 0.001, Strength.FAIR),
        (STRONG, Strength.STRONG),
        (1.0, Strength.STRONG),
    ],
)
def test_a_strength_is_a_relevance_in_a_word(relevance: float, strength: Strength) -> None:
    assert strength_of(relevance) is strength


@pytest.mark.model
def test_the_line_is_known_for_both_packaged_models_and_no_other() -> None:
    assert all(locate(name).name.startswith(CALIBRATED) for name in ("all-MiniLM-L6-v2", "multilingual"))
    assert not HashingEncoder().name.startswith(CALIBRATED)


def auc(positive: list[float], negative: list[float]) -> float:
    """The share of pairs in the right order."""
    pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    return sum(pairs) / len(pairs)


@pytest.mark.shared
def test_answers_are_told_from_what_only_resembles_them(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "eval" / "chroma"
    with (folder / "questions_dev.csv").open() as file:
        questions = [(row["question"], row["corpus_id"]) for row in csv.DictReader(file)][::6]
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


def test_relevance_counts_among_the_first_twenty_only_so_that_a_short_list_is_the_head_of_a_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[int] = []

    def note(hits: list[Hit], *more: object) -> list[Hit]:
        judged.append(len(hits))
        return hits[::-1]

    request = SimpleNamespace(mode=Mode.HYBRID, diverse=None, ranker=None, words=None)
    made = SimpleNamespace(request=request, _with_relevance_in_score=note)
    ranked = tuple(replace(hit(number), score=100.0 - number) for number in range(50))
    scored = ScoredChunks(hits=ranked, evidence=(), present_terms={})
    monkeypatch.setattr(seeking, "_score_all_chunks", lambda *more: scored)
    near = SimpleNamespace(hits=(), query=None, mode=None, sentence_vectors={}, comparable_vectors={})
    hits = Seeker._score(cast("Seeker", made), cast("Any", near)).hits
    assert judged == [20]
    assert [found.id for found in hits] == [f"{n}" for n in (*range(19, -1, -1), *range(20, 50))]
