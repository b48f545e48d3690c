"""Citations to paste: what a book states about itself and the page of a passage, in the usual styles.

The forms are written out here. citeproc-py would need the styles' repository besides (10 MB, CC BY-SA) for
one kind of source, a book with a page.
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
    """A person: `Mary`, `Shelley`; an institution, or a name of one word, has no given name."""

    family: str
    given: str = ""

    @property
    def inverted(self) -> str:
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def straight(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def initials(self) -> str:
        """As APA prints it: `Shelley, M. W.`"""
        initials = " ".join(f"{part[0]}." for part in re.split(r"[\s.]+", self.given) if part)
        return f"{self.family}, {initials}" if initials else self.family


@dataclass(frozen=True, slots=True)
class _Source:
    """What is cited."""

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
        payload = passage.payload
        year = re.search(r"\d{4}", str(payload.get("date") or ""))
        identifiers = [str(one) for one in payload.get("identifiers") or ()]
        return cls(
            passage=passage,
            authors=names_of(passage.author),
            translators=tuple(
                name for one in payload.get("translators") or () for name in names_of(str(one))
            ),
            title=" ".join(passage.title.split()),
            publisher=str(payload.get("publisher") or ""),
            year=year[0] if year else "",
            isbn=next((isbn for one in identifiers if (isbn := _isbn(one))), ""),
            page=passage.page or "",
            section=passage.section[-1] if passage.section else "",
        )

    @property
    def printed(self) -> bool:
        """Whether the page is one that a reader of the printed book finds."""
        return any(page.label for page in self.passage.cited_pages)


_PARTICLES = frozenset(
    [
        "von",
        "van",
        "de",
        "der",
        "den",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "du",
        "la",
        "le",
        "ten",
        "ter",
        "zu",
    ]
)
_SUFFIXES = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)


def names_of(authors: str) -> tuple[_Name, ...]:
    """Return the persons in a list of names, each written `Mary Shelley` or `Shelley, Mary`."""
    if ";" in authors:
        return tuple(_name(one) for one in authors.split(";") if one.strip())
    parts = [part.strip() for part in authors.split(",") if part.strip()]
    if len(parts) == 2 and len(parts[0].split()) == 1 and not _SUFFIXES.fullmatch(parts[1]):
        return (_Name(parts[0], parts[1]),)
    merged: list[str] = []
    for part in parts:
        if merged and _SUFFIXES.fullmatch(part):
            merged[-1] += f" {part}"
        else:
            merged.append(part)
    return tuple(_name(one) for one in merged)


def _name(text: str) -> _Name:
    family, comma, given = text.partition(",")
    if comma and not _SUFFIXES.fullmatch(given.strip()):
        return _Name(family.strip(), given.strip())
    words = text.replace(",", "").split()
    last = len(words) - 1
    if last > 0 and _SUFFIXES.fullmatch(words[last]):
        last -= 1
    while last > 1 and words[last - 1].lower() in _PARTICLES and words[last - 1].islower():
        last -= 1
    return _Name(" ".join(words[last:]), " ".join(words[:last]))


def _isbn(identifier: str) -> str:
    digits = re.sub(r"[\s-]|^(?:urn:)?isbn:?", "", identifier, flags=re.IGNORECASE)
    return digits if re.fullmatch(r"97[89]\d{10}|\d{9}[\dXx]", digits) else ""


def _and(names: list[str], word: str) -> str:
    """Return a list of names: `A and B`, `A, B, and C`."""
    if len(names) < 2:
        return "".join(names)
    comma = "," if len(names) > 2 or word == "&" else ""
    return f"{', '.join(names[:-1])}{comma} {word} {names[-1]}"


def _locator(source: _Source, one: str, several: str, file: str) -> str:
    """Return the page with a word before it, or the section where the book has no pages."""
    if not source.page:
        return f"“{source.section}”" if source.section else ""
    word = several if "–" in source.page else one
    return f"{word}{source.page}" if source.printed else f"{file}{source.page}"


def _chicago(source: _Source) -> str:
    """A note of the Chicago Manual of Style (17th edition), 14.100 and following."""
    names = [name.straight for name in source.authors]
    authors = f"{names[0]} et al." if len(names) > 3 else _and(names, "and")
    translators = _and([name.straight for name in source.translators], "and")
    title = f"{source.title}, trans. {translators}" if translators else source.title
    imprint = ", ".join(part for part in (source.publisher, source.year) if part)
    head = ", ".join(part for part in (authors, title) if part)
    head = f"{head} ({imprint})" if imprint else head
    locator = _locator(source, "", "", "page of the file ")
    return ", ".join(part for part in (head, locator) if part) + "."


def _apa(source: _Source) -> str:
    """A reference of the APA (7th edition), with the page in brackets as in the text."""
    names = [name.initials for name in source.authors]
    authors = _and(names, "&")
    year = f"({source.year or 'n.d.'})."
    translators = _and([_initials_first(name) for name in source.translators], "&")
    title = f"{source.title} ({translators}, Trans.)" if translators else source.title
    locator = _locator(source, "p. ", "pp. ", "page of the file ")
    ending = f"{title} [{locator}]." if locator else f"{title}."
    head = [f"{authors} {year}", ending] if authors else [ending, year]
    return " ".join([*head, *([f"{source.publisher.rstrip('.')}."] if source.publisher else [])])


def _initials_first(name: _Name) -> str:
    family, _, initials = name.initials.partition(", ")
    return f"{initials} {family}".strip()


def _mla(source: _Source) -> str:
    """An entry of the MLA Handbook (9th edition)."""
    names = (
        [source.authors[0].inverted, *(name.straight for name in source.authors[1:])]
        if source.authors
        else []
    )
    authors = f"{names[0]}, et al" if len(names) > 2 else _mla_pair(names)
    translators = _and([name.straight for name in source.translators], "and")
    imprint = [f"Translated by {translators}" if translators else "", source.publisher, source.year]
    locator = _locator(source, "p. ", "pp. ", "page of the file ")
    if not any(imprint):  # directly after the title's full stop, where MLA has capitals
        locator = locator[:1].upper() + locator[1:]
    parts = [authors, source.title, ", ".join(part for part in (*imprint, locator) if part)]
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


def _mla_pair(names: list[str]) -> str:
    return ", and ".join(names)


def _bibtex(source: _Source) -> str:
    entry = {
        "author": " and ".join(name.inverted for name in source.authors),
        "title": source.title,
        "translator": " and ".join(name.inverted for name in source.translators),
        "publisher": source.publisher,
        "year": source.year,
        "isbn": source.isbn,
        "pages": source.page.replace("–", "--") if source.printed else "",
        "note": _note(source),
    }
    lines = [f"  {key} = {{{_escaped(value)}}}," for key, value in entry.items() if value]
    return "\n".join([f"@book{{{_key(source)},", *lines, "}"])


def _note(source: _Source) -> str:
    if source.page and not source.printed:
        return f"page of the file {source.page}"
    return "" if source.page else source.section


def _escaped(value: str) -> str:
    """Return a value in which BibTeX's and TeX's own characters are ordinary ones."""
    value = value.replace("\\", r"\textbackslash ")
    return re.sub(r"([{}#$%&_])", r"\\\1", value)


def _key(source: _Source) -> str:
    import unicodedata

    family = source.authors[0].family if source.authors else ""
    word = next((word for word in re.findall(r"\w+", source.title) if len(word) > 3), source.title)
    plain = unicodedata.normalize("NFKD", f"{family}{source.year}{word}".lower())
    return re.sub(r"[^a-z0-9]", "", plain) or f"book{source.passage.book_id[:8]}"


def csl_item(passage: Passage) -> dict[str, Any]:
    """Return a passage as an item of CSL-JSON, which Zotero and Pandoc read, with `locator` and `label`."""
    source = _Source.of(passage)
    item: dict[str, Any] = {"id": _key(source), "type": "book", "title": source.title}
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
    """Return passages as one list of CSL-JSON, each item with an id of its own."""
    items = [csl_item(passage) for passage in passages]
    seen: Counter[str] = Counter()
    for item in items:
        seen[item["id"]] += 1
        if seen[item["id"]] > 1:
            item["id"] += f"-{seen[item['id']]}"
    return items


def _csl_name(name: _Name) -> Mapping[str, str]:
    return {"family": name.family, "given": name.given} if name.given else {"literal": name.family}


def _csl_json(source: _Source) -> str:
    return json.dumps([csl_item(source.passage)], ensure_ascii=False, indent=2)


def _markdown(source: _Source) -> str:
    """The words found, as a quotation, with a Chicago note below it."""
    passage = source.passage
    words = passage.sentence or passage.text
    quoted = "\n".join(f"> {line}".rstrip() for line in words.strip().split("\n"))
    return f"{quoted}\n>\n> — {_chicago(source).replace(source.title, f'*{source.title}*', 1)}"


_STYLES: Mapping[CitationStyle, Callable[[_Source], str]] = {
    CitationStyle.CHICAGO: _chicago,
    CitationStyle.APA: _apa,
    CitationStyle.MLA: _mla,
    CitationStyle.BIBTEX: _bibtex,
    CitationStyle.CSL_JSON: _csl_json,
    CitationStyle.MARKDOWN: _markdown,
}
