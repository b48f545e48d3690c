"""The reports of an evaluation as tables of text, for the terminal and for Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.lab.bootstrap import ScoreEstimate, difference
from alexandria.lab.boundaries import BoundaryReport, BoundaryResult
from alexandria.lab.leave_out_marks import HiddenResult, Recall
from alexandria.lab.reports import QualityResult
from alexandria.lab.retrieval import RetrievalReport, Run
from alexandria.lab.settings import describe_strategy
from alexandria.lab.tuning import MIN_TESTED, Tuned, TuningReport

_BOUNDARY_METRICS = {
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}
_BEST_AT = {"chapters": "agrees best with the chapters", "put together": "agrees best with the joints"}
"""What the best setting does at a task that is not about sections."""
SELF_MADE = {
    "sentence": "Each question is a sentence that the index leaves out; its chunk must be found.",
    "heading": "Each question is a heading that the index leaves out; its section must be found.",
}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Rows of cells under a title, with notes below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """Return the table as Markdown; a bar in a cell is escaped, as it would begin another cell."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in lines)
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)
        return "\n\n".join([f"### {self.title}", table, *self.notes])


def boundary_tables(report: BoundaryReport) -> list[ScoreTable]:
    """Return one table per task: a row per setting, with the scores of the same chunks in random order.

    The first one is on the author's own divisions, if the books have any; the last one ends with what to do.
    """
    hidden = [_hidden_table(report.hidden)] if report.hidden else []
    tasks = _task_tables(report)
    if len(tasks) > 1:
        tasks[-1] = replace(tasks[-1], notes=(*tasks[-1].notes, _advice_of_all(report)))
    return [*hidden, *tasks]


def _advice_of_all(report: BoundaryReport) -> str:
    """Return what to do if several tasks are looked at together."""
    tasks = [_f1_of(results) for results in report.by_task()]
    present = next(iter(tasks[0]))
    choices = {_choose(scores) for scores in tasks}
    if len(choices) == 1:
        choice = choices.pop()
        return f"All in all: {'keep' if choice == present else 'use'} {choice}."
    return f"All in all: keep {present}; another setting is better only in some tables."


def _choose(scores: Mapping[str, NDArray[np.float64]]) -> str:
    """Return the best of some settings if it is better than the first by more than noise, else the first."""
    present, best = next(iter(scores)), _best_of(scores)
    is_clear = len(scores[present]) >= MIN_TESTED and difference(scores[best], scores[present]).low > 0
    return best if is_clear else present


def _best_of(scores: Mapping[str, NDArray[np.float64]]) -> str:
    return max(scores, key=lambda name: float(scores[name].mean()))


def _advice(scores: Mapping[str, NDArray[np.float64]], what: str) -> str:
    """Return which of some settings to use, by their paired scores; the higher, the better."""
    # `scores`: (n_units,) each, by the name of the setting; the first is the one in use.
    # `what`: what the best one does, such as `finds the most sections`.
    present, *others = scores
    if len(scores[present]) < MIN_TESTED:
        return f"Too few to tell the settings apart: keep {present}."
    best = _best_of(scores)
    if best != present:
        if _choose(scores) == best:
            return f"{best} {what}, and beats {present} by more than noise: use {best}."
        return f"{best} {what}, but does not beat {present} by more than noise: keep {present}."
    if all(difference(scores[present], scores[other]).low > 0 for other in others):
        return f"{present} {what}, and beats every other by more than noise: keep it."
    return f"{present} {what}, though it does not beat every other by more than noise: keep it."


def _hidden_table(results: Sequence[HiddenResult]) -> ScoreTable:
    """Return the share of hidden breaks, sections and chapters that each setting finds."""
    counts = {kind: recall.n for kind, recall in results[0].recalls.items()}
    if counts.get("chapters") == counts.get("sections"):  # every section is a chapter
        counts.pop("chapters", None)
    rows = tuple(
        (
            result.setting,
            f"{result.n_chunks:,}",
            f"{result.mean_words:.0f}",
            *(cell for kind in counts for cell in _recall_cells(result.recalls[kind])),
            _or_dash(result.share_mid_thought, ".0%"),
        )
        for result in results
    )
    heads = (head for kind, n in counts.items() for head in (f"{n:,} {kind} found", "exactly"))
    notes = (
        "The author's breaks and headings are hidden. Found: the share of them with a cut at most "
        "one paragraph away (in parentheses: by chance). Exactly: the share with a cut at the same place.",
        "Mid-thought: share of the cuts that a pronoun or a connective follows.",
    )
    columns = ("setting", "chunks", "words", *heads, "mid-thought")
    return ScoreTable("hidden divisions", columns, rows, notes)


