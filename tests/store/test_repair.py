"""A library that has lost its marker is recognised, and marked again."""

from pathlib import Path

import pytest

from alexandria.errors import StoreError
from alexandria.library import Library
from alexandria.store.folder import MARKER
from tests.command import alexandria

KINDS = pytest.mark.parametrize(
    ("prefix", "place"), [("", "library/books"), ("local:", "library")], ids=["edge", "local"]
)


def made(tmp_path: Path, prefix: str) -> str:
    """Return the address of a library with one book."""
    book = tmp_path / "lighthouse.txt"
    book.write_text("Chapter 1\n\nThe lamp was lit at dusk. Nobody came.\n")
    address = f"{prefix}{tmp_path / 'library'}"
    with Library(address) as library:
        library.ingest(book, options={"model": "hashing"})
    return address


@KINDS
@pytest.mark.parametrize("content", [None, b"", b"{}", b"[1]", b"\xff"], ids=repr)
def test_a_lost_marker_is_named_and_made_again(
    tmp_path: Path, prefix: str, place: str, content: bytes | None
) -> None:
    address = made(tmp_path, prefix)
    marker = tmp_path / place / MARKER
    expected = marker.read_text()
    marker.unlink() if content is None else marker.write_bytes(content)
    with (
        pytest.raises(StoreError, match="not a library of Alexandria as it is") as caught,
        Library(address) as library,
    ):
        library.books()
    assert caught.value.fix == f"alexandria repair --store {address}"
    with Library(address) as library:
        library.repair()
        assert marker.read_text() == expected
        assert [record.title for record in library.books()] == ["lighthouse"]
        assert not library.verify().findings


def test_a_whole_library_is_left_as_it_is(tmp_path: Path) -> None:
    with Library(made(tmp_path, "")) as library:
        repaired = library.repair()
        assert (repaired.binding, repaired.mended, repaired.checked.findings) == (None, (), ())


def test_a_folder_of_something_else_is_not_marked(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "notes.txt").touch()
    with Library(tmp_path) as library, pytest.raises(StoreError, match="no library of Alexandria"):
        library.repair()
    assert not (tmp_path / "books" / MARKER).exists()


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    address = made(tmp_path, "")
    (tmp_path / "library" / "books" / MARKER).unlink()
    done = alexandria("repair", "--store", address)
    assert done.returncode == 0
    assert "alexandria.json was written again: hashing" in done.stderr
