"""What records are looked up by in the catalog of a server: values in their payloads, which are indexed.

A server can filter by equal values and by ranges of numbers, and order by numbers. So texts to be searched
for are stored as n-grams of characters (`ngrams`), and texts to be ordered by as numbers (`ordinals`).
"""

from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any

from alexandria.filters import fold_text
from alexandria.likeness import unpack_sketch

LOOKUP = "lookup"
"""The key of a record's payload that holds these values."""
BOOK, REMOVED = "book", "removed"
"""The values of the key `state`: whether the record is that of a book or of a removed book."""
LEVELS = 4
"""Numbers per title, by which a server orders titles: together, the first 24 bytes of the title. The client
orders titles that begin with the same 24 bytes."""
N_SHINGLES = 32
"""Shingles (see `likeness.py`) by which a book is looked up: editions of one text share most of these, other
books none."""
BYTES_PER_NUMBER = 6
"""Bytes of text in one number: servers compare numbers as float64, which holds 48 bits exactly."""


def lookup_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lookup values of a record; of the record of a removed book, only its state."""
    if record.get("removed_at") is not None:
        return {"state": REMOVED}
    title = str(record.get("title") or "")
    levels = ordinals(title.casefold())
    return {
        "state": BOOK,
        "total": total_of(record),
        "title": fold_text(title),
        "in_title": ngrams(fold_text(title)),
        "in_author": ngrams(fold_text(str(record.get("author") or ""))),
        "languages": _matching_tags(record.get("language")),
        "work": record.get("work") or None,
        "runs": lookup_shingles(str(record.get("sketch") or "")),
        "id": ordinals(str(record.get("book_id") or ""))[0],
        **{f"order_{level}": number for level, number in enumerate(levels)},
    }


def total_of(record: Mapping[str, Any]) -> str:
    """Return what a book is counted by, as one string: language, model, sentence vectors, number format."""
    settings = record.get("settings") or {}
    return dumps(
        [
            record.get("language"),
            str(settings.get("model") or ""),
            bool(settings.get("sentence_vectors", True)),
            record.get("precision"),
        ]
    )


def parse_total(text: str) -> tuple[str | None, str, bool, str | None]:
    """Return the values in a string of `total_of`."""
    language, model, sentence_vectors, precision = loads(text)
    return language, model, sentence_vectors, precision


def ngrams(text: str) -> list[str]:
    """Return the bigrams and trigrams of characters in a text: of `ada`, `ad`, `ada` and `da`.

    A text that contains another has all of its n-grams: a server can thus find titles that contain a text.
    """
    return sorted({text[i : i + n] for n in (2, 3) for i in range(len(text) - n + 1)})


def longest_ngrams(text: str) -> list[str]:
    """Return the trigrams of a text; of a text of two characters, that text.

    They are enough to search for the text: a name that has all of these has the shorter ones, too.
    """
    if len(text) < 3:
        return ngrams(text)
    return sorted({text[i : i + 3] for i in range(len(text) - 2)})


def ordinals(text: str) -> list[int]:
    """Return `LEVELS` numbers for the first bytes of a text: compared one after the other, they order texts.

    The order is that of strings. Texts that differ only after these bytes get the same numbers.
    """
    # UTF-8 sorts by code point, as strings in Python do.
    n_bytes = LEVELS * BYTES_PER_NUMBER
    data = text.encode("utf-8", "replace")[:n_bytes].ljust(n_bytes, b"\0")
    return [int.from_bytes(data[i : i + BYTES_PER_NUMBER]) for i in range(0, n_bytes, BYTES_PER_NUMBER)]


def first_ordinal_range(beginning: str) -> tuple[int, int]:
    """Return the lowest and the highest first number of `ordinals` for texts with this beginning."""
    data = beginning.encode("utf-8", "replace")[:BYTES_PER_NUMBER]
    lowest, highest = data.ljust(BYTES_PER_NUMBER, b"\0"), data.ljust(BYTES_PER_NUMBER, b"\xff")
    return int.from_bytes(lowest), int.from_bytes(highest)


def lookup_shingles(sketch: str) -> list[int]:
    """Return the shingles of a packed sketch by which its book is looked up: the first `N_SHINGLES`."""
    return list(unpack_sketch(sketch[: 8 * N_SHINGLES]))  # a shingle is packed into eight digits


def _matching_tags(language: str | None) -> list[str]:
    """Return the tags by which a filter finds a language: `en` and `en-gb` for `en-GB`."""
    subtags: Sequence[str] = [] if language is None else language.lower().split("-")
    return ["-".join(subtags[: i + 1]) for i in range(len(subtags))]
