"""What every encoder promises, on each of them: the real model, twice computed, and the one for tests."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from alexandria.book.choices import Backend, Precision
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.cache import CachedEncoder
from alexandria.embed.encoder import unit_rows
from alexandria.embed.graph.measure import EXACTEST_FIRST
from tests.embed.needs import needs_torch

TEXTS = (
    "Philosophy is to be studied not for the sake of any definite answers to its questions.",
    "The mind is rendered great.",
    "naïve ÉCOLE, 東京",
    "Whales are mammals. " * 30,
    "?",
    "The mind is rendered great.",
)
# Far longer than any window, so that what is read is its beginning.
LONG = "The appearance of things changes with the light in which they are seen. " * 100

ENCODERS: dict[str, Callable[[Path], Encoder]] = {
    "hashing": lambda _: load_encoder("hashing"),
    "torch": lambda _: load_encoder(backend=Backend.TORCH),
    "openvino": lambda _: load_encoder(backend=Backend.OPENVINO),
    "openvino-f32": lambda _: load_encoder(backend=Backend.OPENVINO, precision=Precision.F32),
    "cached": lambda folder: CachedEncoder(load_encoder("hashing"), lambda: "hashing", folder),
}

PRECISIONS: dict[str, tuple[Precision | None, ...]] = {
    "hashing": (None,),
    "torch": (Precision.F32, Precision.F16),  # f16 on a GPU
    "openvino": (*EXACTEST_FIRST, Precision.INT8),
    "openvino-f32": (Precision.F32,),
    "cached": (None,),
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=needs_torch if name == "torch" else ()) for name in ENCODERS],
)
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return ENCODERS[request.param](tmp_path_factory.mktemp("vectors"))


def test_rows_are_float32_of_length_one(encoder: Encoder) -> None:
    rows = encoder.encode(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), encoder.dim)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_it_says_in_which_numbers_it_computes(encoder: Encoder, request: pytest.FixtureRequest) -> None:
    assert encoder.find_precision() in PRECISIONS[request.node.callspec.params["encoder"]]
    encoder.encode(TEXTS[:1])  # loaded, it says the same
    assert encoder.find_precision() in PRECISIONS[request.node.callspec.params["encoder"]]


def test_rows_are_in_the_order_of_the_texts(encoder: Encoder) -> None:
    rows = encoder.encode(TEXTS)
    np.testing.assert_allclose(encoder.encode(TEXTS[::-1]), rows[::-1], atol=1e-6)
    np.testing.assert_array_equal(rows[1], rows[5])


def test_a_row_does_not_depend_on_the_other_texts(encoder: Encoder) -> None:
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(alone, together, atol=1e-6)


def test_the_same_texts_give_the_same_rows(encoder: Encoder) -> None:
    np.testing.assert_array_equal(encoder.encode(TEXTS), encoder.encode(TEXTS))


def test_texts_begun_together_have_their_own_rows(encoder: Encoder) -> None:
    waiting = [encoder.begin(texts) for texts in (TEXTS[:2], TEXTS[2:], ())]
    for texts, wait in reversed([*zip((TEXTS[:2], TEXTS[2:], ()), waiting, strict=True)]):
        np.testing.assert_array_equal(wait(), encoder.encode(texts))


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dim)
    assert encoder.encode([]).dtype == np.float32
    assert encoder.coverage([]).shape == (0,)


def test_an_empty_text_has_a_usable_row(encoder: Encoder) -> None:
    rows = encoder.encode(["", " ", "\u00ad"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_coverage_is_one_for_a_text_the_window_holds(encoder: Encoder) -> None:
    shares = encoder.coverage(TEXTS)
    assert shares.dtype == np.float32
    np.testing.assert_array_equal(shares, 1)


def test_its_name_does_not_change_by_use(encoder: Encoder) -> None:
    name = encoder.name
    encoder.encode(TEXTS)
    assert encoder.name == name


@pytest.mark.parametrize("backend", [pytest.param(Backend.TORCH, marks=needs_torch), Backend.OPENVINO])
def test_a_text_longer_than_the_window_counts_by_its_beginning(backend: Backend) -> None:
    encoder = load_encoder(backend=backend)
    (share,) = encoder.coverage([LONG])
    assert 0.1 < share < 0.5
    cut, whole = encoder.encode([LONG, LONG + "Something else entirely, about whales."])
    np.testing.assert_array_equal(cut, whole)


@needs_torch
def test_both_ways_of_counting_pieces_agree() -> None:
    texts = [LONG, *TEXTS, LONG[:1300], "x" * 300, "東京" * 200]
    by_torch = load_encoder(backend=Backend.TORCH).coverage(texts)
    np.testing.assert_array_equal(load_encoder(backend=Backend.OPENVINO).coverage(texts), by_torch)


def test_what_computes_a_model_is_not_in_its_name() -> None:
    names = {
        load_encoder(backend=backend, precision=precision).name
        for backend in Backend
        for precision in Precision
    }
    assert names == {"all-MiniLM-L6-v2@53aa51172d14"}


@pytest.fixture(scope="module")
def openvino() -> Encoder:
    return load_encoder(backend=Backend.OPENVINO)


@settings(max_examples=25, deadline=None)
@given(data=st.data(), texts=st.lists(st.text(max_size=300), min_size=1, max_size=12))
def test_a_vector_is_the_same_to_the_last_bit_in_any_batch(
    openvino: Encoder, data: st.DataObject, texts: list[str]
) -> None:
    encoder = openvino
    order = data.draw(st.permutations(range(len(texts))))
    rows = encoder.encode(texts)
    np.testing.assert_array_equal(encoder.encode([texts[i] for i in order]), rows[order])
    np.testing.assert_array_equal(encoder.encode(texts[:1]), rows[:1])


@given(arrays(np.float32, (3, 4), elements=st.floats(-1e6, 1e6, width=32)))
def test_rows_keep_their_direction_and_get_length_one(rows: np.ndarray) -> None:
    rows = rows + np.array([1, 0, 0, 0], np.float32) * (np.abs(rows).max(axis=1, keepdims=True) < 1e-3)
    unit = unit_rows(rows)
    assert unit.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(unit * np.linalg.norm(rows, axis=1, keepdims=True), rows, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_row_that_is_no_vector_is_an_error(bad: float) -> None:
    rows = np.ones((3, 2), np.float32)
    rows[1] = bad
    with pytest.raises(FloatingPointError, match="text 1"):
        unit_rows(rows)


def test_no_rows_stay_no_rows() -> None:
    assert unit_rows(np.zeros((0, 5), np.float32)).shape == (0, 5)
