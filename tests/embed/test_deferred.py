"""A deferred encoder loads its model when first needed, once; a GPU takes over once there is enough text."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings
from alexandria.embed import with_cache
from alexandria.embed.cache import CachedEncoder
from alexandria.embed.deferred import MIN_TEXTS, DeferredEncoder, ScalingEncoder
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


class Place(HashingEncoder):
    """An encoder that notes how many texts it has been given."""

    def __init__(self, precision: Precision) -> None:
        super().__init__(8)
        self.n_texts: list[int] = []
        self._precision = precision

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.n_texts.append(len(texts))
        return super().encode(texts)

    def find_precision(self) -> Precision:
        return self._precision


@pytest.fixture
def places() -> tuple[Place, Place]:
    return Place(Precision.BF16), Place(Precision.F16)


def scaling(processor: Place, load_on_gpu: Callable[[], Encoder | None]) -> ScalingEncoder:
    return ScalingEncoder(
        DeferredEncoder(
            name="some", dim=8, cache_key=lambda: "key", precision=lambda: None, load=lambda: processor
        ),
        load_on_gpu,
    )


def test_a_query_and_a_short_book_stay_on_the_processor(places: tuple[Place, Place]) -> None:
    processor, _ = places
    encoder = scaling(processor, lambda: pytest.fail("the GPU is loaded"))
    encoder.encode_queries(["what is justice?"])
    encoder.encode(["a sentence"] * (MIN_TEXTS - 1))
    assert processor.n_texts == [1, MIN_TEXTS - 1]
    assert encoder.find_precision() is Precision.BF16


@pytest.mark.parametrize("sizes", [[MIN_TEXTS], [3000, 3000, 10]], ids=["a long book", "a folder"])
def test_much_text_goes_to_the_gpu(places: tuple[Place, Place], sizes: list[int]) -> None:
    processor, gpu = places
    encoder = scaling(processor, lambda: gpu)
    for size in sizes:
        encoder.encode(["a sentence"] * size)
    assert processor.n_texts + gpu.n_texts == sizes
    assert sum(processor.n_texts) < MIN_TEXTS
    assert encoder.find_precision() is Precision.F16
    encoder.encode_queries(["what is justice?"])
    assert processor.n_texts[-1] == 1, "a question is not worth the way to the GPU"


def test_where_torch_finds_no_gpu_the_processor_goes_on(places: tuple[Place, Place]) -> None:
    processor, _ = places
    n_tries = 0

    def load() -> None:
        nonlocal n_tries
        n_tries += 1

    encoder = scaling(processor, load)
    for _ in range(2):
        rows = encoder.encode(["a sentence"] * MIN_TEXTS)
    np.testing.assert_array_equal(rows[0], HashingEncoder(8).encode(["a sentence"])[0])
    assert (n_tries, processor.n_texts) == (1, [MIN_TEXTS] * 2)


def test_its_vectors_are_cached_under_a_key_of_their_own(places: tuple[Place, Place]) -> None:
    encoder = scaling(places[0], lambda: places[1])
    assert isinstance(with_cache(encoder), CachedEncoder)
    assert encoder.cache_key() == "key or a GPU"
