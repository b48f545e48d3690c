"""How a model is computed; which model it is, these do not change."""

from enum import StrEnum


class Backend(StrEnum):
    """What computes the model."""

    AUTO = "auto"
    """OpenVINO where it is installed and can take the model, else torch."""
    OPENVINO = "openvino"
    TORCH = "torch"


class Precision(StrEnum):
    """The numbers it is computed in. Vectors are always stored from float32."""

    AUTO = "auto"
    """f16 on a processor that has it, else bf16, else f32; half precision on a GPU."""
    F32 = "f32"
    F16 = "f16"
    """Similarities differ from those of f32 by .0006 at most."""
    BF16 = "bf16"
    """By .003 at most; found on more processors than f16."""
