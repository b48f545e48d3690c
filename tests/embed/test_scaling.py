"""A GPU takes over once there is enough text, and not before; what this machine has is passed in."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from alexandria.book import Embeddings
from alexandria.embed import Encoder, encode_queries, precision_of, with_cache
from alexandria.embed.cache import CachedEncoder
from alexandria.embed.deferred import DeferredEncoder
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.scaling import MIN_TEXTS, ScalingEncoder
from alexandria.modes import Precision


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
    encode_queries(encoder, ["what is justice?"])
    encoder.encode(["a sentence"] * (MIN_TEXTS - 1))
    assert processor.n_texts == [1, MIN_TEXTS - 1]
    assert precision_of(encoder) is Precision.BF16


@pytest.mark.parametrize("sizes", [[MIN_TEXTS], [3000, 3000, 10]], ids=["a long book", "a folder"])
def test_much_text_goes_to_the_gpu(places: tuple[Place, Place], sizes: list[int]) -> None:
    processor, gpu = places
    encoder = scaling(processor, lambda: gpu)
    for size in sizes:
        encoder.encode(["a sentence"] * size)
    assert processor.n_texts + gpu.n_texts == sizes
    assert sum(processor.n_texts) < MIN_TEXTS
    assert precision_of(encoder) is Precision.F16
    encode_queries(encoder, ["what is justice?"])
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
