"""Small models with random weights, one of each architecture, in the layout of sentence-transformers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from alexandria.embed.graph.blueprint import Kind
from tests.conftest import SAMPLES

WINDOW = 200
"""Longer than the farthest distance that MPNet distinguishes."""
_DIM, _WIDE, _HEADS, _LAYERS = 24, 40, 3, 2
_N_PIECES = 900
_MARKS = {Kind.BERT: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]}
_OTHER_MARKS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_CLASSES = {
    Kind.BERT: "BertTokenizer",
    Kind.ROBERTA: "RobertaTokenizer",
    Kind.XLM_ROBERTA: "XLMRobertaTokenizer",
    Kind.MPNET: "MPNetTokenizer",
}


def write_model(kind: Kind, folder: Path, *, pooling: str = "mean", seed: int = 17) -> Path:
    """Write a model of two layers and 24 dimensions into a new folder, and return the folder."""
    (folder / "1_Pooling").mkdir(parents=True)
    pad = 0 if kind is Kind.BERT else 1
    stages = ["sentence_transformers.models." + name for name in ("Transformer", "Pooling", "Normalize")]
    paths = ["", "1_Pooling", "2_Normalize"]
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": stage}
        for i, (path, stage) in enumerate(zip(paths, stages, strict=True))
    ]
    _write(folder / "modules.json", modules)
    _write(folder / "1_Pooling" / "config.json", {"embedding_dimension": _DIM, "pooling_mode": pooling})
    _write(folder / "config.json", _config(kind, pad))
    _write_tokenizer(kind, folder, pad)
    save_file(dict(_weights(kind, np.random.default_rng(seed))), folder / "model.safetensors")
    return folder


def write_ranker(kind: Kind, folder: Path, *, n_labels: int = 1) -> Path:
    """Write a cross-encoder with random weights into a new folder, in the layout of transformers."""
    write_model(kind, folder)
    for name in ("modules.json", "1_Pooling/config.json"):
        (folder / name).unlink()
    names = {Kind.BERT: "Bert", Kind.ROBERTA: "Roberta", Kind.XLM_ROBERTA: "XLMRoberta", Kind.MPNET: "MPNet"}
    config = json.loads((folder / "config.json").read_text())
    labels = {f"LABEL_{n}": n for n in range(n_labels)}
    config |= {"architectures": [f"{names[kind]}ForSequenceClassification"]}
    config |= {"id2label": {n: label for label, n in labels.items()}, "label2id": labels}
    _write(folder / "config.json", config)
    rng = np.random.default_rng(5)
    prefix = "bert" if kind is Kind.BERT else "roberta"
    weights = {f"{prefix}.{name}": array for name, array in load_file(folder / "model.safetensors").items()}
    below, last = (
        ("bert.pooler.dense", "classifier")
        if kind is Kind.BERT
        else ("classifier.dense", "classifier.out_proj")
    )
    if kind is not Kind.BERT:
        weights = {name: array for name, array in weights.items() if "pooler" not in name}
    for layer, n_out in ((below, _DIM), (last, n_labels)):
        weights[f"{layer}.weight"] = rng.normal(0, 0.5, (n_out, _DIM)).astype(np.float32)
        weights[f"{layer}.bias"] = rng.normal(0, 0.5, n_out).astype(np.float32)
    save_file(weights, folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    first, end = ("[CLS]", "[SEP]") if kind is Kind.BERT else ("<s>", "</s>")
    between = "[SEP]" if kind is Kind.BERT else "</s> </s>"
    second = "$B:1" if kind is Kind.BERT else "$B"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {end}",
        pair=f"{first} $A {between} {second} {end}{':1' if kind is Kind.BERT else ''}",
        special_tokens=[(mark, tokenizer.token_to_id(mark)) for mark in {first, end}],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _config(kind: Kind, pad: int) -> dict[str, Any]:
    return {
        "model_type": kind.value,
        "vocab_size": _N_PIECES,
        "hidden_size": _DIM,
        "intermediate_size": _WIDE,
        "num_attention_heads": _HEADS,
        "num_hidden_layers": _LAYERS,
        "max_position_embeddings": WINDOW + pad + 1,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
        "pad_token_id": pad,
    }


def _weights(kind: Kind, rng: np.random.Generator) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield weights far from 0: a wrong position or layer then shows in the vectors."""

    def random(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    def linear(name: str, n_in: int, n_out: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
        yield f"{name}.weight", random(n_out, n_in)
        yield f"{name}.bias", random(n_out)

    def norm(name: str) -> Iterator[tuple[str, NDArray[np.float32]]]:
        yield f"{name}.weight", 1 + random(_DIM)
        yield f"{name}.bias", random(_DIM)

    mpnet = kind is Kind.MPNET
    yield "embeddings.word_embeddings.weight", random(_N_PIECES, _DIM)
    n_positions = WINDOW + 1 if kind is Kind.BERT else WINDOW + 2
    yield "embeddings.position_embeddings.weight", random(n_positions, _DIM)
    if mpnet:
        yield "encoder.relative_attention_bias.weight", random(32, _HEADS)
    else:
        yield "embeddings.token_type_embeddings.weight", random(2, _DIM)
    yield from norm("embeddings.LayerNorm")
    attention = [f"attn.{name}" for name in "qkvo"] if mpnet else ["self.query", "self.key", "self.value"]
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}"
        for name in attention if mpnet else [*attention, "output.dense"]:
            yield from linear(f"{prefix}.attention.{name}", _DIM, _DIM)
        yield from norm(f"{prefix}.attention.LayerNorm" if mpnet else f"{prefix}.attention.output.LayerNorm")
        yield from linear(f"{prefix}.intermediate.dense", _DIM, _WIDE)
        yield from linear(f"{prefix}.output.dense", _WIDE, _DIM)
        yield from norm(f"{prefix}.output.LayerNorm")
    yield from linear("pooler.dense", _DIM, _DIM)


def _write_tokenizer(kind: Kind, folder: Path, pad: int) -> None:
    marks = _MARKS.get(kind, _OTHER_MARKS)
    tokenizer, trainer = _untrained(kind, marks)
    lines = (SAMPLES / "gull-rock.txt").read_text(encoding="utf-8").splitlines()
    tokenizer.train_from_iterator(lines, trainer)
    first, last = ("[CLS]", "[SEP]") if kind is Kind.BERT else ("<s>", "</s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        special_tokens=[(mark, tokenizer.token_to_id(mark)) for mark in (first, last)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    order = range(5) if kind is Kind.BERT else (1, 3, 0, 2, 4)
    config: dict[str, Any] = {name: marks[i] for name, i in zip(names, order, strict=True)}
    config |= {"tokenizer_class": _CLASSES[kind], "model_max_length": WINDOW}
    _write(folder / "tokenizer_config.json", config)


def _untrained(kind: Kind, marks: list[str]) -> tuple[Tokenizer, Any]:
    if kind is Kind.ROBERTA:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        return tokenizer, trainers.BpeTrainer(
            vocab_size=_N_PIECES, special_tokens=marks, initial_alphabet=alphabet, show_progress=False
        )
    if kind is Kind.XLM_ROBERTA:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
        return tokenizer, trainers.UnigramTrainer(
            vocab_size=_N_PIECES, special_tokens=marks, unk_token="<unk>", show_progress=False
        )
    unknown = "[UNK]" if kind is Kind.BERT else "<unk>"
    tokenizer = Tokenizer(models.WordPiece(unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer, trainers.WordPieceTrainer(
        vocab_size=_N_PIECES, special_tokens=marks, show_progress=False
    )


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
