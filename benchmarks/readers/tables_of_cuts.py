"""How well cuts agree with those of a reader, as tables."""

from alexandria.lab.tables import ScoreTable, with_interval
from benchmarks.readers.agreement import ReaderReport, ReaderScore


def reader_tables(report: ReaderReport) -> list[ScoreTable]:
    """Return a table over all books, and if there are several, one of each book's F1."""
    tables = [_total_table(report)]
    return [*tables, _book_table(report)] if len(report.books) > 1 else tables


def _total_table(report: ReaderReport) -> ScoreTable:
    """Return a row per setting, over all books."""
    totals = report.totals
    n_books, n_wanted = len(report.books), totals[0].counts.n_wanted
    near = f"within {report.tolerance}"
    return ScoreTable(
        f"a reader's cuts: {n_wanted:,} in {n_books:,} {'book' if n_books == 1 else 'books'}",
        ("setting", "chunks", "words", "cuts", "found", near, "right", "F1"),
        tuple(_make_row(score) for score in totals),
        (
            "Cuts: those inside chapters and sections. Found: the share of the reader's cuts that were made, "
            f"in brackets the 95 % interval; within {report.tolerance}: or at most that many sentences away.",
            "Right: the share of the cuts that the reader makes or accepts. F1: of found and right, without "
            "the cuts that the reader only accepts. In parentheses, the score of each section's chunks in "
            "random order (chance).",
        ),
    )


def _make_row(score: ReaderScore) -> tuple[str, ...]:
    counts, chance = score.counts, score.chance
    return (
        score.setting,
        f"{score.n_chunks:,}",
        f"{score.mean_words:.0f}",
        f"{counts.n_cuts:,}",
        f"{with_interval(score.found)} ({chance.found:.3f})",
        f"{counts.near:.3f} ({chance.near:.3f})",
        "–" if counts.right is None or chance.right is None else f"{counts.right:.3f} ({chance.right:.3f})",
        f"{counts.f1:.3f} ({chance.f1:.3f})",
    )


def _book_table(report: ReaderReport) -> ScoreTable:
    """Return a row per setting with its F1 in each book, one column per book."""
    rows = tuple(
        (
            total.setting,
            *(
                f"{score.counts.f1:.3f} ({score.chance.f1:.3f})"
                for score in report.scores
                if score.setting == total.setting
            ),
        )
        for total in report.totals
    )
    return ScoreTable("F1 by book", ("setting", *report.books), rows, ("In parentheses, chance.",))
