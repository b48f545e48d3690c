"""Sentence splitters of other packages, which the extra `sentences` installs, behind one signature."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from alexandria.errors import ConfigError

FindStarts = Callable[[str, str | None], list[int]]
"""Returns the offsets at which sentences after the first begin, given a text and its language (BCP 47)."""


def require_splitter(name: str) -> None:
    """Make sure that the package of a splitter is installed; our own splitters need none.

    Raises:
        ConfigError: the package is not installed.
    """
    if name in EXTRA_SPLITTERS and find_spec(name) is None:
        raise ConfigError(
            f"cannot split sentences with {name}",
            why="the package is not installed",
            fix="pip install 'alexandria-books[sentences]', or set `sentences: default`",
        )


def _split_with_nupunkt(text: str, language: str | None) -> list[int]:
    """Return where the sentences after the first begin, as the package nupunkt finds them."""
    from nupunkt import sent_spans

    return [start for start, _ in sent_spans(text)][1:]


def _split_with_sentencex(text: str, language: str | None) -> list[int]:
    """Return where the sentences after the first begin, as the package sentencex finds them."""
    from sentencex import get_sentence_boundaries

    primary = (language or "en").partition("-")[0]
    return [int(sentence["start_index"]) for sentence in get_sentence_boundaries(primary, text)][1:]


EXTRA_SPLITTERS: Mapping[str, FindStarts] = {
    "nupunkt": _split_with_nupunkt,
    "sentencex": _split_with_sentencex,
}
"""The splitters by name. nupunkt knows only English; sentencex has rules for many languages, and keeps
quotations whole."""
