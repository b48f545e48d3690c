"""`alexandria`, also as `python -m alexandria`: from here on, an interrupt ends the process with 130."""

import atexit
import faulthandler
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130
_NOT_WRITTEN = 5


class Interrupts:
    """What Ctrl-C does: KeyboardInterrupt while a command runs; the end at once before and after it.

    The interpreter's own handler raises anywhere: in an import, where a library may turn it into another
    error, or at exit, where it kills the process while threads of OpenVINO and of the engine still run.
    """

    def __init__(self) -> None:
        self.is_running = False
        self.happened = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        self.happened = True
        if not self.is_running:
            os._exit(_INTERRUPTED)
        raise KeyboardInterrupt


def run_program() -> NoReturn:
    """Run the command line, and end the process with its exit code: this function does not return."""
    # Before numpy is loaded. The threads of OpenBLAS spin after each product, and take the processors from
    # the model, which computes on all of them. A single thread computes a product in a millisecond.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_closed_streams()
    # A disk that fills while a file is memory-mapped ends the process with SIGBUS: print a traceback.
    faulthandler.enable(all_threads=False)
    interrupts = Interrupts()
    # If SIGINT is ignored, as in a background job of a shell without job control, leave it so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupts)
    code = _run(interrupts)
    # The process ends without destructors: one may wait for a thread that is computing, or free memory
    # that such a thread uses.
    with suppress(Exception):
        atexit._run_exitfuncs()
    code = _flush_output(code)
    os._exit(_INTERRUPTED if interrupts.happened else code)


def _open_closed_streams() -> None:
    """Open the null device in place of each standard stream that is closed, as after `>&-`."""
    # Otherwise Python has None there, and a file that is opened later could get the stream's descriptor, to
    # which other libraries print.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor: that of the stream
            os.set_inheritable(null, True)
            setattr(sys, name, os.fdopen(null, mode))


def _run(interrupts: Interrupts) -> int:
    """Return the exit code of the command."""
    from alexandria.doors.cli import main as run_command

    try:
        interrupts.is_running = True
        run_command(lambda: interrupts.happened)
    except SystemExit as end:
        if isinstance(end.code, int):
            return end.code
        return 0 if end.code is None else 1  # as the interpreter does
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        interrupts.is_running = False
    return 0


def _flush_output(code: int) -> int:
    """Write what is left of the output, and return the exit code."""
    # `_NOT_WRITTEN` takes the place of 0 if the output cannot be written, for example on a full disk.
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has read enough
        pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        with suppress(OSError):
            if code != _NOT_WRITTEN:  # the command has not said so itself
                print(f"Error: cannot write the output: {reason}", file=sys.stderr)
        code = code or _NOT_WRITTEN
    with suppress(OSError):
        sys.stderr.flush()
    return code


if __name__ == "__main__":
    run_program()
