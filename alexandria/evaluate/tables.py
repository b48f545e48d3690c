"""Results as tables of text and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

from alexandria.evaluate import bootstrap
from alexandria.evaluate.bootstrap import Estimate
from alexandria.evaluate.boundaries import Result
from alexandria.evaluate.questions import Unplaced
from alexandria.evaluate.retrieval import Comparison, Run
from alexandria.evaluate.review import Average
from alexandria.evaluate.settings import setting_name
from alexandria.evaluate.tune import Tuned
from alexandria.inspection.quality import Quality

SCHEMA_VERSION = 1
_BOUNDARY_NAMES = {
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}


SELF_MADE = {
    "sentence": "Each question is a sentence that the index does not hold; its chunk must be found.",
    "heading": "Each question is a heading that the index does not hold; its section must be found.",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title above and notes below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        return "\n\n".join([f"### {self.title}", table, *self.notes])


def boundary_table(results: Sequence[Result]) -> Table:
    """Return one task's scores, a row a setting, with what the same chunks score in random order."""
    rows = []
    for one in results:
        cells = [
            f"{with_interval(bootstrap.mean(one.scores[name]))} ({one.chance[name].mean():.3f})"
            for name in _BOUNDARY_NAMES
        ]
        rows.append((one.setting, f"{one.n_chunks:,}", *cells))
    first = results[0]
    return Table(
        f"{first.task} ({len(first.scores['pk'])} stretches)",
        ("setting", "chunks", *_BOUNDARY_NAMES.values()),
        tuple(rows),
        ("In brackets the 95 % interval; in parentheses the same chunks in random order: chance.",),
    )


def retrieval_table(kind: str, comparison: Comparison, *, k: int, budget: int) -> Table:
    """Return one row a setting and mode, and how much more of the answers it finds than the baseline."""
    baseline = comparison.baseline
    runs = (baseline, *comparison.runs)
    rows = []
    for one in runs:
        gain = bootstrap.relative_gain(one.scores["recall_in_budget"], baseline.scores["recall_in_budget"])
        means = {name: values.mean() for name, values in one.scores.items()}
        rows.append(
            (
                one.setting,
                one.mode,
                f"{one.n_chunks:,}",
                f"{one.mean_words:.0f}",
                with_interval(bootstrap.mean(one.scores["recall_in_budget"])),
                in_percent(gain),
                *(
                    f"{means[name]:.3f}"
                    for name in ("recall", "precision", "iou", "precision_omega", "mrr", "ndcg")
                ),
            )
        )
    columns = (
        "setting", "mode", "chunks", "words", f"recall in {budget:,} words", "gain",
        f"recall@{k}", f"precision@{k}", f"IoU@{k}", "precision-Ω", "MRR", "nDCG@10",
    )  # fmt: skip
    notes = [f"Gain: in recall within {budget:,} words, over {baseline.setting} in mode {baseline.mode}."]
    if kind != "given":
        notes.append(f"{SELF_MADE[kind]} They compare settings; they do not say how readers' questions fare.")
    title = f"{len(comparison.kinds):,} questions" + ("" if kind == "given" else f", self-made: {kind}")
    return Table(title, columns, tuple(rows), ("In brackets 95 % intervals.", *notes))


def with_interval(one: Estimate) -> str:
    """Return `.812 [.790, .834]`; of a single unit there is no interval."""
    if one.low == one.high:
        return _short(one.value)
    return f"{_short(one.value)} [{_short(one.low)}, {_short(one.high)}]"


def in_percent(one: Estimate) -> str:
    """Return `+12 % [+8, +15]`."""
    if isnan(one.value):
        return "–"
    return f"{one.value:+.0%} [{100 * one.low:+.0f}, {100 * one.high:+.0f}]".replace("%", " %")


def _short(number: float) -> str:
    return f"{number:.3f}".replace("0.", ".", 1) if 0 <= number < 1 else f"{number:.2f}"


