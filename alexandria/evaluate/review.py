"""A person's marks for cuts, 5 perfect, 3 acceptable, 1 mid-thought: kept in a file, averaged a setting."""

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
from alexandria.evaluate.bootstrap import Estimate
from alexandria.evaluate.settings import setting_name
from alexandria.pipeline import Analysis

MARKS = {5: "perfect", 3: "acceptable", 1: "mid-thought"}
SHOWN = 500
"""Characters on each side of a cut: some five lines, enough to see what ends and what begins."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where one or more of the settings under review cut a book."""

    book_id: str
    title: str
    domain: str
    settings: tuple[str, ...]
    """Who cuts here; a reviewer is not told where more than one is under review."""
    start: int
    """Offset in the book's text of what begins behind the cut."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person thinks of a cut: a line of the file."""

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
    """The marks of one setting in one domain."""

    domain: str
    setting: str
    n: int
    score: Estimate


def cuts_to_review(analyses: Sequence[Analysis], *, seed: int = 0) -> list[Cut]:
    """Return the places where a book's cuts lie, each once, in an order that tells nothing of who cuts there.

    Args:
        analyses: one book under one or more settings; at least one.
        seed: the same seed gives the same order.
    """
    cutters: dict[int, list[str]] = {}
    ends: dict[int, int] = {}
    for analysis in analyses:
        for boundary in analysis.segmentation.boundaries:
            # Where a chapter begins there is nothing to judge.
            if boundary.reason is not Reason.SECTION:
                start = analysis.sentences[boundary.gap + 1].start
                cutters.setdefault(start, []).append(setting_name(analysis.domain))
                ends[start] = analysis.sentences[boundary.gap].end
    book, domain = analyses[0].book, analyses[0].domain.name
    starts = sorted(cutters)
    random.Random(seed).shuffle(starts)
    return [
        Cut(
            book.id,
            book.title,
            domain,
            tuple(cutters[start]),
            start,
            before=book.text[max(0, ends[start] - SHOWN) : ends[start]],
            after=book.text[start : start + SHOWN],
        )
        for start in starts
    ]


def unmarked(cuts: Iterable[Cut], marks: Iterable[Mark]) -> list[Cut]:
    """Return the cuts that nobody has marked for the same settings."""
    done = {(mark.book_id, mark.start, mark.settings) for mark in marks}
    return [cut for cut in cuts if (cut.book_id, cut.start, cut.settings) not in done]


def mark(cut: Cut, score: int) -> Mark:
    """Return the mark of a cut, given now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Mark(cut.book_id, cut.title, cut.domain, cut.settings, cut.start, score, now)


def append(path: Path, one: Mark) -> None:
    """Write a mark at the end of the file, at once: a review can be broken off at any time.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
    except OSError as error:
        raise ConfigError(
            f"cannot write {path}", why=io_reason(error), fix="choose another --marks file"
        ) from error


def read_marks(path: Path) -> list[Mark]:
    """Return the marks of a file; none where it is not there.

    Raises:
        ConfigError: it cannot be read; the message names the line.
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
            f"cannot read {path}:{line}", why="the line is not a mark", fix="take the line out"
        ) from error


def averages(marks: Iterable[Mark]) -> list[Average]:
    """Return the mean mark of each setting in each domain; a cut that two settings share counts for both."""
    scores: dict[tuple[str, str], list[int]] = {}
    for one in marks:
        for setting in one.settings:
            scores.setdefault((one.domain, setting), []).append(one.score)
    return [
        Average(domain, setting, len(values), bootstrap.mean(np.array(values, np.float64)))
        for (domain, setting), values in sorted(scores.items())
    ]
