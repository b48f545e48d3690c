"""Builds a graph from a model's weights and configuration, without torch."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from alexandria.embed.graph.bert import build_network
from alexandria.embed.graph.blueprint import Blueprint, UnknownModelError
from alexandria.embed.graph.folder import Graph, import_openvino, write_facts
from alexandria.embed.models.e5_file import read_e5
from alexandria.embed.neutral import read_constants

Weights = Mapping[str, NDArray[Any]]  # a model's parameters by name


def build_graph(blueprint: Blueprint, folder: Path) -> Graph:
    """Write the graph of a model into a folder, and return it.

    Raises:
        UnknownModelError: the weights are not those of the blueprint's architecture.
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
    facts = ("dim", "window", "pad", "query", "passage", "allows_int8")
    graph = write_facts(folder, **{name: getattr(blueprint, name) for name in facts})
    languages = None if blueprint.constants is None else read_constants(blueprint.constants)
    network = build_network(blueprint, weights, languages=languages)
    import_openvino().save_model(network, graph.network, compress_to_fp16=False)
    return graph


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
