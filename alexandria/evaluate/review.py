"""A reader's marks for cuts: 5 perfect, 3 acceptable, 1 mid-thought; kept in a file, averaged by setting."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from alexandria.book import Reason
from alexandria.errors import ConfigError, io_reason
from alexandria.evaluate import bootstrap
from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.variants import describe_strategy
from alexandria.pipeline import Analysis

MARKS = {5: "perfect", 3: "acceptable", 1: "mid-thought"}
SHOWN = 500
"""Characters on each side of a cut: about five lines, enough to see what ends and what begins."""


@dataclass(frozen=True, slots=True)
class Cut:
    """An offset where one or more of the settings under review cut a book."""

    book_id: str
    title: str
    domain: str
    settings: tuple[str, ...]
    """The settings that cut here; not shown to the reviewer of a blind review."""
    start: int
    """Offset in the book's text of what begins after the cut."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A reader's judgement of a cut: one line of the file."""

    book_id: str
    title: str
    domain: str
    settings: tuple[str, ...]
    start: int
    score: int
    at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class Average:
    """The mean mark of one setting in one domain."""

    domain: str
    setting: str
    n: int
    score: ScoreEstimate


def cuts_to_review(analyses: Sequence[Analysis], *, seed: int = 0) -> list[Cut]:
    """Return a book's cuts, each offset once, in an order that does not reveal which setting cuts there.

    Args:
        analyses: one book under one or more settings; at least one.
        seed: the same seed gives the same order.
    """
    settings_at: dict[int, list[str]] = {}
    ends: dict[int, int] = {}
    for analysis in analyses:
        for boundary in analysis.segmentation.boundaries:
            # A cut where a chapter begins needs no judgement.
            if boundary.reason is not Reason.SECTION:
                start = analysis.sentences[boundary.gap + 1].start
                settings_at.setdefault(start, []).append(describe_strategy(analysis.domain))
                ends[start] = analysis.sentences[boundary.gap].end
    book, domain = analyses[0].book, analyses[0].domain.name
    starts = sorted(settings_at)
    random.Random(seed).shuffle(starts)
    return [
        Cut(
            book_id=book.id,
            title=book.title,
            domain=domain,
            settings=tuple(settings_at[start]),
            start=start,
            before=book.text[max(0, ends[start] - SHOWN) : ends[start]],
            after=book.text[start : start + SHOWN],
        )
        for start in starts
    ]


def unmarked(cuts: Iterable[Cut], marks: Iterable[Mark]) -> list[Cut]:
    """Return the cuts that have no mark for the same settings yet."""
    done = {(mark.book_id, mark.start, mark.settings) for mark in marks}
    return [cut for cut in cuts if (cut.book_id, cut.start, cut.settings) not in done]


def make_mark(cut: Cut, score: int) -> Mark:
    """Return a mark for the cut, dated now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Mark(
        book_id=cut.book_id,
        title=cut.title,
        domain=cut.domain,
        settings=cut.settings,
        start=cut.start,
        score=score,
        at=now,
    )


def append_mark(path: Path, mark: Mark) -> None:
    """Append a mark to the file at once, so that a review can be interrupted at any time.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(mark), ensure_ascii=False) + "\n")
    except OSError as error:
        raise ConfigError(
            f"cannot write {path}", why=io_reason(error), fix="choose another --marks file"
        ) from error


def read_marks(path: Path) -> list[Mark]:
    """Return the marks in a file; none if it does not exist.

    Raises:
        ConfigError: the file cannot be read; the message names the line.
    """
    line = 0
    try:
        if not path.exists():
            return []
        marks = []
        for text in path.read_text(encoding="utf-8").splitlines():
            line += 1
            values = json.loads(text)
            marks.append(Mark(**{**values, "settings": tuple(values["settings"])}))
        return marks
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}", why=io_reason(error), fix="choose another --marks file"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"cannot read {path}:{line}", why="the line is not a mark", fix="remove the line"
        ) from error


def averages(marks: Iterable[Mark]) -> list[Average]:
    """Return the mean mark of each setting in each domain; a cut shared by two settings counts for both."""
    scores: dict[tuple[str, str], list[int]] = {}
    for mark in marks:
        for setting in mark.settings:
            scores.setdefault((mark.domain, setting), []).append(mark.score)
    return [
        Average(domain, setting, len(values), bootstrap.mean(np.array(values, np.float64)))
        for (domain, setting), values in sorted(scores.items())
    ]
