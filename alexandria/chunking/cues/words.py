"""The words by which text shows that it continues a thought or begins a new one, by language.

A language without an entry is cut by paragraphs, layout and similarity alone. All words are lower case.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from alexandria.book.languages import primary_language


@dataclass(frozen=True, slots=True)
class CueWords:
    """The cue words of one language."""

    openers: frozenset[str]
    """Pronouns and connectives: a text that begins with one of them lacks what came before."""
    impersonal: frozenset[str]  # beginnings with such a word that point at nothing: `it is`, `il y a`
    references: frozenset[str]
    """Words that refer to the text before from inside a sentence: `such`, `therefore`, `the latter`."""
    pronouns: frozenset[str]  # pronouns of the third person, whose sense may lie in the text before
    announcements: frozenset[str]  # words and phrases at the end of a paragraph that announce what follows it
    times: frozenset[str]  # words of time and date; in the first words of a paragraph they begin a new scene
    time_openers: frozenset[str]
    """Words that may begin such a phrase: `the next day`, `on 5 May`; alone they mean nothing."""
    arrivals: frozenset[str]
    """Verbs with which somebody arrives or leaves, or something opens; they begin a scene."""
    reactions: tuple[str, ...]
    """How words begin that tell how a speech was received: `smil`, `silen`, `answer`."""
    contrasts: frozenset[str]  # the openers that may begin the other side of a matter: `however`, `but`
    articles: frozenset[str]  # articles, and other words after which a noun stands: `the`, `his`, `of`
    elisions: frozenset[str] = frozenset()
    """Words that lose their vowel before another, which is then written without a space: `l'`, `dell'`."""


def cue_words(language: str | None) -> CueWords | None:
    """Return the cue words of a language, given as a BCP 47 tag, or None if it has no entry."""
    return CUE_WORDS.get(primary_language(language))


_PHRASES = ("impersonal", "announcements")  # the lists of phrases; the others are lists of words


def _read_lists() -> Iterator[tuple[str, CueWords]]:
    """Yield each language of the file beside this one, with its lists; a list that it lacks is empty."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").replace("\n ", " ")
    for part in text.split("== ")[1:]:
        language, *lines = part.strip().split("\n")
        lists: dict[str, Any] = dict.fromkeys((field.name for field in fields(CueWords)), frozenset())
        for name, _, listed in (line.partition(": ") for line in lines):
            lists[name] = frozenset(listed.split(", ") if name in _PHRASES else listed.split())
            if name == "reactions":  # which a text may begin with
                lists[name] = tuple(listed.split())
        yield language, CueWords(**lists)


# Articles and prepositions do not point back; of the conjunctions, only those that join sentences do.
CUE_WORDS: Mapping[str, CueWords] = dict(_read_lists())  # the languages with cue words