def boundary_document(results: Sequence[Result], *, tolerance: int, seed: int) -> dict[str, Any]:
    """Return all scores with their intervals, and those of chance."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tolerance": tolerance,
        "seed": seed,
        "results": [
            {
                "task": one.task,
                "setting": one.setting,
                "chunks": one.n_chunks,
                "stretches": len(one.scores["pk"]),
                "scores": {name: asdict(bootstrap.mean(values)) for name, values in one.scores.items()},
                "chance": {name: float(values.mean()) for name, values in one.chance.items()},
            }
            for one in results
        ],
    }


def retrieval_document(
    comparison: Comparison, unplaced: Sequence[Unplaced], *, k: int, budget: int
) -> dict[str, Any]:
    """Return all scores with their intervals, by the kind of question, and the questions left out."""
    return {
        "schema_version": SCHEMA_VERSION,
        "k": k,
        "budget": budget,
        "left_out": [asdict(one) for one in unplaced],
        "results": [
            _run(kind, part, one)
            for kind, part in comparison.by_kind().items()
            for one in (part.baseline, *part.runs)
        ],
    }


def _run(kind: str, part: Comparison, one: Run) -> dict[str, Any]:
    base = part.baseline.scores["recall_in_budget"]
    gain = bootstrap.relative_gain(one.scores["recall_in_budget"], base)
    return {
        "questions": kind,
        "self_made": kind != "given",
        "n_questions": len(part.kinds),
        "setting": one.setting,
        "mode": one.mode,
        "baseline": one is part.baseline,
        "chunks": one.n_chunks,
        "words": round(one.mean_words, 1),
        "scores": {name: asdict(bootstrap.mean(values)) for name, values in one.scores.items()},
        "gain": None if isnan(gain.value) else asdict(gain),
    }


def quality_table(figures: Sequence[tuple[str, str, Quality]]) -> Table:
    """Return a row a book and setting.

    Args:
        figures: title, setting, and the figures.
    """
    rows = [
        (
            title,
            setting,
            f"{one.n_chunks:,}",
            _or_dash(one.inside, ".3f"),
            _or_dash(one.across, ".3f"),
            _or_dash(one.share_mid_thought, ".0%"),
            _or_dash(one.n_dialogue, ","),
            _or_dash(one.n_stanza, ","),
            _or_dash(one.n_beyond_window, ","),
        )
        for title, setting, one in figures
    ]
    columns = (
        "book", "setting", "chunks", "similarity inside", "across cuts", "begin mid-thought",
        "cuts in dialogue", "cuts in stanzas", "words beyond window",
    )  # fmt: skip
    note = "Begin mid-thought: of the cuts inside chapters, those with a pronoun or a connective behind them."
    return Table("Chunks without questions", columns, tuple(rows), (note,))


def _or_dash(number: float | None, form: str) -> str:
    return "–" if number is None else format(number, form)


def quality_document(figures: Sequence[tuple[str, str, Quality]]) -> dict[str, Any]:
    """Return the figures of each book under each setting."""
    return {
        "schema_version": SCHEMA_VERSION,
        "results": [
            {"book": title, "setting": setting, **asdict(one), "share_mid_thought": one.share_mid_thought}
            for title, setting, one in figures
        ],
    }


def tuned_table(tuned: Tuned, objective: str) -> Table:
    """Return the present setting and the found one on both halves."""
    rows = [
        (name, setting_name(domain), with_interval(train), with_interval(test))
        for name, domain, train, test in (
            ("present", tuned.present, tuned.present_train, tuned.present_test),
            ("found", tuned.found, tuned.found_train, tuned.found_test),
        )
    ]
    gain = f"On the test half the gain is {signed(tuned.gain_test)}: " + (
        "beyond noise." if tuned.beyond_noise else "not beyond noise. Keep the present setting."
    )
    if tuned.found is tuned.present:
        gain = "No setting beats the present one beyond noise on the train half. Keep the present setting."
    title = f"{objective}: the surest of {tuned.n_settings} settings"
    return Table(title, ("", "setting", "train half", "test half"), tuple(rows), (gain,))


def tuned_document(
    tuned: Tuned, objective: str, books: tuple[Sequence[str], Sequence[str]]
) -> dict[str, Any]:
    """Return the present, the found and the recommended setting with their scores."""
    estimates = ("present_train", "found_train", "present_test", "found_test", "gain_test")
    return {
        "schema_version": SCHEMA_VERSION,
        "objective": objective,
        "train": list(books[0]),
        "test": list(books[1]),
        "n_settings": tuned.n_settings,
        **{name: getattr(tuned, name).settings() for name in ("present", "found", "recommended")},
        "scores": {name: asdict(getattr(tuned, name)) for name in estimates},
        "beyond_noise": tuned.beyond_noise,
    }


def review_table(marks: Sequence[Average]) -> Table:
    """Return the mean mark of each setting in each domain."""
    rows = tuple((one.domain, one.setting, str(one.n), _marked(one.score)) for one in marks)
    return Table("Marks: 5 perfect, 3 acceptable, 1 mid-thought", ("domain", "setting", "cuts", "mean"), rows)


def review_document(marks: Sequence[Average]) -> dict[str, Any]:
    """Return the mean mark of each setting in each domain."""
    return {"schema_version": SCHEMA_VERSION, "averages": [asdict(one) for one in marks]}


def signed(one: Estimate) -> str:
    """Return `+0.031 [+0.012, +0.049]`."""
    return f"{one.value:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"


def _marked(one: Estimate) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
