"""Recognises a garbled text layer: fonts without a character map yield numbers of glyphs, not letters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from alexandria.extract.pdf.lines import Page

_SAMPLE = 20_000
"""Characters, evenly sampled: enough for stable shares."""
_MIN_LETTERS = 200
"""Fewest characters for a meaningful share."""
_MAX_STRANGE_SHARE = 0.05
"""Largest share of strange characters: books have up to 1 %, mathematics 2 %, garbled layers from 15 %."""
_MIN_VOWEL_SHARE = 0.25
"""Smallest plausible share of vowels among Latin letters: Czech has 36 %, shifted letters have 20 %."""
_MAX_VOWEL_SHARE = 0.62
"""Largest plausible share of vowels among Latin letters: Hawaiian has 60 %."""
_LATIN_VOWELS = frozenset("aeiouy")
_STRANGE = re.compile("[\0-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
_MIN_STRANGE_SHARE = 0.01
"""Smallest share of these characters on a garbled page: its spaces are among them."""
_WORD = re.compile(r"[^\W\d_]{3,}")


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


def without_garbled(pages: Sequence[Page]) -> list[Page]:
    """Return the pages of a book; those that are garbled, if others are not, have no lines and are unread."""
    garbled = set[int]()
    for page in pages:
        text = "\n".join(line.text for line in page.lines)
        if len(_STRANGE.findall(text)) > _MIN_STRANGE_SHARE * len(text) and is_garbled([text]):
            garbled.add(page.index)
    if all(page.index in garbled or not page.lines for page in pages):
        return [*pages]
    return [replace(page, lines=(), unread=True) if page.index in garbled else page for page in pages]


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
