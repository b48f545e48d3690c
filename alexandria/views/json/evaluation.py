"""The documents of `evaluate` and `tune`."""

from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from typing import Any, TypedDict, cast

from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.boundaries import BoundaryReport, BoundaryResult
from alexandria.evaluate.chunk_quality import QualityResult
from alexandria.evaluate.hidden import HiddenResult, Recall
from alexandria.evaluate.retrieval import RetrievalReport, Run
from alexandria.evaluate.tuning import TuningReport
from alexandria.views.json.inspection import QualityEntry
from alexandria.views.json.types import SCHEMA_VERSION, Count, SchemaVersion, Settings, Share


class EstimateEntry(TypedDict):
    """A mean with its 95 % interval."""

    value: float
    low: float
    high: float


class BoundaryScores(TypedDict):
    """Agreement with the true boundaries."""

    pk: EstimateEntry
    """Lower is better."""
    window_diff: EstimateEntry
    """Lower is better."""
    precision: EstimateEntry
    recall: EstimateEntry
    f1: EstimateEntry


class BoundaryChance(TypedDict):
    """The mean scores of the same chunks in random order."""

    pk: Share
    window_diff: Share
    precision: Share
    recall: Share
    f1: Share


class BoundaryResultEntry(TypedDict):
    """One setting on one task."""

    task: str
    setting: str
    chunks: Count
    stretches: Count
    """Runs of ten topics, each scored separately."""
    scores: BoundaryScores
    chance: BoundaryChance


class RecallEntry(TypedDict):
    """The share of hidden divisions of one kind that have a cut at most one paragraph away."""

    n: Count
    """Hidden divisions."""
    found: EstimateEntry
    chance: Share
    """The share that the same chunks find in random order."""
    exact: Share
    """The share with a cut exactly there."""


class HiddenEntry(TypedDict):
    """What one setting finds of the author's own divisions, which it does not see."""

    setting: str
    chunks: Count
    words: float
    """Mean words per chunk."""
    share_mid_thought: Share | None
    """Cuts that a pronoun or a connective follows; null for languages without a word list."""
    breaks: RecallEntry | None
    """The author's breaks inside sections; null if the books have none."""
    sections: RecallEntry | None
    """Where sections of any level begin."""
    chapters: RecallEntry | None
    """Where chapters begin."""


class BoundaryDocument(TypedDict):
    """`alexandria evaluate boundaries --json`: every setting on every task."""

    schema_version: SchemaVersion
    tolerance: Count
    """Sentences by which a boundary may be off."""
    seed: int
    results: list[BoundaryResultEntry]
    hidden: list[HiddenEntry]


class UnplacedEntry(TypedDict):
    """A question that cannot be used."""

    line: Count
    question: str
    why: str


class RetrievalScores(TypedDict):
    """How well the passages answer, 0 to 1, higher is better."""

    recall: EstimateEntry
    precision: EstimateEntry
    iou: EstimateEntry
    precision_omega: EstimateEntry
    recall_in_budget: EstimateEntry
    mrr: EstimateEntry
    ndcg: EstimateEntry


class RunEntry(TypedDict):
    """One setting in one search mode, for one kind of question."""

    questions: str
    """`given`, or how they were made from the books: `sentence`, `heading`."""
    self_made: bool
    n_questions: Count
    setting: str
    mode: str
    baseline: bool
    """Whether the gains are relative to this run."""
    chunks: Count
    words: float
    """Mean words per chunk."""
    scores: RetrievalScores
    gain: EstimateEntry | None
    """Relative gain in `recall_in_budget` over the baseline; null if the baseline recalls nothing."""


class RetrievalDocument(TypedDict):
    """`alexandria evaluate retrieval --json`: every setting in every search mode."""

    schema_version: SchemaVersion
    k: Count
    """Passages that count for recall, precision and IoU."""
    budget: Count
    """Words that count for `recall_in_budget`."""
    left_out: list[UnplacedEntry]
    results: list[RunEntry]


class QualityResultEntry(QualityEntry):
    """The chunks of one book under one setting."""

    book: str
    """The title."""
    setting: str
    n_chunks: Count
    inside: float | None
    """Mean similarity of neighbouring sentences in the same chunk."""
    across: float | None
    """Mean similarity across the cuts."""


class QualityDocument(TypedDict):
    """`alexandria evaluate quality --json`: the chunks of every book under every setting."""

    schema_version: SchemaVersion
    results: list[QualityResultEntry]


class TuningScores(TypedDict):
    """The objective on both halves of the books."""

    present_train: EstimateEntry
    found_train: EstimateEntry
    present_test: EstimateEntry
    found_test: EstimateEntry
    gain_test: EstimateEntry
    """The gain of the best setting over the present one on the test half."""


