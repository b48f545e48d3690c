"""The protocol over HTTP, at the address of `alexandria serve`, with the official client."""

import json
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from alexandria import Library
from alexandria.doors.web.server import LibraryServer


def test_the_official_client_calls_a_tool_over_http(folder: Path) -> None:
    anyio, mcp = pytest.importorskip("anyio"), pytest.importorskip("mcp")
    from mcp.client import streamable_http

    names = "streamable_http_client", "streamablehttp_client"  # 2.x has renamed it
    connected: Any = next(getattr(streamable_http, name) for name in names if hasattr(streamable_http, name))

    async def converse(address: str) -> str:
        async with connected(f"{address}mcp") as streams, mcp.ClientSession(*streams[:2]) as session:
            await session.initialize()
            answer = await session.call_tool("search", {"query": "a lamp", "limit": 1})
            return str(answer.content[0].text)

    with Library(folder) as library, LibraryServer(library) as server:
        thread = Thread(target=server.run)
        thread.start()
        try:
            text = anyio.run(converse, server.address)
        finally:
            server.stop()
            thread.join()
    assert text.startswith("1. ")
    assert "\n> " in text


PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


def post(library: Library, body: bytes, chunks: int = 0, **headers: str) -> tuple[int, bytes]:
    """Return the status and the body of the answer to a message; with `chunks`, it is sent in so many."""
    with LibraryServer(library) as server:
        thread = Thread(target=server.run)
        thread.start()
        try:
            url = urlsplit(server.address)
            connection = HTTPConnection(str(url.hostname), url.port)
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            step = -(-len(body) // chunks) if chunks else 0
            parts = (body[i : i + step] for i in range(0, len(body), step)) if chunks else body
            connection.request(
                "POST",
                f"{url.path}mcp",
                parts,
                {"Content-Type": "application/json", **sent},
                encode_chunked=bool(chunks),
            )
            response = connection.getresponse()
            answer = response.status, response.read()
            connection.close()
            return answer
        finally:
            server.stop()
            thread.join()


def test_a_body_in_chunks_is_read(folder: Path) -> None:
    with Library(folder) as library:
        chunked = {"Transfer_Encoding": "chunked"}
        assert post(library, PING, 4, **chunked) == (200, b'{"jsonrpc": "2.0", "id": 1, "result": {}}')
        assert post(library, b" " * (1 << 21), 2, **chunked)[0] == 413


@pytest.mark.parametrize(
    ("version", "status"), [("2025-11-25", 200), ("2024-11-05", 200), ("1900-01-01", 400), ("", 400)]
)
def test_an_unknown_version_of_the_protocol_is_refused(folder: Path, version: str, status: int) -> None:
    with Library(folder) as library:
        assert post(library, PING, Mcp_Protocol_Version=version)[0] == status


def test_a_list_of_messages_is_answered_in_the_revisions_that_have_it(folder: Path) -> None:
    both = b"[%b, %b]" % (PING, PING.replace(b"1", b"3"))
    with Library(folder) as library:
        status, body = post(library, both, Mcp_Protocol_Version="2025-03-26")
        assert (status, [each["id"] for each in json.loads(body)]) == (200, [1, 3])
        assert post(library, both, Mcp_Protocol_Version="2025-11-25")[0] == 400
