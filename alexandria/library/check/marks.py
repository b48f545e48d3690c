"""Finds what stands between quotation marks, of every language: which mark opens and which closes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CLOSERS = {
    **{"“": "”", "„": "“”", "«": "»", "»": "«»", "‹": "›", "›": "‹›", "‘": "’", "‚": "‘’", "”": "”"},
    **{'"': '"', "'": "'’", "「": "」", "『": "』", "``": ("''", '"', "”"), "`": "'’"},
}  # the marks that open, and those that close each
_MARK = re.compile("``|''|[" + "".join(mark for mark in _CLOSERS if len(mark) == 1) + "’」』]")
_SPACED = "«»‹›"  # marks inside which French puts spaces
_ANYWHERE = "「『"
_APOSTROPHES = "'’"
_BEFORE = frozenset(" \t\n\u00a0\u202f\u2009\u200a([{<>—–-/=:;,.…¿¡*_|’" + "".join(_CLOSERS))
"""Characters after which a mark may open."""
_ELIDED = re.compile(
    r"(?:t(?:is|was|were|will|would)|em|til|cause|tween|neath|gainst|bout|round|n|\d0s)\b", re.IGNORECASE
)  # what begins with an apostrophe
_GENITIVE = re.compile(r"s[’'] [a-z]")
_LATER_CLOSER = re.compile(r"(?<=[^\s‘'(])[’'](?!\w)")
_LATER_OPENER = re.compile(r"(?:^|(?<=[\s(—“\"]))[‘'](?=\w)")
_LOOK_AHEAD = 400
_MAX_DEPTH = 6  # marks that are open at once: more are no quotations


@dataclass(frozen=True, slots=True, order=True)
class BetweenMarks:
    """Text between a pair of marks, without them."""

    start: int
    end: int
    is_inner: bool = False  # whether it is inside another pair


def marked_spans(text: str) -> list[BetweenMarks]:
    """Return what stands between marks in a paragraph, in order; of nested pairs, the outer one first.

    An apostrophe is no mark, nor is a mark that never closes.
    """
    if text.count("“") + text.count("``") > text.count("”") + text.count("''"):
        text = text.replace("’’", "” ")  # as typists close them
    spans = sorted(set(_pairs(text)), key=lambda span: (span[0], -span[1]))
    marked, outer_end = list[BetweenMarks](), -1
    for start, end in spans:
        if text[start:end].strip():
            marked.append(BetweenMarks(start, end, is_inner=end <= outer_end))
            outer_end = max(outer_end, end)
    return marked


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between marks, in the order in which they close."""
    still_open = list[tuple[str, int]]()
    for match in _MARK.finditer(text):
        mark, at = match[0], match.start()
        before, after = text[at - 1 : at] or " ", text[match.end() : match.end() + 1] or " "
        opens = mark in _CLOSERS and _may_open(mark, before, after, text, match.end())
        if _may_close(mark, before, after, text, at) and not (opens and after.isalnum()):
            depth = next(
                (i for i in reversed(range(len(still_open))) if mark in _CLOSERS[still_open[i][0]]), None
            )
            is_apostrophe = mark in _APOSTROPHES and depth != len(still_open) - 1
            if depth is not None and not is_apostrophe:
                yield still_open[depth][1], at
                del still_open[depth:]
                continue
        if opens:
            still_open.append((mark, match.end()))
            del still_open[:-_MAX_DEPTH]


def _may_open(mark: str, before: str, after: str, text: str, end: int) -> bool:
    if mark in _ANYWHERE:
        return True
    if mark in "'‘" and _ELIDED.match(text, end):
        return False
    return before in _BEFORE and (not after.isspace() or mark in _SPACED) and end < len(text)


def _may_close(mark: str, before: str, after: str, text: str, at: int) -> bool:
    if before.isspace():
        return mark in _SPACED or (mark == "”" and not after.isalnum())
    if mark not in _APOSTROPHES:
        return True
    if after.isalpha():
        return False
    if not _GENITIVE.match(text, at - 1):
        return True
    # The genitive of a plural, if the quotation closes later.
    closer = _LATER_CLOSER.search(text, at + 1, at + _LOOK_AHEAD)
    opener = _LATER_OPENER.search(text, at + 1, at + _LOOK_AHEAD)
    return closer is None or (opener is not None and opener.start() < closer.start())
