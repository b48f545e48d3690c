"""Detects the main language of a text: samples from all over the text vote."""

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]  # py3langid has no type hints

_WINDOWS = 9  # odd, and enough to outvote a preface, notes or quotations in another language
_WINDOW_CHARACTERS = 1_000  # with more, the model's answer on prose no longer changes
_MIN_LETTERS = 60  # a printed line; on less the model merely guesses

# Croatian, Bosnian and Serbian share most letter groups that the model counts, but not these words.
_SOUTH_SLAVIC = {
    "hr": (
        "tko što netko nešto također općenito točno tisuću tisuća tjedan vlak kruh povijest glazba zrak otok "
        "uopće kolovoza siječnja veljače ožujka travnja svibnja lipnja srpnja rujna listopada studenog"
    ),
    "bs": (
        "ko šta neko nešto također općenito tačno hiljadu hiljada sedmica sedmice voz hljeb historija kahva"
    ),
    "sr": (
        "ko šta neko nešto takođe tačno hiljadu hiljada nedelja voz hleb istorija vreme reka dete uvek "
        "gde lepo čovek pre posle ovde negde mesto devojka video hteo smeo"
    ),
}
_WORD = re.compile(r"\w+")


def detect_language(text: str) -> str | None:
    """Return the BCP 47 tag of a text's main language, or None for too little text, or without a majority."""
    if sum(map(str.isalpha, text[: 4 * _WINDOW_CHARACTERS])) < _MIN_LETTERS:
        return None
    windows = _sample_windows(text)
    votes: Counter[str] = Counter()
    for window in windows:
        tag = str(_identifier().classify(window)[0])
        votes[tag] += 1
        if votes[tag] * 2 > len(windows) and tag not in _SOUTH_SLAVIC:
            return tag  # the remaining windows cannot change the majority
    south_slavic = sum(votes[tag] for tag in _SOUTH_SLAVIC)
    if south_slavic * 2 > len(windows):
        return _distinguish_south_slavic("\n".join(windows), votes)
    return None


@cache
def _identifier() -> "LanguageIdentifier":
    """Return the model that identifies languages, loaded only once."""
    # Loaded on first use: most books name their language.
    from alexandria.extract.language_model import load_identifier

    return load_identifier()


def _sample_windows(text: str) -> list[str]:
    """Return up to `_WINDOWS` samples, evenly spread over the text; for a short text, the text itself."""
    if len(text) <= 2 * _WINDOW_CHARACTERS:
        return [text]
    n = min(_WINDOWS, len(text) // _WINDOW_CHARACTERS)
    step = (len(text) - _WINDOW_CHARACTERS) // (n - 1)
    return [text[i * step : i * step + _WINDOW_CHARACTERS] for i in range(n)]


def _distinguish_south_slavic(text: str, votes: Counter[str]) -> str:
    """Return `hr`, `bs` or `sr`.

    Cyrillic decides for Serbian; otherwise the words of `_SOUTH_SLAVIC` decide, and if they are equally
    frequent, the votes of the model.
    """
    if re.search(r"[а-шђјљњћџ]", text):
        return "sr"
    words = Counter(_WORD.findall(text.lower()))
    matches = {
        tag: sum(words[word] for word in own_words.split()) for tag, own_words in _SOUTH_SLAVIC.items()
    }
    return max(_SOUTH_SLAVIC, key=lambda tag: (matches[tag], votes[tag]))
