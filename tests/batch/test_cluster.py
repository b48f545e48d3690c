"""On Ray the batch gives the same library, also where a worker dies in the middle."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria.batch import Outcome, Status, ingest
from alexandria.batch.cluster import LOCAL, Cluster
from alexandria.batch.discovery import find_books
from alexandria.config import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import ConfigError
from tests.batch.library import ENCODER, digest, open_at
from tests.conftest import SAMPLES

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # Ray leaves sockets and processes to be collected

BOOKS = list(find_books([SAMPLES]).files)
DOMAIN = load_domain(options={"model": "hashing"}, environ={})
CLUSTER = Cluster(LOCAL, HashingEncoder)


def told(outcomes: list[Outcome]) -> list[object]:
    return [(one.source, one.status, one.book_id, one.n_chunks, one.remarks) for one in outcomes]


def makers() -> Iterator[int]:
    """The processes that hold an encoder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::_Maker"):
            yield int(process.name)


def test_a_cluster_makes_the_library_that_one_process_makes(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    files = [BOOKS[0], tmp_path / "empty.txt", *BOOKS, tmp_path / "gone.txt"]
    with open_at(tmp_path / "serial") as library:
        serial = list(ingest(files, DOMAIN, ENCODER, library, workers=0))
    with open_at(tmp_path / "ray") as library:
        first = list(ingest(files, DOMAIN, ENCODER, library, cluster=CLUSTER))
        second = list(ingest(files, DOMAIN, ENCODER, library, cluster=CLUSTER))
    assert told(first) == told(serial)
    assert {one.status for one in second} == {Status.UNCHANGED, Status.FAILED}
    assert digest(tmp_path / "ray") == digest(tmp_path / "serial")


def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    killed: list[int] = []
    outcomes = []
    with open_at(tmp_path / "ray") as library:
        for outcome in ingest(BOOKS, DOMAIN, ENCODER, library, cluster=CLUSTER):
            outcomes += [outcome]
            if not killed:
                killed = list(makers())
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)
    assert killed
    with open_at(tmp_path / "serial") as library:
        assert told(outcomes) == told(list(ingest(BOOKS, DOMAIN, ENCODER, library)))
    assert digest(tmp_path / "ray") == digest(tmp_path / "serial")


def test_an_address_without_a_cluster_is_refused(tmp_path: Path) -> None:
    with open_at(tmp_path) as library, pytest.raises(ConfigError, match="cannot reach a Ray cluster at 127"):
        list(ingest(BOOKS, DOMAIN, ENCODER, library, cluster=Cluster("127.0.0.1:1", HashingEncoder)))
