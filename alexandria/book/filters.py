"""Which passages a search considers. A filter is added here and nowhere else.

Each field of `Filters` carries its help text, its options on the command line and the rule by which it admits
a book; `alexandria search`, `Library.search` and the documentation read them from there. Imports nothing that
takes time.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypedDict

from alexandria.book.languages import language_tag
from alexandria.book.volumes import Volume, divide_volume
from alexandria.book.words import entered_text, fold_text, letters_of, spaced_letters

_BROADER = {"hbo": "he", "grc": "el", "nb": "no", "nn": "no"}
"""Languages that people call by the name of another: ancient ones by the later, the two of Norway by one."""
BETWEEN_NAMES = re.compile(r",\s+|\s+(?:and|und|et|y|e|&)\s+|;\s*|\n")
_LAST_NUMBER = re.compile(r"(?:(?<!\w)[ivxl]+|\d+)$")
"""At the end of a folded text; `li` is one, and no beginning of Livingston either."""


class Candidate(Protocol):
    """What a filter may know about a stored book."""

    @property
    def book_id(self) -> str: ...  # noqa: D102  # as in `record.Record`
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def subtitle(self) -> str: ...  # noqa: D102
    @property
    def author(self) -> str: ...  # noqa: D102
    @property
    def language(self) -> str | None: ...  # noqa: D102
    @property
    def domain(self) -> str: ...  # noqa: D102
    @property
    def format(self) -> str: ...  # noqa: D102
    @property
    def chapter_authors(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def as_volume(self) -> Volume: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One filter: how it is named, explained and applied."""

    help: str
    options: tuple[str, ...]  # as typed on the command line
    admits: Callable[[Candidate, str], bool]  # return whether a book passes, given the value requested
    looked_up: bool = False
    """Whether catalogs look books up by it; otherwise, `admits` decides on the record of each."""


def _filter_field(
    help: str, *options: str, admits: Callable[[Candidate, str], bool], looked_up: bool = False
) -> Any:
    """Return a field of `Filters` that carries its filter; `looked_up` if no book may have the value."""
    declared = Filter(help=help, options=options, admits=admits, looked_up=looked_up)
    return field(default=None, metadata={"filter": declared})


def _has_title(book: Candidate, text: str) -> bool:
    work, number, _ = divide_volume(text)
    return (
        is_titled(f"{book.title}: {book.subtitle}", text)
        or book.book_id.startswith(text.casefold())
        or (bool(number) and is_titled(book.title, work) and book.as_volume.number == number)
    )


def is_titled(title: str, text: str) -> bool:
    """Return whether a title contains a text: as it is, or its words; a number at its end is whole.

    Of words, letters count: `Saint Exupéry` has the words of `Saint-Exupéry`, `OBrien` those of `O’Brien`.
    """
    wanted = _patterns_of(text)
    return bool(wanted.as_it_is.search(fold_text(title)) or wanted.words.search(spaced_letters(title)))


def _has_author(book: Candidate, text: str) -> bool:
    return any(is_by(name, text) for name in (book.author, *book.chapter_authors))


def is_by(names: str, author: str) -> bool:
    """Return whether the author of a filter is among the names of authors, perhaps without middle names."""
    if not {*letters_of(author)}.issubset(fold_text(names)):  # soon said, of most
        return False
    return any(
        is_titled(stored, typed) or _names_one(stored, typed)
        for stored in {names, in_reading_order(names)}
        for typed in {author, in_reading_order(author)}
    )


def _names_one(names: str, author: str) -> bool:
    finds = _patterns_of(author).words_with_gaps.search
    return any(finds(spaced_letters(name)) for name in BETWEEN_NAMES.split(names))


class _Patterns(NamedTuple):
    as_it_is: re.Pattern[str]  # found in folded texts; the others in `spaced_letters`
    words: re.Pattern[str]
    words_with_gaps: re.Pattern[str]


