"""A converted model on the processor, through OpenVINO: no torch, batches by word pieces, all cores busy."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from queue import SimpleQueue
from threading import Lock, Semaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed.graph import Graph, without_telemetry
from alexandria.embed.rows import unit_rows
from alexandria.errors import ConfigError
from alexandria.modes import Precision

PIECES = 1024
"""Word pieces a batch, padding counted: 500–2,000 are fastest, 16,000 take twice as long."""
SCORES = 1 << 17
"""Pairs of word pieces of one text, in a batch: attention on long texts would else double the memory."""
PARTS = (1, 2, 4)
"""A batch is full, half or a quarter full, what is missing being padding: each shape that the engine meets
costs it up to 3 MB for good."""
STEP = 8
"""Texts are padded to multiples of it; long ones to multiples of an eighth of the next power of two."""
MOST_STREAMS = 8
"""Batches computed side by side, a thread each on few cores: faster than one batch on all of them. Each holds
memory of its own, so that on many cores there are several threads to a batch instead."""
PLAIN_ATTENTION = {"SNIPPETS_MODE": "DISABLE"}
"""Attention as products and a softmax: the fused kernel is for long texts, a sixth slower on sentences."""
BLOCK = 2048
"""Texts tokenised at once: enough for full batches of each width, and the pieces of a few pages in memory."""
AHEAD = 8
"""Batches a stream may have before it: while they are computed, the next book is split and tokenised."""

_BINDINGS = Lock()
"""Held in OpenVINO's bindings: they set themselves up when first used, and two threads that do it at once may
wait for each other for ever, one with Python's lock, one with theirs."""

Inputs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Of a batch: ids of word pieces, and a mask that is 1 where there is one, each (n_rows, width)."""


class DamagedGraphError(Exception):
    """The files of a kept graph cannot be read."""


class OpenVinoEncoder:
    """A converted model in memory, as an `Encoder`; a text's vector does not depend on its neighbours."""

    def __init__(self, name: str, graph: Graph, precision: Precision = Precision.AUTO) -> None:
        """Load the graph.

        Raises:
            DamagedGraphError: its files cannot be read.
            ConfigError: the processor does not have the precision.
        """
        self.name, self.dim, self._graph = name, graph.dim, graph
        try:
            self._tokenizer, self._streams = load_tokenizer(graph), Streams(compile_graph(graph, precision))
        except ConfigError:
            raise
        except Exception as error:  # neither library raises anything narrower
            raise DamagedGraphError(str(error)) from error
        if graph.window is not None:
            self._tokenizer.enable_truncation(graph.window)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim); what lies beyond the model's window is not read (see `coverage`)."""
        return self.begin(texts)()

    def begin(self, texts: Sequence[str]) -> Callable[[], Embeddings]:
        """Start to encode texts; the last batches are computed while the caller goes on, up to the call."""
        rows = np.empty((len(texts), self.dim), np.float32)
        computing = []
        blocks = [list(texts[first : first + BLOCK]) for first in range(0, len(texts), BLOCK)]
        with ThreadPoolExecutor(1) as ahead:  # the next block is tokenised while this one is computed
            for n, pieces in enumerate(ahead.map(self._pieces, blocks)):
                for width, n_rows, members in batches([len(one) for one in pieces], self._graph.window):
                    inputs = padded([pieces[i] for i in members], n_rows, width, self._graph.pad)
                    computing.append(self._streams.compute(inputs, rows, members + n * BLOCK))

        def wait() -> Embeddings:
            for one in computing:
                one.result()
            for first in range(0, len(texts), BLOCK):  # in place: a long book's rows need not be there twice
                rows[first : first + BLOCK] = unit_rows(rows[first : first + BLOCK])
            return rows

        return wait

    def _pieces(self, texts: list[str]) -> list[NDArray[np.int64]]:
        return [np.array(one.ids, np.int64) for one in self._tokenizer.encode_batch_fast(texts)]

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the share of each text's word pieces that fit into the model's window."""
        shares = np.ones(len(texts), np.float32)
        if self._graph.window is None:
            return shares
        room = self._graph.window - self._counter.num_special_tokens_to_add(False)
        # A piece is at least one character: a text shorter than the window needs no counting.
        long = [i for i, text in enumerate(texts) if len(text) > room]
        for first in range(0, len(long), BLOCK):
            members = long[first : first + BLOCK]
            found = self._counter.encode_batch_fast([texts[i] for i in members], add_special_tokens=False)
            shares[members] = [min(1.0, room / max(1, len(one.ids))) for one in found]
        return shares

    @cached_property
    def _counter(self) -> Any:
        """The tokenizer without the window's limit."""
        return load_tokenizer(self._graph)


