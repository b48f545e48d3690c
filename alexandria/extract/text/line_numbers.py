"""Removes the numbers of lines that stand at the beginning of each line, as in the transcripts of courts."""

import re
from statistics import median
from textwrap import dedent

from alexandria.extract.text.speeches import speech_starts

_NUMBERED = re.compile(r" {0,8}(\d{1,4})(?:( .*)|$)")
_MIN_NUMBERS = 8
"""Fewest numbers: a list may have a few items of one line."""
_MIN_SHARE = 0.75
"""Share of the lines that have a number; the heads of pages have none."""
_MIN_IN_SENTENCE = 0.2
"""Share of the numbered lines that begin with a small letter: items and verses begin with capitals."""
_MAX_LENGTH = 90
"""Characters of a usual line that is numbered; verses of the Bible and items, one a line, may be longer."""


def without_line_numbers(text: str) -> tuple[str, int]:
    """Return a text without the numbers of its lines, and how many they are; 0 if its lines have none.

    They count from line to line, and may begin again at 1 on each page. The lines are wrapped prose, or
    speeches.
    """
    lines = text.expandtabs(4).split("\n")
    rests: dict[int, str] = {}
    last = 0
    for i, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match and int(match[1]) in (last + 1, 1):
            rests[i], last = match[2] or "", int(match[1])
    words = [rest.strip() for rest in rests.values() if rest.strip()]
    if len(rests) < max(_MIN_NUMBERS, _MIN_SHARE * sum(map(bool, lines))) or not words:
        return text, 0
    n_in_sentence = sum(rest[0].islower() for rest in words)
    is_wrapped = n_in_sentence >= _MIN_IN_SENTENCE * len(words) and median(map(len, words)) < _MAX_LENGTH
    if not is_wrapped and not speech_starts(words, is_wrapped=False):
        return text, 0
    level = dedent("\n".join(rests.values())).split("\n")
    unnumbered = dict(zip(rests, level, strict=True))
    return "\n".join(unnumbered.get(i, line) for i, line in enumerate(lines)), len(rests)
