"""References and in-text citations in six styles, by the rules of their manuals.

APA (7th edition), MLA (9th), Chicago (18th: notes, and author-date), Harvard (Cite Them Right), ISO 690. Each
is a pair of functions. Any other style goes through `csl.py` and citeproc-py, which was tried for these six
too: it prints initials where MLA and Chicago want whole names.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.book.headings import arabic, number_in_digits
from alexandria.book.languages import primary_language
from alexandria.book.people import AUTHOR, EDITOR, PARTICLES, TRANSLATOR, Contributor
from alexandria.book.word_lists import read_word_sets

ITALIC, ROMAN = "\ue000", "\ue001"
"""What begins and ends italics in a formatted text; `alexandria.passages.markup` renders them."""
OPEN_QUOTE, CLOSE_QUOTE = "“", "”"
_THESIS = re.compile(r"\b(?:thesis|dissertation)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A book as a reference names it; what is unknown is empty."""

    title: str
    subtitle: str = ""
    chapter: str = ""  # the title of a chapter with authors of its own, in a book that others edited
    container: str = ""  # the journal that it is an article of; empty for a book
    container_volume: str = ""
    issue: str = ""
    pages: str = ""  # those of the article
    people: tuple[Contributor, ...] = ()
    edition: str = ""  # a number, or words such as `revised edition`
    publisher: str = ""
    place: str = ""
    year: str = ""
    original_year: str = ""
    volume: str = ""  # the number of the volume, for one of a work in several volumes
    volume_title: str = ""  # its own title
    series: str = ""
    number: str = ""  # the number in the series
    isbn: str = ""
    url: str = ""
    accessed: str = ""  # the day on which the address was visited: `2026-11-26`
    medium: str = ""  # `EPUB` and the like, for a book that is cited as a file
    language: str = ""
    title_names: tuple[str, ...] = ()  # words of title and subtitle that are names: they keep their capitals
    letter: str = ""  # after the year, where other works of these authors have the same one: `a`
    is_repeated: bool = False  # whether the reference before it in a list is by the same authors
    has_namesakes: bool = False  # whether other works by these authors are cited with it

    def by(self, role: str) -> tuple[Contributor, ...]:
        """Return the people of a role."""
        return tuple(person for person in self.people if person.role == role)

    def thesis(self, doctoral: str) -> str:
        """Return what the edition says of a thesis, a doctoral one in the words given; empty for others."""
        if not _THESIS.search(self.edition):
            return ""
        is_doctoral = re.match(r"doctor|ph\.?\s?d|d\.?\s?phil", self.edition, re.IGNORECASE)
        return doctoral if is_doctoral else self.edition

    @property
    def is_english(self) -> bool:
        """Whether titles follow the rules of English capitals."""
        return primary_language(self.language) in ("en", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """A place in a book; at most one of page, page of the file, chapter and section is set."""

    page: str = ""  # as printed, or a range of pages: `51–53`
    file_page: str = ""  # a page that is counted in the file, where no printed number is known
    chapter: str = ""  # its number as printed, or else its heading
    division: str = "chapter"
    """What the book calls that chapter, in English: `book`, `part`, `volume`, `letter`, `act` or `canto`."""
    outer: tuple[tuple[str, str], ...] = ()
    """What that is in, from the outermost, each with its number: `("part", "II")`."""
    section: str = ""  # a canonical number, such as `514a`, or a verse, `Genesis 3:16`


@dataclass(frozen=True, slots=True)
class CitationRules:
    """A style: how a reference and an in-text citation are written."""

    reference: Callable[[Work], str]
    in_text: Callable[[Work, Locator], str]


def lettered(works: Sequence[Work]) -> list[Work]:
    """Return works that are cited together, with what tells apart those of the same authors.

    Works by the same authors in the same year get the letters a, b … in the order of their titles.
    """
    distinct = dict.fromkeys(replace(work, accessed="", title_names=()) for work in works)
    same: dict[tuple[object, str], list[Work]] = {}
    for work in distinct:
        same.setdefault((makers_of(work), work.year), []).append(work)
    letters: dict[Work, str] = {}
    for (makers, _), group in same.items():
        if makers and len(group) > 1:
            for n, work in enumerate(sorted(group, key=_order_in_year)):
                letters[work] = chr(ord("a") + n % 26)
    titles: dict[object, set[str]] = {}
    for work in works:
        titles.setdefault(makers_of(work), set()).add(work.title)
    result = []
    previous_makers: object = ()
    for work in works:
        makers = makers_of(work)
        has_namesakes = bool(makers) and len(titles[makers]) > 1
        is_repeated = has_namesakes and makers == previous_makers
        letter = letters.get(replace(work, accessed="", title_names=()), "")
        result.append(replace(work, letter=letter, has_namesakes=has_namesakes, is_repeated=is_repeated))
        previous_makers = makers
    return result


def _order_in_year(work: Work) -> tuple[str, int, str]:
    return without_article(work.title).casefold(), len(work.volume), f"{work.volume} {work.chapter}"


def makers_of(work: Work) -> tuple[Contributor, ...]:
    """Return the authors of a work, or else its editors."""
    return work.by(AUTHOR) or work.by(EDITOR)


# --- titles ---------------------------------------------------------------------------------------------

TITLE_WORD = re.compile(r"(?:O[’'])?[^\W\d_]+")
"""A word of a title that is a name or not: `Moby` and `Dick` in *Moby-Dick*, `Alice` in *Alice’s*."""

_WORDS = read_word_sets(Path(__file__).with_suffix(".txt"))
_SMALL = _WORDS["small words"]
_PREPOSITIONS = _WORDS["prepositions"]


def italic(text: str) -> str:
    """Return a text in italics."""
    return f"{ITALIC}{text}{ROMAN}"


def plain(text: str) -> str:
    """Return a text without italics."""
    return text.replace(ITALIC, "").replace(ROMAN, "")


def _full_title(
    work: Work, change: Callable[[str], str] = str, *, subtitle: Callable[[str], str] | None = None
) -> str:
    """Return title and subtitle, joined by a colon unless the title ends with a mark of its own."""
    title = change(work.title)
    if not work.subtitle:
        return title
    rest = (subtitle or change)(work.subtitle)
    return f"{title} {rest}" if title.endswith(("?", "!")) else f"{title}: {rest}"


def sentence_case(text: str, work: Work) -> str:
    """Return an English title with a capital at its beginning and in names alone; others as they are.

    Kept are words with a capital inside or all capitals, *I*, the names of those who made the book, and
    `Work.title_names`.
    """
    if not work.is_english or not _is_headline(text):
        return text
    names = _name_words(work)
    words = re.split(r"(\s+)", text)
    kept = [_sentence_word(word, names) for word in words]
    begins = next((i for i, word in enumerate(words) if word.strip()), 0)
    kept[begins] = words[begins]
    for i, word in enumerate(words[:-2]):  # after a mark that ends a sentence
        if word.endswith(("?", "!", ":")) and i + 2 < len(words):
            kept[i + 2] = words[i + 2]
    return "".join(kept)


def _name_words(work: Work) -> set[str]:
    """Return the words that are names: those of the people who made a book, and those of its title."""
    people = [f"{person.given} {person.family}" for person in work.people if person.family]
    return {*TITLE_WORD.findall(" ".join(people)), *work.title_names}


def _sentence_word(word: str, names: set[str]) -> str:
    core = re.sub(r"^\W+|\W+$", "", word)
    if re.search(r"\w[A-Z]|[.\d]", core) or (len(core) > 1 and core.isupper()):
        return word
    return TITLE_WORD.sub(lambda part: part[0] if part[0] in {*names, "I"} else part[0].lower(), word)


def _is_headline(text: str) -> bool:
    """Return whether most longer words begin with a capital, as in titles on covers."""
    words = [word for word in re.findall(r"[^\W\d_]+", text)[1:] if len(word) > 3]
    return not words or sum(word[0].isupper() for word in words) * 2 >= len(words)


def headline_case(text: str, work: Work, *, long_prepositions: bool = False) -> str:
    """Return an English title with capitals at its words, but for small ones inside; others as they are.

    With `long_prepositions`, prepositions of five letters and more get a capital too, as in Chicago.
    """
    if not work.is_english:
        return text
    words = text.split(" ")
    return " ".join(
        word
        if 0 < i < len(words) - 1 and _is_small(word, long_prepositions=long_prepositions)
        else _capitalised(word)
        for i, word in enumerate(words)
    )


def _is_small(word: str, *, long_prepositions: bool) -> bool:
    core = re.sub(r"\W", "", word)
    return core in _SMALL or (core in _PREPOSITIONS and not (long_prepositions and len(core) > 4))


def _capitalised(word: str) -> str:
    match = re.search(r"[^\W\d_]", word)
    if match is None or "’" in word[: match.start()]:
        return word
    return word[: match.start()] + word[match.start()].upper() + word[match.start() + 1 :]


def without_article(title: str) -> str:
    """Return an English title without its article, as it is sorted."""
    return re.sub(r"^(?:The|A|An)\s+", "", title)


# --- names ----------------------------------------------------------------------------------------------


def initials(given: str, *, space: str = " ") -> str:
    """Return given names as initials: `T. S.`, `J.-P.`, `M. de C.`; with an empty `space`, without spaces."""
    parts = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", given.replace(".", ". "))
    short = ["-".join(map(_initial, part.split("-"))) for part in parts]
    return re.sub(r"(?<=\.) (?=\w[.-])", space, " ".join(short))


def _initial(name: str) -> str:
    return name if len(name) > 1 and name in PARTICLES else f"{name[0]}."


_KEPT_BEFORE = _WORDS["particles"]  # particles of Romance languages, which APA writes before the family name


def _apa_family(person: Contributor) -> str:
    keeps = person.particle.split()[:1] and person.particle.split()[0].lower() in _KEPT_BEFORE
    return f"{person.particle} {person.family}".replace("’ ", "’") if keeps else person.family


def _apa_name(person: Contributor) -> str:
    return _sorted_name(person, initials(person.given), _apa_family(person))


def _harvard_name(person: Contributor) -> str:
    return _sorted_name(person, initials(person.given, space=""), person.family)


def _inverted(person: Contributor) -> str:
    """Return a name as MLA and Chicago begin a reference: `Beauvoir, Simone de`."""
    return person.straight if person.is_family_first else _sorted_name(person, person.given, person.family)


def _sorted_name(person: Contributor, given: str, family: str) -> str:
    """Return a name with the family name first, which may have the particle in it: `Meer, J. van der`."""
    if _is_whole(person):
        return person.straight
    particle = f" {person.particle}" if person.particle and family == person.family else ""
    return f"{family}, {given}{particle}{_suffix(person)}"


def _initials_first(person: Contributor, *, space: str = " ") -> str:
    if _is_whole(person):
        return person.straight
    particle = f" {person.particle}" if person.particle else ""
    return f"{initials(person.given, space=space)}{particle} {person.family}{_suffix(person)}"


def _is_whole(person: Contributor) -> bool:
    """Return whether a name stays as it is displayed: one that is not divided, or in characters."""
    is_in_characters = person.is_family_first and not re.search(r"[a-z]", person.given)
    return bool(person.literal) or not person.given or is_in_characters


def _suffix(person: Contributor) -> str:
    return f", {person.suffix}" if person.suffix else ""


def _short(person: Contributor) -> str:
    return person.literal or person.family


def _listed(names: Sequence[str], word: str = "and", *, comma: bool = True) -> str:
    """Return names as a list: `A and B`, `A, B, and C`; without the last comma if `comma` is false."""
    if len(names) < 2:
        return "".join(names)
    last = "," if comma and len(names) > 2 else ""
    return f"{', '.join(names[:-1])}{last} {word} {names[-1]}"


def _first_inverted(people: Sequence[Contributor]) -> list[str]:
    return [_inverted(person) if i == 0 else person.straight for i, person in enumerate(people)]


# --- small parts ----------------------------------------------------------------------------------------


def ended(text: str) -> str:
    """Return a text with a full stop at its end, unless it ends with a mark already, also inside italics."""
    bare = text.rstrip(ROMAN + CLOSE_QUOTE)
    return text if not text or bare.endswith((".", "?", "!")) else f"{text}."


def _joined_parts(*parts: str) -> str:
    """Return the parts that are set as sentences, each with its full stop."""
    return " ".join(ended(part) for part in parts if part)


def ordinal(edition: str) -> str:
    """Return the number of an edition: `3rd`; words stay as they are, without `edition`."""
    if _THESIS.search(edition):
        return ""
    words = re.sub(r"\s*\b(?:edition|edn?\.?)$", "", edition.strip(), flags=re.IGNORECASE)
    match = re.fullmatch(r"(\d+)(?:st|nd|rd|th)?", number_in_digits(words), re.IGNORECASE)
    if match is None:
        return words
    n = int(match[1])
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return "" if n == 1 else f"{n}{ending}"


_IN_FULL = {name: name.title() for name in ("chapter", "book", "part", "volume", "letter", "act", "canto")}
_SHORT = {"chapter": "ch.", "book": "bk.", "part": "pt.", "volume": "vol."}
_CHICAGO = {**_SHORT, "chapter": "chap."}
"""What comes before the number of a chapter or the like; other names of divisions are not shortened."""


def _locator(place: Locator, *, page: str, pages: str, words: dict[str, str], arabic_chapters: bool) -> str:
    """Return a place in words, given what comes before a page, several pages and the number of a division."""
    if place.page:
        return f"{pages if re.search(r'[–,-]', place.page) else page}{place.page}"
    if place.file_page:
        return f"PDF p. {place.file_page}"
    if place.section:
        return place.section
    if not place.chapter:
        return ""
    return ", ".join(
        f"{words.get(division, division)} {arabic(number) if arabic_chapters else number}"
        if re.fullmatch(r"\d+|[IVXLCDM]+", number)
        else f"{OPEN_QUOTE}{number}{CLOSE_QUOTE}"
        for division, number in (*place.outer, (place.division, place.chapter))
    )


def _series(work: Work, join: str = " ") -> str:
    return join.join(part for part in (work.series, work.number) if part)


def _volume(work: Work, change: Callable[[str], str] = str, *, comma: str = ", ") -> str:
    """Return `Vol. 5, *The Ferries*`; an empty string for a book that is no volume."""
    name = f"{comma}{italic(change(work.volume_title))}" if work.volume_title else ""
    return f"{'Vols.' if '–' in work.volume else 'Vol.'} {work.volume}{name}" if work.volume else ""


def _roles(work: Work, name: Callable[[Contributor], str]) -> list[str]:
    """Return the sentences on editors and translators of a book that begins with its authors."""
    editors = work.by(EDITOR) if work.by(AUTHOR) and not work.chapter else ()
    people_by_verb = (("Edited", editors), ("Translated", work.by(TRANSLATOR)))
    return [
        f"{verb} by {_listed([*map(name, people)], comma=False)}" for verb, people in people_by_verb if people
    ]


def _cited_title(work: Work, title: str, marks: str = OPEN_QUOTE + CLOSE_QUOTE) -> str:
    """Return a title as a text cites it: in italics, or that of an article in quotation marks."""
    return f"{marks[0]}{title}{marks[1]}" if work.container else italic(title)


def _numbered(work: Work) -> list[str]:
    """Return volume and issue of an article: `vol. 12` and `no. 3`, as far as they are known."""
    numbers = (("vol. ", work.container_volume), ("no. ", work.issue))
    return [f"{before}{number}" for before, number in numbers if number]


def _pages_of(work: Work) -> str:
    """Return the pages of an article: `pp. 45–67`."""
    return f"{'pp.' if re.search('[–,-]', work.pages) else 'p.'} {work.pages}" if work.pages else ""


def _condensed(pages: str) -> str:
    """Return a range without the hundreds of its second page, if they are the same: `167–91` of `167–191`."""
    return re.sub(r"(\d+)(\d\d)–\1(\d\d)(?!\d)", r"\1\2–\3", pages)


def _chicago_pages(pages: str) -> str:
    """Return a range as Chicago condenses it: `101–8`, `167–91`, but `100–104`."""
    return pages if "00–" in pages else re.sub(r"(0[1-9]–)0(?=\d$)", r"\1", _condensed(pages))


def _has_own_publisher(work: Work) -> bool:
    """Whether the author is the organisation that publishes the book."""
    authors = work.by(AUTHOR)
    return len(authors) == 1 and bool(authors[0].literal) and authors[0].literal == work.publisher


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def _day(date: str) -> str:
    """Return `12 March 2024` of `2024-03-12`."""
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", date)
    return f"{int(match[3])} {_MONTHS[int(match[2]) - 1]} {match[1]}" if match else date


def _quoted(text: str, mark: str = "") -> str:
    """Return a title in quotation marks, with a mark after it inside; a full stop unless it ends itself."""
    mark = "" if mark == "." and text.endswith(("?", "!")) else mark
    return f"{OPEN_QUOTE}{text}{mark}{CLOSE_QUOTE}"


# --- APA ------------------------------------------------------------------------------------------------


def _apa_reference(work: Work) -> str:
    title = italic(_full_title(work, lambda text: sentence_case(text, work)))
    authors, editors = work.by(AUTHOR), work.by(EDITOR)
    volume = _volume(work, lambda text: sentence_case(text, work), comma=". ")
    if work.volume_title and volume:  # it belongs to the title
        title, volume = f"{title[:-1]}: {volume.replace(ITALIC, '')}", ""
    edition = f"{ordinal(work.edition)} ed." if ordinal(work.edition) and not work.chapter else ""
    notes = [note for note in (", ".join(filter(None, (edition, volume))),) if note]
    roles = []
    if editors and authors and not work.chapter:
        roles.append(f"{_listed([_initials_first(p) for p in editors], '&', comma=False)}, {_eds(editors)}")
    if translators := work.by(TRANSLATOR):
        roles.append(f"{_listed([_initials_first(p) for p in translators], '&', comma=False)}, Trans.")
    if roles:
        notes.append("; ".join(roles))
    publisher = "" if _has_own_publisher(work) else work.publisher
    if thesis := work.thesis("Doctoral dissertation"):
        title, publisher = f"{title} [{', '.join(filter(None, (thesis, publisher)))}]", ""
    shown = f"{title}{''.join(f' ({note})' for note in notes)}"
    year = f"({(work.year or 'n.d.')}{work.letter})"
    original = f"(Original work published {work.original_year})" if work.original_year else ""
    tail = " ".join(part for part in (ended(publisher), work.url, original) if part)
    makers = authors or editors
    if work.container:
        issue = f"({work.issue})" if work.issue else ""
        number = f"{italic(work.container_volume) if work.container_volume else ''}{issue}"
        shown = plain(title)
        tail = f"{ended(', '.join(filter(None, (italic(work.container), number, work.pages))))} {work.url}"
    if not makers:
        return f"{ended(shown)} {ended(year)} {tail}".strip()
    names = _apa_list([_apa_name(person) for person in makers])
    if not authors:
        names += f" ({_eds(editors)})"
    if work.chapter:
        by = _listed([_initials_first(person) for person in editors], "&", comma=False)
        inside = f"In {by} ({_eds(editors)}), {shown}" if editors else f"In {shown}"
        chapter = ended(sentence_case(work.chapter, work))
        return f"{ended(names)} {ended(year)} {chapter} {ended(inside)} {tail}".strip()
    return f"{ended(names)} {ended(year)} {ended(shown)} {tail}".strip()


def _eds(editors: Sequence[Contributor]) -> str:
    return "Ed." if len(editors) == 1 else "Eds."


def _apa_list(names: list[str]) -> str:
    if len(names) > 20:
        return f"{', '.join(names[:19])}, . . . {names[-1]}"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])}, & {names[-1]}"


