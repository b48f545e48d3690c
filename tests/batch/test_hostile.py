"""Every file of the hostile set, in one run, gets its error code, and has no other effect."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from alexandria.errors import AlexandriaError
from alexandria.extract.isolated.limits import Limits
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.options import ReadOptions
from alexandria.library.ingest.discovery import find_books
from tests.archives import unpack
from tests.batch.library import stored
from tests.conftest import ROOT, SAMPLES
from tests.readers import Readers

pytestmark = pytest.mark.shared

LONGEST = 20.0
"""Seconds that a file may take."""

REFUSED = {
    "binary-random.txt": "unsupported",
    "book.epub": "unsupported",  # a directory
    "dangling.epub": "not_found",
    "dev-zero.txt": "unsupported",
    "dir.pdf": "unsupported",
    "drm-adept.prince.epub": "drm",
    "drm-fairplay.prince.epub": "drm",
    "empty-spine.prince.epub": "damaged",
    "empty.epub": "empty",
    "empty.txt": "empty",
    "fifo.txt": "unsupported",
    "loop-a.txt": "unreadable",
    "loop-b.txt": "unreadable",
    "malformed-opf.prince.epub": "damaged",
    "missing-opf.prince.epub": "damaged",
    "no-text.prince.epub": "no_text",
    "plain-zip.epub": "unsupported",
    "png-as.txt": "unsupported",
    "random-bytes.pdf": "damaged",
    "truncated-50pct.russell.pdf": "damaged",
    "truncated-60pct.prince.epub": "damaged",
    "zip-bomb-one-1GB-chapter.epub": "too_large",
}
"""Not a book, protected, or unreadable."""

PARTIAL = {
    "bad-crc.prince.epub": "chapter-5",
    "billion-laughs-xhtml.prince.epub": "chapter-1",  # the text of the bomb is not text of the book
    "deep-nesting-3000.prince.epub": "chapter-1",
    "invalid-utf8-middle.txt": "invalid bytes",
    "spine-file-missing.prince.epub": "chapter-11",
    "tag-soup-chapter.prince.epub": "chapter-1",
    "zip-slip-dotdot.prince.epub": "etc/passwd",
}
"""Books that lose something, and what the warning names."""

WHOLE = {
    "  Café – “Émile” 📚 n°1 (copy).epub",
    "-rf --help.txt",
    "Book.EPUB",
    f"{'a' * 240}.txt",
    "chapter-utf16.prince.epub",
    "cp1250-croatian.txt",
    "epub-named.txt",
    "mixed-eol.alice.txt",
    "one-2MB-line.txt",
    "pdf-named.epub",
    "percent%s%n{0}{title}.txt",
    "percent-encoded-href.prince.epub",
    'quote\'s "double" & <tag>.txt',
    "utf16le-bom.alice.txt",
    "utf16le-nobom.alice.txt",
    "utf8-bom.alice.txt",
    "utf8-decomposed-croatian.txt",
    "xxe-opf.prince.epub",
}
"""Sound books, some of them with an odd name or the bytes of one that is stored already."""

UNREADABLE = {"unreadable.txt", "in.txt"}
"""Mode 000, which the superuser can read anyway."""


@pytest.fixture(scope="module")
def bad(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile set, with what an archive cannot hold: links, a pipe, a device, directories, mode 000."""
    folder = tmp_path_factory.mktemp("hostile")
    unpack(shared_data / "bad.tar.gz", folder)
    subprocess.run(["bash", shared_data / "make_specials.sh", folder / "bad", "hang"], check=True)
    return folder / "bad"


@dataclass(frozen=True)
class Run:
    """An ingest of the hostile set with a sound book in the middle, by the command."""

    outcomes: dict[str, dict[str, Any]]  # by the name of the file, as printed
    library: Path
    written: set[Path]  # what stood in the home and temporary folder of the user afterwards


