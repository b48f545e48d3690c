"""Words broken at the end of a line, mended by the book's own vocabulary."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from alexandria.extract.pdf.lines import Line

HYPHENS = ("-", "‐", "\u00ad")
"""What may stand at the end of a line inside a word."""
# Possessive: a word is taken whole or not at all.
_WORD = re.compile(r"[^\W\d_]++(?:['’\-‐][^\W\d_]++)*+")
_WHOLE_WORD = re.compile(r"[^\W\d_][\w'’\-]*+")
# What a line's end broke off comes with its hyphen and is never asked for; what follows it is left out.
_BROKEN_OFF = re.compile(r"([\-\u00ad]\n)[\w'’\-]+")
# The hyphen first: it is rare, and all that is looked for in most of the text.
_INNER_HYPHEN = re.compile(r"[\-‐](?<=[^\W\d_].)(?=[^\W\d_])")
_BROKEN = re.compile(r"([^\W\d_]+(?:['’\-‐][^\W\d_]+)*)([\-‐\u00ad])$")
_DASHES = ("—", "⸺", "⸻")
_DASHES_AND_HYPHENS = (*_DASHES, *HYPHENS, "–")
"""After one of these that no space precedes there is none behind it either."""
_SHORTEST = 3
"""Letters: shorter halves are words by chance."""


class Vocabulary:
    """The words that stand unbroken in a book, and the hyphens it uses."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.text = "\n".join(line.text for line in lines).lower()
        self.inner = frozenset(_INNER_HYPHEN.findall(self.text))
        """The hyphens that stand inside words inside lines."""
        self.final = frozenset(hyphen for hyphen in HYPHENS if f"{hyphen}\n" in self.text)
        """The hyphens that stand at the ends of lines."""

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word stands unbroken, in lower case; counted when first asked for."""
        return Counter(_WHOLE_WORD.findall(_BROKEN_OFF.sub(r"\1", self.text.replace("‐", "-"))))

    @cached_property
    def compounding(self) -> tuple[frozenset[str], frozenset[str]]:
        """What compounds begin with and what they end with, of those that stand unbroken."""
        compounds = [word.split("-") for word in self.words if "-" in word.rstrip("-")]
        return frozenset(parts[0] for parts in compounds), frozenset(parts[-1] for parts in compounds)

    def join(self, above: str, below: str) -> str:
        """Return the line above as it goes on into the line below: hyphen mended, or a space added."""
        broken = _BROKEN.search(above, above.rfind(" ") + 1) if above.endswith(HYPHENS) else None
        after = _WORD.match(below) if broken else None
        if not broken or not after:
            closed = above.endswith(_DASHES_AND_HYPHENS) and not above[-2:-1].isspace()
            return above if closed or below.startswith(_DASHES) else f"{above} "
        head, hyphen = broken.groups()
        if self._keeps(head.lower(), hyphen, after.group()):
            return above
        return above[: broken.end(1)]

    def join_initial(self, initial: str, below: str) -> str:
        """Return a drop cap as it goes on into its line: "I" + "t was" is one word, "I" + "am" are two."""
        after = _WORD.match(below)
        letter = _WORD.search(initial)
        if not after or not letter or after.group()[:1].isupper():
            return initial
        rest = after.group().lower()
        apart = self.words[rest] and self.words[letter.group().lower()]
        return f"{initial} " if apart and not self.words[letter.group().lower() + rest] else initial

    def _keeps(self, head: str, hyphen: str, tail: str) -> bool:
        """Whether the hyphen belongs to the word."""
        if hyphen == "\u00ad":
            return False
        if self.final - self.inner and self.inner:
            # The book tells its two hyphens apart: the one never found inside a line is the typesetter's.
            return hyphen in self.inner
        if tail[:1].isupper():
            return True
        tail = tail.lower()
        joined, compound = self.words[head + tail], self.words[f"{head}-{tail}"]
        if joined or compound:
            return compound > joined
        first, last = head.rpartition("-")[2], tail.partition("-")[0]
        if not all(len(half) >= _SHORTEST and self.words[half] > 0 for half in (first, last)):
            return False
        # "under-stands": halves that are words are a chance as often as a compound, unless the book uses
        # one of them for others. On hapaxes of 16 books this keeps 7 of 10 compounds, parts 2 of 10 words.
        begins, ends = self.compounding
        return first in begins or last in ends
