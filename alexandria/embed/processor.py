"""Identifies the processor: what was measured or compiled for another one does not hold for it."""

import os
import platform
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from alexandria.system.machine import n_cpus

_SWITCHES = ("ONEDNN_", "DNNL_", "OV_CPU_")
"""Prefixes of the environment variables by which oneDNN and OpenVINO use less than the processor has."""


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
