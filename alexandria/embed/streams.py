"""A compiled OpenVINO graph that computes several batches at once."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Lock, Semaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed.batches import Inputs

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
        """Compute a batch in a thread, and write its vectors to `vectors[members]`.

        The vectors of the rows that only fill up the batch are dropped.
        """
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
