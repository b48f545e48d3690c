"""A graph built from a model's weights and configuration, without torch."""

import json
import shutil
from pathlib import Path

from alexandria.embed.bert import build_network
from alexandria.embed.blueprint import Blueprint, UnknownModelError
from alexandria.embed.graph import FACTS, UnsupportedModelError, read_graph
from alexandria.embed.openvino import OpenVinoEncoder
from alexandria.embed.probes import MIN_COSINE, PROBES, lowest_cosine
from alexandria.embed.processor import supported_precisions
from alexandria.embed.telemetry import import_openvino
from alexandria.modes import Precision


def build_graph(blueprint: Blueprint, folder: Path) -> None:
    """Write the graph of a model into a folder.

    Raises:
        UnknownModelError: the weights are not those of the blueprint's architecture.
        UnsupportedModelError: the graph cannot be read back.
        OSError: the folder cannot be written.
    """
    shutil.copyfile(blueprint.tokenizer, folder / "tokenizer.json")
    facts = {"dim": blueprint.dim, "window": blueprint.window, "pad": blueprint.pad}
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")
    graph = read_graph(folder)
    if graph is None:
        raise UnsupportedModelError("its graph cannot be read back")
    _write_network(blueprint, graph.network)
    if Precision.F16 in supported_precisions():
        _write_network(blueprint, graph.half, half=True)
        expected = OpenVinoEncoder("", graph, Precision.F32).encode(PROBES)
        if lowest_cosine(OpenVinoEncoder("", graph, Precision.F16), expected) < MIN_COSINE:
            for file in (graph.half, graph.half.with_suffix(".bin")):
                file.unlink()


def _write_network(blueprint: Blueprint, file: Path, *, half: bool = False) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = load_file(blueprint.weights)
    except (SafetensorError, KeyError, TypeError) as error:  # a number format without an equivalent in numpy
        raise UnknownModelError(f"cannot read its weights: {error}") from error
    network = build_network(blueprint, weights, half=half)
    import_openvino().save_model(network, file, compress_to_fp16=False)
