"""The rank of a cut among the possible ones, and its reason in words."""

from dataclasses import replace

import numpy as np

from alexandria.book.model import Boundary, Reason
from alexandria.book.weighed import Balance, KeptTogether, NextBest, Term
from alexandria.chunking import describe_kept_together, explain_boundary
from alexandria.chunking.explain import Sides, rank_boundaries
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from tests.chunking.builders import sizes_with

DEPTHS = np.array([0.5, 0.4, 0.3, 0.3, 0.1, 0.2, 0.0], np.float32)


def rank(
    gap: int, *, breaks: tuple[int, ...] = (), after_heading: tuple[int, ...] = ()
) -> tuple[object, object]:
    sizes = sizes_with([10] * 8, breaks=breaks, after_heading=after_heading)
    cut = Boundary(gap, float(DEPTHS[gap]), 0.5, Reason.TOPIC)
    (ranked,) = rank_boundaries([cut], sizes, DEPTHS, min_words=20, max_words=50)
    return ranked.rank, ranked.n_candidates


def test_the_rank_among_the_gaps_in_reach() -> None:
    cases: dict[str, tuple[int, dict[str, tuple[int, ...]], tuple[int, int]]] = {
        "the deepest of the gaps at 20 to 50 words": (4, {}, (1, 4)),
        "the first chance, and the shallowest": (1, {}, (4, 4)),
        "equals share a rank": (2, {}, (2, 4)),
        "a cut below the minimum is a candidate too": (0, {}, (5, 5)),
        "no gap beyond the section is in reach": (1, {"breaks": (4,)}, (2, 2)),
        "nor one after a heading": (1, {"after_heading": (5,)}, (3, 3)),
    }
    for gap, options, expected in cases.values():
        assert rank(gap, **options) == expected


def test_a_chunk_counts_from_the_cut_before_and_a_section_is_not_ranked() -> None:
    sizes = sizes_with([10] * 8, breaks=(3,))
    cuts = [Boundary(2, 0.3, None, Reason.SECTION), Boundary(5, 0.2, 0.5, Reason.TOPIC)]
    ranked = rank_boundaries(cuts, sizes, DEPTHS, min_words=20, max_words=50)
    assert [(b.rank, b.n_candidates) for b in ranked] == [(None, None), (3, 3)]


def test_a_boundary_in_words() -> None:
    cases = [
        (
            Boundary(9, 0.3, 0.5, Reason.TOPIC, rank=14, n_candidates=52),
            "New topic. Similarity 0.30, below 0.50: first chance after 200 words (rank 14 of 52).",
        ),
        (
            Boundary(9, 0.3, 0.5, Reason.TOPIC, rank=1, n_candidates=52),
            "New topic. Similarity 0.30, below 0.50: first chance after 200 words "
            "(the least similar of 52 possible places).",
        ),
        (
            Boundary(9, 0.3, None, Reason.TOPIC, rank=1, n_candidates=1),
            "New topic. First chance after 200 words (the only possible place).",
        ),
        (Boundary(9, 0.8, 0.5, Reason.MAX_SIZE, rank=40, n_candidates=52), "Full: 1,200 words at most."),
        (Boundary(9, 0.8, None, Reason.SECTION), "A chapter or section begins."),
    ]
    for boundary, words in cases:
        assert explain_boundary(boundary, UniversalSemantic()) == words


BALANCE = Balance(
    inside_paragraph=False,
    terms=(
        Term("window", 0.9),
        Term("points_back", 2.5),
        Term("short_paragraph", 0.2),
        Term("new_time", -1.5),
        Term("break", -6.0),
    ),
    gain=5.2,
    next_best=NextBest(gap=12, cost=3.0, loss=0.84),
)