class Streams:
    """A compiled graph that computes batches side by side, in the order in which they come."""

    def __init__(self, network: Any) -> None:
        n_streams = network.get_property("NUM_STREAMS")
        n_requests = 2 * n_streams  # the next batch is ready when one is done
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(n_requests):
            self._idle.put(network.create_infer_request())
        self._threads = ThreadPoolExecutor(n_requests)
        self._room = Semaphore(AHEAD * n_streams)

    def compute(
        self,
        inputs: Inputs,
        rows: Embeddings,
        members: NDArray[np.int64],
    ) -> Future[None]:
        """Start a batch, once there is room for it; its vectors go to `rows[members]`."""
        self._room.acquire()
        return self._threads.submit(self._compute, inputs, rows, members)

    def _compute(
        self,
        inputs: Inputs,
        rows: Embeddings,
        members: NDArray[np.int64],
    ) -> None:
        request = self._idle.get()
        try:
            with _BINDINGS:
                request.start_async(inputs, share_inputs=True)
            request.wait()
            with _BINDINGS:
                rows[members] = request.get_output_tensor(0).data[: len(members)]
        finally:
            self._idle.put(request)
            self._room.release()


def batches(lengths: Sequence[int], window: int | None) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield batches, widest first: their width, their rows, and the indices of the texts, no more than rows.

    A text's width depends on its length alone, whatever is embedded with it: its vector is the same to the
    last bit in every batch.

    Args:
        lengths: word pieces of each text.
        window: no row is wider.
    """
    widths = _widths(np.array(lengths, np.int64))
    if window is not None:
        widths = np.minimum(widths, window)
    for width in np.unique(widths)[::-1].tolist():
        members = np.flatnonzero(widths == width)
        most = min(PIECES // width, SCORES // width**2)
        sizes = [max(1, most // part) for part in PARTS]
        first = 0
        while (left := len(members) - first) > 0:
            n_rows = next((size for size in sizes if size <= left), sizes[-1])
            yield width, n_rows, members[first : first + n_rows]
            first += n_rows


def _widths(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    lengths = np.maximum(lengths, 1)
    powers = np.exp2(np.ceil(np.log2(lengths))).astype(np.int64)
    steps = np.maximum(STEP, powers // 8)
    return -(-lengths // steps) * steps


def padded(pieces: Sequence[NDArray[np.int64]], n_rows: int, width: int, pad: int) -> Inputs:
    """Return a batch; rows without a text repeat the last one."""
    ids = np.full((n_rows, width), pad, np.int64)
    mask = np.zeros((n_rows, width), np.int64)
    for row in range(n_rows):
        one = pieces[min(row, len(pieces) - 1)]
        ids[row, : len(one)] = one
        mask[row, : len(one)] = 1
    return ids, mask


def load_tokenizer(graph: Graph) -> Any:
    """Return the graph's tokenizer, which neither pads nor cuts off."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(graph.tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def compile_graph(graph: Graph, precision: Precision) -> Any:
    """Return the graph, ready to be computed on this processor.

    Raises:
        ConfigError: the processor does not have the precision.
    """
    openvino = _openvino()
    offered = half_precisions()
    if precision not in (Precision.AUTO, Precision.F32, *offered):
        raise ConfigError(
            f"cannot compute in {precision}",
            why="this processor does not have it",
            fix="--set precision=auto",
        )
    if precision is Precision.AUTO:
        fit = [one for one in offered if graph.half.exists() or one is not Precision.F16]
        precision = next(iter(fit), Precision.F32)
    file = graph.half if precision is Precision.F16 and graph.half.exists() else graph.network
    n_threads = _n_cpus()
    n_streams = min(n_threads, MOST_STREAMS)
    options = {
        "INFERENCE_PRECISION_HINT": precision.value,
        "NUM_STREAMS": n_streams,
        "INFERENCE_NUM_THREADS": n_threads,
        # Halves the time of a cold start. A folder a precision: the library would take f16's for any other.
        "CACHE_DIR": str(graph.folder / "compiled" / precision.value),
    }
    core = openvino.Core()
    try:
        return core.compile_model(file, "CPU", options | PLAIN_ATTENTION)
    except RuntimeError:  # the option is for the library's own tests: a version may not know it
        return core.compile_model(file, "CPU", options)


def half_precisions() -> list[Precision]:
    """Return the kinds of half precision that this processor has, the more exact one first."""
    found = _openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return [kind for kind, name in ((Precision.F16, "FP16"), (Precision.BF16, "BF16")) if name in found]


def _openvino() -> Any:
    without_telemetry()
    import openvino  # type: ignore[import-untyped]  # it ships no types

    return openvino


def _n_cpus() -> int:
    """Return the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
