"""The documents of `evaluate` and `tune`."""

from collections.abc import Sequence
from math import isnan
from typing import Annotated, TypedDict

from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.boundaries import BoundaryReport
from alexandria.lab.leave_out_marks import HiddenResult, Recall
from alexandria.lab.questions import UnplacedQuestion
from alexandria.lab.reports import QualityResult
from alexandria.lab.retrieval import RetrievalReport, Run
from alexandria.lab.tuning import TuningReport
from alexandria.show.json.inspection import QualityEntry
from alexandria.show.json.types import SCHEMA_VERSION, Count, SchemaVersion, Settings, Share
from alexandria.show.json.view import From, Rounded, view_of


class BoundaryScores(TypedDict):
    """Agreement with the true boundaries."""

    pk: ScoreEstimate
    """Lower is better."""
    window_diff: ScoreEstimate
    """Lower is better."""
    precision: ScoreEstimate
    recall: ScoreEstimate
    f1: ScoreEstimate


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
    scores: Annotated[BoundaryScores, From("estimates")]
    chance: Annotated[BoundaryChance, From("chance_means")]


class HiddenEntry(TypedDict):
    """What one setting finds of the author's own divisions, which it does not see."""

    setting: str
    chunks: Count
    words: Annotated[float, From("mean_words"), Rounded(1)]
    """Mean words per chunk."""
    share_mid_thought: Share | None
    """Cuts that a pronoun or a connective follows; null for languages without a word list."""
    breaks: Recall | None
    """The author's breaks inside sections; null if the books have none."""
    sections: Recall | None
    """Where sections of any level begin."""
    chapters: Recall | None
    """Where chapters begin."""


class BoundaryDocument(TypedDict):
    """`alexandria evaluate boundaries --json`: every setting on every task."""

    schema_version: SchemaVersion
    tolerance: Count
    """Sentences by which a boundary may be off."""
    seed: int
    results: list[BoundaryResultEntry]
    hidden: list[HiddenEntry]


class RetrievalScores(TypedDict):
    """How well the passages answer, 0 to 1, higher is better."""

    recall: ScoreEstimate
    precision: ScoreEstimate
    iou: ScoreEstimate
    precision_omega: ScoreEstimate
    recall_in_budget: ScoreEstimate
    mrr: ScoreEstimate
    ndcg: ScoreEstimate


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
    words: Annotated[float, From("mean_words"), Rounded(1)]
    """Mean words per chunk."""
    scores: Annotated[RetrievalScores, From("estimates")]
    gain: ScoreEstimate | None
    """Relative gain in `recall_in_budget` over the baseline; null if the baseline recalls nothing."""


class RetrievalDocument(TypedDict):
    """`alexandria evaluate retrieval --json`: every setting in every search mode."""

    schema_version: SchemaVersion
    k: Count
    """Passages that count for recall, precision and IoU."""
    budget: Count
    """Words that count for `recall_in_budget`."""
    left_out: Annotated[list[UnplacedQuestion], From("unplaced")]
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

    present_train: ScoreEstimate
    found_train: Annotated[ScoreEstimate, From("best_train")]
    present_test: ScoreEstimate
    found_test: Annotated[ScoreEstimate, From("best_test")]
    gain_test: ScoreEstimate
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
    hidden = [_hidden_entry(result) for result in report.hidden]
    return view_of(BoundaryDocument, report, schema_version=SCHEMA_VERSION, hidden=hidden)


def _hidden_entry(result: HiddenResult) -> HiddenEntry:
    """Return how many of the author's hidden divisions a setting finds; null for a kind without any."""
    found = {kind: result.recalls.get(kind) for kind in ("breaks", "sections", "chapters")}
    return view_of(HiddenEntry, result, **found)


def retrieval_document(report: RetrievalReport) -> RetrievalDocument:
    """Return all scores with their intervals, by the kind of question, and the questions left out."""
    results = [
        _run_entry(kind, part, run)
        for kind, part in report.by_kind().items()
        for run in (part.baseline, *part.runs)
    ]
    return view_of(RetrievalDocument, report, schema_version=SCHEMA_VERSION, results=results)


def _run_entry(kind: str, report: RetrievalReport, run: Run) -> RunEntry:
    """Return the scores of one setting in one search mode."""
    # `kind`: the kind of the questions: `given`, or how they were made from the books.
    gain = report.gain(run)
    return view_of(
        RunEntry,
        run,
        questions=kind,
        self_made=kind != "given",
        n_questions=report.n_questions,
        baseline=run is report.baseline,
        gain=None if isnan(gain.value) else gain,
    )


def quality_document(results: Sequence[QualityResult]) -> QualityDocument:
    """Return the figures of each book under each setting."""
    entries = [
        view_of(QualityResultEntry, result.quality, book=result.book, setting=result.setting)
        for result in results
    ]
    return {"schema_version": SCHEMA_VERSION, "results": entries}


def tuning_document(report: TuningReport) -> TuningDocument:
    """Return the present, the best and the recommended setting with their scores."""
    tuned = report.tuned
    return view_of(
        TuningDocument,
        tuned,
        schema_version=SCHEMA_VERSION,
        objective=report.objective,
        train=report.train,
        test=report.test,
        present=tuned.present.settings(),
        found=tuned.best.settings(),
        recommended=tuned.recommended.settings(),
        scores=tuned,
    )
