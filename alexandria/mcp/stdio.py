"""The protocol over standard input and output: one message per line."""

import json
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from alexandria.errors import AlexandriaError
from alexandria.mcp.protocol import INTERNAL_ERROR, PARSE_ERROR, Message, answer, failure
from alexandria.mcp.tools import TOOLS, declarations, run_tool

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary

_MAX_CALLS = 2
"""Calls of tools that run at the same time; others wait their turn."""


def serve_stdio(open_library: Callable[[], "AnyLibrary"]) -> None:
    """Answer messages until standard input ends.

    Args:
        open_library: returns the library; slow, so called once, in another thread, after the first answer.
    """
    sys.stdout.flush()
    # Answers go to a copy of standard output; whatever else is printed goes to standard error.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    messages = os.fdopen(os.dup(0), "rb")
    with answers, messages:
        try:
            _Conversation(open_library, answers).answer_all(messages)
        finally:
            os.dup2(answers.fileno(), 1)


class _Conversation:
    """The messages of one client: tools are called in threads, everything else is answered at once."""

    def __init__(self, open_library: Callable[[], "AnyLibrary"], answers: IO[bytes]) -> None:
        self._open_library, self._answers = open_library, answers
        self._library: AnyLibrary | None = None
        self._open_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._tools = declarations(TOOLS)
        self._cancelled: set[object] = set()

    def answer_all(self, messages: IO[bytes]) -> None:
        """Answer every line; calls of tools in other threads, so that other messages need not wait."""
        with ThreadPoolExecutor(_MAX_CALLS, "tool") as threads:  # its end waits for the last answers
            for line in messages:
                self._dispatch(line, threads)
        if self._library is not None:
            self._library.close()

    def _dispatch(self, line: bytes, threads: ThreadPoolExecutor) -> None:
        """Answer a message at once, or let a thread answer it if it calls a tool."""
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write(failure(None, PARSE_ERROR, "not valid JSON"))
            return
        method = message.get("method") if isinstance(message, dict) else None
        if method == "tools/call":
            threads.submit(self._call, message)
            return
        if method == "notifications/cancelled":
            with suppress(AttributeError, TypeError):  # a client may send anything
                self._cancelled.add(message["params"]["requestId"])
        self._write(answer(message, self._tools, self._run))
        if method == "initialize":
            threads.submit(self._preload)

    def _call(self, message: Message) -> None:
        """Call a tool and write its answer, unless the client has cancelled the call by then."""
        id = message.get("id")
        if id in self._cancelled:
            return
        try:
            response = answer(message, self._tools, self._run)
        except Exception as error:  # a bug in a tool must not end the conversation
            response = failure(id, INTERNAL_ERROR, f"this is a bug: {type(error).__name__}: {error}")
        if id not in self._cancelled:
            self._write(response)

    def _run(self, name: str, arguments: Any) -> str:
        return run_tool(self._get_library(), name, arguments)

    def _preload(self) -> None:
        """Open the library and load its model before the first question; if there is none yet, do nothing."""
        with suppress(AlexandriaError):
            self._get_library().prepare()

    def _get_library(self) -> "AnyLibrary":
        """Return the library, which the first thread to ask opens."""
        with self._open_lock:
            if self._library is None:
                self._library = self._open_library()
            return self._library

    def _write(self, message: Message | None) -> None:
        """Write a message on a line of its own; a notification has no answer, which is None."""
        if message is None:
            return
        line = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        with self._write_lock, suppress(BrokenPipeError):
            self._answers.write(line)
            self._answers.flush()
