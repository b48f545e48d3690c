"""Which files are read, which are skipped, and when those that arrive in a watched folder are whole."""

import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from alexandria.library.ingest.discovery import Discovery, arrivals, find_books
from tests.command import alexandria


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(discovery: Discovery) -> list[str]:
    return [str(path) for path in discovery.files]


def test_the_books_of_a_folder_and_its_subfolders_are_in_order(shelf: Path) -> None:
    put("s/b.EPUB", "s/a.txt", "s/deep/er/c.pdf", "s/a.htm", "s/deep/d.fb2")
    assert names(find_books(["s"])) == ["s/a.htm", "s/a.txt", "s/b.EPUB", "s/deep/d.fb2", "s/deep/er/c.pdf"]


def test_what_is_not_a_book_is_skipped_and_counted(shelf: Path) -> None:
    put(
        "s/.hidden.txt",
        "s/._resource.epub",
        "s/.git/x.txt",
        "s/__MACOSX/y.epub",
        "s/cover.jpg",
        "s/notes.json",
    )
    put("s/README.txt", "s/LICENSE.txt", "s/readme-first.html", "s/requirements.txt", "s/ok.txt")
    discovery = find_books(["s"])
    assert names(discovery) == ["s/ok.txt"]
    assert discovery.skipped == {"hidden": 2, "accompanying": 4, "not a book": 2}


@pytest.mark.parametrize(
    "name",
    [
        *("Reading.txt", "Licensed to Kill.txt", "News from Nowhere.txt", "The Manifesto.txt"),
        *("Manifestos.html", "News.epub", "Copying-Machines.pdf"),
    ],
)
def test_a_book_is_not_mistaken_for_junk(shelf: Path, name: str) -> None:
    put(f"s/{name}")
    assert names(find_books(["s"])) == [f"s/{name}"]


@pytest.mark.parametrize("name", [".hidden.txt", "README.txt", "notes.json", "no-suffix", "gone.txt"])
def test_a_file_named_on_the_command_line_is_always_included(shelf: Path, name: str) -> None:
    assert names(find_books([name])) == [name]


def test_a_directory_named_like_a_book_is_included_for_the_reader_to_refuse(shelf: Path) -> None:
    Path("s/folder.epub").mkdir(parents=True)
    assert names(find_books(["s"])) == ["s/folder.epub"]


def test_each_file_is_listed_once(shelf: Path) -> None:
    put("s/a.txt", "s/b.txt")
    assert names(find_books(["s/b.txt", "s", "s/a.txt"])) == ["s/b.txt", "s/a.txt"]


def test_links_to_folders_are_not_followed(shelf: Path) -> None:
    put("s/a.txt")
    Path("s/again").symlink_to(shelf / "s", target_is_directory=True)
    assert names(find_books(["s"])) == ["s/a.txt"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("s/*.epub", ["s/a.epub", "s/b.epub"]),
        ("s/**/*.epub", ["s/a.epub", "s/b.epub", "s/deep/c.epub"]),
        ("s/[ab].epub", ["s/a.epub", "s/b.epub"]),
        ("s/*.pdf", ["s/*.pdf"]),
    ],
    ids=["star", "below", "set", "nothing"],
)
def test_a_pattern_lists_its_matches(shelf: Path, pattern: str, expected: Iterable[str]) -> None:
    put("s/a.epub", "s/b.epub", "s/c.txt", "s/deep/c.epub")
    assert names(find_books([pattern])) == expected


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(shelf: Path) -> None:
    put("s/[1].txt", "s/1.txt")
    assert names(find_books(["s/[1].txt"])) == ["s/[1].txt"]


@pytest.mark.parametrize(
    ("listing", "expected"),
    [
        (b"a.txt\nb.txt\n", ["a.txt", "b.txt"]),
        (b"a.txt\r\nb.txt", ["a.txt", "b.txt"]),
        (b"a\nnew line.txt\0b.txt\0", ["a\nnew line.txt", "b.txt"]),
        (b"\n\n", []),
        (b"caf\xe9.txt\n", ["caf\udce9.txt"]),
        (b" leading.txt\n", [" leading.txt"]),
    ],
    ids=["lines", "CRLF", "zero bytes", "nothing", "not UTF-8", "space"],
)
def test_paths_are_read_from_standard_input(shelf: Path, listing: bytes, expected: list[str]) -> None:
    assert names(find_books(["-"], listing=io.BytesIO(listing))) == expected


def test_a_folder_in_a_list_is_searched_too(shelf: Path) -> None:
    put("s/a.txt")
    assert names(find_books(["-"], listing=io.BytesIO(b"s\nb.txt\n"))) == ["s/a.txt", "b.txt"]


def test_what_is_passed_over_is_named_with_a_fix_for_what_can_be_converted(tmp_path: Path) -> None:
    for name in ("a b.lit", "notes.rtf", "a.kfx", "cover.jpg", "README.md", "essay.md"):
        (tmp_path / name).touch()
    discovery = find_books([tmp_path])
    assert [path.name for path in discovery.files] == ["essay.md"]
    fixes = {one.path.name: one.fix for one in discovery.passed_over}
    assert set(fixes) == {"a b.lit", "notes.rtf", "a.kfx", "cover.jpg", "README.md"}
    assert f"ebook-convert '{tmp_path}/a b.lit' '{tmp_path}/a b'.epub" in fixes["a b.lit"]
    assert f"soffice --convert-to docx --outdir {tmp_path} {tmp_path}/notes.rtf" in fixes["notes.rtf"]
    assert "plugin KFX Input" in fixes["a.kfx"]
    assert fixes["cover.jpg"] == ""