def _recall_cells(recall: Recall) -> tuple[str, str]:
    """Return the share found within a paragraph, with that of chance, and the share found exactly."""
    return f"{with_interval(recall.found)} ({_short(recall.chance)})", f"{recall.exact:.0%}"


def _task_tables(report: BoundaryReport) -> list[ScoreTable]:
    """Return a table per task, with a row per setting."""
    return [
        ScoreTable(
            f"{results[0].task} ({_counted(results[0].n_stretches, 'stretch', 'stretches')})",
            ("setting", "chunks", *_BOUNDARY_METRICS.values()),
            tuple(_boundary_row(result) for result in results),
            (
                "In brackets, the 95 % interval; in parentheses, the score of the same chunks in random "
                "order (chance).",
                _advice(_f1_of(results), _BEST_AT.get(results[0].task, "agrees best with the sections")),
            ),
        )
        for results in report.by_task()
    ]


def _f1_of(results: Sequence[BoundaryResult]) -> dict[str, NDArray[np.float64]]:
    return {result.setting: result.scores["f1"] for result in results}


def _counted(n: int, singular: str, plural: str) -> str:
    return f"{n:,} {singular if n == 1 else plural}"


def _boundary_row(result: BoundaryResult) -> tuple[str, ...]:
    estimates, chance = result.estimates, result.chance_means
    cells = (f"{with_interval(estimates[name])} ({_short(chance[name])})" for name in _BOUNDARY_METRICS)
    return (result.setting, f"{result.n_chunks:,}", *cells)


def retrieval_tables(report: RetrievalReport) -> list[ScoreTable]:
    """Return one table per kind of question (`retrieval_table`)."""
    return [retrieval_table(kind, part) for kind, part in report.by_kind().items()]


def retrieval_table(kind: str, report: RetrievalReport) -> ScoreTable:
    """Return a row per setting and mode, with its gain in recall over the baseline, which comes first."""
    baseline, k, budget = report.baseline, report.k, report.budget
    columns = (
        "setting", "mode", "chunks", "words", f"recall in {budget:,} words", "gain",
        f"recall@{k}", f"precision@{k}", f"IoU@{k}", "precision-Ω", "MRR", "nDCG@10",
    )  # fmt: skip
    notes = [
        "In brackets, the 95 % interval.",
        f"Gain: in recall within {budget:,} words, over {baseline.setting} in mode {baseline.mode}.",
    ]
    if kind != "given":
        notes.append(
            f"{SELF_MADE[kind]} They compare settings, not how well readers' questions are answered."
        )
    runs = (baseline, *report.runs)
    compared = [run for run in report.runs if run.mode == Mode.HYBRID] or list(report.runs)
    scores = {run.setting: run.scores["recall_in_budget"] for run in compared}
    if scores:
        notes.append(_advice(scores, "finds the most answers"))
    title = _counted(report.n_questions, "question", "questions")
    if kind != "given":
        title += f", self-made: {kind}"
    rows = tuple(_retrieval_row(run, report.gain(run)) for run in runs)
    return ScoreTable(title, columns, rows, tuple(notes))


def _retrieval_row(run: Run, gain: ScoreEstimate) -> tuple[str, ...]:
    means = run.means
    names = ("recall", "precision", "iou", "precision_omega", "mrr", "ndcg")
    return (
        run.setting,
        run.mode,
        f"{run.n_chunks:,}",
        f"{run.mean_words:.0f}",
        with_interval(run.estimates["recall_in_budget"]),
        in_percent(gain),
        *(f"{means[name]:.3f}" for name in names),
    )


def quality_table(results: Sequence[QualityResult]) -> ScoreTable:
    """Return the quality of the chunks, one row per book and setting."""
    columns = (
        "book", "setting", "chunks", "similarity inside", "similarity across cuts", "first to last",
        "two topics", "mid-thought starts", "turns", "cuts in dialogue", "cuts in stanzas",
        "words beyond window",
    )  # fmt: skip
    notes = (
        "First to last: mean similarity of a chunk's first sentence to its last. Two topics: chunks whose "
        "parts are hardly similar.",
        "Mid-thought starts: share of the cuts inside chapters followed by a pronoun or a connective. Turns: "
        "cuts before a contrast such as However where the topic changes; these are not mid-thought starts.",
        _advice_on_quality(results),
    )
    return ScoreTable("Chunk quality", columns, tuple(map(_quality_row, results)), notes)


