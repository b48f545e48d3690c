"""The grades of a review as tables of text."""

from collections.abc import Sequence

from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.tables import ScoreTable, format_gain, with_interval
from benchmarks.readers.fitting import FittedSetting
from benchmarks.readers.grades import FieldScore, GroupScore, ReviewReport

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


def fitted_table(result: FittedSetting) -> ScoreTable:
    """Return a table that compares the present setting with the fitted one, on grades that were held back."""
    changed = ", ".join(f"{option} {old:g} → {new:g}" for option, (old, new) in result.changes.items())
    rows = (
        ("present", result.present.name, with_interval(result.present_heldout)),
        ("fitted", changed or "nothing changed", with_interval(result.fitted_heldout)),
    )
    verdict = "Use the fitted setting." if result.beyond_noise else "Keep the present setting."
    gain = format_gain(result.gain_heldout)
    notes = (
        f"On grades held back, the gain is {gain}, {_beyond_noise(result)}. {verdict}",
        "Of pairs of cuts with different grades, the share in which the better one costs less; .5 by chance.",
    )
    title = f"{result.n_grades} cuts graded by {', '.join(result.readers)}"
    return ScoreTable(title, ("", "setting", "held back"), rows, notes)


def _beyond_noise(result: FittedSetting) -> str:
    """Return in words whether the gain on grades held back is more than noise, or even a loss."""
    if result.gain_heldout.high < 0:
        return "a loss of more than noise"
    return "more than noise" if result.beyond_noise else "not more than noise"


def field_table(scores: Sequence[FieldScore]) -> ScoreTable:
    """Return the grades by field, next to the means that the description of the strategy gives."""
    rows = tuple(
        (
            *field.score.group,
            f"{field.n_books:,}",
            f"{field.n_readers:,}",
            f"{field.score.n:,}",
            _mean(field.score.mean),
            "–" if field.described is None else f"{field.described:.1f}",
            f"{field.score.share_mid_thought:.0%}",
            f"{field.score.share_begins:.0%}",
        )
        for field in scores
    )
    columns = ("field", "setting", "books", "readers", "cuts", "mean", "described", *_SCORES[2:])
    notes = (
        *_NOTES,
        "Described: the means that the description of Universal Semantic Chunking gives, without books, cuts,"
        " readers or intervals.",
    )
    return ScoreTable("Grades by field", columns, rows, notes)


def _table(
    title: str, columns: tuple[str, ...], scores: Sequence[GroupScore], notes: tuple[str, ...] = ()
) -> ScoreTable:
    """Return a row per group of grades, such as a setting, or a book under a setting.

    Args:
        title: the title of the table.
        columns: the heads of the columns that name the group; the heads of the scores follow.
        scores: the scores of the groups.
        notes: the notes below the table.
    """
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
    """Return a table of how far each two readers agree."""
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
