"""How often a search finds the right paragraph first, as a table."""

from collections.abc import Sequence

from alexandria.evaluate.paragraphs import ParagraphScores, mean_across
from alexandria.views.tables import ScoreTable, with_interval


def paragraphs_tables(sets: Sequence[ParagraphScores]) -> list[ScoreTable]:
    """Return a table of all files, and one of questions in another language if any were asked."""
    tables = [_table_of_files(sets)]
    across = _table_across_languages(sets)
    return tables if across is None else [*tables, across]


def _table_of_files(sets: Sequence[ParagraphScores]) -> ScoreTable:
    """Return a row per file and a column per mode; at least one file."""
    modes = list(sets[0].scores)
    n_questions = sum(scores.n_questions for scores in sets)
    rows = [
        (
            scores.name,
            f"{scores.n_paragraphs:,}",
            f"{scores.n_questions:,}",
            *(with_interval(scores.first(mode)) for mode in modes),
            *(f"{scores.mrr(mode).value:.3f}" for mode in modes),
        )
        for scores in sets
    ]
    return ScoreTable(
        f"The right paragraph first: {n_questions:,} questions, one library per file",
        ("", "paragraphs", "questions", *modes, *(f"{mode} MRR" for mode in modes)),
        tuple(rows),
        ("In brackets, the 95 % interval. MRR: within ten hits.",),
    )


def _table_across_languages(sets: Sequence[ParagraphScores]) -> ScoreTable | None:
    """Return a row per library and a column per language of the questions, or None if none were asked."""
    mean = mean_across(sets)
    if mean is None:
        return None
    names = [scores.name for scores in sets]
    rows = []
    for scores in sets:
        if scores.across:
            cells = (
                f"{scores.first_across(name).value:.2f}" if name in scores.across else "" for name in names
            )
            rows.append((scores.name, *cells))
    return ScoreTable(
        "Asked in another language, by hybrid: the right paragraph first",
        ("library", *(f"asked in {name}" for name in names)),
        tuple(rows),
        (f"Over all pairs: {with_interval(mean)}.",),
    )
