"""Which language a text is in, by a vote of windows from all over it."""

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]  # it ships no types

_WINDOWS = 9  # odd, and enough that a preface, notes or quotations in another tongue are outvoted
_WINDOW_CHARACTERS = 1_000  # where the model no longer changes its mind on prose
_MIN_LETTERS = 60  # a line of print; on less the model guesses

# Croatian, Bosnian and Serbian share most letter groups that the model counts; these words they do not share.
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
    """Return the BCP 47 tag of a text's main language, or None: too little text, or no majority."""
    if sum(map(str.isalpha, text[: 4 * _WINDOW_CHARACTERS])) < _MIN_LETTERS:
        return None
    windows = _windows(text)
    votes = Counter(_identifier().classify(window)[0] for window in windows)
    kin = sum(votes[tag] for tag in _SOUTH_SLAVIC)
    if kin * 2 > len(windows):
        return _south_slavic("\n".join(windows), votes)
    tag, n = votes.most_common(1)[0]
    return str(tag) if n * 2 > len(windows) else None


@cache
def _identifier() -> "LanguageIdentifier":
    # Inside: the model loads in 0.4 s, and most books name their language.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


def _windows(text: str) -> list[str]:
    """Return up to `_WINDOWS` stretches, evenly spread; of a short text the whole."""
    if len(text) <= 2 * _WINDOW_CHARACTERS:
        return [text]
    n = min(_WINDOWS, len(text) // _WINDOW_CHARACTERS)
    step = (len(text) - _WINDOW_CHARACTERS) // (n - 1)
    return [text[i * step : i * step + _WINDOW_CHARACTERS] for i in range(n)]


def _south_slavic(text: str, votes: Counter[str]) -> str:
    if re.search(r"[а-шђјљњћџ]", text):
        return "sr"
    words = Counter(_WORD.findall(text.lower()))
    seen = {tag: sum(words[word] for word in known.split()) for tag, known in _SOUTH_SLAVIC.items()}
    return max(_SOUTH_SLAVIC, key=lambda tag: (seen[tag], votes[tag]))
