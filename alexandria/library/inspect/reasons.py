"""What a reader sees on both sides of a cut (`Sides`): words that end, begin, stay; signs; other places.

What is not certain is not said: the words of a side recur there, and the signs are in the text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import count, pairwise

from alexandria.book.model import Chunk, Reason
from alexandria.book.wording import beginning_of, opening_of
from alexandria.chunking import Strategy
from alexandria.chunking.cues.find import Cue
from alexandria.chunking.cues.surroundings import speaker_of
from alexandria.chunking.cues.words import CueWords, cue_words
from alexandria.chunking.explain import Sides, explain_boundary
from alexandria.store.sparse import UNSPACED, primary_subtag, term_id
from alexandria.store.topics import topics_of

# A word is named if it stands within so many words of the cut. It counts for half so many words away, and for
# half of that if so many others are more telling; it is named from some weight on.
_NEAR, _SOON, _TELLING, _MIN_WEIGHT, _MAX_WORDS, _CANDIDATES = 150, 60, 8, 0.6, 3, 40
_ROOT, _ENDING = 4, 2  # letters that forms of a word share at least, and by which sure ones differ at most
# Characters after a cut in which a name may be new, and a time opens the text; chunks before with that name.
_NAME_REACH, _TIME_REACH, _NAME_MEMORY = 350, 30, 3
_MIN_SPEECHES, _BLANK_LINE = 3, 2
# Two sentences are less similar than others by so much, as a reader may see; and a word that stands as a
# noun less often than this is none: `this something`.
_LESS_ALIKE, _NOUN_SHARE = 0.05, 0.15
_Key = int | None  # of a word, which all its forms share
_KeyOf = Callable[[str], _Key]
_WORD = re.compile(r"[^\W\d_]+")
# Chinese characters before a particle or a mark, not before the ending of a verb; or katakana.
_JAPANESE_NOUN = re.compile(
    r"[\u4e00-\u9fff]{2,}+(?=[はがをにのでともへや]|さん|[^\u3040-\u309f]|$)|[\u30a0-\u30ff]{3,}+"
)
_NOTHING = re.compile(r"(?!)")
_WHOLE_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TOKEN = re.compile(rf"{_WHOLE_WORD.pattern}|[^\w \t]")  # a word, a mark, or the end of a line
_CAPITALISED = r"[^\W\d_a-z][^\W\d_]+"
# A name inside a sentence; not half a compound, nor a book of the Bible with a number.
_NAME = re.compile(rf"(?<=[\w,;] )(?:{_CAPITALISED} )*{_CAPITALISED}\w\b(?!-|\.? \d)")
# A short paragraph that has no end mark.
_TERM = re.compile(r"(?=.{1,60}$)[^\W\d_][^\s“”„«»]*(?: [^\s“”„«»]+){0,5}(?<![.!?…:;,。！？])")
_MARK = re.compile(r"[\"“”„«»‘]")
_SPEECH = re.compile(r"[\"“„«»‘](?:[^\"“”„«»‘]{20,}|[^\"“”„«»‘]*[.,!?…—][\"“”’«»])")  # not a word or two


def reasons_of(
    chunks: Sequence[Chunk], similarities: Sequence[float], language: str | None, strategy: Strategy
) -> dict[int, str]:
    """Return why each chunk begins where it does, by its number; the first of the book has no reason.

    Args:
        chunks: of the whole book, in order.
        similarities: (n_sentences - 1,), the similarity across each gap.
        language: the book's, as a BCP 47 tag.
        strategy: the one that cut the book.
    """
    lexicon, spoken = cue_words(language), primary_subtag(language)
    key_of = cache(lambda word: term_id(word.casefold(), language))
    words = _TOKEN.findall("\n".join(chunk.text for chunk in chunks))
    articles = lexicon.articles & lexicon.time_openers if lexicon else ()
    known = {w.lower() for v, w in pairwise(words) if w.islower() or v.lower() in articles}
    before_nouns = lexicon.articles - lexicon.references if lexicon else ()  # not `this` in `this caused it`
    n_times, n_nouns = Counter(words), Counter(_nouns_in(words, before_nouns, key_of))
    # Where words are not spaced, what recurs may be a part of other words, but for some of Japanese.
    pattern = _JAPANESE_NOUN if spoken == "ja" else _NOTHING if spoken in UNSPACED else _WHOLE_WORD
    texts = [" ".join(pattern.findall(chunk.text)) if spoken in UNSPACED else chunk.text for chunk in chunks]
    candidates = topics_of(texts, None if spoken in UNSPACED else language, max_words=_CANDIDATES)
    topics = []
    for chunk, topic in zip(chunks, candidates, strict=True):
        nouns = [w for w in topic if not lexicon or n_nouns[w] >= max(1, _NOUN_SHARE * n_times[w])]
        names = [_whole(word, chunk.text) for word in nouns]
        # A name in a line of capitals, such as a heading, has stop words.
        topics.append([name for name in names if name and None not in map(key_of, name.split())])
    beginnings = [_beginnings(chunk.text) for chunk in chunks]
    words_of = [[pattern.findall(sentence.casefold()) for sentence in chunk.sentences] for chunk in chunks]
    reasons = {}
    for i, (before, after) in enumerate(pairwise(chunks)):
        sides = Sides(
            turn=_turn(
                chunks[i : i + 2], topics[i : i + 2], words_of[i : i + 2], beginnings[i : i + 2], key_of
            ),
            opening=_opening(chunks, i + 1),
            heading=after.headings[-1] if after.headings and after.headings != before.headings else "",
            signs=_signs_after(chunks[max(0, i + 1 - _NAME_MEMORY) : i + 2], similarities, lexicon, known),
            next_best=_next_best(similarities, before, after),
        )
        if after.boundary is not None:
            reasons[after.index] = explain_boundary(after.boundary, strategy, sides)
    return reasons


def _nouns_in(words: list[str], articles: Collection[str], key_of: _KeyOf) -> Iterator[str]:
    """Yield each word where it stands as a noun or name."""
    # A noun comes after an article and before a mark or a stop word; a name is capitalised inside a sentence.
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if before.casefold() in articles:
            if key_of(after) is None or not after[0].isalpha():
                yield word
        elif word[0].isupper() and before[0].isalpha():
            yield word


def _turn(
    chunks: Sequence[Chunk],
    topics: Sequence[Sequence[str]],
    words: Sequence[Sequence[Sequence[str]]],
    beginnings: Sequence[Collection[str]],
    key_of: _KeyOf,
) -> list[tuple[str, ...]]:
    """Return the words that are left at a cut, those that are new, and those that stay; the nearest first."""
    # `chunks`: the chunk before the cut, and the one after it.
    # `topics`: the words that each may be about, the most telling first.
    # `words`: of each, in lower case, sentence by sentence.
    # `beginnings`: of the words of each, see `_beginnings`.
    before = _worth(topics[0], [sentence[::-1] for sentence in words[0][::-1]], key_of)
    after = _worth(topics[1], words[1], key_of)
    turn = [
        [word for word in before if word not in chunks[1].text and not _is_akin(word, beginnings[1])],
        [word for word in after if word not in chunks[0].text and not _is_akin(word, beginnings[0])],
        sorted(before.keys() & after.keys(), key=lambda word: -min(before[word], after[word])),
    ]
    return [tuple(f"“{word}”" for word in words[:_MAX_WORDS]) for words in turn]


def _worth(topic: Sequence[str], sentences: Sequence[Sequence[str]], key_of: _KeyOf) -> dict[str, float]:
    """Return what it is worth to name each word that recurs near a cut, the most first.

    Args:
        topic: the words that the chunk may be about, the most telling first.
        sentences: of the chunk as words in lower case, away from the cut.
    """
    # Of each key: where a form of it stands, with its sentence and its distance from the cut in words.
    places = defaultdict[_Key, list[tuple[str, int, int]]](list)
    distances = count()
    for n, sentence in enumerate(sentences):
        for form in sentence:
            places[key_of(form)].append((form, n, next(distances)))
    worth = {}
    for rank, name in enumerate(topic):
        word = name.casefold().split()[-1]
        # Surely the same word in other forms: not `natural` for `nature`, nor `nationality` for `national`.
        found = [
            (n, distance)
            for form, n, distance in places[key_of(word)]
            if (form.startswith(word) or word.startswith(form)) and abs(len(form) - len(word)) <= _ENDING
        ]
        weight = sum(1 / (1 + distance / _SOON) for _, distance in found)
        if weight >= _MIN_WEIGHT and min(found)[1] < _NEAR and len({n for n, _ in found}) > 1:
            worth[name] = weight / (1 + rank / _TELLING)
    return dict(sorted(worth.items(), key=lambda item: -item[1]))


def _beginnings(text: str) -> set[str]:
    """Return each word of a text, whole and from its first four letters on."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return {word[:n] for word in words for n in range(min(_ROOT, len(word)), len(word) + 1)}


