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
    """bf16 on a processor that has it, half precision on a GPU, else f32."""
    F32 = "f32"
    BF16 = "bf16"
