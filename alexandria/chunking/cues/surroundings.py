"""Cues that reach further than the two texts at a gap: how much talk follows it, and who is new.

Reaches are in words or characters, whatever the sentences are.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book.languages import primary_language
from alexandria.book.model import Book, Sentence, count_words

_TALK_WORDS = 100  # words after a gap whose share of speech says whether a talk begins or goes on there
_NAME_REACH = 350  # characters after a gap in which a new name counts: some sixty words
_NAME_MEMORY = 1_750  # characters before a gap in which a name is not new: some three hundred words
_MAX_NAMES = 3  # new names from which on there is no difference
_NOUNS_IN_CAPITALS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital: there it says nothing about names."""

_IN_DOUBLE_MARKS = re.compile(r"[“„][^”]*|\"[^\"]*\"?|«[^»]*")
_IN_SINGLE_MARKS = re.compile(r"‘.*?(?:’(?!\w)|$)", re.DOTALL)
_SWAPPED_GUILLEMETS = str.maketrans("»«", "«»")
_DASH = re.compile(r"\W*[—–]\s?(?=\w)")
"""What begins a speech without quotation marks, as in French and Spanish."""
_WORD = re.compile(r"[^\W_]+")
_SPEAKER = re.compile(r"(?P<name>[^\W\d_][^\n.,:;!?]{0,40})(?P<end>\n|[.:]\s)")
"""Who speaks, at the start of a block: on a line of its own, before a colon, or before a full stop."""
_MAX_NAME_WORDS = 4
_MIN_SPEECHES = 4  # speeches of a speaker: fewer may be paragraphs that begin alike
_PLAY_TURN = 0.2  # strength of a turn between two speeches of a play
_MAX_DIRECTION_WORDS = 25  # words of a stage direction, which stands between speeches without a name


def speech_spans(text: str, *, single: bool) -> list[tuple[int, int]]:
    """Return the spans of a paragraph that are inside quotation marks.

    A mark that nothing closes reaches to the end; a paragraph that begins with a dash is speech as a whole.

    Args:
        single: whether speech is in single marks.
    """
    if _DASH.match(text):
        return [(0, len(text))]
    text = marks_told_apart(text)
    if -1 < text.find("»") < text.find("«"):
        text = text.translate(_SWAPPED_GUILLEMETS)  # »quotations« as German and Danish have them
    return [match.span() for match in (_IN_SINGLE_MARKS if single else _IN_DOUBLE_MARKS).finditer(text)]


def marks_told_apart(text: str) -> str:
    """Return a text of the same length in which German „quotations“ end with a mark that begins none."""
    return text.replace("“", "”") if "„" in text else text


