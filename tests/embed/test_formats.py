"""What `auto` stands for: measured on this processor, whichever it is, and chosen by one rule.

Which formats this processor has is found by measuring; a format that it lacks is skipped by name. What is
chosen is tested with invented measurements.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from alexandria import embed
from alexandria.book.choices import Backend, Precision, ThresholdScale
from alexandria.book.model import Embeddings
from alexandria.embed import load_encoder
from alexandria.embed.backends import cache_key
from alexandria.embed.batches import make_batches
from alexandria.embed.graph import measure
from alexandria.embed.graph.blueprint import Kind
from alexandria.embed.graph.folder import Graph
from alexandria.embed.graph.measure import (
    PROBES,
    Trial,
    actual_precision,
    choose_format,
    measure_formats,
    measured_trials,
    stored_trials,
    supported_formats,
)
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.models.locate import DEFAULT_MODEL, Model, locate
from alexandria.embed.openvino import OpenVinoEncoder, load_tokenizer
from alexandria.errors import ConfigError
from alexandria.system.machine import processor_id
from tests.command import alexandria
from tests.embed.tiny import write_model

F32, F16, BF16, INT8 = Precision.F32, Precision.F16, Precision.BF16, Precision.INT8


def trials(cosines: dict[Precision, float] | None = None, /, **speeds: float) -> tuple[Trial, ...]:
    """Return invented measurements: a speed by format, and faithful unless `cosines` says otherwise."""
    return tuple(
        Trial(Precision(name), speed, (cosines or {}).get(Precision(name), 1.0))
        for name, speed in speeds.items()
    )


def test_the_most_exact_of_the_fastest_formats_is_chosen() -> None:
    cases: dict[str, tuple[Sequence[Trial], Precision]] = {
        "AVX2: nothing but f32": (trials(f32=100), F32),
        "AMX: f16 is emulated": (trials(f32=100, bf16=350, f16=20), BF16),
        "AMX-FP16: as fast, and more exact": (trials(f32=100, bf16=350, f16=340), F16),
        "f16 is more than a tenth slower": (trials(f32=100, bf16=350, f16=310), BF16),
        "not worth a less exact format": (trials(f32=100, bf16=105), F32),
        "AVX-512 BF16 without AMX": (trials(f32=100, bf16=60, f16=65), F32),
        "numbers too large for f16": (trials({F16: -1}, f32=100, f16=200), F32),
        "not faithful in bf16": (trials({BF16: 0.99}, f32=100, bf16=300), F32),
        "VNNI: 1.5 times as fast": (trials(f32=100, int8=150), INT8),
        "int8 is not worth it": (trials(f32=100, int8=149), F32),
        "not faithful in int8": (trials({INT8: 0.97}, f32=100, int8=300), F32),
        "int8 only where the others do not help": (trials(f32=100, bf16=200, int8=400), BF16),
    }
    for measured, expected in cases.values():
        assert choose_format(measured) is expected
        assert choose_format(measured[::-1]) is expected


# --- what is measured ------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path, own_cache: Path) -> Model:
    return locate(str(write_model(Kind.MPNET, tmp_path / "tiny")))


def trials_file(graph: Graph) -> Path:
    return graph.folder / f"speeds-{processor_id()}.json"


@pytest.fixture
def invent(tiny: Model) -> Callable[..., Model]:
    """A function that has the tiny model measured with these results."""

    def write(*args: dict[Precision, float], **speeds: float) -> Model:
        content = json.dumps([asdict(trial) for trial in trials(*args, **speeds)])
        trials_file(open_graph(tiny)).write_text(content)
        return tiny

    return write


def test_each_format_that_the_processor_has_is_measured_once(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = open_graph(tiny)
    assert stored_trials(graph) == ()
    assert actual_precision(graph, F32) is F32
    assert stored_trials(graph) == (), "f32 needs no measurement"
    chosen = actual_precision(graph, Precision.AUTO)
    found = stored_trials(graph)
    assert {trial.precision for trial in found} == set(supported_formats())
    assert all(trial.words_per_second > 0 for trial in found)
    assert min(trial.cosine for trial in found) > 0.99
    assert chosen is choose_format(found)
    monkeypatch.setattr(measure, "measure_formats", None)
    assert measured_trials(graph) == found


def test_the_sample_is_long_as_in_books_and_fills_its_batches() -> None:
    n_words, n_rows, n_texts = 0, 0, measure._ROUNDS[-1]
    tokenizer = load_tokenizer(graph := open_graph(locate(DEFAULT_MODEL)))

    class Counting(HashingEncoder):
        def encode(self, texts: Sequence[str]) -> Embeddings:
            nonlocal n_words, n_rows
            lengths = [len(text.ids) for text in tokenizer.encode_batch_fast(list(texts))]
            n_rows = sum(batch.n_rows for batch in make_batches(lengths, graph.window))
            n_words = sum(len(text.split()) for text in texts)
            return super().encode(texts)

    measure._measure_speeds({F32: Counting(8)})  # type: ignore[dict-item]  # it needs only to encode
    assert n_texts >= 480
    assert 20 < n_words / n_texts < 30
    assert n_texts / n_rows > 0.9


def test_a_slow_format_and_a_large_model_are_measured_on_fewer_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: dict[Precision, list[int]] = {F32: [], BF16: [], F16: []}
    speeds = {F32: 100.0, BF16: 300.0, F16: 20.0}
    names = {id(texts): name for name, texts in rounds.items()}

    def seconds(encoder: list[int], texts: Sequence[str]) -> float:
        encoder.append(len(texts))
        return len(" ".join(texts).split()) / speeds[names[id(encoder)]]

    monkeypatch.setattr(measure, "_processor_seconds", seconds)
    measured = measure._measure_speeds(rounds)  # type: ignore[arg-type]
    assert measured == pytest.approx(speeds)
    assert rounds == {F32: [*measure._ROUNDS], BF16: [*measure._ROUNDS], F16: [8]}
    monkeypatch.setattr(measure, "_MAX_SECONDS", 0)
    assert measure._measure_speeds(rounds) == pytest.approx(speeds)  # type: ignore[arg-type]
    assert rounds[BF16] == [*measure._ROUNDS, 8]


@pytest.mark.parametrize("supported", [(F32,), (F32, BF16)])
def test_int8_is_compared_with_f32_in_the_same_race(
    tiny: Model, monkeypatch: pytest.MonkeyPatch, supported: tuple[Precision, ...]
) -> None:
    """The speed of f32 beside bf16 may have been measured on more texts, or on fewer."""
    asked = []

    def measured(_: Graph, names: Sequence[Precision]) -> tuple[Trial, ...]:
        asked.append(tuple(names))
        return trials(f32=50, int8=100) if INT8 in names else trials(f32=100, bf16=10)

    monkeypatch.setattr(measure, "measure_formats", measured)
    monkeypatch.setattr(measure, "supported_formats", lambda: supported)
    graph = replace(open_graph(tiny), allows_int8=True)
    found = measured_trials(graph)
    assert choose_format(found) is INT8
    assert found == trials(f32=50, **({"bf16": 10} if BF16 in supported else {}), int8=100)
    assert asked == ([supported, (INT8,)] if BF16 in supported else [(INT8,)])


def test_what_was_measured_decides(invent: Callable[..., Model]) -> None:
    assert load_encoder(str(invent(f32=1, bf16=2).folder)).find_precision() is BF16
    assert load_encoder(str(invent(f32=2, bf16=1).folder)).find_precision() is F32


def test_a_damaged_measurement_is_made_again(tiny: Model) -> None:
    graph = open_graph(tiny)
    trials_file(graph).write_text('[{"precision": "f7"}]')  # of a later version
    assert measured_trials(graph)
    assert stored_trials(graph)


def test_another_processor_or_its_limits_are_measured_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    identify = processor_id.__wrapped__
    here = identify()
    assert here == identify()
    with monkeypatch.context() as patch:
        patch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
        assert identify() != here
    with monkeypatch.context() as patch:
        patch.setattr("alexandria.system.machine.n_cpus", lambda: 1000)
        assert identify() != here
    assert here == identify()


# Few sentences are measured: what is tested is whether a format is computed, not how fast.
_ENCODE = """
from alexandria.embed import load_encoder
from alexandria.embed.graph import measure
from alexandria.book.choices import Precision
measure._ROUNDS = (8,)
auto, exact = load_encoder(), load_encoder(precision=Precision.F32)
texts = ["the light on the rock", "who keeps it?"]
print(auto.find_precision(), (auto.encode(texts) * exact.encode(texts)).sum(axis=1).min())
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the switch is of x86 processors")
@pytest.mark.parametrize("instructions", ["AVX2", "AVX512_CORE_BF16"])
def test_a_processor_with_fewer_instructions_computes_nearly_the_same(instructions: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ENCODE],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": instructions},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    precision, cosine = done.stdout.split()
    assert precision in list(Precision)
    assert float(cosine) > 0.98


