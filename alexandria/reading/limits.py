"""What reading one file may cost, and how a process holds itself to it."""

import resource
import signal
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that reading one file may take."""

    seconds: float = 15.0
    """Of processor time, for a small file. The slowest good book of 1 MB takes two."""
    seconds_a_mib: float = 4.0
    """More for each MiB of the file: ten times what the slowest good format needs."""
    memory_bytes: int = 4 << 30
    """Of address space. A 50 MB text, the largest good book we have met, takes 1.5 GiB."""
    file_bytes: int = 2 << 30
    """Of the file itself: a thousand pages scanned in colour, some 1 MB each, and as much again."""

    def cpu_seconds(self, n_bytes: int) -> float:
        """Return the processor time for a file of this size."""
        return self.seconds + self.seconds_a_mib * n_bytes / (1 << 20)

    def wall_seconds(self, n_bytes: int) -> float:
        """Return the time by the clock: four times as much, for a machine that is busy with other work."""
        return 4 * self.cpu_seconds(n_bytes)


def hold_to_memory(limits: Limits) -> None:
    """Let this process have no more memory than allowed: more is a MemoryError, or its end."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash on a hostile file leaves no dump


def hold_to_time(limits: Limits, n_bytes: int) -> None:
    """Let this process end itself when the next file takes more processor time than allowed."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = used.ru_utime + used.ru_stime + limits.cpu_seconds(n_bytes) + 1  # it counts in whole seconds
    resource.setrlimit(resource.RLIMIT_CPU, (int(soft), resource.RLIM_INFINITY))
    # A process that waits uses no processor time, and whoever started it may be gone.
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds(n_bytes))


def release_time() -> None:
    """Let this process wait for the next file as long as it takes."""
    signal.setitimer(signal.ITIMER_REAL, 0)
