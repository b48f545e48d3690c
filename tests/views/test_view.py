"""Documents are filled from values by the names and types of their fields."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import pytest

from alexandria.show.json.view import From, Rounded, document_of, view_of


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Page:
    number: int
    label: str | None


@dataclass(frozen=True)
class Leaf:
    title: str
    n_words: int
    share: float | None
    file: Path
    colour: Colour
    page: Page
    pages: tuple[Page, ...] = ()
    scores: tuple[tuple[str, Page], ...] = ()
    guess: str | None = None


class PageEntry(TypedDict):
    number: int


class LeafEntry(TypedDict):
    name: Annotated[str, From("title")]
    words: int
    share: Annotated[float | None, Rounded(2)]
    file: str
    colour: str
    label: Annotated[str | None, From("page.label")]
    pages: list[PageEntry]
    scores: dict[str, Page]
    guess: NotRequired[Annotated[str, From("guess")]]


LEAF = Leaf("Oak", 3, 0.12345, Path("oak.txt"), Colour.RED, Page(1, "i"), pages=(Page(1, "i"), Page(2, None)))


def entry(leaf: Leaf = LEAF, **given: Any) -> LeafEntry:
    return view_of(LeafEntry, leaf, **{"scores": {Colour.RED: Page(2, None)}, **given})


def test_a_field_is_the_attribute_of_its_name_or_what_its_type_says() -> None:
    assert entry() == {
        "name": "Oak",
        "words": 3,
        "share": 0.12,
        "file": "oak.txt",
        "colour": "red",
        "label": "i",
        "pages": [{"number": 1}, {"number": 2}],
        "scores": {"red": {"number": 2, "label": None}},
    }


def test_a_field_may_be_given() -> None:
    cases: dict[str, tuple[dict[str, Any], str, object]] = {
        "in place of the attribute": ({"words": 5}, "words", 5),
        "of an optional field": ({"guess": "tree"}, "guess", "tree"),
        "null": ({"share": None}, "share", None),
        "a document": ({"pages": [{"number": 7, "label": "x"}]}, "pages", [{"number": 7}]),
        "any iterable": ({"pages": iter([Page(9, None)])}, "pages", [{"number": 9}]),
    }
    for given, field, value in cases.values():
        assert dict(entry(**given))[field] == value


def test_a_dataclass_is_a_document_of_all_its_fields() -> None:
    assert document_of(Page(1, None)) == {"number": 1, "label": None}


def test_a_field_that_is_nowhere_is_an_error() -> None:
    with pytest.raises(AttributeError):
        view_of(LeafEntry, Page(1, None))
