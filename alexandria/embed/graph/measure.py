"""Chooses the number format in which a model is computed, by a measurement on this processor.

Nothing but the order of exactness is known beforehand: f16 is five times as slow as bf16 on some processors,
and as fast on others.
"""

import json
import logging
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings
from alexandria.embed.adapted import neighbours
from alexandria.embed.encoder import Encoder
from alexandria.embed.graph.folder import Graph, UnsupportedModelError, folder_lock, import_openvino
from alexandria.embed.openvino import MAX_STREAMS, DamagedGraphError, OpenVinoEncoder
from alexandria.errors import ConfigError
from alexandria.system.files import write_durably
from alexandria.system.machine import n_cpus, processor_id

MAX_INT8 = 127  # the largest rounded weight; −128 is not used: the range is symmetric
MAX_F32_ROWS = 4096
"""A table with more rows is the table of word pieces: f16 halves it and changes no vector noticeably."""
_MIN_RANGE = 1e-12
"""The smallest range of an output's weights: if all weights are 0, their scale must not be 0."""
# Faults of tokenizers and masks show in such texts: short, long, cased, accented, unspaced, empty, too long.
PROBES = (
    "What is knowledge?",
    "  ÉCOLE, naïve — 東京は大きい。 ﬁn\u00adal\tend…",
    "",
    "The appearance of a table changes with the light and with the place from which it is seen. " * 3,
    "the same words over and over " * 200,
)
MIN_COSINE = 0.9999
"""The lowest cosine similarity to the model's own vectors that is accepted. Rounding leaves .9999999 in
float32 and .99999 in f16; a wrong pooling, tokenizer or mask costs .01 or more."""


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


log = logging.getLogger(__name__)

EXACTEST_FIRST = (Precision.F32, Precision.F16, Precision.BF16)
"""What `auto` may stand for with any model, as OpenVINO names it; the most exact first."""
_NEARLY_AS_FAST = 0.9
"""Of the formats that are at least this fast, relative to the fastest, the most exact is taken."""
_MIN_INT8_GAIN = 1.5
"""int8, which changes vectors visibly, is taken where it is this many times as fast as f32."""
_MIN_COSINES = {Precision.F16: MIN_COSINE, Precision.BF16: 0.999, Precision.INT8: 0.98}
"""The lowest similarity of the probes' vectors to those in f32. In int8 the sentences of real books stay
above .989 with the default model; a model with a few activations far larger than the rest falls below."""
_ROUNDS = (8, 48, 240, 240 * max(2, min(n_cpus(), MAX_STREAMS)))
"""Sentences encoded in each round of the measurement. With the last ones, every stream computes full batches,
as in a book; those before find out what is slow, and compile the kernels."""
_MAX_SECONDS = 1.5  # after this time no further round begins: with a large model, a few sentences must do
_HOPELESS = 1 / 2
"""A format, other than f32, with less than this share of the fastest one's speed is not measured further."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One number format, as measured with one model on this processor."""

    precision: Precision
    words_per_second: float
    """Words of English sentences that one core computes; 0 if the vectors are not finite."""
    cosine: float
    """The lowest similarity of a vector to the one in f32, in [-1, 1]; -1 if numbers are too large for it."""

    @property
    def is_faithful(self) -> bool:
        """Whether the vectors are nearly those of f32."""
        return self.cosine >= _MIN_COSINES.get(self.precision, -1)


def actual_precision(graph: Graph, precision: Precision) -> Precision:
    """Return what `auto` stands for with this graph on this processor, or the precision itself.

    Raises:
        ConfigError: the processor cannot compute in the precision, or the model's vectors would be others.
        DamagedGraphError: the graph cannot be read.
    """
    if precision is Precision.F32:
        return precision
    trials = measured_trials(graph)
    if precision is Precision.AUTO:
        return choose_format(trials)
    trial = next((trial for trial in trials if trial.precision is precision), None)
    if trial is None and precision is Precision.INT8:
        trial = _add_int8(graph, trials)
    if trial is None:
        raise _unusable_error(precision, "this processor does not support it")
    if not trial.is_faithful:
        raise _unusable_error(precision, "the vectors would not be those of the model")
    return precision


