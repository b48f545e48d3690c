"""Excerpts: the runs of sentences in a chunk that answer a query.

A chunk is as long as a thought, which is best for ranking; a hurried reader, or a short prompt, needs only
the sentences that answer. `runs` divides chunks, `evidence` scores the runs of the best chunks and ranks the
chunks by them, and `budget` chooses runs within a number of words. Only stored vectors are used.
"""

from alexandria.library.search.excerpts.budget import best_sentence, choose, fitting_part, with_best_runs
from alexandria.library.search.excerpts.evidence import (
    CANDIDATES,
    Evidence,
    ScoredChunks,
    evidence_of,
    score_chunks,
    which_are_text,
)
from alexandria.library.search.excerpts.runs import SentenceRun, runs_of

__all__ = [
    "CANDIDATES",
    "Evidence",
    "ScoredChunks",
    "SentenceRun",
    "best_sentence",
    "choose",
    "evidence_of",
    "fitting_part",
    "runs_of",
    "score_chunks",
    "which_are_text",
    "with_best_runs",
]
