"""What may be stated of a book in place of its file. A field is added here, to `Metadata` and to `Record`.

Each field of `Edits` carries what the help of its option shows: the options of `alexandria edit`, the
arguments of `Library.edit` and the fields of records derive from this table. Imports nothing that takes time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict, get_type_hints


@dataclass(frozen=True, slots=True)
class Shown:
    """What the help of an option shows."""

    help: str
    metavar: str = "TEXT"


_AUTHORS = "Its authors, each as Given Family or Family, Given or {Whole Name}; separate several with ;"
_ORIGINAL_DATE = "When the work was first published; APA and others print it beside the year."


class Edits(TypedDict, total=False):
    """The fields that can be given, as keyword arguments of `Library.edit`."""

    title: Annotated[str, Shown("Its title.")]
    subtitle: Annotated[str, Shown("Its subtitle.")]
    author: Annotated[str, Shown(_AUTHORS, "NAMES")]
    editors: Annotated[Sequence[str], Shown("An editor; repeatable.", "NAME")]
    publisher: Annotated[str, Shown("Its publisher.")]
    place: Annotated[str, Shown("Where it was published.")]
    date: Annotated[str, Shown("When this edition was published: the year that citations print.", "DATE")]
    original_date: Annotated[str, Shown(_ORIGINAL_DATE, "DATE")]
    edition: Annotated[str, Shown("Its edition, such as 3.")]
    url: Annotated[str, Shown("Its address.", "URL")]
    series: Annotated[str, Shown("Its series, with the number.")]
    volume: Annotated[str, Shown("Its volume.", "NUMBER")]
    volume_title: Annotated[str, Shown("The title of the volume.")]
    container: Annotated[str, Shown("The journal that it is an article of.")]
    container_volume: Annotated[str, Shown("The journal's volume.", "NUMBER")]
    issue: Annotated[str, Shown("Its issue.", "NUMBER")]
    pages: Annotated[str, Shown("Those of the article: 167–191.", "PAGES")]
    translators: Annotated[Sequence[str], Shown("A translator; repeatable.", "NAME")]
    identifiers: Annotated[Sequence[str], Shown("An identifier, such as an ISBN; repeatable.", "ID")]


FIELDS = tuple(Edits.__annotations__)
LISTS = tuple(name for name, kind in get_type_hints(Edits).items() if kind is not str)
"""The fields with several values."""
DATES = ("date", "original_date")
STATED = ("people", *(name for name in FIELDS if name not in ("author", "editors")))
"""The fields that `Metadata` and `Record` have alike."""


def option_of(name: str) -> str:
    """Return the option of a field: `--original-date`, or `--editor` for each of several values."""
    return f"--{(name.removesuffix('s') if name in LISTS else name).replace('_', '-')}"
