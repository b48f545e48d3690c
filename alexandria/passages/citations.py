"""Citations to paste: what a book states about itself and the page of a passage, in the usual styles.

Each style is a function below. citeproc-py would also need the repository of styles (10 MB, CC BY-SA) for one
kind of source, a book with a page.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alexandria.errors import ConfigError
from alexandria.modes import CitationStyle
from alexandria.passage import Passage


def cite(passage: Passage, style: str = CitationStyle.CHICAGO) -> str:
    """Return a citation of a passage with its page or section.

    Args:
        passage: a hit, or another passage.
        style: `chicago` (a note), `apa`, `mla`, `bibtex`, `csl-json` or `markdown` (a quotation).

    Raises:
        ConfigError: there is no such style.
    """
    if style not in list(CitationStyle):
        raise ConfigError(
            f"unknown style {style!r}",
            why=f"the styles are {', '.join(CitationStyle)}",
            fix="choose one of them",
        )
    return _STYLES[CitationStyle(style)](_Source.of(passage))


@dataclass(frozen=True, slots=True)
class _Name:
    """A person's name; an institution, or a name of one word, has no given name."""

    family: str
    given: str = ""

    @property
    def inverted(self) -> str:
        """The family name first: `Shelley, Mary`."""
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def straight(self) -> str:
        """The given name first: `Mary Shelley`."""
        return f"{self.given} {self.family}".strip()

    @property
    def initials(self) -> str:
        """As APA prints it: `Shelley, M. W.`"""
        initials = " ".join(f"{part[0]}." for part in re.split(r"[\s.]+", self.given) if part)
        return f"{self.family}, {initials}" if initials else self.family


@dataclass(frozen=True, slots=True)
class _Source:
    """The book and the page that are cited, as their passage states them; texts are empty if unknown."""

    passage: Passage
    authors: tuple[_Name, ...]
    translators: tuple[_Name, ...]
    title: str
    publisher: str
    year: str
    isbn: str
    page: str
    """As printed, or counted in the file; empty where the book has none."""
    section: str

    @classmethod
    def of(cls, passage: Passage) -> "_Source":
        """Return the source of a passage, from the fields of its book that are stored with the passage."""
        payload = passage.payload
        year = re.search(r"\d{4}", str(payload.get("date") or ""))
        translators = [str(names) for names in payload.get("translators") or ()]
        isbns = (_parse_isbn(str(identifier)) for identifier in payload.get("identifiers") or ())
        return cls(
            passage=passage,
            authors=names_of(passage.author),
            translators=tuple(name for names in translators for name in names_of(names)),
            title=" ".join(passage.title.split()),
            publisher=str(payload.get("publisher") or ""),
            year=year[0] if year else "",
            isbn=next((isbn for isbn in isbns if isbn), ""),
            page=passage.page or "",
            section=passage.section[-1] if passage.section else "",
        )

    @property
    def has_printed_page(self) -> bool:
        """Whether the page is one of the printed book, not one counted in the file."""
        return any(page.label for page in self.passage.cited_pages)


_PARTICLES = frozenset((
    "von", "van", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter", "zu",
))  # fmt: skip
"""Words before a family name that belong to it, if they are in lower case."""
_SUFFIXES = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)


def names_of(authors: str) -> tuple[_Name, ...]:
    """Return the persons in a list of names, each written `Mary Shelley` or `Shelley, Mary`.

    Semicolons separate names in either form; commas separate names in the first form.
    """
    if ";" in authors:
        return tuple(_parse_name(name) for name in authors.split(";") if name.strip())
    parts = [part.strip() for part in authors.split(",") if part.strip()]
    is_one_name = len(parts) == 2 and len(parts[0].split()) == 1 and not _SUFFIXES.fullmatch(parts[1])
    if is_one_name:  # "Shelley, Mary"; two names would have two words before the comma
        family, given = parts
        return (_Name(family, given),)
    names: list[str] = []
    for part in parts:
        if names and _SUFFIXES.fullmatch(part):
            names[-1] += f" {part}"
        else:
            names.append(part)
    return tuple(_parse_name(name) for name in names)