def _apa_in_text(work: Work, place: Locator) -> str:
    makers = makers_of(work)
    names = [_apa_family(person) if not person.literal else person.literal for person in makers]
    who = f"{names[0]} et al." if len(names) > 2 else _listed(names, "&")
    who = who or _cited_title(work, sentence_case(work.title, work))
    year = f"{work.original_year}/{work.year}" if work.original_year and work.year else work.year or "n.d."
    where = _locator(place, page="p. ", pages="pp. ", words=_IN_FULL, arabic_chapters=False)
    cited = ", ".join(part for part in (who, year + work.letter, where) if part)
    return f"({cited.replace(f'{CLOSE_QUOTE},', f',{CLOSE_QUOTE}')})"


# --- MLA ------------------------------------------------------------------------------------------------


def _mla_publisher(name: str) -> str:
    """Return a publisher as MLA shortens it: `U of Chicago P`, `Oxford UP`, `Harper and Row`."""
    text = name.replace(" & ", " and ")
    text = re.sub(r",?\s+(?:Inc|Ltd|LLC|Co|Corp|Company|Limited|GmbH)\.?$", "", text)
    if match := re.fullmatch(r"(?:The )?University of (.+) Press", text):
        return f"U of {match[1]} P"
    return re.sub(r"\bUniversity Press\b", "UP", without_article(text))


