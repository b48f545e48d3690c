"""What a search returns within few words, as a table."""

from alexandria.evaluate.answers import MRR, AnswersReport, SystemScores
from alexandria.views.tables import ScoreTable, format_gain, with_interval


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
