"""The protocol over standard input and output: one message per line."""

import json
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from alexandria.doors.mcp.offer import AT_ONCE, handlers
from alexandria.doors.mcp.protocol import INTERNAL_ERROR, PARSE_ERROR, Message, answer, failure
from alexandria.errors import AlexandriaError

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary

_MAX_CALLS = 2  # how many tools run at the same time; other calls wait their turn


def serve_stdio(open_library: Callable[[], "AnyLibrary"]) -> None:
    """Answer messages until standard input ends; meanwhile, what else is printed goes to standard error.

    Args:
        open_library: returns the library; slow, so called once, in another thread, after the first answer.
    """
    sys.stdout.flush()
    # Answers go to a copy of standard output: a line that another library prints is not a message.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        with os.fdopen(os.dup(0), "rb") as messages:
            _Conversation(open_library, answers).answer_all(messages)
    finally:
        os.dup2(answers.fileno(), 1)
        with suppress(BrokenPipeError):  # an answer may still be in the buffer if the client has left
            answers.close()


class _Conversation:
    """The messages of one client: tools run in threads, everything else is answered at once."""

    def __init__(self, open_library: Callable[[], "AnyLibrary"], answers: IO[bytes]) -> None:
        """Prepare to answer; the library is opened when a tool is first called."""
        self._open_library, self._answers = open_library, answers
        self._library: AnyLibrary | None = None
        self._open_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._handlers = handlers(self._get_library)
        self._cancelled: list[object] = []  # ids; not a set, as a client may send one that has no hash

    def answer_all(self, messages: IO[bytes]) -> None:
        """Answer every line, until there are no more and all tools have returned; then close the library."""
        with ThreadPoolExecutor(_MAX_CALLS, "tool") as threads:  # the end of the block waits for the tools
            for line in messages:
                self._dispatch(line, threads)
        if self._library is not None:
            self._library.close()

    def _dispatch(self, line: bytes, threads: ThreadPoolExecutor) -> None:
        """Answer a line at once, or in a thread if it needs the library, so that others need not wait."""
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write(failure(None, PARSE_ERROR, "not valid JSON"))
            return
        method = message.get("method") if isinstance(message, dict) else None
        if isinstance(message, list) or (method in self._handlers and method not in AT_ONCE):
            threads.submit(self._call, message)
            return
        if method == "notifications/cancelled":
            with suppress(LookupError, TypeError):  # a client may send anything
                self._cancelled.append(message["params"]["requestId"])
        self._write(answer(message, self._handlers))
        if method == "initialize":
            threads.submit(self._preload)

    def _call(self, message: Any) -> None:
        """Write the answer to a message that needs the library, unless it is cancelled by then."""
        id = message.get("id") if isinstance(message, dict) else None
        if id in self._cancelled:
            return
        try:
            response = answer(message, self._handlers)
        except Exception as error:  # a bug in a tool must not end the conversation
            response = failure(id, INTERNAL_ERROR, f"this is a bug: {type(error).__name__}: {error}")
        if id not in self._cancelled:
            self._write(response)

    def _preload(self) -> None:
        """Open the library and load its model before the first call; do nothing if it cannot be opened."""
        with suppress(AlexandriaError):
            self._get_library().prepare()

    def _get_library(self) -> "AnyLibrary":
        """Return the library, which the first thread to ask opens."""
        with self._open_lock:
            if self._library is None:
                self._library = self._open_library()
            return self._library

    def _write(self, message: Message | list[Message] | None) -> None:
        """Write a message, or a list of them, on its own line; do nothing for None."""
        if message is None:
            return
        # ASCII: a text may hold U+2028, which some clients take for the end of a line, or a lone surrogate,
        # which UTF-8 cannot encode.
        line = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        with self._write_lock, suppress(BrokenPipeError):  # the client has left
            self._answers.write(line)
            self._answers.flush()
