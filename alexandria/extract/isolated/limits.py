"""What reading one file may cost, and how the isolated process enforces these limits on itself."""

import math
import signal
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.errors import BookError, Code, ConfigError

try:
    import resource
except ImportError:
    # On Windows, only the elapsed time of the isolated process is limited, by `process`, not its memory.
    resource = None  # type: ignore[assignment]  # a module elsewhere

_MAX_LIMIT = 1e9  # in seconds or MiB: higher numbers would overflow the limits of the kernel


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that reading one file may take."""

    seconds: float = 15.0  # processor time for a small file. The slowest sound book of 1 MB takes two.
    seconds_per_mib: float = 4.0  # added per MiB of the file: ten times what the slowest format needs
    memory_bytes: int = 1536 << 20  # address space: 40 MB of text take 0.7 GiB, 491,000 words 0.2 GiB
    page_seconds: float = 60.0  # processor time to recognise one page: twenty times what a full one takes
    file_bytes: int = 2 << 30  # of the file: twice a thousand pages scanned in colour, at about 1 MB each

    def cpu_seconds(self, n_bytes: int) -> float:
        """Return the processor time for a file of this size."""
        return self.seconds + self.seconds_per_mib * n_bytes / (1 << 20)

    def wall_seconds(self, n_bytes: int) -> float:
        """Return the elapsed time for a file of this size: four times `cpu_seconds`, for a busy machine."""
        return 4 * self.cpu_seconds(n_bytes)

    def with_page(self) -> "Limits":
        """Return the limits for recognising a page, during which the process waits for another program."""
        return replace(self, seconds=self.seconds + self.page_seconds)


def limits_from(environ: Mapping[str, str]) -> Limits:
    """Return the limits, each from its environment variable if that is set.

    The variables are ALEXANDRIA_READ_SECONDS, ALEXANDRIA_OCR_SECONDS, and, in MiB, ALEXANDRIA_READ_MEMORY and
    ALEXANDRIA_FILE_SIZE.

    Raises:
        ConfigError: one of them is not a number above 0.
    """
    default = Limits()
    seconds = _positive_number(environ, "ALEXANDRIA_READ_SECONDS", default.seconds)
    page = _positive_number(environ, "ALEXANDRIA_OCR_SECONDS", default.page_seconds)
    memory = _positive_number(environ, "ALEXANDRIA_READ_MEMORY", default.memory_bytes / (1 << 20))
    size = _positive_number(environ, "ALEXANDRIA_FILE_SIZE", default.file_bytes / (1 << 20))
    return Limits(
        seconds=seconds,
        memory_bytes=int(memory * (1 << 20)),
        page_seconds=page,
        file_bytes=int(size * (1 << 20)),
    )


def _positive_number(environ: Mapping[str, str], name: str, default: float) -> float:
    """Return the number in an environment variable; the default if it is not set."""
    try:
        number = float(environ.get(name, default))
    except ValueError:
        number = 0
    if not 0 < number <= _MAX_LIMIT:
        raise ConfigError(
            f"{name} cannot be {environ[name]!r}", why="it must be a number above 0", fix="change or unset it"
        )
    return number


def check_size(path: Path, limits: Limits) -> None:
    """Refuse an empty or oversized regular file without opening it.

    Files under /proc are refused as empty: they report a size of 0, and reading one of them might never end.

    Raises:
        BookError: `empty` or `too_large`.
    """
    try:
        status = path.stat()
    except OSError:
        return  # opening the file will give the precise error
    if not stat.S_ISREG(status.st_mode):
        return  # a folder, pipe or device: `extract` refuses it with a message of its own
    if status.st_size == 0:
        raise BookError(f"cannot read {path}", why="the file is empty", fix="check the file", code=Code.EMPTY)
    if status.st_size > limits.file_bytes:
        size_mib = math.ceil(status.st_size / (1 << 20))  # rounded up: the error must show it above the limit
        raise BookError(
            f"cannot read {path}",
            why=f"it is {size_mib:,} MiB, and {limits.file_bytes >> 20:,} MiB are allowed",
            fix="split the file, or allow more with ALEXANDRIA_FILE_SIZE (in MiB)",
            code=Code.TOO_LARGE,
        )


def limit_memory(limits: Limits) -> None:
    """Limit the memory of this process: an attempt to get more raises MemoryError, or ends the process."""
    if resource is None:
        return
    with suppress(ValueError, OSError):  # macOS has no such limit
        _set_limit(resource.RLIMIT_AS, limits.memory_bytes)
    _set_limit(resource.RLIMIT_CORE, 0)  # a crash must not leave a dump of a hostile file


def _set_limit(kind: int, value: int) -> None:
    """Lower a limit of this process, the hard one too, so that the process cannot raise it again."""
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def peak_memory() -> int:
    """Return the peak memory of this process in bytes, or 0 if the system does not measure it."""
    if resource is None or sys.platform != "linux":
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def reset_peak_memory() -> None:
    """Start to measure the peak memory of this process again: each file is measured on its own."""
    with suppress(OSError):  # only Linux has this file
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def limit_time(limits: Limits, n_bytes: int) -> None:
    """End this process if the next file takes more time than allowed."""
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The limit counts from the start of the process, in whole seconds, so it is rounded up.
        seconds = int(used.ru_utime + used.ru_stime + limits.cpu_seconds(n_bytes) + 1)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = seconds if hard == resource.RLIM_INFINITY else min(seconds, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    # A process that waits uses no processor time, and its parent, which also has a timer, may have ended.
    _alarm_after(limits.wall_seconds(n_bytes))


def lift_time_limit() -> None:
    """Remove the limit of elapsed time, so that this process can wait for the next file."""
    _alarm_after(0)


def _alarm_after(seconds: float) -> None:
    """Let the system end this process with SIGALRM after this time; 0 cancels it."""
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, seconds)
