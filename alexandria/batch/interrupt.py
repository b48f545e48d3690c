"""Ctrl-C once: stop after the book in progress. Twice: stop at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signal(on_first: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether to stop: True after the first SIGINT or SIGTERM.

    The second one raises KeyboardInterrupt.

    Args:
        on_first: called by the signal handler at the first signal. This function must not print through a
            buffer, which the program may be writing to at that moment.
    """
    requested = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        """Note the first signal, which ends the run after the current book; interrupt at the second."""
        if requested.is_set():
            raise KeyboardInterrupt
        requested.set()
        on_first()

    if threading.current_thread() is not threading.main_thread():  # Python allows no handler elsewhere
        yield requested.is_set
        return
    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield requested.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
