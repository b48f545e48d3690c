"""Fits how likely a hit answers, with any model or cross-encoder, to questions whose answers are known."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alexandria.book.words import letters_of
from alexandria.errors import ConfigError, io_reason
from alexandria.library.opened import OpenLibrary
from alexandria.library.search.hits import search
from alexandria.library.search.relevance import Coefficients, Recorder, coefficients_file
from alexandria.library.search.request import SearchRequest
from alexandria.system.files import write_durably

if TYPE_CHECKING:
    from alexandria.library.search.reranking import Ranker

MIN_OF_EACH = 15  # first hits that answer, and that do not: with fewer, a strength would be luck
_LEAST_LETTERS = 20  # of the half of a quote
_RIDGE = 0.01  # keeps coefficients finite where a feature separates the two kinds of hits
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was fitted, and where it is."""

    model: str
    ranker: str  # the name of the cross-encoder, or empty
    n_questions: int
    n_right: int  # questions whose first hit answers
    file: Path


def calibrate_strength(opened: OpenLibrary, file: Path, ranker: "Ranker | None") -> Calibration:
    """Ask a library questions, and store how likely its hits answer in the user's folder.

    Args:
        file: a line of JSON for each question, `{"question": …, "quotes": […]}`; those that no book of the
            library answers have no quotes.
        ranker: a cross-encoder that ranks the hits again.

    Raises:
        ConfigError: the file cannot be read, or has too few questions of each kind; the hits have no
            sentence vectors; the user's folder cannot be written.
    """
    with opened.reading() as catalog:
        model = catalog.model()
    encoder, recorder = opened.search_encoder(model), Recorder()
    first, right = [], []
    rows = _read(file)
    for question, quotes in rows:
        request = SearchRequest(query=question, limit=1)
        hits = search(request, catalog, encoder, ranker=ranker, judge=recorder.judge).hits
        if hits and hits[0].relevance is not None:
            first.append(int(hits[0].relevance))
            right.append(answers(hits[0].text, quotes))
    n_right = sum(right)
    if min(n_right, len(right) - n_right) < MIN_OF_EACH:
        raise ConfigError(
            f"cannot calibrate by {file}",
            why=f"{n_right} first hits answer, {len(right) - n_right} do not; {MIN_OF_EACH} of each needed",
            fix="add questions with their quotes, and others that no book of the library answers",
        )
    judged, among = np.array(right, float), [recorder.standings[i] for i in first]
    coefficients = Coefficients(
        among_others=_fit(
            [recorder.rows[i].features(s or 0.0) for i, s in zip(first, among, strict=True)], judged
        ),
        alone=_fit([recorder.rows[i].features(None) for i in first], judged),
    )
    ranker_name = ranker.model.name if ranker else ""
    place = coefficients_file(encoder.name, ranker_name)
    calibration = Calibration(encoder.name, ranker_name, len(rows), n_right, place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_durably(place, json.dumps(asdict(calibration) | asdict(coefficients), default=str))
    except OSError as error:
        raise ConfigError(
            f"cannot write {place}", why=io_reason(error), fix="set ALEXANDRIA_MODELS to a writable folder"
        ) from error
    return calibration


def answers(text: str, quotes: Sequence[str]) -> bool:
    """Return whether a text holds the first or the second half of one of the quotes, by its letters."""
    letters = letters_of(text)
    for quote in map(letters_of, quotes):
        middle = len(quote) // 2
        if quote[: max(_LEAST_LETTERS, middle)] in letters or quote[middle:] in letters:
            return True
    return False


def _read(file: Path) -> list[tuple[str, list[str]]]:
    """Return the questions of a file with their quotes.

    Raises:
        ConfigError: it cannot be read, or a line is not as it should be.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [(str(row["question"]), [str(quote) for quote in row.get("quotes") or ()]) for row in rows]
    except OSError as error:
        raise ConfigError(f"cannot read {file}", why=io_reason(error), fix="check the path") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"cannot read the questions of {file}",
            why=str(error),
            fix='write a line {"question": "…", "quotes": ["…"]} for each',
        ) from error


def _fit(features: Sequence[tuple[float, ...]], right: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the coefficients of a logistic regression, the constant last, by Newton's method."""
    rows = np.column_stack([np.array(features), np.ones(len(features))])
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (likely - right) + _RIDGE * weights
        curve = (rows.T * (likely * (1 - likely))) @ rows + _RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return tuple(float(weight) for weight in weights.round(4))
