"""What the text around each gap tells a reader: that a thought goes on across it, or that a new one begins.

A cue has a strength from 0 to 1 before each sentence. Which cue matters how much is the strategy's to say.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Block, BlockKind, Book, Sentence, count_words
from alexandria.chunking.cue_words import CueWords, cue_words


class Cue(StrEnum):
    """What ties the texts on both sides of a gap together, or sets them apart."""

    POINTS_BACK = "points_back"
    """The sentence begins with a pronoun or a connective."""
    REFERS_BACK = "refers_back"
    """The sentence refers to what came before it, after its first word: `such a view`, `therefore`."""
    OBJECTION = "objection"
    """The sentence objects to, answers or concludes what came before it."""
    LEAD_IN = "lead_in"
    """The text before the gap announces what follows: it ends with a colon or a dash, or says so."""
    UNFINISHED = "unfinished"
    """The paragraph before the gap does not end as a sentence does, or the next one begins in lower case."""
    QUOTATION = "quotation"
    """A quotation or verse begins, which the text before the gap introduces."""
    SAME_QUOTATION = "same_quotation"
    """A quotation of several paragraphs goes on."""
    LIST = "list"
    """An item of a list, a table, a caption or code goes on or begins."""
    TURN = "turn"
    """Speech answers speech."""
    SPEECH = "speech"
    """Speech begins after narration."""
    QUESTION = "question"
    """The text before the gap ends with a question."""
    SHORT_PARAGRAPH = "short_paragraph"
    """Short paragraphs on either side: announcements, exchanges, lines of an example."""
    NEW_TIME = "new_time"
    """A new time or date begins a new scene."""
    NEW_STEP = "new_step"
    """A phrase that begins a new step: `let us now`, `with regard to`."""


Cues = Mapping[Cue, NDArray[np.float32]]
"""The strength of each cue before each sentence, (n_sentences,), in [0, 1]; an absent cue is 0 everywhere."""

SENTENCE_CUES = frozenset({Cue.POINTS_BACK, Cue.REFERS_BACK, Cue.OBJECTION})
"""The cues that a sentence holds by itself, whatever the text before it."""


class DeferredCues(Mapping[Cue, NDArray[np.float32]]):
    """Cues that are found when they are first read, once: most strategies read none."""

    __slots__ = ("_found",)

    def __init__(self, find: Callable[[], Cues]) -> None:
        self._found = cache(find)

    def __getitem__(self, cue: Cue) -> NDArray[np.float32]:
        return self._found()[cue]

    def __iter__(self) -> Iterator[Cue]:
        return iter(self._found())

    def __len__(self) -> int:
        return len(self._found())


SHORT = 200
"""Words from which on a paragraph is not short."""

_LISTED = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.CODE, BlockKind.CAPTION})
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE})
_QUOTED = frozenset({BlockKind.QUOTE, BlockKind.VERSE})
# Dutch: 's avonds, 't is; neither speech nor a sentence that goes on in lower case.
_REDUCED = r"['’][st](?=\s)"
# A word, with what an apostrophe joins to it; a number.
_WORD = re.compile(rf"[^\W\d_]+(?:['’][^\W\d_]+)?|{_REDUCED}|\d+")
# Closing marks may follow the mark that ends a sentence.
_CLOSERS = r"[\s\"'”’»)\]_*]*$"
_ENDS = re.compile(rf"[.!?…。！？]{_CLOSERS}")
_LEADS = re.compile(rf"[:,;—–-]{_CLOSERS}")
_ASKS = re.compile(rf"[?？]{_CLOSERS}")
_SPEECH_BEGINS = re.compile(rf"[\[(_*]*(?:[\"“„«‘]|(?!{_REDUCED})'(?=\w)|[—–]\s?(?=\w))")
_SPEECH_ENDS = re.compile(r"[\"”»’'][^\"“”„«»‘]{0,80}$")
_HAS_SPEECH = re.compile(r"[\"“„«‘]")


def find_cues(book: Book, sentences: Sequence[Sentence]) -> Cues:
    """Return the cues before each sentence of a book, or of neighbouring sentences of it."""
    columns = {cue: np.zeros(len(sentences), np.float32) for cue in Cue}
    words = cue_words(book.language)
    blocks, text = book.blocks, book.text
    shortness = {number: _shortness(blocks[number]) for number in {one.block for one in sentences}}
    for i in range(1, len(sentences)):
        last, this = sentences[i - 1], sentences[i]
        opening = text[this.start : min(this.end, this.start + _OPENING)]
        for cue, strength in _sentence_cues(opening, words).items():
            columns[cue][i] = strength
        if last.block != this.block:
            before, after = blocks[last.block], blocks[this.block]
            for cue, strength in _block_cues(before, after, words).items():
                columns[cue][i] = strength
            columns[Cue.SHORT_PARAGRAPH][i] = (shortness[last.block] + shortness[this.block]) / 2
    return {cue: column for cue, column in columns.items() if column.any()}


_OPENING = 160
"""Characters of a sentence that are looked at: more than its first dozen words."""
_ENDING = 200
"""Characters of the text before a gap that are looked at."""
_LONGEST_PHRASE = 4
"""Words of the phrases that a sentence or a paragraph may begin with, at most."""


def _sentence_cues(text: str, words: CueWords | None) -> Mapping[Cue, float]:
    """Return the cues in a sentence's first words, wherever it stands."""
    if words is None:
        return {}
    first = _first_words(text, 12, words)
    if not first:
        return {}
    points_back = first[0] in words.openers and not is_impersonal(text, words)
    return {
        Cue.POINTS_BACK: points_back,
        Cue.REFERS_BACK: not points_back and not words.references.isdisjoint(first),
        Cue.OBJECTION: not words.objections.isdisjoint(first),
    }


