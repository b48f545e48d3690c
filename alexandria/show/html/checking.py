"""The text of manuscripts with their quotations marked by verdict, on a page that needs nothing else."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from jinja2 import FileSystemLoader

from alexandria.library.check.report import (
    CheckedManuscript,
    CheckedQuotation,
    CheckReport,
    TextBlock,
    Verdict,
)
from alexandria.show.checked import differences_in, remarks_on
from alexandria.show.html.layout import ASSETS, asset, make_environment, security_policy

_ENDS = 20  # characters of both ends of a quotation by which it is found in a note


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A block of a manuscript, and what in it is quoted."""

    block: TextBlock
    parts: tuple[tuple[str, CheckedQuotation | None], ...]
    """Its text, in order; each part with the quotation that it is, if it is one."""

    @property
    def quotations(self) -> list[CheckedQuotation]:
        """Those in it."""
        return [item for _, item in self.parts if item]


def marked_blocks(manuscript: CheckedManuscript, report: CheckReport) -> Iterator[MarkedBlock]:
    """Yield the blocks of a manuscript, with the quotations of a report in them."""
    waiting = deque(item for item in report.items if item.file == manuscript.file)
    for block in manuscript.blocks:
        parts, at = list[tuple[str, CheckedQuotation | None]](), 0
        while waiting and waiting[0].start < block.start:  # it is in none: the text was changed
            waiting.popleft()
        while waiting and (span := _span_in(block, waiting[0], at)):
            start, end = span
            parts += [(block.text[at:start], None), (block.text[start:end], waiting.popleft())]
            at = end
        yield MarkedBlock(block, (*parts, (block.text[at:], None)))


def _span_in(block: TextBlock, item: CheckedQuotation, at: int) -> tuple[int, int] | None:
    """Return where a quotation is in the text of a block, from `at` on; None if it is in a later block."""
    start, end = item.start - block.start, item.end - block.start
    if not block.is_note:
        return (start, end) if at <= start < end <= len(block.text) else None
    start = block.text.find(item.text[:_ENDS], at) if start == end == 0 else -1
    end = block.text.find(item.text[-_ENDS:], start) + len(item.text[-_ENDS:])
    return (start, end) if 0 <= start < end else None


def check_values(report: CheckReport) -> dict[str, object]:
    """Return what `marked.html` shows of a report."""
    texts = [(one.file, list(marked_blocks(one, report))) for one in report.manuscripts]
    return {"report": report, "texts": texts, "Verdict": Verdict}


def render_check(report: CheckReport) -> str:
    """Return the page of a report."""
    environment = make_environment(FileSystemLoader(ASSETS))
    environment.globals |= CHECK_WORDS
    style = asset("page.css") + asset("marked.css")
    template = environment.get_template("check.html")
    return template.render(policy=security_policy((), style), style=style, **check_values(report))


CHECK_WORDS = {"differences_in": differences_in, "remarks_on": remarks_on}
"""What `marked.html` says of a quotation."""
