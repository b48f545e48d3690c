"""Folders: which are opened, which are refused and left unchanged, and what a second process reports."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from alexandria.book.choices import Quantization
from alexandria.errors import ConfigError, StoreError
from alexandria.store import Server, open_store
from alexandria.store.edge import INDEXES
from alexandria.store.folder import EDGE, FORMAT, MARKER, create_folder
from alexandria.store.model_check import no_library_error
from tests.command import alexandria
from tests.pairs import by_pairs
from tests.store.examples import BINDING, book, point

KINDS = {"edge": "", "local": "local:"}


@contextmanager
def create_edge_staged(folder: Path) -> Iterator[None]:
    """Stop the creation of a library after its marker has been written."""
    with create_folder(folder) as staging:
        (staging / MARKER).write_text(json.dumps({"kind": EDGE}))
        yield


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("format_version", "why", "fix"),
    [
        (None, "made by a development version", "ingest the books again"),
        (0, "made by a development version", "ingest the books again"),
        ("1", "made by a development version", "ingest the books again"),
        (99, f"its format is 99, and this version reads {FORMAT}", "update Alexandria"),
    ],
)
@pytest.mark.parametrize("prefix", KINDS.values(), ids=KINDS)
def test_a_library_of_another_format_is_refused_by_name_and_left_unchanged(
    tmp_path: Path, prefix: str, format_version: object, why: str, fix: str
) -> None:
    open_store(f"{prefix}{tmp_path}", "books", BINDING).close()
    marker = tmp_path / MARKER if prefix else tmp_path / "books" / MARKER
    values = json.loads(marker.read_text())
    assert values.pop("format") == FORMAT
    marker.write_text(json.dumps(values if format_version is None else {**values, "format": format_version}))
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="cannot open the library at") as caught:
        open_store(f"{prefix}{tmp_path}", "books", BINDING)
    assert why in str(caught.value.why)
    assert fix in str(caught.value.fix)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("prefix", KINDS.values(), ids=KINDS)
def test_a_folder_with_other_files_is_refused_and_left_unchanged(tmp_path: Path, prefix: str) -> None:
    library = tmp_path / "library"
    (library / "books").mkdir(parents=True)
    (library / "books" / "diary.txt").write_text("private")
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="is not a library of Alexandria"):
        open_store(f"{prefix}{library}", "books", BINDING)
    assert snapshot(tmp_path) == before


def test_a_collection_that_is_being_created_is_not_there_yet(tmp_path: Path) -> None:
    with create_edge_staged(tmp_path / "books"), pytest.raises(StoreError) as missing:
        open_store(str(tmp_path), "books", None)
    assert missing.value.why == "nothing has been ingested there yet"
    open_store(str(tmp_path), "letters", BINDING).close()
    with pytest.raises(StoreError, match="no collection is called 'leters'") as misspelt:
        open_store(str(tmp_path), "leters", None)
    assert (misspelt.value.why, misspelt.value.fix) == (
        "the collections there are books, letters",
        "did you mean --collection letters?",
    )


def test_a_collection_created_between_two_looks_is_not_missing_by_its_own_name() -> None:
    assert no_library_error("library", "books", ["books"]).why == "nothing has been ingested there yet"


NAMES = [
    ("con", "device"),
    ("NUL.old", "device"),
    ("lpt1", "device"),
    ("C:", "':'"),
    ("a/b", "'/'"),
    ("a\\b", "cannot be part"),
    ("what?", "'?'"),
    ("books.", "end"),
    ("", "empty"),
    ("b" * 101, "101 characters"),
]


@by_pairs(("prefix", KINDS), ("name, why", NAMES))
def test_a_collection_whose_name_is_no_folder_everywhere_is_not_created(
    tmp_path: Path, prefix: str, name: str, why: str
) -> None:
    with pytest.raises(ConfigError, match="cannot name a collection") as caught:
        open_store(f"{prefix}{tmp_path / 'library'}", name, BINDING)
    assert why in (caught.value.why or "")
    assert not snapshot(tmp_path)


@pytest.mark.parametrize("name", ["console", "com10", "nul-1", "Bücher 2.1", "本"])
def test_other_names_of_collections_are_possible(tmp_path: Path, name: str) -> None:
    open_store(str(tmp_path), name, BINDING).close()
    assert (tmp_path / name / MARKER).exists()


def test_a_collection_that_has_an_impossible_name_already_is_opened(tmp_path: Path) -> None:
    open_store(str(tmp_path), "books", BINDING).close()
    (tmp_path / "books").rename(tmp_path / "aux")
    open_store(str(tmp_path), "aux", BINDING).close()


@pytest.mark.parametrize("prefix", KINDS.values(), ids=KINDS)
def test_an_empty_folder_becomes_a_library_where_nothing_may_be_moved_onto_a_folder(
    tmp_path: Path, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows."""
    move = Path.replace

    def move_elsewhere(path: Path, target: Path) -> Path:
        if target.is_dir():
            raise PermissionError(13, "Access is denied", str(target))
        return move(path, target)

    monkeypatch.setattr(Path, "replace", move_elsewhere)
    (tmp_path / "books").mkdir()
    open_store(f"{prefix}{tmp_path}{'/books' if prefix else ''}", "books", BINDING).close()
    assert (tmp_path / "books" / MARKER).exists()


