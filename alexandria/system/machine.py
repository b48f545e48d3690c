"""The processors and the memory that this process may use."""

import math
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_CONTROL_GROUPS = Path("/sys/fs/cgroup")


def n_cpus(control_groups: Path = _CONTROL_GROUPS) -> int:
    """Return how many processors this process may use, by its affinity and its container's quota."""
    has_affinity = hasattr(os, "sched_getaffinity")
    n_allowed = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return max(1, min([n_allowed, *map(math.ceil, _cpu_quotas(control_groups))]))


def _cpu_quotas(control_groups: Path) -> Iterator[float]:
    """Yield the processors that Linux's control groups allow, as a container sees them: version 2, then 1."""
    with suppress(OSError, ValueError):  # "max", or no file: there is no limit
        quota, period = (control_groups / "cpu.max").read_text(encoding="ascii").split()
        yield int(quota) / int(period)
    with suppress(OSError, ValueError):
        files = [control_groups / "cpu" / f"cpu.cfs_{name}_us" for name in ("quota", "period")]
        quota, period = (file.read_text(encoding="ascii") for file in files)
        if int(quota) > 0:  # −1: there is no limit
            yield int(quota) / int(period)


def may_have_gpu() -> bool:
    """Return whether there are signs of a GPU that torch can use: torch itself takes seconds to ask."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    if sys.platform == "win32":
        return Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvcuda.dll").exists()
    return any(map(os.path.exists, ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")))


def free_bytes() -> int | None:
    """Return the memory available without swapping, or None if the system does not say (only Linux does)."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if kilobytes is None else int(kilobytes) * 1024