def test_what_was_weighed_at_a_cut_in_words() -> None:
    cases = {
        "for and against; what costs little is left out": (
            Reason.TOPIC,
            replace(BALANCE, terms=BALANCE.terms[:4]),
            "New topic. What decided: words of time, despite a first word that may point back. "
            "Next best: later, slightly worse.",
        ),
        "against, as little as is said": (
            Reason.TOPIC,
            replace(BALANCE, terms=(Term("points_back", 0.5), Term("lead_in", 0.49), Term("new_time", -1.5))),
            "New topic. What decided: words of time, despite a first word that may point back. "
            "Next best: later, slightly worse.",
        ),
        "the two weightiest": (
            Reason.TOPIC,
            replace(BALANCE, terms=(Term("new_time", -1.5), Term("window", -3.0), Term("arrival", -1.0))),
            "New topic. What decided: less similarity across the cut than around it "
            "and words of time. Next best: later, slightly worse.",
        ),
        "the break is named once": (
            Reason.BREAK,
            replace(BALANCE, terms=BALANCE.terms[3:], next_best=NextBest(8, 3.0, 2.0)),
            "The author marks a break. What decided: words of time. Next best: earlier, clearly worse.",
        ),
        "forced": (
            Reason.MAX_SIZE,
            Balance(inside_paragraph=True, terms=(), gain=None, next_best=None),
            "Full: 1,200 words at most. What decided: one chunk would exceed 1,200 words, despite the middle "
            "of a paragraph. Elsewhere the sentences are too alike, or a chunk would be too short.",
        ),
        "no sign": (
            Reason.TOPIC,
            Balance(inside_paragraph=False, terms=(), gain=1.0, next_best=None),
            "New topic. What decided: how alike the sentences of each chunk are, and its length. "
            "Elsewhere the sentences are too alike, or a chunk would be too short.",
        ),
        "nothing but the break for it": (
            Reason.BREAK,
            Balance(inside_paragraph=True, terms=(), gain=1.0, next_best=None),
            "The author marks a break. Against it: the middle of a paragraph. "
            "Elsewhere the sentences are too alike, or a chunk would be too short.",
        ),
    }
    for reason, balance, words in cases.values():
        boundary = Boundary(9, 0.3, 0.5, reason, rank=14, n_candidates=52, balance=balance)
        assert explain_boundary(boundary, UniversalSemantic()) == words


SIDES = Sides(
    turn=(("“ice”", "“ship”"), ("“sledge”",), ("“captain”",)),
    opening="a new paragraph",
    heading="Letter IV",
    signs={"new_time": ("“day”", "“morning”", "“day”", "“noon”"), "arrival": ()},
    next_best="before “He slid …”",
)


def test_a_cut_is_explained_by_what_is_on_its_sides() -> None:
    cases = {
        "topics, the words of a sign, the next best place": (
            Boundary(9, 0.3, 0.5, Reason.TOPIC, balance=replace(BALANCE, terms=BALANCE.terms[3:4])),
            SIDES,
            "A new paragraph: from “ice”, “ship” to “sledge”; still with “captain”. What decided: words of "
            "time (“day”, “morning”). Next best: later, before “He slid …”, slightly worse.",
        ),
        "a sign without its words is left out": (
            Boundary(9, 0.3, 0.5, Reason.BREAK, balance=replace(BALANCE, terms=(Term("arrival", -2.0),))),
            replace(SIDES, turn=((), *SIDES.turn[1:])),
            "The author marks a break: on to “sledge”; still with “captain”. Next best: later, before “He "
            "slid …”, slightly worse.",
        ),
        "a section": (
            Boundary(9, 0.3, None, Reason.SECTION),
            SIDES,
            "“Letter IV” begins: from “ice”, “ship” to “sledge”; still with “captain”.",
        ),
    }
    for boundary, sides, words in cases.values():
        assert explain_boundary(boundary, UniversalSemantic(), sides) == words


def test_what_kept_a_chunk_together_in_words() -> None:
    kept = KeptTogether(9, 0.2, 1.0, (Term("lead_in", 6.0), Term("quotation", 2.0), Term("speech", 1.0)))
    assert describe_kept_together(kept) == (
        "Almost cut here, but the words before seem to announce it and the words before seem to introduce it."
    )
    kept = KeptTogether(9, 0.2, 1.0, (Term("new_rule", 6.0),))
    assert describe_kept_together(kept) == "Almost cut here, but new rule speaks against it."
    assert describe_kept_together(replace(kept, terms=(Term("question", 0.3),)), "The answer") == (
        "Almost cut before “The answer …”, but it follows a question."
    )


def test_how_much_worse_the_next_best_place_is() -> None:
    cases = [
        (NextBest(8, 3.0, 0.49), "Next best: earlier, nearly as good."),
        (NextBest(8, 3.0, 0.5), "earlier, slightly worse."),
        (NextBest(18, 3.0, 1.99), "later, slightly worse."),
        (NextBest(1019, 3.0, 2.0), "later, clearly worse."),
    ]
    for other, words in cases:
        boundary = Boundary(9, 0.3, 0.5, Reason.TOPIC, balance=replace(BALANCE, next_best=other))
        assert explain_boundary(boundary, UniversalSemantic()).endswith(words)
