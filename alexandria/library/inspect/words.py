"""Numbers, places and cuts in words, the same in every view."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from alexandria.book.model import Boundary, Chunk, count_words
from alexandria.book.words import count_of

if TYPE_CHECKING:
    from alexandria.library.inspect.figures import Fragment
    from alexandria.library.inspect.inspection import Inspection
    from alexandria.library.inspect.quality import Quality


def size_of(n_chunks: int, n_words: int) -> str:
    """Return the size of a book or chapter: `1 chunk, 1,200 words`."""
    return f"{count_of(n_chunks, 'chunk')}, {count_of(n_words, 'word')}"


def similarity_of(value: float | None) -> str:
    """Return a similarity with two decimals, `–` if there is none."""
    return "–" if value is None else f"{value:z.2f}"


def number_of(number: int | None) -> str:
    """Return a number, `–` if it is not known."""
    return "–" if number is None else f"{number:,}"


def mid_thought_of(quality: "Quality") -> str:
    """Return how many cuts begin mid-thought, with their share: `3 (30%)`; `–` if it is not known."""
    if quality.share_mid_thought is None:
        return "–"
    return f"{number_of(quality.n_mid_thought)} ({quality.share_mid_thought:.0%})"


def fragment_of(fragment: "Fragment") -> str:
    """Return where a fragment is and why: `chunk 12 has 4 words: all the text of its section`."""
    return f"chunk {fragment.chunk:,} has {count_of(fragment.words, 'word')}: {fragment.why}"


def comparison_with_margin_of(boundary: Boundary) -> str:
    """Return a cut's similarity and threshold, and by how much they differ: `0.10 < 0.55 by 0.45`."""
    similarity, threshold = boundary.similarity, boundary.threshold
    if threshold is None:
        return similarity_of(similarity)
    sign = "<" if similarity < threshold else "≥"
    return f"{similarity:z.2f} {sign} {threshold:.2f} by {abs(threshold - similarity):.2f}"


_OPENING_CHARACTERS = 40
"""How much of a sentence is shown, enough for a reader to find it."""


def kept_of(chunk: Chunk) -> str:
    """Return why a chunk was not cut at the place where it nearly was, and the words after that place.

    Empty if there is no such place.
    """
    if chunk.kept is None:
        return ""
    from alexandria.chunking import describe_kept_together

    sentence = chunk.kept.gap + 1 - chunk.first_sentence  # the one after the gap
    start = chunk.sentence_starts[sentence] - chunk.start
    return describe_kept_together(chunk.kept, opening_of(chunk.text[start:]))


_INNER_MARKS = str.maketrans("“”", "‘’")


def opening_of(text: str) -> str:
    """Return the first words of a text, enough to find the place."""
    words = text[:_OPENING_CHARACTERS].lstrip('“"«„').translate(_INNER_MARKS).split()
    return " ".join(words[:-1] or words)  # the last word may be incomplete


def beginning_of(text: str, n: int) -> str:
    """Return the first whole words of a text, `n` characters at most."""
    return text if len(text) <= n else text[: n + 1].rpartition(" ")[0] or text[:n]


def end_of(text: str, n: int) -> str:
    """Return the last whole words of a text, `n` characters at most."""
    return text if len(text) <= n else text[-n - 1 :].partition(" ")[2] or text[-n:]


def overlap_of(chunk: Chunk) -> str:
    """Return what a chunk repeats from the one before it, in words, or an empty string if nothing."""
    if chunk.overlap_before is None:
        return ""
    text = chunk.overlap_before.text
    return f"repeats {count_words(text)} words: “{' '.join(text.split())}”"


def topic_of(words: Iterable[str]) -> str:
    """Return the topic of a chunk or chapter: `topic: whale, Ahab`, or an empty string if it has none."""
    listed = ", ".join(words)
    return f"topic: {listed}" if listed else ""


def terms_of(boundary: Boundary) -> str:
    """Return every cost of a cut, such as `window 0.91, new time −1.50`; empty if none were weighed."""
    terms = boundary.balance.terms if boundary.balance else ()
    return ", ".join(f"{term.name.replace('_', ' ')} {cost_in_words(term.cost)}" for term in terms)


def cost_in_words(number: float) -> str:
    """Return a cost with two decimals and a true minus sign."""
    return f"{number:z.2f}".replace("-", "−")


def balance_of(boundary: Boundary) -> str:
    """Return the sum of a cut's costs, and its gain: `cost 2.31, gain 5.20`; empty if none were weighed."""
    balance = boundary.balance
    if balance is None:
        return ""
    gain = "one chunk would be too long" if balance.gain is None else f"gain {cost_in_words(balance.gain)}"
    return f"cost {cost_in_words(balance.cost)}, {gain}"


def pages_of(chunk: Chunk) -> str:
    """Return the pages of a chunk, in the file or as printed, or an empty string if none are known."""
    if chunk.page_start is None:
        return f"p. {chunk.page_label}" if chunk.page_label else ""
    if chunk.page_end in (None, chunk.page_start):
        return f"p. {chunk.page_start}"
    return f"pp. {chunk.page_start}–{chunk.page_end}"


def heading_of(headings: tuple[str, ...]) -> str:
    """Return a heading path on one line."""
    return " › ".join(headings) or "(no heading)"


class ShownSetting(NamedTuple):
    """A setting as the views show it."""

    name: str
    value: str
    origin: str
    """Where it was set, such as `shipped philosophy.yaml:3`."""


def strategy_options(inspection: "Inspection") -> list[ShownSetting]:
    """Return the strategy and each of its options that is set.

    Costs of cuts are left out if they are the default: there are many.
    """
    from alexandria.chunking.strategies.optimal import CUT_COSTS

    domain = inspection.domain
    values = {"strategy": domain.strategy.name}
    for option in fields(domain.strategy):
        value = getattr(domain.strategy, option.name)
        if value != option.default or option.name not in CUT_COSTS:
            values[option.name] = value
    return _with_origins(values, domain.origins)


def domain_settings(inspection: "Inspection") -> list[ShownSetting]:
    """Return every setting of the domain that is set."""
    domain = inspection.domain
    values = {name: value for name, value in domain.settings().items() if name != "domain"}
    if inspection.precision not in (None, domain.precision):  # which precision `auto` has chosen
        values["precision"] = f"{domain.precision}: {inspection.precision}"
    return _with_origins(values, domain.origins)


def _with_origins(values: Mapping[str, object], origins: Mapping[str, str]) -> list[ShownSetting]:
    """Return each setting that has a value, with its origin."""
    return [
        ShownSetting(name, str(value), origins.get(name, "the default"))
        for name, value in values.items()
        if value is not None
    ]
