"""Builds a graph from a model's weights and configuration, without torch."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from alexandria.embed.bert import build_network
from alexandria.embed.blueprint import Blueprint, UnknownModelError
from alexandria.embed.e5_file import read_e5
from alexandria.embed.graph import FACTS, UnsupportedModelError, read_graph
from alexandria.embed.neutral import read_constants
from alexandria.embed.openvino import OpenVinoEncoder
from alexandria.embed.probes import MIN_COSINE, PROBES, lowest_cosine
from alexandria.embed.processor import supported_precisions
from alexandria.embed.telemetry import import_openvino
from alexandria.modes import Precision

Weights = Mapping[str, NDArray[Any]]
"""A model's parameters by name."""


def build_graph(blueprint: Blueprint, folder: Path) -> None:
    """Write the graph of a model into a folder.

    Raises:
        UnknownModelError: the weights are not those of the blueprint's architecture.
        UnsupportedModelError: the graph cannot be read back.
        OSError: the folder cannot be written.
    """
    weights = _write_tokenizer(blueprint, folder / "tokenizer.json")
    facts = {
        **{name: getattr(blueprint, name) for name in ("dim", "window", "pad", "query", "passage")},
        "allows_int8": blueprint.allows_int8,
    }
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")
    graph = read_graph(folder)
    if graph is None:
        raise UnsupportedModelError("its graph cannot be read back")
    _write_network(blueprint, weights, graph.network)
    if Precision.F16 in supported_precisions():
        _write_network(blueprint, weights, graph.half, half=True)
        # A model whose numbers are too large for f16 has only the f32 graph.
        expected = OpenVinoEncoder("", graph, Precision.F32).encode(PROBES)
        if lowest_cosine(OpenVinoEncoder("", graph, Precision.F16), expected) < MIN_COSINE:
            for file in (graph.half, graph.half.with_suffix(".bin")):
                file.unlink()


def _write_tokenizer(blueprint: Blueprint, file: Path) -> Weights:
    """Write the tokenizer for the package `tokenizers`, and return the weights: one file may contain both."""
    if blueprint.four_bits:
        content = read_e5(blueprint.weights)
        file.write_text(content.tokenizer, encoding="utf-8")
        return content.weights
    shutil.copyfile(blueprint.tokenizer, file)
    return load_weights(blueprint.weights)


def load_weights(file: Path) -> Weights:
    """Return a model's parameters.

    Raises:
        UnknownModelError: the file is damaged, or numpy has no such number format.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(file)
    except (SafetensorError, KeyError, TypeError) as error:  # a number format without an equivalent in numpy
        raise UnknownModelError(f"cannot read its weights: {error}") from error


def _write_network(blueprint: Blueprint, weights: Weights, file: Path, *, half: bool = False) -> None:
    languages = None if blueprint.constants is None else read_constants(blueprint.constants)
    network = build_network(blueprint, weights, half=half, languages=languages)
    import_openvino().save_model(network, file, compress_to_fp16=False)
