"""Ctrl-C once: stop behind the book at hand. Twice: stop at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopping_politely(asked: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Yield what tells whether to stop: the first SIGINT or SIGTERM asks for it.

    The second is a KeyboardInterrupt.

    Args:
        asked: called from the signal's handler at the first one; it must not print through a buffer, which
            the program may just be writing to.
    """
    wanted = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if wanted.is_set():
            raise KeyboardInterrupt
        wanted.set()
        asked()

    if threading.current_thread() is not threading.main_thread():  # where no handler can be set
        yield wanted.is_set
        return
    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield wanted.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
