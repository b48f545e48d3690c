"""A graph built from the weights gives the vectors that sentence-transformers gives, or is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from alexandria.book.choices import Backend, Precision
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.extra import require_extra
from alexandria.embed.graph.blueprint import Kind, UnknownModelError, read_blueprint, read_ranker_blueprint
from alexandria.embed.graph.build import build_graph
from alexandria.embed.graph.measure import PROBES
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import locate
from alexandria.embed.models.packaged import packaged_folder
from alexandria.errors import ConfigError
from tests.embed.needs import needs_torch
from tests.embed.tiny import WINDOW, write_model

TEXTS = [*PROBES, "<pad> [PAD] </s>", "Who keeps the light on Gull Rock? " * 5]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A BERT that can be built, to be changed."""
    return write_model(Kind.BERT, tmp_path / "tiny")


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **changes}))


def lowest_cosine(some: Encoder, other: Encoder, texts: list[str]) -> float:
    return float((some.encode(texts) * other.encode(texts)).sum(axis=1).min())


@needs_torch
def test_the_packaged_model_gives_the_vectors_of_sentence_transformers() -> None:
    assert read_blueprint(packaged_folder())
    ours = load_encoder(backend=Backend.OPENVINO, precision=Precision.F32)
    assert lowest_cosine(ours, load_encoder(backend=Backend.TORCH), TEXTS) > 0.999999


@needs_torch
@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("kind", Kind)
def test_a_model_of_each_kind_gives_the_vectors_of_sentence_transformers(
    kind: Kind, pooling: str, tmp_path: Path, own_cache: Path
) -> None:
    folder = write_model(kind, tmp_path / "tiny", pooling=pooling)
    model = locate(str(folder))
    ours = load_encoder(str(folder), backend=Backend.OPENVINO, precision=Precision.F32)
    theirs = load_encoder(str(folder), backend=Backend.TORCH)
    assert lowest_cosine(ours, theirs, TEXTS) > 0.99999
    assert open_graph(model).window == WINDOW
    np.testing.assert_array_equal(ours.coverage(TEXTS), theirs.coverage(TEXTS))


def test_the_vectors_of_a_random_model_depend_on_positions(tiny: Path, own_cache: Path) -> None:
    """Otherwise the test above would not notice wrong ones."""
    encoder = load_encoder(str(tiny), backend=Backend.OPENVINO)
    ours, reversed_ = encoder.encode(["the light on the rock", "rock the on light the"])
    assert ours @ reversed_ < 0.999


@pytest.mark.parametrize(
    ("file", "changes", "why"),
    [
        ("sentence_bert_config.json", {"do_lower_case": True}, "do_lower_case: True"),
        ("sentence_bert_config.json", {"query_expansion": {"length": 32}}, "query_expansion"),
        ("sentence_bert_config.json", {"max_seq_length": WINDOW + 2}, "fewer positions"),
        ("sentence_roberta_config.json", {"max_seq_length": 30}, "window is stated elsewhere"),
        ("adapter_config.json", {}, "adapter"),
        ("1_Pooling/config.json", {"pooling_mode": ["mean", "cls"]}, "pooling is"),
        ("1_Pooling/config.json", {"pooling_mode": "max"}, "pooling is max"),
        ("config.json", {"model_type": "albert"}, "albert"),
        ("config.json", {"hidden_act": "relu"}, "relu"),
        ("config.json", {"position_embedding_type": "relative_key"}, "relative_key"),
        ("config.json", {"is_decoder": True}, "decoder"),
        ("config.json", {"layer_norm_eps": None}, "incomplete"),
        ("config.json", {"num_attention_heads": 5}, "heads"),
        ("tokenizer_config.json", {"do_lower_case": False}, "disagree"),
        ("tokenizer_config.json", {"padding_side": "left"}, "left"),
        ("tokenizer_config.json", {"tokenizer_class": "RobertaTokenizer"}, "disagree"),
    ],
)
def test_what_is_not_known_is_refused_by_name(
    tiny: Path, file: str, changes: dict[str, object], why: str
) -> None:
    read_blueprint(tiny)
    edit(tiny / file, **changes)
    with pytest.raises(UnknownModelError, match=why):
        read_blueprint(tiny)


