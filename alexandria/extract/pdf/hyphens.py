"""Joins words that are broken at line ends, according to the book's own vocabulary."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from operator import itemgetter

from alexandria.extract.language import detect_language
from alexandria.extract.pdf.lines import Line
from alexandria.extract.words import read_words

HYPHENS = ("-", "‐", "\u00ad")  # characters that may break a word at the end of a line
# Possessive: a word matches as a whole or not at all.
_WORD = re.compile(r"[^\W\d_]++(?>(?:['’\-‐][^\W\d_]++)*)")
_UNBROKEN_WORD = re.compile(r"[^\W\d_][\w'’\-]*+")
# The first half of a broken word keeps its hyphen and is never looked up; the second half is left out.
_BROKEN_OFF = re.compile(r"([\-\u00ad]\n)[\w'’\-]+")
# Matches the hyphen before it looks around: hyphens are rare, and most of the text is skipped.
_INNER_HYPHEN = re.compile(r"[\-‐](?<=[^\W\d_].)(?=[^\W\d_])")
_BROKEN = re.compile(r"([^\W\d_]+(?:['’\-‐][^\W\d_]+)*)([\-‐\u00ad])$")
_DASHES = ("—", "⸺", "⸻")
UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60]")
"""A character of Chinese or Japanese, which have no spaces between words."""
_THAI_OR_LIKE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""A character of Thai, Lao, Burmese or Khmer, which have spaces between phrases."""
_HANGUL_BROKEN = re.compile(r"([가-힣]{1,4})\n([가-힣])")
_TAIL = 4  # characters at the end of a line that are looked at
_DASHES_AND_HYPHENS = (*_DASHES, *HYPHENS, "–")  # at a line end: without a space before, none follows
_COMPOUNDS = {name: re.compile(words) for name, words in read_words("compounds").items()}
"""By language, the compounds that keep their hyphen even if the book has them nowhere else; under `de and`,
words whose second half is left out, with the word that follows: "Vor- und"."""
_NEVER = re.compile(r"(?!)")
_MIN_SHARE = 0.1  # share of the broken lines that end with a hyphen which the book uses
_MIN_HALF = 3  # fewest letters of a half: shorter ones are words by chance


