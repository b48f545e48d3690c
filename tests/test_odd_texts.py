"""Texts that are none, through every door: each gets an answer or a sentence, never a fault."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import alexandria as package
from alexandria import Library
from alexandria.book.filters import filters
from alexandria.chunking.domains import load_domain
from alexandria.doors.mcp.tools import TOOLS, Tool, run_tool
from alexandria.doors.web.requests import Request
from alexandria.doors.web.routes import Site
from alexandria.errors import AlexandriaError, well_formed
from alexandria.library.ingest.options import RunOptions
from tests.command import alexandria
from tests.conftest import SAMPLES

TEXTS = {
    "a byte that is not UTF-8": "caf\udce9",
    "half an emoji": "\ud83d",
    "a null character": "a\0b",
    "a hundred kilobytes": "word " * 20_000,
    "a hundred kilobytes in one word": "w" * 100_000,
}
TOKEN, PORT = "t0ken", 8080

Door = Callable[[Library, Any], object]


def _filter(name: str, library: Library, text: Any) -> object:
    return library.search("bees", **{name: text})


def _call(tool: Tool, name: str, library: Library, text: Any) -> object:
    return run_tool(library, tool.name, {**dict.fromkeys(tool.required, "quiet"), name: text}).text


DOORS: dict[str, Door] = {
    "search": lambda library, text: library.search(text),
    "search by words": lambda library, text: library.search(text, mode="bm25"),
    "find": lambda library, text: library.find(text),
    "check": lambda library, text: library.check_text(text),
    "read": lambda library, text: library.read(text),
    "chapter": lambda library, text: library.read("quiet", chapter=text),
    "passage": lambda library, text: library.passage(text),
    "cite": lambda library, text: library.cite(text),
    "style": lambda library, text: library.cite(library.search("bees").hits[0], text),
    "book": lambda library, text: library.book(text),
    "books": lambda library, text: library.books(text),
    "contents": lambda library, text: library.contents(text),
    "explain": lambda library, text: library.explain(text),
    "remove": lambda library, text: library.remove(text),
    "edit": lambda library, text: library.edit("quiet", series=text),
    "ingest": lambda library, text: library.ingest(text, options={"model": "hashing"}),
    "store": lambda library, text: package.search("bees", store=text),
    "collection": lambda library, text: package.search("bees", store=library.store, collection=text),
    "chunk": lambda library, text: package.chunk(text, model="hashing"),
    "language of chunk": lambda library, text: package.chunk("One. Two.", model="hashing", language=text),
    **{f"filter {name}": partial(_filter, name) for name, _ in filters()},
    **{f"{tool.name} {name}": partial(_call, tool, name) for tool in TOOLS for name in tool.parameters},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("odd")
    with Library(place) as library:
        domain = load_domain(options={"model": "hashing"})
        list(library.ingest_files([SAMPLES / "the-quiet-trades.epub"], domain, RunOptions(workers=0)))
    return place


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with Library(folder) as opened:
        yield opened


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
def test_what_is_no_text_gets_an_answer_or_a_sentence(library: Library, door: Door) -> None:
    for given in (*TEXTS.values(), 5, b"x", ["x"]):
        with suppress(AlexandriaError):
            door(library, given)


@pytest.mark.parametrize("command", ["search", "find", "read", "show", "cite"])
def test_a_command_takes_bytes_that_are_not_utf8(folder: Path, command: str) -> None:
    done = alexandria(command, "caf\udce9 bees tell each other where the flowers are", "--store", folder)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "a bug" not in done.stderr


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_the_site_answers_an_odd_question(library: Library, text: str) -> None:
    site = Site(library, TOKEN, PORT)
    call = {"name": "search", "arguments": {"query": text}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    headers = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json"}
    assert site.respond(Request("POST", f"/{TOKEN}/mcp", headers, body)).status == 200
    query = "%ED%A0%BD" if text == "\ud83d" else text[:1000].encode("utf-8", "surrogateescape").hex("%")
    assert site.respond(Request("GET", f"/{TOKEN}/?q={query}", headers)).status in (200, 400, 404)


def test_halves_of_characters_are_replaced_and_pairs_joined() -> None:
    assert well_formed("caf\udce9 \ud83d \ud83d\ude00") == "caf\ufffd \ufffd \U0001f600"
    assert [chunk.text for chunk in package.chunk("Half \ud83d of it.", model="hashing")] == [
        "Half \ufffd of it."
    ]
