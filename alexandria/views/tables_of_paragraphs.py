"""How often a search finds the right paragraph first, as a table."""

from collections.abc import Sequence

from alexandria.evaluate.paragraphs import ParagraphScores
from alexandria.views.tables import ScoreTable, with_interval


def paragraphs_table(sets: Sequence[ParagraphScores]) -> ScoreTable:
    """Return a row per file and a column per mode; at least one file."""
    modes = list(sets[0].scores)
    n_questions = sum(one.n_questions for one in sets)
    rows = [
        (
            one.name,
            f"{one.n_paragraphs:,}",
            f"{one.n_questions:,}",
            *(with_interval(one.first(mode)) for mode in modes),
            *(f"{one.mrr(mode).value:.3f}" for mode in modes),
        )
        for one in sets
    ]
    return ScoreTable(
        f"The right paragraph first: {n_questions:,} questions, one library per file",
        ("", "paragraphs", "questions", *modes, *(f"{mode} MRR" for mode in modes)),
        tuple(rows),
        ("In brackets, the 95 % interval. MRR: within ten hits.",),
    )
