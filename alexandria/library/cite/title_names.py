"""The names in a title, which keep their capitals where a reference has few: *Moby Dick*, *the Beagle*."""

import re

from alexandria.book.model import BlockKind, Book
from alexandria.library.cite.styles import TITLE_WORD
from alexandria.store.sparse import primary_subtag

_MIN_TIMES = 2
_MIN_SHARE = 0.9
_LONG = 100_000
"""Characters of a text that has nearly every word of its title, but perhaps not what kind of book it is."""
_FILE = re.compile(r"(?<!\S)\S*(?:\w[@/\\]|[@/\\]\w|\w\.\w)\S*|(?<![a-z])[a-z]+(?:-[a-z\d]+)+")
"""Paths, addresses and names of programs, in small letters what a text otherwise capitalises."""
_KIND = re.compile(
    "(?:Adventure|Anthology|Autobiograph|Ballad|Biograph|Comed|Commentar|Companion|Diar|Dictionar|Drama|Eleg|"
    "Encyclop(?:a?e|æ)dia|Epic|Essay|Fable|Fantas|Farce|Guide|Handbook|Histor|Idyll|[EI]nquir|Introduction|Journal|"
    "Lecture|Legend|Manual|Masque|Meditation|Memoir|Monograph|Narrative|Novel|Novella|Ode|Parable|Parod|Play|"
    "Poem|Primer|Reader|Romance|Saga|Satire|Sermon|Sketch|Sonnet|Stor|Stud|Tale|Textbook|Traged|Travel|Treatise)"
    "(?:y|ies|e?s)?"
)


def names_in_title(book: Book) -> tuple[str, ...]:
    """Return the words of an English title and subtitle that the book's text nearly always capitalises.

    Of a long text, also those that it does not have, as *Frankenstein* has no Prometheus, unless they name a
    kind of book. Headings do not count. A book of unknown language counts as English, as in references.
    """
    if primary_subtag(book.language or "en") != "en":
        return ()
    kinds = (BlockKind.HEADING, BlockKind.CODE)
    text = "\n".join(block.text for block in book.blocks if block.kind not in kinds)
    text = text.replace("_", "")  # typed italics
    prose = _FILE.sub(" ", text)
    title = f"{book.metadata.title} {book.metadata.subtitle}"
    words = dict.fromkeys(word for word in TITLE_WORD.findall(title) if word.istitle())
    return tuple(word for word in words if _is_name(word, text, prose))


def _is_name(word: str, text: str, prose: str) -> bool:
    n_capital = _times_inside(word, text)
    if n_capital < _MIN_TIMES:
        is_new = len(text) >= _LONG and not re.search(rf"\b{re.escape(word.lower())}", prose)
        return is_new and not _KIND.fullmatch(word)
    return n_capital >= _MIN_SHARE * (n_capital + _times_inside(word.lower(), prose))


def _times_inside(word: str, text: str) -> int:
    """Return how often a word is inside a sentence: after another word, a comma, a semicolon, or a hyphen."""
    # No sentence, quotation or line of verse begins there.
    # The word comes first: it is found far faster than what is before it.
    return len(re.findall(rf"{word}(?<=[\w,;] {word}|\w[-/’']{word})\b", text))
