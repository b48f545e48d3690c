"""What a search returns within few words, and how often it finds the right paragraph first, as tables."""

from collections.abc import Sequence

from alexandria.lab.tables import ScoreTable, format_gain, with_interval
from benchmarks.asking.answers import MRR, AnswersReport, SystemScores
from benchmarks.asking.paragraphs import ParagraphScores, mean_across


def answers_table(report: AnswersReport) -> ScoreTable:
    """Return a row per system, and one with the gain of the library evaluated over the best plain one."""
    budgets = [f"recall in {words:,} words" for words in report.budgets]
    evaluated = report.library
    gains = [format_gain(report.gain(evaluated, metric)) for metric in _metrics(report)]
    rows = (*(_make_row(report, system) for system in report.systems), ("difference", "", "", *gains))
    books = "one book" if report.n_books == 1 else f"{report.n_books:,} books in one library"
    return ScoreTable(
        f"{report.n_questions:,} questions, {books}",
        ("", "chunks", "words", *budgets, "MRR"),
        rows,
        (
            "In brackets, the 95 % interval. MRR: by the first chunk that overlaps an answer.",
            f"Difference: of {evaluated.name} from the strongest plain pipeline, paired.",
        ),
    )


def _metrics(report: AnswersReport) -> list[str]:
    return [*map(str, report.budgets), MRR]


def _make_row(report: AnswersReport, system: SystemScores) -> tuple[str, ...]:
    scores = (with_interval(system.estimate(metric)) for metric in _metrics(report))
    return (system.name, f"{system.n_chunks:,}", f"{system.mean_words:.0f}", *scores)


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
