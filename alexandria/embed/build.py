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
from alexandria.embed.graph import FACTS, Graph, UnsupportedModelError, read_graph
from alexandria.embed.neutral import read_constants
from alexandria.embed.openvino import DamagedGraphError, OpenVinoEncoder
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
    tokenizer_file = folder / "tokenizer.json"
    if blueprint.four_bits:  # one file contains the weights and the tokenizer
        content = read_e5(blueprint.weights)
        weights: Weights = content.weights
        tokenizer_file.write_text(content.tokenizer, encoding="utf-8")
    else:
        weights = load_weights(blueprint.weights)
        shutil.copyfile(blueprint.tokenizer, tokenizer_file)
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
        _write_half_if_faithful(blueprint, weights, graph)


def _write_half_if_faithful(blueprint: Blueprint, weights: Weights, graph: Graph) -> None:
    """Write the network in f16, and delete it again if its vectors are not nearly those of the f32 network.

    They differ if numbers of the model are too large for f16.

    Raises:
        UnsupportedModelError: the f32 network, with which it is compared, cannot be read back.
    """
    _write_network(blueprint, weights, graph.half, half=True)
    try:
        expected = OpenVinoEncoder("", graph, Precision.F32).encode(PROBES)
        lowest = lowest_cosine(OpenVinoEncoder("", graph, Precision.F16), expected)
    except DamagedGraphError as error:
        raise UnsupportedModelError(f"its graph cannot be read back: {error}") from error
    if lowest < MIN_COSINE:
        for file in (graph.half, graph.half.with_suffix(".bin")):
            file.unlink()


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
    """Write the network of a model, without or with everything except the pooling in f16 (`half`)."""
    languages = None if blueprint.constants is None else read_constants(blueprint.constants)
    network = build_network(blueprint, weights, half=half, languages=languages)
    import_openvino().save_model(network, file, compress_to_fp16=False)
