"""What a GPU gives: the encoder against a bare loop, its vectors, and a folder of books end to end.

    python -m benchmarks.gpu [--books 200] [--words 30000] [--runs 3] [--cpu]

It needs this checkout and the extra `models`; the books are made from sentences that are shipped. Without
a GPU it stops, unless `--cpu` has torch compute on the processor, to try the script itself.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from alexandria import Library
from alexandria.book.choices import Backend, Precision
from alexandria.embed import load_encoder
from alexandria.embed.batches import make_batches, pad_batch
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.embed.neutral import parallel_texts
from alexandria.embed.torch import GPUS, TorchEncoder
from benchmarks.peers import processor_name

SENTENCES = [text for kind in ("stories", "rights", "facts") for text in parallel_texts(kind)["en"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--books", type=int, default=200)
    parser.add_argument("--words", type=int, default=30_000, help="of each book")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cpu", action="store_true")
    arguments = parser.parse_args()
    encoder = TorchEncoder(locate(DEFAULT_MODEL))
    device = encoder._model.device
    if device.type not in GPUS and not arguments.cpu:
        raise SystemExit("torch finds no GPU here; --cpu tries the script without one")
    name = torch.cuda.get_device_name() if device.type == "cuda" else device.type
    print(f"{name}; {processor_name()}, {os.cpu_count()} cores; torch {torch.__version__}")
    texts = make_sentences(4 * arguments.words, seed=0)
    compare_with_bare_loop(encoder, texts, arguments.runs)
    compare_vectors(encoder, texts[:2000])
    with tempfile.TemporaryDirectory() as folder:
        for first, backend in ((0, Backend.OPENVINO), (arguments.books, Backend.AUTO)):
            books = Path(folder, f"{backend} books")  # other books for each: vectors are cached by text
            books.mkdir()
            for number in range(first, first + arguments.books):
                text = make_book(arguments.words, seed=number)
                (books / f"book-{number}.txt").write_text(text, encoding="utf-8")
            ingest_all(books, Path(folder, backend), backend, arguments.words)


def compare_with_bare_loop(encoder: TorchEncoder, texts: Sequence[str], runs: int) -> None:
    """Print the word pieces per second of the encoder, and of its model over ready batches on the device."""
    pieces = encoder._tokenise(list(texts))
    lengths = [len(ids) for ids in pieces]
    device = encoder._model.device
    ready = [
        {"input_ids": torch.from_numpy(ids).to(device), "attention_mask": torch.from_numpy(mask).to(device)}
        for batch in make_batches(lengths, encoder._model.max_seq_length, n_pieces=encoder._n_pieces)
        for ids, mask in [pad_batch(batch, pieces, 0)]
    ]

    def bare() -> None:
        with torch.inference_mode():
            for features in ready:
                last = encoder._model(dict(features))["sentence_embedding"]
            last.cpu()  # waits for the device

    times = {"bare loop": bare, "encoder": lambda: encoder.encode(texts)}
    medians = {name: median_time(run, runs) for name, run in times.items()}
    for name, seconds in medians.items():
        print(f"{name}: {sum(lengths) / seconds:,.0f} word pieces/s")
    print(f"encoder, share of the bare loop's speed: {medians['bare loop'] / medians['encoder']:.1%}")


def compare_vectors(encoder: TorchEncoder, texts: Sequence[str]) -> None:
    """Print how far the vectors are from those in f32 on the processor."""
    exact = load_encoder(backend=Backend.OPENVINO, precision=Precision.F32).encode(texts)
    vectors = encoder.encode(texts)
    cosines = np.sum(vectors * exact, axis=1)
    similarities, exact_similarities = (np.sum(rows[1:] * rows[:-1], axis=1) for rows in (vectors, exact))
    off = np.abs(similarities - exact_similarities)
    print(
        f"{encoder.find_precision()} against f32 on the processor: cosine {cosines.min():.6f} at least; ",
        end="",
    )
    print(f"similarity of neighbours off by {off.mean():.5f}, at most {off.max():.5f}")


def ingest_all(books: Path, store: Path, backend: Backend, n_words: int) -> None:
    """Print the time from a folder of books to a searchable collection."""
    began, processor = time.perf_counter(), time.process_time()
    outcomes = Library(store).ingest(books, options={"backend": backend.value}, workers=2)
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    n_books = sum(outcome.error is None for outcome in outcomes)
    print(
        f"backend {backend}: {n_books} books in {seconds:.1f} s ({processor:.1f} s of processor), "
        f"{n_books * n_words / seconds:,.0f} words/s"
    )


def median_time(run: Callable[[], object], runs: int) -> float:
    run()  # compiles kernels
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def make_book(n_words: int, seed: int) -> str:
    """Return a book of paragraphs of four sentences, in chapters."""
    sentences = make_sentences(n_words, seed)
    paragraphs = [" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4)]
    chapters = [paragraphs[i : i + 40] for i in range(0, len(paragraphs), 40)]
    return "\n\n".join(
        "\n\n".join([f"CHAPTER {number}", *chapter]) for number, chapter in enumerate(chapters, 1)
    )


def make_sentences(n_words: int, seed: int) -> list[str]:
    """Return sentences of the shipped texts in random order, each with words exchanged: no two alike."""
    rng = random.Random(seed)
    words = sorted({word for text in SENTENCES for word in text.split() if word.islower()})
    sentences: list[str] = []
    while n_words > 0:
        text = [rng.choice(words) if rng.random() < 0.2 else word for word in rng.choice(SENTENCES).split()]
        sentences.append(" ".join(text))
        n_words -= len(text)
    return sentences


if __name__ == "__main__":
    main()