def _mla_makers(work: Work) -> list[Contributor]:
    """Return authors, or else editors; those of organisations without their article."""
    makers = () if _has_own_publisher(work) else makers_of(work)
    return [replace(maker, literal=without_article(maker.literal)) for maker in makers]


def _mla_reference(work: Work) -> str:
    authors, editors = work.by(AUTHOR), work.by(EDITOR)
    makers = _mla_makers(work)
    names = _first_inverted(makers)
    who = f"{names[0]}, et al" if len(names) > 2 else ", and ".join(names)
    if makers and not authors:
        who += ", editor" if len(editors) == 1 else ", editors"
    if work.is_repeated and who:
        who = "---"
    title = italic(_full_title(work, lambda text: headline_case(text, work)))
    own = []
    if editors and authors:
        own.append(f"edited by {_mla_people(editors)}")
    if translators := work.by(TRANSLATOR):
        own.append(f"translated by {_mla_people(translators)}")
    if edition := ordinal(work.edition):
        own.append(f"{edition} ed.")
    if work.url or work.medium:
        own.append("e-book ed.")
    if volume := _volume(work, lambda text: headline_case(text, work)):
        own.append(f"v{volume[1:]}")
    if own and not work.chapter:  # it follows a full stop; after the title of a chapter's book, a comma
        own[0] = f"{own[0][0].upper()}{own[0][1:]}"
    address = re.sub(r"^https?://(?!doi\.org)", "", work.url)
    if work.container:
        head = _quoted(_full_title(work, lambda text: headline_case(text, work)), ".")
        source = (italic(work.container), *_numbered(work), work.year, _condensed(_pages_of(work)), address)
        return _joined_parts(who, head, ", ".join(filter(None, source)))
    imprint = ", ".join(part for part in (*own, _mla_publisher(work.publisher), work.year, address) if part)
    original = work.original_year
    if thesis := work.thesis("PhD dissertation"):
        return _joined_parts(
            who, title, work.year, ", ".join(filter(None, (work.publisher, thesis, address)))
        )
    if work.chapter:
        head = _quoted(headline_case(work.chapter, work), ".")
        return " ".join(filter(None, (ended(who) if who else "", head, ended(f"{title}, {imprint}"))))
    return _joined_parts(who, title, original, imprint, _series(work))


