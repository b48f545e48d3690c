"""Makes a graph in other number formats than f32, and chooses the format that `auto` stands for."""

import logging
import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from alexandria.embed.graph import Graph, folder_lock
from alexandria.embed.probes import PROBES
from alexandria.embed.processor import AUTO_PRECISIONS, supported_precisions
from alexandria.embed.quantize import quantize
from alexandria.embed.telemetry import import_openvino
from alexandria.modes import Precision

log = logging.getLogger(__name__)

MIN_INT8_COSINE = 0.98
"""The lowest similarity of the probes' vectors in int8 to those in f32. With the default model, the sentences
of real books stay above .989; a model with a few activations far larger than the rest, which int8 cannot
represent, falls below."""


def actual_precision(graph: Graph, precision: Precision) -> Precision:
    """Return what `auto` stands for with this graph on this processor, or the precision itself."""
    if precision is not Precision.AUTO:
        return precision
    allowed = (*AUTO_PRECISIONS, *([Precision.INT8] if graph.allows_int8 else []))
    choices = [choice for choice in supported_precisions() if choice in allowed]
    return next((choice for choice in choices if network_file(graph, choice)), Precision.F32)


def network_file(graph: Graph, precision: Precision) -> Path | None:
    """Return the file of a graph for a precision, or None if the model cannot be represented in it.

    The int8 file is made on the first call.
    """
    if precision is Precision.F16:
        return graph.half if graph.half.exists() else None
    if precision is not Precision.INT8:
        return graph.network
    if not graph.int8.exists() and not graph.no_int8.exists():
        # If the folder cannot be written, there is no int8 file.
        with folder_lock(graph.folder), suppress(OSError):
            if not graph.int8.exists():  # another process may have made it while this one waited
                _make_int8(graph)
    return graph.int8 if graph.int8.exists() else None


def _make_int8(graph: Graph) -> None:
    """Write the int8 file into the graph's folder, or note that int8 cannot represent the model."""
    log.info("rounding the model's weights to int8 (only once, a few seconds)")
    temporary = graph.folder / f".{os.getpid()}.new"
    trial = replace(graph, folder=temporary)  # the same graph, with its files in the temporary folder
    try:
        temporary.mkdir()
        shutil.copyfile(graph.tokenizer, trial.tokenizer)
        openvino = import_openvino()
        network = openvino.Core().read_model(graph.network)
        quantize(network)
        openvino.save_model(network, trial.int8, compress_to_fp16=False)
        if not _is_faithful(trial, graph):
            graph.no_int8.touch()
            return
        # The .xml file, by which the variant is recognised as complete, is moved last.
        for file in (trial.int8.with_suffix(".bin"), trial.int8):
            file.replace(graph.folder / file.name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _is_faithful(trial: Graph, exact: Graph) -> bool:
    """Return whether the vectors in int8 are nearly those in f32, and do not depend on neighbouring texts."""
    from alexandria.embed.openvino import OpenVinoEncoder

    encoder = OpenVinoEncoder("", trial, Precision.INT8)
    vectors = encoder.encode(PROBES)
    vectors_alone = np.concatenate([encoder.encode([text]) for text in PROBES])
    exact_vectors = OpenVinoEncoder("", exact, Precision.F32).encode(PROBES)
    cosines = np.sum(vectors * exact_vectors, axis=1)
    return bool(np.array_equal(vectors, vectors_alone) and cosines.min() >= MIN_INT8_COSINE)
