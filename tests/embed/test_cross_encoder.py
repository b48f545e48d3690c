"""Cross-encoders: the scores are those of transformers, computed without it."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from alexandria.embed.cross_encoder import OpenVinoCrossEncoder, TorchCrossEncoder, load_cross_encoder
from alexandria.embed.graph.blueprint import Kind
from alexandria.errors import ConfigError
from tests.conftest import SAMPLES
from tests.embed.test_build import edit
from tests.embed.tiny import WINDOW, write_ranker

QUERY = "who keeps the light on the rock?"
TEXTS = (
    "The keeper of the light.",
    "Gulls",
    "He wrote down what he saw, each night of that winter, by the lamp.",
)


@pytest.mark.parametrize("kind", [Kind.BERT, Kind.XLM_ROBERTA])
@pytest.mark.parametrize("activation", ["Sigmoid", "Identity"])
def test_scores_are_those_of_transformers(tmp_path: Path, kind: Kind, activation: str) -> None:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder = write_ranker(kind, tmp_path / "ranker")
    if activation != "Sigmoid":  # which is usual where nothing is stated
        stated = {"sentence_transformers": {"activation_fn": f"torch.nn.modules.linear.{activation}"}}
        edit(folder / "config.json", **stated)
    loaded = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    ranker = OpenVinoCrossEncoder(folder)
    encoded = [ranker._tokenizer.encode(QUERY, text) for text in TEXTS]
    assert {1} <= set(encoded[0].type_ids) or kind is not Kind.BERT
    with torch.no_grad():
        expected = [
            loaded(
                input_ids=torch.tensor([one.ids]),
                **({"token_type_ids": torch.tensor([one.type_ids])} if kind is Kind.BERT else {}),
            ).logits.item()
            for one in encoded
        ]
    if activation == "Sigmoid":
        expected = [1 / (1 + math.exp(-score)) for score in expected]
    assert np.ptp(expected) > 2e-3, "the scores must tell a mistake"  # the training of the tokenizer varies
    assert ranker.score(QUERY, TEXTS) == pytest.approx(expected, abs=2e-4)
    assert ranker.score(QUERY, TEXTS) == pytest.approx(
        TorchCrossEncoder(folder).score(QUERY, TEXTS), abs=2e-4
    )
    assert ranker.name.startswith("ranker@")
    assert len(ranker.score(QUERY, [])) == 0


def test_a_long_text_counts_by_the_best_of_its_parts(tmp_path: Path) -> None:
    ranker = load_cross_encoder(write_ranker(Kind.BERT, tmp_path / "ranker"))
    long = (SAMPLES / "gull-rock.txt").read_text(encoding="utf-8")[:6000]
    (whole,) = ranker.score(QUERY, [long])
    (beginning,) = ranker.score(QUERY, [long[:200]])
    assert isinstance(ranker, OpenVinoCrossEncoder)
    parts = ranker._encode_pairs(QUERY, [long])[0]
    assert len(parts) > 5
    assert all(len(part.ids) <= WINDOW for part in parts)
    best = max(ranker._compute([part])[0] for part in parts)
    assert whole == pytest.approx(1 / (1 + math.exp(-best)), abs=1e-4)
    assert whole >= beginning - 5  # finite
    assert np.isfinite(ranker.score("word " * 3 * WINDOW, TEXTS)).all(), "a query longer than the window"


def test_what_is_no_cross_encoder_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        load_cross_encoder(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="not a folder with a model"):
        load_cross_encoder(tmp_path)
    monkeypatch.setattr("alexandria.embed.extra.find_spec", lambda name: None)
    several = write_ranker(Kind.BERT, tmp_path / "several", n_labels=3)
    with pytest.raises(ConfigError, match=r"only torch can \(it gives several scores per pair\)"):
        load_cross_encoder(several)
    config = json.loads((several / "config.json").read_text())
    (several / "config.json").write_text(json.dumps({**config, "architectures": ["BertModel"]}))
    with pytest.raises(ConfigError, match="it is a BertModel, not a cross-encoder"):
        load_cross_encoder(several)
