"""The document of `review`."""

from collections.abc import Sequence
from typing import TypedDict

from alexandria.evaluate.fitting import FittedSetting
from alexandria.evaluate.grades import FieldScore, GroupScore, ReaderAgreement, ReviewReport
from alexandria.views.json.evaluation import EstimateEntry, estimate_entry
from alexandria.views.json.types import SCHEMA_VERSION, Count, SchemaVersion, Share


class _Scores(TypedDict):
    n: Count
    """Items with a grade."""
    mean: EstimateEntry
    """Of the grades, from 1 to 5; the interval is over items."""
    share_mid_thought: Share
    """Of the grades that are 1."""
    share_begins: Share
    """Of the passages that begin understandably."""


class SettingGradesEntry(_Scores):
    """The grades of one setting."""

    setting: str


class DomainGradesEntry(_Scores):
    """The grades of one setting in the books of one domain."""

    domain: str
    setting: str


class BookGradesEntry(_Scores):
    """The grades of one setting in one book."""

    book: str
    setting: str


class AgreementEntry(TypedDict):
    """How far two readers agree."""

    readers: list[str]
    n: Count
    """Items that both graded."""
    kappa: float | None
    """Cohen's kappa of the cuts, with quadratic weights; null if all grades are the same."""
    within_one: Share
    """Cuts whose grades differ by 1 at most."""
    same_begin: Share
    """Passages on whose beginning they agree."""


class ReviewDocument(TypedDict):
    """`alexandria review --json`: the grades of all readers of a review."""

    schema_version: SchemaVersion
    n_items: Count
    settings: list[SettingGradesEntry]
    """The best mean first."""
    domains: list[DomainGradesEntry]
    books: list[BookGradesEntry]
    readers: dict[str, int]
    """The number of grades of each reader."""
    agreements: list[AgreementEntry]


class FieldGradesEntry(DomainGradesEntry):
    """The grades of one setting in one field, and the mean that the description gives."""

    books: Count
    readers: Count
    described: float | None
    """The mean that the description of Universal Semantic Chunking gives; null where it gives none."""


class FieldsDocument(TypedDict):
    """`alexandria evaluate review --json`: the grades of reviews by field."""

    schema_version: SchemaVersion
    fields: list[FieldGradesEntry]


def fields_document(scores: Sequence[FieldScore]) -> FieldsDocument:
    """Return the grades by field and setting."""
    return {
        "schema_version": SCHEMA_VERSION,
        "fields": [
            {
                "domain": field.score.group[0],
                "setting": field.score.group[1],
                "books": field.n_books,
                "readers": field.n_readers,
                "described": field.described,
                **_score_entry(field.score),
            }
            for field in scores
        ],
    }


class FittedDocument(TypedDict):
    """`alexandria tune --from-review --json`: a setting fitted to grades, and its test."""

    schema_version: SchemaVersion
    n_grades: Count
    readers: list[str]
    domain: str
    changes: dict[str, list[float]]
    """The options that were changed, each with its present and its fitted value."""
    present_held: EstimateEntry
    """Share of the pairs of held-back grades that the present setting orders correctly."""
    fitted_held: EstimateEntry
    gain_held: EstimateEntry
    beyond_noise: bool
    """Whether to use the fitted setting."""


def fitted_document(result: FittedSetting) -> FittedDocument:
    """Return what was changed, and how it did on grades held back."""
    return {
        "schema_version": SCHEMA_VERSION,
        "n_grades": result.n_grades,
        "readers": list(result.readers),
        "domain": result.present.name,
        "changes": {option: list(values) for option, values in result.changes.items()},
        "present_held": estimate_entry(result.present_heldout),
        "fitted_held": estimate_entry(result.fitted_heldout),
        "gain_held": estimate_entry(result.gain_heldout),
        "beyond_noise": result.beyond_noise,
    }


def review_document(report: ReviewReport) -> ReviewDocument:
    """Return the grades by setting, domain and book, and the agreement of the readers."""
    return {
        "schema_version": SCHEMA_VERSION,
        "n_items": report.n_items,
        "settings": [{"setting": score.group[0], **_score_entry(score)} for score in report.settings],
        "domains": [
            {"domain": score.group[0], "setting": score.group[1], **_score_entry(score)}
            for score in report.domains
        ],
        "books": [
            {"book": score.group[0], "setting": score.group[1], **_score_entry(score)}
            for score in report.books
        ],
        "readers": dict(report.readers),
        "agreements": _agreement_entries(report.agreements),
    }


def _score_entry(score: GroupScore) -> _Scores:
    return {
        "n": score.n,
        "mean": estimate_entry(score.mean),
        "share_mid_thought": score.share_mid_thought,
        "share_begins": score.share_begins,
    }


def _agreement_entries(agreements: Sequence[ReaderAgreement]) -> list[AgreementEntry]:
    return [
        {
            "readers": list(agreement.readers),
            "n": agreement.n,
            "kappa": agreement.kappa,
            "within_one": agreement.within_one,
            "same_begin": agreement.same_begin,
        }
        for agreement in agreements
    ]
