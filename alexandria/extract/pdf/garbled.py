"""Recognises a garbled text layer: fonts without a character map yield glyph numbers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

_NO_TEXT = frozenset(("Cc", "Cf", "Co", "Cn", "Cs"))
_SAMPLE = 20_000
"""Characters, evenly sampled: enough for stable shares."""
_ENOUGH = 200
"""Fewest letters for a meaningful share."""
_STRANGE = 0.05
"""Largest share of strange characters: books have up to 1 %, mathematics 2 %, garbled layers from 15 %."""
_VOWELS = (0.25, 0.62)
"""Plausible shares of the Latin letters: 36 % in Czech, 60 % in Hawaiian; in a shifted alphabet 20 %."""
_LATIN_VOWELS = frozenset("aeiouy")
_WORD = re.compile(r"[^\W\d_]{3,}")


def is_garbled(texts: Iterable[str]) -> bool:
    """Return whether these lines cannot be text in any language."""
    text = _sample(list(texts))
    visible = {character: n for character, n in Counter(text).items() if not character.isspace()}
    n_visible = sum(visible.values())
    if n_visible < _ENOUGH:
        return False
    strange = sum(n for character, n in visible.items() if _is_strange(character))
    if strange > _STRANGE * n_visible:
        return True
    return _has_odd_vowels(text)


def _sample(texts: Sequence[str]) -> str:
    step = max(1, sum(map(len, texts)) // _SAMPLE)
    # Whole lines, so that words stay intact.
    return "\n".join(texts[::step])


def _is_strange(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in _NO_TEXT


def _has_odd_vowels(text: str) -> bool:
    counts: Counter[str] = Counter()
    # Single letters are formulae.
    for character, n in Counter("".join(_WORD.findall(text.lower()))).items():
        base = unicodedata.normalize("NFD", character)[0]
        counts[base if "a" <= base <= "z" else "other"] += n
    other = counts.pop("other", 0)
    latin = counts.total()
    if latin < _ENOUGH or other > latin:
        return False
    share = sum(counts[vowel] for vowel in _LATIN_VOWELS) / latin
    return not _VOWELS[0] <= share <= _VOWELS[1]
