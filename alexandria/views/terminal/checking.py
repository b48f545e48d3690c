"""What `alexandria check` prints: how many quotations there are of each kind, and those to look at."""

from collections.abc import Collection, Iterator
from itertools import groupby

from rich.text import Text

from alexandria.check.report import CheckedQuotation, CheckReport, ClaimVerdict, Verdict
from alexandria.passage import Quotation
from alexandria.views.terminal.console import out, safe, show_message
from alexandria.views.terminal.wrapping import INDENT, print_wrapped, shorten_middle

_MAX_QUOTED = 90
"""Columns of a quotation above its differences."""
_AROUND = 28
"""Characters shown on each side of words that differ."""
_STYLES = {Verdict.DIFFERS: "yellow", Verdict.NOT_FOUND: "red", Verdict.TOO_SHORT: "dim"}


def show_report(report: CheckReport, only: Collection[Verdict] = ()) -> None:
    """Print the quotations of each manuscript: those with some verdicts, by default those to look at.

    Args:
        report: the report.
        only: the verdicts to print.
    """
    files = groupby(report.items, key=lambda item: item.file)
    for file, own in files:
        items = tuple(own)
        counted = CheckReport(library=report.library, items=items)
        out.print(Text.assemble((safe(file or "the text"), "bold"), f"  {counted}"), soft_wrap=True)
        for item in items:
            if item.verdict in only if only else item.is_complaint or item.verdict is Verdict.DIFFERS:
                _show_item(item)
    if not report.items:
        out.print("no quotation was found")
    if report.n_accepted:
        show_message(f"{report.n_accepted} more are accepted")
    if report.library.not_looked_at:
        titles = ", ".join(f"“{title}”" for title in report.library.not_looked_at)
        show_message(f"not looked at, or read with warnings: {titles}")
    for unread in report.unread:
        show_message(f"{unread.file}: {unread.error.what}: {unread.error.why}")


def _show_item(item: CheckedQuotation) -> None:
    out.print()
    quoted = shorten_middle(" ".join(item.text.split()), _MAX_QUOTED)
    verdict = ", ".join([item.verdict.words, *item.allowances])
    line = Text.assemble((safe(item.where), "cyan"), f"  “{safe(quoted)}”  ")
    print_wrapped(out, line.append(verdict, _STYLES.get(item.verdict, "green")), lead=Text(""))
    for difference in item.differences:
        assert item.place is not None  # it differs from the words there
        _show_words("yours", *_around(item.text, difference.start, difference.yours))
        _show_words("book ", *_around(item.place.words, difference.book_start, difference.book))
    for said in _said(item):
        print_wrapped(out, Text(safe(said)), lead=Text(INDENT))


def _show_words(label: str, before: str, words: str, after: str) -> None:
    shown = Text.assemble(
        f"{INDENT}{label}  ", safe(before), (safe(words) or "…", "bold yellow"), safe(after)
    )
    out.print(shown, soft_wrap=True)


def _around(text: str, start: int, words: str) -> tuple[str, str, str]:
    """Return words of a text with what is before and after them, cut between words, on one line."""
    before, after = text[:start][-_AROUND:], text[start + len(words) :][:_AROUND]
    if start > _AROUND:
        before = before.partition(" ")[2]
    if start + len(words) + _AROUND < len(text):
        after = after.rpartition(" ")[0]
    return tuple(part.replace("\n", " / ") for part in (before, words, after))  # type: ignore[return-value]  # three


def _said(item: CheckedQuotation) -> Iterator[str]:
    """Yield where a quotation stands, what is claimed, and what else is to be known."""
    cited, claims = item.cited, item.claims
    if place := item.place:
        where = ", ".join(filter(None, (place.author, place.title, place.place)))
        page = "" if place.page or not item.page_in_copy else f", p. {item.page_in_copy} in another copy"
        yield where + page
        if cited and claims.author is ClaimVerdict.DISAGREES:
            yield f"you name {cited.author}"
        if cited and claims.title is ClaimVerdict.DISAGREES:
            yield f"you cite {cited.title}"
        if cited and claims.page is ClaimVerdict.DISAGREES:
            yield f"you cite p. {cited.page}; it is on p. {item.page_in_copy}"
        if item.scan:
            yield "look at the page: this copy was read by OCR"
    elif item.nearest:
        yield f"nearest: “{_shortened(item.nearest)}” ({item.nearest.citation})"
    if cited and not cited.key_found:
        yield f"no bibliography has the key {cited.key}"


def _shortened(place: Quotation) -> str:
    return shorten_middle(" ".join(place.words.split()), _MAX_QUOTED)
