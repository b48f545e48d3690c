"""Computes a converted model on the CPU, through OpenVINO: without torch, and with all cores busy."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from queue import SimpleQueue
from threading import Lock, Semaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings
from alexandria.embed.batches import Batch, Inputs, make_batches, pad_batch, prepare_ahead, single_text_batch
from alexandria.embed.encoder import Counter, uncounted, unit_rows
from alexandria.embed.graph.folder import Graph, import_openvino
from alexandria.system.machine import n_cpus, processor_id

QUEUED_PER_STREAM = 8
"""Batches that may wait for each stream: while they wait, the next book is split and tokenised."""

_BINDINGS_LOCK = Lock()
"""Held during calls into OpenVINO's bindings. They initialise themselves on first use; two threads that
trigger this at once may deadlock, one holding the interpreter's lock, the other the lock of the bindings."""
if hasattr(os, "register_at_fork"):  # another thread of the parent may hold it
    os.register_at_fork(after_in_child=_BINDINGS_LOCK._at_fork_reinit)  # type: ignore[attr-defined]  # as in `threading`


class Streams:
    """A compiled graph that computes batches side by side and starts them in the order of arrival."""

    def __init__(self, network: Any) -> None:
        """Start the threads; they compute nothing until `start_batch` is called."""
        n_streams = network.get_property("NUM_STREAMS")
        n_requests = 2 * n_streams  # so that the next batch is ready when one is done
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(n_requests):
            self._idle.put(network.create_infer_request())
        self._threads = ThreadPoolExecutor(n_requests)
        self._queue_slots = Semaphore(QUEUED_PER_STREAM * n_streams)

    def start_batch(self, inputs: Inputs, vectors: Embeddings, members: NDArray[np.int64]) -> Future[None]:
        """Start a batch once the queue has a slot; when it is done, its vectors are in `vectors[members]`."""
        self._queue_slots.acquire()
        return self._threads.submit(self._compute, inputs, vectors, members)

    def _compute(self, inputs: Inputs, vectors: Embeddings, members: NDArray[np.int64]) -> None:
        """Compute a batch in a thread, and write its vectors to `vectors[members]`."""
        # The vectors of the rows that only fill up the batch are dropped.
        request = self._idle.get()
        try:
            with _BINDINGS_LOCK:
                request.start_async(inputs, share_inputs=True)
            request.wait()
            with _BINDINGS_LOCK:
                vectors[members] = request.get_output_tensor(0).data[: len(members)]
        finally:
            self._idle.put(request)
            self._queue_slots.release()


MAX_STREAMS = 8
"""Batches computed in parallel, with one thread each on few cores: this is faster than one batch on all
cores. Each takes memory of its own: on many cores, several threads share a batch."""
PLAIN_ATTENTION = {"SNIPPETS_MODE": "DISABLE"}
"""Computes attention as products and a softmax: the fused kernel, made for long texts, is a sixth slower on
sentences."""
SMALL_CACHE = {"CACHE_MODE": "OPTIMIZE_SIZE"}
"""Stores the compiled graph without its weights; reading them from the graph's own file is as fast."""
GROUP_SIZE = 128  # numbers of an activation that share a scale in int8
TEXTS_PER_BLOCK = 2048
"""Texts tokenised at once: enough for full batches of each width, and few enough pieces in memory."""


class DamagedGraphError(Exception):
    """The files of a converted model cannot be read."""