@pytest.mark.parametrize(("created", "opened"), [("", "local:"), ("local:", "")], ids=["edge", "local"])
@pytest.mark.parametrize("binding", [BINDING, None], ids=["to write", "to read"])
def test_a_folder_of_the_other_kind_is_refused_and_left_unchanged(
    tmp_path: Path, created: str, opened: str, binding: object
) -> None:
    store = open_store(f"{created}{tmp_path / 'library'}", "books", BINDING)
    store.upsert(book("b1"))
    store.close()
    before = snapshot(tmp_path)
    with pytest.raises(StoreError):
        open_store(f"{opened}{tmp_path / 'library'}", "books", BINDING if binding else None)
    with pytest.raises(StoreError):
        open_store(f"{opened}{tmp_path / 'library' / 'books'}", "books", BINDING if binding else None)
    assert snapshot(tmp_path) == before


def test_the_refusal_of_a_local_folder_names_the_store_to_use(tmp_path: Path) -> None:
    open_store(f"local:{tmp_path}/library", "books", BINDING).close()
    with pytest.raises(StoreError) as caught:
        open_store(f"{tmp_path}/library", "books", BINDING)
    assert caught.value.fix == f"--store local:{tmp_path}/library"


def test_an_embedded_library_opened_as_another_kind_says_which_it_is(tmp_path: Path) -> None:
    open_store(str(tmp_path), "books", BINDING).close()
    open_store(str(tmp_path), "papers", BINDING).close()
    with pytest.raises(StoreError, match="as a library of kind qdrant-local") as caught:
        open_store(f"local:{tmp_path}", "books", None)
    assert caught.value.why == "it holds a library of kind qdrant-edge, the embedded one: books, papers"
    assert caught.value.fix.startswith(f"--store {tmp_path};")
    with pytest.raises(StoreError, match="as a library of kind qdrant-local") as caught:
        open_store(f"local:{tmp_path / 'books'}", "books", None)
    assert caught.value.fix == f"--store {tmp_path} --collection books"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books", "papers"]


def test_a_pickle_in_a_folder_without_our_marker_is_not_loaded(tmp_path: Path) -> None:
    library = tmp_path / "library"
    store = open_store(f"local:{library}", "books", BINDING)
    store.upsert(book("b1"))
    store.close()
    (library / MARKER).unlink()
    with pytest.raises(StoreError, match="is not a library"):
        open_store(f"local:{library}", "books", None)


@pytest.mark.parametrize(
    "marker", ["", "[]", "{}", '{"kind": "qdrant-edge"}', '{"kind": "qdrant-edge", "colour": 1}', "\udcff"]
)
def test_a_damaged_marker_is_reported(tmp_path: Path, marker: str) -> None:
    open_store(str(tmp_path), "books", BINDING).close()
    (tmp_path / "books" / MARKER).write_bytes(marker.encode(errors="surrogateescape"))
    with pytest.raises(StoreError, match=r"cannot open|is not a library"):
        open_store(str(tmp_path), "books", BINDING)


def test_the_marker_names_kind_encoder_and_schema(tmp_path: Path) -> None:
    open_store(str(tmp_path), "books", BINDING).close()
    marker = json.loads((tmp_path / "books" / MARKER).read_text())
    bound = {"encoder": "test", "dim": 4, "schema_version": 5}
    assert marker == {"kind": "qdrant-edge", "format": FORMAT, **bound}


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for prefix in KINDS.values():
        with pytest.raises(StoreError, match=r"cannot (create|open) a library"):
            open_store(f"{prefix}{tmp_path / 'file' / 'library'}", "books", BINDING)


def test_two_collections_share_a_folder(tmp_path: Path) -> None:
    for prefix in KINDS.values():
        where = f"{prefix}{tmp_path / (prefix[:-1] or 'edge')}"
        for name in ("books", "papers"):
            store = open_store(where, name, BINDING)
            store.upsert(book(name))
            store.close()
        assert open_store(where, "papers", None).generations() == {"papers-g": 3}


_IN_A_PROCESS = """
import json, sys
from alexandria.doors.cli import main
from alexandria.store import sharing

sharing.READER_SECONDS = 0.5  # in place of a minute
for words in json.loads(sys.argv[1]):
    sys.argv = ["alexandria", *words]
    try:
        main()
    except SystemExit as end:
        print("exit code", end.code)
"""


