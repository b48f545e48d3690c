"""What tools return of books: quotations with their citations, cut to a size that a model can take in.

Every line of a book's text begins with `> `, so that no text can pose as anything else of an answer.
"""

import re

from alexandria.passage import Passage

MOST_TOKENS = 6_000
"""Of one answer, its cursor included."""
_BYTES_PER_TOKEN = 3
"""Fewer than tokenizers need for prose in any script: English has 4 to 5, Greek and Chinese about 3."""
_RESERVED = 1_200  # bytes for the line that goes on with a cursor, and for headings
BUDGET = MOST_TOKENS * _BYTES_PER_TOKEN - _RESERVED
"""Bytes of UTF-8 that passages and lists may fill."""

# Line ends of every kind, which would end a quoted line; and what could reorder or hide text.
_LINE_ENDS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\U000e0000-\U000e007f]"
)
_LONGEST_NAME = 200


def size_of_text(text: str) -> int:
    """Return what a text takes of the budget."""
    return len(text.encode("utf-8", "replace"))


def inline(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a title, heading or sentence of a book on one line, shortened if it is very long."""
    line = " ".join(_UNSEEN.sub("", _LINE_ENDS.sub(" ", text)).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def cleaned(text: str) -> str:
    """Return a text without characters that hide or reorder text, and with line ends of one kind."""
    return _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))


def quoted(text: str) -> str:
    """Return a text of a book, each line marked as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in cleaned(text).split("\n"))


def cited(passage: Passage) -> str:
    """Return the citation of a passage, and the arguments with which `read` goes on from it."""
    among = "" if passage.collection is None else f" in {inline(passage.collection)}"
    return f"{inline(passage.citation, 300)} [hit {passage.short_id}, chunk {passage.chunk_id}{among}]"


def fitting(text: str, n_bytes: int) -> str:
    """Return the beginning of a text that fits, ending with a whole sentence or word if one does."""
    if size_of_text(text) <= n_bytes:
        return text
    cut = text.encode("utf-8", "replace")[: max(0, n_bytes)].decode("utf-8", "ignore")
    for mark in (". ", "\n", " "):
        if (end := cut.rfind(mark)) > len(cut) // 2:
            return cut[: end + 1]
    return cut
