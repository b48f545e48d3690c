"""`--reread`: what another version has read is left and counted, then read again with the stored vectors."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from alexandria.book.model import Embeddings
from alexandria.chunking.domains import Domain, DomainRequest, load_domain
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import EXTRACTION_VERSION
from alexandria.library.ingest.one_book import Analysis, analyse, begin, read
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Outcome
from alexandria.library.ingest.rereading import StoredSentences, finish_again, stored_sentences
from alexandria.library.ingest.run import ingest
from alexandria.library.library import Library
from alexandria.store.catalog import Catalog
from alexandria.store.record import is_outdated
from tests.batch.library import open_at
from tests.command import alexandria
from tests.conftest import SAMPLES

HASHING = {"model": "hashing", "min_words": 20, "max_words": 90}
DOMAIN = load_domain(options=HASHING, environ={})
REQUEST = DomainRequest(options=HASHING, environ={})
SAME = DomainRequest(model="hashing", environ={})
UNCACHED = RunOptions(cache=False)
REREAD = RunOptions(cache=False, reread=True)


class CountingEncoder(HashingEncoder):
    """Counts the texts that it embeds."""

    n_encoded = 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.n_encoded += len(texts)
        return super().encode(texts)


@contextmanager
def earlier_version() -> Iterator[None]:
    """Let this be a version whose extraction is an earlier one."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (
            "alexandria.library.ingest.one_book",
            "alexandria.library.ingest.plan",
            "alexandria.extract",
        ):
            patch.setattr(f"{module}.EXTRACTION_VERSION", EXTRACTION_VERSION - 1)
        yield


def run(
    files: Sequence[Path],
    catalog: Catalog,
    options: RunOptions = UNCACHED,
    domain: Domain | DomainRequest = SAME,
    encoder: Encoder | None = None,
) -> list[Outcome]:
    return list(ingest(files, domain, encoder or HashingEncoder(), catalog, options))


def make_book(folder: Path, n_sentences: int = 400) -> Path:
    """Return a book of so many different sentences, ten a paragraph."""
    choose = random.Random(7)
    words = [
        f"{first}{second}" for first in "bdfgklmnprst" for second in ("ala", "ero", "ina", "ompu", "urk")
    ]
    sentences = [f"Number {number} is {' '.join(choose.sample(words, 8))}." for number in range(n_sentences)]
    paragraphs = [" ".join(sentences[i : i + 10]) for i in range(0, n_sentences, 10)]
    file = folder / "book.txt"
    file.write_text("\n\n".join(paragraphs) + "\n")
    return file


