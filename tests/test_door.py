"""What Python users meet beside results: representations, errors and types, none of which shows a secret."""

import dataclasses
import json
import logging
import traceback
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import get_args

import pytest

import alexandria
from alexandria import AlexandriaError, ConfigError, Library, Server
from alexandria.book import choices
from alexandria.book.filters import FilterOptions, filters
from alexandria.chunking.domains import DomainRequest
from alexandria.extract import ReadOptions
from alexandria.extract.isolated.requests import PageRequest, PictureRequest
from alexandria.library.ingest.options import RunOptions
from alexandria.show.json.status import status_document
from alexandria.store.lock import OWNER
from tests.command import alexandria as command

TEXT = "The lamp was lit at dusk. Nobody came to the tower. The keeper slept until the storm woke him. "


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("ALEXANDRIA_MODEL", "hashing")
    book = tmp_path / "tower.txt"
    book.write_text(TEXT * 30)
    with Library(tmp_path / "library") as library:
        library.ingest(book)
        yield library


def test_a_hit_is_represented_in_one_line(library: Library) -> None:
    hit = library.search("lamp").hits[0]
    assert len(repr(hit)) < 160
    assert repr(hit).startswith(f"<Hit {hit.short_id} “tower”: '")
    assert repr(next(iter(library.find("the keeper slept")))).startswith("<Quotation ")
    assert len(repr(library.books()[0])) < 700
    assert repr(library) == f"Library({library.store!r}, 'books')"


def test_hits_become_dictionaries_and_json(library: Library) -> None:
    hits = library.search("lamp", context=1).hits
    again = json.loads(json.dumps([dataclasses.asdict(hit) for hit in hits]))
    assert [one["payload"]["text"] for one in again] == [hit.text for hit in hits]


def test_an_error_says_the_fix(library: Library) -> None:
    with pytest.raises(ConfigError) as caught:
        library.search("lamp", mode="nope")  # type: ignore[arg-type]  # what the test is about
    assert str(caught.value).endswith(f"(fix: {caught.value.fix})")
    assert str(AlexandriaError("it is", code=alexandria.errors.Code.CONFIG)) == "it is"


def test_a_wrong_type_is_a_type_error_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="text cannot be of the type NoneType: it must be a string"):
        alexandria.chunk(None)  # type: ignore[arg-type]  # what the test is about


def calls_as_a_type_checker_sees_them(library: Library) -> None:
    """Not called: `make check` accepts the first calls, and would refuse an `ignore` that is not needed."""
    library.search("q", mode="bm25", author="a", diverse="mmr", limit=3)
    library.cite("hit", "apa")
    library.find("q", chapter="c")
    library.edit("b", author="a", translators=["t"])
    library.search("q", mode="nope")  # type: ignore[arg-type]
    library.search("q", autor="x")  # type: ignore[call-arg]
    library.search("q", diverse="x")  # type: ignore[arg-type]
    library.cite("hit", markup="rtf")  # type: ignore[arg-type]
    library.edit("b", autor="a")  # type: ignore[call-arg]
    library.find("q", title="x")  # type: ignore[call-arg]
    library.export("f", format="xml")  # type: ignore[arg-type]


def test_the_names_for_type_checkers_are_those_of_the_choices() -> None:
    cases: list[tuple[object, type[StrEnum]]] = [
        (choices.ModeName, choices.Mode),
        (choices.DiverseName, choices.Diverse),
        (choices.CitationMarkupName, choices.CitationMarkup),
        (choices.BibliographyFormatName, choices.BibliographyFormat),
        (choices.ExportFormatName, choices.ExportFormat),
    ]
    for literal, members in cases:
        assert set(get_args(literal)) == set(members)


def test_the_filters_for_type_checkers_are_the_filters() -> None:
    assert list(FilterOptions.__annotations__) == [name for name, _ in filters()]


def test_a_missing_package_is_an_import_error_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alexandria.integrations.evidence.find_spec", lambda name: None)
    from alexandria.integrations.evidence import require_framework

    with pytest.raises(ImportError, match=r"pip install 'alexandria-books\[langchain\]'"):
        require_framework("langchain_core", "langchain")


def test_a_copy_that_is_impossible_fails_at_once(library: Library, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="onto itself"):
        library.copy(library.store)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    with pytest.raises(AlexandriaError):
        library.copy(tmp_path / "other" / "notes.txt")
    assert [copied for _, copied in library.copy(tmp_path / "copy")] == [True]


def test_no_secret_is_represented_logged_or_printed(
    library: Library, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    token = json.loads((Path(library.store) / "books" / OWNER).read_text())["token"]
    secrets = (token, "key-of-the-server", "word-of-the-file")
    assert all(secrets)
    server = Server(api_key="key-of-the-server", attempts=1, timeout=1)
    options = ReadOptions(password="word-of-the-file")
    shown: list[object] = [
        library,
        library.status(),
        library._opened,
        library._opened.for_reading().store,
        server,
        options,
        RunOptions(password="word-of-the-file"),
        PageRequest(tmp_path, "k", "", "word-of-the-file", None, 1),  # type: ignore[arg-type]
        PictureRequest(tmp_path, 1, 1, "word-of-the-file", None, 1),  # type: ignore[arg-type]
    ]
    errors: list[str] = []
    with caplog.at_level(logging.DEBUG):
        for address in ("https://localhost:1", "grpcs://localhost:1"):
            try:
                Library(address, server=server).books()
            except AlexandriaError as error:
                errors += [repr(error), *traceback.format_exception(error)]
        try:
            run = RunOptions(password="word-of-the-file", workers=0)
            list(library.ingest_files([tmp_path / "none.pdf"], DomainRequest(), run))
        except AlexandriaError as error:
            errors += [repr(error), *traceback.format_exception(error)]
    documents = [json.dumps(status_document(library.status()))]
    for words in (("status",), ("status", "--json"), ("doctor", "--json")):
        done = command(*words, "--store", library.store)
        documents += [done.stdout, done.stderr]
    everything = "\n".join([*map(repr, shown), *map(str, shown), *errors, caplog.text, *documents])
    assert len(errors) > 4
    assert [secret for secret in secrets if secret in everything] == []
