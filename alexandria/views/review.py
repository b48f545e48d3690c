"""The grades of a review as tables of text."""

from collections.abc import Sequence

from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.grades import GroupScore, ReviewReport
from alexandria.views.tables import ScoreTable

_SCORES = ("cuts", "mean", "mid-thought", "begins well")
_NOTES = (
    "Mean of the grades from 1 to 5, with its 95 % interval. Mid-thought: share of 1s. Begins well: share of "
    "passages whose first two sentences are understandable.",
)


def review_tables(report: ReviewReport) -> list[ScoreTable]:
    """Return the grades by setting, by domain and by book where there are several, and the agreement."""
    readers = ", ".join(f"{reader} {n} of {report.n_items}" for reader, n in report.readers.items())
    tables = [_table(f"Grades by {readers or 'nobody yet'}", ("setting",), report.settings, _NOTES)]
    for name, scores in (("domain", report.domains), ("book", report.books)):
        if len({score.group[0] for score in scores}) > 1:
            tables.append(_table(f"By {name}", (name, "setting"), scores))
    if report.agreements:
        tables.append(_agreement_table(report))
    return tables


def _table(
    title: str, columns: tuple[str, ...], scores: Sequence[GroupScore], notes: tuple[str, ...] = ()
) -> ScoreTable:
    rows = tuple(
        (
            *score.group,
            f"{score.n:,}",
            _mean(score.mean),
            f"{score.share_mid_thought:.0%}",
            f"{score.share_begins:.0%}",
        )
        for score in scores
    )
    return ScoreTable(title, (*columns, *_SCORES), rows, notes)


def _agreement_table(report: ReviewReport) -> ScoreTable:
    rows = tuple(
        (
            " and ".join(agreement.readers),
            f"{agreement.n:,}",
            "–" if agreement.kappa is None else f"{agreement.kappa:z.2f}",
            f"{agreement.within_one:.0%}",
            f"{agreement.same_begin:.0%}",
        )
        for agreement in report.agreements
    )
    return ScoreTable(
        "Agreement of the readers",
        ("readers", "cuts", "weighted kappa", "within one grade", "same on begins well"),
        rows,
        ("Cohen's kappa with quadratic weights: 1 in full agreement, 0 by chance.",),
    )


def _mean(score: ScoreEstimate) -> str:
    return f"{score.value:.2f} [{score.low:.2f}, {score.high:.2f}]"
