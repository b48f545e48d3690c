"""The choices that `--help` and the YAML files name. Imports nothing that takes time."""

from enum import StrEnum


class Mode(StrEnum):
    """How a query is held against the chunks."""

    DENSE = "dense"
    """The query's vector against each chunk's."""
    SENTENCES = "sentences"
    """The query's vector against each sentence's; a chunk counts as its best sentence (MaxSim)."""
    BM25 = "bm25"
    """The query's words against the chunk's."""
    HYBRID = "hybrid"
    """Chunk, best sentence and words together."""


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


class Notes(StrEnum):
    """What happens to the notes a chunk cites."""

    ATTACH = "attach"
    """They go into the chunk's payload, beside its text."""
    DROP = "drop"
    """They are not stored."""
    INLINE = "inline"
    """They stand in the text, behind the paragraph that cites them."""


class Quantization(StrEnum):
    """How a server keeps the chunk vectors in memory beside the full ones."""

    SCALAR = "scalar"
    """A byte a dimension."""
    BINARY = "binary"
    """A bit a dimension: for vectors of a thousand dimensions and more."""
    PRODUCT = "product"
    """A sixteenth of the size."""


class Goal(StrEnum):
    """What `tune` looks for."""

    RECALL = "recall"
    """Answers within the words that are read."""
    SECTIONS = "sections"
    """Boundaries where sections begin (F1)."""