@pytest.mark.parametrize("file", ["modules.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(tiny: Path, file: str) -> None:
    (tiny / file).unlink()
    with pytest.raises(UnknownModelError, match=f"no {file}"):
        read_blueprint(tiny)


@pytest.mark.parametrize(
    "file",
    [
        *("modules.json", "config.json", "sentence_bert_config.json", "1_Pooling/config.json"),
        *("tokenizer_config.json", "tokenizer.json"),
    ],
)
@pytest.mark.parametrize("content", ["[1]", '"text"', "{{"])
def test_a_file_of_another_structure_is_named(tiny: Path, file: str, content: str) -> None:
    (tiny / file).write_text(content)
    with pytest.raises(UnknownModelError, match=Path(file).name):
        read_blueprint(tiny)


@needs_torch
def test_a_damaged_model_is_reported_whatever_computes_it(tiny: Path, own_cache: Path) -> None:
    edit(tiny / "tokenizer.json", pre_tokenizer={"type": "unheard-of"})
    for backend in (Backend.AUTO, Backend.TORCH):
        with pytest.raises(ConfigError, match="cannot load the model tiny"):
            load_encoder(str(tiny), backend=backend).encode(TEXTS)


@needs_torch
def test_a_model_that_the_library_stumbles_over_is_reported(tiny: Path) -> None:
    (tiny / "modules.json").write_text('["a"]')
    with pytest.raises(ConfigError, match="cannot load the model tiny"):
        load_encoder(str(tiny), backend=Backend.TORCH).encode(TEXTS)


@pytest.mark.parametrize("architectures", [["A", "B"], "A", [1], None])
def test_a_cross_encoder_of_another_architecture_is_refused(tiny: Path, architectures: object) -> None:
    edit(tiny / "config.json", architectures=architectures)
    with pytest.raises(UnknownModelError, match="not a cross-encoder"):
        read_ranker_blueprint(tiny)


@pytest.mark.parametrize(
    "stages",
    [
        ["models.Transformer", "models.Pooling", "models.Dense"],
        ["models.Transformer"],
        ["models.Pooling", "models.Transformer"],
        ["models.StaticEmbedding"],
    ],
    ids=lambda stages: stages[-1],
)
def test_other_stages_are_refused_by_name(tiny: Path, stages: list[str]) -> None:
    modules = [{"path": "", "type": f"sentence_transformers.{stage}"} for stage in stages]
    (tiny / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(UnknownModelError, match=stages[-1]):
        read_blueprint(tiny)


def test_code_of_its_own_is_refused(tiny: Path) -> None:
    modules = (tiny / "modules.json").read_text()
    (tiny / "modules.json").write_text(modules.replace("sentence_transformers.models.T", "custom_st.T"))
    with pytest.raises(UnknownModelError, match="custom_st"):
        read_blueprint(tiny)


@pytest.mark.parametrize(
    "name", ["encoder.layer.1.attention.self.key.bias", "encoder.layer.2.output.dense.bias"]
)
def test_weights_that_are_missing_or_left_over_are_named(tiny: Path, tmp_path: Path, name: str) -> None:
    weights = load_file(tiny / "model.safetensors")
    if weights.pop(name, None) is None:
        weights[name] = np.zeros(24, np.float32)
    save_file(weights, tiny / "model.safetensors")
    with pytest.raises(UnknownModelError, match=name):
        build_graph(read_blueprint(tiny), tmp_path)


def test_an_old_layout_says_the_same(tiny: Path) -> None:
    """Versions before 5.4 write a flag for each pooling, and the window beside it."""
    new = read_blueprint(tiny)
    (tiny / "1_Pooling" / "config.json").write_text(
        json.dumps({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False})
    )
    edit(tiny / "sentence_bert_config.json", max_seq_length=WINDOW, do_lower_case=False)
    assert read_blueprint(tiny) == new


def test_weights_saved_with_a_larger_model_are_found(tiny: Path, own_cache: Path) -> None:
    before = load_encoder(str(tiny), backend=Backend.OPENVINO, precision=Precision.F32).encode(TEXTS)
    weights = load_file(tiny / "model.safetensors")
    more = {"cls.predictions.bias": np.zeros(3, np.float32)}
    save_file({f"bert.{name}": array for name, array in weights.items()} | more, tiny / "model.safetensors")
    after = load_encoder(str(tiny), backend=Backend.OPENVINO, precision=Precision.F32).encode(TEXTS)
    np.testing.assert_array_equal(before, after)


# --- what only torch can do -----------------------------------------------------------------------


OPTIONAL = ("torch", "transformers", "sentence_transformers", "scipy", "sklearn", "huggingface_hub")

# None in place of a module: it can neither be imported nor found.
_LIGHT = f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL}))\n"


def run_light(code: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own where none of the optional packages is installed."""
    return subprocess.run(
        [sys.executable, "-c", _LIGHT + code],
        env={**os.environ, "ALEXANDRIA_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


_COMMANDS = """
from alexandria.doors.cli import main
from alexandria.embed.graph import measure
measure._ROUNDS = (8,)
for words in (["ingest", BOOK], ["inspect", BOOK], ["search", "who keeps the light"], ["list"], ["verify"]):
    sys.argv = ["alexandria", *words, *([] if words[0] == "inspect" else ["--store", STORE])]
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
print([name for name in OPTIONAL if sys.modules.get(name)])
"""


def test_no_default_command_needs_an_optional_package(tmp_path: Path) -> None:
    """From an empty cache: the graph is made here, too."""
    book = tmp_path / "book.txt"
    book.write_text("The light on the rock burns all night. Ida Marlow keeps it.")
    names = {"BOOK": str(book), "STORE": str(tmp_path / "store"), "OPTIONAL": OPTIONAL}
    given = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    done = run_light(given + _COMMANDS, tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("model", "backend", "what"),
    [
        ("all-MiniLM-L6-v2", Backend.TORCH, "with torch"),
        ("TINY", Backend.AUTO, "albert"),
        ("TINY", Backend.OPENVINO, "albert"),
        ("nobody/no-such-model", Backend.AUTO, "nobody/no-such-model"),
    ],
    ids=["torch", "another architecture", "another architecture, openvino", "hub"],
)
def test_what_needs_an_optional_package_says_how_to_install_it(
    tiny: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch, model: str, backend: Backend, what: str
) -> None:
    for name in OPTIONAL:
        monkeypatch.setitem(sys.modules, name, None)
    edit(tiny / "config.json", model_type="albert")
    with pytest.raises(ConfigError) as error:
        load_encoder(model.replace("TINY", str(tiny)), backend=backend).encode(TEXTS)
    assert what in f"{error.value.what} {error.value.why}"
    assert error.value.fix == "pip install 'alexandria-books[models]'"


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(ConfigError) as error:
        require_extra("no_such_package", what="cannot fly")
    assert error.value.fix == "pip install 'alexandria-books[models]'"
    assert "no-such-package" in error.value.why
