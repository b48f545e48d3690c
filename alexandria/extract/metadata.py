"""Reads the metadata of PDFs and Office files; removes what stands for nothing from that of all formats.

Dates of PDFs are not read: they are those of the file, when it was typeset or converted, not of the book.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from alexandria.book.model import Metadata
from alexandria.book.people import AUTHOR, EDITOR, TRANSLATOR, Contributor, joined_names, people_of
from alexandria.book.volumes import divide_volume
from alexandria.extract.clean import one_line
from alexandria.extract.divisions import names_division, read_division
from alexandria.extract.words import read_words

_JUNK = re.compile(
    r"^(title|slide \d+|excerpt|microsoft powerpoint.*|.*\.(docx?|rtf|odt|tex|dvi|indd|qxd|pdf|txt|ps|fm|p65)"
    r"|(?![12]\d{3}$)[\W\d_]*|python-docx|admin(istrator)?|администратор|"
    r"((microsoft )?office|windows) user|"
    r"(user|windows-benutzer|benutzer|utilisateur|usuario|utente|"
    r"пользователь|użytkownik|用户|ユーザー)((?: de)? windows)?)$",
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


_AND = re.compile(r";|\s(?:and|und|et|&)\s")  # what separates two names; a comma does not: `Shelley, Mary`
_WORDS = read_words("metadata")
_DOCUMENT = (
    rf"(?:microsoft )?(?:office )?(?:word )?(?:text ?)?(?:{_WORDS['document']})"
    r"(?: (?:de |di )?text[oe]?| microsoft(?: office)? word)?"
)
_IN_GOOGLE = r"(?: [-–] (?:google [^\W\d]+|[^\W\d]+ (?:de )?google))?"
"""What Google's editors add to the name of a page that is printed."""
_FILLED = r"[^\]]{0,60}"  # other words in the brackets of a template's field: "[Type the author's name]"
_NO_TITLE = re.compile(
    rf"[\[(]?(?:copy of )?(?:(?:{_DOCUMENT} )?(?:{_WORDS['untitled']})(?: ?の?{_DOCUMENT})?|"
    # What may be a title of its own, but not before a word for a document.
    rf"(?:{_WORDS['new']}) ?{_DOCUMENT}|{_WORDS['default']})"
    rf"(?:[\s-]?\d*|[\s_-]?\(\d+\)){_IN_GOOGLE}[\])]?|(?:about:|https?://|file:/)\S+|"
    # Files, and what cameras and scanners call theirs.
    r"\S+\.(?:docx?|rtf|odt|tex|indd|pdf|txt|epub|mobi|azw3?|html?|fb2|tiff?|jpe?g|png|gif|bmp|djvu)|"
    r"(?:img|dsc[nf]?|scan|image|doc|skm_\w+)[_-]?\d{3,}[\d_-]*|camscanner .*|scanned (?:document|image)|"
    # Templates, whose fields are in brackets: "[Type the document title]".
    rf"\[{_FILLED}(?:{_WORDS['field']}){_FILLED}\]",
    re.IGNORECASE,
)
_AUTHOR, _UNKNOWN = _WORDS["author"], _WORDS["unknown"]
_NOBODY = re.compile(
    rf"[\[(<]?(?:(?:(?:the )?(?:{_AUTHOR}) ?)?(?:{_UNKNOWN})|(?:{_UNKNOWN}|no) ?(?:{_AUTHOR})?|"
    rf"{_AUTHOR}|{_WORDS['nobody']}|\S+@\S+\.\w+|\W*)[\])>]?|"
    rf"\[{_FILLED}(?:{_AUTHOR}|your)\w*(?:['’]s)? (?:name|nam[en]|nombre|nome|nom)\]|"
    rf"\[{_FILLED}(?:name|naam|nom|nombre|nome|имя|jméno)\b{_FILLED}\b(?:{_AUTHOR})\w*\]|\[(?:作者|"
    rf"著者|作成者|작성자){_FILLED}\]",
    re.IGNORECASE,
)
_NO_PUBLISHER = re.compile(
    r"\[?(?:s\. ?n\.|sine nomine|(?:publisher|verlag|éditeur|editorial|editore|editora) "
    rf"(?:not identified|{_UNKNOWN})|(?:{_UNKNOWN}|no) publisher)\]?",
    re.IGNORECASE,
)  # as catalogues and programs write it
_NO_DATE = re.compile(
    r"0*(?:101|1|0)(?:-|$)|(?:1601|1900|1970)-01-01|(?:0100|1600|1899|1969)-12-31|1899-12-30|9999|2013-12-23T23:15"
)
"""The years 101 and 0, Calibre's for none; the first days that scanners and computers count from, or the days
before, where a clock is behind; the minute in python-docx's template. Catalogues write those of 1904 and 1980
for books of these years."""
_YEAR = re.compile(r"\d|[〇零一二三四五六七八九]|\b[MDCLXVI]{3,}\b")


