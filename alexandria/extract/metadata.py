"""Reads the metadata that programs write into PDFs and Office files, without their default values.

Dates are not read: in PDFs, they are those of the file, when it was typeset or converted, not of the book.
"""

import re
from collections.abc import Mapping

from alexandria.book import Metadata
from alexandria.extract.clean import one_line

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
        authors=() if _JUNK.match(author) else tuple(_split_authors(author)),
        subjects=tuple(subject for subject in subjects if subject),
    )


def _split_authors(text: str) -> list[str]:
    """Return the names between semicolons or "and"; a comma does not separate two: `Shelley, Mary`."""
    return [name.strip() for name in re.split(r"\s*;\s*|\s+(?:and|und|et|&)\s+", text) if name.strip()]
