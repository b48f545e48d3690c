"""Reads the metadata that programs write into PDFs and Office files, without their default values.

Dates are not read: in PDFs, they are those of the file, when it was typeset or converted, not of the book.
"""

import re
from collections.abc import Mapping, Sequence

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.people import AUTHOR, EDITOR, TRANSLATOR, Contributor

_JUNK = re.compile(
    r"^(untitled|unbenannt|sans titre|unknown|no ?name|title|document\d*|slide \d+|excerpt"
    r"|microsoft (word|powerpoint).*|.*\.(docx?|rtf|odt|tex|dvi|indd|qxd|pdf|txt|ps|fm|p65)|[\W\d_]*"
    r"|(microsoft office|windows|office) user|user|admin(istrator)?|python-docx)$",
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
        title="" if _JUNK.match(title) else title,
        authors=() if is_placeholder(author) else tuple(_split_authors(author)),
        subjects=tuple(subject for subject in subjects if subject),
    )


_PLACEHOLDERS = re.compile(
    r"(?:unknown|anonymous|author|autor|auteur|verfasser|unbekannt|inconnu|desconocido|n/?a|none|various|null|"
    r"unknown author|no author|author unknown|\[?anon\.?\]?|\W*)",
    re.IGNORECASE,
)
"""What programs write where no author is known."""


def is_placeholder(name: str) -> bool:
    """Return whether a name stands for nobody, such as Calibre's `Unknown`."""
    return bool(_PLACEHOLDERS.fullmatch(name.strip()) or _JUNK.match(name.strip()))


def is_date(text: str) -> bool:
    """Return whether a date says anything: the year 101 is Calibre's for an unknown one."""
    return bool(text) and not re.match(r"0*(?:101|1|0)(?:-|$)", text)


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


def _split_authors(text: str) -> list[str]:
    """Return the names between semicolons or "and"; a comma does not separate two: `Shelley, Mary`."""
    return [name.strip() for name in re.split(r"\s*;\s*|\s+(?:and|und|et|&)\s+", text) if name.strip()]