def without_placeholders(metadata: Metadata, printed: Collection[str] = ()) -> Metadata:
    """Return metadata without titles, people, publishers and dates that stand for none, or for a volume.

    "Unknown" may be the title of a book whose author is known, if it is printed at the beginning.
    """
    named = (name for name in metadata.authors if not is_placeholder(name))
    authors = tuple(joined_names(people_of(name), AUTHOR) if set(",@") & {*name} else name for name in named)
    people = tuple(person for person in metadata.people if not is_placeholder(person.name))
    is_printed = bool(authors) and metadata.title in printed
    subtitle, number, name = divide_volume(metadata.subtitle)
    return replace(
        metadata,
        title="" if is_no_title(metadata.title) and not is_printed else metadata.title,
        subtitle=subtitle,
        volume=metadata.volume or number,
        volume_title=metadata.volume_title or name,
        authors=authors or displayed_authors(people),
        people=people,
        date=metadata.date if is_date(metadata.date) else "",
        publisher="" if _is_no_publisher(metadata.publisher) else metadata.publisher,
    )


def is_no_title(title: str) -> bool:
    """Return whether a title is that of a book without one: `Untitled`, or the name of a file."""
    return _NO_TITLE.fullmatch(title.strip()) is not None


def is_placeholder(name: str) -> bool:
    """Return whether a name stands for nobody, such as Calibre's `Unknown`."""
    return bool(_NOBODY.fullmatch(name.strip()) or _JUNK.match(name.strip()))


def _is_no_publisher(name: str) -> bool:
    return is_placeholder(name) or _NO_PUBLISHER.fullmatch(name.strip()) is not None


def is_date(text: str) -> bool:
    """Return whether a date says anything: it has a year, and not that of an unknown date."""
    return _YEAR.search(text) is not None and not _NO_DATE.match(text)


_PRINTED_YEAR = r"(?<![\w-])([12]\d{3}|M[CDM][MDCLXVI]+)(?![\w-])"
_FIRST = re.compile(
    rf"\b(?:first|originally) (?:published|printed|issued)\b[^.\d]{{0,60}}?{_PRINTED_YEAR}"
    rf"|\bwas published in {_PRINTED_YEAR} by\b",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(rf"(?:©|\(c\)|\bcopyright\b)[^\d\n]{{0,60}}?{_PRINTED_YEAR}", re.IGNORECASE)
_IMPRINT = re.compile(
    r"^(?!.*(?i:releas|updat|posti|visit|access|version))"
    rf"(?:(?:Printed|Published)\b.{{3,120}}, |(?:(?:[A-ZÀ-Þ]\S*|&|and|und|et|of|de|in|the)[,:]? ){{0,9}})"
    rf"{_PRINTED_YEAR}\.?$",
    re.MULTILINE,
)  # a line such as `London: Harbour Press, 1921`
_THESIS = re.compile(
    r"\b(?:thesis|dissertation)\b[^.]{0,200}?\bdegree of\s+(?:(doctor)|(master))", re.IGNORECASE
)
IMPRINT_KINDS = frozenset(("titlepage", "imprint", "colophon", "copyright"))
"""The kinds of matter that say when a book was published."""


def with_printed_dates(metadata: Metadata, printed: Iterable[str]) -> Metadata:
    """Return metadata with the dates, and the kind of thesis, that the book prints, where it states none.

    Args:
        printed: the paragraphs of its title page, imprint and colophon.
    """
    text = "\n".join(" ".join(paragraph.split()) for paragraph in printed)
    first = next((match[1] or match[2] for match in _FIRST.finditer(text)), "")
    rights = [match[1] for match in _COPYRIGHT.finditer(text)]
    imprints = [match[1] for match in _IMPRINT.finditer(text)]
    degree = _THESIS.search(text.replace("\n", " "))
    thesis = ("Doctoral dissertation" if degree[1] else "Master’s thesis") if degree else ""
    return replace(
        metadata,
        date=metadata.date or next(iter((*rights, *imprints[-1:], first)), ""),
        original_date=metadata.original_date or first,
        edition=metadata.edition or thesis,
    )


_CONTENTS = re.compile(read_words("headings")["contents"], re.IGNORECASE)
_MAX_TITLE = 120  # characters of a title that is guessed


def with_guessed_title(metadata: Metadata, printed: str, otherwise: str = "") -> Metadata:
    """Return metadata with a title, if it has none: what is printed, if it has the form of one."""
    title = without_all_capitals(" ".join(printed.split()))
    is_one = 1 < sum(map(str.isalpha, title)) <= len(title) <= _MAX_TITLE and not re.search("[@©]|//", title)
    is_part = names_division(title) or read_division(title) or _CONTENTS.fullmatch(title)
    if not is_one or title.endswith((".", ",", ";", ":")) or is_no_title(title) or is_part:
        title = otherwise
    return metadata if metadata.title else replace(metadata, title=title, guessed_title=title)


def without_all_capitals(text: str) -> str:
    """Return the text; if it is all in capitals, only the first letter of each word stays a capital."""
    if not text.isupper():
        return text
    return re.sub(r"[^\W\d_]['’\w]*", lambda word: word[0].capitalize(), text)


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
