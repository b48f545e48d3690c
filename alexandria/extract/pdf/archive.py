"""Reads the covers that archives of journals put before an article, and knows the stamps on its pages."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from alexandria.book.model import ARTICLE_KEYS, Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.pdf.lines import Line, Page, without_lines

_FIELD = re.compile(
    r"(author(?:\(s\)|s)?|(?:review(?:ed)? )?by|source|published by|stable url|accessed):?\s+(.*)", re.I
)
_TERMS = re.compile(r"\bterms (?:and|&) conditions\b|\bterms of use\b", re.I)
_SOURCE = re.compile(r"\bvol\. ?\w+.*\((?:[^()]*\s)?(\d{4})\)|\((?:[^()]*\s)?(\d{4})\),? pp?\.", re.I)
"""The volume of a journal and its year."""
_AFTER_NAME = re.compile(r"\s*(?:,(?=[^,]*\d)|(?=\([^()]*\d)|,?\s(?=(?:vol|nos?)\.))", re.I)
"""What ends the name of a journal: its volume, issue or date comes next."""
_SEASON = re.compile(
    r",?\s*\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter)[a-z]*\.?"
    r"(?:\s*[-–/]\s*\w+\.?)?$",
    re.I,
)
_NUMBERS = {
    "container_volume": re.compile(r"\bvol(?:ume|\.)\s*(\w+)", re.I),
    "issue": re.compile(r"\b(?:nos?\.|number|issue)\s*(\w+(?:\s?[-–/]\s?\w+)?)", re.I),
    "pages": re.compile(r"\bpp?\.\s*(\w+(?:\s?[-–]\s?\w+)?)", re.I),
}
_FIRST_PAGE = re.compile(
    r"(?P<container>[^\W\d_][^\d(]{3,90}?),?\s(?:vol\.?\s?)?(?P<container_volume>\d{1,4})\s?"
    r"(?:(?:\(|,?\sno\.)\s?(?P<issue>\d{1,3}(?:[-–/]\d+)?)(?:\s?\)|(?=\W)))?[,:]?\s?"
    r"(?:\(\s?(?P<date>[12]\d{3})\s?\))?[,:]?\s?(?:pp?\.\s?)?(?P<pages>\d+\s?[-–]\s?\d+)"
    r"(?:,?\s?\(?(?P<last_date>[12]\d{3})\)?)?\.?"
)  # what journals print on the first page of an article: `Annals 6 (3): 167–171`, `Annals 6 (1969) 167–171`
_AND = re.compile(r",? and |; |, ")
_STAMP = re.compile(
    r"(?:this )?content downloaded from|downloaded (?:from|by|on)\b|all use subject to|"
    r"authori[sz]ed licensed use limited to|(?:accessed|provided) by .* on |"
    r"\d{1,3}(?:\.\d{1,3}){3} on \w{3},",
    re.I,
)  # what archives print on each page for a reader who has taken the file from them
_EDGE = 0.1  # share of the page's height, at the top and the foot, in which stamps are
_MIN_TURNED = 12  # characters of a stamp along the edge of a page, which is no wider than two of them


def separate_cover(pages: Sequence[Page], metadata: Metadata) -> tuple[list[Page], list[Line], Metadata]:
    """Return the pages without the cover of an archive, its lines, and metadata with what it says.

    It is the first page, with a stable address, terms of use, and the author, source or publisher.
    """
    fields: dict[str, str] = {}
    title: list[str] = []
    last: Line | None = None  # of the title
    label = ""  # of the line before
    lines = sorted(pages[0].lines, key=lambda line: -line.y) if pages[1:] else []
    size = max((line.size for line in lines), default=0.0)
    for line in lines:
        text = one_line(line.text)
        if match := _FIELD.match(text):
            label = match[1].lower()[:6]
            fields.setdefault(label, match[2])
        elif "source" not in fields and (_journal_of(text) if fields else _SOURCE.search(text)):
            label, fields["source"] = "source", text
        elif label in ("author", "review", "source", "publis"):  # it goes on in the next line
            fields[label] += f" {text}"
        elif not fields and line.size > 0.9 * size:
            is_below = last is not None and last.y - line.y < 2 * line.size
            title, last = [*title, text] if is_below else [text], line
    is_cover = "stable" in fields and any(_TERMS.search(line.text) for line in lines)
    if not is_cover or not fields.keys() & {"author", "source", "publis"}:
        return [*pages], [], metadata
    names = fields.get("author") or fields.get("review") or ""
    source = fields.get("source", "")
    year = _SOURCE.search(source)
    read = Metadata(
        title=" ".join(title),
        authors=tuple(filter(None, _AND.split(names))),
        publisher=fields.get("publis", ""),
        date=(year[1] or year[2]) if year else "",
        url=fields["stable"].rstrip(" ."),
        **_journal_of(source),
    )
    names_of_fields = ("title", "authors", "publisher", "date", "url", *ARTICLE_KEYS)
    known = {name: value for name in names_of_fields if (value := getattr(read, name))}
    return [without_lines(pages[0], lines), *pages[1:]], lines, replace(metadata, **known)


def _journal_of(source: str) -> dict[str, Any]:
    """Return the journal that a source names by volume or issue, as fields of metadata."""
    numbers = {key: match[1] for key, pattern in _NUMBERS.items() if (match := pattern.search(source))}
    if numbers.keys() <= {"pages"}:
        return {}
    name = _SEASON.sub("", _AFTER_NAME.split(source)[0])
    return {"container": name, **{key: _dashed(text) for key, text in numbers.items()}}


def _dashed(numbers: str) -> str:
    return re.sub(r"\s?[-–]\s?", "–", numbers)


def with_journal(metadata: Metadata, pages: Sequence[Page]) -> Metadata:
    """Return metadata with the journal that a line of the first page names, if all its pages are there.

    Another article may be cited there too: it has another number of pages.
    """
    for line in () if metadata.container else pages[0].lines:
        if match := _FIRST_PAGE.fullmatch(one_line(line.text)):
            named: dict[str, Any] = {key: _dashed(match[key] or "") for key in ARTICLE_KEYS}
            first, last = map(int, named["pages"].split("–"))
            if last - first + 1 == len(pages) > 1:
                date = metadata.date or match["date"] or match["last_date"] or ""
                return replace(metadata, **named, date=date)
    return metadata


def is_stamp(line: Line, page: Page) -> bool:
    """Return whether a line is the stamp of an archive, at an edge of the page."""
    if not _STAMP.match(line.text):
        return False
    is_turned = len(line.text) >= _MIN_TURNED and line.x1 - line.x0 < 2 * line.size
    return is_turned or not _EDGE * page.height < line.y < (1 - _EDGE) * page.height
