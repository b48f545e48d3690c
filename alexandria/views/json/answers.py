"""The document of `evaluate retrieval --plain`."""

from typing import TypedDict

from alexandria.evaluate.answers import AnswersReport
from alexandria.views.json.evaluation import EstimateEntry, estimate_entry
from alexandria.views.json.types import Count


class SystemEntry(TypedDict):
    """One way to search."""

    name: str
    chunks: Count
    mean_words: float
    scores: dict[str, EstimateEntry]
    """Recall by words returned (`250`), and `mrr`."""
    gains: dict[str, EstimateEntry]
    """The paired difference from the strongest plain pipeline."""


class AnswersDocument(TypedDict):
    """`alexandria evaluate retrieval --plain --json`: a search compared with plain pipelines."""

    books: Count
    questions: Count
    systems: list[SystemEntry]


def answers_document(report: AnswersReport) -> AnswersDocument:
    """Return the scores of all systems."""
    return {
        "books": report.n_books,
        "questions": report.n_questions,
        "systems": [
            {
                "name": system.name,
                "chunks": system.n_chunks,
                "mean_words": round(system.mean_words, 1),
                "scores": {metric: estimate_entry(system.estimate(metric)) for metric in system.scores},
                "gains": {metric: estimate_entry(report.gain(system, metric)) for metric in system.scores},
            }
            for system in report.systems
        ],
    }
