"""Rounds a network's weights to int8, for processors that multiply bytes faster than floats."""

from typing import Any

import numpy as np

from alexandria.embed.telemetry import import_openvino

MAX_INT8 = 127
"""The largest rounded weight; −128 is not used: the range is symmetric."""
MAX_F32_ROWS = 4096
"""A table with more rows is the table of word pieces: f16 halves it and changes no vector noticeably."""
_MIN_RANGE = 1e-12
"""The smallest range of an output's weights: if all weights are 0, their scale must not be 0."""


def quantize(network: Any) -> None:
    """Replace the weights of all matrix products by int8 with a scale per output, and word pieces by f16.

    OpenVINO recognises weights that are computed as an int8 constant, converted, times scales. On a processor
    with instructions for it, OpenVINO then also rounds the activations of each text to int8.
    """
    import_openvino()
    from openvino import opset13 as ops  # type: ignore[import-untyped]  # it ships no types

    for node in network.get_ordered_ops():
        kind = node.get_type_name()
        if kind == "MatMul" and (weight := _constant_input(node, 1)) is not None and weight.ndim == 2:
            input_axis = 1 if node.get_attributes()["transpose_b"] else 0
            ranges = np.abs(weight).max(axis=input_axis, keepdims=True)  # one per output
            scales = np.maximum(ranges, _MIN_RANGE) / MAX_INT8
            rounded = ops.constant(np.round(weight / scales).astype(np.int8))
            restored = ops.multiply(ops.convert(rounded, np.float32), ops.constant(scales.astype(np.float32)))
            node.input(1).replace_source_output(restored.output(0))
        elif (
            kind == "Gather" and (table := _constant_input(node, 0)) is not None and len(table) > MAX_F32_ROWS
        ):
            halved = ops.convert(ops.constant(table.astype(np.float16)), np.float32)
            node.input(0).replace_source_output(halved.output(0))


def _constant_input(node: Any, position: int) -> Any:
    """Return the f32 array that a node takes at a position, or None if it is computed."""
    source = node.input_value(position).get_node()
    is_weight = source.get_type_name() == "Constant" and source.get_element_type().get_type_name() == "f32"
    return source.data if is_weight else None
