"""Models as their authors mean them: prompts, shortened vectors, similarities like the default model's."""

import json
import logging
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import alexandria
from alexandria.book.choices import Backend, Precision, ThresholdScale
from alexandria.book.model import Embeddings
from alexandria.embed import DEFAULT_MODEL, load_encoder
from alexandria.embed.adapted import NEIGHBOURS, neighbour_similarity, neighbours
from alexandria.embed.encoder import Encoder
from alexandria.embed.models.locate import locate
from alexandria.embed.models.packaged import packaged_folder
from alexandria.errors import ConfigError, StoreError
from alexandria.library.opened import OpenLibrary
from tests.conftest import SAMPLES
from tests.embed.needs import needs_torch

TEXTS = ["The keeper of the light.", "He wrote down what he saw.", "Gulls."]
SETTINGS = "config_sentence_transformers.json"
PROMPTS = {"query": "query: ", "document": "", "passage": "passage: "}

load = partial(load_encoder, precision=Precision.F32)
load_raw = partial(load, threshold_scale=ThresholdScale.RAW)


def model_like_the_default(folder: Path, *, shift: float = 0, config: object = None, **settings: Any) -> Path:
    """Write a folder with the weights of the default model, with other settings, and return it.

    Args:
        folder: where to write it.
        shift: added to all vectors before they are normalised, in one direction.
        config: more of config.json.
        settings: the content of config_sentence_transformers.json.
    """
    source = packaged_folder()
    folder.mkdir()
    for path in source.rglob("*"):
        if path.is_file() and path.suffix in (".json", ".txt") and path.name != SETTINGS:
            target = folder / path.relative_to(source)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    (folder / SETTINGS).write_text(json.dumps(settings))
    if isinstance(config, dict):
        stated = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(stated | config))
    if not shift:
        (folder / "model.safetensors").symlink_to(source / "model.safetensors")
        return folder
    weights = load_file(source / "model.safetensors")
    name = max(key for key in weights if key.endswith("output.LayerNorm.bias") and "attention" not in key)
    weights[name] = weights[name] + np.full_like(weights[name], shift)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def prompted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_like_the_default(tmp_path_factory.mktemp("models") / "prompted", prompts=PROMPTS)


@pytest.fixture(scope="module")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_like_the_default(tmp_path_factory.mktemp("models") / "shifted", shift=0.5)


def alike(encoder: Encoder) -> float:
    return float(np.mean([neighbour_similarity(encoder.encode(book)) for book in neighbours()]))


def cosines(these: Embeddings, those: Embeddings) -> list[float]:
    return [float(cosine) for cosine in (these * those).sum(axis=1)]


def test_the_scale_is_that_of_the_default_model() -> None:
    assert [len(book) for book in neighbours()] == [40] * 6
    assert alike(load(DEFAULT_MODEL)) == pytest.approx(NEIGHBOURS, abs=1e-4)


def test_questions_and_passages_get_their_prompts(prompted: Path) -> None:
    ours, bare = load_raw(str(prompted)), load(DEFAULT_MODEL)
    passages = bare.encode([f"passage: {text}" for text in TEXTS])
    assert min(cosines(ours.encode(TEXTS), passages)) > 0.99999
    assert (
        min(cosines(ours.encode_queries(TEXTS), bare.encode([f"query: {text}" for text in TEXTS]))) > 0.99999
    )
    assert ours.name.endswith("+prompts")
    assert ours.knows("curtain")
    assert not ours.knows("frankenstien")
    assert ours.coverage(["word " * 300])[0] < bare.coverage(["word " * 300])[0] < 1


@needs_torch
def test_torch_gets_the_same_prompts(prompted: Path) -> None:
    ours, theirs = load_raw(str(prompted)), load_raw(str(prompted), backend=Backend.TORCH)
    assert min(cosines(ours.encode(TEXTS), theirs.encode(TEXTS))) > 0.9999
    assert min(cosines(ours.encode_queries(TEXTS), theirs.encode_queries(TEXTS))) > 0.9999


