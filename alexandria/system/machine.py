"""The processors and the memory that this process may use, and whether a book fits into it."""

import math
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from alexandria.book.model import Book, Sentence
from alexandria.errors import BookError, Code

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_SWITCHES = ("ONEDNN_", "DNNL_", "OV_CPU_")
"""Prefixes of the environment variables by which oneDNN and OpenVINO use less than the processor has."""
_MODEL_BYTES = 500 << 20  # what the program and its model take, whatever the book
_CHARACTER_BYTES = 16
"""Per character of the book: up to two bytes in each of several copies (book, blocks, chunks, payloads…)."""
_SENTENCE_BYTES = 500  # per sentence, besides its text and its vector


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


@cache
def processor_id() -> str:
    """Return a hash of the processor, of what this process may use of it, and of OpenVINO's version."""
    properties = [version("openvino"), platform.machine(), platform.processor(), str(n_cpus())]
    switches = sorted(name for name in os.environ if name.startswith(_SWITCHES))
    properties += [f"{name}={os.environ[name]}" for name in switches]
    with suppress(OSError):  # only Linux has this file
        first_core = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
        fields = ("model name", "flags", "Features", "CPU part")
        properties += [line for line in first_core.splitlines() if line.startswith(fields)]
    return sha256("\n".join(properties).encode()).hexdigest()[:12]


def estimate_bytes(book: Book, n_sentences: int, dim: int) -> int:
    """Return an upper estimate of the memory in bytes that embedding, cutting and storing a book takes."""
    return _MODEL_BYTES + _CHARACTER_BYTES * len(book.text) + n_sentences * (dim * 4 + _SENTENCE_BYTES)


def check_memory(book: Book, sentences: Sequence[Sentence], dim: int, free: int | None = None) -> None:
    """Refuse a book that does not fit into free memory; if free memory is not known, accept any book.

    Args:
        dim: length of a vector.
        free: free memory in bytes; by default as the system reports it.

    Raises:
        BookError: the book does not fit (`too_large`).
    """
    free = free_bytes() if free is None else free
    needed = estimate_bytes(book, len(sentences), dim)
    if free is None or needed <= free:
        return
    raise BookError(
        f"cannot embed {book.source}",
        why=f"its {len(sentences):,} sentences take about {needed / 1e9:.1f} GB of memory, "
        f"and {free / 1e9:.1f} GB are free",
        fix="split the file into volumes, or use a machine with more memory",
        code=Code.TOO_LARGE,
    )
