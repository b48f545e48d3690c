"""The command line: options in, one call on a `Library`, one view. The only place that catches our errors."""

import errno
import functools
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from alexandria import __version__
from alexandria.doors.cli.chosen import announce_unknown_variables
from alexandria.doors.cli.help import Command, show_help
from alexandria.doors.cli.options import (
    EXIT_BUG,
    EXIT_INTERRUPTED,
    EXIT_NOT_FOUND,
    EXIT_NOTHING,
    EXIT_STORE,
    EXIT_USAGE,
    option,
)
from alexandria.doors.cli.printing import print_json, show_error
from alexandria.doors.cli.registry import Program
from alexandria.doors.cli.state import State, set_debug, set_verbose, show_notices
from alexandria.errors import AlexandriaError, Code, ConfigError, FullDiskError, StoreError, io_reason

# Heavy packages are imported inside the commands, so that --help answers at once.

app = typer.Typer(
    name="alexandria",
    cls=Program,
    help="Ask a shelf of books a question, and get the passage that answers it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(interrupted: Callable[[], bool] = lambda: False) -> None:
    """Run the command line and leave with its exit code.

    Args:
        interrupted: returns whether Ctrl-C was pressed; other libraries may report it as an error.
    """
    _make_output_encodable()
    state = State()
    try:
        with show_notices(state):
            program()(obj=state, prog_name="alexandria")  # also as `python -m alexandria`
    except AlexandriaError as error:
        if state.debug:
            traceback.print_exc()
        sys.exit(_report(error, json=state.json))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except SystemExit as end:
        if state.usage_error and (state.json or "--json" in sys.argv):
            _print_usage_error(state.usage_error)
        # Typer's own 1: the output was closed, as by `head`, or the input ended at a question.
        is_typers = end.code == EXIT_NOT_FOUND and not state.found_nothing
        sys.exit(EXIT_INTERRUPTED if is_typers else end.code)
    except OSError as error:
        is_denied = isinstance(error, PermissionError) and error.filename is not None
        if not is_denied and error.errno not in (errno.ENOSPC, errno.EDQUOT):
            sys.exit(_report_bug(error, state, interrupted))
        if state.debug:
            traceback.print_exc()
        sys.exit(_report(_denied(error) if is_denied else _full_disk(error), json=state.json))
    except Exception as error:
        sys.exit(_report_bug(error, state, interrupted))


def _print_usage_error(what: str) -> None:
    from alexandria.show.json.types import error_document

    with suppress(OSError):
        print_json(error_document(ConfigError(what, fix="add --help to the command")))


@functools.cache
def program() -> Any:
    """Return the program with all its commands; built once per process."""
    return typer.main.get_command(app)


def _report_bug(error: Exception, state: State, interrupted: Callable[[], bool]) -> int:
    """Show an unexpected error, and return its exit code; raise it instead if the traceback is requested."""
    # After Ctrl-C nothing is shown: the error is a consequence of the interrupt.
    if interrupted():
        return EXIT_INTERRUPTED
    if state.debug:
        raise error
    bug = AlexandriaError(
        f"a bug in Alexandria: {type(error).__name__}: {error}",
        fix="run it again with `alexandria --debug …` and report the output",
        code=Code.BUG,
    )
    _report(bug, json=state.json)
    return EXIT_BUG


def _denied(error: OSError) -> ConfigError:
    """Return the error for a file or folder that this user may not reach, wherever it was met."""
    return ConfigError(
        f"cannot reach {error.filename}",
        why=io_reason(error),
        fix="get the right to read it, or name another path",
    )


def _full_disk(error: OSError) -> FullDiskError:
    """Return the error for a full disk or an exceeded quota, wherever it was met."""
    return FullDiskError(
        f"cannot write {error.filename or 'a file or the output'}",
        why=io_reason(error),
        fix="free some disk space, then run the same command again",
    )


def _make_output_encodable() -> None:
    """Write UTF-8 into files and pipes; on a terminal with another encoding, replace what it cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower() != "utf-8":
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _report(error: AlexandriaError, *, json: bool) -> int:
    """Show an error on stderr, and on stdout as JSON if asked for; return the exit code of its kind."""
    from alexandria.show.json.types import error_document

    if json:
        with suppress(OSError):  # the error may be that the output cannot be written
            print_json(error_document(error))
    show_error(error)
    return _exit_code(error)


def _exit_code(error: AlexandriaError) -> int:
    """Return the exit code for an error: 5 for the store, 2 for a setting, 4 if nothing could be read."""
    if isinstance(error, StoreError):
        return EXIT_STORE
    if isinstance(error, ConfigError):
        return EXIT_USAGE
    return EXIT_NOTHING  # BookError: nothing could be read


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"alexandria {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, option("--version -V", "Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, option("--debug", "Print the traceback of an error.", callback=set_debug, is_eager=True)
    ] = False,
    verbose: Annotated[
        bool,
        option(
            "--verbose -v",
            "Report each step, with the seconds since the start.",
            callback=set_verbose,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Ask a shelf of books a question, and get the passage that answers it."""
    # The options act through their callbacks, and the docstring is the text of --help.
    if not {"--help", "-h"} & set(sys.argv):
        announce_unknown_variables()


app.command("help", cls=Command, hidden=True)(show_help)