class Vocabulary:
    """The unbroken words of a book, and the hyphens it uses."""

    def __init__(self, lines: Iterable[Line], language: str | None = None) -> None:
        """Collect the words and hyphens of the book, by which words broken at line ends are recognised.

        Args:
            lines: all lines of the text.
            language: the tag that the book states; if it states none, it is detected when needed.
        """
        self._stated_language = language
        # Lowered line by line: most lines are ASCII, which takes a tenth of the time.
        self.text = "\n".join([line.text.lower() for line in lines])
        self.inner_hyphens = frozenset(_INNER_HYPHEN.findall(self.text))  # the hyphens in words inside lines
        counts = {hyphen: self.text.count(f"{hyphen}\n") for hyphen in HYPHENS}
        self.final_hyphens = frozenset(
            hyphen
            for hyphen, n in counts.items()
            if hyphen != "\u00ad" and n and n >= _MIN_SHARE * sum(counts.values())
        )
        """The hyphens used at line ends, but for those of few lines and soft ones, which only break words."""

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word occurs unbroken, in lower case; counted on first use."""
        text = _BROKEN_OFF.sub(itemgetter(1), self.text.replace("‐", "-"))
        return Counter(match[0] for match in _UNBROKEN_WORD.finditer(text))  # no list of all words

    @cached_property
    def compound_parts(self) -> tuple[frozenset[str], frozenset[str]]:
        """The first and the last parts of the unbroken compounds."""
        compounds = [word.split("-") for word in self.words if "-" in word.rstrip("-")]
        return frozenset(parts[0] for parts in compounds), frozenset(parts[-1] for parts in compounds)

    @cached_property
    def _language(self) -> str:
        return (self._stated_language or detect_language(self.text) or "").partition("-")[0].lower()

    def end_line(self, line: str, following: str) -> str:
        """Return a line with an end to which the following line can be appended.

        A hyphen that only breaks a word is removed. A space is added, except after a dash or a hyphen (unless
        it stands for the rest of a word: "Vor- und Nachteile"), in scripts without spaces and Korean words.
        """
        broken = _BROKEN.search(line, line.rfind(" ") + 1) if line.endswith(HYPHENS) else None
        tail = _WORD.match(following) if broken else None
        if not broken or not tail:
            ends_closed = line.endswith(_DASHES_AND_HYPHENS) and not line[-2:-1].isspace()
            has_none = not line.isascii() and self._has_no_space_between(line, following)
            needs_no_space = ends_closed or following.startswith(_DASHES) or has_none
            return line if needs_no_space else f"{line} "
        head, hyphen = broken.groups()
        if self._stands_for_a_word(head.lower(), tail.group()):
            return f"{line} "
        if self._belongs_to_word(head.lower(), hyphen, tail.group()):
            return line
        return line[: broken.end(1)]  # without the hyphen

    def _has_no_space_between(self, line: str, following: str) -> bool:
        """Return whether a line has no space at its end: in scripts without spaces, or inside a Korean word.

        Some Korean books break lines after any syllable, others at spaces.
        """
        if any(script.match(line[-1:]) and script.match(following) for script in (UNSPACED, _THAI_OR_LIKE)):
            return True
        broken = _HANGUL_BROKEN.search(f"{line[-_TAIL:]}\n{following[:1]}")
        return broken is not None and self._breaks_syllables and self._is_one(*broken.groups()) is not False

    def _is_one(self, head: str, tail: str) -> bool | None:
        """Return whether two Korean parts are of one word, as such syllables are in the lines of the book."""
        # None if it does not have them.
        for n in (2, 1):
            start = f" {head}"[-n:]
            begins_word = self._syllables[f" {tail}"] / max(self._syllables[" "], 1)
            n_joined, n_apart = self._syllables[start + tail], self._syllables[f"{start} "] * begins_word
            if n_joined != n_apart:
                return n_joined > n_apart
        return None

    @cached_property
    def _syllables(self) -> Counter[str]:
        """How often each of up to three successive characters are in the lines of a Korean book."""
        return Counter(self.text[i : i + n] for n in (1, 2, 3) for i in range(len(self.text)))

    @cached_property
    def _breaks_syllables(self) -> bool:
        """Whether more lines break inside Korean words than between them."""
        shown = Counter(self._is_one(*parts) for parts in _HANGUL_BROKEN.findall(self.text))
        return shown[True] > shown[False]

    def end_initial(self, initial: str, following: str) -> str:
        """Return a drop cap with an end to which its line can be appended: "I" + "t was", but "I " + "am".

        A space is added if the book has the letter and the line's first word as words, but not both as one.
        """
        word = _WORD.match(following)
        letter = _WORD.search(initial)
        if not word or not letter or word.group()[:1].isupper():
            return initial
        first, rest = letter.group().lower(), word.group().lower()
        are_two_words = self.words[rest] and self.words[first] and not self.words[first + rest]
        return f"{initial} " if are_two_words else initial

    def _belongs_to_word(self, head: str, hyphen: str, tail: str) -> bool:
        """Return whether the hyphen between the halves of a broken word belongs to the word: "well-known"."""
        # `head`: the first half, in lower case.
        # `tail`: the second half as printed.
        if hyphen == "\u00ad":
            return False
        if self.final_hyphens - self.inner_hyphens and self.inner_hyphens:
            # The book uses two hyphens: the one that never occurs inside a line is the typesetter's.
            return hyphen in self.inner_hyphens
        if tail[:1].isupper():
            return True
        tail = tail.lower()
        joined, compound = self.words[head + tail], self.words[f"{head}-{tail}"]
        if joined or compound:
            return compound > joined
        first, last = head.rpartition("-")[2], tail.partition("-")[0]
        known = _COMPOUNDS.get(self._language, _NEVER)
        if any(known.fullmatch(word.replace("’", "'")) for word in (f"{head}-{tail}", f"{first}-{last}")):
            return True
        if not all(len(half) >= _MIN_HALF and self.words[half] > 0 for half in (first, last)):
            return False
        # Two halves that are words are as often chance ("under-stands") as a compound, unless the book uses
        # one of them in other compounds. On words that occur once in 16 books, this keeps the hyphen in 7 of
        # 10 compounds, and wrongly in 2 of 10 other words.
        first_parts, last_parts = self.compound_parts
        return first in first_parts or last in last_parts

    def _stands_for_a_word(self, head: str, tail: str) -> bool:
        """Return whether the hyphen stands for the rest of a word: "Vor- und Nachteile"."""
        pattern = _COMPOUNDS.get(f"{self._language} and", _NEVER)
        return bool(pattern.fullmatch(f"{head}-{tail}")) and not self.words[head + tail]
