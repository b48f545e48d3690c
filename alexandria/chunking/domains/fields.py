"""The words by which the field of a book is recognised: in catalogues, in titles, and in the text itself.

They are in the text file beside this one. Subject headings are those of the Library of Congress, which most
EPUB files and Project Gutenberg have, with the words of German, French, Spanish and Italian catalogues that
are not the same.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from alexandria.book.word_lists import read_lists

DEFAULT_DOMAIN = "default"  # the domain for books of any field
LITERATURE, PSYCHOLOGY, PHILOSOPHY = "literature", "psychology", "philosophy"
TECHNICAL, HISTORY = "technical", "history"

_LISTS = read_lists(Path(__file__).with_suffix(".txt"))
# In this order: “Psychological fiction” and “Great Britain -- History -- Fiction” are literature,
# “Psychology, Religious” is psychology, “Political science -- Philosophy” is philosophy.
_FIELDS = (LITERATURE, PSYCHOLOGY, PHILOSOPHY, TECHNICAL, HISTORY)
SUBJECTS: Mapping[str, re.Pattern[str]] = {
    field: re.compile(rf"\b(?:{'|'.join(_LISTS[f'subjects of {field}'])})", re.IGNORECASE)
    for field in _FIELDS
}  # what subject headings and titles of each field contain; the first field that matches counts
WORDS: Mapping[str, frozenset[str]] = {
    field: frozenset(" ".join(_LISTS[f"words of {field}"]).split()) for field in _FIELDS
}  # typical words of texts of each field: a book has some of every field, and far more of its own field
STATEMENTS = frozenset(" ".join(_LISTS["statements"]).split())
"""Words of statements in the present tense: narratives have few of them outside direct speech."""

RATES: Mapping[str, float] = {LITERATURE: 6, PHILOSOPHY: 9, PSYCHOLOGY: 7, HISTORY: 14, TECHNICAL: 10}
"""How many words per thousand are `WORDS` of the field in a text that is as likely of the field as not."""
