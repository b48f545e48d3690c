"""What the text around each gap tells a reader: that a thought goes on across it, or that a new one begins.

Each cue has a strength from 0 to 1 before each sentence; the strategy decides how much each cue counts.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Block, BlockKind, Book, Sentence, count_words
from alexandria.chunking.cues.surroundings import (
    marks_told_apart,
    new_names,
    speech_by_block,
    talk_after,
    turns_of_play,
)
from alexandria.chunking.cues.words import CueWords, cue_words


class Cue(StrEnum):
    """What ties the texts on both sides of a gap together, or sets them apart."""

    POINTS_BACK = "points_back"  # the sentence begins with a pronoun or a connective
    REFERS_BACK = "refers_back"
    """The sentence refers to what came before it, after its first word: `such a view`, `therefore`."""
    PRONOUNS = "pronouns"  # the sentence speaks of somebody by pronouns
    LEAD_IN = "lead_in"
    """The text before the gap announces what follows: it ends with a colon or a dash, or says so."""
    UNFINISHED = "unfinished"
    """The paragraph before the gap does not end as a sentence does, or the next one begins in lower case."""
    QUOTATION = "quotation"  # a quotation or verse begins, which the text before the gap introduces
    SAME_QUOTATION = "same_quotation"  # a quotation of several paragraphs goes on
    LIST = "list"
    """A list, a table, a caption or code goes on or begins; half as strong after a table or code."""
    TURN = "turn"  # speech answers speech
    SPEECH = "speech"  # speech begins after narration
    TALK = "talk"  # there is talk in the hundred words after the gap
    TALK_ENDS = "talk_ends"  # narration goes on where a talk is over
    REACTION = "reaction"  # narration tells how a speech was received
    QUESTION = "question"  # the text before the gap ends with a question
    SHORT_PARAGRAPH = "short_paragraph"
    """Short paragraphs on either side: announcements, exchanges, lines of an example."""
    NEW_TIME = "new_time"
    """A new time or date begins a new scene; half as strong where it only stands in the first words."""
    ARRIVAL = "arrival"  # somebody arrives or leaves in the sentence
    NEW_NAME = "new_name"  # names that were not in the few hundred words before


Cues = Mapping[Cue, NDArray[np.float32]]
"""The strength of each cue before each sentence, (n_sentences,), in [0, 1]; an absent cue is 0 everywhere."""

SENTENCE_CUES = frozenset({Cue.POINTS_BACK, Cue.REFERS_BACK, Cue.PRONOUNS, Cue.ARRIVAL})
"""The cues that depend on the sentence alone, not on the text before it."""


class DeferredCues(Mapping[Cue, NDArray[np.float32]]):
    """Cues that are found when first read, and only once: most strategies read none."""

    __slots__ = ("_cues",)

    def __init__(self, find: Callable[[], Cues]) -> None:
        self._cues = cache(find)

    def __getitem__(self, cue: Cue) -> NDArray[np.float32]:
        return self._cues()[cue]

    def __iter__(self) -> Iterator[Cue]:
        return iter(self._cues())

    def __len__(self) -> int:
        return len(self._cues())


_MIN_LONG_WORDS = 200  # from this many words on, a paragraph is not short at all

_LISTED = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.CODE, BlockKind.CAPTION})
_EXPLAINED = frozenset({BlockKind.TABLE, BlockKind.CODE})  # what the paragraph after it may explain
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE})
_QUOTED = frozenset({BlockKind.QUOTE, BlockKind.VERSE})
# Dutch reduced words, as in 's avonds and 't is: the apostrophe opens no speech, and a sentence may begin
# with such a word although it is in lower case.
_REDUCED = r"['’][st](?=\s)"
# A word, with what an apostrophe joins to it; a number.
_WORD = re.compile(rf"[^\W\d_]+(?:['’][^\W\d_]+)?|{_REDUCED}|\d+")
_ANY_WORD = re.compile(r"\w+(?:'\w+)*")
# Closing marks may follow the mark that ends a sentence.
_CLOSERS = r"[\s\"'”’»)\]_*]*$"
_SENTENCE_END = re.compile(rf"[.!?…。！？]{_CLOSERS}")
_LEAD_IN_END = re.compile(rf"[:,;—–-]{_CLOSERS}")
_QUESTION_END = re.compile(rf"[?？]{_CLOSERS}")
_SPEECH_BEGINS = re.compile(rf"[\[(_*]*(?:[\"“„«‘]|(?!{_REDUCED})'(?=\w)|[—–]\s?(?=\w))")
_SPEECH_ENDS = re.compile(r"[\"”»’'][^\"“”„«»‘]{0,80}$")
_HAS_SPEECH = re.compile(r"[\"“„«‘]")


def find_cues(book: Book, sentences: Sequence[Sentence]) -> Cues:
    """Return the strength of each cue in the gap before each sentence.

    The first sentence has none: there is no gap before it. Cues inside a paragraph are in the sentence
    itself; between paragraphs, both sides count.
    """
    strengths_of = {cue: np.zeros(len(sentences), np.float32) for cue in Cue}
    lexicon = cue_words(book.language)
    blocks, text = book.blocks, book.text
    numbers = {sentence.block for sentence in sentences}
    terms = find_terms(blocks)
    # A term is as long as its definition, with which it stays.
    shortness = {number: _shortness(blocks[number + (number in terms)]) for number in numbers}
    is_defining = False  # whether the sentence is part of a definition
    speech = speech_by_block(book, numbers)
    turns = turns_of_play(book, numbers)
    strengths_of[Cue.TALK][1:] = talk_after(book, sentences, speech)[1:]
    strengths_of[Cue.NEW_NAME][1:] = new_names(book, sentences)[1:]
    for i in range(1, len(sentences)):
        previous, this = sentences[i - 1], sentences[i]
        for cue, strength in _sentence_cues(text[this.start : this.end], lexicon).items():
            strengths_of[cue][i] = strength
        if previous.block != this.block:
            before, after = blocks[previous.block], blocks[this.block]
            is_defining = (is_defining or previous.block in terms) and before.kind is not BlockKind.HEADING
            for cue, strength in _block_cues(before, after, lexicon).items():
                strengths_of[cue][i] = max(strengths_of[cue][i], strength)
            if this.block in terms:
                strengths_of[Cue.LIST][i] = 0.0
            elif is_defining and after.kind in _QUOTED:
                strengths_of[Cue.LIST][i] = 1.0
            if turn := turns.get(this.block):
                strengths_of[Cue.TURN][i] = turn
            if speech[previous.block] and not speech[this.block]:
                strengths_of[Cue.TALK_ENDS][i] = count_words(after.text) >= _MIN_NARRATION_WORDS
            if speech[previous.block] and not _SPEECH_BEGINS.match(after.text):
                strengths_of[Cue.REACTION][i] = _tells_reaction(after.text[:_OPENING], lexicon)
            either = shortness[previous.block], shortness[this.block]
            # The longer of the two counts most.
            strengths_of[Cue.SHORT_PARAGRAPH][i] = (sum(either) / 2 + min(either)) / 2
    return {cue: strengths for cue, strengths in strengths_of.items() if strengths.any()}


def find_terms(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the numbers of the blocks that are terms, each before its definition, as in a dictionary."""
    # Unlike the items of other lists, a term has no mark at its end, and its definition has.
    return frozenset(
        number
        for number, (term, definition) in enumerate(pairwise(blocks))
        if term.kind is definition.kind is BlockKind.LIST_ITEM
        and count_words(term.text) <= _MAX_TERM_WORDS
        and _SENTENCE_END.search(term.text) is None
        and _SENTENCE_END.search(definition.text) is not None
    )