# --- what formats change ---------------------------------------------------------------------------


def test_the_cache_of_vectors_knows_what_auto_stands_for(invent: Callable[..., Model]) -> None:
    model = invent(f32=1)

    def key(precision: Precision, backend: Backend = Backend.AUTO) -> str:
        return cache_key(model, backend, precision)

    assert key(Precision.AUTO) == key(F32) == key(Precision.AUTO, Backend.OPENVINO)
    invent(f32=1, bf16=2)
    assert key(Precision.AUTO) == key(BF16) != key(F32)
    assert key(F32, Backend.TORCH) != key(F32)


@pytest.mark.parametrize(("precision", "at_least"), [(F16, 0.9999), (BF16, 0.999), (INT8, 0.99)])
def test_a_format_gives_nearly_the_vectors_of_f32(tiny: Model, precision: Precision, at_least: float) -> None:
    try:
        actual_precision(open_graph(tiny), precision)
    except ConfigError:
        pytest.skip(f"this processor has no {precision}")
    raw = ThresholdScale.RAW  # the mapped scale magnifies differences
    ours, exact = (load_encoder(str(tiny.folder), precision=p, threshold_scale=raw) for p in (precision, F32))
    rows, exact_rows = ours.encode(PROBES), exact.encode(PROBES)
    assert not np.array_equal(rows, exact_rows)
    assert (rows * exact_rows).sum(axis=1).min() > at_least


