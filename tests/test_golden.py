"""Whole samples, as read and as cut. `make golden` writes the files anew; review the diff."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import extract
from alexandria.library.ingest.one_book import read_options
from alexandria.library.inspect.comparison import from_book
from alexandria.show.json.inspection import extract_document, inspection_document
from tests.conftest import EACH_SAMPLE, ROOT

GOLDEN = ROOT / "tests" / "golden"


def hold(name: str, found: Any) -> None:
    """Compare with the golden file, or write it where GOLDEN=write says so."""
    path = GOLDEN / name
    text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(path.read_text(encoding="utf-8"))


def without_source(document: Any) -> dict[str, Any]:
    return {**document, "book": {**document["book"], "source": Path(document["book"]["source"]).name}}


@pytest.mark.parametrize("path", EACH_SAMPLE)
def test_a_sample_is_read_as_before(path: Path) -> None:
    book = extract(path, read_options(load_domain(environ={})))
    hold(f"{path.name}.extract.json", without_source(extract_document(book)))


@pytest.mark.parametrize("path", EACH_SAMPLE)
def test_a_sample_is_cut_as_before(path: Path) -> None:
    domain = load_domain(options={"model": "hashing"}, environ={})
    book = extract(path, read_options(domain))
    document = inspection_document(from_book(book, [domain], HashingEncoder()).inspections[0])
    cuts = {key: value for key, value in document.items() if key not in ("similarities", "chunks")}
    chunks = [{**chunk, "text": chunk["text"][:60]} for chunk in document["chunks"]]
    hold(f"{path.name}.inspect.json", without_source({**cuts, "chunks": chunks}))
