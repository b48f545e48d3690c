"""The protocol over standard input and output: a message per line."""

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
from alexandria.mcp.tools import TOOLS, declared_tools, run_tool

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary

_AT_ONCE = 2
"""Calls that run at the same time; others wait their turn."""


def serve_stdio(opened: Callable[[], "AnyLibrary"]) -> None:
    """Answer messages until standard input ends.

    Args:
        opened: returns the library, once; called in another thread, after the first answer, as it is slow.
    """
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not mix with the answers
    messages = os.fdopen(os.dup(0), "rb")
    with answers, messages:
        try:
            _Conversation(opened, answers).hold(messages)
        finally:
            os.dup2(answers.fileno(), 1)


class _Conversation:
    def __init__(self, opened: Callable[[], "AnyLibrary"], answers: IO[bytes]) -> None:
        self._opened, self._answers = opened, answers
        self._library: AnyLibrary | None = None
        self._opening, self._writing = threading.Lock(), threading.Lock()
        self._tools = declared_tools(TOOLS)
        self._cancelled: set[object] = set()

    def hold(self, messages: IO[bytes]) -> None:
        """Answer every line; those that call a tool in other threads, so that the others need not wait."""
        with ThreadPoolExecutor(_AT_ONCE, "tool") as threads:  # which waits for the last answers
            for line in messages:
                self._take(line, threads)
        if self._library is not None:
            self._library.close()

    def _take(self, line: bytes, threads: ThreadPoolExecutor) -> None:
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
            threads.submit(self._load)

    def _call(self, message: Message) -> None:
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
        return run_tool(self._get(), name, arguments)

    def _load(self) -> None:
        """Open the library and load its model before the first question, unless there is none yet."""
        with suppress(AlexandriaError):
            self._get().prepare()

    def _get(self) -> "AnyLibrary":
        with self._opening:
            if self._library is None:
                self._library = self._opened()
            return self._library

    def _write(self, message: Message | None) -> None:
        if message is None:
            return
        line = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        with self._writing, suppress(BrokenPipeError):
            self._answers.write(line)
            self._answers.flush()
