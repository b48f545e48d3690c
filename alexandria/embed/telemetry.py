"""OpenVINO without its usage data, and without its converter until that is needed."""

import sys
from importlib import import_module
from typing import Any

_CONVERTER = "openvino.tools.ovc"


def import_openvino() -> Any:
    """Return the module `openvino`, kept from sending usage data; it loads its converter on first use."""
    # Its converter sends events unless this package is missing: None stands for a failed import.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # documented for sys.modules
    if "openvino" in sys.modules:
        return sys.modules["openvino"]
    # A third of the time to import OpenVINO is its converter's, which it does without if that is missing.
    hides = sys.modules.setdefault(_CONVERTER, None) is None  # type: ignore[arg-type]  # as above
    try:
        import openvino  # type: ignore[import-untyped]  # it ships no types
    finally:
        if hides:
            del sys.modules[_CONVERTER]
    if hides:
        openvino.__getattr__ = _later
    return openvino


def _later(name: str) -> object:
    """Return what the module `openvino` would have imported from its converter."""
    if name == "convert_model":
        return import_module(_CONVERTER).convert_model
    raise AttributeError(f"module 'openvino' has no attribute {name!r}")