class OpenVinoEncoder:
    """A converted model in memory, as an `Encoder`; a text's vector does not depend on its neighbours."""

    def __init__(self, name: str, graph: Graph, precision: Precision, batch_size: int | None = None) -> None:
        """Load the graph; `precision` is never `auto` here, and int8 needs its own file.

        Raises:
            DamagedGraphError: its files cannot be read, or this processor cannot compute it in the precision.
        """
        self.name, self.dim, self._graph, self._batch_size = name, graph.dim, graph, batch_size
        self._precision = precision
        try:
            network = compile_graph(graph, precision)
            self._tokenizer, self._streams = load_tokenizer(graph), Streams(network)
        except Exception as error:  # neither library raises anything narrower
            raise DamagedGraphError(str(error)) from error
        self._tokenizer.enable_truncation(graph.window)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim); text beyond the model's window is ignored (see `coverage`)."""
        return self.begin(texts)()

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim): the vectors of questions, with the prefix that the model has for them."""
        return self._begin(texts, self._graph.query, query=True)()

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts; the function returned waits for the batches still being computed."""
        return self._begin(texts, self._graph.passage, encoded=encoded)

    def _begin(
        self, texts: Sequence[str], prefix: str, *, query: bool = False, encoded: Counter = uncounted
    ) -> Callable[[], Embeddings]:
        """Start to encode texts, and return a function that waits for their vectors."""
        # `texts`: any number; the call ends when all their batches are computed or in the queue.
        # `prefix`: put before each text.
        # `query`: whether they are questions, whose vectors are not stored.
        # `encoded`: called with the number of characters of each batch that is computed.
        vectors = np.empty((len(texts), self.dim), np.float32)
        futures = []
        # Padding a batch to a fixed number of rows makes a single text ten times slower. Without padding, its
        # vector is the same in f32; in other precisions its last digits may differ, because it is computed by
        # other instructions. That does not matter for a question, whose vector is not stored.
        is_unpadded = len(texts) == 1 and (query or self._precision is Precision.F32)
        starts = range(0, len(texts), TEXTS_PER_BLOCK)
        blocks = ([prefix + text for text in texts[start : start + TEXTS_PER_BLOCK]] for start in starts)
        # The next block is tokenised while this one is computed.
        with closing(prepare_ahead(self._tokenise, blocks)) as tokenised_blocks:
            for start, pieces in zip(starts, tokenised_blocks, strict=True):
                lengths = [len(ids) for ids in pieces]
                for batch in self._batches(lengths, is_unpadded=is_unpadded):
                    inputs = pad_batch(batch, pieces, self._graph.pad)
                    future = self._streams.start_batch(inputs, vectors, start + batch.members)
                    n_characters = sum(len(texts[start + member]) for member in batch.members)
                    future.add_done_callback(partial(_report_encoded, encoded, n_characters))
                    futures.append(future)

        def wait() -> Embeddings:
            """Wait for all batches, and return the vectors, scaled to length 1."""
            for future in futures:
                future.result()
            for start in starts:  # in place: a long book's vectors must not exist twice
                block = slice(start, start + TEXTS_PER_BLOCK)
                vectors[block] = unit_rows(vectors[block])
            return vectors

        return wait

    def _batches(self, lengths: Sequence[int], *, is_unpadded: bool) -> Iterable[Batch]:
        """Return the batches of texts of these lengths; if `is_unpadded`, one batch of the single text."""
        if is_unpadded:
            return [single_text_batch(lengths[0], self._graph.window)]
        return make_batches(lengths, self._graph.window, batch_size=self._batch_size)

    def _tokenise(self, texts: list[str]) -> list[NDArray[np.int64]]:
        """Return the ids of the word pieces of each text."""
        return [np.array(text.ids, np.int64) for text in self._tokenizer.encode_batch_fast(texts)]

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the share of each text's word pieces that fit into the model's window."""
        shares_read = np.ones(len(texts), np.float32)
        prefix = self._tokenizer.encode(self._graph.passage, add_special_tokens=False)
        n_special = self._tokenizer.num_special_tokens_to_add(False)  # False: for one text, not for a pair
        n_fitting = self._graph.window - n_special - len(prefix.ids)
        # A piece has at least one character: pieces are counted only in texts longer than the window.
        long_texts = [i for i, text in enumerate(texts) if len(text) > n_fitting]
        for start in range(0, len(long_texts), TEXTS_PER_BLOCK):
            members = long_texts[start : start + TEXTS_PER_BLOCK]
            pieces = self._tokenizer.encode_batch_fast([texts[i] for i in members], add_special_tokens=False)
            shares_read[members] = [min(1.0, n_fitting / max(1, _count_pieces(text))) for text in pieces]
        return shares_read

    def knows(self, word: str) -> bool:
        """Return whether the model has a word in one piece."""
        return len(self._tokenizer.encode(word, add_special_tokens=False).ids) == 1

    def find_precision(self) -> Precision:
        """Return the number format of the model."""
        return self._precision


def _report_encoded(encoded: Counter, n_characters: int, batch: Future[None]) -> None:
    """Call `encoded` with the characters of a batch that has ended, unless the batch has failed."""
    if not batch.cancelled() and batch.exception() is None:
        encoded(n_characters)


def _count_pieces(text: Any) -> int:
    """Return the number of word pieces of a tokenised text, including those that the window cuts off."""
    # A second tokenizer without the limit would give it directly, but takes 280 MB for a multilingual model.
    return len(text.ids) + sum(len(rest.ids) for rest in text.overflowing)


def load_tokenizer(graph: Graph) -> Any:
    """Return the graph's tokenizer, without padding and truncation."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(graph.tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def compile_graph(graph: Graph, precision: Precision) -> Any:
    """Return the graph compiled for this processor, in one of the formats that it can compute."""
    n_threads = n_cpus()
    options = {
        # int8: the weights are rounded in the file, and the activations by group while they are computed.
        "INFERENCE_PRECISION_HINT": "f32" if precision is Precision.INT8 else precision.value,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP_SIZE if precision is Precision.INT8 else 0,
        "NUM_STREAMS": min(n_threads, MAX_STREAMS),
        "INFERENCE_NUM_THREADS": n_threads,
        # Halves the time of a cold start. One folder per precision: OpenVINO would use the entry of f16 for
        # the others as well.
        "CACHE_DIR": str(graph.folder / "compiled" / processor_id() / precision.value),
    }
    file = graph.int8 if precision is Precision.INT8 else graph.network
    core = import_openvino().Core()
    try:
        return core.compile_model(file, "CPU", options | SMALL_CACHE | PLAIN_ATTENTION)
    except RuntimeError:  # an older OpenVINO rejects SMALL_CACHE and PLAIN_ATTENTION
        return core.compile_model(file, "CPU", options)
