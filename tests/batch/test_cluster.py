"""A run on Ray gives the same library, even if a worker dies in the middle."""

import os
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from alexandria.book.model import Embeddings
from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import ConfigError
from alexandria.library.ingest.cluster import LOCAL, Cluster
from alexandria.library.ingest.discovery import find_books
from alexandria.library.ingest.events import Events
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.ingest.run import ingest
from tests.batch.library import ENCODER, digest, open_at, stored
from tests.command import alexandria
from tests.conftest import SAMPLES

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra `ray` is not installed"),
    pytest.mark.filterwarnings("default"),  # Ray leaves sockets and processes to be collected
]

BOOKS = list(find_books([SAMPLES]).files)
IN_TURN = RunOptions(workers=0, cache=False)
DOMAIN = load_domain(options={"model": "hashing"}, environ={})
CLUSTER = Cluster(LOCAL, HashingEncoder)


@pytest.fixture(autouse=True)
def ray_ends_with_the_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give Ray its own folder and little shared memory, and end it whether the test passes or not."""
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    monkeypatch.setenv(
        "RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES", str(80 << 20)
    )  # the minimum of Ray is 75 MiB
    # Not tmp_path: the path of a socket has at most 107 bytes.
    with TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("RAY_TMPDIR", folder)
        yield
        import ray

        ray.shutdown()


def summary(outcomes: list[Outcome]) -> list[object]:
    return [
        (outcome.source, outcome.status, outcome.book_id, outcome.n_chunks, outcome.remarks)
        for outcome in outcomes
    ]


def parent_of(process: Path) -> int:
    return int((process / "stat").read_text().rpartition(")")[2].split()[1])


def processes(name: bytes) -> Iterator[Path]:
    """Yield the folder in /proc of each descendant with that name: other users may run Ray here, too."""
    parents: dict[int, int] = {}
    named: list[Path] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = parent_of(process)
            if name in (process / "cmdline").read_bytes():
                named.append(process)
        except OSError:
            continue
    for process in named:
        above = int(process.name)
        while above := parents.get(above, 0):
            if above == os.getpid():
                yield process
                break


class _Mortal(HashingEncoder):
    """Kills its process in the middle of the third book, once."""

    def __init__(self, died: Path) -> None:
        super().__init__()
        self._died, self._n_texts = died, 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self._n_texts += 1
        if self._n_texts == 3 and not self._died.exists():
            self._died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(texts)


def kill_a_reader(killed: list[int], ended: threading.Event) -> None:
    """Kill the first task that reads."""
    while not killed and not ended.wait(0.02):
        for process in processes(b"ray::_read"):
            os.kill(int(process.name), signal.SIGKILL)
            killed.append(int(process.name))


def test_a_cluster_gives_the_same_library_as_any_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a separate cluster, which reports nothing to anybody and leaves signals alone."""
    monkeypatch.setenv("RAY_ADDRESS", "nowhere")
    before = signal.getsignal(signal.SIGTERM)
    reporters: list[bytes] = []

    def look(path: Path) -> None:
        reporters.extend(
            (process / "environ").read_bytes() for process in processes(b"/ray/dashboard/dashboard.py")
        )
        assert signal.getsignal(signal.SIGTERM) is before

    (tmp_path / "empty.txt").touch()
    files = [BOOKS[0], tmp_path / "empty.txt", *BOOKS, tmp_path / "gone.txt"]
    runs: dict[str, list[Outcome]] = {}
    for name, workers, cluster in (("serial", 0, None), ("two", 2, None), ("ray", 0, CLUSTER)):
        options, events = RunOptions(workers=workers, cache=False), Events(started=look)
        with open_at(tmp_path / name) as library:
            list(ingest(BOOKS[-2:], DOMAIN, ENCODER, library, IN_TURN))
            batch = ingest(files, DOMAIN, ENCODER, library, options, cluster=cluster, events=events)
            runs[name] = list(batch)
    assert summary(runs["ray"]) == summary(runs["two"]) == summary(runs["serial"])
    assert {outcome.status for outcome in runs["ray"]} == {Status.INGESTED, Status.UNCHANGED, Status.FAILED}
    assert len({digest(tmp_path / name) for name in runs}) == 1
    assert reporters
    assert all(b"\0RAY_USAGE_STATS_ENABLED=0\0" in b"\0" + environ for environ in reporters)


def test_killing_a_reader_and_an_encoder_changes_nothing(tmp_path: Path) -> None:
    died, killed, ended = tmp_path / "died", list[int](), threading.Event()
    killer = threading.Thread(target=kill_a_reader, args=(killed, ended))
    killer.start()
    try:
        with open_at(tmp_path / "ray") as library:
            cluster = Cluster(LOCAL, partial(_Mortal, died))
            outcomes = list(ingest(BOOKS, DOMAIN, ENCODER, library, cluster=cluster))
    finally:
        ended.set()
        killer.join()
    assert killed
    assert died.exists()
    with open_at(tmp_path / "serial") as library:
        assert summary(outcomes) == summary(list(ingest(BOOKS, DOMAIN, ENCODER, library, IN_TURN)))
    assert digest(tmp_path / "ray") == digest(tmp_path / "serial")


def mixed_shelf(folder: Path) -> Path:
    """Write a shelf whose folders name domains and options, and return a book in none of them."""
    for name, yaml, books in (
        ("one", "domain: philosophy\nmin_words: 60\n", ["the-quiet-trades.epub", "small-machines.pdf"]),
        ("two", "domain: history\n", ["weather-over-town.pdf"]),
        (".", "", ["gull-rock.txt", "winterapfel.txt"]),
    ):
        (folder / name).mkdir(exist_ok=True, parents=True)
        for book in books:
            shutil.copy(SAMPLES / book, folder / name)
        if yaml:
            (folder / name / "alexandria.yaml").write_text(yaml)
    return folder / "gull-rock.txt"


def test_the_command_gives_the_same_library_on_ray_as_without(tmp_path: Path) -> None:
    """Each book with its own settings: those of its folder, those it is stored with, or the default ones."""
    remembered = mixed_shelf(tmp_path / "shelf")
    for store, words in (("ray", ("--ray", "local")), ("alone", ())):
        for given in ((str(remembered), "-d", "literature"), (str(tmp_path / "shelf"), *words)):
            done = alexandria("ingest", *given, "--store", tmp_path / store)
            assert done.returncode == 0, done.stderr
    payloads = stored(tmp_path / "ray")
    assert payloads == stored(tmp_path / "alone")
    assert {Path(payload["source"]).name: payload["domain"] for payload in payloads.values()} == {
        "gull-rock.txt": "literature",
        "small-machines.pdf": "philosophy",
        "the-quiet-trades.epub": "philosophy",
        "weather-over-town.pdf": "history",
        "winterapfel.txt": "default",
    }


def test_an_address_without_a_cluster_is_refused(tmp_path: Path) -> None:
    with open_at(tmp_path) as library, pytest.raises(ConfigError, match="cannot reach a Ray cluster at 127"):
        list(ingest(BOOKS, DOMAIN, ENCODER, library, cluster=Cluster("127.0.0.1:1", HashingEncoder)))