def speech_by_block(book: Book, numbers: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """Return the spans inside quotation marks of some blocks of a book, by the block's number."""
    single, blocks = is_in_single_marks(book.text), book.blocks
    return {number: speech_spans(blocks[number].text, single=single) for number in numbers}


def turns_of_play(book: Book, numbers: Iterable[int]) -> dict[int, float]:
    """Return how much each block of a play, a chat or a deposition continues the one before, in [0, 1].

    In full after a stage direction; in part if another speaks, since a scene has nothing but turns. A
    direction itself begins something: somebody enters or leaves.

    Returns:
        The strength by the number of the block; other blocks have none.
    """
    order, blocks = sorted(numbers), book.blocks
    names = [speaker_of(blocks[number].text) for number in order]
    n_speeches = Counter(names)
    speakers = [name if n_speeches[name] >= _MIN_SPEECHES else "" for name in names]
    strengths: dict[int, float] = {}
    if not any(speakers):  # the usual case: no play
        return strengths
    for i, number in enumerate(order[1:], 1):
        before, this = speakers[i - 1], speakers[i]
        others = {*speakers[max(0, i - 2) : i + 3]} - {"", this or before}
        if before and this and before != this:
            strengths[number] = _PLAY_TURN
        elif not before and others:
            is_direction = count_words(blocks[order[i - 1]].text) <= _MAX_DIRECTION_WORDS
            strengths[number] = float(is_direction)
    return strengths


def speaker_of(text: str) -> str:
    """Return the name with which a speech begins, folded; empty if a block begins with none."""
    match = _SPEAKER.match(text)
    if match is None or not match["name"][0].isupper() or len(match["name"].split()) > _MAX_NAME_WORDS:
        return ""
    name = match["name"].strip()
    # Prose begins with words before full stops, and with initials; Q. and A. ask and answer.
    is_name = match["end"][0] != "." or (name.isupper() and (len(name) > 1 or name in "QA"))
    return name.casefold() if is_name else ""


def is_in_single_marks(text: str) -> bool:
    """Return whether a book's speech is in single quotation marks."""
    return text.count("‘") > 2 * text.count("“")


def talk_after(
    book: Book, sentences: Sequence[Sentence], speech: Mapping[int, Sequence[tuple[int, int]]]
) -> NDArray[np.float64]:
    """Return the share of speech in the hundred words after each gap, (n_sentences,), in [0, 1].

    Args:
        speech: the spans inside quotation marks of their blocks, as `speech_by_block` returns them.
    """
    blocks = book.blocks
    words, spoken = np.zeros((2, len(sentences)))
    block, spans = -1, list[tuple[int, int]]()
    for i, sentence in enumerate(sentences):
        words[i] = count_words(book.text[sentence.start : sentence.end])
        if sentence.block != block:
            block, start = sentence.block, blocks[sentence.block].start
            spans = [(start + first, start + end) for first, end in speech[block]]
        overlaps = (min(end, sentence.end) - max(first, sentence.start) for first, end in spans)
        n_spoken = sum(overlap for overlap in overlaps if overlap > 0)  # characters
        spoken[i] = words[i] * n_spoken / (sentence.end - sentence.start)
    # Words, and spoken words, before each sentence and before the end.
    words_before, spoken_before = (np.concatenate(([0.0], np.cumsum(counts))) for counts in (words, spoken))
    # All counted in words from the start: the gap, and the end of the hundred words after it.
    gaps = words_before[:-1]
    ends = np.minimum(gaps + _TALK_WORDS, words_before[-1])
    n_spoken_after = np.interp(ends, words_before, spoken_before) - spoken_before[:-1]
    return np.asarray(n_spoken_after / np.maximum(ends - gaps, 1.0), np.float64)


def new_names(book: Book, sentences: Sequence[Sentence]) -> NDArray[np.float64]:
    """Return how many names are new after each gap, as a share of three, (n_sentences,), in [0, 1].

    A name is a word that has a capital inside sentences, and is at most half as frequent in small letters. It
    is new if it stands shortly after the gap and not in the few hundred words before it.
    """
    strengths = np.zeros(len(sentences))
    if primary_language(book.language) in _NOUNS_IN_CAPITALS:
        return strengths
    offsets, last_seen = _name_places(book, sentences)
    for i, sentence in enumerate(sentences):
        first, stop = (bisect_left(offsets, sentence.start + reach) for reach in (0, _NAME_REACH))
        n_new = sum(last < sentence.start - _NAME_MEMORY for last in last_seen[first:stop])
        strengths[i] = min(n_new, _MAX_NAMES) / _MAX_NAMES
    return strengths


def _name_places(book: Book, sentences: Sequence[Sentence]) -> tuple[list[int], list[int]]:
    """Return where names stand in the book's text, ascending, and for each where the same name was before."""
    capitals = "".join(sorted(filter(str.isupper, set(book.text))))
    if not capitals:
        return [], []
    capitalised = [(match.start(), match[0]) for match in re.finditer(rf"\b[{capitals}][^\W_]+", book.text)]
    starts = [sentence.start for sentence in sentences]
    # An opening mark may stand before the first word of a sentence.
    inside = Counter(
        word for offset, word in capitalised if offset > starts[bisect_right(starts, offset) - 1] + 1
    )
    n_times = Counter(_WORD.findall(book.text))
    names = {word for word, n in inside.items() if 2 * n_times[word.lower()] <= n}
    offsets, last_seen = [], []
    seen: dict[str, int] = {}
    for offset, word in capitalised:
        if word in names:
            offsets.append(offset)
            last_seen.append(seen.get(word, -_NAME_MEMORY - 1))
            seen[word] = offset
    return offsets, last_seen
