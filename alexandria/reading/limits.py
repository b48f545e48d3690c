"""What reading one file may cost, and how a process holds itself to it."""

import resource
import signal
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from alexandria.errors import BookError, Code, ConfigError


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that reading one file may take."""

    seconds: float = 15.0
    """Of processor time, for a small file. The slowest good book of 1 MB takes two."""
    seconds_per_mib: float = 4.0
    """More for each MiB of the file: ten times what the slowest good format needs."""
    memory_bytes: int = 4 << 30
    """Of address space. A 50 MB text, the largest good book we have met, takes 1.5 GiB."""
    file_bytes: int = 2 << 30
    """Of the file itself: a thousand pages scanned in colour, some 1 MB each, and as much again."""

    def cpu_seconds(self, n_bytes: int) -> float:
        """Return the processor time for a file of this size."""
        return self.seconds + self.seconds_per_mib * n_bytes / (1 << 20)

    def wall_seconds(self, n_bytes: int) -> float:
        """Return the time by the clock: four times as much, for a machine that is busy with other work."""
        return 4 * self.cpu_seconds(n_bytes)


def limits_from(environ: Mapping[str, str]) -> Limits:
    """Return the limits, with what the environment says.

    ALEXANDRIA_READ_SECONDS, and in MiB ALEXANDRIA_READ_MEMORY and ALEXANDRIA_FILE_SIZE.

    Raises:
        ConfigError: one of them is no number above zero.
    """
    usual = Limits()
    seconds = _number(environ, "ALEXANDRIA_READ_SECONDS", usual.seconds)
    memory = _number(environ, "ALEXANDRIA_READ_MEMORY", usual.memory_bytes / (1 << 20))
    size = _number(environ, "ALEXANDRIA_FILE_SIZE", usual.file_bytes / (1 << 20))
    return Limits(seconds=seconds, memory_bytes=int(memory * (1 << 20)), file_bytes=int(size * (1 << 20)))


def _number(environ: Mapping[str, str], name: str, usual: float) -> float:
    try:
        number = float(environ.get(name, usual))
    except ValueError:
        number = 0
    if not 0 < number <= 1e9:  # more MiB or seconds than any machine has, and the kernel's limit overflows
        raise ConfigError(
            f"{name} cannot be {environ[name]!r}", why="it must be a number above 0", fix="change it"
        )
    return number


def check_size(path: Path, limits: Limits) -> None:
    """Refuse a file that is empty or too large by its size alone, before a byte is read.

    What the kernel shows as files of no size, under /proc, might never end.

    Raises:
        BookError: `empty` or `too_large`.
    """
    try:
        status = path.stat()
    except OSError:
        return  # who opens it says what is wrong with it
    if not stat.S_ISREG(status.st_mode):
        return
    if status.st_size == 0:
        raise BookError(f"cannot read {path}", why="the file is empty", fix="check the file", code=Code.EMPTY)
    if status.st_size > limits.file_bytes:
        raise BookError(
            f"cannot read {path}",
            why=f"it has {status.st_size >> 20:,} MiB; {limits.file_bytes >> 20:,} are allowed",
            fix="split the file, or allow more with ALEXANDRIA_FILE_SIZE (in MiB)",
            code=Code.TOO_LARGE,
        )


def file_size(path: Path) -> int:
    """Return a file's bytes, or 0 where there is none: who opens it says what is wrong with it."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def limit_memory(limits: Limits) -> None:
    """Let this process have no more memory than allowed: more is a MemoryError, or its end."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash on a hostile file leaves no dump


def limit_time(limits: Limits, n_bytes: int) -> None:
    """Let this process end itself when the next file takes more processor time than allowed."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = used.ru_utime + used.ru_stime + limits.cpu_seconds(n_bytes) + 1  # it counts in whole seconds
    resource.setrlimit(resource.RLIMIT_CPU, (int(soft), resource.RLIM_INFINITY))
    # A process that waits uses no processor time, and whoever started it may be gone.
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds(n_bytes))


def lift_time_limit() -> None:
    """Let this process wait for the next file as long as it takes."""
    signal.setitimer(signal.ITIMER_REAL, 0)
