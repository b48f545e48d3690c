"""Why each cut of a book is where it is, for a reader: from what to what, the reason, the next best place."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise

from alexandria.book import Chunk, Reason
from alexandria.chunking.cue_words import cue_words
from alexandria.chunking.cues import Cue, words_of_cues
from alexandria.chunking.explain import Sides, distance_in_words, explain_boundary
from alexandria.inspection.inspection import Inspection, sentences_of
from alexandria.inspection.words import beginning_of, end_of, opening_of
from alexandria.passages.topics import topics_of
from alexandria.store.sparse import term_id

_REACH = (
    600  # characters on each side of a cut from which its words are taken: what a reader sees at a glance
)
_NAME_REACH, _NAME_MEMORY = 350, 1_750  # characters after a cut in which names may be new, and before it
_MAX_WORDS, _MAX_SHARED, _CANDIDATES = 3, 2, 20
_KeyOf = Callable[[str], int | None]
_NOUN_SHARE = 0.2  # a word that stands as a noun less often than this is none: `this something`
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w \t]")  # a word, a mark, or the end of a line
_NAME = re.compile(r"(?<=\w )[^\W\d_a-z][^\W\d_]{2,}")  # capitalised inside a sentence


def reasons_of(inspection: Inspection) -> dict[int, str]:
    """Return why each chunk begins where it does, by its number; the first of the book has no reason."""
    chunks, language = inspection.chunks, inspection.language
    ends = [end_of(chunk.text, _REACH) for chunk in chunks[:-1]]
    edges = [*ends, *(beginning_of(chunk.text, _REACH) for chunk in chunks[1:])]
    key_of = cache(lambda word: term_id(word.casefold(), language))
    nouns = _nouns_of(edges, language, key_of)
    words_of = [set(map(key_of, _TOKEN.findall(edge))) for edge in edges]
    topics = [
        {key_of(word): word for word in topic if nouns is None or word in nouns}
        for topic in topics_of(edges, language, max_words=_CANDIDATES)
    ]
    reasons = {}
    for i, (before, after) in enumerate(pairwise(chunks)):
        end, beginning = topics[i], topics[len(ends) + i]
        shared = [word for key, word in end.items() if key in beginning]
        sides = Sides(
            before=_telling(end, words_of[len(ends) + i], before),
            after=_telling(beginning, words_of[i], after),
            shared=tuple(shared[:_MAX_SHARED]),
            heading=after.headings[-1] if after.headings and after.headings != before.headings else "",
            signs=_signs_after(chunks, i + 1, language),
            next_best=_next_best(inspection, before, after),
        )
        if after.boundary is not None:
            reasons[after.index] = explain_boundary(after.boundary, inspection.domain.strategy, sides)
    return reasons


def _telling(topic: Mapping[int | None, str], other: Collection[int | None], chunk: Chunk) -> tuple[str, ...]:
    """Return the words of one side that the other has not, those of the topic of its whole chunk first."""
    words = [word for key, word in topic.items() if key not in other]
    return tuple(sorted(words, key=lambda word: word not in chunk.topic)[:_MAX_WORDS])


def _nouns_of(texts: Sequence[str], language: str | None, key_of: _KeyOf) -> set[str] | None:
    """Return the words that stand as nouns or names; None in a language whose articles are not known.

    A noun comes after an article and before a mark or a stop word; a name is capitalised inside a sentence.
    """
    lexicon = cue_words(language)
    if lexicon is None or not lexicon.articles:
        return None
    n_nouns: Counter[str] = Counter()
    n_times: Counter[str] = Counter()
    for tokens in map(_TOKEN.findall, texts):
        n_times.update(tokens)
        for before, word, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if before.casefold() in lexicon.articles:
                n_nouns[word] += not after[0].isalpha() or key_of(after) is None
            else:
                n_nouns[word] += word[0].isupper() and before[0].isalpha()
    return {word for word, n in n_nouns.items() if n >= _NOUN_SHARE * n_times[word]}


def _signs_after(chunks: Sequence[Chunk], i: int, language: str | None) -> Mapping[str, Sequence[str]]:
    """Return the words by which cues are recognised after the cut before chunk i, by the cue's name."""
    lexicon, sentence = cue_words(language), sentences_of(chunks[i])[0]
    before = "".join(chunk.text for chunk in chunks[max(0, i - 3) : i])[-_NAME_MEMORY:]
    after = chunks[i].text[:_NAME_REACH]
    found = {} if lexicon is None else words_of_cues(sentence, lexicon)
    # A word that is also there in small letters begins a sentence, or what a speaker of a play says.
    others = {word for word in _TOKEN.findall(before + after) if word.islower()}
    found[Cue.NEW_NAME] = [w for w in _NAME.findall(after) if w not in before and w.lower() not in others]
    # Two words are months only with a capital. A date may be a number in the first words.
    times = [w for w in found.get(Cue.NEW_TIME, ()) if w not in ("may", "march") or w.title() in sentence]
    found[Cue.NEW_TIME] = times or re.findall(r"\d+\w*", sentence[:40])
    printed = {word.casefold(): word for word in _TOKEN.findall(sentence)}
    return {cue.value: [printed.get(word, word) for word in words] for cue, words in found.items()}


def _next_best(inspection: Inspection, before: Chunk, after: Chunk) -> str:
    """Return where else two chunks could best be cut; without costs, where sentences are least similar."""
    boundary, similarities = after.boundary, inspection.similarities
    if boundary is None or boundary.reason is Reason.SECTION:
        return ""
    if boundary.balance is not None:
        best = boundary.balance.next_best
        return "" if best is None else _place(best.gap + 1, before, after)
    first, stop = before.first_sentence, after.first_sentence + after.n_sentences - 1
    gaps = [gap for gap in range(first, stop) if gap != boundary.gap]
    if not gaps or not inspection.has_similarities:
        return ""
    least = min(gaps, key=similarities.__getitem__)
    place = f"{distance_in_words(least - boundary.gap)}, {_place(least + 1, before, after)}"
    return f"Least similar elsewhere in the two chunks ({similarities[least]:z.2f}): {place}"


def _place(sentence: int, before: Chunk, after: Chunk) -> str:
    """Return the place before a sentence of two chunks, by its first words."""
    chunk = before if sentence < after.first_sentence else after
    start = chunk.sentence_starts[sentence - chunk.first_sentence] - chunk.start
    inside = "" if chunk.text[:start].endswith("\n\n") else "inside a paragraph, "
    return f"{inside}before “{opening_of(chunk.text[start:])} …”"