@pytest.mark.parametrize(
    ("settings", "query", "passage"),
    [
        ({}, "", ""),
        ({"prompts": {"query": "q: "}}, "q: ", ""),
        ({"prompts": {"document": "d: ", "passage": "p: "}}, "", "d: "),
        ({"prompts": {"document": "", "corpus": "c: "}}, "", "c: "),
        ({"prompts": {"x": "x: ", "query": "q: "}, "default_prompt_name": "x"}, "q: ", "x: "),
        ({"prompts": {"x": "x: "}, "default_prompt_name": "x"}, "x: ", "x: "),
    ],
)
def test_the_first_prompt_that_is_not_empty_counts(
    tmp_path: Path, settings: dict[str, Any], query: str, passage: str
) -> None:
    folder = model_like_the_default(tmp_path / "model", **settings)
    located = locate(str(folder), scaled=False)
    assert (located.adaptation.query, located.adaptation.passage) == (query, passage)
    assert located.name.endswith("+prompts") == bool(query or passage)
    before = locate(str(folder), bound_to=located.name.partition("+")[0])
    default = "x: " if "default_prompt_name" in settings else ""
    assert (before.adaptation.query, before.adaptation.passage) == (default, default)  # as in 1.0.0
    assert "+" not in before.name


def test_similarities_are_mapped_to_those_of_the_default_model(shifted: Path, own_cache: Path) -> None:
    raw, mapped = load_raw(str(shifted)), load(str(shifted))
    assert alike(raw) > 0.7
    assert alike(mapped) == pytest.approx(NEIGHBOURS, abs=0.002)
    assert mapped.name == f"{raw.name}+scaled"
    (scale,) = own_cache.glob("graphs/*-scale-*/scale.json")
    before = scale.read_bytes()
    again = load(str(shifted))
    assert np.array_equal(again.encode(TEXTS), mapped.encode(TEXTS))
    assert scale.read_bytes() == before
    default = load(DEFAULT_MODEL)
    close = [abs(a - b) for a, b in zip(pairs(mapped), pairs(default), strict=True)]
    assert float(np.mean(close)) < 0.08


def pairs(encoder: Encoder) -> list[float]:
    vectors = encoder.encode([sentence for book in neighbours() for sentence in book])
    return cosines(vectors[1:], vectors[:-1])


@pytest.mark.parametrize("strategy", ["universal-semantic", "optimal"])
def test_a_book_is_cut_alike_without_any_option(shifted: Path, prompted: Path, strategy: str) -> None:
    def n_chunks(model: str, **more: object) -> int:
        options = {"model": model, "strategy": strategy, "min_words": 40, "precision": "f32", **more}
        analysis = alexandria.inspect(SAMPLES / "the-quiet-trades.epub", domain="philosophy", options=options)
        return len(analysis.chunks)

    wanted = n_chunks(DEFAULT_MODEL)
    assert n_chunks(str(shifted)) == pytest.approx(wanted, rel=0.2)
    assert n_chunks(str(prompted)) == pytest.approx(wanted, rel=0.2)
    assert n_chunks(str(shifted), threshold_scale="raw") < 0.8 * wanted


def test_vectors_are_shortened_where_the_model_is_trained_for_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trained = model_like_the_default(tmp_path / "trained", config={"matryoshka_dimensions": [64, 128]})
    short, whole = load_raw(str(trained), dimensions=128), load_raw(str(trained))
    assert (short.dim, short.encode(TEXTS).shape) == (128, (3, 128))
    expected = whole.encode(TEXTS)[:, :128]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(short.encode(TEXTS), expected, atol=1e-6)
    assert short.name == f"{whole.name}+128"
    assert load(str(trained), bound_to=short.name).dim == 128
    assert not caplog.records
    for dimensions, why in (
        (100, "it was trained for 64, 128"),
        (500, "its vectors have 384"),
        (0, "have 384"),
    ):
        with pytest.raises(ConfigError, match=why):
            load(str(trained), dimensions=dimensions)
    with pytest.raises(ConfigError, match="full length alone"):
        load(DEFAULT_MODEL, dimensions=128)
    untrained = model_like_the_default(tmp_path / "untrained")
    assert load(str(untrained), dimensions=128).dim == 128
    assert "does not state that its vectors may be shortened" in caplog.text


def test_models_for_other_measures_are_refused(tmp_path: Path) -> None:
    folder = model_like_the_default(tmp_path / "dot", similarity_fn_name="dot")
    load(str(folder))  # it normalises: the measures are the same
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps(modules[:2]))
    with pytest.raises(ConfigError, match="compared by dot, where their lengths count"):
        load(str(folder))
    name = locate(str(folder), bound_to="dot@1").name
    assert load(str(folder), bound_to=name).name == name  # a library of 1.0.0 goes on
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps(json.loads(pooling.read_text()) | {"include_prompt": False}))
    (folder / SETTINGS).write_text("{}")
    with pytest.raises(ConfigError, match="leaves it out of the mean"):
        load(str(folder))
    for content in ("[1]", "{{"):
        (folder / SETTINGS).write_text(content)
        with pytest.raises(ConfigError, match=f"cannot read .*{SETTINGS}"):
            load(str(folder))


