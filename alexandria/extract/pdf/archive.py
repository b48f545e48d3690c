"""Reads the covers that archives of journals put before an article, and knows the stamps on its pages."""

import re
from collections.abc import Sequence
from dataclasses import replace

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.pdf.lines import Line, Page, without_lines

_FIELD = re.compile(
    r"(author(?:\(s\)|s)?|(?:review(?:ed)? )?by|source|published by|stable url|accessed):?\s+(.*)", re.I
)
_TERMS = re.compile(r"\bterms (?:and|&) conditions\b|\bterms of use\b", re.I)
_SOURCE = re.compile(r"\bvol\. ?\w+.*\((?:[^()]*\s)?(\d{4})\)|\((?:[^()]*\s)?(\d{4})\),? pp?\.", re.I)
"""The volume of a journal and its year."""
_AND = re.compile(r",? and |; |, ")
_STAMP = re.compile(
    r"(?:this )?content downloaded from|downloaded (?:from|by|on)\b|all use subject to|"
    r"authori[sz]ed licensed use limited to|(?:accessed|provided) by .* on |"
    r"\d{1,3}(?:\.\d{1,3}){3} on \w{3},",
    re.I,
)
"""What archives print on each page for a reader who has taken the file from them."""
_EDGE = 0.1
"""Share of the page's height, at the top and the foot, in which stamps are."""
_MIN_TURNED = 12
"""Characters of a stamp along the edge of a page, which is no wider than two of them."""


def separate_cover(pages: Sequence[Page], metadata: Metadata) -> tuple[list[Page], list[Line], Metadata]:
    """Return the pages without the cover of an archive, its lines, and metadata with what it says.

    It is the first page, with a stable address, terms of use, and the author, source or publisher.
    """
    fields: dict[str, str] = {}
    title: list[str] = []
    last: Line | None = None  # of the title
    lines = sorted(pages[0].lines, key=lambda line: -line.y) if pages[1:] else []
    size = max((line.size for line in lines), default=0.0)
    for line in lines:
        text = one_line(line.text)
        if match := _FIELD.match(text):
            fields.setdefault(match[1].lower()[:6], match[2])
        elif source := _SOURCE.search(text):
            fields.setdefault("source", source[0])
        elif not fields and line.size > 0.9 * size:
            is_below = last is not None and last.y - line.y < 2 * line.size
            title, last = [*title, text] if is_below else [text], line
    is_cover = "stable" in fields and any(_TERMS.search(line.text) for line in lines)
    if not is_cover or not fields.keys() & {"author", "source", "publis"}:
        return [*pages], [], metadata
    names = fields.get("author") or fields.get("review") or ""
    year = _SOURCE.search(fields.get("source", ""))
    read = Metadata(
        title=" ".join(title),
        authors=tuple(filter(None, _AND.split(names))),
        publisher=fields.get("publis", ""),
        date=(year[1] or year[2]) if year else "",
        url=fields["stable"].rstrip(" ."),
    )
    stated = {name: getattr(read, name) for name in ("title", "authors", "publisher", "date", "url")}
    known = {name: value for name, value in stated.items() if value}
    return [without_lines(pages[0], lines), *pages[1:]], lines, replace(metadata, **known)


def is_stamp(line: Line, page: Page) -> bool:
    """Return whether a line is the stamp of an archive, at an edge of the page."""
    if not _STAMP.match(line.text):
        return False
    is_turned = len(line.text) >= _MIN_TURNED and line.x1 - line.x0 < 2 * line.size
    return is_turned or not _EDGE * page.height < line.y < (1 - _EDGE) * page.height
