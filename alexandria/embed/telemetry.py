"""OpenVINO without its usage data."""

import sys
from typing import Any


def import_openvino() -> Any:
    """Return the module `openvino`, prevented from sending usage data."""
    # Its converter sends events unless this package is missing: None stands for a failed import.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # documented for sys.modules
    import openvino  # type: ignore[import-untyped]  # it ships no types

    return openvino
