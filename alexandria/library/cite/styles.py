"""References and in-text citations in six styles, by the rules of their manuals.

APA (7th edition), MLA (9th), Chicago (18th: notes, and author-date), Harvard (Cite Them Right), ISO 690. Each
is a pair of functions. Any other style goes through `csl.py` and citeproc-py, which was tried for these six
too: it prints initials where MLA and Chicago want whole names.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from alexandria.book.headings import arabic, number_in_digits
from alexandria.book.languages import primary_language
from alexandria.book.people import AUTHOR, EDITOR, PARTICLES, TRANSLATOR, Contributor
from alexandria.book.word_lists import read_word_sets

ITALIC, ROMAN = "\ue000", "\ue001"
"""What begins and ends italics in a formatted text; `citations.py` renders them."""
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


def _straight(person: Contributor) -> str:
    return person.straight


def _listed(
    people: Sequence[Contributor],
    name: Callable[[Contributor], str] = _straight,
    first: Callable[[Contributor], str] | None = None,
    *,
    word: str = "and",
    comma_from: int | None = 3,
    most: int | None = None,
    shown: int = 1,
    et_al: str = " et al.",
) -> str:
    """Return names as a list: `A and B`, `A, B, and C`.

    Args:
        name: writes a name.
        first: writes the first name, if not as the others.
        word: stands before the last name, after a comma if there are `comma_from` names.
        most: of more people than that, only those `shown` are named, before `et_al`.
    """
    names = [*map(first or name, people[:1]), *map(name, people[1:])]
    if most is not None and len(names) > most:
        return f"{', '.join(names[:shown])}{et_al}"
    if len(names) < 2:
        return "".join(names)
    comma = "," if comma_from is not None and len(names) >= comma_from else ""
    return f"{', '.join(names[:-1])}{comma} {word} {names[-1]}"


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
_CHICAGO_WORDS = {**_SHORT, "chapter": "chap."}
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


# --- what the styles share ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    """How a style writes names, titles and places; their order, and what is between, its functions say."""

    makers: Callable[[Work], Sequence[Contributor]] = makers_of  # who a reference begins with
    marks: Mapping[str, tuple[str, str]]  # what follows one of them or several, by role; nothing for authors
    heading: Callable[[Sequence[Contributor]], str]  # names at the beginning of a reference
    inside: Callable[[Sequence[Contributor]], str]  # names inside it
    cited: Callable[[Sequence[Contributor]], str]  # names in a text
    case: Callable[[str, Work], str]  # a title with its capitals
    subtitle_case: Callable[[str, Work], str] | None = None  # the same if not given
    where: Callable[[Locator], str]

    def who(self, work: Work) -> str:
        """Return who a reference begins with, and their role; empty if nobody is known."""
        makers = self.makers(work)
        return f"{self.heading(makers)}{self.mark(makers)}" if makers else ""

    def mark(self, people: Sequence[Contributor]) -> str:
        """Return what follows people who are not authors: ` (Ed.)`."""
        one, several = self.marks.get(people[0].role, ("", "")) if people else ("", "")
        return several if len(people) > 1 else one

    def further_people(self, work: Work, *, in_chapter: bool = False) -> list[Sequence[Contributor]]:
        """Return the editors, and the translators, that a reference does not begin with.

        Those who edited the book of a chapter are left out unless `in_chapter`: most styles name them before
        the title of the book.
        """
        roles = (EDITOR, TRANSLATOR) if in_chapter or not work.chapter else (TRANSLATOR,)
        return [people for role in roles if (people := work.by(role)) and people != self.makers(work)]

    def roles(self, work: Work) -> list[str]:
        """Return the sentences on these: `Edited by A and B`."""
        return [f"{_MADE[people[0].role]} by {self.inside(people)}" for people in self.further_people(work)]

    def title(self, work: Work) -> str:
        """Return title and subtitle in italics, joined by a colon unless the title ends with a mark."""
        title = self.case(work.title, work)
        if not work.subtitle:
            return italic(title)
        subtitle = (self.subtitle_case or self.case)(work.subtitle, work)
        return italic(f"{title}{' ' if title.endswith(('?', '!')) else ': '}{subtitle}")

    def volume(self, work: Work, *, comma: str = ", ") -> str:
        """Return `Vol. 5, *The Ferries*`; an empty string for a book that is no volume."""
        name = f"{comma}{italic(self.case(work.volume_title, work))}" if work.volume_title else ""
        return f"{'Vols.' if '–' in work.volume else 'Vol.'} {work.volume}{name}" if work.volume else ""

    def whom(self, work: Work, marks: str = OPEN_QUOTE + CLOSE_QUOTE) -> str:
        """Return whom a text cites, or else the title."""
        return self.cited(self.makers(work)) or _cited_title(work, self.case(work.title, work), marks)


_MADE = {EDITOR: "Edited", TRANSLATOR: "Translated"}


def _edition(work: Work, word: str = "ed.") -> str:
    return f"{number} {word}" if (number := ordinal(work.edition)) else ""


def _imprint(work: Work) -> str:
    """Return place and publisher: `Oxford: Clarendon Press`."""
    return ": ".join(filter(None, (work.place, work.publisher)))


def _spaced(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _commas(*parts: str) -> str:
    return ", ".join(filter(None, parts))


# --- APA ------------------------------------------------------------------------------------------------


def _apa_heading(people: Sequence[Contributor]) -> str:
    if len(people) > 20:
        return f"{', '.join(map(_apa_name, people[:19]))}, . . . {_apa_name(people[-1])}"
    return _listed(people, _apa_name, word="&", comma_from=2)


_APA = _Manner(
    marks={EDITOR: (" (Ed.)", " (Eds.)")},
    heading=_apa_heading,
    inside=partial(_listed, name=_initials_first, word="&", comma_from=None),
    cited=partial(_listed, name=lambda person: person.literal or _apa_family(person), word="&", most=2),
    case=sentence_case,
    where=partial(_locator, page="p. ", pages="pp. ", words=_IN_FULL, arabic_chapters=False),
)


def _apa_reference(work: Work) -> str:
    title, volume = _APA.title(work), _APA.volume(work, comma=". ")
    if work.volume_title and volume:  # it belongs to the title
        title, volume = f"{title[:-1]}: {volume.replace(ITALIC, '')}", ""
    publisher = "" if _has_own_publisher(work) else work.publisher
    if thesis := work.thesis("Doctoral dissertation"):
        title, publisher = f"{title} [{_commas(thesis, publisher)}]", ""
    roles = [f"{_APA.inside(people)}, {_apa_role(people)}" for people in _APA.further_people(work)]
    notes = (_commas("" if work.chapter else _edition(work), volume), "; ".join(roles))
    shown = f"{title}{''.join(f' ({note})' for note in notes if note)}"
    original = f"(Original work published {work.original_year})" if work.original_year else ""
    tail = _spaced(ended(publisher), work.url, original)
    if work.container:
        issue = f"({work.issue})" if work.issue else ""
        number = f"{italic(work.container_volume) if work.container_volume else ''}{issue}"
        shown = plain(title)
        tail = f"{ended(_commas(italic(work.container), number, work.pages))} {work.url}"
    who, year = ended(_APA.who(work)), f"({(work.year or 'n.d.')}{work.letter})."
    if not who:
        return f"{ended(shown)} {year} {tail}".strip()
    if work.chapter:
        editors = work.by(EDITOR)
        by = f"{_APA.inside(editors)} ({_apa_role(editors)}), " if editors else ""
        shown = f"{ended(sentence_case(work.chapter, work))} In {by}{shown}"
    return f"{who} {year} {ended(shown)} {tail}".strip()


def _apa_role(people: Sequence[Contributor]) -> str:
    return "Trans." if people[0].role == TRANSLATOR else "Ed." if len(people) == 1 else "Eds."


def _apa_in_text(work: Work, place: Locator) -> str:
    year = f"{work.original_year}/{work.year}" if work.original_year and work.year else work.year or "n.d."
    cited = _commas(_APA.whom(work), year + work.letter, _APA.where(place))
    return f"({cited.replace(f'{CLOSE_QUOTE},', f',{CLOSE_QUOTE}')})"


# --- MLA ------------------------------------------------------------------------------------------------


def _mla_publisher(name: str) -> str:
    """Return a publisher as MLA shortens it: `U of Chicago P`, `Oxford UP`, `Harper and Row`."""
    text = name.replace(" & ", " and ")
    text = re.sub(r",?\s+(?:Inc|Ltd|LLC|Co|Corp|Company|Limited|GmbH)\.?$", "", text)
    if match := re.fullmatch(r"(?:The )?University of (.+) Press", text):
        return f"U of {match[1]} P"
    return re.sub(r"\bUniversity Press\b", "UP", without_article(text))


def _without_article(person: Contributor) -> Contributor:
    return replace(person, literal=without_article(person.literal))


_MLA = _Manner(
    makers=lambda work: () if _has_own_publisher(work) else makers_of(work),
    marks={EDITOR: (", editor", ", editors")},
    heading=lambda people: _listed(
        [*map(_without_article, people)], first=_inverted, comma_from=2, most=2, et_al=", et al"
    ),
    inside=partial(_listed, most=2),
    cited=lambda people: _listed([*map(_without_article, people)], _short, most=2),
    case=headline_case,
    where=partial(_locator, page="", pages="", words=_SHORT, arabic_chapters=True),
)


def _mla_reference(work: Work) -> str:
    who, title = _MLA.who(work), _MLA.title(work)
    if work.is_repeated and who:
        who = "---"
    address = re.sub(r"^https?://(?!doi\.org)", "", work.url)
    if work.container:
        source = (italic(work.container), *_numbered(work), work.year, _condensed(_pages_of(work)), address)
        return _joined_parts(who, _quoted(plain(title), "."), _commas(*source))
    if thesis := work.thesis("PhD dissertation"):
        return _joined_parts(who, title, work.year, _commas(work.publisher, thesis, address))
    further = _MLA.further_people(work, in_chapter=True)
    own = [
        *(f"{_MADE[people[0].role].lower()} by {_MLA.inside(people)}" for people in further),
        _edition(work),
        "e-book ed." if work.url or work.medium else "",
        _MLA.volume(work).replace("V", "v", 1),
    ]
    edition = _commas(*own)
    if not work.chapter:  # it follows a full stop; after the title of a chapter's book, a comma
        edition = f"{edition[:1].upper()}{edition[1:]}"
    imprint = _commas(edition, _mla_publisher(work.publisher), work.year, address)
    if work.chapter:
        head = _quoted(headline_case(work.chapter, work), ".")
        return _spaced(ended(who), head, ended(f"{title}, {imprint}"))
    return _joined_parts(who, title, work.original_year, imprint, _series(work))


def _mla_in_text(work: Work, place: Locator) -> str:
    who = _MLA.cited(_MLA.makers(work))
    title = _cited_title(work, without_article(work.title) if who else work.title)
    head = f"{who}, {title}" if who and work.has_namesakes else who or title
    where = _MLA.where(place)
    comma = "," if place.chapter or place.file_page or ":" in place.section else ""
    return f"({head}{f'{comma} {where}' if where else ''})"


# --- Chicago --------------------------------------------------------------------------------------------


_CHICAGO = _Manner(
    makers=lambda work: makers_of(work) or work.by(TRANSLATOR),
    marks={EDITOR: (", ed.", ", eds."), TRANSLATOR: (", trans.", ", trans.")},
    heading=partial(_listed, first=_inverted, comma_from=2, most=6, shown=3, et_al=", et al."),
    inside=_listed,
    cited=partial(_listed, name=_short, most=2),
    case=partial(headline_case, long_prepositions=True),
    where=partial(_locator, page="", pages="", words=_CHICAGO_WORDS, arabic_chapters=True),
)


def _chicago_article(work: Work, mark: str) -> str:
    """Return the title of an article in quotation marks, with a mark after it."""
    return _quoted(plain(_CHICAGO.title(work)), mark)


def _chicago_body(work: Work) -> list[str]:
    """Return the parts of a reference between title and publisher."""
    head = _CHICAGO.title(work)
    if work.chapter:
        editors = _CHICAGO.inside(work.by(EDITOR))
        chapter = _quoted(headline_case(work.chapter, work), ".")
        head = f"{chapter} In {head}{f', edited by {editors}' if editors else ''}"
    elif work.thesis("PhD"):
        head = _chicago_article(work, ".")
    return [head, *_CHICAGO.roles(work), _edition(work), _CHICAGO.volume(work), _series(work)]


def _chicago_ends(work: Work) -> list[str]:
    return [work.medium if work.url else "", work.url]


def _author_date_year(work: Work, original: str) -> str:
    """Return the year, after the original one in the brackets given."""
    year = f"{work.year or 'n.d.'}{work.letter}"
    is_reprint = bool(work.original_year and work.year)
    return f"{original[0]}{work.original_year}{original[1]} {year}" if is_reprint else year


def _author_date_reference(work: Work) -> str:
    body = [*_chicago_body(work), _commas(work.thesis("PhD diss."), work.publisher)]
    if work.container:
        issue = f" ({work.issue})" if work.container_volume else f", no. {work.issue}"
        source = f"{italic(work.container)} {work.container_volume}".strip() + (issue if work.issue else "")
        pages = f"{': ' if work.pages else ''}{_chicago_pages(work.pages)}"
        body = [_chicago_article(work, "."), f"{source}{pages}"]
    who, year = _CHICAGO.who(work), _author_date_year(work, "()")
    head = (who, year, body[0]) if who else (body[0], year)
    return _joined_parts(*head, *body[1:], *_chicago_ends(work))


def _author_date_in_text(work: Work, place: Locator) -> str:
    who = _CHICAGO.cited(_CHICAGO.makers(work)) or _cited_title(work, work.title)
    head = f"{who}{' ' if work.year else ', '}{_author_date_year(work, '[]')}"
    return f"({_commas(head, _CHICAGO.where(place))})"


def _notes_imprint(work: Work) -> str:
    """Return publisher and year: `Oxford University Press, 1998`."""
    return _commas(work.thesis("PhD diss."), work.publisher, work.year or "n.d.")


def _notes_original(work: Work) -> str:
    """Return the year of the first edition of a reprint; that of a translated work is not named."""
    return "" if work.by(TRANSLATOR) else work.original_year


def _notes_source(work: Work, pages: str) -> str:
    """Return the journal of an article with pages: `*Annals* 6, no. 3 (1969): 167–171`."""
    numbers = [part.removeprefix("vol. ") for part in _numbered(work)]
    journal = f"{italic(work.container)}{' ' if work.container_volume else ', ' if numbers else ''}"
    return f"{journal}{', '.join(numbers)} ({work.year or 'n.d.'}){': ' if pages else ''}{pages}"


def _notes_reference(work: Work) -> str:
    who, imprint, original = _CHICAGO.who(work), _notes_imprint(work), _notes_original(work)
    if work.container:
        source = _notes_source(work, _chicago_pages(work.pages))
        return _joined_parts(who, _chicago_article(work, "."), source, work.url)
    printed = f"Reprint, {imprint}" if original else imprint
    return _joined_parts(who, *_chicago_body(work), original, printed, *_chicago_ends(work))


def _notes_in_text(work: Work, place: Locator) -> str:
    """Return the first note on a work."""
    makers = _CHICAGO.makers(work)
    who = _listed(makers, most=2) + _CHICAGO.mark(makers)
    where = _CHICAGO.where(place)
    if work.container:
        head = f"{_chicago_article(work, ',')} {_notes_source(work, place.page)}"
        return ended(_commas(who, head, "" if place.page else where, work.url))
    title, imprint = _CHICAGO.title(work), _notes_imprint(work)
    if original := _notes_original(work):
        imprint = f"{original}; repr., {imprint}"
    if work.chapter:
        title = f"{_quoted(headline_case(work.chapter, work), ',')} in {title}"
    elif work.thesis("PhD"):
        title = _quoted(plain(title))
    if thesis := work.thesis("PhD"):
        imprint = imprint if thesis == "PhD" else f"{imprint[0].lower()}{imprint[1:]}"
    words = {EDITOR: "ed.", TRANSLATOR: "trans."}
    further = _CHICAGO.further_people(work, in_chapter=True)
    roles = [f"{words[people[0].role]} {_CHICAGO.inside(people)}" for people in further]
    volume = _CHICAGO.volume(work).replace("V", "v", 1)
    head = f"{_commas(who, title, *roles, _edition(work), volume, _series(work))} ({imprint})"
    return ended(_commas(head, where, *_chicago_ends(work)))


# --- Harvard --------------------------------------------------------------------------------------------


def _harvard_subtitle(text: str, work: Work) -> str:
    lowered = sentence_case(text, work)
    names = _name_words(work)
    first = re.split(r"\W", lowered)[0]
    keeps = not work.is_english or first in names or first == "I" or re.match(r"\w*[A-Z]{2}", first)
    return lowered if keeps else lowered[:1].lower() + lowered[1:]


_HARVARD = _Manner(
    marks={EDITOR: (" (ed.)", " (eds)")},
    heading=partial(_listed, name=_harvard_name, comma_from=None, most=3, et_al=f" {italic('et al.')}"),
    inside=partial(_listed, name=partial(_initials_first, space=""), comma_from=None),
    cited=partial(_listed, name=_short, comma_from=None, most=3, et_al=f" {italic('et al.')}"),
    case=sentence_case,
    subtitle_case=_harvard_subtitle,
    where=partial(_locator, page="p. ", pages="pp. ", words=_SHORT, arabic_chapters=False),
)


def _harvard_year(work: Work) -> str:
    original = "" if work.by(TRANSLATOR) else work.original_year
    return f"{original or work.year or 'no date'}{work.letter}"


def _harvard_reference(work: Work) -> str:
    title, imprint = _HARVARD.title(work), _imprint(work)
    if work.original_year and work.year and not work.by(TRANSLATOR):
        imprint = _commas("Reprint", imprint, work.year)
    if series := _series(work, ", "):
        imprint = f"{imprint} ({series})"
    if thesis := work.thesis("PhD thesis"):
        imprint = work.publisher
    available = f"Available at: {work.url}" if work.url else ""
    if available and work.accessed:
        available += f" (Accessed: {_day(work.accessed)})"
    edition = thesis or _edition(work, "edn")
    tail = _joined_parts(edition, _HARVARD.volume(work), *_HARVARD.roles(work), imprint, available)
    who, year = _HARVARD.who(work), f"({_harvard_year(work)})"
    if work.chapter:
        editors = work.by(EDITOR)
        by = f"{_HARVARD.inside(editors)}{_HARVARD.mark(editors)} " if editors else ""
        return f"{who} {year} ‘{sentence_case(work.chapter, work)}’, {ended(f'in {by}{title}')} {tail}"
    if work.container:
        article = f"‘{plain(title)}’"
        number = f"{work.container_volume}{f'({work.issue})' if work.issue else ''}"
        source = _commas(italic(work.container), number, _pages_of(work))
        head = f"{who} {year} {article}" if who else f"{article} {year}"
        return f"{head}, {ended(source)} {ended(available)}".strip()
    if not who:
        return ended(f"{title} {year} {tail}".strip())
    return f"{who} {year} {ended(title)} {tail}".strip()


def _harvard_in_text(work: Work, place: Locator) -> str:
    return f"({_commas(_HARVARD.whom(work, '‘’'), _harvard_year(work), _HARVARD.where(place))})"


# --- ISO 690 --------------------------------------------------------------------------------------------


def _iso_name(person: Contributor, *, inverted: bool = False) -> str:
    if _is_whole(person):
        return person.straight if person.given and not person.literal else person.straight.upper()
    given = f"{person.given} {person.particle}".strip()
    name = f"{person.family.upper()}, {given}" if inverted else f"{given} {person.family.upper()}"
    return name + _suffix(person)


_ISO = _Manner(
    marks={EDITOR: (", ed.", ", eds.")},
    heading=lambda people: _listed(people, _iso_name, partial(_iso_name, inverted=True), comma_from=None),
    inside=partial(_listed, comma_from=None),
    cited=partial(_listed, name=_short, comma_from=None, most=3),
    case=lambda title, work: title,
    where=partial(_locator, page="p. ", pages="pp. ", words=_CHICAGO_WORDS, arabic_chapters=False),
)


def _iso_year(work: Work) -> str:
    return f"{work.year}{work.letter}" if work.year else "[n.d.]"


def _iso_reference(work: Work) -> str:
    who, year, title = _ISO.who(work), _iso_year(work), _ISO.title(work)
    online = " [online]" if work.url else ""
    viewed = f" [viewed {_day(work.accessed)}]" if work.url and work.accessed else ""
    available = f" Available from: {work.url}" if work.url else ""
    if work.container and not work.chapter:
        numbers = _commas(*_numbered(work), _pages_of(work))
        source = f"{italic(work.container)}{online}{viewed}"
        source = _joined_parts(source, numbers[:1].upper() + numbers[1:])
        head = f"{who}, {year}. {ended(plain(title))}" if who else f"{plain(title)}, {year}."
        return f"{head} {source}{available}"
    title += online
    parts = [
        _ISO.volume(work),
        "; ".join(_ISO.roles(work)).replace("; Translated", "; translated"),
        work.thesis("Doctoral dissertation") or _edition(work),
        _imprint(work) + viewed,
        _series(work, ", "),
        f"ISBN {work.isbn}" if work.isbn else "",
    ]
    tail = _joined_parts(*parts) + available
    if work.chapter:
        editors = work.by(EDITOR)
        by = f"{_listed(editors, _iso_name, comma_from=None)}{_ISO.mark(editors)} " if editors else ""
        return f"{who}, {year}. {ended(work.chapter)} In: {by}{ended(title)} {tail}"
    if not who:
        return f"{title}, {year}. {tail}".strip()
    return f"{who}, {year}. {ended(title)} {tail}".strip()


def _iso_in_text(work: Work, place: Locator) -> str:
    return f"({_commas(f'{_ISO.whom(work)} {_iso_year(work)}', _ISO.where(place))})"


STYLES: Mapping[str, CitationRules] = {
    "apa": CitationRules(_apa_reference, _apa_in_text),
    "mla": CitationRules(_mla_reference, _mla_in_text),
    "chicago-notes": CitationRules(_notes_reference, _notes_in_text),
    "chicago-author-date": CitationRules(_author_date_reference, _author_date_in_text),
    "harvard": CitationRules(_harvard_reference, _harvard_in_text),
    "iso690": CitationRules(_iso_reference, _iso_in_text),
}  # the styles that need no extra, by name
