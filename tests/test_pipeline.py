"""From a file to points: nothing is lost, nothing is stored twice, and every run gives the same."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alexandria.book.model import Embeddings, count_words
from alexandria.chunking import STRATEGIES, chunk_vectors
from alexandria.chunking.domains import Domain, load_domain
from alexandria.embed import Encoder
from alexandria.embed.encoder import Counter, uncounted
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import extract
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.library.ingest.discovery import discover
from alexandria.library.ingest.one_book import (
    Analysis,
    analyse,
    begin,
    cut_sample,
    finish,
    generation,
    prepare,
    read,
    read_options,
    store,
    take_sample,
)
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.ingest.run import ingest
from alexandria.store import Binding, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION
from tests.conftest import CORE_BOOKS, EACH_SAMPLE

ENCODER = HashingEncoder()


def domain(strategy: str = "universal-semantic") -> Domain:
    return load_domain(options={"strategy": strategy, "model": "hashing"}, environ={})


def open_at(folder: Path, encoder: Encoder = ENCODER) -> Catalog:
    return Catalog(open_store(str(folder), "books", Binding(encoder.name, encoder.dim, SCHEMA_VERSION)))


def run(
    files: list[Path], folder: Path, chosen: Domain | None = None, *, force: bool = False
) -> list[Outcome]:
    with open_at(folder) as library:
        return list(ingest(files, chosen or domain(), ENCODER, library, RunOptions(force=force, cache=False)))


def stored(folder: Path) -> dict[str, dict[str, Any]]:
    """Return every point's payload without its time, by id."""
    store = open_store(str(folder), "books", None)
    try:
        points = list(store.payloads({}))
    finally:
        store.close()
    assert len({id for id, _ in points}) == len(points)
    return {id: {**payload, "ingested_at": None} for id, payload in points}


def digest(folder: Path) -> str:
    return sha256("\n".join(sorted(stored(folder))).encode()).hexdigest()


def check(analysis: Analysis) -> None:
    """Check the invariants of the design: spans, partition, order."""
    book, sentences, chunks = analysis.book, analysis.sentences, analysis.chunks
    assert [book.text[block.start : block.end] for block in book.blocks] == [
        block.text for block in book.blocks
    ]
    assert analysis.texts == tuple(book.text[sentence.start : sentence.end] for sentence in sentences)
    assert analysis.embeddings.shape == (len(sentences), ENCODER.dim)
    assert all(left.end <= right.start for left, right in pairwise(sentences))
    assert "".join("".join(text.split()) for text in analysis.texts) == "".join(book.text.split())
    firsts = [chunk.first_sentence for chunk in chunks]
    assert firsts == [0, *(boundary.gap + 1 for boundary in analysis.segmentation.boundaries)][: len(chunks)]
    assert sum(chunk.n_sentences for chunk in chunks) == len(sentences)
    for chunk in chunks:
        assert chunk.text == book.text[chunk.start : chunk.end]
        assert chunk.start == sentences[chunk.first_sentence].start
        assert chunk.end == sentences[chunk.first_sentence + chunk.n_sentences - 1].end
        assert chunk.word_count == count_words(chunk.text)
    assert len(analysis.segmentation.similarities) == max(0, len(sentences) - 1)


@pytest.fixture(params=EACH_SAMPLE)
def sample(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_word_is_in_exactly_one_chunk(sample: Path, strategy: str) -> None:
    chosen = domain(strategy)
    analysis = analyse(extract(sample, read_options(chosen)), chosen, ENCODER)
    check(analysis)
    assert sum(chunk.word_count for chunk in analysis.chunks) == count_words(analysis.book.text)


def test_a_chunk_vector_is_the_normalised_mean_of_its_sentences(sample: Path) -> None:
    analysis = analyse(extract(sample), domain(), ENCODER)
    vectors = chunk_vectors(analysis.embeddings, analysis.chunks)
    for vector, chunk in zip(vectors, analysis.chunks, strict=True):
        mean = analysis.embeddings[chunk.first_sentence :][: chunk.n_sentences].astype(float).mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-6)


class Counting(HashingEncoder):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.n_texts = 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.n_texts += len(texts)
        return super().encode(texts)


