"""Passages to read, the places that a quotation comes from, and citations."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise

from rich.text import Text

from alexandria.library.cite.citations import Citation
from alexandria.show.terminal.console import UNSAFE_IN_TEXT, out, print_text, safe, show_message
from alexandria.show.terminal.wrapping import INDENT, print_wrapped, wrap
from alexandria.store.passage import Passage, Places, Quotation

_MAX_WIDTH = 80  # columns of a line of text, at most: longer lines are hard to read
_MAX_QUOTATION_WIDTH = 100  # columns of a line of a quotation, its indentation included
_AROUND_QUOTATION = 60  # characters shown before and after the words of a quotation


def show_text(passages: Sequence[Passage], asked: str = "") -> None:
    """Print neighbouring passages as one text, with the notes that they cite at the end.

    On a terminal, paragraphs are wrapped, and a text longer than the screen is shown page by page. In a pipe,
    the text is printed as it is stored.

    Args:
        passages: neighbours, in reading order; if a passage has a best sentence, it is highlighted.
        asked: the id of the one that was asked for; by default that of the first.
    """
    if not passages:
        show_message("nothing to read")
        return
    if not out.is_terminal:
        _print_plain(passages)
        return
    lines = list(_format_passages(passages, asked or passages[0].short_id))
    is_longer_than_screen = len(lines) > out.height - 1
    if is_longer_than_screen:
        os.environ.setdefault("LESS", "-R")  # otherwise `less` prints the codes of colours
    with out.pager(styles=True) if is_longer_than_screen else nullcontext():
        for line in lines:
            out.print(line, soft_wrap=True)


def _print_plain(passages: Sequence[Passage]) -> None:
    """Print the text as it is stored, then each note in brackets after an empty line."""
    print_text(_join(passages))
    for note in _collect_notes(passages):
        print_text(f"\n[{note}]")


def _format_passages(passages: Sequence[Passage], asked: str) -> Iterator[Text]:
    """Yield the lines that a terminal shows: title, place, the text with its headings in bold, and notes."""
    first, last = passages[0], passages[-1]
    yield Text.assemble((safe(first.title), "bold"), f"  {safe(first.author)}" if first.author else "")
    yield Text(safe(f"{_format_place(first, last)}, {asked}"), "cyan")
    yield Text()
    for paragraph in _format_paragraphs(passages):
        yield from _wrap_paragraph(paragraph)
        yield Text()
    notes = _collect_notes(passages)
    if notes:
        yield Text("Notes", "bold dim")
    for note in notes:
        for i, line in enumerate(wrap(Text(safe(note), "dim"), _width() - 2)):
            yield Text("  ").append_text(line) if i else line  # lines after the first are indented


def _format_paragraphs(passages: Sequence[Passage]) -> Iterator[Text]:
    """Yield the paragraphs of neighbouring passages: headings in bold, the best sentence highlighted."""
    best = next((passage.best for passage in passages if passage.best), None)
    best_start, best_end = best or (0, 0)  # an empty span highlights nothing
    headings = {heading for passage in passages for heading in passage.section}
    start = passages[0].start  # of the paragraph, in the book's text
    for paragraph in _join(passages).split("\n\n"):
        style = "bold" if _is_heading(paragraph, headings) else ""
        shown = Text(paragraph.translate(UNSAFE_IN_TEXT), style)
        # If control characters are removed, which are rare, the highlight is a little too far to the right.
        first, end = best_start - start, best_end - start
        shown.stylize("bold yellow", max(0, first), max(0, min(end, len(paragraph))))
        yield shown
        start += len(paragraph) + len("\n\n")


def _wrap_paragraph(paragraph: Text) -> Iterator[Text]:
    """Yield the lines of a paragraph; in verse, the rest of a line that is too long is indented."""
    is_verse = "\n" in paragraph.plain
    for line in paragraph.split("\n"):
        for i, part in enumerate(wrap(line, _width())):
            yield Text("    ").append_text(part) if i and is_verse else part


def _width() -> int:
    return min(out.width, _MAX_WIDTH)


def _is_heading(paragraph: str, headings: set[str]) -> bool:
    return " ".join(paragraph.split()) in headings


def _join(passages: Sequence[Passage]) -> str:
    """Return the text of neighbours: a space between two chunks of a paragraph, an empty line after one."""
    text = passages[0].text
    for before, after in pairwise(passages):
        gap = after.start - before.end
        text += (" " if gap <= 1 else "\n" * min(gap, 2)) + after.text
    return text


def _collect_notes(passages: Sequence[Passage]) -> list[str]:
    """Return the notes that the passages cite, each once."""
    notes = (note for passage in passages for note in passage.notes)
    return list(dict.fromkeys(notes))


def _format_place(first: Passage, last: Passage) -> str:
    """Return the place of the text from one passage to another: sections, pages and chunks."""
    page_names = dict.fromkeys(page.label or str(page.page) for page in (*first.pages[:1], *last.pages[-1:]))
    pages = "–".join(page_names)
    chunks = "–".join(dict.fromkeys((str(first.chunk_id), str(last.chunk_id))))
    new = [heading for heading in last.section if heading not in first.section]
    sections = [" › ".join(first.section), " › ".join(new)]
    parts = [
        " – ".join(filter(None, sections)),
        f"{'pp.' if '–' in pages else 'p.'} {pages}" if pages else "",
        f"{'chunks' if '–' in chunks else 'chunk'} {chunks}",
    ]
    return ", ".join(part for part in parts if part)


def show_quotations(places: Places) -> None:
    """Print the places that a quotation comes from, each with its words and the text around them.

    Args:
        places: the places, best match first.
    """
    if not places.n_places or places.n_places > len(places):
        show_message(places.summary)
    for place in places:
        print_wrapped(
            out,
            Text.assemble(
                (safe(place.title), "bold"),
                f"  {safe(place.author)}" if place.author else "",
                (f"  {_describe_nearness(place)}", "green" if place.nearness == 1 else "yellow"),
            ),
            lead=Text(""),
        )
        where = ", ".join(part for part in (safe(place.place), place.short_id) if part)
        where += "" if place.collection is None else f" in {safe(place.collection)}"
        print_wrapped(out, Text(where, "cyan"))
        before, words, after = _split_around(place)
        shown = Text.assemble(safe(before), (safe(words), "bold yellow"), safe(after))
        for line in shown.wrap(out, min(out.width, _MAX_QUOTATION_WIDTH) - len(INDENT)):
            line.rstrip()
            out.print(Text(INDENT).append_text(line), soft_wrap=True)
        out.print()


def _describe_nearness(place: Quotation) -> str:
    """Return how closely a place matches: `word for word`, or the share of its letters, at most 99 %."""
    if place.near and "letters" not in place.differences:
        return ", ".join(place.differences)
    if place.nearness == 1:
        return " but for ".join(filter(None, ("word for word", ", ".join(place.differences))))
    return f"{min(99, round(100 * place.nearness))} % of the letters match"


def _split_around(place: Quotation) -> tuple[str, str, str]:
    """Return the text before the words of a place, these words, and the text after, cut between words."""
    assert place.best is not None  # where the words are
    if place.in_note:
        return "", place.words, ""
    start, end = place.best[0] - place.start, place.best[1] - place.start
    before = place.text[max(0, start - _AROUND_QUOTATION) : start]
    after = place.text[end : end + _AROUND_QUOTATION]
    if start > _AROUND_QUOTATION:
        before = "… " + re.sub(r"^\S*\s+", "", before)
    if end + _AROUND_QUOTATION < len(place.text):
        after = re.sub(r"\s+\S*$", "", after) + " …"
    return before, place.words, after


def show_citations(citations: Sequence[Citation]) -> None:
    """Print what stands in the text for each passage, then the list of references, each once."""
    print_text("\n".join(citation.in_text for citation in citations))
    print_text("")
    print_text("\n".join(dict.fromkeys(citation.reference for citation in citations)))