def _parse_name(text: str) -> _Name:
    """Return a person's name from `Shelley, Mary`, `Mary Shelley`, `Vincent van Gogh` or `John Smith Jr.`"""
    family, comma, given = text.partition(",")
    if comma and not _SUFFIXES.fullmatch(given.strip()):
        return _Name(family.strip(), given.strip())
    words = text.replace(",", "").split()
    family_start = len(words) - 1
    if family_start > 0 and _SUFFIXES.fullmatch(words[family_start]):
        family_start -= 1
    while family_start > 1 and words[family_start - 1] in _PARTICLES:
        family_start -= 1
    return _Name(" ".join(words[family_start:]), " ".join(words[:family_start]))


def _parse_isbn(identifier: str) -> str:
    """Return an identifier without hyphens and prefix if it is an ISBN, otherwise empty."""
    digits = re.sub(r"[\s-]|^(?:urn:)?isbn:?", "", identifier, flags=re.IGNORECASE)
    return digits if re.fullmatch(r"97[89]\d{10}|\d{9}[\dXx]", digits) else ""


def _join_names(names: list[str], word: str, *, inverted: bool = False) -> str:
    """Return names joined by a word: `A and B`, `A, B, and C`; if they are inverted, `B, A., & D, C.`"""
    if len(names) < 2:
        return "".join(names)
    comma = "," if len(names) > 2 or inverted else ""
    return f"{', '.join(names[:-1])}{comma} {word} {names[-1]}"


_IN_FILE = "page of the file "
"""What comes before the number of a page that is counted in the file, as printed books have other pages."""


def _format_locator(source: _Source, *, page: str = "", pages: str = "") -> str:
    """Return the page, or the section if the book has no pages, or an empty string if neither is known.

    Args:
        source: the passage that is cited.
        page: what comes before the number of a page of the printed book, such as `p. `.
        pages: what comes before several numbers, such as `pp. `.
    """
    if not source.page:
        return f"“{source.section}”" if source.section else ""
    if not source.has_printed_page:
        return f"{_IN_FILE}{source.page}"
    is_range = "–" in source.page
    return f"{pages if is_range else page}{source.page}"


def _format_chicago(source: _Source) -> str:
    """Return a note of the Chicago Manual of Style (17th edition), 14.100 and following."""
    return _chicago_note(source, source.title)


def _chicago_note(source: _Source, title: str) -> str:
    """Return a note in Chicago style with the title as it is given here: plain, or marked as italic."""
    names = [name.straight for name in source.authors]
    authors = f"{names[0]} et al." if len(names) > 3 else _join_names(names, "and")
    translators = _join_names([name.straight for name in source.translators], "and")
    translation = f"trans. {translators}" if translators else ""
    work = ", ".join(part for part in (authors, title, translation) if part)
    imprint = ", ".join(part for part in (source.publisher, source.year) if part)
    edition = f"{work} ({imprint})" if imprint else work
    locator = _format_locator(source)
    return ", ".join(part for part in (edition, locator) if part) + "."


def _format_apa(source: _Source) -> str:
    """Return a reference of the APA (7th edition), with the page in brackets as in the text."""
    names = [name.initials for name in source.authors]
    authors = _join_names(names, "&", inverted=True)
    year = f"({source.year or 'n.d.'})."
    translators = _join_names([_initials_first(name) for name in source.translators], "&")
    title = f"{source.title} ({translators}, Trans.)" if translators else source.title
    locator = _format_locator(source, page="p. ", pages="pp. ")
    title = f"{title} [{locator}]." if locator else f"{title}."
    publisher = f"{source.publisher.rstrip('.')}." if source.publisher else ""
    # Without an author, the title comes before the year.
    parts = [authors, year, title, publisher] if authors else [title, year, publisher]
    return " ".join(part for part in parts if part)


def _initials_first(name: _Name) -> str:
    """Return a translator's name as APA prints it: `M. W. Shelley`."""
    family, _, initials = name.initials.partition(", ")
    return f"{initials} {family}".strip()


def _format_mla(source: _Source) -> str:
    """Return an entry of the MLA Handbook (9th edition)."""
    names = [name.inverted if i == 0 else name.straight for i, name in enumerate(source.authors)]
    authors = f"{names[0]}, et al" if len(names) > 2 else ", and ".join(names)
    translators = _join_names([name.straight for name in source.translators], "and")
    imprint = [f"Translated by {translators}" if translators else "", source.publisher, source.year]
    locator = _format_locator(source, page="p. ", pages="pp. ")
    if not any(imprint):  # the locator comes right after the title's full stop
        locator = locator[:1].upper() + locator[1:]
    parts = [authors, source.title, ", ".join(part for part in (*imprint, locator) if part)]
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