def test_one_pass_of_the_model_serves_every_domain_with_the_same_sentences() -> None:
    encoder, book = Counting(), extract(CORE_BOOKS[0])
    begun = begin(book, domain(), encoder)
    again = begin(book, domain("percentile"), encoder, before=begun)
    assert again is begun
    ways = [finish(again, domain(name)) for name in ("universal-semantic", "percentile")]
    assert encoder.n_texts == len(begun.sentences)
    for way, name in zip(ways, ("universal-semantic", "percentile"), strict=True):
        whole = analyse(book, domain(name), ENCODER)
        assert way.chunks == whole.chunks
        np.testing.assert_array_equal(way.embeddings, whole.embeddings)


class Ahead(HashingEncoder):
    """Embeds in the background, and hands over the vectors of each book only once."""

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        results = iter([self.encode(texts)])
        return lambda: next(results)


def test_a_book_embedded_in_the_background_can_be_cut_twice() -> None:
    book = extract(CORE_BOOKS[0])
    begun = begin(book, domain(), Ahead())
    first, second = finish(begun, domain()), finish(begun, domain("percentile"))
    assert first.embeddings is second.embeddings
    assert first.chunks == analyse(book, domain(), ENCODER).chunks


def test_other_sentences_are_embedded_again() -> None:
    encoder, book = Counting(), extract(CORE_BOOKS[0])
    begun = begin(book, domain(), encoder)
    short = load_domain(options={"model": "hashing", "max_words": 8, "min_words": 1}, environ={})
    again = begin(book, short, encoder, before=begun)
    assert again.sentences != begun.sentences
    assert encoder.n_texts == len(begun.sentences) + len(again.sentences)


def test_the_way_of_a_book_from_its_file_to_the_store(tmp_path: Path) -> None:
    """The lines at the head of `one_book.py`."""
    options = read_options(domain())
    book = read(CORE_BOOKS[0], options)
    begun = begin(book, domain(), ENCODER)
    analysis = finish(begun, domain())
    name = generation(book.id, domain(), ENCODER, options)
    prepared = prepare(analysis, name)
    with open_at(tmp_path) as catalog:
        record = store(prepared, catalog)
        assert record == prepared.record == catalog.book(book.id)
        assert catalog.holds(book.id, name)
    assert set(stored(tmp_path)) == {point.id for point in prepared.points}
    assert [outcome.status for outcome in run(CORE_BOOKS[:1], tmp_path)] == [Status.UNCHANGED]


def test_a_sample_is_from_the_middle_and_is_cut_like_the_book() -> None:
    book = extract(CORE_BOOKS[0])
    whole = analyse(book, domain(), ENCODER)
    sample = take_sample(book, domain(), 10)
    first = (len(whole.texts) - 10) // 2
    assert sample.texts == whole.texts[first : first + 10]
    assert sample.n_sentences == len(whole.texts)
    everything = take_sample(book, domain(), 10_000)
    cut = cut_sample(everything, ENCODER.encode(everything.texts), domain())
    assert cut.boundaries == whole.segmentation.boundaries


# --- reading --------------------------------------------------------------------------------------


def test_a_cached_book_is_read_without_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path))
    calls: list[str] = []
    with IsolatedReader() as reader:
        first = read(CORE_BOOKS[0], cache=True, reader=reader, meanwhile=lambda: calls.append("meanwhile"))
        assert reader.pid is not None
    assert calls == ["meanwhile"]
    with IsolatedReader() as reader:
        assert (
            read(CORE_BOOKS[0], cache=True, reader=reader, meanwhile=lambda: calls.append("again")) == first
        )
        assert reader.pid is None
    assert calls == ["meanwhile"]
    assert first == extract(CORE_BOOKS[0])


def test_one_reader_serves_several_files(tmp_path: Path) -> None:
    with IsolatedReader() as reader:
        assert read(CORE_BOOKS[0], reader=reader) == extract(CORE_BOOKS[0])
        pid = reader.pid
        assert read(CORE_BOOKS[1], reader=reader) == extract(CORE_BOOKS[1])
        assert reader.pid == pid


# --- ingesting ------------------------------------------------------------------------------------


def test_ingesting_twice_is_ingesting_once(tmp_path: Path) -> None:
    assert {outcome.status for outcome in run(CORE_BOOKS, tmp_path)} == {Status.INGESTED}
    before = stored(tmp_path)
    assert {outcome.status for outcome in run(CORE_BOOKS, tmp_path)} == {Status.UNCHANGED}
    assert stored(tmp_path) == before
    assert {outcome.status for outcome in run(CORE_BOOKS, tmp_path, force=True)} == {Status.INGESTED}
    assert stored(tmp_path) == before


