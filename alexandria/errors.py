"""Errors that a user can act on; anything else is a bug. Imports nothing that takes time.

Tree:

    AlexandriaError      base: what happened, why, and the fix
      BookError          one book cannot be read; the others are not affected
        OutOfMemoryError   reading it takes more memory than a reader may use
      ConfigError        a domain, an option or an argument is wrong
        ArgumentTypeError  an argument is of the wrong type; also a TypeError
        MissingPackageError  a package of an extra is not installed; also an ImportError
        NoMatchError       no book or section is called that
      StoreError         the library is locked, unreachable or of another kind
        NoLibraryError     nothing has been ingested there yet
        TooLargeError      the server takes no request of this size
        DamagedError       its files are damaged: repair or restore it
        DeniedError        this process may not write its folder
        FullDiskError      there is no room to write into the library
        DisconnectedError  the process that had it open has ended, or has handed it over
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from os import PathLike


class Code(StrEnum):
    """The kind of a failure, as in `--json` output."""

    NOT_FOUND = "not_found"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"
    DAMAGED = "damaged"
    DRM = "drm"
    PASSWORD = "password"
    NO_TEXT = "no_text"
    GARBLED = "garbled"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    TIMEOUT = "timeout"
    STORE = "store"
    CONFIG = "config"
    BUG = "bug"  # a bug in Alexandria itself


class AlexandriaError(Exception):
    """A problem the user can act on: `what`, `why` and `fix`, and a `code`, such as `not_found`."""

    # Raise it where the cause is known, and chain the foreign exception with `from`; only `cli` catches it.

    def __init__(self, what: str, *, why: str = "", fix: str = "", code: Code) -> None:
        super().__init__(what, why, fix, code)
        self.what, self.why, self.fix, self.code = what, why, fix, code

    def __str__(self) -> str:
        said = f"{self.what}: {self.why}" if self.why else self.what
        return f"{said} (fix: {self.fix})" if self.fix else said

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call cls(*args) and lose the keyword arguments on the way back from a worker.
        return _rebuild, (type(self), self.what, self.why, self.fix, self.code)


def _rebuild(cls: type[AlexandriaError], what: str, why: str, fix: str, code: Code) -> AlexandriaError:
    error = cls.__new__(cls)
    AlexandriaError.__init__(error, what, why=why, fix=fix, code=code)
    return error


class BookError(AlexandriaError):
    """One book cannot be read; `code` says why."""


class OutOfMemoryError(BookError):
    """Reading the book takes more memory than a reading process may use."""


class ConfigError(AlexandriaError):
    """A domain, an option or an argument is wrong."""

    def __init__(self, what: str, *, why: str = "", fix: str = "") -> None:
        super().__init__(what, why=why, fix=fix, code=Code.CONFIG)


class ArgumentTypeError(ConfigError, TypeError):
    """An argument is of a type that it cannot have."""


class MissingPackageError(ConfigError, ImportError):
    """A package that an extra of Alexandria brings is not installed."""


class NoMatchError(ConfigError):
    """No book of the library passes the filters or is called that, or no section is."""


class StoreError(AlexandriaError):
    """The library is locked, unreachable, or cannot be used as it is."""

    def __init__(self, what: str, *, why: str = "", fix: str = "") -> None:
        super().__init__(what, why=why, fix=fix, code=Code.STORE)


class TooLargeError(StoreError):
    """The server takes no request of this size; it may take the same points in several requests."""


class NoLibraryError(StoreError):
    """Nothing has been ingested there yet."""


class DeniedError(StoreError):
    """This process may not write the library's folder, or files in it; it may be able to read them."""


class FullDiskError(StoreError):
    """There is no room on the disk to write into the library; its contents are intact."""


class DamagedError(StoreError):
    """Files of the library are damaged, and cannot be read as they are."""


class DisconnectedError(StoreError):
    """The process that had the library open has ended, or the library was handed over: open it again."""


class ChangedError(StoreError):
    """Another process has changed the library while it was read: read it again."""


def io_reason(error: OSError | UnicodeError) -> str:
    """Return the reason of a system error in lower case, for the `why` of an error: "permission denied"."""
    return (getattr(error, "strerror", None) or str(error)).lower()


@contextmanager
def refusing(what: str, *, fix: str) -> Iterator[None]:
    """Say what could not be done where the system refuses to read or write a file.

    Raises:
        ConfigError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise ConfigError(what, why=io_reason(error), fix=fix) from error


def check_text(**texts: object) -> None:
    """Accept arguments that are strings.

    Raises:
        ConfigError: one of them is not, named as the caller named it.
    """
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ArgumentTypeError(
                f"{name} cannot be of the type {type(text).__name__}",
                why="it must be a string",
                fix=f"{name}='…'",
            )


def well_formed(text: str) -> str:
    """Return a text that can be encoded: halves of characters (lone surrogates) are replaced by U+FFFD.

    Arguments of commands hold them where they are not UTF-8, and JSON where an emoji was cut in two.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def check_path(**paths: object) -> None:
    """Accept arguments that can be paths of files or folders, whether or not there is one.

    Raises:
        ConfigError: one of them is of another type, too long, or has characters that no path can have.
    """
    for name, path in paths.items():
        if not isinstance(path, str | PathLike):
            raise ArgumentTypeError(
                f"{name} cannot be of the type {type(path).__name__}", why="it must be a string or a path"
            )
        try:
            os.stat(path)  # noqa: PTH116  # `pathlib` takes time to import
        except ValueError as error:  # a null byte, or half of a character
            raise ConfigError(
                f"{name} cannot be {str(path)[:40]!r}", why="no path has such characters"
            ) from error
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise ConfigError(f"{name} cannot be {str(path)[:40]!r}…", why=io_reason(error)) from error


def check_at_least(least: int, **numbers: int | None) -> None:
    """Accept arguments that are whole numbers of at least `least`, or None.

    Raises:
        ConfigError: one of them is not, named as the caller named it.
    """
    for name, number in numbers.items():
        if number is not None and not (hasattr(number, "__index__") and number >= least):
            raise ConfigError(
                f"{name} cannot be {number!r}",
                why=f"it must be a whole number of at least {least}",
                fix=f"{name}={least}, or more",
            )
