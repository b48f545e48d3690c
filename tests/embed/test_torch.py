"""Torch: batches by word pieces, memory that runs out, and what it cannot compute.

What loading it leaves behind is tested in test_offline.py.
"""

import logging
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from alexandria.book.choices import Backend, Precision
from alexandria.embed import backends, load_encoder
from alexandria.embed.backends import may_use_gpu
from alexandria.embed.batches import Batch
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.embed.models.multilingual import is_installed
from alexandria.errors import ConfigError
from tests.embed.needs import needs_torch

TEXTS = [f"The {word} of the book is {n}. " * (1 + n % 7) for n, word in enumerate(["light", "rock"] * 60)]


def test_int8_is_refused_with_the_reason() -> None:
    """Before anything is loaded, and whether or not torch is installed."""
    with pytest.raises(ConfigError, match="cannot run the model all-MiniLM-L6-v2 in int8") as error:
        load_encoder(backend=Backend.TORCH, precision=Precision.INT8).encode(["A text."])
    assert (error.value.why, error.value.fix) == (
        "it runs on torch, and int8 needs OpenVINO",
        "--set precision=auto",
    )


@needs_torch
def test_its_vectors_are_those_of_the_library_whose_batches_it_does_not_use() -> None:
    from alexandria.embed.torch import TorchEncoder, load_torch

    model = locate(DEFAULT_MODEL)
    theirs = load_torch(model, Precision.F32).encode(
        TEXTS, normalize_embeddings=True, show_progress_bar=False
    )
    np.testing.assert_allclose(TorchEncoder(model, Precision.F32).encode(TEXTS), theirs, atol=1e-5)


@needs_torch
def test_a_batch_that_does_not_fit_is_halved_and_no_text_is_lost(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import torch

    from alexandria.embed.torch import TorchEncoder

    forward = TorchEncoder._forward
    n_pieces: list[int] = []

    def limited(self: Any, batch: Batch, pieces: Sequence[NDArray[np.int64]]) -> torch.Tensor:
        n_pieces.append(batch.n_rows * batch.width)
        if n_pieces[-1] > 300:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1.00 GiB.")
        return forward(self, batch, pieces)

    encoder = TorchEncoder(locate(DEFAULT_MODEL), Precision.F32)
    expected = encoder.encode(TEXTS)
    monkeypatch.setattr(TorchEncoder, "_forward", limited)
    with caplog.at_level(logging.WARNING):
        np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=1e-5)
        n_too_large = sum(n > 300 for n in n_pieces)
        encoder.encode(TEXTS)
    assert n_too_large == sum(n > 300 for n in n_pieces), "later batches are small from the start"
    assert len(caplog.messages) == n_too_large < 5
    assert "too little memory on the GPU: batches now have" in caplog.messages[0]


@needs_torch
def test_any_other_fault_is_not_taken_for_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from alexandria.embed.torch import TorchEncoder

    def failing(*_: object) -> None:
        raise RuntimeError("device-side assert triggered")

    encoder = TorchEncoder(locate(DEFAULT_MODEL), Precision.F32)
    monkeypatch.setattr(TorchEncoder, "_forward", failing)
    with pytest.raises(RuntimeError, match="device-side"):
        encoder.encode(TEXTS)


@needs_torch
def test_a_gpu_is_asked_for_only_where_it_can_help(monkeypatch: pytest.MonkeyPatch) -> None:
    model = locate(DEFAULT_MODEL)
    monkeypatch.setattr(backends, "may_have_gpu", lambda: True)
    assert may_use_gpu(model, Backend.AUTO, Precision.AUTO)
    assert not may_use_gpu(model, Backend.OPENVINO, Precision.AUTO)
    assert not may_use_gpu(model, Backend.AUTO, Precision.INT8)
    if is_installed():
        assert not may_use_gpu(locate("multilingual"), Backend.AUTO, Precision.AUTO)
    monkeypatch.setattr(backends, "may_have_gpu", lambda: False)
    assert not may_use_gpu(model, Backend.AUTO, Precision.AUTO)


def test_without_torch_no_gpu_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "may_have_gpu", lambda: True)
    monkeypatch.setattr(backends, "package_version", lambda package: "")
    assert not may_use_gpu(locate(DEFAULT_MODEL), Backend.AUTO, Precision.AUTO)


def test_the_processor_goes_on_where_torch_finds_no_gpu() -> None:
    if find_spec("torch") is None:
        pytest.skip("torch (the extra `models`) is not installed")
    import torch

    if torch.cuda.is_available() or torch.backends.mps.is_available():
        pytest.skip("this machine has a GPU")
    assert backends.load_on_gpu(locate(DEFAULT_MODEL), Precision.AUTO, None) is None