def _format_bibtex(source: _Source) -> str:
    """Return an entry for BibTeX, without fields that are not known."""
    entry = {
        "author": " and ".join(name.inverted for name in source.authors),
        "title": source.title,
        "translator": " and ".join(name.inverted for name in source.translators),
        "publisher": source.publisher,
        "year": source.year,
        "isbn": source.isbn,
        "pages": source.page.replace("–", "--") if source.has_printed_page else "",
        "note": _bibtex_note(source),
    }
    lines = [f"  {key} = {{{_escape_tex(value)}}}," for key, value in entry.items() if value]
    return "\n".join([f"@book{{{_citation_key(source)},", *lines, "}"])


def _bibtex_note(source: _Source) -> str:
    """Return the page or section that the field `pages`, which is for printed pages, cannot hold."""
    if source.page and not source.has_printed_page:
        return f"{_IN_FILE}{source.page}"
    return "" if source.page else source.section


_TEX_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}#$%&_"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
    }
)


def _escape_tex(value: str) -> str:
    """Return a value in which the special characters of TeX and BibTeX are escaped."""
    return value.translate(_TEX_ESCAPES)


def _citation_key(source: _Source) -> str:
    """Return a key such as `shelley1818frankenstein`: family name, year, first longer word of the title."""
    import unicodedata

    family = source.authors[0].family if source.authors else ""
    word = next((word for word in re.findall(r"\w+", source.title) if len(word) > 3), source.title)
    plain = unicodedata.normalize("NFKD", f"{family}{source.year}{word}".lower())
    return re.sub(r"[^a-z0-9]", "", plain) or f"book{source.passage.book_id[:8]}"


def csl_item(passage: Passage) -> dict[str, Any]:
    """Return a passage as an item of CSL-JSON, which Zotero and Pandoc read, with `locator` and `label`."""
    source = _Source.of(passage)
    item: dict[str, Any] = {"id": _citation_key(source), "type": "book", "title": source.title}
    for key, names in (("author", source.authors), ("translator", source.translators)):
        if names:
            item[key] = [_csl_name(name) for name in names]
    values = {"publisher": source.publisher, "ISBN": source.isbn, "language": passage.language}
    item |= {key: value for key, value in values.items() if value}
    if source.year:
        item["issued"] = {"date-parts": [[int(source.year)]]}
    if locator := source.page or source.section:
        item |= {"locator": locator, "label": "page" if source.page else "section"}
    return item


def csl_items(passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """Return passages as one list of CSL-JSON, equal items once; equal ids are numbered: `…-2`, `…-3`."""
    items: list[dict[str, Any]] = []
    for passage in passages:
        item = csl_item(passage)
        if item not in items:
            items.append(item)
    counts: Counter[str] = Counter()
    for item in items:
        key = item["id"]
        counts[key] += 1
        if counts[key] > 1:
            item["id"] = f"{key}-{counts[key]}"
    return items


def _csl_name(name: _Name) -> Mapping[str, str]:
    """Return a name as CSL-JSON has it; `literal` is for institutions, and for names of one word."""
    return {"family": name.family, "given": name.given} if name.given else {"literal": name.family}


def _csl_json(source: _Source) -> str:
    return json.dumps([csl_item(source.passage)], ensure_ascii=False, indent=2)


def _format_markdown(source: _Source) -> str:
    """Return the best sentence of the passage, or all of it, as a quotation with a Chicago note below it."""
    passage = source.passage
    text = passage.sentence or passage.text
    quotation = "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))
    return f"{quotation}\n>\n> — {_chicago_note(source, f'*{source.title}*')}"


_STYLES: Mapping[CitationStyle, Callable[[_Source], str]] = {
    CitationStyle.CHICAGO: _format_chicago,
    CitationStyle.APA: _format_apa,
    CitationStyle.MLA: _format_mla,
    CitationStyle.BIBTEX: _format_bibtex,
    CitationStyle.CSL_JSON: _csl_json,
    CitationStyle.MARKDOWN: _format_markdown,
}