def test_int8_is_made_where_somebody_asks_for_it(tiny: Model) -> None:
    graph = open_graph(tiny)
    measured_trials(graph)
    assert not graph.int8.exists()
    actual_precision(graph, INT8)
    assert INT8 in {trial.precision for trial in stored_trials(graph)}
    files = {path.name for path in graph.folder.iterdir()}
    assert {"graph.xml", "int8.xml", "int8.bin", "compiled"} <= files
    assert not [name for name in files if "new" in name]


def test_the_default_model_in_int8_takes_a_quarter_for_its_layers() -> None:
    graph = open_graph(locate(DEFAULT_MODEL))
    actual_precision(graph, INT8)
    # 10.6 million weights of layers, of 1 byte; 11.7 million of word pieces, of 2.
    assert 34e6 < graph.int8.with_suffix(".bin").stat().st_size < 36e6
    assert sum(path.stat().st_size for path in graph.folder.rglob("*") if path.is_file()) < 150e6
    ours = load_encoder(precision=INT8).encode(PROBES)
    exact = load_encoder(precision=F32).encode(PROBES)
    assert 0.99 < (ours * exact).sum(axis=1).min() < 0.99999


@settings(max_examples=15, deadline=None)
@given(texts=st.lists(st.text(max_size=300), min_size=1, max_size=8))
def test_in_int8_too_a_vector_does_not_depend_on_the_batch(texts: list[str]) -> None:
    encoder = load_encoder(precision=INT8)
    rows = encoder.encode(texts)
    np.testing.assert_array_equal(encoder.encode(texts[:1]), rows[:1])


@pytest.mark.parametrize("precision", [F16, BF16])
def test_a_format_that_the_processor_lacks_is_refused(
    invent: Callable[..., Model], precision: Precision
) -> None:
    with pytest.raises(ConfigError, match=f"cannot compute in {precision}") as error:
        load_encoder(str(invent(f32=1).folder), precision=precision).encode(PROBES)
    assert error.value.why == "this processor does not support it"


@pytest.mark.parametrize("precision", [F16, BF16, INT8])
def test_a_format_that_would_change_the_vectors_is_refused(
    invent: Callable[..., Model], precision: Precision
) -> None:
    model = invent({precision: 0.9}, f32=1, **{precision: 2})
    with pytest.raises(ConfigError, match=f"cannot compute in {precision}") as error:
        load_encoder(str(model.folder), precision=precision).encode(PROBES)
    assert error.value.why == "the vectors would not be those of the model"


def test_a_model_whose_numbers_f16_cannot_hold_is_not_faithful(tmp_path: Path, own_cache: Path) -> None:
    model = write_model(Kind.MPNET, tmp_path / "model")
    weights = load_file(model / "model.safetensors")
    for name in [name for name in weights if ".intermediate.dense." in name]:
        weights[name] *= 1e6
    for name in [name for name in weights if re.search(r"\d\.output\.dense\.weight", name)]:
        weights[name] /= 1e6
    save_file(weights, model / "model.safetensors")
    if F16 not in supported_formats():
        pytest.skip("this processor has no f16")
    graph = open_graph(locate(str(model)))
    (f16,) = (trial for trial in measure_formats(graph, [F16]) if trial.precision is F16)
    assert not f16.is_faithful
    with pytest.raises(FloatingPointError):
        OpenVinoEncoder("", graph, F16).encode(PROBES)


# --- what is said ---------------------------------------------------------------------------------


def ingest(tmp_path: Path, *options: str) -> str:
    book, store = tmp_path / "book.txt", tmp_path / "store"
    book.write_text("The light on the rock burns all night. Nobody keeps it.")
    embed._shared_encoder.cache_clear()  # as in a new process
    environment = {"ALEXANDRIA_CACHE": str(tmp_path / "cache"), "ALEXANDRIA_MODEL": DEFAULT_MODEL}
    words = "--store", store, "--no-cache", "--force"
    done = alexandria("ingest", book, *words, *options, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_first_run_says_what_it_prepares_and_that_this_happens_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "_ROUNDS", (8,))
    notice = r"preparing the model all-MiniLM-L6-v2 for this processor \(only once, about \d s\)"
    assert re.search(notice, ingest(tmp_path))
    assert "preparing" not in ingest(tmp_path)
    graphs = tmp_path / "cache" / "graphs"
    assert sum(path.stat().st_size for path in graphs.rglob("*") if path.is_file()) < 150e6
    shutil.rmtree(graphs)
    # In f32, so that no format is measured again.
    assert "preparing" not in ingest(tmp_path, "--quiet", "--set", "precision=f32")
    assert any(graphs.rglob("graph.xml"))
