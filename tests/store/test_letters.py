"""The letters of a library: written with each book, swept with it, and made again where they are missing."""

import shutil
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.store import catalog
from alexandria.store.letter_files import LetterFiles
from tests.store.fake_server import FakeServer

TEXT = "To be, or not to be: that is the question. Whether it is nobler in the mind to suffer nobody knew.\n"
OTHER = "The tide comes in twice a day, and it leaves the boats in the mud.\n"
OPTIONS = {"model": "hashing"}


def letters_of(library: Path) -> list[Path]:
    return sorted(library.rglob("*.letters"))


@pytest.mark.parametrize("kind", ["", "local:"])
def test_each_book_has_its_letters_beside_the_catalog(tmp_path: Path, kind: str) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    (tmp_path / "two.txt").write_text(OTHER)
    with Library(f"{kind}{tmp_path / 'library'}") as library:
        library.ingest([tmp_path / "one.txt", tmp_path / "two.txt"], options=OPTIONS)
        records = library.books()
        assert {file.stem for file in letters_of(tmp_path)} == {record.generation for record in records}
        edited = library.edit("one", title="Once")
        assert edited.generation in {file.stem for file in letters_of(tmp_path)}
        library.remove("two")
        assert [file.stem for file in letters_of(tmp_path)] == [edited.generation]
        assert library.find("or not to be that is")[0].title == "Once"
        assert not library.find("the tide comes in").n_places


def test_where_another_version_has_written_they_are_made_and_swept(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    (tmp_path / "two.txt").write_text(OTHER)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "one.txt", options=OPTIONS)
    [file] = letters_of(tmp_path)
    stray = file.with_stem("0" * 40)
    file.rename(stray)  # as if the book had been replaced by one without letters
    with Library(tmp_path / "library") as library:
        assert library.find("or not to be that is").n_places == 1
        assert letters_of(tmp_path) == sorted([file, stray])
        library.ingest(tmp_path / "two.txt", options=OPTIONS)
    assert stray not in letters_of(tmp_path)
    assert len(letters_of(tmp_path)) == 2


def test_letters_of_one_book_are_not_taken_for_those_of_another(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    (tmp_path / "two.txt").write_text(OTHER)
    with Library(tmp_path / "library") as library:
        library.ingest([tmp_path / "one.txt", tmp_path / "two.txt"], options=OPTIONS)
    one, two = letters_of(tmp_path)
    shutil.copy(one, two)
    with Library(tmp_path / "library") as library:
        assert library.find("or not to be that is").n_places == 1
        assert library.find("the tide comes in twice").n_places == 1


def test_damaged_letters_are_found_and_made_again(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "one.txt", options=OPTIONS)
    [file] = letters_of(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"tobeornot", b"tobeandso"))
    with Library(tmp_path / "library") as library:
        [finding] = library.verify().findings
        assert (finding.book, finding.fix) == ("one", "alexandria repair")
        assert library.repair().checked.findings == ()
        assert library.find("to be or not to be").n_places == 1


@pytest.mark.parametrize("harm", [b"", b"{}\n", b"not letters at all"])
def test_what_are_no_letters_is_made_again(tmp_path: Path, harm: bytes) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "one.txt", options=OPTIONS)
    [file] = letters_of(tmp_path)
    file.write_bytes(harm)
    with Library(tmp_path / "library") as library:
        assert library.find("to be or not to be").n_places == 1


def test_a_full_disk_loses_no_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: LetterFiles, generation: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LetterFiles, "_write", refuse)
    (tmp_path / "one.txt").write_text(TEXT)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "one.txt", options=OPTIONS)
        assert library.find("to be or not to be").n_places == 1
    assert letters_of(tmp_path) == []


def test_letters_are_in_no_backup_and_a_copy_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "one.txt", options=OPTIONS)
        library.backup(tmp_path / "backup")
        n = len(letters_of(tmp_path))
        assert b".letters" not in (tmp_path / "backup").read_bytes()
        list(library.copy(tmp_path / "copy"))
    assert len(letters_of(tmp_path)) == n + 1
    shutil.rmtree(tmp_path / "library")
    with Library(tmp_path / "copy") as copy:
        assert copy.find("to be or not to be").n_places == 1


def test_a_client_of_a_server_keeps_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "one.txt").write_text(TEXT)
    with FakeServer() as server:
        with Library(server.url) as library:
            library.ingest(tmp_path / "one.txt", options=OPTIONS)
            assert library.find("to be or not to be").n_places == 1
        with Library(server.url) as library:
            assert library.find("that is the question").n_places == 1
    assert len(letters_of(tmp_path / "cache")) == 1


def test_what_is_not_ready_is_searched_by_words_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    for name, text in (("one", TEXT), ("two", OTHER), ("three", TEXT + OTHER)):
        (tmp_path / f"{name}.txt").write_text(text)
    with FakeServer() as server:
        with Library(server.url) as library:
            library.ingest([tmp_path / f"{name}.txt" for name in ("one", "two", "three")], options=OPTIONS)
        for file in letters_of(tmp_path / "cache"):
            file.unlink()
        with Library(server.url) as library:
            monkeypatch.setattr(catalog, "_PATIENCE", -1.0)
            places = library.find("whether it is nobler in the mind")
            assert (places.searched.n_books, places.searched.n_not_ready, places.n_places) == (0, 3, 2)
            assert (
                places.summary
                == "Stands at 2 places in 2 books: one, three; 3 other books not ready yet: ask again."
            )
            assert library.find("whether it is nobler in a minute").summary.startswith(
                "Not in 0 books (0 words)"
            )
            assert {hit.title for hit in library.search('"nobler in the mind"')} == {"one", "three"}
            monkeypatch.setattr(catalog, "_PATIENCE", 20.0)
            monkeypatch.setattr(catalog, "_SILENCE", -1.0)
            assert library.find("whether it is nobler in the mind").searched.n_not_ready == 0
            assert "are made once: 2 of 3 books, 0 MB in all" in caplog.text


def test_a_check_makes_all_that_it_needs_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    for name, text in (("one", TEXT), ("two", OTHER)):
        (tmp_path / f"{name}.txt").write_text(text)
    with FakeServer() as server:
        with Library(server.url) as library:
            library.ingest([tmp_path / f"{name}.txt" for name in ("one", "two")], options=OPTIONS)
        for file in letters_of(tmp_path / "cache"):
            file.unlink()
        monkeypatch.setattr(catalog, "_PATIENCE", -1.0)
        monkeypatch.setattr(catalog, "_SILENCE", -1.0)
        with Library(server.url) as library:
            report = library.check_text("He asks “whether it is nobler in the mind to suffer”.")
    assert [one.verdict for one in report.items] == ["exact"]
    assert len(letters_of(tmp_path / "cache")) == 2
    assert "are made once: 1 of 2 books" in caplog.text


def test_in_memory_they_are_made_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(TEXT)
    with Library(":memory:") as library:
        library.ingest(tmp_path / "one.txt", options=OPTIONS)
        assert library.find("to be or not to be").n_places == 1
        library.remove("one")
        (tmp_path / "two.txt").write_text(OTHER)
        library.ingest(tmp_path / "two.txt", options=OPTIONS)
        assert library.find("to be or not to be").n_places == 0
