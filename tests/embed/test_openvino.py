"""The converted model gives the model's own vectors, and nothing but them is loaded to compute it."""

import json
import logging
import shutil
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from alexandria.book.choices import Backend, Precision
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.batches import (
    PIECES_PER_BATCH,
    WIDTH_STEP,
    Batch,
    Inputs,
    make_batches,
    pad_batch,
    prepare_ahead,
    single_text_batch,
)
from alexandria.embed.graph import folder as graph_folder
from alexandria.embed.graph import prepare
from alexandria.embed.graph.blueprint import Kind, UnknownModelError, read_blueprint
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import DEFAULT_MODEL, Model, locate
from alexandria.embed.models.packaged import packaged_folder
from alexandria.embed.openvino import Streams, compile_graph
from alexandria.errors import ConfigError
from tests.embed.needs import needs_torch
from tests.embed.tiny import write_model

TEXTS = ["What is knowledge?", "The table looks oblong.", "Call me Ishmael. " * 40, "東京は大きい"]

# --- batches --------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 600), max_size=200), st.sampled_from([None, 512, 256, 75]))
def test_batches_hold_every_text_once_at_its_own_width(lengths: list[int], window: int | None) -> None:
    lengths = [min(length, window or length) for length in lengths]
    seen = []
    for batch in make_batches(lengths, window):
        assert 0 < len(batch.members) <= batch.n_rows
        assert batch.n_rows == 1 or batch.width * batch.n_rows <= PIECES_PER_BATCH
        for i in batch.members:
            length = max(1, lengths[i])
            assert length <= batch.width < length + max(WIDTH_STEP, length / 4)
            assert batch.width == next(make_batches([lengths[i]], window)).width
        seen += batch.members.tolist()
    assert sorted(seen) == list(range(len(lengths)))


def test_no_more_than_one_block_is_prepared_ahead() -> None:
    prepared: list[int] = []

    def prepare(number: int) -> int:
        prepared.append(number)
        return -number

    for number, block in enumerate(prepare_ahead(prepare, range(5))):
        assert block == -number
        assert len(prepared) <= number + 2
    assert prepared == list(range(5))
    assert list(prepare_ahead(prepare, [])) == []


def test_batches_have_few_shapes() -> None:
    rng = np.random.default_rng(6)
    shapes = set()
    for _ in range(200):
        lengths = rng.integers(1, 257, rng.integers(1, 300)).tolist()
        shapes |= {(batch.width, batch.n_rows) for batch in make_batches(lengths, 256)}
    assert len(shapes) <= 48


@given(st.lists(st.integers(1, 256), max_size=100), st.integers(1, 200))
def test_a_batch_holds_at_most_as_many_texts_as_asked(lengths: list[int], most: int) -> None:
    batches = list(make_batches(lengths, 256, batch_size=most))
    assert sum(len(batch.members) for batch in batches) == len(lengths)
    assert max((batch.n_rows for batch in batches), default=0) <= most


def test_the_batch_size_changes_no_vector() -> None:
    texts = [text[:n] for text in TEXTS for n in range(9, 60, 3)]
    rows = load_encoder(backend=Backend.OPENVINO).encode(texts)
    for size in (1, 5, 200):
        encoder = load_encoder(backend=Backend.OPENVINO, batch_size=size)
        np.testing.assert_array_equal(encoder.encode(texts), rows)


def test_the_widest_batch_comes_first() -> None:
    widths = [batch.width for batch in make_batches([3, 250, 40, 41, 9], 256)]
    assert widths == sorted(widths, reverse=True)


@given(st.integers(1, 600), st.sampled_from([None, 256, 512]))
def test_a_text_alone_has_the_width_that_it_has_among_others(length: int, window: int | None) -> None:
    length = length if window is None else min(length, window)
    alone = single_text_batch(length, window)
    (among,) = make_batches([length], window)
    assert (alone.n_rows, alone.width, alone.members.tolist()) == (1, among.width, [0])


