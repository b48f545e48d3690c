"""Locators, as Readium defines them: valid, and their words are those of the document that `href` names."""

import json
from itertools import islice
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile

import numpy as np
import pytest
from jsonschema import Draft7Validator
from lxml import etree

from alexandria.book.model import Book
from alexandria.book.places import cfi_at, text_in_file, without_spans
from alexandria.chunking import assemble, segment_book
from alexandria.chunking.sentences import split
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import extract
from alexandria.extract.markup.blocks import Reading
from alexandria.extract.markup.walk import walk
from alexandria.store.passage import Passage
from alexandria.store.payload import Context
from alexandria.store.points import make_points
from tests.conftest import SAMPLE_BOOKS, SAMPLES
from tests.extract.cfi import Resolver
from tests.real import read_once

CONTEXT = Context(
    domain="default",
    strategy="optimal",
    source="shelf one/b\u00fccher.epub",
    generation="0" * 40,
    n_chunks=1,
    ingested_at="2026-01-01T00:00:00Z",
    bm25_language=None,
    sentence_vectors=False,
    notes=True,
)
PLACES = 200


def test_the_text_of_a_block_becomes_that_of_its_file_again() -> None:
    cases = {
        "one node": "One. Two.",
        "invisible characters": "One\u2060\u2014the\u2060 first.",
        "spaces of other kinds": "Mr.\u00a0Smith\u200a\u2014 went",
        "wrapped lines": "One\nline,\n\t\tanother  one.",
        "elements": "One <i>is</i> here, <b>two</b> <b>there</b>.",
        "mark of a note": "See <a id='x'>1</a>. Two",
        "marks in brackets": "See [<a id='x'>1</a>] two<a id='y'>; 2|3%</a>, three.",
        "ruby": "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を<i>読</i>む",
        "verse": "<span>One</span><br/>\n\t<span>Two</span><br/>three",
        "composed letters": "e\u0301te\u0301 ici. e\u0301te\u0301 Two.",
        "formula": "So <math><mi>x</mi> <mo>=</mo> <mn>2</mn></math> holds.",
        "formula at the end": "So <math><mi>x</mi><mn>2</mn></math>",
        "picture": "A <img alt='grey mouse'/> runs.",
        "hidden": "A<script>x</script> mouse<span style='display:none'>!</span> runs.",
    }
    for body in cases.values():
        root = etree.fromstring(f"<html><head/><body><p>{body}</p></body></html>")
        marks = dict.fromkeys(root.iter("a"), "note")
        (block,) = walk(root, Reading(cites=marks, cfi="/6/4!")).blocks
        there = "".join(map(str, root.itertext()))
        assert text_in_file(block.source, block.text, 0, len(block.text)) == there


def test_a_mark_typed_into_the_text_is_still_in_the_file() -> None:
    text, source = "One [1] two. Three [2].", "0 /6/4!/4/2/1:3"
    anchors = without_spans(source, [(3, 7), (18, 22)], text)
    assert text_in_file(anchors, "One two. Three.", 0, 15) == text
    assert text_in_file(anchors, "One two. Three.", 4, 8) == "two."
    assert cfi_at(anchors, 4) == "epubcfi(/6/4!/4/2/1:11)"


def passages_of(book: Book) -> list[Passage]:
    """Return a passage for each sentence of a book, from what is stored of it."""
    sentences = split(book)
    rows = HashingEncoder().encode([book.text[s.start : s.end] for s in sentences])
    chunks = assemble(book, sentences, segment_book(Optimal(), rows, sentences, book))
    ones = np.ones((len(sentences), 1), np.float32)
    points = make_points(book, chunks, ones[: len(chunks)], ones, ones[:, 0], CONTEXT)
    return [
        Passage(id=point.id, payload=point.payload, best=(sentence.start, sentence.end))
        for chunk, point in zip(chunks, points, strict=True)
        for sentence in sentences[chunk.first_sentence :][: chunk.n_sentences]
    ]


@pytest.mark.parametrize("file", SAMPLE_BOOKS, ids=lambda file: file.name)
def test_a_locator_of_every_format_is_as_readium_describes_it(file: Path) -> None:
    for passage in passages_of(extract(file)):
        for locator in (passage.locator, passage.payload["locator"]):
            assert set(locator) == {"href", "type", "title", "locations", "text"}
            assert locator["href"].isascii()
            assert locator["href"].isprintable()
            assert not {"#", " "} & set(locator["href"])
            if passage.format != "epub":
                assert unquote(locator["href"]) == CONTEXT.source
            assert "/" in locator["type"]
            locations = locator["locations"]
            assert "cfi" not in locations
            assert not any(fragment.startswith("#") for fragment in locations.get("fragments", ()))
            assert 0 <= locations["totalProgression"] <= 1
            assert locations.get("position", 1) >= 1
            assert locator["text"]["highlight"]


def misplaced(file: Path, book: Book, n: int) -> list[tuple[str, str]]:
    """Return those of n places of an EPUB, evenly spread, that another reader does not find."""
    passages = passages_of(book)
    step = max(1, len(passages) // n)
    wrong = []
    with ZipFile(file) as archive:
        resolver = Resolver(archive)
        for passage in islice(passages, 0, None, step):
            locator, cfi = passage.locator, passage.cfi
            assert cfi
            highlight = locator["text"]["highlight"]
            path, text = resolver.lead(cfi)
            document = resolver.text_of(unquote(locator["href"]))
            is_picture = not highlight and ":" not in cfi  # its description is no text of the document
            if path != unquote(locator["href"]) or not (is_picture or text.startswith(highlight)):
                wrong.append((cfi, highlight))
            assert highlight in document
            assert locator["locations"]["partialCfi"] == cfi.partition("!")[2].removesuffix(")")
    return wrong


def test_the_words_of_a_locator_are_in_the_document_that_it_names() -> None:
    file = SAMPLES / "the-quiet-trades.epub"
    assert misplaced(file, extract(file), 1000) == []


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        *("russell-the-problems-of-philosophy", "darwin-the-voyage-of-the-beagle"),
        *("idpf-kusamakura-preview-embedded", "marcus-aurelius-meditations", "shakespeare-hamlet"),
        "whitman-leaves-of-grass",
    ],
)
def test_the_places_of_real_books_are_found_by_other_readers(shared_data: Path, name: str) -> None:
    file = shared_data / "epub" / f"{name}.epub"
    assert misplaced(file, read_once(file), PLACES) == []


@pytest.mark.shared
def test_locators_follow_the_schema_of_readium(shared_data: Path) -> None:
    schema = shared_data.parent / "spec" / "schemas" / "locator.schema.json"
    if not schema.is_file():
        pytest.skip("the schema is not beside the shared data")
    text = schema.read_text().replace("},\n  },", "}\n  },")  # as published, it has a comma too many
    validator = Draft7Validator(json.loads(text))
    books = [extract(file) for file in SAMPLE_BOOKS]
    books.append(read_once(shared_data / "epub" / "idpf-kusamakura-preview-embedded.epub"))
    for book in books:
        for passage in islice(passages_of(book), PLACES):
            validator.validate(passage.locator)
            validator.validate(passage.payload["locator"])