def _is_akin(name: str, beginnings: Collection[str]) -> bool:
    """Return whether a text may have a word in another form, as `grown` of `growth`; better too often."""
    return any(word[: max(_ROOT, len(word) - _ENDING)] in beginnings for word in name.casefold().split())


def _whole(word: str, text: str) -> str:
    """Return the name that a word is part of wherever it stands, such as `New South Wales` for `Wales`."""
    # Empty if it is part of several names and never stands alone, or of one that stands only once.
    if word.islower():
        return word
    names = set(re.findall(rf"(?:(?<![.!?:] ){_CAPITALISED} )*\b{word}\b(?: {_CAPITALISED})*", text))
    whole = max(names, key=len, default=word)
    if word in names:
        return word
    return whole if text.count(whole) > 1 and all(name in whole for name in names) else ""


def _opening(chunks: Sequence[Chunk], i: int) -> str:
    """Return with what chunk i begins: a term, a speech of a play, a paragraph, lines, or a sentence."""
    text = chunks[i].text
    if chunks[i].start - chunks[i - 1].end < _BLANK_LINE:
        return "a new sentence"
    if _TERM.fullmatch(first := text.partition("\n\n")[0]):
        return f"“{first}” begins"
    paragraphs = "\n\n".join(chunk.text for chunk in chunks[max(0, i - 2) : i + 2]).split("\n\n")
    if (name := speaker_of(text)) and [*map(speaker_of, paragraphs)].count(name) >= _MIN_SPEECHES:
        return f"a speech of {text[: len(name)]}"
    return "new lines" if "\n" in first else "a new paragraph"