_MAX_TERM_WORDS = 6
_OPENING = 160  # characters at the start of a sentence in which cues are looked for: enough for a dozen words
_ENDING = 200  # characters before a gap in which cues are looked for
_SENTENCE_WORDS = 12  # words at the start of a sentence that may refer to the text before it, or be a time
_REACTION_WORDS = 14  # words at the start of a paragraph that may tell how a speech was received
_MIN_NARRATION_WORDS = 25
"""Words from which on a paragraph without speech is narration, not a remark between speeches."""
_MAX_PRONOUNS = 4  # pronouns in a sentence from which on there is no difference
_TIME_WORDS = 6  # words at the start of a paragraph that may be a time or date
_MAX_PHRASE_WORDS = 4  # words in the longest phrase that a sentence or paragraph may begin with


def _sentence_cues(text: str, lexicon: CueWords | None) -> Mapping[Cue, float]:
    """Return the cues in the first words of a sentence, wherever in its paragraph it is."""
    if lexicon is None:
        return {}
    first_words = _first_words(text[:_OPENING], _SENTENCE_WORDS, lexicon)
    all_words = _ANY_WORD.findall(text.casefold().replace("’", "'"))
    n_pronouns = sum(word in lexicon.pronouns for word in all_words)
    # By the first word (`But`): that counts more than one soon after it.
    opens = bool(first_words) and first_words[0] in lexicon.openers and not is_impersonal(text, lexicon)
    return {
        Cue.POINTS_BACK: opens,
        Cue.REFERS_BACK: not opens and any(word in lexicon.references for word in first_words),
        Cue.PRONOUNS: min(n_pronouns, _MAX_PRONOUNS) / _MAX_PRONOUNS,
        Cue.ARRIVAL: any(word in lexicon.arrivals for word in all_words),
        # In full only where a paragraph begins with the time: see `_block_cues`.
        Cue.NEW_TIME: 0.5 * any(word in lexicon.times for word in first_words),
    }


def _tells_reaction(opening: str, lexicon: CueWords | None) -> bool:
    """Return whether the first words of a paragraph tell how a speech was received."""
    if lexicon is None:
        return False
    return any(word.startswith(lexicon.reactions) for word in _first_words(opening, _REACTION_WORDS, lexicon))


