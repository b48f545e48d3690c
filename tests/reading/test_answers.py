"""The answer of a reader is data: nothing in it can run."""

import io
import os
import pickle
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import Book, PagePicture
from alexandria.errors import AlexandriaError, BookError, Code, ConfigError
from alexandria.extract import extract
from alexandria.extract.isolated.answers import load_answer
from alexandria.extract.scans import ScannedPage, ScannedWord
from tests.conftest import SAMPLES
from tests.pickles import as_python_3_11_0


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_every_book_comes_through_unchanged(sample: Path) -> None:
    book = extract(sample)
    assert load_answer(io.BytesIO(pickle.dumps(book))) == book


def test_an_error_comes_through_with_all_its_fields() -> None:
    for error in (BookError("w", why="y", fix="f", code=Code.DRM), ConfigError("w", why="y")):
        answer = load_answer(io.BytesIO(pickle.dumps(error)))
        assert isinstance(answer, AlexandriaError)
        assert (type(answer), answer.args) == (type(error), error.args)


PICTURE = PagePicture(width=2, height=1, pixels=bytes(6), letters="ab", boxes=bytes(32))


def test_a_picture_comes_through_unchanged() -> None:
    assert load_answer(io.BytesIO(pickle.dumps(PICTURE))) == PICTURE


def test_a_picture_that_is_not_what_it_says_is_refused() -> None:
    cases: list[dict[str, Any]] = [
        {"pixels": bytes(5)},
        {"width": 0},
        {"transform": (1, 0, 0, 1, 0, float("nan"))},
        {"transform": (1, 0, 0, 1, 0, 10**400)},
        {"letters": "abc"},
        {"letters": None},
        {"boxes": bytes(31)},
        {"boxes": [0.0] * 8},
        {"boxes": b"\xff" * 32},  # not numbers
    ]
    for fields in cases:
        with pytest.raises(pickle.UnpicklingError, match="a picture"):
            load_answer(io.BytesIO(pickle.dumps(replace(PICTURE, **fields))))


WORD = ScannedWord(
    "a", left=0, top=0, right=1, bottom=1, size=9.0, baseline=None, n_raised=0, confidence=90.0, line=0
)


def test_a_page_of_something_other_than_words_is_refused() -> None:
    cases: dict[str, dict[str, Any]] = {
        "huge": {"left": 10**400},
        "inf": {"size": float("inf")},
        "baseline": {"baseline": ""},
        "text": {"text": b"a"},
    }
    for fields in cases.values():
        page = ScannedPage(width=1, height=1, points_per_pixel=1.0, words=(WORD,))
        assert load_answer(io.BytesIO(pickle.dumps(page))) == page
        with pytest.raises(pickle.UnpicklingError, match="other than words"):
            load_answer(io.BytesIO(pickle.dumps(replace(page, words=(replace(WORD, **fields),)))))


def test_members_of_enums_come_through_from_every_version_of_python() -> None:
    book = extract(SAMPLES / "gull-rock.txt")
    packed = as_python_3_11_0(book)
    assert b"getattr" in packed
    assert load_answer(io.BytesIO(packed)) == book


def test_nothing_but_members_of_enums_is_reached_by_name() -> None:
    cases = [
        (Book, "__init__"),
        (Code, "mro"),
        (Code, "__init_subclass__"),
        (Code, ["DAMAGED"]),
        ("", "join"),
    ]
    for owner, name in cases:
        with pytest.raises(pickle.UnpicklingError, match="not a member of an enum"):
            load_answer(io.BytesIO(pickle.dumps(_Runs(getattr, owner, name))))


class _Runs:
    """Calls the function when it is unpickled."""

    def __init__(self, function: object, *words: object) -> None:
        self._call = (function, words)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self._call


def test_anything_else_is_refused() -> None:
    cases: dict[str, object] = {
        "os.system": _Runs(os.system, "true"),
        "subprocess": _Runs(subprocess.run, ["true"]),
        "eval": _Runs(eval, "1"),
        "string": "a string",
        "dict": {"a": 1},
        "none": None,
    }
    for planted in cases.values():
        with pytest.raises(pickle.UnpicklingError):
            load_answer(io.BytesIO(pickle.dumps(planted)))


def test_names_that_the_allowed_modules_import_are_refused() -> None:
    cases = ["re", "re.compile", "dataclass", "Any", "no_such_name", "_Position.append"]
    for name in cases:
        stream = b"\x80\x04\x8c\x0falexandria.book\x8c" + bytes([len(name)]) + name.encode() + b"\x93."
        with pytest.raises(pickle.UnpicklingError, match="not part of an answer"):
            load_answer(io.BytesIO(stream))


@given(st.binary(max_size=200))
def test_noise_raises_one_of_two_errors(noise: bytes) -> None:
    try:
        answer = load_answer(io.BytesIO(noise))
    except (pickle.UnpicklingError, EOFError):
        return
    assert isinstance(answer, Book)
