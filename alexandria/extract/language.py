"""Detects the main language of a text: samples from all over the text vote.

The model is that of py3langid, mapped from an unpacked copy in the cache: to unpack it takes half a second.
"""

import re
from collections import Counter
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.extract.words import read_words
from alexandria.system.cache import languages_folder, write_entry

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]  # py3langid has no type hints

_WINDOWS = 9  # odd, and enough to outvote a preface, notes or quotations in another language
_WINDOW_CHARACTERS = 1_000  # with more, the model's answer on prose no longer changes
_MIN_LETTERS = 60  # a printed line; on less the model merely guesses

# Croatian, Bosnian and Serbian share most letter groups that the model counts, but not these words.
_SOUTH_SLAVIC = read_words("south_slavic")
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


def _sample_windows(text: str) -> list[str]:
    """Return up to `_WINDOWS` samples, evenly spread over the text; for a short text, the text itself."""
    if len(text) <= 2 * _WINDOW_CHARACTERS:
        return [text]
    n = min(_WINDOWS, len(text) // _WINDOW_CHARACTERS)
    step = (len(text) - _WINDOW_CHARACTERS) // (n - 1)
    return [text[i * step : i * step + _WINDOW_CHARACTERS] for i in range(n)]


def _distinguish_south_slavic(text: str, votes: Counter[str]) -> str:
    """Return `hr`, `bs` or `sr`."""
    # Cyrillic decides for Serbian; otherwise the words of `_SOUTH_SLAVIC` decide, and if they are equally
    # frequent, the votes of the model.
    if re.search(r"[а-шђјљњћџ]", text):
        return "sr"
    words = Counter(_WORD.findall(text.lower()))
    matches = {
        tag: sum(words[word] for word in own_words.split("|")) for tag, own_words in _SOUTH_SLAVIC.items()
    }
    return max(_SOUTH_SLAVIC, key=lambda tag: (matches[tag], votes[tag]))


def load_identifier() -> "LanguageIdentifier":
    """Return py3langid's identifier, which returns the language of a text, for all languages that it knows.

    The first process on a machine writes the unpacked model, 69 MB, to the cache, and the others map it into
    their memory. It is written again if a file is lost or cut short; where the cache cannot be written, each
    process unpacks the model.
    """
    import numpy as np
    import py3langid  # type: ignore[import-untyped]  # as above
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    folder = languages_folder() / f"py3langid-{py3langid.__version__}"
    with suppress(OSError, ValueError, EOFError):
        return _read(folder)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    arrays = {
        "ptc": identifier.nb_ptc,
        "pc": identifier.nb_pc,
        "classes": identifier.nb_classes,
        "nextmove": identifier.tk_nextmove,
        "row": identifier.tk_row,
        "output": np.array(identifier.tk_output, np.int32),
    }
    for name, array in arrays.items():
        write_entry(folder / f"{name}.npy", partial(np.save, arr=array))
    return identifier


_identifier = cache(load_identifier)  # called on first use: most books name their language


def _read(folder: Path) -> "LanguageIdentifier":
    """Return the identifier with the model in the files that `load_identifier` wrote."""
    import numpy as np
    from py3langid.langid import LanguageIdentifier

    names = ("ptc", "pc", "classes", "nextmove", "row", "output")
    ptc, pc, classes, nextmove, row, output = (np.load(folder / f"{name}.npy", "r") for name in names)
    # Memoryviews: like py3langid's own arrays, they yield Python's numbers, not NumPy's.
    return LanguageIdentifier(ptc, pc, classes.tolist(), nextmove.data, output.tolist(), tk_row=row.data)
