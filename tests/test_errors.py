"""The reason in an error message, and errors passed between processes."""

import pickle
from pathlib import Path

import pytest

from alexandria.errors import BookError, Code, ConfigError, StoreError, io_reason


def test_the_reason_is_the_system_message_in_lower_case_without_number_and_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        (tmp_path / "book.epub").read_bytes()
    assert io_reason(raised.value) == "no such file or directory"


def test_without_a_system_message_the_reason_is_the_error_itself() -> None:
    assert io_reason(OSError("Disk gone")) == "disk gone"


def test_for_text_in_another_encoding_the_reason_is_the_codec_s_message() -> None:
    with pytest.raises(UnicodeDecodeError) as raised:
        b"\xff".decode("utf-8")
    assert io_reason(raised.value).startswith("'utf-8' codec can't decode byte 0xff")


def test_an_error_is_pickled_with_everything_in_it() -> None:
    cases = [
        BookError("cannot read a", why="it is a directory", fix="check the path", code=Code.UNREADABLE),
        ConfigError("cannot read a", why="it is a directory", fix="check the path"),
        StoreError("cannot open a", why="it is a directory", fix="check the path"),
    ]
    for error in cases:
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert copy.args == error.args
        assert (copy.what, copy.why, copy.fix, copy.code) == (error.what, error.why, error.fix, error.code)
