"""A library keeps its model; a new one takes one that reads its first books; a copy may have another."""

from pathlib import Path

import numpy as np
import pytest

from alexandria import inspect
from alexandria.chunking.domains import DomainRequest
from alexandria.embed import load_encoder
from alexandria.embed.graph.blueprint import Kind
from alexandria.errors import ConfigError
from alexandria.library.library import Library
from alexandria.library.location import open_catalog
from alexandria.store.payload import unpack
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
        rows = encoder.encode(unpack(point.payload).sentences)
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


def test_what_is_installed_does_not_change_the_model_of_a_new_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALEXANDRIA_MODEL", raising=False)
    models = set()
    for installed in (True, False):
        monkeypatch.setattr("alexandria.embed.models.languages.is_installed", lambda found=installed: found)
        request = Library(tmp_path / "library").with_model(DomainRequest())
        models |= {
            request.domain_for().model,
            inspect(GERMAN, options={"strategy": "recursive"}).domain.model,
        }
    assert models == {"all-MiniLM-L6-v2"}
