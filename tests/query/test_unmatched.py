"""Filters that no book passes: the error names the filter and the nearest name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import alexandria
from alexandria import Library
from alexandria.book.filters import Filters
from alexandria.book.suggest import suggestion
from alexandria.errors import NoMatchError
from tests.pairs import by_pairs

TEXT = "The tide rises twice a day.\n\nThe moon pulls the water.\n"
BOOKS = {"The Voyage of the Beagle": "Charles Darwin", "Über die Religion": "Karl Müller"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("names")
    for title, author in BOOKS.items():
        language = "de" if "Ü" in title else "en"
        head = f"---\ntitle: {title}\nauthor: {author}\nlanguage: {language}\n---\n\n"
        (folder / f"{author}.md").write_text(head + TEXT)
    with alexandria.open(folder / "library") as opened:
        opened.ingest(folder, domain="history", options={"model": "hashing"})
        yield opened


UNMATCHED = [
    ({"author": "darwn"}, "no book has the author 'darwn'", "did you mean Charles Darwin?"),
    ({"author": "muler"}, "author 'muler'", "did you mean Karl Müller?"),
    ({"book": "voyge"}, "no book has the title 'voyge'", "did you mean The Voyage of the Beagle?"),
    ({"domain": "histroy"}, "no book has the domain 'histroy'", "did you mean history?"),
    ({"language": "germann"}, "no book has the language 'germann'", "did you mean german?"),
    ({"language": "latin"}, "no book has the language 'la'", "alexandria list"),
    ({"author": "darwin", "language": "de"}, "no book passes all of these", "leave one of them out"),
]


@by_pairs(("ask", ["search", "find"]), ("filters, what, fix", UNMATCHED))
def test_the_filter_that_nothing_passes_is_named_with_the_nearest_name(
    library: Library, ask: str, filters: dict[str, str], what: str, fix: str
) -> None:
    with pytest.raises(NoMatchError, match=what) as error:
        getattr(library, ask)("The tide rises twice a day", **filters)
    assert fix in error.value.fix


def test_the_same_is_said_where_no_book_is_listed(library: Library) -> None:
    library.require_books(Filters(author="darwin"))
    for filters, fix in ((Filters(author="darwn"), "Charles Darwin"), (Filters(chapter="wind"), "show BOOK")):
        with pytest.raises(NoMatchError) as error:
            library.require_books(filters)
        assert fix in error.value.fix


def test_books_of_unknown_authors_are_counted(tmp_path: Path) -> None:
    for name, author in (("a", ""), ("b", ""), ("c", "author: Charles Darwin\n")):
        (tmp_path / f"{name}.md").write_text(f"---\ntitle: {name}\n{author}---\n\n{TEXT}")
    with alexandria.open(tmp_path / "library") as library:
        library.ingest(tmp_path, options={"model": "hashing"})
        with pytest.raises(NoMatchError) as error:
            library.search("tide", author="Muler")
    assert error.value.why == "the library has 3 books, 2 of them with no known author"


def test_a_mistyped_book_is_suggested_too(library: Library) -> None:
    with pytest.raises(NoMatchError) as error:
        library.book("Beagel")
    assert error.value.fix == "did you mean The Voyage of the Beagle?"


def test_a_language_may_be_named_in_english(library: Library) -> None:
    assert Filters(language="German") == Filters(language="de")
    assert {hit.language for hit in library.search("tide", language="german")} == {"de"}


def test_what_is_near_to_nothing_is_not_guessed() -> None:
    for typed in ["zzz", "x", "", "the"]:
        assert suggestion(typed, BOOKS) == ""


HEADINGS = ("XIII: Of the NATURALL CONDITION of Mankind", "I: Appearance and Reality", "Of Speech")


def test_a_part_of_a_heading_with_a_slip_suggests_the_heading() -> None:
    cases = [
        ("Of the natural condition", HEADINGS[0]),
        ("Apearance and Reality", HEADINGS[1]),
        ("Appearence and", HEADINGS[1]),
        ("the natural history", None),
    ]
    for typed, near in cases:
        assert suggestion(typed, HEADINGS) == (f"did you mean {near}?" if near else "")
