"""The forward pass of BERT and its relatives in OpenVINO's own operations, from weights to vectors.

BERT: Devlin et al. 2019. RoBERTa (Liu et al. 2019), XLM-R (Conneau et al. 2020) and MPNet (Song et al. 2020)
differ in how they count positions; MPNet adds T5's bias by distance (Raffel et al. 2020) to its attention.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.embed.graph.blueprint import Blueprint, Kind, Pooling, UnknownModelError
from alexandria.embed.graph.folder import import_openvino
from alexandria.embed.neutral import LanguageConstants

PADDING_BIAS = -1e4
"""Added to the attention on padding: its share becomes exactly 0, and f16 can hold the number."""
N_BUCKETS = 32  # distances of two pieces that MPNet's attention distinguishes
MAX_DISTANCE = 128  # pieces further apart count as this far apart

WORD_BLOCKS = "embeddings.word_embeddings.blocks"
"""Prefix of two weights that replace the table of word pieces where a model's file has it in blocks:
`.numbers`, small integers, (n_pieces, dim), and `.scales`, one per block of them, (n_pieces, n_blocks)."""

_Node = Any  # an operation of OpenVINO, which ships no types

_BERT_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attention": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
}
_MPNET_NAMES = {
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "attention": "attention.attn.o",
    "attention_norm": "attention.LayerNorm",
}


def build_network(
    blueprint: Blueprint, weights: Mapping[str, NDArray[Any]], *, languages: LanguageConstants | None = None
) -> Any:
    """Return a model's computation as an OpenVINO network.

    Its inputs are ids of word pieces and a mask that is 1 where there is a piece, each (n_texts, width) and
    int64; its output is (n_texts, dim), float32, not normalised.

    Args:
        weights: the model's parameters by name.
        languages: what to take out of the vectors.

    Raises:
        UnknownModelError: the weights are not those of the blueprint's architecture.
    """
    openvino = import_openvino()
    from openvino import opset13 as ops  # type: ignore[import-untyped]  # it ships no types

    ids = ops.parameter([-1, -1], np.int64, name="input_ids")  # (n_texts, width)
    mask = ops.parameter([-1, -1], np.int64, name="attention_mask")
    builder = _Builder(ops, blueprint, _strip_prefix(weights))
    pieces = builder.transform(ids, mask)
    builder.check_all_used()
    pooled = _pool(ops, blueprint.pooling, pieces, ops.convert(mask, "f32"))
    if languages is not None:
        pooled = languages.project_out_language_in_graph(ops, pooled)
    return openvino.Model([pooled], [ids, mask], "bert")


def build_ranker(blueprint: Blueprint, weights: Mapping[str, NDArray[Any]]) -> Any:
    """Return a cross-encoder's computation as an OpenVINO network.

    Its inputs are ids of word pieces, a mask, and 1 where a piece is of the second text, each (n_pairs,
    width) and int64; its output is one score per pair, (n_pairs, 1), float32.

    Raises:
        UnknownModelError: the weights are not those of the blueprint's architecture, or give several scores.
    """
    openvino = import_openvino()
    from openvino import opset13 as ops

    names = ("input_ids", "attention_mask", "token_type_ids")
    ids, mask, token_types = (ops.parameter([-1, -1], np.int64, name=name) for name in names)
    builder = _Builder(ops, blueprint, _strip_prefix(weights))
    pieces = builder.transform(ids, mask, token_types)
    builder.check_all_used()
    first_pieces = _pool(ops, Pooling.CLS, pieces, mask)  # (n_pairs, dim)
    if blueprint.kind is Kind.BERT:
        hidden_layer, last_layer = "pooler.dense", "classifier"
    else:
        hidden_layer, last_layer = "classifier.dense", "classifier.out_proj"
    head = _Builder(ops, blueprint, _head_weights(weights))
    scores = head.dense(last_layer, ops.tanh(head.dense(hidden_layer, first_pieces)))
    if scores.get_output_partial_shape(0)[1].get_length() != 1:
        raise UnknownModelError("it gives several scores per pair")
    return openvino.Model([scores], [ids, mask, token_types], "ranker")


def _head_weights(weights: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the weights of the layers after the transformer."""
    # `bert.pooler.dense.bias` becomes `pooler.dense.bias`.
    return {
        name[name.index(part) :]: array
        for name, array in weights.items()
        for part in ("pooler.", "classifier.")
        if part in name
    }


