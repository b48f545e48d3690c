"""Strength for any model: fitted to questions, in the user's folder, and outside every library."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria import Library
from alexandria.errors import ConfigError
from alexandria.library.care.calibration import MIN_OF_EACH, calibrate_strength
from alexandria.library.search.reranking import Ranker
from alexandria.store.passage import Strength
from tests.command import alexandria as run
from tests.conftest import SAMPLES

ABSENT = [
    f"{word}ology" for word in ("quark", "muon", "boson", "gauge", "spinor", "tensor", "sheaf", "monad")
]
ABSENT += [
    f"{word}ometry" for word in ("lattice", "functor", "kernel", "mutex", "syscall", "lambda", "cohort")
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("shelf") / "library"
    books = [SAMPLES / "the-quiet-trades.epub", SAMPLES / "gull-rock.txt"]
    alexandria.ingest(books, store=store, options={"model": "hashing", "min_words": 60, "max_words": 150})
    return store


@pytest.fixture
def library(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("ALEXANDRIA_MODELS", str(tmp_path / "models"))
    with alexandria.open(made) as opened:
        yield opened


def questions_of(library: Library, file: Path, *, n_absent: int = len(ABSENT)) -> Path:
    """Write the beginnings of passages as questions, and others that nothing answers; return the file."""
    hits = [hit for word in ("the", "a", "of", "in", "he") for hit in library.search(word, limit=20)]
    texts = {hit.id: hit.text for hit in hits}
    rows = [{"question": text[:90], "quotes": [text[:200]]} for text in texts.values()]
    assert len(rows) >= MIN_OF_EACH
    rows += [{"question": f"{word} of {word}s", "quotes": []} for word in ABSENT[:n_absent]]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def test_a_model_is_judged_once_it_is_fitted(library: Library, tmp_path: Path) -> None:
    file = questions_of(library, tmp_path / "questions.jsonl")
    sure, unsure = json.loads(file.read_text().split("\n")[0])["question"], "entropy of entropies"
    assert library.search(sure)[0].strength is None
    fitted = library.calibrate(file)
    assert fitted.file.is_relative_to(tmp_path / "models")
    assert library.search(sure)[0].strength is Strength.STRONG
    assert library.search(unsure)[0].strength is Strength.WEAK
    assert library.search(sure, mode="sentences")[0].strength is not None
    assert library.search(unsure).doubts
    assert fitted.model == library.search(sure).model  # which has no other name now
    fitted.file.write_text("{")  # damaged: nothing is claimed
    assert library.search(sure)[0].strength is None


class Longest:
    """Ranks long passages first."""

    name = "longest@1"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([len(text) for text in texts], np.float32)


def test_a_cross_encoder_is_judged_by_a_fit_of_its_own(library: Library, tmp_path: Path) -> None:
    file = questions_of(library, tmp_path / "questions.jsonl")
    plain = library.calibrate(file)
    ranked = calibrate_strength(library._opened, file, Ranker(Longest(), 0.01))
    assert ranked.file != plain.file
    assert ranked.ranker == "longest@1"


def test_too_few_questions_are_refused(library: Library, tmp_path: Path) -> None:
    file = questions_of(library, tmp_path / "questions.jsonl", n_absent=3)
    with pytest.raises(ConfigError, match=f"3 do not; {MIN_OF_EACH} of each needed"):
        library.calibrate(file)
    with pytest.raises(ConfigError, match="cannot read"):
        library.calibrate(tmp_path / "none.jsonl")


def test_the_command_fits_a_library_or_measures_a_folder(library: Library, tmp_path: Path) -> None:
    file = questions_of(library, tmp_path / "questions.jsonl")
    done = run("models", "calibrate", "--questions", file, "--store", library.store)
    assert done.returncode == 0, done.stderr
    assert "now say strong, fair or weak" in done.stderr
    assert run("models", "calibrate").returncode == 2
    assert run("models", "calibrate", SAMPLES, "--questions", file).returncode == 2
