"""What names a language is put into one form where it enters; books stored before are found by it."""

from dataclasses import replace
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.book.filters import Filters
from alexandria.book.languages import language_name, language_tag, primary_language
from alexandria.book.model import Metadata
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.models.languages import is_english
from alexandria.errors import ConfigError
from alexandria.store import Store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import OLD_WORDS
from alexandria.store.sparse import AskedTerms, document_terms, terms_for
from tests.store.conftest import place, store
from tests.store.examples import book, record

__all__ = ["place", "store"]  # fixtures


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("eng", "en"),
        ("Eng", "en"),
        ("English", "en"),
        (" english ", "en"),
        ("en_US", "en-US"),
        ("en-us", "en-US"),
        ("eng-GB", "en-GB"),
        ("en_US.UTF-8", "en-US"),
        ("sr_RS@latin", "sr-RS"),
        *[(text, "fr") for text in ("fre", "fra", "French", "français", "FR")],
        *[(text, "de") for text in ("ger", "deu", "German", "Deutsch")],
        *[(text, "zh") for text in ("chi", "zho", "cmn", "中文")],
        *[(text, "fa") for text in ("per", "fas", "فارسی", "Persian")],
        *[(text, "hi") for text in ("hin", "Hindi", "हिन्दी")],
        ("zh_hans_cn", "zh-Hans-CN"),
        ("zh-tw", "zh-TW"),
        ("pt_br", "pt-BR"),
        ("gre", "el"),
        ("cze", "cs"),
        ("slo", "sk"),
        ("iw", "he"),
        ("in", "id"),
        ("scr", "hr"),
        # These are no other language by another name.
        ("grc", "grc"),
        ("gmh", "gmh"),
        ("enm", "enm"),
        ("no", "no"),
        ("nb", "nb"),
        ("la", "la"),
        ("sr-Latn", "sr-Latn"),
        ("x-klingon", "x-klingon"),
        ("fr-1606nict", "fr-1606nict"),
        *[
            (text, None)
            for text in ("", " ", "und", "mul", "zxx", "mis", "UND", "12", "unknown language", "-")
        ],
    ],
)
def test_what_names_a_language_becomes_its_shortest_tag(text: str, tag: str | None) -> None:
    assert language_tag(text) == tag
    metadata = Metadata(title="t", language=text, language_source="metadata")
    assert (metadata.language, metadata.language_source) == (tag, "metadata" if tag else None)
    if tag is not None:
        assert language_tag(tag) == tag
        assert Filters(language=text).language == tag
        assert primary_language(text) == tag.split("-")[0]


def test_a_language_is_named_by_any_of_its_forms() -> None:
    assert {language_name(tag) for tag in ("fr", "fre", "fra", "fr-CA", "FR_ca")} == {"French"}
    assert language_name("tlh") == "tlh"
    assert all(map(is_english, (None, "en", "eng", "en_GB", "und", "mul")))
    assert not any(map(is_english, ("fre", "de", "enm")))


STORED = ("en", "eng", "en_US", "en-GB", "fre", "fr", "enm", "English", None)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("en", {"en", "eng", "en_US", "en-GB", "English"}),
        ("eng", {"en", "eng", "en_US", "en-GB", "English"}),
        ("English", {"en", "eng", "en_US", "en-GB", "English"}),
        ("en_us", {"en", "eng", "en_US", "English"}),
        ("fra", {"fre", "fr"}),
        ("enm", {"enm"}),
    ],
)
def test_books_stored_in_any_form_are_found_in_every_store(
    store: Store, asked: str, expected: set[str]
) -> None:
    catalog = Catalog(store)
    for number, language in enumerate(STORED):
        points = book(f"b{number}")
        catalog.replace(replace(record(points), language=language), points)
    filters = Filters(language=asked)
    assert {one.language for one in catalog.matching(filters)} == expected
    assert {one.language for one in catalog.page(filters, start=0, limit=20)} == expected
    assert catalog.scope(filters).languages == expected


def test_an_old_book_is_asked_in_the_language_it_was_stored_with(tmp_path: Path) -> None:
    """`eng` was no language with a stemmer: its words are indexed as they are, and so they are asked."""
    assert terms_for("whales", frozenset({"eng"})) != terms_for("whales", frozenset({"en"}))
    assert terms_for("whales", frozenset({"eng"})) == terms_for("whales", frozenset({"xx"}))
    (tmp_path / "book.md").write_text(
        "---\ntitle: Sea\nlang: eng\n---\n\n# One\n\nThe whales were singing.\n"
    )
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "book.md", options={"model": "hashing", "min_words": 2})
        assert library.book("Sea").language == "en"  # a new book has its stems
        assert library.search("whale sings", mode="bm25", language="eng").hits
        with pytest.raises(ConfigError, match="no book has the language 'fr'"):
            library.search("whale", language="fre")
    assert HashingEncoder().name


@pytest.mark.parametrize("language", ["en", "de", None, "ja", "en old-words"])
def test_of_each_text_the_asked_terms_are_those_that_the_index_has(language: str | None) -> None:
    language = language.replace(" old-words", OLD_WORDS) if language else None
    texts = [
        "The whales’ ships sailed, sailing on.",
        "Die Häuser für den Walfang",
        "白鯨の船、été",
        "",
        "whale",
    ]
    of_each = [frozenset(document_terms(text, language).indices) for text in texts]
    asked = sorted(frozenset().union(*of_each))[::2]
    looked_for = AskedTerms(asked, language)
    for _ in range(2):
        present = [looked_for.present_in(text) for text in texts]
        assert present == [terms.intersection(asked) for terms in of_each]