def test_a_query_is_computed_without_rows_of_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    query, n_rows = "How do bees tell each other where the flowers are?", []

    def noted(batch: Batch, pieces: Sequence[NDArray[np.int64]], pad: int) -> Inputs:
        n_rows.append(batch.n_rows)
        return pad_batch(batch, pieces, pad)

    monkeypatch.setattr("alexandria.embed.openvino.pad_batch", noted)
    encoder = load_encoder(backend=Backend.OPENVINO)  # in the precision that serves this processor
    (alone,), (among, _) = encoder.encode_queries([query]), encoder.encode([query, "No."])
    assert alone @ among > 0.9999
    assert n_rows[0] == 1 < min(n_rows[1:])


def test_rows_without_a_text_change_no_other() -> None:
    encoder = load_encoder(backend=Backend.OPENVINO)
    rows = encoder.encode(TEXTS[:1] * 9)
    for n in range(1, 9):
        np.testing.assert_array_equal(encoder.encode(TEXTS[:1] * n), rows[:n])


def test_a_batch_that_fails_says_so_and_leaves_room_for_the_next() -> None:
    graph = open_graph(locate(DEFAULT_MODEL))
    streams = Streams(compile_graph(graph, Precision.F32))
    rows, members = np.zeros((1, graph.dim), np.float32), np.array([0])
    good, bad = np.full((1, 8), 101), np.full((1, 3, 8), 101)
    for _ in range(100):  # more than may wait
        failed = streams.start_batch((bad, bad), rows, members)
    with pytest.raises(RuntimeError, match="shape"):
        failed.result()
    streams.start_batch((good, np.ones_like(good)), rows, members).result()
    assert rows.any()


class Request:
    """In place of OpenVINO's: threads may wait together inside its bindings, but do nothing else there."""

    inside = 0
    met = threading.Barrier(2)

    @contextmanager
    def alone(self) -> Iterator[None]:
        Request.inside += 1
        time.sleep(0.001)
        assert Request.inside == 1
        yield
        Request.inside -= 1

    def start_async(self, inputs: object, *, share_inputs: bool) -> None:
        with self.alone():
            pass

    def wait(self) -> None:
        self.met.wait(10)

    def get_output_tensor(self, index: int) -> SimpleNamespace:
        with self.alone():
            return SimpleNamespace(data=np.ones((1, 1), np.float32))


def test_batches_are_computed_side_by_side_but_started_one_by_one() -> None:
    streams = Streams(SimpleNamespace(get_property=lambda name: 1, create_infer_request=Request))
    rows, one = np.zeros((20, 1), np.float32), np.ones((1, 1), np.int64)
    for computing in [streams.start_batch((one, one), rows, np.array([i])) for i in range(20)]:
        computing.result()
    assert rows.all()


# --- graphs ---------------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the packaged model, to be changed."""
    return Path(shutil.copytree(packaged_folder(), tmp_path / "model"))


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **changes}))


def cosines(some: Encoder, other: Encoder) -> list[float]:
    return [float(cosine) for cosine in (some.encode(TEXTS) * other.encode(TEXTS)).sum(axis=1)]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_model(Kind.BERT, tmp_path / "tiny")


def test_nothing_is_left_of_a_conversion_but_the_graph(tiny: Path, own_cache: Path) -> None:
    made = open_graph(locate(str(tiny)))
    assert [path.name for path in (own_cache / "graphs").iterdir() if path.is_dir()] == [made.folder.name]
    assert set(made.folder.iterdir()) >= {made.network, made.tokenizer}


@needs_torch
def test_a_model_that_cannot_be_built_here_is_converted_by_torch(tiny: Path, own_cache: Path) -> None:
    edit(tiny / "1_Pooling" / "config.json", pooling_mode="max")
    with pytest.raises(UnknownModelError):
        read_blueprint(tiny)
    ours = load_encoder(str(tiny), backend=Backend.OPENVINO, precision=Precision.F32)
    theirs = load_encoder(str(tiny), backend=Backend.TORCH)
    assert min(cosines(ours, theirs)) > 0.99999