def _mla_people(people: Sequence[Contributor]) -> str:
    return (
        f"{people[0].straight} et al." if len(people) > 2 else _listed([person.straight for person in people])
    )


def _mla_in_text(work: Work, place: Locator) -> str:
    names = [_short(person) for person in _mla_makers(work)]
    who = f"{names[0]} et al." if len(names) > 2 else _listed(names)
    title = _cited_title(work, without_article(work.title) if who else work.title)
    head = f"{who}, {title}" if who and work.has_namesakes else who or title
    where = _locator(place, page="", pages="", words=_SHORT, arabic_chapters=True)
    comma = "," if place.chapter or place.file_page or ":" in place.section else ""
    return f"({head}{f'{comma} {where}' if where else ''})"


# --- Chicago --------------------------------------------------------------------------------------------


def _chicago_title(work: Work) -> str:
    return italic(_full_title(work, lambda text: headline_case(text, work, long_prepositions=True)))


def _chicago_article(work: Work, mark: str) -> str:
    """Return the title of an article in quotation marks, with a mark after it."""
    return _quoted(plain(_chicago_title(work)), mark)


def _chicago_makers(work: Work) -> tuple[tuple[Contributor, ...], str]:
    """Return who a reference begins with, and their role where they are not authors."""
    for role, one, several in ((AUTHOR, "", ""), (EDITOR, "ed.", "eds."), (TRANSLATOR, "trans.", "trans.")):
        if people := work.by(role):
            return people, one if len(people) == 1 else several
    return (), ""