def _signs_after(
    chunks: Sequence[Chunk], similarities: Sequence[float], lexicon: CueWords | None, words: Collection[str]
) -> Mapping[str, Sequence[str]]:
    """Return what shows the cues of the cut before the last chunk, by the cue's name: words, numbers."""
    # A cue with nothing is not certain enough to be said. `words` are those of the book that are no names.
    *before, chunk = chunks
    text, opening, text_before = chunk.text, chunk.sentences[0], "\n\n".join(c.text for c in before)
    signs = {name: list[str]() for name in (*Cue, "new_subject", "window")}
    signs["new_name"] = [
        f"“{name}”"
        for name in _NAME.findall(beginning_of(text, _NAME_REACH))
        if not any(part in text_before or part.lower() in words for part in name.split())
        and (name in opening or text.count(name) > 1)
    ]
    # `may` and `march` are months only with a capital.
    times = lexicon.times - {"may", "march"} | {"May", "March"} if lexicon else frozenset[str]()
    signs["new_time"] = [f"“{w}”" for w in _TOKEN.findall(opening[:_TIME_REACH]) if times & {w, w.lower()}]
    if _SPEECH.search(text_before.rpartition("\n\n")[2]) and not _MARK.search(text.partition("\n\n")[0]):
        del signs["talk_ends"]
    inside = before[-1].avg_similarity, chunk.avg_similarity
    here = similarities[chunk.first_sentence - 1]
    if here <= min(inside) - _LESS_ALIKE:
        signs["window"] = [f"{here:z.2f} against {inside[0]:z.2f} and {inside[1]:z.2f}"]
    return signs


def _next_best(similarities: Sequence[float], before: Chunk, after: Chunk) -> str:
    """Return where else two chunks could best be cut; without costs, where sentences are least similar."""
    boundary = after.boundary
    if boundary is None or boundary.reason is Reason.SECTION:
        return ""
    if boundary.balance is not None:
        best = boundary.balance.next_best
        return "" if best is None else _place(best.gap + 1, before, after)
    first, stop = before.first_sentence, after.first_sentence + after.n_sentences - 1
    gaps = [gap for gap in range(first, stop) if gap != boundary.gap]
    if not gaps or not any(similarities):
        return ""
    least = min(gaps, key=similarities.__getitem__)
    place = _place(least + 1, before, after)
    return f"Least similar elsewhere in the two chunks ({similarities[least]:z.2f}): {place}"


def _place(sentence: int, before: Chunk, after: Chunk) -> str:
    """Return the place before a sentence of two chunks, by its first words."""
    chunk = before if sentence < after.first_sentence else after
    start = chunk.sentence_starts[sentence - chunk.first_sentence] - chunk.start
    inside = "" if chunk.text[:start].endswith("\n\n") else "inside a paragraph, "
    return f"{inside}before “{opening_of(chunk.text[start:])} …”"
