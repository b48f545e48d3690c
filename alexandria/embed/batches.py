"""Groups texts into batches of few shapes, so that a text's vector does not depend on its neighbours."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

PIECES_PER_BATCH = 1024  # word pieces, padding included: 500–2,000 are fastest, 16,000 take twice as long
SCORES_PER_PIECE = 128
"""Pairs of word pieces of one text, per piece of a full batch: without a limit, attention on long texts would
double the memory."""
FRACTIONS = (1, 2, 4)
"""A batch has all the rows that fit, half of them or a quarter. There are few shapes because OpenVINO keeps
up to 3 MB of memory for each."""
WIDTH_STEP = 8
"""Widths are multiples of this; those of long texts are multiples of an eighth of the next power of two."""

Inputs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Ids of word pieces, and a mask that is 1 where there is a piece; each (n_rows, width)."""

_T = TypeVar("_T")
_Prepared = TypeVar("_Prepared")


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts that are computed together."""

    width: int  # word pieces per row, padding included
    n_rows: int  # at least the number of texts
    members: NDArray[np.int64]  # the indices of the texts


def make_batches(
    lengths: Sequence[int],
    window: int | None,
    *,
    batch_size: int | None = None,
    n_pieces: int = PIECES_PER_BATCH,
) -> Iterator[Batch]:
    """Yield batches that hold each text once, widest first.

    The width of a text depends on its length alone, whatever is embedded with it: its vector is the same to
    the last bit in every batch.

    Args:
        lengths: word pieces of each text.
        batch_size: maximum number of texts in a batch; long texts are fewer, because of the memory that
            their attention takes. By default as many as are fastest.
        n_pieces: word pieces of a full batch, padding included.
    """
    widths = _padded_widths(np.array(lengths, np.int64), window)
    for width in np.unique(widths)[::-1].tolist():
        members = np.flatnonzero(widths == width)
        max_rows = min(batch_size or n_pieces // width, SCORES_PER_PIECE * n_pieces // width**2)
        sizes = [max(1, max_rows // fraction) for fraction in FRACTIONS]
        first = 0
        while (n_left := len(members) - first) > 0:
            # The largest size that the remaining texts fill, or the smallest, filled up with padding.
            n_rows = next((size for size in sizes if size <= n_left), sizes[-1])
            yield Batch(width, n_rows, members[first : first + n_rows])
            first += n_rows


def single_text_batch(length: int, window: int | None) -> Batch:
    """Return a batch of a single text, as wide as `make_batches` would make it, without rows of padding."""
    (width,) = _padded_widths(np.array([length], np.int64), window).tolist()
    return Batch(width, 1, np.zeros(1, np.int64))


def _padded_widths(lengths: NDArray[np.int64], window: int | None) -> NDArray[np.int64]:
    """Return each length, rounded up to a multiple of its step (see `WIDTH_STEP`), or the window if less."""
    lengths = np.maximum(lengths, 1)
    powers = np.exp2(np.ceil(np.log2(lengths))).astype(np.int64)  # the next powers of two
    steps = np.maximum(WIDTH_STEP, powers // 8)
    widths: NDArray[np.int64] = -(-lengths // steps) * steps  # −(−a // b) rounds up
    return widths if window is None else np.minimum(widths, window)


def pad_batch(batch: Batch, pieces: Sequence[NDArray[np.int64]], pad: int) -> Inputs:
    """Return the inputs of a batch; rows without a text repeat the last one.

    Args:
        batch: its members are indices into `pieces`.
        pieces: the word pieces of each text.
        pad: the id of the piece with which rows are padded.
    """
    ids = np.full((batch.n_rows, batch.width), pad, np.int64)
    mask = np.zeros((batch.n_rows, batch.width), np.int64)
    for row in range(batch.n_rows):
        member = batch.members[min(row, len(batch.members) - 1)]
        text_pieces = pieces[member]
        ids[row, : len(text_pieces)] = text_pieces
        mask[row, : len(text_pieces)] = 1
    return ids, mask


def prepare_ahead(
    prepare: Callable[[_T], _Prepared], items: Iterable[_T]
) -> Generator[_Prepared, None, None]:
    """Yield the result of `prepare` for each item, while a thread prepares the next item, but no others."""
    with ThreadPoolExecutor(1) as thread:
        following: Future[_Prepared] | None = None
        for item in items:
            current, following = following, thread.submit(prepare, item)
            if current is not None:
                yield current.result()
        if following is not None:
            yield following.result()
