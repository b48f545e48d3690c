"""What takes long is announced on stderr, as it begins."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from alexandria.cli.state import State

_LOG = logging.getLogger("alexandria")


@contextmanager
def shown_notices(state: State) -> Iterator[None]:
    """Print what the library logs, from INFO on, while a command runs; with --quiet from WARNING on."""
    handler, before = _Notices(state), _LOG.level
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        _LOG.setLevel(before)


class _Notices(logging.Handler):
    def __init__(self, state: State) -> None:
        super().__init__(logging.INFO)
        self._state = state

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING or not self._state.quiet:
            from alexandria.views.terminal import show_message

            show_message(record.getMessage())
