"""Finds the number formats that this processor computes faster than f32, as OpenVINO reports them."""

import platform
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from alexandria.embed.telemetry import import_openvino
from alexandria.modes import Precision
from alexandria.system.cache import graphs_folder
from alexandria.system.durable import write_durably

GROUP_SIZE = 128
"""Numbers of an activation that share a scale in int8."""

AUTO_PRECISIONS = (Precision.F16, Precision.BF16)
"""What `auto` may stand for with any model besides f32; with the packaged models, int8 comes after these."""


def supported_precisions() -> tuple[Precision, ...]:
    """Return the number formats that are faster than f32 on this processor, the best first.

    OpenVINO is asked once per processor, and the answer is stored in the cache folder: a command that finds
    its vectors there does not have to load OpenVINO.
    """
    answer_file = graphs_folder() / f"processor-{_identify_processor()}.txt"
    with suppress(OSError, ValueError):
        return tuple(Precision(word) for word in answer_file.read_text(encoding="ascii").split())
    supported = ask_openvino()
    with suppress(OSError):  # if the folder cannot be written, OpenVINO is asked again next time
        answer_file.parent.mkdir(parents=True, exist_ok=True)
        write_durably(answer_file, " ".join(supported))
    return supported


@cache
def ask_openvino() -> tuple[Precision, ...]:
    """Return the number formats that are faster than f32, the best first, as OpenVINO reports them."""
    core = import_openvino().Core()
    capabilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    names = {Precision.F16: "FP16", Precision.BF16: "BF16"}
    supported = [precision for precision, name in names.items() if name in capabilities]
    return (*supported, *([Precision.INT8] if _computes_in_int8(core) else []))


def _computes_in_int8(core: Any) -> bool:
    """Return whether activations are computed in int8: only with instructions for dot products of bytes.

    OpenVINO lists INT8 for every processor, and may still compute int8 weights in f32. Whether it rounds
    activations shows in a small product: the result then differs from the result without rounding.
    """
    import_openvino()
    from openvino import Model  # type: ignore[import-untyped]  # it ships no types
    from openvino import opset13 as ops

    rng = np.random.default_rng(1)
    width = 2 * GROUP_SIZE
    weight = ops.constant(rng.integers(-127, 128, (width, width)).astype(np.int8))
    scale = ops.constant(np.full((width, 1), 0.01, np.float32))
    vectors = ops.parameter([-1, width], np.float32)
    product = ops.matmul(vectors, ops.multiply(ops.convert(weight, np.float32), scale), False, True)
    network = Model([product], [vectors])
    values = rng.normal(size=(16, width)).astype(np.float32)
    results = []
    for group_size in (0, GROUP_SIZE):  # 0: activations are not rounded
        options = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": group_size}
        results.append(core.compile_model(network, "CPU", options)([values])[0])
    return not np.allclose(results[0], results[1], rtol=1e-5, atol=1e-5)


@cache
def _identify_processor() -> str:
    """Return a hash of the kind of processor and the version of OpenVINO."""
    properties = [version("openvino"), platform.machine(), platform.processor()]
    with suppress(OSError):  # only Linux has this file
        first_core = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
        fields = ("model name", "flags", "Features", "CPU part")
        properties += [line for line in first_core.splitlines() if line.startswith(fields)]
    return sha256("\n".join(properties).encode()).hexdigest()[:12]