def _advice_on_quality(results: Sequence[QualityResult]) -> str:
    """Return which setting begins the fewest chunks mid-thought, and what to do."""
    shares: dict[str, list[float]] = {}
    for result in results:
        shares.setdefault(result.setting, []).append(result.quality.share_mid_thought or 0.0)
    best = min(shares, key=lambda setting: sum(shares[setting]))
    return f"{best} begins the fewest chunks mid-thought: look at its cuts with alexandria inspect BOOK."


def _quality_row(result: QualityResult) -> tuple[str, ...]:
    quality = result.quality
    return (
        result.book,
        result.setting,
        f"{quality.n_chunks:,}",
        _or_dash(quality.inside, ".3f"),
        _or_dash(quality.across, ".3f"),
        _or_dash(quality.first_to_last, ".3f"),
        _or_dash(quality.n_two_topics, ","),
        _or_dash(quality.share_mid_thought, ".0%"),
        _or_dash(quality.n_turns, ","),
        _or_dash(quality.n_dialogue, ","),
        _or_dash(quality.n_stanza, ","),
        _or_dash(quality.n_beyond_window, ","),
    )


def _or_dash(number: float | None, format_spec: str) -> str:
    """Return a number as `format` writes it with this specification; `–` if it is not known."""
    return "–" if number is None else format(number, format_spec)


def tuning_table(report: TuningReport) -> ScoreTable:
    """Return a table that compares the present setting with the best one on both halves."""
    tuned = report.tuned
    present, best = tuned.present.strategy.name, tuned.best.strategy.name
    rows = (
        ("present", present, with_interval(tuned.present_train), with_interval(tuned.present_test)),
        ("best", best, with_interval(tuned.best_train), with_interval(tuned.best_test)),
    )
    # The options of a setting are too long for a column.
    notes = (_verdict(tuned),) if tuned.best is tuned.present else (f"Best: {_best(tuned)}.", _verdict(tuned))
    title = f"{report.objective}: best of {tuned.n_settings} settings"
    return ScoreTable(title, ("", "strategy", "train half", "test half"), rows, notes)


def _best(tuned: Tuned) -> str:
    """Return the best setting; of the present one's strategy, only with the options that differ."""
    present, best = tuned.present.strategy, tuned.best.strategy
    if type(best) is not type(present):
        return describe_strategy(tuned.best)
    values = [
        (option.name, getattr(present, option.name), getattr(best, option.name)) for option in fields(best)
    ]
    changes = ", ".join(f"{name} {old} → {new}" for name, old, new in values if new != old)
    return f"{best.name} with {changes}"


def _verdict(tuned: Tuned) -> str:
    """Return which setting to use, and why."""
    if tuned.best is tuned.present:
        return "On the train half, no setting beats the present one by more than noise. Keep the present one."
    if tuned.n_tested < MIN_TESTED:
        return (
            f"The test half has fewer than {MIN_TESTED} questions or stretches of text: too few to tell a "
            "gain from noise. Keep the present setting, or name more books."
        )
    if tuned.gain_test.high < 0:
        why = "a loss of more than noise. Keep the present setting."
    elif tuned.beyond_noise:
        why = "more than noise. Use the best setting."
    else:
        why = "within noise. Keep the present setting."
    return f"On the test half, the gain is {format_gain(tuned.gain_test)}, {why}"


def with_interval(score: ScoreEstimate) -> str:
    """Return a score with its interval: `.812 [.790, .834]`; from a single book or question, without."""
    if score.low == score.high:
        return _short(score.value)
    return f"{_short(score.value)} [{_short(score.low)}, {_short(score.high)}]"


def in_percent(score: ScoreEstimate) -> str:
    """Return a relative gain with its interval: `+12 % [+8, +15]`; `–` if it is not known."""
    if isnan(score.value):
        return "–"
    return f"{score.value:+.0%} [{100 * score.low:+.0f}, {100 * score.high:+.0f}]".replace("%", " %")


def format_gain(score: ScoreEstimate) -> str:
    """Return a gain with its interval: `+0.031 [+0.012, +0.049]`."""
    return f"{score.value:+.3f} [{score.low:+.3f}, {score.high:+.3f}]"


def _short(number: float) -> str:
    """Return a score with three decimals and no zero before the point: `.812`."""
    rounded = f"{number:.3f}"
    return rounded.removeprefix("0") if rounded.startswith("0") else f"{number:.2f}"