@pytest.fixture(scope="module")
def run(bad: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Ingest the set; nothing but the library may be written."""
    home, library = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("made") / "library"
    slips = set(Path("/tmp").glob("alexandria-zip-slip*"))
    hostile, before = find_books([str(bad)]).files, tree(bad.parent)
    files = [*hostile[:20], SAMPLES / "the-quiet-trades.epub", *hostile[20:]]
    command = [
        sys.executable,
        "-m",
        "alexandria",
        "ingest",
        *map(str, files),
        "--store",
        str(library),
        "--json",
    ]
    environ = {**os.environ, "ALEXANDRIA_MODEL": "hashing", "PYTHONPATH": str(ROOT), "HOME": str(home)}
    environ |= {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(home)}
    done = subprocess.run(command, cwd=home, env=environ, capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stderr == b""
    assert tree(bad.parent) == before
    assert set(Path("/tmp").glob("alexandria-zip-slip*")) == slips
    printed = [json.loads(line) for line in done.stdout.splitlines()][:-1]  # the last line counts them
    outcomes = {name: one for one in printed if (name := Path(one["source"]).name) not in UNREADABLE}
    return Run(outcomes, library, {path for path in home.rglob("*") if path.is_file()})


def test_every_file_gets_its_code_or_its_warning(run: Run) -> None:
    outcomes = run.outcomes
    assert set(outcomes) == REFUSED.keys() | PARTIAL.keys() | WHOLE | {"the-quiet-trades.epub"}
    assert {name: one["error"]["code"] for name, one in outcomes.items() if one["error"]} == REFUSED
    for name, loss in PARTIAL.items():
        assert (outcomes[name]["status"], loss in outcomes[name]["warnings"][0]) == ("partial", True), name
    for name in {*WHOLE, "the-quiet-trades.epub"}:
        assert outcomes[name]["status"] in ("ingested", "unchanged"), name
        assert outcomes[name]["warnings"] == [], name


def test_every_refusal_says_why_and_what_to_do(run: Run) -> None:
    for name, outcome in run.outcomes.items():
        if error := outcome["error"]:
            assert error["why"], name
            assert error["fix"], name
            assert "bug in Alexandria" not in error["fix"], name


def test_no_file_takes_much_time_or_memory(
    bad: Path, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process that has read large books keeps some of their memory, and would add it to every file.
    monkeypatch.setattr(readers, "paused", True)
    slow, peaks = {}, {}
    with IsolatedReader(Limits()) as reader:
        for path in find_books([str(bad)]).files:
            began = time.monotonic()
            with suppress(AlexandriaError):
                reader.read(path, ReadOptions())
            if time.monotonic() - began > LONGEST:
                slow[path.name] = time.monotonic() - began
            if reader.pid is not None:
                peaks[path.name] = peak_bytes(reader.pid)
    assert slow == {}
    # A quarter of the limit: no file of the set is large enough to need more.
    assert max(peaks.values()) < Limits().memory_bytes / 4, peaks


def peak_bytes(pid: int) -> int:
    """Return the peak memory use of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10


def test_no_other_file_gets_into_a_book(run: Run) -> None:
    secrets = [line for line in Path("/etc/passwd").read_text().splitlines() if line]
    everything = json.dumps(list(stored(run.library).values()), ensure_ascii=False)
    assert [line for line in secrets if line in everything] == []
    assert "root:" not in everything


def test_nothing_is_written_but_the_library(run: Run) -> None:
    assert [path for path in run.written if ".cache/alexandria" not in str(path)] == []


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every path in a folder with its size and modification time."""
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become another user")
def test_unreadable_files_are_refused_to_other_users(bad: Path) -> None:
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "import alexandria.extract.one_file\n"  # while its file can be read
        "from alexandria.extract import content_id\n"
        "from alexandria.errors import BookError\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "try: content_id(Path(sys.argv[1]))\n"
        "except BookError as error: print(error.code, error.why)\n"
    )
    open_up(bad.parent)
    for name in ("unreadable.txt", "unreadable-dir/in.txt"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(bad / name)], capture_output=True, text=True, check=False
        )
        assert done.stdout.strip() == "unreadable permission denied", done.stderr


def open_up(folder: Path) -> None:
    """Make the folders of pytest passable for other users."""
    for parent in (folder, *folder.parents):
        if parent.owner() == "root" and parent != Path("/") and "pytest" in str(parent):
            parent.chmod(parent.stat().st_mode | 0o011)
