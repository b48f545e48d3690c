"""A stored book as a work to be cited, with its people and imprint; a passage as a place in it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from unicodedata import normalize

from alexandria.book.headings import arabic, heading_in_digits
from alexandria.book.model import ARTICLE_KEYS
from alexandria.book.people import AUTHOR, EDITOR, TRANSLATOR, Contributor, people_of
from alexandria.book.words import fold_text
from alexandria.library.cite.styles import Locator, Work, makers_of, without_article
from alexandria.store.passage import Passage
from alexandria.store.record import Record


def work_of_record(record: Record) -> Work:
    """Return a stored book as a work."""
    volume = record.as_volume
    title, subtitle = _divide_title(volume.work, record.subtitle)
    doi = next((match[1] for match in map(_DOI.fullmatch, record.identifiers) if match), "")
    is_file = record.format in ("epub", "mobi") and bool(record.url)
    return Work(
        title=title,
        subtitle=subtitle,
        people=people_of_record(record),
        edition=record.edition,
        publisher=record.publisher.strip(),
        place=record.place,
        year=year_of(record.date),
        original_year=_other_year(record),
        volume=volume.number,
        volume_title=volume.title,
        series=volume.series,
        number=volume.part,
        isbn=next((isbn for isbn in map(parse_isbn, record.identifiers) if isbn), ""),
        url=f"https://doi.org/{doi}" if doi and record.container else record.url,
        medium=record.format.upper() if is_file else "",
        language=record.language or "",
        title_names=record.title_names,
        **{name: getattr(record, name) for name in ARTICLE_KEYS},
    )


_DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)


def cited_work(record: Record, passage: Passage | None) -> Work:
    """Return the chapter of a passage, if it has authors of its own, or else the book.

    Who a book of such chapters names as its authors are its editors, unless it states others.
    """
    work = work_of_record(record)
    authors = people_of(passage.chapter_author or "", language=record.language) if passage else ()
    if passage is None or {one.name for one in authors} <= {one.name for one in work.by(AUTHOR)}:
        return work
    others = [one for one in work.people if one.role != AUTHOR]
    if not work.by(EDITOR):
        others += [replace(one, role=EDITOR) for one in work.by(AUTHOR)]
    title = _NUMBER_BEFORE_TITLE.sub("", passage.chapter_title or "", count=1)
    return replace(work, chapter=title, people=(*authors, *others))


def reference_order(record: Record) -> tuple[str, str, str]:
    """Return the sort key of a book in a list of references: who made it, its year and its title."""
    work = work_of_record(record)
    title = fold_text(without_article(work.title))
    makers = [f"{maker.family or maker.literal}, {maker.given}" for maker in makers_of(work)]
    return fold_text("; ".join(makers)) or title, work.year, title


def people_of_record(record: Record) -> tuple[Contributor, ...]:
    """Return the people who made a book; those of a book that only names its authors are divided."""
    if record.people:
        return record.people
    authors = people_of(record.author, language=record.language, role=AUTHOR)
    translators = [people_of(name, role=TRANSLATOR) for name in record.translators]
    return (*authors, *(person for people in translators for person in people))


def _divide_title(title: str, subtitle: str) -> tuple[str, str]:
    """Return title and subtitle; a title with one colon is divided there if no subtitle is known."""
    title = " ".join(title.split())
    if subtitle or title.count(": ") != 1:
        return title, " ".join(subtitle.split())
    main, _, rest = title.partition(": ")
    return main, rest


_CHINESE_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")


def year_of(date: str) -> str:
    """Return the year in a date; empty if there is none."""
    date = normalize("NFKC", date).translate(_CHINESE_DIGITS)
    if match := re.search(r"(?<!\d)[12]\d{3}(?=[01]\d[0-3]\d|\D|$)|\bM[CDM][MDCLXVI]+\b", date):
        return arabic(match[0])
    early = re.fullmatch(r"0*([1-9]\d{0,2})(?:-\d\d.*|\s*(?:AD|CE))?", date.strip())
    return early[1] if early and early[1] != "101" else ""  # 101 is Calibre's for an unknown year


def _other_year(record: Record) -> str:
    original = year_of(record.original_date)
    return original if original != year_of(record.date) else ""


def parse_isbn(identifier: str) -> str:
    """Return the digits of an identifier, with its hyphens, if it is an ISBN; otherwise an empty string."""
    text = re.sub(r"^(?:urn:)?isbn:?\s*", "", identifier.strip(), flags=re.IGNORECASE)
    return text if re.fullmatch(r"97[89]\d{10}|\d{9}[\dXx]", re.sub(r"[\s-]", "", text)) else ""


def cited_place(passage: Passage) -> Locator:
    """Return the place of a passage: a verse, a printed page, one counted in the file, or its chapter."""
    if passage.verse:
        return Locator(section=passage.cited_verse)
    page = passage.page or ""
    if page and any(start.label for start in passage.cited_pages):
        return Locator(page=page)
    if page:
        return Locator(file_page=page)
    section = passage.section
    if title := passage.chapter_title:  # the reference has it
        section = tuple("\n".join(section).partition(title)[2].split("\n")[1:])
    return division_of(section) if section else Locator()


_DIVISIONS = {
    **dict.fromkeys(("chapter", "chap.", "kapitel", "chapitre", "capítulo", "capitolo"), "chapter"),
    **dict.fromkeys(("book", "buch", "livre", "libro"), "book"),
    **dict.fromkeys(("part", "teil", "partie", "parte"), "part"),
    **dict.fromkeys(("volume", "vol.", "band", "tome", "tomo"), "volume"),
    **dict.fromkeys(("letter", "brief", "lettre", "carta", "lettera"), "letter"),
    **dict.fromkeys(("act", "akt", "acte", "acto", "atto"), "act"),
    **dict.fromkeys(("canto", "gesang", "chant"), "canto"),
}
_NUMBERED = re.compile(
    rf"({'|'.join(map(re.escape, _DIVISIONS))})\s+([IVXLCDM]+|\d+)\b.*|([IVXLCDM]+|\d+)(?:[.:]\s.*|\.?)",
    re.IGNORECASE,
)
_NUMBER_BEFORE_TITLE = re.compile(r"(?:(?:chapter|kapitel|chapitre)\s)?(?:[IVXLCDM]+|\d+)[.:]\s(?=\S)", re.I)
_NUMBER_BEFORE_CAPITALS = re.compile(r"([IVXLCDM]{2,}|\d{1,3})\s+[^\W\d].*")
"""`VI HOW CANDIDE WAS WHIPPED`; one letter may be a word."""
_MAX_CHAPTERS = 200  # higher numbers are words, such as MIX, or years


_SCENE = re.compile(r"(?:scene|szene|scène|scena|escena)\s+([IVXLCDM]+|\d+)\b.*", re.IGNORECASE)


def division_of(headings: Sequence[str]) -> Locator:
    """Return the chapter with its number and that of the book, part and the like that it is in.

    A chapter without a number is cited by its heading, and a scene of an act as a section such as 1.5, as the
    manuals cite plays. A number inside a chapter is that of a section, which is not cited.
    """
    if scene := _SCENE.fullmatch(headings[-1].strip()):
        place = division_of(headings[:-1]) if len(headings) > 1 else Locator()
        if place.division == "act":
            return Locator(section=f"{arabic(place.chapter)}.{arabic(scene[1])}")
    numbers: dict[str, str] = {}
    heading = ""  # of a chapter without a number
    for text in map(str.strip, headings):
        if match := _NUMBERED.fullmatch(text) or _NUMBERED.fullmatch(heading_in_digits(text)):
            division, number = _DIVISIONS.get((match[1] or "").lower(), "chapter"), match[2] or match[3]
        elif text.isupper() and (match := _NUMBER_BEFORE_CAPITALS.fullmatch(text)) and _is_chapter(match[1]):
            division, number = "chapter", match[1]
        else:
            heading = heading or text if numbers else ""
            continue
        if division != "chapter" or "chapter" not in numbers:
            numbers[division], heading = number.upper(), ""
    if not numbers or (heading and numbers.keys() <= _OUTER):
        return Locator(chapter=heading or headings[-1].strip(), outer=tuple(numbers.items()))
    *outer, (division, number) = numbers.items()
    return Locator(chapter=number, division=division, outer=tuple(outer))


_OUTER = {"book", "part", "volume"}


def _is_chapter(number: str) -> bool:
    return arabic(number).isdecimal() and int(arabic(number)) < _MAX_CHAPTERS


_E_BOOKS = re.compile(r"\be-?books?\b|gutenberg|wikisource|feedbooks|\bclassics\b", re.IGNORECASE)


def is_year_of_e_book(record: Record) -> bool:
    """Return whether the only year known is that of an e-book made from a printed one, or may be.

    An e-book without a publisher states when it was made.
    """
    is_edition = record.original_date or any(map(parse_isbn, record.identifiers))
    is_unpublished = not record.publisher and record.format in ("epub", "mobi", "fb2")
    is_e_book = is_unpublished or _E_BOOKS.search(record.publisher)
    return bool(year_of(record.date) and is_e_book and not is_edition)


def year_of_work(record: Record) -> str:
    """Return the year of a work, not of the e-book that was made from it; empty if it is not known."""
    return year_of(record.original_date) or ("" if is_year_of_e_book(record) else year_of(record.date))
