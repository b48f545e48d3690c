"""What `auto` stands for, and a graph in other numbers than f32.

This processor may support none of them: what it supports is replaced here, and OpenVINO then computes with
int8 weights, but not with int8 activations.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alexandria import embed
from alexandria.embed import load_encoder, openvino, processor, variants
from alexandria.embed.backends import cache_key
from alexandria.embed.blueprint import Kind
from alexandria.embed.graph import open_graph
from alexandria.embed.locate import DEFAULT_MODEL, Model, locate
from alexandria.embed.probes import PROBES
from alexandria.embed.processor import supported_precisions
from alexandria.embed.variants import actual_precision, network_file
from alexandria.errors import ConfigError
from alexandria.modes import Backend, Precision
from tests.command import alexandria
from tests.conftest import SAMPLES
from tests.embed.tiny import write_model

Support = Callable[..., None]


@pytest.fixture
def supports(monkeypatch: pytest.MonkeyPatch) -> Support:
    """A function that makes the processor one that supports these precisions."""

    def set_supported(*precisions: Precision) -> None:
        for module in (variants, openvino):
            monkeypatch.setattr(module, "supported_precisions", lambda: precisions)

    return set_supported


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    return locate(str(write_model(Kind.MPNET, tmp_path / "tiny")))


@pytest.mark.parametrize(
    ("supported", "expected"),
    [
        ((), Precision.F32),
        ((Precision.BF16,), Precision.BF16),
        ((Precision.BF16, Precision.INT8), Precision.BF16),
        ((Precision.INT8,), Precision.F32),  # of this model nobody has measured what int8 costs
        ((Precision.F16,), Precision.F32),  # this graph was made where there is no f16
    ],
    ids=str,
)
def test_auto_takes_the_best_that_the_processor_supports(
    tiny: Model, supports: Support, supported: tuple[Precision, ...], expected: Precision
) -> None:
    if Precision.F16 in supported_precisions():
        pytest.skip("graphs made here have f16")
    supports(*supported)
    assert actual_precision(open_graph(tiny), Precision.AUTO) is expected
    assert actual_precision(open_graph(tiny), Precision.F32) is Precision.F32


def test_the_cache_of_vectors_knows_what_auto_stands_for(tiny: Model, supports: Support) -> None:
    def key(precision: Precision, backend: Backend = Backend.AUTO) -> str:
        return cache_key(tiny, backend, precision)

    supports()
    assert key(Precision.AUTO) == key(Precision.F32) == key(Precision.AUTO, Backend.OPENVINO)
    supports(Precision.INT8)
    assert key(Precision.INT8) != key(Precision.F32)
    supports(Precision.BF16)
    assert key(Precision.AUTO) == key(Precision.BF16) != key(Precision.F32)
    assert key(Precision.F32, Backend.TORCH) != key(Precision.F32)


def test_int8_gives_nearly_the_vectors_of_f32(tiny: Model, supports: Support) -> None:
    supports(Precision.INT8)
    ours, exact = (load_encoder(str(tiny.folder), precision=p) for p in (Precision.INT8, Precision.F32))
    rows, exact_rows = ours.encode(PROBES), exact.encode(PROBES)
    assert not np.array_equal(rows, exact_rows)
    assert (rows * exact_rows).sum(axis=1).min() > 0.99
    files = {path.name for path in open_graph(tiny).folder.iterdir()}
    assert {"graph.xml", "int8.xml", "int8.bin", "compiled"} <= files
    assert not [name for name in files if "new" in name]


def test_the_default_model_in_int8_takes_a_quarter_for_its_layers(supports: Support) -> None:
    supports(Precision.INT8)
    graph = open_graph(locate("all-MiniLM-L6-v2"))
    file = network_file(graph, Precision.INT8)
    assert file
    assert actual_precision(graph, Precision.AUTO) is Precision.INT8
    # 10.6 million weights of layers, of 1 byte; 11.7 million of word pieces, of 2.
    assert 34e6 < file.with_suffix(".bin").stat().st_size < 36e6
    assert sum(path.stat().st_size for path in graph.folder.rglob("*") if path.is_file()) < 150e6
    ours = load_encoder(precision=Precision.INT8).encode(PROBES)
    exact = load_encoder(precision=Precision.F32).encode(PROBES)
    assert 0.99 < (ours * exact).sum(axis=1).min() < 0.99999


def test_a_model_that_int8_cannot_represent_stays_in_f32(
    tiny: Model, supports: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    supports(Precision.INT8)
    monkeypatch.setattr(variants, "MIN_INT8_COSINE", 1.1)
    assert network_file(open_graph(tiny), Precision.INT8) is None
    monkeypatch.setattr(variants, "_make_int8", None)  # it is not tried again
    with pytest.raises(ConfigError, match="int8"):
        load_encoder(str(tiny.folder), precision=Precision.INT8).encode(PROBES)


@pytest.mark.parametrize("precision", [Precision.F16, Precision.BF16, Precision.INT8])
def test_a_precision_that_the_processor_lacks_is_refused(
    tiny: Model, supports: Support, precision: Precision
) -> None:
    supports()
    with pytest.raises(ConfigError, match=f"cannot compute in {precision}") as error:
        load_encoder(str(tiny.folder), precision=precision).encode(PROBES)
    assert error.value.why == "this processor does not support it"


def test_openvino_is_asked_once_what_the_processor_supports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path))
    first = supported_precisions()
    monkeypatch.setattr(processor, "ask_openvino", None)
    assert supported_precisions() == first
    (note,) = (tmp_path / "graphs").iterdir()
    note.write_text("int8 bf16")
    assert supported_precisions() == (Precision.INT8, Precision.BF16)
    note.write_text("f7")  # of a later version
    monkeypatch.setattr(processor, "ask_openvino", lambda: (Precision.F16,))
    assert supported_precisions() == (Precision.F16,)


@settings(max_examples=15, deadline=None)
@given(texts=st.lists(st.text(max_size=300), min_size=1, max_size=8))
def test_in_int8_too_a_vector_does_not_depend_on_the_batch(texts: list[str]) -> None:
    if Precision.INT8 not in supported_precisions():
        pytest.skip("this processor has no int8")
    encoder = load_encoder(precision=Precision.INT8)
    rows = encoder.encode(texts)
    np.testing.assert_array_equal(encoder.encode(texts[:1]), rows[:1])


# --- what is said ---------------------------------------------------------------------------------


def ingest(tmp_path: Path, *options: str) -> str:
    book, store = str(SAMPLES / "winterapfel.txt"), str(tmp_path / "store")
    embed._shared_encoder.cache_clear()  # as in a new process
    done = alexandria(
        *("ingest", book, "--store", store, "--no-cache", "--force", *options),
        env={"ALEXANDRIA_CACHE": str(tmp_path / "cache"), "ALEXANDRIA_MODEL": DEFAULT_MODEL},
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_first_run_says_what_it_prepares_and_that_this_happens_once(tmp_path: Path) -> None:
    notice = r"preparing the model all-MiniLM-L6-v2 for this processor \(only once, about \d s\)"
    assert re.search(notice, ingest(tmp_path))
    assert "preparing" not in ingest(tmp_path)
    graphs = tmp_path / "cache" / "graphs"
    assert sum(path.stat().st_size for path in graphs.rglob("*") if path.is_file()) < 150e6
    shutil.rmtree(graphs)
    assert "preparing" not in ingest(tmp_path, "--quiet")