def test_the_order_of_the_books_does_not_matter(tmp_path: Path) -> None:
    run(CORE_BOOKS, tmp_path / "a")
    run(CORE_BOOKS[::-1], tmp_path / "b")
    assert stored(tmp_path / "a") == stored(tmp_path / "b")


def test_other_settings_replace_a_book(tmp_path: Path) -> None:
    run(CORE_BOOKS, tmp_path)
    outcomes = run(CORE_BOOKS[:1], tmp_path, domain("recursive"))
    assert [outcome.status for outcome in outcomes] == [Status.INGESTED]
    points = stored(tmp_path).values()
    replaced = [payload for payload in points if payload["book_id"] == outcomes[0].book_id]
    assert {payload["strategy"] for payload in replaced} == {"recursive"}
    assert {payload["strategy"] for payload in points} == {"recursive", "universal-semantic"}


def test_a_changed_file_replaces_the_book_it_was(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("An old sentence. Another old one.")
    run([file], tmp_path / "library")
    file.write_text("A new sentence. Another new one.")
    run([file], tmp_path / "library")
    assert [payload["text"] for payload in stored(tmp_path / "library").values()] == [
        "A new sentence. Another new one."
    ]


def test_the_same_bytes_under_two_names_are_one_book(tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("A sentence. Another one.")
    outcomes = run(discover([tmp_path]), tmp_path / "library")
    assert [outcome.status for outcome in outcomes] == [Status.INGESTED, Status.UNCHANGED]


def test_a_payload_is_as_specified(tmp_path: Path) -> None:
    run(CORE_BOOKS, tmp_path)
    specified = "text book_title author domain language ingested_at strategy chunk_id word_count"
    ours = (
        "book_id generation source format start end n_sentences total_chunks avg_similarity section topic "
        "page_start page_end page_label href notes boundary vector_coverage schema_version metadata"
    )
    for payload in stored(tmp_path).values():
        assert {*specified.split(), *ours.split()} <= set(payload)
        assert {"source", "domain", "book_title"} <= set(payload["metadata"])
        assert (payload["boundary"] is None) == (payload["chunk_id"] == 0)
        assert payload["chunk_id"] < payload["total_chunks"]


def test_discovery_returns_books_and_skips_the_rest(tmp_path: Path) -> None:
    for name in ("b.EPUB", "a.txt", "notes.json", ".hidden.txt", "deep/er/c.pdf", ".git/x.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "folder.epub").mkdir()
    named = tmp_path / "notes.json"
    names = [str(path.relative_to(tmp_path)) for path in discover([named, tmp_path, tmp_path / "a.txt"])]
    assert names == ["notes.json", "a.txt", "b.EPUB", "folder.epub", "deep/er/c.pdf"]


# --- the real books -------------------------------------------------------------------------------

REFUSED = {
    "idpf-svg-in-spine.epub": "no_text",  # drawings whose letters are paths
    "w3c-pub-foreign_bad-fallback.epub": "no_text",  # a disk image, and a picture in its place
    "debian-gnu-linux-guide-pg.pdf": "garbled",
    "garbage-no-tounicode.pdf": "garbled",
    "encrypted-user-secret-aes256.pdf": "password",
    "encrypted-user-secret-rc4.pdf": "password",
    "pypdf-libreoffice-writer-password.pdf": "password",
    "scanned-3p-grey.pdf": "no_text",
    "pypdf-grayscale-image.pdf": "no_text",
    "pypdf-imagemagick-ASCII85Decode.pdf": "no_text",
    "pypdf-imagemagick-CCITTFaxDecode.pdf": "no_text",
}
"""File → the error code that its description in the manifest calls for."""


@pytest.mark.shared
def test_every_good_book_is_ingested_and_every_bad_one_refused_by_name(
    shared_data: Path, tmp_path: Path
) -> None:
    """But for the longest texts, which take most of the time, and which other tests ingest."""
    files = [
        path
        for folder in ("epub", "txt", "pdf")
        for path in discover([shared_data / folder])
        if path.suffix == ".pdf" or path.name in REFUSED or path.stat().st_size < 250_000
    ]
    outcomes = run(files, tmp_path)
    failed = {
        outcome.source.name: str(outcome.error.code) for outcome in outcomes if outcome.error is not None
    }
    assert failed == REFUSED
    before = digest(tmp_path)
    assert {outcome.status for outcome in run(files, tmp_path)} == {Status.UNCHANGED, Status.FAILED}
    assert digest(tmp_path) == before
