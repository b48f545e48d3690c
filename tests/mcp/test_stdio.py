"""The command `alexandria mcp`, with the official client and with bare lines."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command import alexandria


def run_lines(folder: Path, *messages: object) -> list[Mapping[str, Any]]:
    """Send lines to `alexandria mcp`, end its input, and return its answers."""
    lines = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in messages)
    done = alexandria("mcp", "--store", folder, typed=lines)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(id: int, method: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def test_every_line_is_answered_also_after_a_wrong_one(folder: Path) -> None:
    call = request(3, "tools/call", name="books", arguments={"filter": "gull"})
    answers = run_lines(folder, request(1, "initialize"), "{", "", call, request(4, "ping"))
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id[1]["result"]["serverInfo"]["name"] == "alexandria"
    assert by_id[None]["error"]["code"] == -32700
    assert by_id[3]["result"]["content"][0]["text"].startswith("1 book")
    assert by_id[4]["result"] == {}
    assert len(answers) == 4


@pytest.mark.parametrize("params", [{}, {"params": {}}, {"params": []}, {"params": {"requestId": [1]}}])
def test_a_notification_that_names_no_call_does_not_end_the_conversation(
    tmp_path: Path, params: dict[str, object]
) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", **params}
    assert run_lines(tmp_path, cancelled, request(1, "ping")) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_a_call_with_a_wrong_id_is_answered_too(tmp_path: Path) -> None:
    call = {**request(1, "tools/call", name="books"), "id": [1]}
    [answer] = run_lines(tmp_path, call)
    assert answer["error"]["code"] == -32600


def test_a_client_that_no_longer_reads_is_not_an_error(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-m", "alexandria", "mcp", "--store", tmp_path],
        input=json.dumps(request(1, "ping")) + "\n",
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_library_is_an_answer_not_an_end(tmp_path: Path) -> None:
    call = request(2, "tools/call", name="books")
    _, answer = run_lines(tmp_path / "none", request(1, "initialize"), call)
    assert answer["result"]["isError"]
    assert "alexandria ingest" in answer["result"]["content"][0]["text"]


def test_nothing_heavy_is_imported_before_the_first_answer() -> None:
    script = (
        "import sys, alexandria.doors.cli, alexandria.doors.mcp.stdio;"
        "print([m for m in ('numpy', 'openvino', 'qdrant_edge', 'pydantic', 'alexandria.library.library')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_official_client_lists_and_calls_and_an_ingest_is_not_held_up(
    folder: Path, tmp_path: Path
) -> None:
    """Another process adds a book while the server has the library open, and the server then shows it."""
    anyio, mcp = pytest.importorskip("anyio"), pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    shelf, store = tmp_path / "new.txt", tmp_path / "lib"
    shelf.write_text("A book about lighthouses. The lamp is lit at dusk.")
    assert alexandria("ingest", shelf, "--store", store).returncode == 0
    environment = {**os.environ, "ALEXANDRIA_MODEL": "hashing"}
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "alexandria", "mcp", "--store", str(store)], env=environment
    )

    async def converse() -> tuple[set[str], list[str]]:
        async with stdio_client(command) as (reads, writes), mcp.ClientSession(reads, writes) as session:
            await session.initialize()
            tools = await session.list_tools()
            texts = [(await session.call_tool("search", {"query": "a lamp"})).content[0].text]
            other = tmp_path / "other.txt"
            other.write_text("A book about tides. The water comes twice a day.")
            ingested = alexandria("ingest", other, "--store", store)
            assert ingested.returncode == 0, ingested.stderr
            texts.append((await session.call_tool("books", {})).content[0].text)
            return {tool.name for tool in tools.tools}, texts

    names, texts = anyio.run(converse)
    assert names >= {"search", "read", "contents", "books"}
    assert "> A book about lighthouses." in texts[0]
    assert texts[1].startswith("2 books")
