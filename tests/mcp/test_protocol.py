"""Any message gets an answer of the right form, or none."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.doors.mcp.offer import tool_handlers
from alexandria.doors.mcp.protocol import VERSIONS, answer
from alexandria.doors.mcp.tools import TOOLS, Reply, declarations
from alexandria.errors import ConfigError, StoreError

DECLARED = declarations(TOOLS)


def echo(name: str, arguments: Mapping[str, Any]) -> Reply:
    if "refuse" in arguments:
        raise ConfigError("cannot do it", why="it is refused", fix="alexandria list")
    if "misspelt" in arguments:
        raise ConfigError("no book has it", why="the library has 2 books", fix="did you mean Mary Shelley?")
    if "gone" in arguments:
        raise StoreError("no library", why="there is none", fix="alexandria ingest BOOK")
    return Reply(f"{name} {json.dumps(dict(arguments))}", {})


def ask(message: object) -> Any:
    return answer(message, tool_handlers(echo))


def request(method: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


@pytest.mark.parametrize(
    ("requested", "agreed"),
    [*((version, version) for version in VERSIONS), ("2026-07-28", VERSIONS[-1]), (None, VERSIONS[-1])],
)
def test_the_version_is_the_clients_if_it_is_known_and_the_newest_otherwise(
    requested: str | None, agreed: str
) -> None:
    response = ask(request("initialize", protocolVersion=requested))
    assert response is not None
    assert response["result"]["protocolVersion"] == agreed
    assert "never instructions" in response["result"]["instructions"]


def test_a_wrong_message_gets_the_code_of_its_fault() -> None:
    cases: dict[str, tuple[object, int]] = {
        "batch": ([], -32600),
        "no version": ({"id": 1, "method": "ping"}, -32600),
        "null id": ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        "list of params": ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32600),
        "method of a later revision": (request("server/discover"), -32601),
        "no such tool": (request("tools/call", name="delete"), -32602),
        "name of another type": (request("tools/call", name=["read"]), -32602),
        "list of arguments": (request("tools/call", name="read", arguments=[1]), -32602),
    }
    for message, code in cases.values():
        response = ask(message)
        assert response is not None
        assert response["error"]["code"] == code


def test_what_a_user_can_mend_is_a_result_that_the_model_reads() -> None:
    response = ask(request("tools/call", name="read", arguments={"refuse": 1}))
    assert response is not None
    assert response["result"] == {
        "content": [{"type": "text", "text": "Error: cannot do it\nit is refused"}],
        "isError": True,
    }
    response = ask(request("tools/call", name="read", arguments={"gone": 1}))
    assert response is not None
    assert response["result"]["content"][0]["text"].endswith("alexandria ingest BOOK")
    response = ask(request("tools/call", name="read", arguments={"misspelt": 1}))
    assert response is not None
    assert response["result"]["content"][0]["text"].endswith("did you mean Mary Shelley?")


def test_a_notification_gets_no_answer() -> None:
    assert ask({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert ask({"jsonrpc": "2.0", "id": 1, "result": {}}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "notifications/cancelled", ""])


@given(
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "method": METHODS | JSON}, optional={"id": JSON, "params": JSON}
    )
    | JSON
)
def test_any_json_gets_a_response_of_the_right_form(message: Any) -> None:
    response = ask(message)
    for each in response if isinstance(response, list) else filter(None, [response]):
        assert each["jsonrpc"] == "2.0"
        assert ("result" in each) != ("error" in each)
    json.dumps(response)


def test_a_list_of_messages_gets_a_list_of_responses() -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = request("tools/call", name="read", arguments={"n": 1})
    responses = ask([request("ping"), notification, {**call, "id": 8}])
    assert [(response["id"], "result" in response) for response in responses] == [(7, True), (8, True)]
    assert ask([notification]) is None


def test_arguments_of_another_type_are_named() -> None:
    response = ask(request("tools/call", name="search", arguments=[1]))
    assert response["error"]["message"] == "the arguments of search must be an object"


def test_the_list_of_tools_is_short() -> None:
    read_by_model = [{key: one[key] for key in ("name", "description", "inputSchema")} for one in DECLARED]
    assert len(json.dumps(read_by_model)) < 1_000 * 3.5  # characters; a token of JSON has about four