@pytest.fixture
def converted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have models converted in this process, as importing torch again takes 8 s of processor time."""

    def convert_here(model: Model, folder: Path) -> None:
        from alexandria.embed.graph.convert import convert  # which imports OpenVINO

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as its own process does
            convert(model.folder, folder)

    monkeypatch.setattr(prepare, "_convert", convert_here)


@needs_torch
@pytest.mark.usefixtures("converted_here")
def test_a_model_that_the_graph_would_not_match_stays_on_torch(
    tiny: Path, own_cache: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(tiny / "sentence_bert_config.json", do_lower_case=True)  # so that it is converted
    monkeypatch.setattr("alexandria.embed.graph.convert.lowest_cosine", lambda *_: 0.99)
    with caplog.at_level(logging.WARNING):
        auto = load_encoder(str(tiny))
        assert min(cosines(auto, load_encoder(str(tiny), backend=Backend.TORCH))) > 0.99999
    assert "runs on torch" in caplog.text
    with pytest.raises(ConfigError, match="gives other vectors"):
        load_encoder(str(tiny), backend=Backend.OPENVINO).encode(TEXTS)


@pytest.fixture(scope="module")
def kept() -> Path:
    """The folder of the default model's graph, as other tests use it."""
    return open_graph(locate(DEFAULT_MODEL)).folder


@pytest.mark.parametrize("name", ["graph.bin", "graph.xml", "graph.json", "tokenizer.json"])
def test_a_damaged_graph_is_made_again(name: str, kept: Path, own_cache: Path) -> None:
    folder = own_cache / "graphs" / kept.name
    shutil.copytree(kept, folder, ignore=shutil.ignore_patterns("compiled"))
    with (folder / name).open("r+b") as file:
        file.truncate(20)
    load_encoder(backend=Backend.OPENVINO, precision=Precision.F32).encode(TEXTS)
    assert (folder / name).stat().st_size > 20


def test_a_graph_that_another_process_makes_is_waited_for(kept: Path, own_cache: Path) -> None:
    graphs = own_cache / "graphs"
    with ThreadPoolExecutor(1) as threads, graph_folder.folder_lock(graphs):
        waiting = threads.submit(open_graph, locate(DEFAULT_MODEL))
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        assert list(graphs.iterdir()) == []
        shutil.copytree(kept, graphs / kept.name)
        made = (graphs / kept.name).stat().st_ino
    assert waiting.result().folder.stat().st_ino == made


# --- what is loaded -------------------------------------------------------------------------------

_HEAVY = ("torch", "transformers", "sentence_transformers", "openvino_telemetry.main", "huggingface_hub")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_embedding_loads_no_torch() -> None:
    load_encoder(backend=Backend.OPENVINO).encode(TEXTS)  # made now, if it was not
    loaded = run(
        "import sys; from alexandria.embed import load_encoder, Backend\n"
        "load_encoder(backend=Backend.OPENVINO).encode(['text'])\n"
        f"print([name for name in {_HEAVY} if name in sys.modules])"
    )
    assert loaded.strip() == "[]"


def test_openvino_loads_its_converter_when_it_is_asked_for() -> None:
    lines = run(
        "import sys; from alexandria.embed.graph.folder import import_openvino\n"
        "openvino = import_openvino()\n"
        "print('openvino.tools.ovc' in sys.modules, hasattr(openvino, 'no_such_name'))\n"
        "from openvino import convert_model\n"
        "print(convert_model.__module__, 'openvino_telemetry.main' in sys.modules)"
    )
    assert lines.splitlines() == ["False False", "openvino.tools.ovc.convert False"]


def test_an_encoder_that_is_not_used_loads_nothing() -> None:
    loaded = run(
        "import sys; from alexandria.embed import load_encoder\n"
        "encoder = load_encoder(cache=True); encoder.name, encoder.dim\n"
        f"print([name for name in {(*_HEAVY, 'openvino', 'tokenizers')} if name in sys.modules])"
    )
    assert loaded.strip() == "[]"


def test_the_name_tells_the_model(own_cache: Path) -> None:
    assert load_encoder().name == f"{DEFAULT_MODEL}@{locate(DEFAULT_MODEL).digest}"