def choose_format(trials: Sequence[Trial]) -> Precision:
    """Return the most exact of the formats that are about as fast as the fastest one.

    int8 changes vectors visibly. It replaces only f32, and only if it is much faster: where f16 or bf16 is
    fast, they already give most of the gain.
    """
    speeds = {trial.precision: trial.words_per_second for trial in trials if trial.is_faithful}
    exactest_first = [precision for precision in EXACTEST_FIRST if precision in speeds]
    fastest = max((speeds[precision] for precision in exactest_first), default=0)
    choice = next((p for p in exactest_first if speeds[p] >= _NEARLY_AS_FAST * fastest), Precision.F32)
    if choice is Precision.F32 and speeds.get(Precision.INT8, 0) >= _MIN_INT8_GAIN * fastest:
        return Precision.INT8
    return choice


def measured_trials(graph: Graph) -> tuple[Trial, ...]:
    """Return the speed of each number format here; it is measured once, and stored beside the graph.

    OpenVINO is loaded only to measure.

    Raises:
        DamagedGraphError: the graph cannot be read.
    """
    if trials := stored_trials(graph):
        return trials
    with folder_lock(graph.folder):
        if trials := stored_trials(graph):  # another process may have measured while this one waited
            return trials
        supported = supported_formats()
        # Where there is nothing but f32, it is measured once, beside int8.
        trials = measure_formats(graph, supported) if len(supported) > 1 or not graph.allows_int8 else ()
        if graph.allows_int8 and (not trials or choose_format(trials) is Precision.F32):
            trials = _with_int8(graph, trials)
        _store_trials(graph, trials)
    return trials


def stored_trials(graph: Graph) -> tuple[Trial, ...]:
    """Return what has been measured with a graph on this processor; empty if nothing has."""
    with suppress(OSError, ValueError, TypeError):
        trials = json.loads(_trials_file(graph).read_text(encoding="utf-8"))
        return tuple(Trial(**{**trial, "precision": Precision(trial["precision"])}) for trial in trials)
    return ()


def measure_formats(graph: Graph, formats: Sequence[Precision]) -> tuple[Trial, ...]:
    """Measure the speed and the exactness of number formats, f32 among them; those that fail are left out.

    Raises:
        DamagedGraphError: the graph cannot be read.
        UnsupportedModelError: OpenVINO cannot run it on this processor, not even in f32.
    """
    exact = OpenVinoEncoder("", graph, Precision.F32)
    try:
        expected = exact.encode(PROBES)
    except RuntimeError as error:  # as on processors without AVX2
        raise UnsupportedModelError(f"OpenVINO cannot run it on this processor: {error}") from error
    encoders, cosines = {Precision.F32: exact}, {Precision.F32: 1.0}
    for precision in formats:
        if precision is not Precision.F32:
            # OpenVINO may list a format that it cannot compute, as it does where oneDNN is told to use less.
            with suppress(DamagedGraphError, RuntimeError):
                encoder = OpenVinoEncoder("", graph, precision)
                cosines[precision] = round(lowest_cosine(encoder, expected), 6)
                if cosines[precision] > -1:
                    encoders[precision] = encoder
    speeds = _measure_speeds(encoders)
    return tuple(
        Trial(precision, round(speeds.get(precision, 0), 1), cosine) for precision, cosine in cosines.items()
    )


def _measure_speeds(encoders: Mapping[Precision, OpenVinoEncoder]) -> dict[Precision, float]:
    """Return the words per second of each encoder, on one core."""
    # Processor time is measured: other programs may be using the processors. The last round counts; an
    # encoder that falls far behind is not measured further, and keeps its distance to the fastest.
    sentences = tuple(chain.from_iterable(neighbours()))  # of six books, and as long as in books
    texts = tuple(chain.from_iterable(sentences[start::30] for start in range(30)))  # few are of all six
    shares: dict[Precision, float] = {}  # of the speed of the fastest
    racing, began = dict(encoders), time.perf_counter()
    for n_texts in _ROUNDS:
        sample = tuple(islice(cycle(texts), n_texts))
        seconds = {precision: _processor_seconds(encoder, sample) for precision, encoder in racing.items()}
        least = min(seconds.values())
        shares |= {precision: least / taken for precision, taken in seconds.items()}
        racing = {p: encoder for p, encoder in racing.items() if p is Precision.F32 or shares[p] > _HOPELESS}
        if time.perf_counter() - began > _MAX_SECONDS:
            break
    n_words = sum(len(text.split()) for text in sample)
    return {precision: share * n_words / least for precision, share in shares.items()}


