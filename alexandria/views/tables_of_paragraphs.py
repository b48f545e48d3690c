"""How often a search finds the right paragraph first, as a table."""

from collections.abc import Sequence

from alexandria.evaluate.paragraphs import ParagraphScores, mean_across
from alexandria.views.tables import ScoreTable, with_interval


def paragraphs_tables(sets: Sequence[ParagraphScores]) -> list[ScoreTable]:
    """Return the table of all files, and one of questions in another language where any were asked."""
    return [_own(sets), *([across] if (across := _across(sets)) else [])]


def _own(sets: Sequence[ParagraphScores]) -> ScoreTable:
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


def _across(sets: Sequence[ParagraphScores]) -> ScoreTable | None:
    """Return a row per library and a column per language of the questions; None if none were asked."""
    if (mean := mean_across(sets)) is None:
        return None
    names = [one.name for one in sets]
    rows = [
        (one.name, *(f"{one.first_across(name).value:.2f}" if name in one.across else "" for name in names))
        for one in sets
        if one.across
    ]
    return ScoreTable(
        "Asked in another language, by hybrid: the right paragraph first",
        ("library", *(f"asked in {name}" for name in names)),
        tuple(rows),
        (f"Over all pairs: {with_interval(mean)}.",),
    )
