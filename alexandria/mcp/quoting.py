"""The texts of books in what tools return: quoted, cited, and cut to a size that a model can take in.

Every line of a book's text begins with `> `, so that no text of a book can pose as another part of an answer.
"""

import re
from dataclasses import replace

from alexandria.passage import Passage

MAX_TOKENS = 6_000
"""Tokens of one answer, at most, with the line that gives the next cursor."""
_BYTES_PER_TOKEN = 3
"""A low estimate for prose in any script: English has 4 to 5, Greek and Chinese about 3."""
_RESERVED = 1_200
"""Bytes for the line that gives the next cursor, and for headings."""
BUDGET = MAX_TOKENS * _BYTES_PER_TOKEN - _RESERVED
"""Bytes of UTF-8 that passages and lists may fill."""

# Every character that a model may read as the end of a line, and so of a quotation.
_LINE_ENDS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
# Controls, and characters that hide or reorder text.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\U000e0000-\U000e007f]"
)
_MAX_NAME = 200
"""Characters of a title or heading."""


def size_of_text(text: str) -> int:
    """Return how many bytes of the budget a text takes."""
    return len(text.encode("utf-8", "replace"))


def inline(text: str, max_length: int = _MAX_NAME) -> str:
    """Return a title, heading or sentence of a book on one line, shortened if it is very long."""
    line = " ".join(_UNSEEN.sub("", _LINE_ENDS.sub(" ", text)).split())
    return line if len(line) <= max_length else line[: max_length - 1].rstrip() + "…"


def clean_text(text: str) -> str:
    """Return a text without characters that hide or reorder text, and with line ends of one kind."""
    return _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))


def as_quotation(text: str) -> str:
    """Return a text of a book, each line marked as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in clean_text(text).split("\n"))


def citation_line(passage: Passage) -> str:
    """Return the citation of a passage, and the ids with which `read` and `cite` find it."""
    return f"{inline(passage.citation, 300)} {_ids_of(passage)}"


def _ids_of(passage: Passage) -> str:
    collection = "" if passage.collection is None else f" in {inline(passage.collection)}"
    return f"[hit {passage.short_id}, chunk {passage.chunk_id}{collection}]"


def passage_lines(passage: Passage, remark: str = "") -> str:
    """Return the lines above a whole passage: its citation and a remark, and which sentence is cited.

    The sentence is named where the passage has pages on which it is not: `cite` gives its page.
    """
    whole = replace(passage, best=None)
    line = f"{inline(whole.citation, 300)} {_ids_of(passage)}{remark}"
    if passage.sentence is None or whole.cited_pages == passage.cited_pages:
        return line
    page = f"page{'s' if len(passage.cited_pages) > 1 else ''} {passage.page}"
    return f"{line}\nThis hit is cited for “{inline(passage.sentence, 80)}”, {page}"


def truncate(text: str, n_bytes: int) -> str:
    """Return the beginning of a text that fits, up to the end of a sentence, line or word if possible."""
    if size_of_text(text) <= n_bytes:
        return text
    cut = text.encode("utf-8", "replace")[: max(0, n_bytes)].decode("utf-8", "ignore")
    for mark in (". ", "\n", " "):
        if (end := cut.rfind(mark)) > len(cut) // 2:
            return cut[: end + 1]
    return cut