def _chicago_names(work: Work) -> str:
    people, role = _chicago_makers(work)
    names = _first_inverted(people)
    shown = names[:3] if len(names) > 6 else names
    comma = "," if len(shown) > 1 else ""
    who = (
        f"{', '.join(shown)}, et al."
        if len(names) > 6
        else f"{', '.join(shown[:-1])}{comma} and {shown[-1]}"
        if len(shown) > 1
        else "".join(shown)
    )
    return f"{who}, {role}" if role and who else who


def _chicago_roles(work: Work) -> list[str]:
    """Return the sentences on editors and translators, but those that the reference begins with."""
    first, _ = _chicago_makers(work)
    sentences = []
    for verb, role in (("Edited", EDITOR), ("Translated", TRANSLATOR)):
        people = work.by(role)
        if people and people != first and not (work.chapter and role == EDITOR):
            sentences.append(f"{verb} by {_listed([person.straight for person in people])}")
    return sentences


def _chicago_body(work: Work) -> list[str]:
    """Return the parts of a reference between title and publisher."""
    title = _chicago_title(work)
    if work.chapter:
        editors = _listed([person.straight for person in work.by(EDITOR)])
        head = _quoted(headline_case(work.chapter, work), ".")
        parts = [f"{head} In {title}{f', edited by {editors}' if editors else ''}"]
    elif work.thesis("PhD"):
        parts = [_quoted(title.strip(ITALIC + ROMAN), ".")]
    else:
        parts = [title]
    edition = ordinal(work.edition)
    volume = _volume(work, lambda text: headline_case(text, work, long_prepositions=True))
    return [*parts, *_chicago_roles(work), f"{edition} ed." if edition else "", volume, _series(work)]


