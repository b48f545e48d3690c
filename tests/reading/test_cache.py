"""A book is read once, and its cache entry is never trusted."""

import os
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from alexandria.book.model import Book, Embeddings
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.embed.encoder import PlainEncoder
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, content_id, extract
from alexandria.extract.isolated import cache as book_cache
from alexandria.extract.isolated.cache import Attempt, CachedBooks
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.library.ingest import ingestor
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Status
from alexandria.library.ingest.run import ingest
from alexandria.library.location import open_catalog
from tests.command import alexandria
from tests.test_architecture import PACKAGE, imported

SAMPLES = sorted(
    path
    for path in (Path(__file__).parents[2] / "samples").iterdir()
    if path.suffix in {".epub", ".pdf", ".txt"}
)
BOOK = SAMPLES[0]
OPTIONS = ReadOptions()


class Reads:
    """Reads a file, and counts the reads."""

    def __init__(self, path: Path = BOOK, options: ReadOptions = OPTIONS) -> None:
        self.path, self.options, self.n = path, options, 0
        self.lacks_pages = False

    def __call__(self) -> Attempt:
        self.n += 1
        return Attempt(extract(self.path, self.options), lacks_pages=self.lacks_pages)

    def through(self, folder: Path) -> Book:
        return CachedBooks(self.options, folder).read(self.path, content_id(self.path), self)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_book_is_read_once_and_comes_back_unchanged(path: Path, tmp_path: Path) -> None:
    reads = Reads(path)
    first, again = reads.through(tmp_path), reads.through(tmp_path)
    assert reads.n == 1
    assert again == first == extract(path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda reads: setattr(reads, "options", ReadOptions(keep_matter=True)), id="options"),
        pytest.param(lambda reads: reads.path.write_bytes(reads.path.read_bytes() + b"\n"), id="bytes"),
        pytest.param(
            lambda reads: setattr(reads, "path", reads.path.rename(reads.path.with_stem("b"))), id="path"
        ),
    ],
)
def test_any_change_causes_another_read(change: Callable[[Reads], object], tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One sentence. Another one.\n\nA second paragraph, which is longer than the first.\n")
    reads = Reads(path)
    reads.through(tmp_path / "cache")
    change(reads)
    book = reads.through(tmp_path / "cache")
    assert reads.n == 2
    assert book.source == str(reads.path)


def modules_that_read() -> list[str]:
    """Return the files of `extract`, and of all that its code imports, directly or through others."""
    waiting = [
        ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
        for file in (PACKAGE / "extract").rglob("*.py")
    ]
    files: dict[str, None] = {}
    while waiting:
        place = PACKAGE.parent.joinpath(*waiting.pop().split("."))
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        name = file.relative_to(PACKAGE.parent).as_posix()
        if file.exists() and name not in files and file.parent != PACKAGE.parent:
            files[name] = None
            waiting += [name for name in imported(file.read_text()) if name.startswith("alexandria.")]
    return list(files)


def place_of(name: str) -> str:
    """Return the package or module of a file; a text file beside a module has its name."""
    return Path(name).parts[1].partition(".")[0]


def test_the_state_of_the_reader_covers_all_code_that_reads() -> None:
    covered = {f"alexandria/{name}" for name, _, _ in book_cache._file_states(PACKAGE)}
    files = set(modules_that_read())
    assert {"alexandria/book/people.py", "alexandria/extract/pdf/lines.py"} < files
    assert files <= covered
    assert all((PACKAGE / name).exists() for name in book_cache._CODE)
    # None of the packages is there that reads nothing.
    assert {place_of(name) for name in covered} == {place_of(name) for name in files}


def test_a_change_of_code_or_libraries_causes_another_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [
        tmp_path / "book" / "people.py",
        tmp_path / "extract" / "a.py",
        tmp_path / "extract" / "b" / "c.py",
        tmp_path / "extract" / "words" / "d.txt",
        tmp_path / "system" / "e.py",
    ]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("pass")
    before = book_cache._file_states(tmp_path)
    assert book_cache._file_states(tmp_path) == before
    for file in files:
        file.write_text("pass  # more")
        assert book_cache._file_states(tmp_path) != before
        before = book_cache._file_states(tmp_path)
    reads = Reads()
    for code in (("1", *before), ("2", *before)):
        monkeypatch.setattr(book_cache, "_reader_state", lambda code=code: code)
        reads.through(tmp_path / "cache")
    assert reads.n == 2


def _signed(packed: bytes) -> bytes:
    return sha256(packed).digest() + packed


class _Hostile:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("taken",)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[:-1], id="cut short"),
        pytest.param(lambda data: data[:-1] + bytes([data[-1] ^ 1]), id="one bit"),
        pytest.param(lambda data: _signed(b"not a pickle"), id="not a pickle"),
        pytest.param(lambda data: _signed(pickle.dumps(_Hostile())), id="code"),
        pytest.param(
            lambda data: _signed(pickle.dumps(BookError("a", why="b", fix="c", code=Code.EMPTY))),
            id="not a book",
        ),
    ],
)
def test_a_damaged_entry_is_replaced(
    damage: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reads = Reads()
    good = reads.through(tmp_path / "cache")
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    assert [reads.through(tmp_path / "cache") for _ in range(2)] == [good, good]
    assert reads.n == 2
    assert not (tmp_path / "taken").exists()


def test_an_encrypted_book_is_not_cached(tmp_path: Path) -> None:
    reads = Reads(options=replace(OPTIONS, password="secret"))
    reads.through(tmp_path)
    reads.through(tmp_path)
    assert (reads.n, list(tmp_path.iterdir())) == (2, [])


def test_a_failure_is_not_cached(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"GIF89a" + bytes(100))
    reads = Reads(path)
    for _ in range(2):
        with pytest.raises(BookError):
            reads.through(tmp_path / "cache")
    assert reads.n == 2


def test_a_book_that_lacks_pages_is_not_cached(tmp_path: Path) -> None:
    reads = Reads()
    for reads.lacks_pages, n in ((True, 1), (True, 2), (False, 3), (False, 3)):
        reads.through(tmp_path)
        assert reads.n == n


def _ingested(paths: Sequence[Path], store: Path, *, threshold: float, cache: bool) -> list[Status]:
    domain = load_domain(options={"threshold": threshold})
    encoder = load_encoder("hashing")
    with open_catalog(str(store), "books", encoder) as library:
        outcomes = list(ingest(paths, domain, encoder, library, RunOptions(cache=cache)))
    return [outcome.status for outcome in outcomes]


@pytest.mark.parametrize("cache", [True, False])
def test_another_threshold_starts_no_reader(
    cache: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    started: list[IsolatedReader] = []
    start = IsolatedReader.start

    def recorded(self: IsolatedReader) -> None:
        started.append(self)
        start(self)

    monkeypatch.setattr(IsolatedReader, "start", recorded)
    store = tmp_path / "store"
    for threshold in (0.5, 0.4):
        statuses = _ingested([BOOK], store, threshold=threshold, cache=cache)
        assert statuses == [Status.INGESTED]
    assert len(started) == (1 if cache else 2)


def test_inspect_caches_what_it_reads(tmp_path: Path) -> None:
    def run(*words: str) -> int:
        assert alexandria("inspect", BOOK, *words, env={"ALEXANDRIA_CACHE": str(tmp_path)}).returncode == 0
        return len(list(tmp_path.glob("books/*.book")))

    assert [run("--no-cache"), run(), run()] == [0, 1, 1]


class Recorder(PlainEncoder):
    """Hashes words, and records how many texts each call has."""

    def __init__(self) -> None:
        self._inside = load_encoder("hashing")
        self.name, self.dim = self._inside.name, self._inside.dim
        self.n_texts: list[int] = []

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.n_texts.append(len(texts))
        return self._inside.encode(texts)


@pytest.mark.parametrize("workers", [0, 1])
def test_the_model_is_loaded_while_a_file_is_read_unless_it_is_cached(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        ingestor, "_MAX_QUICK_SECONDS", 0.2
    )  # the process of a reader takes about that long to start
    read = IsolatedReader.read

    def slowly(self: IsolatedReader, path: Path, options: ReadOptions, *, keep_pages: bool) -> Book:
        time.sleep(0.5)
        return read(self, path, options, keep_pages=keep_pages)

    monkeypatch.setattr(IsolatedReader, "read", slowly)
    calls = []
    for threshold in (0.5, 0.4):
        encoder = Recorder()
        with open_catalog(str(tmp_path / "store"), "books", encoder) as library:
            domain = load_domain(options={"threshold": threshold})
            list(ingest([BOOK], domain, encoder, library, RunOptions(workers=workers)))
        calls.append(encoder.n_texts)
    first, again = calls
    assert first == [0, *again]
    assert len(again) == 1
    assert again[0] > 0
