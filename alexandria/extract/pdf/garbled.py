"""Recognises a garbled text layer: fonts without a character map yield numbers of glyphs, not letters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from alexandria.book.words import MARKS
from alexandria.extract.language import detect_language
from alexandria.extract.pdf.lines import Page
from alexandria.extract.recogniser import recogniser

_SAMPLE = 20_000  # characters, evenly sampled: enough for stable shares
_MIN_LETTERS = 200  # fewest characters for a meaningful share
_MAX_STRANGE_SHARE = 0.05  # largest share of strange characters: mathematics has 2 %, a garbled layer 15 %
_MIN_VOWEL_SHARE = 0.25  # smallest share of vowels among Latin letters: Czech has 36 %, shifted ones 20 %
_MAX_VOWEL_SHARE = 0.62  # largest plausible share of vowels among Latin letters: Hawaiian has 60 %
_LATIN_VOWELS = frozenset("aeiouy")
_STRANGE = re.compile("[\0-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
_MIN_STRANGE_SHARE = 0.01  # smallest share of these characters on a garbled page: its spaces are among them
_WORD = re.compile(r"[^\W\d_]{3,}")
_OUTER = "\"'“”‘’«»‹›()[]{}.,;:!?¿¡-–—…*†‡§&"  # what may be before or after a word, or stand alone
_SOUND = re.compile(
    r"(?!(?=[^\W_]*[a-zа-я][A-ZА-Я])(?!Mac|[A-Z][a-z]?[A-Z]))(?!(?i:[b-df-hj-np-tv-xz]){4,}$(?<=[a-z]))"
    rf"(?:[^\W\d_][{MARKS}\u200c\u200d]*|(?<=\w)[-‐'’./](?=\w))+|\d[\d.,:/–-]*(?:[^\W\d_]{{1,3}})?|[^\W\d_]{{1,3}}\d+"
)  # a word, or a number: no sign or digit is inside it, nor a capital, and four consonants are none
_MIN_WORDS = 50
_MAX_ODD_SHARE = (
    0.15  # largest share of words that are none: recognised prose has 0.11, wrong by a third 0.18
)
_MIN_LEARNT = 10_000  # fewest words of a book from which it is known which are new
_MAX_NEW_SHARE = 0.3  # share of words on no other page: English has 0.2, Finnish 0.35, wrong by a third 0.45
_NO_LANGUAGE = (None, "zxx")


def is_garbled(texts: Iterable[str]) -> bool:
    """Return whether these lines cannot be text in any language."""
    text = _sample(list(texts))
    visible = Counter("".join(text.split()))
    n_visible = visible.total()
    if n_visible < _MIN_LETTERS:
        return False
    n_strange = sum(n for character, n in visible.items() if not character.isprintable()) + visible["\ufffd"]
    if n_strange > _MAX_STRANGE_SHARE * n_visible:
        return True
    return _has_odd_vowels(text)


def without_garbled(pages: Sequence[Page], *, also_all: bool = False) -> list[Page]:
    """Return the pages of a book; those that are garbled, if others are not, have no lines and are unread.

    With `also_all`, so are those of a book that is garbled throughout.
    """
    garbled = set[int]()
    for page in pages:
        text = "\n".join(line.text for line in page.lines)
        if len(_STRANGE.findall(text)) > _MIN_STRANGE_SHARE * len(text) and is_garbled([text]):
            garbled.add(page.index)
    if not also_all and all(page.index in garbled or not page.lines for page in pages):
        return [*pages]
    return [replace(page, lines=(), unread=True) if page.index in garbled else page for page in pages]


class LayerJudge:
    """Tells how wrong the text layers of a book are, page by page."""

    def __init__(self, pages: Iterable[Page], languages: Collection[str] = ()) -> None:
        """Learn the words of the book.

        Args:
            pages: its pages.
            languages: the languages that it may have, as tesseract names them; by default, any.
        """
        self._languages = languages
        self._texts = {page.index: "\n".join(line.text for line in page.lines) for page in pages}
        found = [_WORD.findall(text.lower()) for text in self._texts.values()]
        n_pages = Counter(word for words in found for word in set(words))
        is_long = sum(map(len, found)) >= _MIN_LEARNT
        self._known = {word for word, n in n_pages.items() if n > 1} if is_long else set[str]()

    def is_poor(self, page: Page) -> bool:
        """Return whether a page is worse than none: about a third of its words are wrong."""
        return page.text_layer and self._badness(self._texts[page.index]) > _MAX_ODD_SHARE

    def prefers(self, text: str, page: Page) -> bool:
        """Return whether another reading of a page is better than its own."""
        return self._badness(text) < self._badness(self._texts[page.index])

    def _badness(self, text: str) -> float:
        """Return the share of words that are none, or are new though few are, and 1 more without a language.

        If the text is short, nothing is known against it.
        """
        cores = [core for word in text.split() if (core := word.strip(_OUTER))]
        if len(cores) < _MIN_WORDS:
            return 0.0
        tag = detect_language(text)
        is_strange = tag in _NO_LANGUAGE or (
            bool(self._languages) and recogniser().code_of(str(tag)) not in self._languages
        )
        odd = sum(_SOUND.fullmatch(core) is None for core in cores) / len(cores)
        words = _WORD.findall(text.lower()) if self._known else []
        new = sum(word not in self._known for word in words) / max(len(words), 1)
        return is_strange + max(odd, new - _MAX_NEW_SHARE)


def _sample(texts: Sequence[str]) -> str:
    """Return every n-th line, about `_SAMPLE` characters in all."""
    step = max(1, sum(map(len, texts)) // _SAMPLE)
    # Whole lines, so that words stay intact.
    return "\n".join(texts[::step])


def _has_odd_vowels(text: str) -> bool:
    """Return whether a text in Latin script has implausibly few or many vowels."""
    counts: Counter[str] = Counter()
    # Words of three letters and more: single letters are parts of formulae.
    for character, n in Counter("".join(_WORD.findall(text.lower()))).items():
        base = unicodedata.normalize("NFD", character)[0]
        counts[base if "a" <= base <= "z" else "other"] += n
    other = counts.pop("other", 0)
    latin = counts.total()
    if latin < _MIN_LETTERS or other > latin:
        return False
    share = sum(counts[vowel] for vowel in _LATIN_VOWELS) / latin
    return not _MIN_VOWEL_SHARE <= share <= _MAX_VOWEL_SHARE
