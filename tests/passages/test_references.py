"""References and in-text citations of thirty books, as the manuals of six styles write them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria.book.people import AUTHOR, EDITOR, TRANSLATOR, Contributor, divide, split_names
from alexandria.library.cite.citations import cite
from alexandria.store.passage import Passage
from alexandria.store.record import Record
from tests.passages.test_citations import made_record, passage

STYLES = {"author-date": "chicago-author-date", "notes": "chicago-notes"}
"""By their names in the table, where they differ."""
ROLES = {"author": AUTHOR, "editor": EDITOR, "translator": TRANSLATOR}
NO_PAGE: dict[str, object] = {"page_starts": "", "page_label": None, "page_start": None, "page_end": None}


def read_table() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each book by its heading: what its file states and what is expected, by key."""
    text = Path(__file__).with_name("references.txt").read_text(encoding="utf-8")
    for part in text.split("\n== ")[1:]:
        heading, *lines = part.strip().replace("\n  ", "⏎").split("\n")
        yield heading, dict(line.split(": ", 1) for line in lines)


def people_stated(stated: dict[str, str]) -> Iterator[Contributor]:
    """Yield those who made a book; semicolons separate them, and ` | ` how the file sorts one."""
    for key, role in ROLES.items():
        for part in filter(None, stated.get(key, "").split("; ")):
            name, _, sorted_as = part.partition(" | ")
            for person in [name] if sorted_as else split_names(name):
                yield divide(person, sorted_as=sorted_as, role=role, language="en")


def book_and_place(stated: dict[str, str]) -> tuple[Record, Passage]:
    """Return a book and a place in it, as the library has them."""
    page = stated.get("page")
    fields = ("title", "subtitle", "publisher", "place", "date", "edition")
    record = made_record(
        people=tuple(people_stated(stated)),
        original_date=stated.get("original", ""),
        title_names=tuple(stated.get("names", "").split()),
        language="en",
        **{key: stated.get(key, "") for key in fields},
    )
    place = {"page_starts": f"100 12 {page}", "page_label": page, "page_end": 12} if page else NO_PAGE
    return record, passage(section=stated.get("at", "Text").split(" › "), **place)


@pytest.mark.parametrize("stated", [pytest.param(stated, id=heading) for heading, stated in read_table()])
def test_a_reference_is_as_its_manual_has_it(stated: dict[str, str]) -> None:
    record, place = book_and_place(stated)
    for key, value in stated.items():
        if "⏎" in value:
            citation = cite([record], [place], STYLES.get(key, key), markup="markdown")[0]
            shown = [
                text.replace("*", "_").replace("'", "’") for text in (citation.reference, citation.in_text)
            ]
            assert (key, shown) == (key, value.split("⏎"))
