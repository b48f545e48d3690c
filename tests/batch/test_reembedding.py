"""A library keeps its model; a new one takes one that reads its first books; a copy may have another."""

import logging
from pathlib import Path

import numpy as np
import pytest

from alexandria import encoders, inspect
from alexandria.batch import languages
from alexandria.config import DomainRequest
from alexandria.embed import load_encoder
from alexandria.embed.blueprint import Kind
from alexandria.errors import ConfigError
from alexandria.library.library import Library
from alexandria.library.location import open_catalog
from alexandria.library.shortcuts import compare_domains
from alexandria.store.points import parse_sentence_starts
from tests.conftest import SAMPLES
from tests.embed.tiny import write_model

GERMAN, ENGLISH = SAMPLES / "winterapfel.txt", SAMPLES / "gull-rock.txt"
HASHING = {"model": "hashing"}


@pytest.fixture
def model(tmp_path: Path, own_cache: Path) -> str:
    return str(write_model(Kind.BERT, tmp_path / "tiny"))


def test_a_copy_for_another_model_embeds_the_stored_texts(tmp_path: Path, model: str) -> None:
    with Library(tmp_path / "old") as old:
        old.ingest([GERMAN, ENGLISH], options=HASHING)
        copies = old.copy(tmp_path / "new", model=model)
        assert next(copies)[1]
        del copies  # interrupted
        assert [embedded for _, embedded in old.copy(tmp_path / "new", model=model)] == [False, True]
        texts = [chunk.text for chunk in old.chunks("Gull Rock")]
    encoder = load_encoder(model)
    with Library(tmp_path / "new") as new:
        assert new.verify().findings == ()
        assert [chunk.text for chunk in new.chunks("Gull Rock")] == texts
        assert {record.settings["model"] for record in new.books()} == {model}
        assert {outcome.status for outcome in new.ingest([GERMAN, ENGLISH])} == {"unchanged"}
    catalog = open_catalog(str(tmp_path / "new"), "books", None)
    points = list(catalog.points(catalog.find("Gull Rock")))
    catalog.close()
    for point in points[:3]:
        starts = [start - point.payload["start"] for start in parse_sentence_starts(point.payload)]
        text = point.payload["text"]
        sentences = [text[i:j].strip() for i, j in zip(starts, [*starts[1:], len(text)], strict=True)]
        rows = encoder.encode(sentences)
        assert point.sentences is not None
        np.testing.assert_allclose(point.sentences, rows, atol=0.02)  # stored in 8 bits
        np.testing.assert_allclose(point.dense, rows.mean(0) / np.linalg.norm(rows.mean(0)), atol=2e-3)


@pytest.mark.parametrize(("model", "match"), [("absent", "absent"), ("none", "without vectors")])
def test_a_copy_needs_its_model_even_where_the_strategy_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, match: str
) -> None:
    monkeypatch.setenv("ALEXANDRIA_STRATEGY", "recursive")
    with Library(tmp_path / "old") as old:
        old.ingest([ENGLISH], options=HASHING)
        with pytest.raises(ConfigError, match=match):
            next(old.copy(tmp_path / "new", model=model))
    assert not (tmp_path / "new").exists()


def test_a_library_keeps_its_model_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALEXANDRIA_MODEL", raising=False)
    with Library(tmp_path / "library") as library:
        library.ingest(GERMAN, options=HASHING)
    with Library(tmp_path / "library") as library:
        assert library.with_model(DomainRequest()).domain_for().model == "hashing"
        assert [outcome.status for outcome in library.ingest(ENGLISH)] == ["ingested"]
        assert {record.settings["model"] for record in library.books()} == {"hashing"}


@pytest.mark.parametrize(
    ("file", "installed", "model"),
    [
        pytest.param(GERMAN, True, "multilingual", id="german"),
        pytest.param(GERMAN, False, "all-MiniLM-L6-v2", id="not installed"),
        pytest.param(ENGLISH, True, "all-MiniLM-L6-v2", id="english"),
    ],
)
def test_a_new_library_takes_a_model_that_reads_its_first_books(
    file: Path, installed: bool, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.delenv("ALEXANDRIA_MODEL", raising=False)
    for module in (languages, encoders):
        monkeypatch.setattr(module, "is_installed", lambda: installed)
    library = Library(tmp_path / "library")
    with caplog.at_level(logging.WARNING):
        assert library.with_model(DomainRequest(), [file], cache=False).domain_for().model == model
    assert ("“Der Winterapfel” is in the language de" in caplog.text) is (model == "multilingual")
    named = DomainRequest(options=HASHING)
    assert library.with_model(named, [file], cache=False) is named


def test_a_book_is_inspected_with_a_model_that_reads_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("ALEXANDRIA_MODEL", raising=False)
    monkeypatch.setattr(encoders, "is_installed", lambda: True)
    monkeypatch.setattr(encoders, "MULTILINGUAL", "hashing")  # loaded at once
    with caplog.at_level(logging.WARNING):
        assert inspect(GERMAN).domain.model == "hashing"
        ways = [DomainRequest(options={"strategy": name}) for name in ("optimal", "recursive")]
        assert {way.domain.model for way in compare_domains(GERMAN, ways).inspections} == {"hashing"}
    assert "does not read: it uses the model hashing" in caplog.text
    caplog.clear()
    assert inspect(GERMAN, options={"model": "hashing"}).domain.model == "hashing"
    assert inspect(ENGLISH, options={"strategy": "recursive"}).domain.model == "all-MiniLM-L6-v2"
    assert not caplog.text