@lru_cache
def _patterns_of(text: str) -> _Patterns:
    """Return what finds a text, or its words, in a title or a name."""
    folded = fold_text(text)
    part = re.escape(folded)
    words = [" ?".join(map(re.escape, word)) for word in spaced_letters(text).split()]
    if number := _LAST_NUMBER.search(folded):
        edge = r"\d" if number[0].isdecimal() else r"\w"
        part = rf"{re.escape(folded[: number.start()])}(?<!{edge}){number[0]}(?!{edge})"
    adjoining, in_order = (rf"(?<!\S){gap.join(words) or '(?!)'}(?!\S)" for gap in (" ?", r" (?:\S+ )*?"))
    return _Patterns(re.compile(part), re.compile(adjoining), re.compile(in_order))


def in_reading_order(name: str) -> str:
    """Return `Carroll, Lewis` as `Lewis Carroll`, as authors are stored; any other name as it is."""
    family, comma, given = name.partition(",")
    is_inverted = (
        comma and given.strip() and "," not in given and given.strip(" .").lower() not in ("jr", "sr")
    )
    return f"{given.strip()} {family.strip()}" if is_inverted else name


def _is_in_domain(book: Candidate, name: str) -> bool:
    return book.domain.casefold() == name.casefold()


def _is_in_language(book: Candidate, tag: str) -> bool:
    return is_language_within(book.language, tag)


def is_language_within(language: str | None, tag: str) -> bool:
    """Return whether a filter for a language admits a stored one, in whatever form: `en` admits `eng-GB`."""
    # With a hyphen after both, `en` does not admit `enm`.
    own, wanted = (language_tag(language) or language or "").lower() if language else "", tag.lower()
    own = _BROADER.get(own, own) if wanted in _BROADER.values() else own
    # A book in `de` may be in `de-DE`.
    return f"{own}-".startswith(f"{wanted}-") or (own != "" and own == wanted.partition("-")[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which passages a search considers; None admits all; case and accents never matter."""

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if isinstance(text, str):
                object.__setattr__(self, name, entered_text(text))
        if isinstance(self.language, str):
            object.__setattr__(self, "language", language_tag(self.language) or self.language)

    domain: str | None = _filter_field(
        "Only this domain.", "--domain", "-d", admits=_is_in_domain, looked_up=True
    )
    book: str | None = _filter_field(
        "Only books whose title contains this.", "--book", "-b", admits=_has_title, looked_up=True
    )
    """Also admits a book whose id begins with it."""
    author: str | None = _filter_field(
        "Only books and chapters by this author.", "--author", "-a", admits=_has_author, looked_up=True
    )
    """Also a part of the name, or `Family, Given`."""
    language: str | None = _filter_field(
        "Only books in this language.", "--language", "-l", admits=_is_in_language, looked_up=True
    )
    """`en` also admits `en-GB`, and `english` stands for `en`."""
    chapter: str | None = _filter_field(
        "Only chapters of this heading, part of it, or number.",
        "--chapter",
        # Admits every book: the search itself decides which of its passages are below such a heading.
        admits=lambda book, heading: True,
    )

    def admit(self, book: Candidate) -> bool:
        """Return whether passages of this book are considered."""
        return all(declared.admits(book, value) for declared, value in self._requested())

    @property
    def looked_up(self) -> bool:
        """Whether catalogs can look up the books that pass, without reading the record of each."""
        # Records know volumes and subtitles.
        names_more = self.book is not None and (divide_volume(self.book)[1] != "" or ":" in self.book)
        return not names_more and all(declared.looked_up for declared, _ in self._requested())

    def _requested(self) -> Iterator[tuple[Filter, str]]:
        """Yield each filter that is set, with the requested value; a subclass may have more of them."""
        values = ((own_field.metadata["filter"], getattr(self, own_field.name)) for own_field in fields(self))
        return ((declared, value) for declared, value in values if value is not None)


class FilterOptions(TypedDict, total=False):
    """The fields of `Filters` as keyword arguments, so that a type checker refuses `autor="x"`."""

    domain: str | None
    book: str | None
    author: str | None
    language: str | None
    chapter: str | None


def filters() -> Iterator[tuple[str, Filter]]:
    """Yield the name of each filter, as Python callers use it, with the filter."""
    for filter_field in fields(Filters):
        yield filter_field.name, filter_field.metadata["filter"]


EVERYTHING = Filters()  # admits every passage
