"""What a record is looked up by in the catalog of a server: values beside it, which are indexed."""

from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any

from alexandria.filters import folded
from alexandria.likeness import unpacked

LOOKUP = "lookup"
"""The key of a record's payload that holds these values."""
BOOK, REMOVED = "book", "removed"
"""The values of its `state`."""
LEVELS = 4
"""Numbers by which titles are ordered: together, their first 24 bytes. Where all are the same, whole titles
decide."""
N_RUNS = 32
"""Runs of words by which books are looked up: editions of one text share most of these, other books none."""
_BYTES = 6
"""Of a number: servers compare numbers as float64, in which 48 bits are exact."""


def lookup_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a stored record is looked up by; of a removed book, only that it was removed."""
    if record.get("removed_at") is not None:
        return {"state": REMOVED}
    title, sketch = str(record.get("title") or ""), str(record.get("sketch") or "")
    levels = ordinals(title.casefold())
    return {
        "state": BOOK,
        "total": total_of(record),
        "title": folded(title),
        "in_title": grams(folded(title)),
        "in_author": grams(folded(str(record.get("author") or ""))),
        "languages": _beginnings(record.get("language")),
        "work": record.get("work") or None,
        "runs": looked_up_runs(sketch),
        "has_sketch": "yes" if sketch else "no",
        "id": ordinals(str(record.get("book_id") or ""))[0],
        **{f"order_{level}": number for level, number in enumerate(levels)},
    }


def total_of(record: Mapping[str, Any]) -> str:
    """Return what books are counted by, as one string: language, model, sentence vectors, number format."""
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
    """Return what `total_of` wrote."""
    language, model, sentence_vectors, precision = loads(text)
    return language, model, sentence_vectors, precision


def grams(text: str) -> list[str]:
    """Return the runs of two and of three characters in a text: whoever contains it has all of them."""
    return sorted({text[i : i + n] for n in (2, 3) for i in range(len(text) - n + 1)})


def longest_grams(text: str) -> list[str]:
    """Return those runs of a text that decide: of three characters, or what there is of two."""
    return sorted({text[i : i + 3] for i in range(len(text) - 2)}) if len(text) > 2 else grams(text)


def ordinals(text: str) -> list[int]:
    """Return `LEVELS` numbers in whose order texts are, as far as their first bytes tell them apart."""
    # The order of UTF-8 is that of code points, which is that of strings in Python.
    data = text.encode("utf-8", "replace")[: LEVELS * _BYTES].ljust(LEVELS * _BYTES, b"\0")
    return [int.from_bytes(data[i : i + _BYTES]) for i in range(0, len(data), _BYTES)]


def first_range(beginning: str) -> tuple[int, int]:
    """Return the least and the greatest first number of texts that begin with this one."""
    data = beginning.encode("utf-8", "replace")[:_BYTES]
    return int.from_bytes(data.ljust(_BYTES, b"\0")), int.from_bytes(data.ljust(_BYTES, b"\xff"))


def looked_up_runs(sketch: str) -> list[int]:
    """Return the runs of a packed sketch by which its book is looked up."""
    return list(unpacked(sketch[: 8 * N_RUNS]))


def _beginnings(language: str | None) -> list[str]:
    """Return the tags that admit a language: `en` and `en-gb` for `en-GB`."""
    parts: Sequence[str] = [] if language is None else language.lower().split("-")
    return ["-".join(parts[: i + 1]) for i in range(len(parts))]
