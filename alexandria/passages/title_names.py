"""The names in a title, which keep their capitals where a reference has few: *Moby Dick*, *the Beagle*."""

import re

from alexandria.book import BlockKind, Book
from alexandria.passages.styles import TITLE_WORD
from alexandria.store.sparse import primary_subtag

_MIN_TIMES = 2
_MIN_SHARE = 0.9


def names_in_title(book: Book) -> tuple[str, ...]:
    """Return the words of an English title and subtitle that the book's text nearly always capitalises.

    Headings do not count. A book of unknown language counts as English, as it does in references.
    """
    if primary_subtag(book.language or "en") != "en":
        return ()
    text = "\n".join(block.text for block in book.blocks if block.kind is not BlockKind.HEADING)
    text = text.replace("_", "")  # typed italics
    title = f"{book.metadata.title} {book.metadata.subtitle}"
    words = dict.fromkeys(word for word in TITLE_WORD.findall(title) if word.istitle())
    return tuple(word for word in words if _is_name(word, text))


def _is_name(word: str, text: str) -> bool:
    n_capital = _times_inside(word, text)
    if n_capital < _MIN_TIMES:
        return False
    return n_capital >= _MIN_SHARE * (n_capital + _times_inside(word.lower(), text))


def _times_inside(word: str, text: str) -> int:
    """Return how often a word is inside a sentence: after another word, a comma, a semicolon, or a hyphen.

    No sentence, quotation or line of verse begins there.
    """
    # The word comes first: it is found far faster than what is before it.
    return len(re.findall(rf"{word}(?<=[\w,;] {word}|\w[-’']{word})\b", text))
