"""What every view says of a checked quotation in words, and a notebook of highlights in Markdown."""

import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import shorten

from alexandria.library.check.report import CheckedQuotation, CheckReport, ClaimVerdict, Verdict

_MAX_NEAREST = 120  # characters of the passage that comes nearest
_AROUND = 28  # characters shown on each side of words that differ
_MARKUP = re.compile(r"[\\`*_<\[#]|^[-+>=~]", re.MULTILINE)

Sides = tuple[str, str, str]  # what is before some words, the words, and what is after them


def differences_in(item: CheckedQuotation) -> Iterator[tuple[Sides, Sides]]:
    """Yield the words of a quotation that differ and those of the book, each with what is around them."""
    for difference in item.differences:
        assert item.place is not None  # it differs from the words there
        yours = _around(item.text, difference.start, difference.yours)
        yield yours, _around(item.place.words, difference.book_start, difference.book)


def _around(text: str, start: int, words: str) -> Sides:
    """Return words of a text with what is before and after them, cut between words, on one line."""
    before, after = text[:start][-_AROUND:], text[start + len(words) :][:_AROUND]
    if start > _AROUND:
        before = before.partition(" ")[2]
    if start + len(words) + _AROUND < len(text):
        after = after.rpartition(" ")[0]
    return before.replace("\n", " / "), words.replace("\n", " / "), after.replace("\n", " / ")


def remarks_on(item: CheckedQuotation) -> Iterator[str]:
    """Yield where a quotation stands, or what comes nearest, and doubts about it."""
    if place := item.place:
        where = ", ".join(filter(None, (place.author, place.title, place.place)))
        page = "" if place.page or not item.page_in_copy else f", p. {item.page_in_copy} in another copy"
        yield where + page
    elif item.nearest:
        words = shorten(item.nearest.words, _MAX_NEAREST, placeholder=" …")
        yield f"nearest: “{words}” ({item.nearest.citation})"
    yield from doubts_about(item)


def doubts_about(item: CheckedQuotation) -> Iterator[str]:
    """Yield what is claimed and disagrees, and why a verdict may be wrong."""
    cited, claims = item.cited, item.claims
    if cited and claims.author is ClaimVerdict.DISAGREES:
        yield f"you name {cited.author}"
    if cited and claims.title is ClaimVerdict.DISAGREES:
        yield f"you cite {cited.title}"
    if cited and claims.page is ClaimVerdict.DISAGREES:
        yield f"you cite p. {cited.page}; it is on p. {item.page_in_copy}"
    if item.scan:
        yield "look at the page: this copy was read by OCR"
    if cited and not cited.key_found:
        yield f"no bibliography has the key {cited.key}"


def notebook(report: CheckReport) -> str:
    """Return the quotations of a report in Markdown: by book, in its order, with their places and notes.

    What is in no book comes last.
    """
    items = sorted(report.items, key=lambda item: (item.place is None, _book_of(item), _start_of(item)))
    parts = list[str]()
    for book, own in groupby(items, _book_of):
        parts.append(f"# {_escaped(book)}")
        for item in own:
            parts.append("\n".join(f"> {line}".rstrip() for line in _escaped(item.text).split("\n")))
            is_fine = item.verdict in (Verdict.EXACT, Verdict.ALLOWED)
            remarks = [*([] if is_fine else [item.verdict.words]), *remarks_on(item)]
            remarks += (f"the book has “{''.join(sides).strip()}”" for _, sides in differences_in(item))
            parts.append(f"— {_escaped('; '.join(remarks))}")
            parts += [f"**Note:** {_escaped(item.note)}"] if item.note else []
    return "\n\n".join(parts)


def _book_of(item: CheckedQuotation) -> str:
    if item.place is None:
        return (item.cited and item.cited.text) or item.verdict.words.capitalize()
    return ", ".join(filter(None, (item.place.author, item.place.title)))


def _start_of(item: CheckedQuotation) -> int:
    return item.place.start if item.place else item.ordinal


def _escaped(text: str) -> str:
    """Return a text in which nothing is markup of Markdown or HTML."""
    return _MARKUP.sub(r"\\\g<0>", text)
