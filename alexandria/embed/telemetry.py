"""Imports OpenVINO without its usage data, and without its converter until that is needed."""

import sys
from importlib import import_module
from typing import Any

_CONVERTER = "openvino.tools.ovc"


def import_openvino() -> Any:
    """Return the module `openvino`, which then sends no usage data, and loads its converter on first use."""
    # The converter sends events if this package can be imported; None in sys.modules makes the import fail.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # documented for sys.modules
    if "openvino" in sys.modules:
        return sys.modules["openvino"]
    # The converter takes a third of the time of the import, and OpenVINO does without it if it is missing.
    is_hidden = sys.modules.setdefault(_CONVERTER, None) is None  # type: ignore[arg-type]  # as above
    try:
        import openvino  # type: ignore[import-untyped]  # it ships no types
    finally:
        if is_hidden:
            del sys.modules[_CONVERTER]
    if is_hidden:
        openvino.__getattr__ = _import_from_converter
    return openvino


def _import_from_converter(name: str) -> object:
    """Return what the module `openvino` would have imported from its converter."""
    if name == "convert_model":
        return import_module(_CONVERTER).convert_model
    raise AttributeError(f"module 'openvino' has no attribute {name!r}")
