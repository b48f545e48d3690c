"""Sentence splitters of other packages, which the extra `sentences` installs: where they would cut a text."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from alexandria.errors import ConfigError

Cuts = Callable[[str, str | None], list[int]]
"""From a text and its language to the offsets at which sentences after the first begin."""


def require_splitter(name: str) -> None:
    """Make sure that the package of a splitter is installed; our own need none.

    Raises:
        ConfigError: it is not.
    """
    if name in OTHERS and find_spec(name) is None:
        raise ConfigError(
            f"cannot split sentences by {name}",
            why="the package is not installed",
            fix="pip install 'alexandria-books[sentences]', or sentences: default",
        )


def _nupunkt(text: str, language: str | None) -> list[int]:
    from nupunkt import sent_spans

    return [start for start, _ in sent_spans(text)][1:]


def _sentencex(text: str, language: str | None) -> list[int]:
    from sentencex import get_sentence_boundaries

    primary = (language or "en").partition("-")[0]
    return [int(one["start_index"]) for one in get_sentence_boundaries(primary, text)][1:]


OTHERS: Mapping[str, Cuts] = {"nupunkt": _nupunkt, "sentencex": _sentencex}
"""nupunkt knows English alone; sentencex has rules for many languages, and keeps a quotation whole."""