def _strip_prefix(weights: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the transformer's weights, without the prefix that the names have in a larger model."""
    # `roberta.embeddings.LayerNorm.bias` becomes `embeddings.LayerNorm.bias`. The table of word pieces, which
    # every model has, shows the prefix.
    word_tables = ("embeddings.word_embeddings.weight", f"{WORD_BLOCKS}.numbers")
    prefix = next(
        (name.removesuffix(table) for name in weights for table in word_tables if name.endswith(table)), ""
    )
    return {name.removeprefix(prefix): array for name, array in weights.items() if name.startswith(prefix)}


def _pool(ops: Any, pooling: Pooling, pieces: _Node, mask: _Node) -> _Node:
    """Return one vector per text, (n_texts, dim), from the vectors of its pieces, (n_texts, width, dim)."""
    if pooling is Pooling.CLS:
        return ops.gather(pieces, np.int64(0), np.int64(1))
    width_axis = np.array([1])
    mask = ops.unsqueeze(mask, np.int64(2))  # (n_texts, width, 1)
    sums = ops.reduce_sum(ops.multiply(pieces, mask), width_axis, keep_dims=False)
    return ops.divide(sums, ops.reduce_sum(mask, width_axis, keep_dims=False))


class _Builder:
    """Adds one layer after the other, and removes each weight that it uses from the given ones."""

    def __init__(self, ops: Any, blueprint: Blueprint, weights: dict[str, NDArray[Any]]) -> None:
        self._ops, self._blueprint, self._weights = ops, blueprint, weights
        self._names = _MPNET_NAMES if blueprint.kind is Kind.MPNET else _BERT_NAMES

    def transform(self, ids: _Node, mask: _Node, token_types: _Node | None = None) -> _Node:
        """Return the graph of BERT's layers, from pieces to their vectors, (n_texts, width, dim).

        Args:
            ids: the ids of the word pieces, (n_texts, width).
            mask: (n_texts, width), 1 where there is a piece, 0 on padding.
            token_types: (n_texts, width), 1 on the pieces of a second text; None if there is no second text.
        """
        ops = self._ops
        states = self._embed(ids, token_types)
        # 0 on pieces, PADDING_BIAS on padding: (n_texts, 1, 1, width).
        is_padding = ops.subtract(self._constant(1), ops.convert(mask, np.float32))
        bias = ops.unsqueeze(ops.multiply(is_padding, self._constant(PADDING_BIAS)), np.array([1, 2]))
        if self._blueprint.kind is Kind.MPNET:
            bias = ops.add(bias, self._distance_bias(ids))
        for layer in range(self._blueprint.n_layers):
            states = self._transformer_layer(f"encoder.layer.{layer}.", states, bias)
        return states

    def check_all_used(self) -> None:
        """Raise UnknownModelError if a weight of the layers is left: each is taken out when it is used."""
        # Old versions of transformers also stored the positions 0, 1, 2, …
        unused = [name for name in self._weights if name.startswith(("embeddings.", "encoder."))]
        if unused := [name for name in unused if name != "embeddings.position_ids"]:
            raise UnknownModelError(f"{unused[0]} is not a weight of {self._blueprint.kind}")

    def _embed(self, ids: _Node, token_types: _Node | None) -> _Node:
        """Return the input of the first layer: the sum of piece, position and type, normalised."""
        ops, row_axis = self._ops, np.int64(0)
        position_table = self._pop_weight("embeddings.position_embeddings.weight")
        type_table = None
        if self._blueprint.kind is not Kind.MPNET:
            type_table = self._pop_weight("embeddings.token_type_embeddings.weight")
            # Added to every position once: all pieces are of type 0 unless `token_types` says otherwise.
            position_table = position_table + type_table[0]
        vectors = ops.gather(self._constant(position_table), self._positions(ids), row_axis)
        if token_types is not None and type_table is not None and len(type_table) > 1:  # RoBERTa has only one
            differences = self._constant(type_table - type_table[0])
            vectors = ops.add(vectors, ops.gather(differences, token_types, row_axis))
        return self._layer_norm("embeddings.LayerNorm", ops.add(self._word_embeddings(ids), vectors))

    def _word_embeddings(self, ids: _Node) -> _Node:
        """Return the embeddings of word pieces, (n_texts, width, dim), dequantized if stored in blocks."""
        ops, row_axis = self._ops, np.int64(0)
        if f"{WORD_BLOCKS}.numbers" not in self._weights:
            table = self._constant(self._pop_weight("embeddings.word_embeddings.weight"))
            return ops.gather(table, ids, row_axis)
        # Only the rows of these pieces are dequantized. All 250,037 rows of multilingual-e5-small would take
        # 384 MB of memory in f32; they take 108 MB as int8 with scales, which OpenVINO converts to f32.
        table = self._pop_weight(f"{WORD_BLOCKS}.numbers")  # (n_pieces, dim)
        scales = self._pop_weight(f"{WORD_BLOCKS}.scales")  # (n_pieces, n_blocks)
        dim, n_blocks = table.shape[1], scales.shape[1]
        quantized_rows = ops.convert(ops.gather(ops.constant(table), ids, row_axis), np.float32)
        row_scales = ops.convert(ops.gather(ops.constant(scales), ids, row_axis), np.float32)
        # In a shape with special_zero, 0 keeps the size of that dimension.
        block_shape = np.array([0, 0, n_blocks, dim // n_blocks])
        blocks = ops.multiply(
            ops.reshape(quantized_rows, block_shape, special_zero=True),
            ops.unsqueeze(row_scales, np.int64(-1)),
        )
        return ops.reshape(blocks, np.array([0, 0, dim]), special_zero=True)

    def _positions(self, ids: _Node) -> _Node:
        """Return the position of each piece: (1, width) in BERT, (n_texts, width) in the others."""
        ops = self._ops
        if self._blueprint.kind is Kind.BERT:
            return ops.unsqueeze(self._range(ids), np.int64(0))
        pad = np.int64(self._blueprint.pad)
        # pad + 1, pad + 2, … on pieces, and pad on padding.
        is_piece = ops.convert(ops.not_equal(ids, pad), "i64")
        return ops.add(ops.multiply(ops.cum_sum(is_piece, np.int64(1)), is_piece), pad)

    def _range(self, ids: _Node) -> _Node:
        """Return 0, 1, 2, … up to the width."""
        width = self._ops.gather(self._ops.shape_of(ids), np.int64(1), np.int64(0))
        return self._ops.range(np.int64(0), width, np.int64(1), "i64")

    def _distance_bias(self, ids: _Node) -> _Node:
        """Return MPNet's bias for every two pieces, (1, n_heads, width, width), by their distance."""
        ops = self._ops
        by_bucket = self._pop_weight("encoder.relative_attention_bias.weight")  # (N_BUCKETS, n_heads)
        distances = np.arange(-MAX_DISTANCE, MAX_DISTANCE + 1)
        by_distance = by_bucket[_distance_buckets(distances)].T  # (n_heads, 2 * MAX_DISTANCE + 1)
        positions = self._range(ids)
        # (width, width): the position of the key minus the position of the query.
        to_key = ops.subtract(ops.unsqueeze(positions, np.int64(0)), ops.unsqueeze(positions, np.int64(1)))
        index = ops.add(ops.clamp(to_key, -MAX_DISTANCE, MAX_DISTANCE), np.int64(MAX_DISTANCE))
        bias = ops.gather(self._constant(by_distance), index, np.int64(1))  # (n_heads, width, width)
        return ops.unsqueeze(bias, np.int64(0))

    def _transformer_layer(self, prefix: str, states: _Node, bias: _Node) -> _Node:
        """Return the output of a transformer layer: attention, then two products with GELU between them."""
        ops = self._ops
        attended = self.dense(prefix + self._names["attention"], self._attend(prefix, states, bias))
        states = self._layer_norm(prefix + self._names["attention_norm"], ops.add(attended, states))
        wide = ops.gelu(self.dense(prefix + "intermediate.dense", states), "erf")
        narrow = self.dense(prefix + "output.dense", wide)
        return self._layer_norm(prefix + "output.LayerNorm", ops.add(narrow, states))

    def _attend(self, prefix: str, states: _Node, bias: _Node) -> _Node:
        """Return multi-head self-attention, (n_texts, width, dim), before its output layer."""
        ops, n_heads = self._ops, self._blueprint.n_heads
        per_head = self._blueprint.dim // n_heads
        swap_width_and_heads = np.array([0, 2, 1, 3])

        def project(name: str) -> _Node:
            """Return the queries, keys or values of all heads, (n_texts, n_heads, width, per_head)."""
            vectors = self.dense(prefix + self._names[name], states)
            split = ops.reshape(vectors, np.array([0, 0, n_heads, per_head]), special_zero=True)
            return ops.transpose(split, swap_width_and_heads)

        queries = ops.multiply(project("query"), self._constant(1 / math.sqrt(per_head)))
        scores = ops.add(ops.matmul(queries, project("key"), False, True), bias)  # (…, width, width)
        attended = ops.matmul(ops.softmax(scores, -1), project("value"), False, False)
        joined = ops.transpose(attended, swap_width_and_heads)  # (n_texts, width, n_heads, per_head)
        return ops.reshape(joined, np.array([0, 0, self._blueprint.dim]), special_zero=True)

    def dense(self, name: str, states: _Node) -> _Node:
        """Return the output of a linear layer, without activation."""
        weight = self._constant(self._pop_weight(f"{name}.weight"))  # (n_out, n_in)
        product = self._ops.matmul(states, weight, False, True)
        return self._ops.add(product, self._constant(self._pop_weight(f"{name}.bias")))

    def _layer_norm(self, name: str, states: _Node) -> _Node:
        """Return vectors with mean 0 and variance 1, scaled and shifted by the weights of the layer."""
        ops, last_axis = self._ops, np.array([-1])
        normalised = ops.mvn(states, last_axis, True, self._blueprint.epsilon, "inside_sqrt")
        scaled = ops.multiply(normalised, self._constant(self._pop_weight(f"{name}.weight")))
        return ops.add(scaled, self._constant(self._pop_weight(f"{name}.bias")))

    def _pop_weight(self, name: str) -> NDArray[Any]:
        """Return a weight, and remove it: weights that are left at the end were not used."""
        try:
            return self._weights.pop(name)
        except KeyError:
            raise UnknownModelError(f"its weights contain no {name}") from None

    def _constant(self, values: NDArray[Any] | float) -> _Node:
        return self._ops.constant(np.ascontiguousarray(values, np.float32))


def _distance_buckets(distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bucket of each distance from query to key, as in T5: exact if small, else logarithmic."""
    half = N_BUCKETS // 2  # for keys after the query, and for keys before it
    n_exact = N_BUCKETS // 4
    magnitudes = np.abs(distances)
    # float32 throughout, as in transformers: in float64 some distances fall into the next bucket.
    logs = np.log(np.maximum(magnitudes, 1).astype(np.float32) / np.float32(n_exact))
    fractions = logs / np.float32(math.log(MAX_DISTANCE / n_exact))
    by_log = n_exact + (fractions * np.float32(half - n_exact)).astype(np.int64)
    bucket = np.where(magnitudes < n_exact, magnitudes, np.minimum(by_log, half - 1))
    return np.where(distances > 0, half, 0) + bucket
