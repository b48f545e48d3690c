"""What a client can ask of a library, by method: tools, resources and prompts."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from alexandria.doors.mcp.paging import inline
from alexandria.doors.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    NO_RESOURCE,
    Handler,
    Message,
    ProtocolError,
)
from alexandria.doors.mcp.tools import TOOLS, Reply, declarations, run_tool
from alexandria.errors import AlexandriaError, ConfigError

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary

Call = Callable[[str, Mapping[str, Any]], Reply]
"""Runs a tool by its name and arguments; raises AlexandriaError."""

AT_ONCE = frozenset(("tools/list", "prompts/list", "prompts/get", "resources/templates/list"))
"""Methods that need no library."""
_SCHEME = "alexandria"
_COMMAND = re.compile(r"\balexandria |--\w|\bpip |\$")
"""What only a person can do: run a command, or set an option or a variable."""
_BOOKS_PER_PAGE = 100
_CURSOR = re.compile(r'repeat the call with cursor "([\d.]+)"\)$')
_TEMPLATES = (
    ("book/{book}", "book", "The chapters of a book, named by its id or part of its title."),
    ("book/{book}/chapter/{chapter}", "chapter", "The text of a chapter, named by part of its heading."),
    ("passage/{hit}", "passage", "A passage and what comes after it, by the id of a hit."),
)
_PROMPTS: Mapping[str, tuple[str, Mapping[str, str], str]] = {
    "answer": (
        "Answer a question from the books, with citations.",
        {"question": "what to find out"},
        "Answer this question from the books of the library, and from nothing else: {question}\n\n"
        "Search for it, read on around the best passages, and cite what you use with author, title and page."
        " If the books do not answer it, say so. Before you give your answer, check it with check_quotations,"
        " and take back what differs or is not in the books.",
    ),
    "summarise": (
        "Summarise a chapter of a book.",
        {"book": "part of its title, or its id", "chapter": "part of its heading"},
        "Read the chapter “{chapter}” of “{book}” in the library to its end, and summarise it in its own"
        " order. Quote its most important sentence, with the page.",
    ),
}


def tool_handlers(call: Call) -> dict[str, Handler]:
    """Return the handlers of the tools, which `call` runs."""
    declared = declarations(TOOLS)
    names = {tool.name for tool in TOOLS}

    def run(params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or name not in names:
            raise ProtocolError(INVALID_PARAMS, f"there is no tool {str(name)[:100]}")
        if not isinstance(arguments or {}, dict):
            raise ProtocolError(INVALID_PARAMS, f"the arguments of {name} must be an object")
        try:
            reply = call(name, arguments or {})
            return {**_text_result(reply.text), "structuredContent": dict(reply.data)}
        except AlexandriaError as error:  # the model can read why
            return {**_text_result(_error_text(error)), "isError": True}

    return {"tools/list": lambda params: {"tools": declared}, "tools/call": run}


def handlers(get_library: "Callable[[], AnyLibrary]") -> dict[str, Handler]:
    """Return the handler of each method; `get_library` is called by those that need it."""
    return {
        **tool_handlers(lambda name, arguments: run_tool(get_library(), name, arguments)),
        "resources/list": lambda params: _list_books(get_library(), params.get("cursor")),
        "resources/templates/list": lambda params: {"resourceTemplates": _templates()},
        "resources/read": lambda params: _read_resource(get_library(), params.get("uri")),
        "prompts/list": lambda params: {"prompts": _declare_prompts()},
        "prompts/get": _get_prompt,
    }


def _list_books(library: "AnyLibrary", cursor: object) -> Message:
    """Return a page of the books as resources; the cursor is the number of books before it."""
    if cursor is not None and not (isinstance(cursor, str) and cursor.isdecimal() and len(cursor) < 10):
        raise ProtocolError(INVALID_PARAMS, "the cursor is not one of this list")
    start = int(cursor) if isinstance(cursor, str) else 0
    records = library.books()
    page = records[start : start + _BOOKS_PER_PAGE]
    resources = [
        {
            "uri": f"{_SCHEME}://book/{record.book_id[:16]}",
            "name": inline(record.title),
            "description": ", ".join(filter(None, (inline(record.author), f"{record.n_words:,} words"))),
            "mimeType": "text/plain",
        }
        for record in page
    ]
    end = start + len(page)
    return {"resources": resources, **({"nextCursor": str(end)} if end < len(records) else {})}


def _templates() -> list[Message]:
    return [
        {
            "uriTemplate": f"{_SCHEME}://{path}",
            "name": name,
            "description": description,
            "mimeType": "text/plain",
        }
        for path, name, description in _TEMPLATES
    ]


def _read_resource(library: "AnyLibrary", uri: object) -> Message:
    """Return the text of a resource, as the tools quote it; a long one ends with where it goes on.

    Raises:
        ProtocolError: there is no such resource, or the library cannot be read.
    """
    if not isinstance(uri, str):
        raise ProtocolError(INVALID_PARAMS, "uri must be a string")
    address, _, cursor = uri.partition("?cursor=")
    try:
        tool, arguments = _tool_of(address)
        text = run_tool(library, tool, {**arguments, "cursor": cursor}).text
    except ConfigError as error:
        raise ProtocolError(NO_RESOURCE, _error_text(error)) from error
    except AlexandriaError as error:
        raise ProtocolError(INTERNAL_ERROR, _error_text(error)) from error
    text = _CURSOR.sub(lambda match: f"read {address}?cursor={match[1]})", text)
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}


def _tool_of(address: str) -> tuple[str, dict[str, str]]:
    """Return the tool that reads a resource, and its arguments.

    Raises:
        ConfigError: no resource has such an address.
    """
    try:
        parts = urlsplit(address)
        segments = [unquote(segment) for segment in (parts.netloc + parts.path).split("/")]
    except ValueError:  # brackets that do not match
        segments = []
    match segments if address.startswith(f"{_SCHEME}://") else []:
        case ["book", book]:
            return "contents", {"book": book}
        case ["book", book, "chapter", chapter]:
            return "read", {"book": book, "chapter": chapter}
        case ["passage", hit]:
            return "read", {"book": hit}
    raise ConfigError(
        f"there is no resource {address[:100]}",
        why=f"resources are {', '.join(f'{_SCHEME}://{path}' for path, _, _ in _TEMPLATES)}",
    )


def _declare_prompts() -> list[Message]:
    return [
        {
            "name": name,
            "description": description,
            "arguments": [
                {"name": argument, "description": meaning, "required": True}
                for argument, meaning in arguments.items()
            ],
        }
        for name, (description, arguments, _) in _PROMPTS.items()
    ]


def _get_prompt(params: Message) -> Message:
    """Return a prompt with its arguments filled in.

    Raises:
        ProtocolError: there is no such prompt, or an argument is missing or not a string.
    """
    name, given = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or name not in _PROMPTS:
        raise ProtocolError(INVALID_PARAMS, f"there is no prompt {str(name)[:100]}")
    description, arguments, text = _PROMPTS[name]
    values = {argument: given.get(argument) if isinstance(given, dict) else None for argument in arguments}
    for argument, value in values.items():
        if not isinstance(value, str) or not value:
            raise ProtocolError(INVALID_PARAMS, f"the prompt {name} needs {argument!r}, a text")
    content = {"type": "text", "text": text.format(**values)}
    return {"description": description, "messages": [{"role": "user", "content": content}]}


def _error_text(error: AlexandriaError) -> str:
    # Without a fix that is a command or an option of one, which a model cannot run.
    is_command = isinstance(error, ConfigError) and _COMMAND.search(error.fix) is not None
    parts = [error.what, error.why, "" if is_command else error.fix]
    return "Error: " + "\n".join(part for part in parts if part)


def _text_result(text: str) -> Message:
    return {"content": [{"type": "text", "text": text}]}
