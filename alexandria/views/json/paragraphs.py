"""The document of `evaluate retrieval` over paragraphs with questions."""

from collections.abc import Sequence
from typing import TypedDict

from alexandria.evaluate.paragraphs import ParagraphScores
from alexandria.modes import Mode
from alexandria.views.json.evaluation import EstimateEntry, estimate_entry
from alexandria.views.json.types import Count


class ModeEntry(TypedDict):
    """One mode of search."""

    mode: Mode
    first: EstimateEntry
    """The share of questions that find the right paragraph first."""
    mrr: EstimateEntry


class ParagraphsEntry(TypedDict):
    """One file."""

    name: str
    paragraphs: Count
    questions: Count
    results: list[ModeEntry]


class ParagraphsDocument(TypedDict):
    """`alexandria evaluate retrieval --json` over paragraphs with questions, each file a library."""

    sets: list[ParagraphsEntry]


def paragraphs_document(sets: Sequence[ParagraphScores]) -> ParagraphsDocument:
    """Return the scores of all files."""
    return {
        "sets": [
            {
                "name": one.name,
                "paragraphs": one.n_paragraphs,
                "questions": one.n_questions,
                "results": [
                    {
                        "mode": mode,
                        "first": estimate_entry(one.first(mode)),
                        "mrr": estimate_entry(one.mrr(mode)),
                    }
                    for mode in one.scores
                ],
            }
            for one in sets
        ]
    }