class TuningDocument(TypedDict):
    """`alexandria tune --json`: the best setting found."""

    schema_version: SchemaVersion
    objective: str
    train: list[str]
    """Titles of the books it was searched on."""
    test: list[str]
    """Titles of the books it was tested on."""
    n_settings: Count
    present: Settings
    found: Settings
    """The setting with the surest gain on the train half."""
    recommended: Settings
    """The setting found if it is better beyond noise on the test half, otherwise the present one."""
    scores: TuningScores
    beyond_noise: bool


def boundaries_document(report: BoundaryReport) -> BoundaryDocument:
    """Return all scores with their intervals, and those of chance."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tolerance": report.tolerance,
        "seed": report.seed,
        "results": [_boundary_result_entry(result) for result in report.results],
        "hidden": [_hidden_entry(result) for result in report.hidden],
    }


def _boundary_result_entry(result: BoundaryResult) -> BoundaryResultEntry:
    return {
        "task": result.task,
        "setting": result.setting,
        "chunks": result.n_chunks,
        "stretches": result.n_stretches,
        "scores": cast(BoundaryScores, _estimate_entries(result.estimates)),
        "chance": cast(BoundaryChance, result.chance_means),
    }


def _hidden_entry(result: HiddenResult) -> HiddenEntry:
    """Return how many of the author's hidden divisions a setting finds; null for a kind without any."""
    recalls = {kind: _recall_entry(recall) for kind, recall in result.recalls.items()}
    return {
        "setting": result.setting,
        "chunks": result.n_chunks,
        "words": round(result.mean_words, 1),
        "share_mid_thought": result.share_mid_thought,
        "breaks": recalls.get("breaks"),
        "sections": recalls.get("sections"),
        "chapters": recalls.get("chapters"),
    }


def _recall_entry(recall: Recall) -> RecallEntry:
    found = estimate_entry(recall.found)
    return {"n": recall.n, "found": found, "chance": recall.chance, "exact": recall.exact}


def retrieval_document(report: RetrievalReport) -> RetrievalDocument:
    """Return all scores with their intervals, by the kind of question, and the questions left out."""
    return {
        "schema_version": SCHEMA_VERSION,
        "k": report.k,
        "budget": report.budget,
        "left_out": [
            {"line": question.line, "question": question.question, "why": question.why}
            for question in report.unplaced
        ],
        "results": [
            _run_entry(kind, part, run)
            for kind, part in report.by_kind().items()
            for run in (part.baseline, *part.runs)
        ],
    }


def _run_entry(kind: str, report: RetrievalReport, run: Run) -> RunEntry:
    """Return the scores of one setting in one search mode.

    Args:
        kind: the kind of the questions: `given`, or how they were made from the books.
        report: the report on the questions of this kind.
        run: the run of the report: one setting in one mode.
    """
    gain = report.gain(run)
    return {
        "questions": kind,
        "self_made": kind != "given",
        "n_questions": len(report.kinds),
        "setting": run.setting,
        "mode": run.mode,
        "baseline": run is report.baseline,
        "chunks": run.n_chunks,
        "words": round(run.mean_words, 1),
        "scores": cast(RetrievalScores, _estimate_entries(run.estimates)),
        "gain": None if isnan(gain.value) else estimate_entry(gain),
    }


def quality_document(results: Sequence[QualityResult]) -> QualityDocument:
    """Return the figures of each book under each setting."""
    entries: list[dict[str, Any]] = [
        {
            "book": result.book,
            "setting": result.setting,
            **asdict(result.quality),
            "share_mid_thought": result.quality.share_mid_thought,
        }
        for result in results
    ]
    return {"schema_version": SCHEMA_VERSION, "results": cast(list[QualityResultEntry], entries)}


def tuning_document(report: TuningReport) -> TuningDocument:
    """Return the present, the best and the recommended setting with their scores."""
    tuned = report.tuned
    return {
        "schema_version": SCHEMA_VERSION,
        "objective": report.objective,
        "train": list(report.train),
        "test": list(report.test),
        "n_settings": tuned.n_settings,
        "present": tuned.present.settings(),
        "found": tuned.best.settings(),
        "recommended": tuned.recommended.settings(),
        "scores": {
            "present_train": estimate_entry(tuned.present_train),
            "found_train": estimate_entry(tuned.best_train),
            "present_test": estimate_entry(tuned.present_test),
            "found_test": estimate_entry(tuned.best_test),
            "gain_test": estimate_entry(tuned.gain_test),
        },
        "beyond_noise": tuned.beyond_noise,
    }


def _estimate_entries(scores: dict[str, ScoreEstimate]) -> dict[str, EstimateEntry]:
    return {name: estimate_entry(score) for name, score in scores.items()}


def estimate_entry(score: ScoreEstimate) -> EstimateEntry:
    """Return a score with its interval."""
    return {"value": score.value, "low": score.low, "high": score.high}