@pytest.mark.parametrize("prefix", KINDS.values(), ids=KINDS)
def test_a_second_process_says_who_has_the_library_open_and_exits_with_5(tmp_path: Path, prefix: str) -> None:
    where = f"{prefix}{tmp_path / 'library'}"
    book_file = tmp_path / "book.txt"
    book_file.write_text("Chapter 1\n\nIt was a dark night. The wind was up.\n")
    ingest = ["ingest", str(book_file), "--store", where]
    assert alexandria(*ingest).returncode == 0
    store = open_store(where, "books", None)
    commands = [["list", "--store", where], ["search", "wind", "--store", where], ingest]
    command = [sys.executable, "-c", _IN_A_PROCESS, json.dumps(commands)]
    environ = {**os.environ, "ALEXANDRIA_MODEL": "hashing"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=True)
    assert done.stdout.splitlines() == ["exit code 5"] * 3
    assert len(re.findall(rf"why: .+ \(pid {os.getpid()}\) has had it open since 20\d\d-", done.stderr)) == 3
    assert "Traceback" not in done.stderr
    store.close()
    assert alexandria("list", "--store", where).returncode == 0


@pytest.mark.parametrize("prefix", KINDS.values(), ids=KINDS)
def test_folders_that_killed_processes_left_unfinished_are_deleted_and_others_kept(
    tmp_path: Path, prefix: str
) -> None:
    library = tmp_path / "library"
    place = tmp_path if prefix else library
    name = "library" if prefix else "books"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, living = (place / f".{name}.{pid}.new" for pid in (ended.pid, os.getppid()))
    for left in (dead, living):
        left.mkdir(parents=True)
    open_store(f"{prefix}{library}", "books", BINDING).close()
    assert not dead.exists()
    assert living.exists()


def test_the_unfinished_folder_of_another_user_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int, signal: int) -> None:
        raise PermissionError(pid)

    (tmp_path / "library" / ".books.1.new").mkdir(parents=True)
    monkeypatch.setattr("alexandria.store.folder.os.kill", refuse)
    open_store(str(tmp_path / "library"), "books", BINDING).close()
    assert (tmp_path / "library" / ".books.1.new").exists()


@pytest.mark.parametrize(
    "server",
    [Server(compat=("mcp",)), Server(shards=2), Server(replicas=2), Server(quantization=Quantization.SCALAR)],
    ids=["compat", "shards", "replicas", "quantization"],
)
def test_options_that_need_a_server_are_refused_for_a_folder(tmp_path: Path, server: Server) -> None:
    with pytest.raises(ConfigError, match=r"embedded library"):
        open_store(str(tmp_path / "library"), "books", BINDING, server)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("prefix", KINDS.values(), ids=KINDS)
def test_a_program_may_change_its_folder_while_a_library_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    store = open_store(f"{prefix}library", "books", BINDING)
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.upsert([point(1)])
    store.close()
    assert not list((tmp_path / "elsewhere").iterdir())
    store = open_store(f"{prefix}../library", "books", None)
    assert store.count() == 1
    store.close()


def test_a_new_library_maps_its_indexes_instead_of_loading_them(tmp_path: Path) -> None:
    open_store(str(tmp_path), "books", BINDING).close()
    points = tmp_path / "books" / "points"
    config = json.loads((points / "edge_config.json").read_text())
    assert config["sparse_vectors"]["bm25"]["memory"] == "cached"
    (indexes,) = (
        json.loads(file.read_text()) for file in points.glob("segments/*/payload_index/config.json")
    )
    kinds = indexes["indexed_fields"]
    assert {key: kinds[key]["memory"] for key in kinds} == dict.fromkeys(INDEXES, "cold")


def test_a_large_folder_of_local_mode_is_opened_and_written_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    from qdrant_client.common import client_warnings
    from qdrant_client.local.local_collection import LocalCollection
    from qdrant_client.local.qdrant_local import QdrantLocal

    monkeypatch.setattr(client_warnings, "SEEN_MESSAGES", set())
    for kind in (LocalCollection, QdrantLocal):
        monkeypatch.setattr(kind, "LARGE_DATA_THRESHOLD", 1)
    for binding in (BINDING, None):
        store = open_store(f"local:{tmp_path / 'library'}", "books", binding)
        store.upsert(book("b1"))
        store.close()
    assert not [warning for warning in recwarn if "Local mode" in str(warning.message)]


def test_a_store_that_is_closed_does_not_open_its_points_again(tmp_path: Path) -> None:
    """Without the lock: another process may have them open."""
    store = open_store(str(tmp_path / "library"), "books", BINDING)
    reading = store.payloads({})
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.count()
    with pytest.raises(StoreError, match="is closed"):
        next(reading)