@pytest.fixture
def bare_library(prompted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with a book, made with a model of prompts as version 1.0.0 did: without them."""
    bare = locate(str(prompted)).name.partition("+")[0]
    store = tmp_path / "library"
    with monkeypatch.context() as patch:
        patch.setattr(OpenLibrary, "_bound_to", lambda self, model: bare)
        alexandria.ingest([SAMPLES / "gull-rock.txt"], store=store, options={"model": str(prompted)})
    return store


def test_a_library_without_prompts_goes_on_without_them_and_says_so_once(
    bare_library: Path, prompted: Path, own_cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with alexandria.open(bare_library) as library:
        bare = library._opened.for_reading().binding.encoder
        assert "+" not in bare
        assert library.search("who keeps the light").model == bare
        (told,) = [record.getMessage() for record in caplog.records if "prompts" in record.getMessage()]
        assert f"alexandria copy --to FOLDER --model {prompted}" in told
    alexandria.ingest([SAMPLES / "winterapfel.txt"], store=bare_library)  # the library names the model
    with alexandria.open(bare_library) as library:
        assert len(library.books()) == 2
        assert library.search("who keeps the light").model == bare
        assert library.verify().is_sound
        assert all(done for _, done in library.copy(tmp_path / "new", model=str(prompted)))
    assert len([record for record in caplog.records if "prompts" in record.getMessage()]) == 1
    with alexandria.open(tmp_path / "new") as library:
        assert library.search("who keeps the light").model == f"{bare}+prompts+scaled"
    with pytest.raises(StoreError, match="vectors of prompted@"):
        alexandria.ingest(
            [SAMPLES / "gull-rock.txt"],
            store=bare_library,
            options={"model": str(prompted), "threshold_scale": "raw"},
        )


def test_a_lost_marker_is_written_again_as_it_was(bare_library: Path, prompted: Path, tmp_path: Path) -> None:
    with alexandria.open(bare_library) as library:
        list(library.copy(tmp_path / "new", model=str(prompted)))
    for store in (bare_library, tmp_path / "new"):
        with alexandria.open(store) as library:
            before = library._opened.for_reading().binding
        next(store.glob("*/alexandria*.json")).unlink()
        with alexandria.open(store) as library:
            assert library.repair().binding == before


def test_hits_of_other_models_are_not_judged(bare_library: Path) -> None:
    with alexandria.open(bare_library) as library:
        results = library.search("who keeps the light")
        assert [hit.strength for hit in results] == [None] * len(results.hits)
        assert results.verdict is None


@pytest.mark.usefixtures("own_cache")
def test_what_a_model_is_applied_with_is_told(prompted: Path, caplog: pytest.LogCaptureFixture) -> None:
    from alexandria.library.care.models import describe_model, examine_model

    with caplog.at_level(logging.INFO):
        examination = examine_model(str(prompted))
    assert "measuring how alike sentences are to the model prompted (only once)" in caplog.text
    assert examination.alike == pytest.approx(NEIGHBOURS, abs=0.01)
    told = describe_model(locate(str(prompted)))
    assert "prompts “query: ” and “passage: ”, the default model's scale, reads 256 word pieces" in told


def test_of_a_long_window_as_much_is_read_as_memory_holds(tmp_path: Path) -> None:
    folder = model_like_the_default(tmp_path / "long", config={"max_position_embeddings": 8192})
    weights = load_file(folder / "model.safetensors")
    (name,) = [name for name in weights if name.endswith("position_embeddings.weight")]
    weights[name] = np.tile(weights[name], (16, 1))
    (folder / "model.safetensors").unlink()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 8192}')
    encoder = load_raw(str(folder))
    text = "the appearance of a table changes " * 400  # 2,400 pieces
    assert encoder.coverage([text])[0] == pytest.approx(2046 / 2400, abs=0.01)
    assert np.isfinite(encoder.encode([text])).all()
    assert encoder.coverage([text[: len(text) // 2]])[0] == 1