def _chicago_ends(work: Work) -> list[str]:
    return [work.medium if work.url else "", work.url]


def _author_date_reference(work: Work) -> str:
    year = f"{work.year or 'n.d.'}{work.letter}"
    if work.original_year and work.year:
        year = f"({work.original_year}) {year}"
    names = _chicago_names(work)
    body, ends = _chicago_body(work), _chicago_ends(work)
    publisher = ", ".join(filter(None, (work.thesis("PhD diss."), work.publisher)))
    if work.container:
        issue = f" ({work.issue})" if work.container_volume else f", no. {work.issue}"
        source = f"{italic(work.container)} {work.container_volume}".strip() + (issue if work.issue else "")
        body = [
            _chicago_article(work, "."),
            f"{source}{': ' if work.pages else ''}{_chicago_pages(work.pages)}",
        ]
        publisher = ""
    if not names:
        return _joined_parts(body[0], year, *body[1:], publisher, *ends)
    return _joined_parts(names, year, *body, publisher, *ends)


def _chicago_short(work: Work, *, most: int) -> str:
    people, _ = _chicago_makers(work)
    names = [_short(person) for person in people]
    return f"{names[0]} et al." if len(names) > most else _listed(names)


def _author_date_in_text(work: Work, place: Locator) -> str:
    who = _chicago_short(work, most=2) or _cited_title(work, work.title)
    year = f"{work.year or 'n.d.'}{work.letter}"
    if work.original_year and work.year:
        year = f"[{work.original_year}] {year}"
    where = _locator(place, page="", pages="", words=_CHICAGO, arabic_chapters=True)
    head = f"{who} {year}" if work.year else f"{who}, {year}"
    return f"({head}{f', {where}' if where else ''})"


def _imprint(work: Work, *, original: bool = False) -> str:
    """Return publisher and year: `Oxford University Press, 1998`."""
    imprint = ", ".join(filter(None, (work.thesis("PhD diss."), work.publisher, work.year or "n.d.")))
    if original and work.original_year and not work.by(TRANSLATOR):
        return f"{work.original_year}; repr., {imprint}"
    return imprint


def _notes_source(work: Work, pages: str) -> str:
    """Return the journal of an article with pages: `*Annals* 6, no. 3 (1969): 167–171`."""
    numbers = [part.removeprefix("vol. ") for part in _numbered(work)]
    journal = f"{italic(work.container)}{' ' if work.container_volume else ', ' if numbers else ''}"
    return f"{journal}{', '.join(numbers)} ({work.year or 'n.d.'}){': ' if pages else ''}{pages}"


