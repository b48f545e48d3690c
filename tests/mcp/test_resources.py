"""Resources and prompts: what a client lists is what it can read."""

import re
from typing import Any

import pytest

from alexandria import Library
from alexandria.doors.mcp.offer import handlers
from alexandria.doors.mcp.protocol import answer
from alexandria.doors.mcp.tools import run_tool


@pytest.fixture
def ask(library: Library) -> Any:
    offered = handlers(lambda: library)

    def asked(method: str, **params: object) -> Any:
        return answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, offered)

    return asked


def test_every_book_is_a_resource_that_lists_its_chapters(ask: Any, library: Library) -> None:
    resources = ask("resources/list")["result"]["resources"]
    assert len(resources) == len(library.books())
    for resource in resources:
        (content,) = ask("resources/read", uri=resource["uri"])["result"]["contents"]
        assert content["uri"] == resource["uri"]
        assert content["text"].startswith(run_tool(library, "contents", {"book": resource["name"]}).text[:40])


def test_a_chapter_and_a_passage_are_read_by_their_addresses(ask: Any, library: Library) -> None:
    def read(uri: str) -> str:
        return str(ask("resources/read", uri=uri)["result"]["contents"][0]["text"])

    hit = library.search("how bees tell each other of flowers", limit=1).hits[0]
    assert read(f"alexandria://passage/{hit.short_id}").startswith(
        run_tool(library, "read", {"book": hit.short_id}).text[:200]
    )
    chapter = read("alexandria://book/quiet/chapter/Kitchen%20Window")
    assert "What the Kitchen Window Saw" in chapter


def test_a_long_resource_goes_on_at_the_address_that_it_ends_with(ask: Any, library: Library) -> None:
    uri, parts = "alexandria://book/quiet/chapter/Part%20One", []
    while uri:
        parts.append(ask("resources/read", uri=uri)["result"]["contents"][0]["text"])
        following = re.search(r"read (alexandria:\S+)\)$", parts[-1])
        uri = following[1] if following else ""
    whole = library.read("quiet", chapter="Part One")
    assert sum(part.count("[hit ") for part in parts) >= len(whole)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        pytest.param("resources/read", {"uri": "alexandria://shelf/1"}, -32002, id="another address"),
        pytest.param("resources/read", {"uri": "file:///etc/passwd"}, -32002, id="another scheme"),
        pytest.param("resources/read", {"uri": "alexandria://book/zzz"}, -32002, id="no such book"),
        pytest.param("resources/read", {"uri": "alexandria://[book/1"}, -32002, id="no address"),
        pytest.param("resources/read", {"uri": 5}, -32602, id="a number"),
        pytest.param("resources/list", {"cursor": "x"}, -32602, id="wrong cursor"),
        pytest.param("prompts/get", {"name": "nothing"}, -32602, id="no such prompt"),
        pytest.param("prompts/get", {"name": "answer"}, -32602, id="no question"),
    ],
)
def test_what_is_not_there_is_refused(ask: Any, method: str, params: dict[str, object], code: int) -> None:
    assert ask(method, **params)["error"]["code"] == code


def test_every_prompt_takes_its_arguments(ask: Any) -> None:
    prompts = ask("prompts/list")["result"]["prompts"]
    assert len(prompts) == 2
    for prompt in prompts:
        arguments = {argument["name"]: f"<{argument['name']}>" for argument in prompt["arguments"]}
        (message,) = ask("prompts/get", name=prompt["name"], arguments=arguments)["result"]["messages"]
        assert all(value in message["content"]["text"] for value in arguments.values())


def test_a_whole_number_may_be_written_with_a_point(library: Library) -> None:
    text = run_tool(library, "search", {"query": "bees", "limit": 2.0}).text
    assert text == run_tool(library, "search", {"query": "bees", "limit": 2}).text
