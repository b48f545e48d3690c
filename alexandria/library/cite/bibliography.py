"""Books as other programs read them: BibTeX, RIS and CSL-JSON, with keys that stay the same."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from alexandria.book.choices import BibliographyFormat
from alexandria.book.people import AUTHOR, EDITOR, TRANSLATOR, Contributor
from alexandria.library.cite.styles import Locator, Work, ordinal
from alexandria.library.cite.works import cited_place, cited_work, work_of_record
from alexandria.store.passage import Passage
from alexandria.store.record import Record

_LONG_WORD = 4  # letters of a word of a title that may stand in a key


def bibliography(
    records: Sequence[Record],
    format: BibliographyFormat,
    *,
    library: Sequence[Record] = (),
    passages: Sequence[Passage] = (),
) -> str:
    """Return books in a format of another program, each once, however often it is given.

    Args:
        passages: places in some of the books: instead of these, chapters with authors of their own.
        library: all books of the library, by which keys are told apart; by default these books.
    """
    keys = keys_of(library or records)
    places = {passage.book_id: passage for passage in passages}
    works = dict(_keyed_work(record, places.get(record.book_id), keys) for record in records).items()
    if format is BibliographyFormat.CSL_JSON:
        return json.dumps([csl_item(key, work) for key, work in works], ensure_ascii=False, indent=2)
    write = _bibtex_entry if format is BibliographyFormat.BIBTEX else _ris_entry
    return "\n".join(write(key, work) for key, work in works)


def csl_citation(passages: Sequence[tuple[Record, Passage]], *, library: Sequence[Record]) -> dict[str, Any]:
    """Return hits as a citation of CSL: the books as items, and the place in the cite-item alone."""
    keys = keys_of(library)
    items = []
    for record, passage in passages:
        key, work = _keyed_work(record, passage, keys)
        item = {"id": key, "itemData": csl_item(key, work)}
        items.append({**item, **csl_locator(cited_place(passage))})
    return {
        "schema": "https://resource.citationstyles.org/schema/latest/input/json/csl-citation.json",
        "citationID": keys[passages[0][0].book_id] if passages else "none",
        "citationItems": items,
        "properties": {"noteIndex": 0},
    }


def _keyed_work(record: Record, passage: Passage | None, keys: Mapping[str, str]) -> tuple[str, Work]:
    """Return the work that a passage is cited as, with its key: a chapter has a key of its own."""
    work = cited_work(record, passage)
    return (_base_key(record, work) if work.chapter else keys[record.book_id]), work


def csl_locator(place: Locator) -> dict[str, str]:
    """Return a place as the fields of a cite-item; what CSL has no word for is a chapter."""
    for label, value in (
        ("page", place.page or place.file_page),
        ("chapter" if place.division in ("letter", "canto") else place.division, place.chapter),
        ("verse" if ":" in place.section else "section", place.section),
    ):
        if value:
            return {"locator": value, "label": label}
    return {}


def keys_of(records: Sequence[Record]) -> dict[str, str]:
    """Return the key of each book by its id, such as `russell1912problems`.

    It has the family name, the year of the first edition and the first longer word of the title, in ASCII.
    Books with the same are told apart by a, b … in the order of title and id, so that a book keeps its key.
    """
    groups: dict[str, list[Record]] = {}
    for record in {record.book_id: record for record in records}.values():
        groups.setdefault(_base_key(record, work_of_record(record)), []).append(record)
    keys = {}
    for base, group in groups.items():
        for n, record in enumerate(sorted(group, key=lambda record: (record.title, record.book_id))):
            keys[record.book_id] = base if len(group) == 1 else f"{base}{_letters(n)}"
    return keys


def _letters(n: int) -> str:
    """Return a, b … z, aa, ab …"""
    return (_letters(n // 26 - 1) if n >= 26 else "") + chr(ord("a") + n % 26)


def _base_key(record: Record, work: Work) -> str:
    from anyascii import anyascii

    makers = (person for person in work.people if person.role in (AUTHOR, EDITOR))
    first = next((person.family or person.literal for person in makers), "")
    words = re.findall(r"[A-Za-z]+", anyascii(work.chapter or work.title))
    word = next((word for word in words if len(word) >= _LONG_WORD), "".join(words[:1]))
    name = re.sub(r"[^a-z]", "", anyascii(first).lower())
    key = f"{name}{work.original_year or work.year}{word.lower()}"
    return key if re.search("[a-z]", key) else f"book{record.book_id[:8]}"


# --- BibTeX ---------------------------------------------------------------------------------------------


def _bibtex_entry(key: str, work: Work) -> str:
    fields = {
        "author": _bibtex_names(work.by(AUTHOR)),
        "editor": _bibtex_names(work.by(EDITOR)),
        "translator": _bibtex_names(work.by(TRANSLATOR)),
        "title": _escape_tex(work.chapter or _whole_title(work)),
        "booktitle": _escape_tex(_whole_title(work)) if work.chapter else "",
        "edition": _escape_tex(ordinal(work.edition)),
        "journal": _escape_tex(work.container),
        "volume": _escape_tex(work.container_volume or work.volume),
        "series": _escape_tex(work.series),
        "number": _escape_tex(work.issue or work.number),
        "pages": work.pages.replace("–", "--"),
        # In braces, since readers of BibTeX take "Sheed and Ward" for two publishers.
        "school" if work.thesis("PhD") else "publisher": re.sub(
            ".* and .*", r"{\g<0>}", _escape_tex(work.publisher)
        ),
        "address": re.sub(".* and .*", r"{\g<0>}", _escape_tex(work.place)),
        "year": work.year,
        "origyear": work.original_year,
        "isbn": work.isbn,
        "url": work.url.replace("{", "%7B").replace("}", "%7D"),
        "langid": work.language,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    thesis = {"PhD": "phdthesis", "": ""}.get(work.thesis("PhD"), "mastersthesis")
    kind = "article" if work.container else "incollection" if work.chapter else thesis or "book"
    return "\n".join([f"@{kind}{{{key},", *lines, "}\n"])


def _whole_title(work: Work) -> str:
    """Return the title with the subtitle and the title of the volume, for formats with one field for them."""
    return ": ".join(part for part in (work.title, work.subtitle, work.volume_title) if part)


def _bibtex_names(people: Sequence[Contributor]) -> str:
    return " and ".join(_bibtex_name(person) for person in people)


def _bibtex_name(person: Contributor) -> str:
    if person.literal or not person.given:
        return f"{{{_escape_tex(person.literal or person.family)}}}"
    family = " ".join(part for part in (person.particle, person.family) if part)
    return _escape_tex(", ".join(part for part in (family, person.suffix, person.given) if part))


_TEX_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}#$%&_"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
    }
)


def _escape_tex(value: str) -> str:
    return value.translate(_TEX_ESCAPES)


# --- RIS ------------------------------------------------------------------------------------------------

_RIS_ROLES = {AUTHOR: "AU", EDITOR: "ED", TRANSLATOR: "A4"}


def _ris_entry(key: str, work: Work) -> str:
    named = (person for person in work.people if person.role in _RIS_ROLES)
    people = [(_RIS_ROLES[person.role], _ris_name(person)) for person in named]
    first_page, _, last_page = work.pages.partition("–")
    thesis = "THES" if work.thesis("PhD") else ""
    kind = "JOUR" if work.container else "CHAP" if work.chapter else thesis or "BOOK"
    fields = [
        ("TY", kind),
        ("ID", key),
        *people,
        ("TI", work.chapter or _whole_title(work)),
        ("T2", _whole_title(work) if work.chapter else work.container),
        ("VL", work.container_volume or work.volume),
        ("IS", work.issue),
        ("SP", first_page),
        ("EP", last_page),
        ("T3", work.series),
        ("SV", work.number),
        ("ET", "" if work.thesis("PhD") else work.edition),
        ("PB", work.publisher),
        ("CY", work.place),
        ("PY", work.year),
        ("OP", work.original_year),
        ("SN", work.isbn),
        ("UR", work.url),
        ("LA", work.language),
    ]
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in fields if value]
    return "\n".join([*lines, "ER  - \n"])


def _ris_name(person: Contributor) -> str:
    if person.literal or not person.given:
        return person.literal or person.family
    family = " ".join(part for part in (person.particle, person.family) if part)
    return ", ".join(part for part in (family, person.given, person.suffix) if part)


# --- CSL-JSON -------------------------------------------------------------------------------------------


def csl_item(key: str, work: Work) -> dict[str, Any]:
    """Return a work as an item of CSL-JSON, which Zotero and Pandoc read."""
    item: dict[str, Any] = {"id": key, "type": "book"}
    colon = "" if work.title.endswith(("?", "!")) else ":"
    item["title"] = f"{work.title}{colon} {work.subtitle}" if work.subtitle else work.title
    if work.subtitle:
        item["title-short"] = work.title
    if work.chapter:
        item |= {"type": "chapter", "title": work.chapter, "container-title": item["title"]}
        item.pop("title-short", None)
    if work.container:
        item |= {"type": "article-journal", "container-title": work.container}
    elif genre := work.thesis("Doctoral dissertation"):
        item |= {"type": "thesis", "genre": genre}
    roles: dict[str, list[Mapping[str, str]]] = {}
    for person in work.people:
        if person.role in _CSL_ROLES:
            roles.setdefault(_CSL_ROLES[person.role], []).append(csl_name(person))
    values = {
        "edition": "" if work.thesis("PhD") else work.edition,
        "collection-title": work.series,
        "collection-number": work.number,
        "volume": work.container_volume or work.volume,
        "issue": work.issue,
        "page": work.pages,
        "volume-title": work.volume_title,
        "publisher": work.publisher,
        "publisher-place": work.place,
        "ISBN": work.isbn,
        "URL": work.url,
        "language": work.language,
    }
    item |= {**roles, **{name: value for name, value in values.items() if value}}
    for name, year in (("issued", work.year), ("original-date", work.original_year)):
        if year:
            item[name] = {"date-parts": [[int(year)]]}
    return item


_CSL_ROLES = {
    **{role: role for role in (AUTHOR, EDITOR, TRANSLATOR, "illustrator", "compiler", "narrator")},
    "contributor": "contributor",
}


def csl_name(person: Contributor) -> dict[str, str]:
    """Return a name as CSL-JSON has it."""
    if person.literal or not person.given:
        return {"literal": person.literal or person.family}
    name = {"family": person.family, "given": person.given}
    if person.particle:
        name["non-dropping-particle"] = person.particle
    if person.suffix:
        name["suffix"] = person.suffix
    return name
