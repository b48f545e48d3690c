"""What the library logs while a command runs, such as the start of a slow step, printed on stderr."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from alexandria.cli.state import State

_LOG = logging.getLogger("alexandria")


@contextmanager
def show_notices(state: State) -> Iterator[None]:
    """Print what the library logs, from INFO on, while a command runs; with --quiet from WARNING on.

    With --verbose, what it logs from DEBUG on, with the seconds since the command began.
    """
    handler = _Notices(state)
    level_before = _LOG.level
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        _LOG.setLevel(level_before)


class _Notices(logging.Handler):
    """Prints what is logged as messages, or lines of JSON; with --quiet, warnings and errors only."""

    def __init__(self, state: State) -> None:
        super().__init__(logging.DEBUG)
        self._state, self._began = state, time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a notice; with --verbose, with the seconds since the start of the command."""
        if record.levelno < logging.WARNING and self._state.quiet:
            return
        if self._state.log_json:
            from alexandria.views.terminal.running import log_line

            log_line({"level": record.levelname.lower(), "message": record.getMessage()})
        else:
            from alexandria.views.terminal.console import show_message

            seconds = f"{time.monotonic() - self._began:6.2f} s  " if self._state.verbose else ""
            show_message(seconds + record.getMessage())
