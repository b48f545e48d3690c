"""The protocol over HTTP, at the address of `alexandria serve`, with the official client."""

from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from alexandria import Library
from alexandria.serve.server import LibraryServer


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
