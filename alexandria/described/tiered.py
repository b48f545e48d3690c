"""Sage's chunking of reviews (docs/descriptions.md): how a review becomes sentences."""

import re

from alexandria.chunking.sentences import SPLITTERS

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a plain text; `<br />` counts as a space, any other markup is kept as text.

    `alexandria.chunk(text, strategy="tiered")` cuts a text as reviews are cut; HTML files are read as HTML.
    """
    plain = _BREAK.sub(" ", text)
    return [plain[start:end] for start, end in SPLITTERS["default"](plain)]
