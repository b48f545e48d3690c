"""Filters are declared once, by name: what one means does not depend on where it is written."""

from dataclasses import dataclass, fields

import pytest

from alexandria.filters import Filters, filters
from alexandria.volumes import Volume, volume_of
from alexandria.words import fold_text


@dataclass
class Stored:
    book_id: str = "abcdef"
    title: str = "Sea Book"
    author: str = "Ida Marlow"
    language: str | None = "en-GB"
    domain: str = "technical"
    format: str = "txt"
    chapter_authors: tuple[str, ...] = ()

    @property
    def as_volume(self) -> Volume:
        return volume_of(self.title)


def test_filters_are_given_by_name_so_that_a_new_one_in_the_middle_cannot_mislead() -> None:
    with pytest.raises(TypeError, match="positional"):
        Filters("technical")  # type: ignore[call-arg]  # the mistake itself


@pytest.mark.parametrize(
    ("wanted", "admitted"),
    [
        (Filters(), True),
        (Filters(domain="technical"), True),
        (Filters(domain="tech"), False),
        (Filters(book="SEA"), True),
        (Filters(book="ABC"), True),
        (Filters(book="def"), False),
        (Filters(author="marlow"), True),
        (Filters(author="sea"), False),
        (Filters(language="EN"), True),
        (Filters(language="e"), False),
        (Filters(language="en-US"), False),
        (Filters(chapter="whatever"), True),
        (Filters(book="sea", author="nobody"), False),
    ],
    ids=str,
)
def test_a_book_is_admitted_by_all_filters_at_once(wanted: Filters, admitted: bool) -> None:
    assert wanted.admit(Stored()) is admitted


@pytest.mark.parametrize(
    ("wanted", "stored", "admitted"),
    [
        (Filters(domain="Technical"), Stored(), True),
        (Filters(author="Käthe Weiß"), Stored(author="Weiss, Käthe"), True),
        (Filters(author="Weiß, Käthe"), Stored(author="Käthe Weiß"), True),
        (Filters(author="Käthe Braun"), Stored(author="Weiss, Käthe"), False),
        (Filters(book="Salt Road, Vol. II"), Stored(title="The Salt Road, Volume 2: Ferries"), True),
        (Filters(book="salt road (vol. 2)"), Stored(title="The Salt Road. Second Volume"), True),
        (Filters(book="Salt Road, Vol. II"), Stored(title="The Salt Road, Volume 1: Ferries"), False),
        (Filters(language="de-DE"), Stored(language="de"), True),
        (Filters(language="de-DE"), Stored(language="de-AT"), False),
        (Filters(language="hebrew"), Stored(language="hbo"), True),
        (Filters(language="Greek"), Stored(language="grc"), True),
        (Filters(language="ancient greek"), Stored(language="el"), False),
        (Filters(language="Burmese"), Stored(language="my"), True),
        (Filters(language="Bangla"), Stored(language="bn"), True),
    ],
    ids=str,
)
def test_what_is_asked_for_may_be_spelled_otherwise(wanted: Filters, stored: Stored, admitted: bool) -> None:
    assert wanted.admit(stored) is admitted


def test_a_book_whose_language_is_unknown_is_in_none() -> None:
    assert not Filters(language="en").admit(Stored(language=None))


def test_every_filter_carries_its_help_and_its_options() -> None:
    declared = dict(filters())
    assert list(declared) == [one.name for one in fields(Filters)]
    assert all(one.help and one.options for one in declared.values())
    options = [option for one in declared.values() for option in one.options]
    assert len(options) == len(set(options))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Zoë Brontë", "zoe bronte"),
        ("ﬁshermen", "fishermen"),
        ("Straße", "strasse"),
        ("poſſeſſion", "possession"),
        ("Œuvre, Æon", "oeuvre, aeon"),
        ("Ｆｕｌｌ", "full"),
        ("l’homme ʼtis", "l'homme 'tis"),
        ("Łódź Ørsted", "lodz orsted"),
        ("e\u0301te\u0301", "ete"),
        ("мой ёлка", "мой елка"),
        ("がくせい", "がくせい"),
        ("각", "각"),
    ],
)
def test_texts_are_folded_as_people_type_them(text: str, folded: str) -> None:
    assert fold_text(text) == folded
    assert fold_text(folded) == folded


@pytest.mark.parametrize(
    ("typed", "sought"),
    [
        ("Carroll, Lewis", "Lewis Carroll"),
        ("Lewis Carroll", "Lewis Carroll"),
        ("Carroll,", "Carroll,"),
        ("King, Jr.", "King, Jr."),
        ("Strunk, White, Kalman", "Strunk, White, Kalman"),
    ],
)
def test_an_author_may_be_named_as_references_do(typed: str, sought: str) -> None:
    assert Filters(author=typed).author == sought