def _notes_reference(work: Work) -> str:
    if work.container:
        head, source = _chicago_article(work, "."), _notes_source(work, _chicago_pages(work.pages))
        return _joined_parts(_chicago_names(work), head, source, work.url)
    names, body = _chicago_names(work), _chicago_body(work)
    is_reprint = bool(work.original_year) and not work.by(TRANSLATOR)
    imprint = _imprint(work)
    original = work.original_year if is_reprint else ""
    return _joined_parts(
        names, *body, original, f"Reprint, {imprint}" if is_reprint else imprint, *_chicago_ends(work)
    )


def _notes_in_text(work: Work, place: Locator) -> str:
    """Return the first note on a work."""
    people, role = _chicago_makers(work)
    names = [person.straight for person in people]
    who = f"{names[0]} et al." if len(names) > 2 else _listed(names)
    if role and who:
        who = f"{who}, {role}"
    where = _locator(place, page="", pages="", words=_CHICAGO, arabic_chapters=True)
    if work.container:
        head = f"{_chicago_article(work, ',')} {_notes_source(work, place.page)}"
        return ended(", ".join(filter(None, (who, head, "" if place.page else where, work.url))))
    parts = [who]
    if work.chapter:
        parts.append(_quoted(headline_case(work.chapter, work), ","))
        parts = [
            ", ".join(filter(None, parts[:1]))
            + (", " if who else "")
            + parts[1]
            + f" in {_chicago_title(work)}"
        ]
    else:
        parts.append(_chicago_title(work))
    first = people
    for word, kind in (("ed.", EDITOR), ("trans.", TRANSLATOR)):
        others = work.by(kind)
        if others and others != first:
            parts.append(f"{word} {_listed([person.straight for person in others])}")
    if edition := ordinal(work.edition):
        parts.append(f"{edition} ed.")
    parts.append(
        _volume(work, lambda text: headline_case(text, work, long_prepositions=True)).replace("V", "v", 1)
    )
    parts.append(_series(work))
    imprint = _imprint(work, original=True)
    if thesis := work.thesis("PhD"):
        parts[1] = _quoted(parts[1].strip(ITALIC + ROMAN))
        imprint = imprint if thesis == "PhD" else f"{imprint[0].lower()}{imprint[1:]}"
    head = f"{', '.join(part for part in parts if part)} ({imprint})"
    return ended(", ".join(part for part in (head, where, *_chicago_ends(work)) if part))


# --- Harvard --------------------------------------------------------------------------------------------


def _harvard_subtitle(text: str, work: Work) -> str:
    lowered = sentence_case(text, work)
    names = _name_words(work)
    first = re.split(r"\W", lowered)[0]
    keeps = not work.is_english or first in names or first == "I" or re.match(r"\w*[A-Z]{2}", first)
    return lowered if keeps else lowered[:1].lower() + lowered[1:]


def _harvard_reference(work: Work) -> str:
    title = italic(
        _full_title(
            work, lambda text: sentence_case(text, work), subtitle=lambda text: _harvard_subtitle(text, work)
        )
    )
    authors, editors = work.by(AUTHOR), work.by(EDITOR)
    makers = authors or editors
    names = [_harvard_name(person) for person in makers]
    who = f"{names[0]} {italic('et al.')}" if len(names) > 3 else _listed(names, comma=False)
    if makers and not authors:
        who += f" {_harvard_eds(editors)}"
    shown_year = work.original_year or work.year or "no date"
    year = f"({shown_year if not work.by(TRANSLATOR) else work.year or 'no date'}{work.letter})"
    is_reprint = bool(work.original_year and work.year) and not work.by(TRANSLATOR)
    imprint = ": ".join(part for part in (work.place, work.publisher) if part)
    if is_reprint:
        imprint = ", ".join(part for part in ("Reprint", imprint, work.year) if part)
    if series := _series(work, ", "):
        imprint = f"{imprint} ({series})"
    available = f"Available at: {work.url}" if work.url else ""
    if available and work.accessed:
        available += f" (Accessed: {_day(work.accessed)})"
    edition = ordinal(work.edition)
    roles = _roles(work, lambda person: _initials_first(person, space=""))
    volume = _volume(work, lambda text: sentence_case(text, work))
    if thesis := work.thesis("PhD thesis"):
        imprint = work.publisher
    tail = _joined_parts(thesis or f"{edition} edn" * bool(edition), volume, *roles, imprint, available)
    if work.chapter:
        by = _listed([_initials_first(person, space="") for person in editors], comma=False)
        inside = f"in {by} {_harvard_eds(editors)} {title}" if editors else f"in {title}"
        chapter = f"‘{sentence_case(work.chapter, work)}’"
        return f"{who} {year} {chapter}, {ended(inside)} {tail}"
    if work.container:
        article = f"‘{plain(title)}’"
        number = f"{work.container_volume}{f'({work.issue})' if work.issue else ''}"
        source = ", ".join(filter(None, (italic(work.container), number, _pages_of(work))))
        head = f"{who} {year} {article}" if who else f"{article} {year}"
        return f"{head}, {ended(source)} {ended(available)}".strip()
    if not who:
        return ended(f"{title} {year} {tail}".strip())
    return f"{who} {year} {ended(title)} {tail}".strip()


