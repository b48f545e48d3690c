"""Passages to read: the text itself, places of quotations, citations."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rich.text import Text

from alexandria.modes import CitationStyle
from alexandria.passage import Passage, Quotation
from alexandria.passages.citations import cite, csl_items
from alexandria.views.terminal.console import UNSAFE, out, print_json, print_text, safe, show_message
from alexandria.views.terminal.wrapping import print_whole, wrap

_MEASURE = 80
"""Columns of a line of text, at most: longer lines are hard to read."""
_KEPT = {code: character for code, character in UNSAFE.items() if code not in (0x09, 0x0A)}


def show_text(passages: Sequence[Passage]) -> None:
    """Print passages that follow one another as the book has them, with the notes they cite at the end.

    On a terminal, paragraphs are wrapped, and a text longer than the screen is shown page by page. In a pipe,
    the text is printed as it is stored.

    Args:
        passages: neighbours, in reading order; the sentence of one that has a `best` is highlighted.
    """
    if not passages:
        show_message("nothing to read")
        return
    if not out.is_terminal:
        _print_plain(passages)
        return
    lines = list(_lines(passages))
    if len(lines) > out.height - 1:
        os.environ.setdefault("LESS", "-R")  # otherwise it prints the codes of colours
        with out.pager(styles=True):
            for line in lines:
                out.print(line, soft_wrap=True)
    else:
        for line in lines:
            out.print(line, soft_wrap=True)


def _print_plain(passages: Sequence[Passage]) -> None:
    text, _ = _joined(passages)
    print_text(text)
    for note in _notes(passages):
        print_text(f"\n[{note}]")


def _lines(passages: Sequence[Passage]) -> Iterator[Text]:
    first, last = passages[0], passages[-1]
    yield Text.assemble((safe(first.title), "bold"), f"  {safe(first.author)}" if first.author else "")
    yield Text(safe(_place(first, last)), "cyan")
    yield Text()
    text, offset = _joined(passages)
    marked = next((one.best for one in passages if one.best), None)
    start, end = (marked[0] - offset, marked[1] - offset) if marked else (0, 0)
    headings = {heading for one in passages for heading in one.section}
    at = 0
    for paragraph in text.split("\n\n"):
        own = Text(paragraph.translate(_KEPT), "bold" if _is_heading(paragraph, headings) else "")
        # Control characters that `_KEPT` removes are rare; then the mark is a little off.
        own.stylize("bold yellow", max(0, start - at), max(0, min(end - at, len(paragraph))))
        yield from _wrapped(own)
        yield Text()
        at += len(paragraph) + 2
    for note in _notes(passages):
        lines = wrap(Text(safe(note), "dim"), _width() - 2)
        yield from (Text("  ").append_text(line) if i else line for i, line in enumerate(lines))


def _wrapped(paragraph: Text) -> Iterator[Text]:
    """Yield the lines of a paragraph; those of verse are kept, and what of one is too long is indented."""
    for line in paragraph.split("\n"):
        for i, part in enumerate(wrap(line, _width())):
            yield Text("    ").append_text(part) if i and "\n" in paragraph.plain else part


def _width() -> int:
    return min(out.width, _MEASURE)


def _is_heading(paragraph: str, headings: set[str]) -> bool:
    return " ".join(paragraph.split()) in headings


def _joined(passages: Sequence[Passage]) -> tuple[str, int]:
    """Return the text of neighbours, with the white space between them, and where it begins in the book."""
    text = passages[0].text
    for before, after in pairwise(passages):
        gap = after.start - before.end
        text += (" " if gap <= 1 else "\n" * min(gap, 2)) + after.text
    return text, passages[0].start


def _notes(passages: Sequence[Passage]) -> list[str]:
    """Return the notes that the passages cite, each once."""
    return list(dict.fromkeys(str(note) for one in passages for note in one.payload.get("notes") or ()))


def _place(first: Passage, last: Passage) -> str:
    """Return where a text is: section, pages, chunks."""
    pages = [page.label or str(page.page) for page in (*first.pages[:1], *last.pages[-1:])]
    named = "–".join(dict.fromkeys(pages))
    chunks = str(first.chunk_id) if first.chunk_id == last.chunk_id else f"{first.chunk_id}–{last.chunk_id}"
    parts = [
        " › ".join(first.section),
        f"{'pp.' if '–' in named else 'p.'} {named}" if named else "",
        f"chunk{'s' if '–' in chunks else ''} {chunks}",
        first.short_id,
    ]
    return ", ".join(part for part in parts if part)


def show_quotations(places: Sequence[Quotation]) -> None:
    """Print where a quotation comes from: the nearest place first, with the words as they are there."""
    if not places:
        show_message("not found: no passage of these books has words near to these")
    for place in places:
        print_whole(
            out,
            Text.assemble(
                (safe(place.title), "bold"),
                f"  {safe(place.author)}" if place.author else "",
                (f"  {_nearness(place)}", "green" if place.nearness == 1 else "yellow"),
            ),
            lead=Text(""),
        )
        where = ", ".join(part for part in (safe(place.place), place.short_id) if part)
        where += "" if place.collection is None else f" in {safe(place.collection)}"
        print_whole(out, Text(where, "cyan"))
        before, words, after = _around(place)
        shown = Text.assemble(safe(before), (safe(words), "bold yellow"), safe(after))
        for line in shown.wrap(out, min(out.width, 100) - 3):
            line.rstrip()
            out.print(Text("   ").append_text(line), soft_wrap=True)
        out.print()


def _nearness(place: Quotation) -> str:
    if place.nearness == 1:
        return "word for word"
    return f"{min(99, round(100 * place.nearness))} % of its letters"


def _around(place: Quotation, most: int = 60) -> tuple[str, str, str]:
    """Return the words with what is near them in their chunk, cut between words."""
    assert place.best is not None  # where the words are
    first, last = place.best[0] - place.start, place.best[1] - place.start
    before, after = place.text[max(0, first - most) : first], place.text[last : last + most]
    if first > most:
        before = "… " + re.sub(r"^\S*\s+", "", before)
    if last + most < len(place.text):
        after = re.sub(r"\s+\S*$", "", after) + " …"
    return before, place.words, after


def show_citations(passages: Sequence[Passage], style: CitationStyle) -> None:
    """Print a citation of each passage, apart by empty lines; CSL-JSON as one list."""
    if style is CitationStyle.CSL_JSON:
        print_json(csl_items(passages))
        return
    cited = dict.fromkeys(cite(passage, style) for passage in passages)
    print_text("\n\n".join(cited))
