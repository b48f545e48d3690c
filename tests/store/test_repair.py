"""A library that has lost its marker is recognised, and marked again."""

from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.embed.graph.blueprint import Kind
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import ConfigError, StoreError
from alexandria.library.library import Library
from alexandria.store import open_store
from alexandria.store.folder import MARKER
from alexandria.store.repair import rewrite_marker
from tests.command import alexandria
from tests.embed.tiny import write_model

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
    assert "rewrote alexandria.json: hashing" in done.stderr


def test_a_marker_is_not_written_without_the_model_even_where_the_strategy_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    model = write_model(Kind.BERT, tmp_path / "tiny")
    book = tmp_path / "lighthouse.txt"
    book.write_text("The lamp was lit at dusk. Nobody came.\n")
    marker = tmp_path / "library" / "books" / MARKER
    with Library(tmp_path / "library") as library:
        library.ingest(book, options={"model": str(model)})
    expected = marker.read_text()
    marker.unlink()
    model.rename(tmp_path / "elsewhere")
    monkeypatch.setenv("ALEXANDRIA_STRATEGY", "recursive")
    with Library(tmp_path / "library") as library, pytest.raises(ConfigError, match=f"model {model}"):
        library.repair()
    assert not marker.exists()
    (tmp_path / "elsewhere").rename(model)
    with Library(tmp_path / "library") as library:
        library.repair()
    assert marker.read_text() == expected


def lose_payload(address: str, *, of_all: bool) -> None:
    """Take the payload from the first point of a library, or from all of its points."""
    store = open_store(address, "books", None)
    points = list(store.points({}))
    store.upsert([replace(point, payload={}) for point in (points if of_all else points[:1])])
    store.close()


def test_a_lost_marker_is_made_again_from_the_points_that_have_their_payload(tmp_path: Path) -> None:
    address = made(tmp_path, "")
    with Library(address) as library:
        (tmp_path / "two.txt").write_text("The keeper slept. The storm came at night.\n")
        library.ingest(tmp_path / "two.txt", options={"model": "hashing"})
    marker = tmp_path / "library" / "books" / MARKER
    expected = marker.read_text()
    lose_payload(address, of_all=False)
    marker.unlink()
    rewrite_marker(marker.parent, lambda *_: HashingEncoder())
    assert marker.read_text() == expected


def test_a_library_whose_points_have_all_lost_their_payload_is_not_called_empty(tmp_path: Path) -> None:
    address = made(tmp_path, "")
    lose_payload(address, of_all=True)
    folder = tmp_path / "library" / "books"
    (folder / MARKER).unlink()
    with pytest.raises(StoreError, match="no passage names the version") as caught:
        rewrite_marker(folder, lambda *_: HashingEncoder())
    assert "delete" not in caught.value.fix


@pytest.mark.parametrize("content", ["{", "{}", '{"vectors": []}'])
def test_with_damaged_settings_of_the_engine_the_model_says_how_long_vectors_are(
    tmp_path: Path, content: str
) -> None:
    made(tmp_path, "")
    marker = tmp_path / "library" / "books" / MARKER
    expected = marker.read_text()
    marker.unlink()
    (marker.parent / "points" / "edge_config.json").write_text(content)
    rewrite_marker(marker.parent, lambda *_: HashingEncoder())
    assert marker.read_text() == expected


def test_a_library_without_books_is_to_be_deleted(tmp_path: Path) -> None:
    address = made(tmp_path, "")
    with Library(address) as library:
        library.remove("lighthouse")
    folder = tmp_path / "library" / "books"
    (folder / MARKER).unlink()
    with pytest.raises(StoreError, match="it holds no book") as caught:
        rewrite_marker(folder, lambda *_: HashingEncoder())
    assert caught.value.fix == f"delete {folder}, and ingest again"