def polls(
    folder: Path, *happen: Callable[[], object], on_gone: Callable[[], None] = lambda: None
) -> list[list[str]]:
    """Return what arrives while these things happen, one before each poll."""
    pending = list(happen)

    def stopped() -> bool:
        if not pending:
            return True
        pending.pop(0)()
        return False

    return [[path.name for path in files] for files in arrivals([folder], stopped, period=0, on_gone=on_gone)]


def nothing() -> None:
    """A poll without a change."""


def test_each_file_is_yielded_once(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "deep" / "b.epub"
    a.write_text("here from the start")
    b.parent.mkdir()
    assert polls(tmp_path, nothing, nothing, nothing, lambda: b.write_text("late"), nothing, nothing) == [
        ["a.txt"],
        ["b.epub"],
    ]


def test_a_file_that_is_still_growing_has_not_arrived(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"

    def grow() -> None:
        with a.open("a") as file:
            file.write("more")

    assert polls(tmp_path, grow, grow, grow) == []
    assert polls(tmp_path, nothing, grow, grow, nothing, nothing) == [["a.txt"]]


def test_a_changed_file_is_yielded_again_and_a_deleted_one_forgotten(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"
    a.write_text("one")
    arrived = polls(tmp_path, nothing, nothing, lambda: a.write_text("another"), nothing, a.unlink, nothing)
    assert arrived == [["a.txt"], ["a.txt"]]


def test_only_what_two_polls_in_a_row_do_not_see_is_gone(tmp_path: Path) -> None:
    a, calls = tmp_path / "a.txt", list[str]()

    def write() -> None:
        a.write_text("here")

    def watch(*happen: Callable[[], object]) -> int:
        calls.clear()
        polls(tmp_path, *happen, on_gone=lambda: calls.append("gone"))
        return len(calls)

    assert watch(write, a.unlink, write, nothing, a.unlink, write, nothing) == 0
    assert watch(write, a.unlink, nothing, nothing, nothing) == 1


@pytest.mark.parametrize(
    ("names", "read"),
    [
        pytest.param(["b.epub", "b.mobi", "b.azw3", "b.txt"], ["b.epub"], id="an EPUB keeps most"),
        pytest.param(["b.mobi", "b.docx", "b.html"], ["b.mobi"], id="without one, Kindle's"),
        pytest.param(["b.epub", "b.mobi", "b.pdf"], ["b.epub", "b.pdf"], id="a PDF has the pages"),
        pytest.param(["b.pdf"], ["b.pdf"], id="a PDF alone"),
        pytest.param(["b.EPUB", "b.Mobi"], ["b.EPUB"], id="suffixes in capitals"),
        pytest.param(["b.txt", "b.jpg"], ["b.txt"], id="text alone"),
        # Not the folder of one book: a file of Calibre's lies among others.
        pytest.param(["a.epub", "b.mobi"], ["a.epub", "b.mobi"], id="two books"),
    ],
)
def test_of_a_book_of_calibre_one_format_is_read_and_its_pdf(
    names: list[str], read: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "Author" / "Title (12)"
    folder.mkdir(parents=True)
    for name in [*names, "metadata.opf", "cover.jpg"]:
        (folder / name).write_text("x")
    found = find_books([tmp_path])
    assert sorted(file.name for file in found.files) == sorted(read)
    others = {item.path.name for item in found.passed_over if item.kind == "other format"}
    assert others == {name for name in names if not name.endswith("jpg")} - set(read)
    books = [name for name in names if not name.endswith("jpg")]
    assert sorted(file.name for file in find_books([tmp_path], all_formats=True).files) == sorted(books)
    named = folder / books[-1]
    assert find_books([named]).files == (named,)  # a file that is named is always read
    (folder / "metadata.opf").unlink()
    assert sorted(file.name for file in find_books([tmp_path]).files) == sorted(books)


def test_other_formats_are_said_and_read_when_asked(tmp_path: Path) -> None:
    folder = tmp_path / "shelf" / "Title (12)"
    folder.mkdir(parents=True)
    (folder / "metadata.opf").write_text("<package/>")
    (folder / "b.txt").write_text("The tide turns twice a day, says this book.")
    (folder / "b.md").write_text("# Tide\n\nThe tide turns twice a day, says this book.")
    words = ("ingest", tmp_path / "shelf", "--store", tmp_path / "lib", "--json")
    *books, last = map(json.loads, alexandria(*words).stdout.splitlines())
    assert [Path(book["source"]).name for book in books] == ["b.md"]
    (entry,) = [one for one in last["summary"]["passed_over"] if one["kind"] == "other format"]
    assert entry["fix"] == "--all-formats reads it, too"
    *books, last = map(json.loads, alexandria(*words, "--all-formats").stdout.splitlines())
    assert {Path(book["source"]).name: book["status"] for book in books} == {
        "b.md": "unchanged",
        "b.txt": "ingested",
    }
    # What is stored stays, also when folder and library are kept in step.
    alexandria(*words, "--sync")
    assert len(json.loads(alexandria("list", "--store", tmp_path / "lib", "--json").stdout)) == 2
