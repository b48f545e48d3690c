"""What `alexandria check` prints: how many quotations there are of each kind, and those to look at."""

from collections.abc import Collection
from itertools import groupby

from rich.text import Text

from alexandria.library.check.report import CheckedQuotation, CheckReport, Verdict
from alexandria.show.checked import differences_in, remarks_on
from alexandria.show.terminal.console import out, safe, show_message
from alexandria.show.terminal.wrapping import INDENT, print_wrapped, shorten_middle

_MAX_QUOTED = 90  # columns of a quotation above its differences
_STYLES = {Verdict.DIFFERS: "yellow", Verdict.NOT_FOUND: "red", Verdict.TOO_SHORT: "dim"}


def show_report(report: CheckReport, only: Collection[Verdict] = ()) -> None:
    """Print the quotations of each manuscript: those with some verdicts, by default those to look at."""
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
    for unread in report.unread:
        show_message(f"{unread.file}: {unread.error.what}: {unread.error.why}")


def _show_item(item: CheckedQuotation) -> None:
    out.print()
    quoted = shorten_middle(" ".join(item.text.split()), _MAX_QUOTED)
    verdict = ", ".join([item.verdict.words, *item.allowances])
    line = Text.assemble((safe(item.where), "cyan"), f"  “{safe(quoted)}”  ")
    print_wrapped(out, line.append(verdict, _STYLES.get(item.verdict, "green")), lead=Text(""))
    for yours, book in differences_in(item):
        _show_words("yours", *yours)
        _show_words("book ", *book)
    for remark in remarks_on(item):
        print_wrapped(out, Text(safe(remark)), lead=Text(INDENT))


def _show_words(label: str, before: str, words: str, after: str) -> None:
    shown = Text.assemble(
        f"{INDENT}{label}  ", safe(before), (safe(words) or "…", "bold yellow"), safe(after)
    )
    out.print(shown, soft_wrap=True)
