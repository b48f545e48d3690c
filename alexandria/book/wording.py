"""Numbers, places and cuts in words, the same in every view."""

from collections import Counter
from collections.abc import Iterable

from alexandria.book.model import Boundary, Chunk, LeftOut, count_words
from alexandria.book.words import count_of

_OPENING_CHARACTERS = 40  # of a sentence, enough for a reader to find it
_INNER_MARKS = str.maketrans("“”", "‘’")


def size_of(n_chunks: int, n_words: int) -> str:
    """Return the size of a book or chapter: `1 chunk, 1,200 words`."""
    return f"{count_of(n_chunks, 'chunk')}, {count_of(n_words, 'word')}"


def similarity_of(value: float | None) -> str:
    """Return a similarity with two decimals, `–` if there is none."""
    return "–" if value is None else f"{value:z.2f}"


def number_of(number: int | None) -> str:
    """Return a number, `–` if it is not known."""
    return "–" if number is None else f"{number:,}"


def comparison_with_margin_of(boundary: Boundary) -> str:
    """Return a cut's similarity and threshold, and by how much they differ: `0.10 < 0.55 by 0.45`."""
    similarity, threshold = boundary.similarity, boundary.threshold
    if threshold is None:
        return similarity_of(similarity)
    sign = "<" if similarity < threshold else "≥"
    return f"{similarity:z.2f} {sign} {threshold:.2f} by {abs(threshold - similarity):.2f}"


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


def words_left_out(parts: Iterable[LeftOut]) -> dict[str, int]:
    """Return how many words extraction left out, by kind as a reader calls it."""
    words: Counter[str] = Counter()
    for part in parts:
        words[part.name] += part.words
    return dict(words)


def duration(seconds: float, *, exact: bool = False) -> str:
    """Return a duration as `9 s`, `24 min 49 s` or `2 h 05 min`; below ten seconds as `4.8 s` if `exact`."""
    if exact and seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
