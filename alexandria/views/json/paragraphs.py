"""The document of `evaluate retrieval` over paragraphs with questions."""

from collections.abc import Sequence
from typing import TypedDict

from alexandria.evaluate.paragraphs import ParagraphScores, mean_across
from alexandria.modes import Mode
from alexandria.views.json.evaluation import EstimateEntry, estimate_entry
from alexandria.views.json.types import Count


class ModeEntry(TypedDict):
    """One mode of search."""

    mode: Mode
    first: EstimateEntry
    """The share of questions that find the right paragraph first."""
    mrr: EstimateEntry


class AcrossEntry(TypedDict):
    """The questions of another file, asked here by `hybrid`."""

    name: str
    first: EstimateEntry
    """The share of them that find the right paragraph first."""


class ParagraphsEntry(TypedDict):
    """One file."""

    name: str
    paragraphs: Count
    questions: Count
    results: list[ModeEntry]
    across: list[AcrossEntry]
    """For each other file with the same paragraphs in another language, if the model connects them."""


class ParagraphsDocument(TypedDict):
    """`alexandria evaluate retrieval --json` over paragraphs with questions, each file a library."""

    sets: list[ParagraphsEntry]
    across: EstimateEntry | None
    """The share that find the right paragraph first, over all pairs of languages; null without any."""


def paragraphs_document(sets: Sequence[ParagraphScores]) -> ParagraphsDocument:
    """Return the scores of all files."""
    mean = mean_across(sets)
    return {
        "sets": [
            {
                "name": scores.name,
                "paragraphs": scores.n_paragraphs,
                "questions": scores.n_questions,
                "results": [
                    {
                        "mode": mode,
                        "first": estimate_entry(scores.first(mode)),
                        "mrr": estimate_entry(scores.mrr(mode)),
                    }
                    for mode in scores.scores
                ],
                "across": [
                    {"name": name, "first": estimate_entry(scores.first_across(name))}
                    for name in scores.across
                ],
            }
            for scores in sets
        ],
        "across": None if mean is None else estimate_entry(mean),
    }
