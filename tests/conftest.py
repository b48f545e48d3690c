"""Fixtures for all tests: no network, no user folders, the shared books where they are."""

import gc
import os
import pickle
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.readers import Readers

os.environ["HF_HUB_OFFLINE"] = "1"
# What a test reads must not depend on what is installed; the tests of scans turn it on.
os.environ["ALEXANDRIA_OCR"] = "off"
# As the command line does: in two processes of xdist, threads of OpenBLAS would wait busily for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Two threads of torch, with another test running, take 17 s of processor time for what one computes in 7.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A process of xdist has a terminal's size here, and rich would keep to it whatever size a test sets.
for _size in ("COLUMNS", "LINES"):
    os.environ.pop(_size, None)

ROOT = Path(__file__).parents[1]
# Kept between runs: converting the model takes longer than most tests. Processes that tests start use it too.
os.environ.setdefault("ALEXANDRIA_CACHE", str(ROOT / ".pytest_cache" / "alexandria"))
SAMPLES = ROOT / "samples"
SAMPLE_BOOKS = sorted(path for path in SAMPLES.iterdir() if path.name != "README.md")
# What every build reads; the readers of the other formats are annexes.
CORE_FORMATS = ("epub", "html", "pdf", "txt")
CORE_BOOKS = [path for path in SAMPLE_BOOKS if path.suffix[1:] in CORE_FORMATS]


def marks_of(file: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a test that reads a file of this name, or this format."""
    return [] if file.rpartition(".")[2] in CORE_FORMATS else [pytest.mark.annex]


EACH_SAMPLE = [pytest.param(path, id=path.name, marks=marks_of(path.name)) for path in SAMPLE_BOOKS]

# An embedded library waits for the disk at every step: opening one, writing a book and closing it takes 1.3 s
# on a disk and 0.2 s in memory. Less free memory might not hold the largest files of the tests.
_IN_MEMORY = Path("/dev/shm")
if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))

# A shell ignores Ctrl-C in what it runs in the background, and so would all processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A property fails by what it finds, not by the clock of a busy machine.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of torch first: one process of xdist then runs most of them. Importing it takes 10 s."""

    def needs_torch(item: pytest.Item) -> bool:
        return any("torch" in mark.kwargs.get("reason", "") for mark in item.iter_markers("skipif"))

    items.sort(key=needs_torch, reverse=True)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m shared`, import only files that hold such tests: the others take ten seconds a process."""
    is_other = (
        config.option.markexpr == "shared"
        and collection_path.name.startswith("test_")
        and collection_path.suffix == ".py"
        and "mark.shared" not in collection_path.read_text("utf-8")
    )
    return True if is_other else None


class _Empty(pytest.Module):
    def collect(self) -> list[pytest.Item | pytest.Collector]:
        return []


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """With `-m "not annex"`, import no file that is marked so as a whole: it imports what may be absent."""
    is_left_out = "not annex" in parent.config.option.markexpr and (
        "\npytestmark = pytest.mark.annex\n" in module_path.read_text("utf-8")
    )
    return _Empty.from_parent(parent, path=module_path) if is_left_out else None


def pytest_collection_finish() -> None:
    """Keep the garbage collector from visiting thousands of tests again and again: a tenth of the time."""
    gc.collect()
    gc.freeze()
    # What tests import later, torch above all, is visited again by each collection: let there be few.
    gc.set_threshold(20_000, 10, 50)
    # Each client of Qdrant copies the schemas of all requests, which takes nearly all of its start; some
    # tests start hundreds.
    schemas = sys.modules.get("qdrant_client.embed.schema_parser")
    if schemas is not None:
        vars(schemas)["deepcopy"] = lambda schema: pickle.loads(pickle.dumps(schema))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real books, `../shared/data` or `ALEXANDRIA_SHARED_DATA`; skips where it is absent."""
    folder = Path(os.environ.get("ALEXANDRIA_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the real books are not on this machine ({folder})")
    return folder


@pytest.fixture(scope="session", autouse=True)
def readers() -> Iterator["Readers"]:
    """Let readers take their processes from each other, in all tests and fixtures that do not pause this."""
    from tests.readers import Readers  # which imports the program: after the environment above is set

    shared = Readers()
    with pytest.MonkeyPatch.context() as patch:
        shared.serve(patch)
        yield shared
    shared.close()


# Not for the session: Playwright's event loop runs as long as the browser, and other tests run their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    """Chromium; the test is skipped, with the reason, where it is absent."""
    from tests.chromium import chromium_browser

    with chromium_browser() as browser:
        yield browser


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, used by this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(folder))
    return folder


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with three short books, ingested into the library `lib` beside it."""
    from tests.command import alexandria  # which imports the program: after the environment above is set

    folder = tmp_path / "shelf"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.txt").write_text(f"This is the book called {name}. It says {name} again.")
    assert alexandria("ingest", folder, "--store", tmp_path / "lib").returncode == 0
    return folder
