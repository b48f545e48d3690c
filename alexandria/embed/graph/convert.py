"""Converts a sentence-transformers model into an OpenVINO graph, and compares the graph with the model.

    python -m alexandria.embed.graph.convert MODEL_FOLDER GRAPH_FOLDER

writes `graph.xml`, `graph.bin` and `tokenizer.json`, and into `graph.json` what else a graph needs, or why
there is none. There is no list of supported models: a graph is accepted if it gives the model's own vectors
for a few unusual texts.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.book.choices import Precision
from alexandria.embed.encoder import unit_rows
from alexandria.embed.graph.folder import (
    Graph,
    UnsupportedModelError,
    import_openvino,
    write_facts,
    write_refusal,
)
from alexandria.embed.graph.measure import MIN_COSINE, PROBES, lowest_cosine
from alexandria.embed.models.locate import Model
from alexandria.embed.neutral import CONSTANTS, LanguageConstants, read_constants
from alexandria.embed.openvino import OpenVinoEncoder
from alexandria.embed.torch import load_torch

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer


def convert(model: Path, folder: Path) -> None:
    """Write the graph of the model into the folder, or the reason why there is none."""
    try:
        loaded = load_torch(Model(model.name, model), Precision.F32, device="cpu")
        constants = read_constants(model / CONSTANTS)
        expected = unit_rows(loaded.encode(list(PROBES), convert_to_numpy=True, show_progress_bar=False))
        if constants is not None:
            expected = unit_rows(constants.project_out_language(expected))
        graph = _write_facts(loaded, folder)
        _write_network(loaded, graph.network, constants)
        lowest = lowest_cosine(OpenVinoEncoder("", graph, Precision.F32), expected)
        if lowest < MIN_COSINE:
            raise UnsupportedModelError(f"its graph gives other vectors (cosine {lowest:.4f} to its own)")
    except Exception as error:  # tracing runs the model's own code: whatever it raises, there is no graph
        first_line = (str(error).strip().splitlines() or [""])[0]
        is_our_own = isinstance(error, UnsupportedModelError)
        why = first_line if is_our_own else f"{type(error).__name__}: {first_line}"
        write_refusal(folder, why)


def _write_facts(loaded: SentenceTransformer, folder: Path) -> Graph:
    """Write everything that a graph needs besides its network, and return the graph."""
    tokenizer = loaded.tokenizer
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        raise UnsupportedModelError("its tokenizer is not one of the `tokenizers` library")
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    return write_facts(
        folder,
        dim=loaded.get_embedding_dimension(),
        window=loaded.max_seq_length,
        pad=tokenizer.pad_token_id or 0,
    )


def _write_network(loaded: SentenceTransformer, file: Path, constants: LanguageConstants | None) -> None:
    """Trace the model on two texts, and write the network, which then accepts any number of any length."""
    openvino = import_openvino()
    pieces = loaded.tokenizer(["One.", "Another, longer example."], padding=True, return_tensors="pt")
    inputs = {key: pieces[key] for key in ("input_ids", "attention_mask")}
    network = openvino.convert_model(_join_stages(loaded), example_input=inputs)
    if constants is not None:
        from openvino import opset13 as ops  # type: ignore[import-untyped]  # it ships no types

        pooled = network.get_results()[0].input_value(0)
        network = openvino.Model(
            [constants.project_out_language_in_graph(ops, pooled)], network.get_parameters(), "taken"
        )
    openvino.save_model(network, file, compress_to_fp16=False)


def _join_stages(loaded: SentenceTransformer) -> torch.nn.Module:
    """Return all stages of the model (transformer, pooling, …) as one module from word pieces to vectors."""
    import torch

    class Joined(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stages = torch.nn.ModuleList(loaded)

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            for stage in self.stages:
                features = stage(features)
            return features["sentence_embedding"]

    return Joined()


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the tracer's notes are for developers of models
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
