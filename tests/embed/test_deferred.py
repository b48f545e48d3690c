"""A deferred encoder loads its model when first needed, once, whoever needs it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

from alexandria.embed.deferred import DeferredEncoder
from alexandria.embed.encoder import Encoder
from alexandria.embed.hashing import HashingEncoder


def deferred(load: Callable[[], Encoder], dim: int | None = 8) -> DeferredEncoder:
    return DeferredEncoder(name="some", dim=dim, cache_key=lambda: "any", precision=lambda: None, load=load)


def test_nothing_is_loaded_for_what_is_known_beforehand() -> None:
    encoder = deferred(lambda: pytest.fail("loaded"))
    assert (encoder.name, encoder.dim) == ("some", 8)


def test_an_unknown_dimension_is_that_of_the_loaded_model() -> None:
    assert deferred(lambda: HashingEncoder(8), dim=None).dim == 8


def test_two_threads_load_one_model() -> None:
    both_inside = Barrier(2)
    n_loaded = 0

    def load() -> Encoder:
        nonlocal n_loaded
        n_loaded += 1
        with suppress(BrokenBarrierError):
            both_inside.wait(0.3)  # broken after that time, unless the other thread loads as well
        return HashingEncoder(8)

    encoder = deferred(load)
    with ThreadPoolExecutor(2) as threads:
        some, other = threads.map(encoder.encode, (["a text"], ["a text"]))
    assert n_loaded == 1
    np.testing.assert_array_equal(some, other)


def test_a_model_that_could_not_be_loaded_is_tried_again() -> None:
    errors = [OSError("busy")]

    def load() -> Encoder:
        if errors:
            raise errors.pop()
        return HashingEncoder(8)

    encoder = deferred(load)
    with pytest.raises(OSError, match="busy"):
        encoder.encode(["a text"])
    assert encoder.encode(["a text"]).shape == (1, 8)
