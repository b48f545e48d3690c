"""What is handed out of a chunk: the runs of sentences in it that answer a query.

A chunk is as long as a thought, which serves its ranking; a reader of little time, or a prompt of little
room, needs only the sentences that answer. `runs` divides a chunk, `evidence` weighs the runs of the best
chunks and ranks these by them, and `budget` chooses among the runs. Only stored vectors are used.
"""

from alexandria.query.excerpts.budget import best_sentence, choose, fitting_part, with_best_runs
from alexandria.query.excerpts.evidence import CANDIDATES, Evidence, Weighed, of_hits, weigh
from alexandria.query.excerpts.runs import SentenceRun, runs_of

__all__ = [
    "CANDIDATES",
    "Evidence",
    "SentenceRun",
    "Weighed",
    "best_sentence",
    "choose",
    "fitting_part",
    "of_hits",
    "runs_of",
    "weigh",
    "with_best_runs",
]
