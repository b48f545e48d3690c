"""The known name that is nearest to a mistyped one, for the errors about names."""

import re
from collections.abc import Iterable

from alexandria.book.words import fold_text

_MIN_RATIO = 0.7  # how alike two names are at least, as `difflib` measures it


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `did you mean …?` with the known name nearest to a name, or empty if none is near.

    A name of several words is also known by each of them with the same initial: `darwn` is near to `Charles
    Darwin`. One of several words is also compared with as many words of another: `zu Huelsdorf`.
    """
    from difflib import get_close_matches

    names: dict[str, str] = {}
    n_words = len(name.split())
    initial, numbers = fold_text(name)[:1], {*re.findall(r"\d+", name)}
    for whole in known:
        folded = fold_text(whole)
        if not numbers.issubset(re.findall(r"\d+", folded)):
            continue  # Vol. 1 is not near to Vol. 10
        names.setdefault(folded, whole)
        words = folded.split() if n_words > 1 else []
        parts = [" ".join(words[first : first + n_words]) for first in range(len(words) - n_words + 1)]
        for word in [*re.findall(r"\w{4,}", folded), *parts]:
            if word and word[0] == initial:  # among the words of long headings, something is like anything
                names.setdefault(word, whole)
    close = get_close_matches(fold_text(name), names, n=1, cutoff=_MIN_RATIO)
    return f"did you mean {names[close[0]]}?" if close else ""
