"""Print what Alexandria makes of a file of records, as JSON: references and in-text citations in each style.

    python tools/references.py FILE

The file is a list of {id, metadata, place}; names have the parts of CSL. Records whose ids begin with the
same number and a letter (`30a`, `30b`) are cited together.
"""

import json
import re
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from alexandria.book.people import AUTHOR, EDITOR, TRANSLATOR, Contributor
from alexandria.library.cite.styles import ITALIC, ROMAN, STYLES, Locator, Work, lettered


def work_of(metadata: dict[str, Any]) -> Work:
    """Return a record as a work."""
    people = [
        Contributor(role=role, **name)
        for key, role in (("authors", AUTHOR), ("editors", EDITOR), ("translators", TRANSLATOR))
        for name in metadata.get(key, ())
    ]
    texts: dict[str, Any] = {
        key: str(metadata.get(name) or "")
        for key, name in {
            "title": "title", "subtitle": "subtitle", "chapter": "chapter", "edition": "edition",
            "publisher": "publisher", "place": "publisher_place", "year": "year", "series": "series",
            "original_year": "original_year", "volume": "volume", "isbn": "isbn", "url": "url",
            "accessed": "accessed", "medium": "format", "language": "language",
        }.items()
    }  # fmt: skip
    return Work(people=tuple(people), **texts)


def shown(text: str) -> str:
    """Return a formatted text with its italics between underscores."""
    return text.replace(ITALIC, "_").replace(ROMAN, "_")


def rendered(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the strings of each record, by id and style."""
    result: dict[str, Any] = {}
    for _, group in groupby(records, key=lambda record: re.match(r"\d+", record["id"])[0]):  # type: ignore[index]
        together = list(group)
        works = lettered([work_of(record["metadata"]) for record in together])
        for record, work in zip(together, works, strict=True):
            place = Locator(**record.get("place", {}))
            result[record["id"]] = {
                name: {
                    "reference": shown(style.reference(work)),
                    "in_text": shown(style.in_text(work, place)),
                }
                for name, style in STYLES.items()
            }
    return result


if __name__ == "__main__":
    print(json.dumps(rendered(json.loads(Path(sys.argv[1]).read_text())), ensure_ascii=False, indent=1))
