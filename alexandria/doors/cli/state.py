"""The state of the running command: its `--debug`, `--json` and the like, what it logs, and Ctrl-C."""

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from types import FrameType
from typing import Any

import typer

from alexandria.doors.cli.printing import show_message

_LOG = logging.getLogger("alexandria")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class State:
    """Set by the callbacks of options while they are parsed; read where an error or a notice is shown."""

    debug: bool = False
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    log_json: bool = False
    found_nothing: bool = False
    """Whether what was looked for is not there: the exit code 1 is then not typer's."""
    usage_error: str = ""  # what is wrong with the words of the command line


def _noting(name: str) -> Callable[[typer.Context, bool], bool]:
    """Return a callback of typer which notes in the state that a flag is set."""

    def note(ctx: typer.Context, value: bool) -> bool:
        if value and isinstance(ctx.obj, State):
            setattr(ctx.obj, name, True)
        return value

    return note


set_json = _noting("json")  # errors are then printed as JSON too
set_quiet = _noting("quiet")  # notices are then not printed
set_log_json = _noting("log_json")  # notices are then lines of JSON
set_debug = _noting("debug")  # errors then show a traceback


def set_verbose(ctx: typer.Context, value: bool) -> bool:
    """Note in the state that `--verbose` is set, and log each step. A callback of typer."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.verbose = True
        logging.getLogger("alexandria").setLevel(logging.DEBUG)
    return value


def is_verbose(ctx: typer.Context) -> bool:
    """Return whether `--verbose` is set."""
    return isinstance(ctx.obj, State) and ctx.obj.verbose


def repeat_options(commands: Mapping[str, Any], options: Iterable[Any]) -> None:
    """Let commands accept those of the program's options that are often added at the end of a line."""
    repeated = [copy(option) for option in options if option.name in ("debug", "verbose")]
    for option in repeated:
        option.hidden = True
        option.expose_value = False  # the function of a subcommand has no such parameter
    for command in commands.values():
        command.params.extend(repeated)
        repeat_options(getattr(command, "commands", {}), repeated)


@contextmanager
def show_notices(state: State) -> Iterator[None]:
    """Print what the library logs, from INFO on, while a command runs; with --quiet from WARNING on.

    With --verbose, what it logs from DEBUG on, with the seconds since the command began.
    """
    handler = _Notices(state)
    level_before = _LOG.level
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)  # `set_verbose` lowers it; `_Notices` leaves out what --quiet hides
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        _LOG.setLevel(level_before)


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
            from alexandria.show.terminal.batch import log_line

            log_line({"level": record.levelname.lower(), "message": record.getMessage()})
        else:
            seconds = f"{time.monotonic() - self._began:6.2f} s  " if self._state.verbose else ""
            show_message(seconds + record.getMessage())