def _block_cues(before: Block, after: Block, lexicon: CueWords | None) -> Mapping[Cue, float]:
    """Return the strengths of the cues between two paragraphs; a bool is 0 or 1."""
    text = marks_told_apart(before.text)
    ending, opening = text[-_ENDING:], after.text[:_OPENING]
    speech_begins = _SPEECH_BEGINS.match(opening) is not None and not _has_open_quotation(text)
    after_speech = _HAS_SPEECH.search(text) is not None and _SPEECH_ENDS.search(ending) is not None
    quoted = after.kind in _QUOTED
    return {
        Cue.LEAD_IN: _LEAD_IN_END.search(ending) is not None or _ends_with_announcement(ending, lexicon),
        Cue.UNFINISHED: _is_unfinished(before, after, ending, opening),
        Cue.QUOTATION: quoted and before.kind not in _QUOTED,
        Cue.SAME_QUOTATION: quoted and before.kind in _QUOTED,
        Cue.LIST: 1.0 if after.kind in _LISTED else 0.5 * (before.kind in _EXPLAINED),
        Cue.TURN: speech_begins and after_speech,
        Cue.SPEECH: speech_begins and not after_speech and (not quoted or before.kind in _QUOTED),
        Cue.QUESTION: _QUESTION_END.search(ending) is not None,
        Cue.NEW_TIME: lexicon is not None and _begins_with_time(opening, lexicon),
    }


def _has_open_quotation(text: str) -> bool:
    """Return whether a text ends inside a quotation; the next paragraph may then repeat its opening mark."""
    if "“" in text or "„" in text or "”" in text:
        return text.count("“") + text.count("„") > text.count("”")
    if "«" in text:
        return text.count("«") > text.count("»")
    return text.count('"') % 2 == 1


def _ends_with_announcement(ending: str, lexicon: CueWords | None) -> bool:
    """Return whether the last sentence announces what follows it."""
    if lexicon is None:
        return False
    sentence = re.split(r"[.!?]\s", ending.casefold())[-1]
    return _pattern_of(lexicon.announcements).search(sentence) is not None


@cache
def _pattern_of(phrases: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(phrases))})\b")


def _is_unfinished(before: Block, after: Block, ending: str, opening: str) -> bool:
    """Return whether a paragraph goes on in the next: it has no end mark, or the next is in lower case."""
    # `ending`: the last characters of `before`.
    # `opening`: the first characters of `after`.
    # A sentence may begin with a Dutch reduced word in lower case: 's Avonds, 't Is.
    without_reduced = re.sub(rf"^\W*{_REDUCED}", "", opening)
    first_character = next((character for character in without_reduced if character.isalnum()), "")
    if first_character.islower() and after.kind is BlockKind.PARAGRAPH:
        return True
    return before.kind in _PROSE and _SENTENCE_END.search(ending) is None


def _shortness(block: Block) -> float:
    """Return how short a paragraph is: 1 without words, 0 from `_MIN_LONG_WORDS` on, logarithmic between."""
    return max(0.0, 1 - math.log1p(count_words(block.text)) / math.log1p(_MIN_LONG_WORDS))


def is_impersonal(text: str, lexicon: CueWords) -> bool:
    """Return whether a text begins with a pronoun that points at nothing: `it is`, `il y a`."""
    return _begins_with(_first_words(text, _MAX_PHRASE_WORDS, lexicon), lexicon.impersonal)


def _begins_with_time(opening: str, lexicon: CueWords) -> bool:
    """Return whether a paragraph begins with a time or date: `5th.—`, `The next day`, `In 1848`."""
    words = _first_words(opening, _TIME_WORDS, lexicon)
    if not words:
        return False
    first, *others = words
    if first in lexicon.times or _DAY.match(opening):
        return True
    has_time = any(word in lexicon.times or _YEAR.fullmatch(word) for word in others)
    return first in lexicon.time_openers and has_time


_DAY = re.compile(r"\W*\d{1,2}(?:st|nd|rd|th|\.|er)?\W{0,4}[—–]|\W*\d{1,2}(?:st|nd|rd|th)\b")
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")


def _first_words(text: str, n_words: int, lexicon: CueWords) -> list[str]:
    """Return the first words of a text, spelt as in the lexicon: an elided word is a word of its own."""
    matches = islice(_WORD.finditer(text), n_words)
    words: list[str] = []
    for match in matches:
        word = match[0].casefold()
        if "'" in word or "’" in word:
            words += _split_elision(word.replace("’", "'"), lexicon)
        else:
            words.append(word)
    return words[:n_words]


def _split_elision(word: str, lexicon: CueWords) -> tuple[str, ...]:
    """Return the parts of an elision, `l'` and `année` for `l'année`; any other word is one part."""
    before, apostrophe, after = word.partition("'")
    elided = before + apostrophe
    return (elided, after) if elided in lexicon.elisions else (word,)


def _begins_with(words: Sequence[str], phrases: frozenset[str]) -> bool:
    return any(" ".join(words[:n]) in phrases for n in range(1, _MAX_PHRASE_WORDS + 1))