def _processor_seconds(encoder: Encoder, texts: Sequence[str]) -> float:
    began = time.process_time()
    encoder.encode(texts)
    return time.process_time() - began


def _add_int8(graph: Graph, trials: Sequence[Trial]) -> Trial | None:
    """Measure int8 as well, where somebody asks for it; None if this processor cannot compute it."""
    with folder_lock(graph.folder):
        trials = _with_int8(graph, trials)
        _store_trials(graph, trials)
    return next((trial for trial in trials if trial.precision is Precision.INT8), None)


def _with_int8(graph: Graph, trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Return the trials with those of int8, if it can be computed, and of f32, measured in turns with it."""
    # The int8 file of the graph is made if there is none.
    if not graph.int8.exists():
        log.info("rounding the model's weights to int8 (only once, a few seconds)")
        with suppress(OSError):  # the folder cannot be written
            _write_int8(graph)
    f32, *int8 = measure_formats(graph, (Precision.INT8,))
    if int8:
        encoder = OpenVinoEncoder("", graph, Precision.INT8)
        alone = np.concatenate([encoder.encode([text]) for text in PROBES])
        if not np.array_equal(encoder.encode(PROBES), alone):  # vectors must not depend on neighbouring texts
            int8 = [replace(int8[0], cosine=-1)]
    others = (trial for trial in trials if trial.precision not in (Precision.F32, Precision.INT8))
    return (f32, *others, *int8)


def _write_int8(graph: Graph) -> None:
    """Write the network with int8 weights into the graph's folder."""
    temporary = graph.folder / f".{os.getpid()}.new"
    try:
        temporary.mkdir()
        openvino = import_openvino()
        network = openvino.Core().read_model(graph.network)
        quantize(network)
        openvino.save_model(network, temporary / graph.int8.name, compress_to_fp16=False)
        # The .xml file, by which the file is recognised as complete, is moved last.
        for name in (graph.int8.with_suffix(".bin").name, graph.int8.name):
            (temporary / name).replace(graph.folder / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def supported_formats() -> tuple[Precision, ...]:
    """Return the number formats, besides int8, that OpenVINO names for this processor."""
    capabilities = import_openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    names = {Precision.F32: "FP32", Precision.F16: "FP16", Precision.BF16: "BF16"}
    return tuple(precision for precision in EXACTEST_FIRST if names[precision] in capabilities)


def _store_trials(graph: Graph, trials: Sequence[Trial]) -> None:
    """Store what has been measured; if the folder cannot be written, it is measured again next time."""
    with suppress(OSError):
        write_durably(_trials_file(graph), json.dumps([asdict(trial) for trial in trials]))


def _trials_file(graph: Graph) -> Path:
    return graph.folder / f"speeds-{processor_id()}.json"  # "formats-…" compared f32 with int8 on other texts


def _unusable_error(precision: Precision, why: str) -> ConfigError:
    return ConfigError(f"cannot compute in {precision}", why=why, fix="--set precision=auto")


def lowest_cosine(encoder: Encoder, expected: Embeddings) -> float:
    """Return the lowest cosine similarity of a vector from the encoder to the expected one, in [-1, 1].

    It is -1 if the encoder fails because numbers are too large for its precision.

    Args:
        expected: the model's own vectors of `PROBES`, (n_probes, dim), of length 1.
    """
    try:
        vectors = encoder.encode(PROBES)
    except FloatingPointError:
        return -1.0
    return float(np.sum(vectors * expected, axis=1).min())
