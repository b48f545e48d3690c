"""Reads the metadata of PDFs and Office files; removes what stands for nothing from that of all formats.

Dates of PDFs are not read: they are those of the file, when it was typeset or converted, not of the book.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.people import AUTHOR, EDITOR, TRANSLATOR, Contributor

_JUNK = re.compile(
    r"^(title|slide \d+|excerpt|microsoft powerpoint.*|.*\.(docx?|rtf|odt|tex|dvi|indd|qxd|pdf|txt|ps|fm|p65)"
    r"|(?![12]\d{3}$)[\W\d_]*|(microsoft office|windows|office) user|user|admin(istrator)?|python-docx)$",
    re.IGNORECASE,
)


def read_metadata(info: Mapping[str, str]) -> Metadata:
    """Return the metadata in a PDF's Info dictionary, or in one like it, without the defaults of programs.

    A default is a title such as `Microsoft Word - draft.doc`, or an author such as `User`.

    Args:
        info: what the file states under `Title`, `Author` and `Keywords`.
    """
    title = one_line(info.get("Title", ""))
    author = one_line(info.get("Author", ""))
    subjects = (one_line(part) for part in re.split("[,;]", info.get("Keywords", "")))
    return Metadata(
        title="" if _JUNK.match(title) or is_no_title(title) else title,
        authors=() if is_placeholder(author) else tuple(filter(None, map(str.strip, _AND.split(author)))),
        subjects=tuple(subject for subject in subjects if subject),
    )


_AND = re.compile(r";|\s(?:and|und|et|&)\s")
"""What separates two names; a comma does not: `Shelley, Mary`."""
_NO_TITLE = re.compile(
    r"\[?(?:(?:untitled|unknown|new|no) (?:document|page|book|title)|untitled|unknown|"
    r"(?:word )?document|documento|dokument(?:um)?|документ(?: microsoft word)?|безымянн(?:ый|ая)|no ?name|"
    r"powerpoint[- ]pr[äeé]senta\w+|pr[ée]sentation powerpoint|presentaci[óo]n de powerpoint|"
    r"unbenannt|ohne titel|unbekannt|sans titre|(?:titre )?inconnu|s[ie][nm] t[íi]tulo|senza titolo|"
    r"(?:t[íi]tulo )?descon(?:oc|hec)ido|bez tytułu|bez n[áa]zvu|без названия|[无無][标標]?[题題]|未命名|"
    r"未知|제목 ?없음|microsoft word - .*|\S+\.(?:docx?|rtf|odt|tex|indd|pdf|txt|epub|mobi|azw3?|html?|fb2))"
    r"[\s-]?\d*\]?",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    r"(?:(?:the )?(?:author|autore?|auteur|verfasser|autora) ?)?"
    r"(?:unknown|anonymous|anonymus|unbekannt|inconnue?|descon(?:oc|hec)id[oa]|sconosciuto|nieznany|neznámý|okänd|"
    r"onbekend|неизвестен)|(?:unknown|no|unbekannter|неизвестный|nieznany) ?(?:author|autor|автор)?|"
    r"author|autore?|auteur|verfasser|автор|n/?a|none|various|null|calibre|\[?anon\.?\]?|"
    r"佚名|[无無]名氏|未知|作者不[详詳]|不[详詳]|작자 ?미상|\W*",
    re.IGNORECASE,
)
_NO_DATE = re.compile(
    r"0*(?:101|1|0)(?:-|$)|(?:1601|1900|1970)-01-01|(?:0100|1600|1899|1969)-12-31|9999|2013-12-23T23:15"
)
"""The years 101 and 0, Calibre's for none; the first days that scanners and computers count from, or the days
before, where a clock is behind; the minute in python-docx's template. Catalogues write those of 1904 and 1980
for books of these years."""
_YEAR = re.compile(r"\d|[〇零一二三四五六七八九]|\b[MDCLXVI]{3,}\b")


def without_placeholders(metadata: Metadata, printed: Collection[str] = ()) -> Metadata:
    """Return metadata without titles, people and dates that stand for none, as programs write them.

    "Unknown" may be the title of a book whose author is known, if it is printed at the beginning.
    """
    authors = tuple(name for name in metadata.authors if not is_placeholder(name))
    people = tuple(person for person in metadata.people if not is_placeholder(person.name))
    is_printed = bool(authors) and metadata.title in printed
    return replace(
        metadata,
        title="" if is_no_title(metadata.title) and not is_printed else metadata.title,
        authors=authors or displayed_authors(people),
        people=people,
        date=metadata.date if is_date(metadata.date) else "",
    )


def is_no_title(title: str) -> bool:
    """Return whether a title is that of a book without one: `Untitled`, or the name of a file."""
    return _NO_TITLE.fullmatch(title.strip()) is not None


def is_placeholder(name: str) -> bool:
    """Return whether a name stands for nobody, such as Calibre's `Unknown`."""
    return bool(_NOBODY.fullmatch(name.strip()) or _JUNK.match(name.strip()))


def is_date(text: str) -> bool:
    """Return whether a date says anything: it has a year, and not that of an unknown date."""
    return _YEAR.search(text) is not None and not _NO_DATE.match(text)


def divide_imprint(publisher: str) -> tuple[str, str]:
    """Return place and publisher: of `London: Secker & Warburg` both, otherwise no place."""
    match = re.fullmatch(r"([A-Z][\w.,’' -]{2,40}?)\s*:\s+(\S.*)", publisher)
    return (match[1], match[2]) if match else ("", publisher)


def displayed_authors(people: Sequence[Contributor]) -> tuple[str, ...]:
    """Return the names to display as authors: the authors, or else the editors, or else all who made it."""
    for role in (AUTHOR, EDITOR):
        if names := tuple(person.name for person in people if person.role == role):
            return names
    return tuple(person.name for person in people if person.role != TRANSLATOR)


def all_values(values: Mapping[str, Sequence[str]], *names: str) -> tuple[str, ...]:
    """Return the values with these names that are not empty, by the order of the names."""
    return tuple(value for name in names for value in values.get(name, ()) if value)


def first_value(values: Mapping[str, Sequence[str]], *names: str) -> str:
    """Return the first value with one of these names that is not empty; empty if there is none."""
    return next(iter(all_values(values, *names)), "")