def _harvard_eds(editors: Sequence[Contributor]) -> str:
    return "(ed.)" if len(editors) == 1 else "(eds)"


def _harvard_in_text(work: Work, place: Locator) -> str:
    names = [_short(person) for person in makers_of(work)]
    who = f"{names[0]} {italic('et al.')}" if len(names) > 3 else _listed(names, comma=False)
    who = who or _cited_title(work, sentence_case(work.title, work), "‘’")
    original = "" if work.by(TRANSLATOR) else work.original_year
    year = f"{original or work.year or 'no date'}{work.letter}"
    where = _locator(place, page="p. ", pages="pp. ", words=_SHORT, arabic_chapters=False)
    return f"({', '.join(part for part in (who, year, where) if part)})"


# --- ISO 690 --------------------------------------------------------------------------------------------


def _iso_name(person: Contributor, *, inverted: bool) -> str:
    if _is_whole(person):
        return person.straight if person.given and not person.literal else person.straight.upper()
    given = f"{person.given} {person.particle}".strip()
    name = f"{person.family.upper()}, {given}" if inverted else f"{given} {person.family.upper()}"
    return name + _suffix(person)


def _iso_reference(work: Work) -> str:
    authors, editors = work.by(AUTHOR), work.by(EDITOR)
    makers = authors or editors
    who = _listed([_iso_name(person, inverted=i == 0) for i, person in enumerate(makers)], comma=False)
    if makers and not authors:
        who += ", ed." if len(editors) == 1 else ", eds."
    year = f"{work.year}{work.letter}" if work.year else "[n.d.]"
    title = italic(_full_title(work)) + (" [online]" if work.url else "")
    edition = ordinal(work.edition)
    imprint = ": ".join(part for part in (work.place, work.publisher) if part)
    if work.url and work.accessed:
        imprint += f" [viewed {_day(work.accessed)}]"
    parts = [
        _volume(work),
        "; ".join(_roles(work, lambda person: person.straight)).replace("; Translated", "; translated"),
        work.thesis("Doctoral dissertation") or f"{edition} ed." * bool(edition),
        imprint,
        _series(work, ", "),
        f"ISBN {work.isbn}" if work.isbn else "",
    ]
    tail = _joined_parts(*parts) + (f" Available from: {work.url}" if work.url else "")
    if work.chapter:
        names = _listed([_iso_name(person, inverted=False) for person in editors], comma=False)
        eds = "ed." if len(editors) == 1 else "eds."
        inside = f"In: {names}, {eds} {ended(title)}" if editors else f"In: {ended(title)}"
        return f"{who}, {year}. {ended(work.chapter)} {inside} {tail}"
    if work.container:
        online = f" [online]{f' [viewed {_day(work.accessed)}]' if work.accessed else ''}" if work.url else ""
        numbers = ", ".join(filter(None, (*_numbered(work), _pages_of(work))))
        source = _joined_parts(f"{italic(work.container)}{online}", numbers[:1].upper() + numbers[1:])
        head = f"{who}, {year}. {ended(_full_title(work))}" if who else f"{_full_title(work)}, {year}."
        return f"{head} {source}{f' Available from: {work.url}' if work.url else ''}"
    if not who:
        return f"{title}, {year}. {tail}".strip()
    return f"{who}, {year}. {ended(title)} {tail}".strip()


def _iso_in_text(work: Work, place: Locator) -> str:
    names = [_short(person) for person in makers_of(work)]
    who = f"{names[0]} et al." if len(names) > 3 else _listed(names, comma=False)
    year = f"{work.year}{work.letter}" if work.year else "[n.d.]"
    where = _locator(place, page="p. ", pages="pp. ", words=_CHICAGO, arabic_chapters=False)
    return (
        f"({', '.join(part for part in (f'{who or _cited_title(work, work.title)} {year}', where) if part)})"
    )


STYLES: Mapping[str, CitationRules] = {
    "apa": CitationRules(_apa_reference, _apa_in_text),
    "mla": CitationRules(_mla_reference, _mla_in_text),
    "chicago-notes": CitationRules(_notes_reference, _notes_in_text),
    "chicago-author-date": CitationRules(_author_date_reference, _author_date_in_text),
    "harvard": CitationRules(_harvard_reference, _harvard_in_text),
    "iso690": CitationRules(_iso_reference, _iso_in_text),
}  # the styles that need no extra, by name
