"""Which vectors each search mode compares, and in which stages: the same plan for every store."""

from dataclasses import dataclass
from enum import StrEnum

from alexandria.book.choices import Mode


class VectorName(StrEnum):
    """The vectors of a point, by their names in the collection."""

    DENSE = ""
    SENTENCES = "sentences"
    BM25 = "bm25"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a search, as Qdrant nests them: it finds the best `limit` points among its candidates."""

    using: VectorName | None
    """The vector that is compared. None fuses the results of the prefetches by distribution (DBSF): the
    scores of each prefetch are normalised by their mean and spread, then added."""
    limit: int
    prefetch: tuple["Stage", ...] = ()
    """The stages whose results are the candidates; if there are none, all points are."""


MAX_EXHAUSTIVE = 5_000
"""Points up to which the sentences of every chunk are compared: this takes 1 ms per thousand chunks."""
N_CANDIDATES = 200
"""Chunks whose sentences are compared in a larger library: the best by chunk vector, and as many by words."""
MAX_FUSED_ONCE = 2.0
"""The weight of meaning up to which it is fused with words as one stage; above it, as three stages."""
N_FUSED = 100
"""Points that each half of a hybrid search passes to the fusion; 50 and 200 gave the same results. Not
more for a higher limit: the first hits would be others."""


def plan_search(
    mode: Mode,
    limit: int,
    *,
    n_points: int,
    sentences: bool,
    meaning_weight: float = 1.0,
    n_fused: int = N_FUSED,
) -> Stage:
    """Return the last stage of a search, which contains the stages before it.

    Args:
        mode: how the query is compared with the chunks.
        n_points: the size of the collection. In a small one, the sentences of every chunk are compared; in a
            large one, only those of the best chunks by chunk vector and by words.
        sentences: whether all books have sentence vectors; otherwise `hybrid` uses the chunk vectors only.
        meaning_weight: that of meaning relative to words in `hybrid`: up to 2 counts as 1, above as 3.
        n_fused: the points that each half of `hybrid` passes to the fusion.
    """
    match mode:
        case Mode.DENSE:
            return Stage(VectorName.DENSE, limit)
        case Mode.BM25:
            return Stage(VectorName.BM25, limit)
        case Mode.SENTENCES:
            return _sentence_stage(limit, n_points)
        case Mode.HYBRID:
            meaning_stage = _meaning_stage(n_fused, n_points, sentences)
            stages = [meaning_stage]
            if meaning_weight > MAX_FUSED_ONCE:
                # The scores of stages are added: the fused stage and its two halves together weigh 3. Without
                # sentence vectors, the stage is not fused, and is repeated instead.
                stages += meaning_stage.prefetch or (meaning_stage, meaning_stage)
            return Stage(None, limit, prefetch=(*stages, Stage(VectorName.BM25, n_fused)))


def _meaning_stage(limit: int, n_points: int, sentences: bool) -> Stage:
    """Return the stage that fuses chunk vector and best sentence, so that meaning weighs no more than words.

    This was measured against fusing them with the words in one step, and against fusing ranks:
    docs/lab/search.md.
    """
    by_chunk = Stage(VectorName.DENSE, limit)
    if not sentences:
        return by_chunk
    return Stage(None, limit, prefetch=(by_chunk, _sentence_stage(limit, n_points)))


def _sentence_stage(limit: int, n_points: int) -> Stage:
    """Return the stage that compares sentences: of all chunks, or of candidates in a large collection."""
    if n_points <= MAX_EXHAUSTIVE:
        return Stage(VectorName.SENTENCES, limit)
    n = max(N_CANDIDATES, limit)
    candidates = (Stage(VectorName.DENSE, n), Stage(VectorName.BM25, n))
    return Stage(VectorName.SENTENCES, limit, prefetch=candidates)