def _block_cues(before: Block, after: Block, words: CueWords | None) -> Mapping[Cue, float]:
    """Return the cues between two blocks."""
    ending, opening = before.text[-_ENDING:], after.text[:_OPENING]
    speech_begins = _SPEECH_BEGINS.match(opening) is not None and not _is_open(before.text)
    after_speech = _HAS_SPEECH.search(before.text) is not None and _SPEECH_ENDS.search(ending) is not None
    quoted = after.kind in _QUOTED
    return {
        Cue.LEAD_IN: _LEADS.search(ending) is not None or _announces(ending, words),
        Cue.UNFINISHED: _is_unfinished(before, after, ending, opening),
        Cue.QUOTATION: quoted and before.kind not in _QUOTED,
        Cue.SAME_QUOTATION: quoted and before.kind in _QUOTED,
        Cue.LIST: after.kind in _LISTED,
        Cue.TURN: speech_begins and after_speech,
        Cue.SPEECH: speech_begins and not after_speech and (not quoted or before.kind in _QUOTED),
        Cue.QUESTION: _ASKS.search(ending) is not None,
        Cue.NEW_TIME: words is not None and _tells_time(opening, words),
        Cue.NEW_STEP: words is not None and _begins_step(opening, words),
    }


def _is_open(text: str) -> bool:
    """Return whether a quotation goes on in the next paragraph, which then begins with a mark as well."""
    if "“" in text or "”" in text:
        return text.count("“") > text.count("”")
    if "«" in text:
        return text.count("«") > text.count("»")
    return text.count('"') % 2 == 1


def _announces(ending: str, words: CueWords | None) -> bool:
    """Return whether the last sentence announces what follows it."""
    if words is None:
        return False
    sentence = re.split(r"[.!?]\s", ending.casefold())[-1]
    return _any_of(words.announcements).search(sentence) is not None


@cache
def _any_of(phrases: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(phrases))})\b")


def _is_unfinished(before: Block, after: Block, ending: str, opening: str) -> bool:
    opening = re.sub(rf"^\W*{_REDUCED}", "", opening)
    first = next((character for character in opening if character.isalnum()), "")
    if first.islower() and after.kind is BlockKind.PARAGRAPH:
        return True
    return before.kind in _PROSE and _ENDS.search(ending) is None


def _shortness(block: Block) -> float:
    """Return how short a paragraph is beside `SHORT` words, from 0 to 1, by the logarithm of its length."""
    return max(0.0, 1 - math.log1p(count_words(block.text)) / math.log1p(SHORT))


def is_impersonal(text: str, words: CueWords) -> bool:
    """Return whether a text begins with a pronoun that points at nothing: `it is`, `il y a`."""
    return _begins_with(_first_words(text, _LONGEST_PHRASE, words), words.impersonal)


def _tells_time(opening: str, words: CueWords) -> bool:
    """Return whether a paragraph begins with a time or date: `5th.—`, `The next day`, `In 1848`."""
    first = _first_words(opening, 6, words)
    if not first:
        return False
    if first[0] in words.times or _DAY.match(opening):
        return True
    return first[0] in words.time_openers and any(w in words.times or _YEAR.fullmatch(w) for w in first[1:])


_DAY = re.compile(r"\W*\d{1,2}(?:st|nd|rd|th|\.|er)?\W{0,4}[—–]|\W*\d{1,2}(?:st|nd|rd|th)\b")
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")


def _begins_step(opening: str, words: CueWords) -> bool:
    return _begins_with(_first_words(opening, _LONGEST_PHRASE, words), words.steps)


def _first_words(text: str, most: int, words: CueWords) -> list[str]:
    """Return the first words of a text as the lists have them: an elided word is a word of its own."""
    found = (word[0].casefold().replace("’", "'") for word in islice(_WORD.finditer(text), most))
    return [part for word in found for part in _elided(word, words)][:most]


def _elided(word: str, words: CueWords) -> tuple[str, ...]:
    """Return `l'année` as `l'` and `année`."""
    before, apostrophe, after = word.partition("'")
    return (before + apostrophe, after) if before + apostrophe in words.elisions else (word,)


def _begins_with(words: Sequence[str], phrases: frozenset[str]) -> bool:
    """Return whether the words begin with one of the phrases."""
    return any(" ".join(words[:n]) in phrases for n in range(1, _LONGEST_PHRASE + 1))