def test_a_book_of_an_earlier_version_is_left_until_it_is_to_be_read_again(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf" / "below"
    shelf.mkdir(parents=True)
    file, counting = make_book(shelf), CountingEncoder()
    with open_at(tmp_path / "library") as catalog:
        with earlier_version():
            run([file], catalog, replace(UNCACHED, roots=(tmp_path / "shelf",)), REQUEST)
        [old] = catalog.books()
        before = stored_by_chunk(catalog)
        assert is_outdated(old, EXTRACTION_VERSION, counting.name)
        for domain in (SAME, REQUEST, DOMAIN):  # that the settings are named again changes nothing
            [outcome] = run([file], catalog, domain=domain, encoder=counting)
            assert (outcome.status, outcome.is_outdated) == ("unchanged", True)
        assert catalog.books() == [old]
        [outcome] = run([file], catalog, REREAD, encoder=counting)
        assert (outcome.status, outcome.is_outdated) == ("ingested", False)
        assert counting.n_encoded == 0
        [new] = catalog.books()
        assert not is_outdated(new, EXTRACTION_VERSION, counting.name)
        assert new.generation != old.generation
        assert stored_by_chunk(catalog) == before  # the same cuts, and the same path below the shelf
        assert before[0]["source"] == "below/book.txt"
        [outcome] = run([file], catalog, REREAD, encoder=counting)
        assert outcome.status == "unchanged"


def stored_by_chunk(catalog: Catalog) -> list[dict[str, object]]:
    changing = ("generation", "ingested_at", "similarities", "avg_similarity", "boundary", "kept", "balance")
    payloads = sorted(
        (payload for _, payload in catalog.store.payloads({})),
        key=lambda payload: (payload["source"], payload["chunk_id"]),
    )
    return [{key: value for key, value in payload.items() if key not in changing} for payload in payloads]


def test_other_settings_read_a_book_of_an_earlier_version_again_as_they_do_any_other(tmp_path: Path) -> None:
    file = make_book(tmp_path)
    with open_at(tmp_path / "library") as catalog:
        with earlier_version():
            run([file], catalog, domain=REQUEST)
        [outcome] = run(
            [file], catalog, domain=DomainRequest(options=HASHING | {"max_words": 60}, environ={})
        )
        assert outcome.status == "ingested"
        assert outcome.remarks == ("cut again: max_words 90 → 60",)


def test_what_the_user_edited_is_kept(tmp_path: Path) -> None:
    from alexandria.library.ingest.metadata import edit_book

    file = make_book(tmp_path)
    with open_at(tmp_path / "library") as catalog:
        with earlier_version():
            run([file], catalog, domain=REQUEST)
            edit_book(catalog, catalog.books()[0], {"title": "Numbers"})
        assert is_outdated(catalog.books()[0], EXTRACTION_VERSION, "hashing-384")
        run([file], catalog, REREAD)
        [record] = catalog.books()
        assert (record.title, record.edits) == ("Numbers", {"title": "Numbers"})
        edit_book(catalog, record, {"title": "Figures"})
        assert not is_outdated(catalog.books()[0], EXTRACTION_VERSION, "hashing-384")


def test_only_changed_sentences_are_embedded(tmp_path: Path) -> None:
    file = make_book(tmp_path)
    text = file.read_text()
    for number in range(0, 400, 20):  # 5 %
        text = text.replace(f"Number {number} is", f"Number {number} was")
    counting = CountingEncoder()
    with open_at(tmp_path / "library") as catalog, open_at(tmp_path / "fresh") as fresh:
        with earlier_version():
            run([file], catalog, domain=REQUEST)
        file.write_text(text)
        run([file], catalog, REREAD, encoder=counting)
        assert 20 <= counting.n_encoded <= 40  # 10 %
        run([file], fresh, domain=REQUEST)
        assert stored_by_chunk(catalog) == stored_by_chunk(fresh)


@pytest.mark.parametrize(
    ("stored_precision", "options"),
    [("int8", HASHING), (None, HASHING | {"sentence_vectors": False})],
    ids=["another number format", "no sentence vectors"],
)
def test_without_vectors_of_the_same_kind_all_are_embedded(
    tmp_path: Path, stored_precision: str | None, options: dict[str, object]
) -> None:
    file, counting = make_book(tmp_path), CountingEncoder()
    with open_at(tmp_path / "library") as catalog:
        with earlier_version():
            run([file], catalog, domain=DomainRequest(options=options, environ={}))
        catalog.update(replace(catalog.books()[0], precision=stored_precision))
        run([file], catalog, REREAD, encoder=counting)
    assert counting.n_encoded == 400


def test_of_a_damaged_book_nothing_is_taken(tmp_path: Path) -> None:
    file, counting = make_book(tmp_path), CountingEncoder()
    with open_at(tmp_path / "library") as catalog:
        with earlier_version():
            run([file], catalog, domain=REQUEST)
        first = next(catalog.points(catalog.books()[0]))
        catalog.store.upsert([replace(first, payload={**first.payload, "text": "altered"})])
        run([file], catalog, REREAD, encoder=counting)
    assert counting.n_encoded == 400


def blurred(analysis: Analysis, size: float) -> StoredSentences:
    """Return an analysis as stored, with vectors that differ by about this much."""
    noise = np.random.default_rng(1).normal(0, size / 20, analysis.embeddings.shape)
    vectors = (analysis.embeddings + noise).astype(np.float32)
    edges = {boundary.gap for boundary in analysis.segmentation.boundaries}
    texts = analysis.texts
    pairs = pairwise(texts)
    return StoredSentences(
        dict(zip(texts, vectors, strict=True)), {pair: gap in edges for gap, pair in enumerate(pairs)}
    )


@pytest.mark.parametrize("strategy", ["optimal", "universal-semantic", "percentile", "smoothed", "centroid"])
def test_rounded_vectors_move_no_cut(tmp_path: Path, strategy: str) -> None:
    book, encoder = read(make_book(tmp_path)), CountingEncoder()
    domain = load_domain(options={"model": "hashing", "strategy": strategy}, environ={})
    analysis = analyse(book, domain, encoder)
    stored = blurred(analysis, 0.3)
    moved = finish_again(begin(book, domain, encoder, known=stored.vectors), domain, StoredSentences())
    encoder.n_encoded = 0
    again = finish_again(begin(book, domain, encoder, known=stored.vectors), domain, stored)
    gaps = [[boundary.gap for boundary in one.segmentation.boundaries] for one in (analysis, moved, again)]
    assert gaps[2] == gaps[0]
    assert (encoder.n_encoded > 0) == (gaps[1] != gaps[0])


def test_samples_are_read_again_with_the_cuts_of_the_model_and_without_it(tmp_path: Path) -> None:
    encoder = load_encoder()
    domain = load_domain(environ={})
    files = [SAMPLES / name for name in ("gull-rock.txt", "the-quiet-trades.epub")]
    with open_at(tmp_path / "library", encoder) as catalog:
        with earlier_version():
            run(files, catalog, domain=domain, encoder=encoder)
        before = stored_by_chunk(catalog)
        records = catalog.books()
        taken = [stored_sentences(record, catalog, encoder) for record in records]
        assert [len(sentences.vectors) for sentences in taken] == [202, 202]
        run(files, catalog, REREAD, DomainRequest(environ={}), encoder)
        assert stored_by_chunk(catalog) == before


# --- the command line -------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path: Path) -> Callable[..., str]:
    """Runs a command on a library with two books of an earlier version; the file of one is gone."""
    files = [SAMPLES / "gull-rock.txt", tmp_path / "gone.txt"]
    files[1].write_text("A short book that is soon gone. It has two sentences.")

    def call(*words: str) -> str:
        done = alexandria(*words, "--store", tmp_path / "library")
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    with earlier_version():
        call("ingest", *map(str, files))
    files[1].unlink()
    return call


def test_books_of_an_earlier_version_are_counted_and_read_without_a_path(
    shelf: Callable[..., str], tmp_path: Path
) -> None:
    options = f"--store {tmp_path / 'library'}\n"
    hint = f"2 books are better read again: alexandria ingest --reread {options}"
    shown = shelf("ingest", str(SAMPLES / "gull-rock.txt"))
    assert f"1 book is better read again: alexandria ingest --reread {options}" in shown
    assert hint in shelf("list")
    assert hint in shelf("status")
    assert json.loads(shelf("status", "--json"))["outdated"] == 2
    assert "better read" not in shelf("list", "--json")
    with Library(tmp_path / "library") as library:
        assert [book.title for book in library.outdated()] == [book.title for book in library.books()]
        assert library.outdated(library.books(limit=1)) == library.books(limit=1)
    assert "gone.txt  file gone" in shelf("ingest", "--reread", "--dry-run")
    shown = shelf("ingest", "--reread")
    assert "“Gull Rock”" in shown
    assert "gone.txt  file gone" in shown
    assert "better read" not in shown
    assert json.loads(shelf("status", "--json"))["outdated"] == 1
    assert "nothing new" in shelf("ingest", "--reread")


def test_without_a_library_there_is_nothing_to_read_again(tmp_path: Path) -> None:
    done = alexandria("ingest", "--reread", "--store", tmp_path / "none")
    assert done.returncode == 5
    assert "there is no library" in done.stderr
    assert not (tmp_path / "none").exists()
