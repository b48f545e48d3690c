"""What a manuscript says of the source of a quotation, in a citation or in the text around it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from alexandria.book.people import people_of
from alexandria.book.words import fold_text
from alexandria.library.check.phrases import PHRASES
from alexandria.library.check.report import CitedSource

_NO_NAME = re.compile(f"(?:{PHRASES['no names']})")
_SMALL = re.compile(f"(?:{PHRASES['small words']})")
_ANY_TITLE = re.compile(f"(?:{PHRASES['any titles']})")
_NUMBER = r"(?:\d+|[ivxlcdm]+)"
_PAGE = re.compile(
    rf"\b(?:{PHRASES['pages']})(?:\.\s*|\s+|(?=\d))(?P<page>{_NUMBER}(?:\s*[-–—]\s*{_NUMBER})?)\b"
)
_BARE_PAGE = re.compile(r"(?:^|[\s,:\]])(?P<page>\d{1,4}(?:\s*[-–—]\s*\d{1,4})?)\s*(?:ff?\.?)?[.;]?\s*$")
_YEAR = re.compile(r"\b(1[4-9]\d\d|20\d\d)[a-z]?\b")
_KEY = re.compile(r"(?<![\w@])-?@\{?([\w:.#$%&+?<>~/-]*\w)\}?")
_DIVISION = re.compile(rf"\b(?:{PHRASES['divisions']})\b\.?|§", re.IGNORECASE)
_AGAIN = re.compile(rf"\b(?:{PHRASES['again']})\b", re.IGNORECASE)
_LEAD = re.compile(rf"[^\w@-]*(?:(?:{PHRASES['leads']})\b\.?\s+)*", re.IGNORECASE)
_SEE_ALSO = re.compile(rf";\s+(?=(?:{PHRASES['leads']})\b)", re.IGNORECASE)
_NAME = r"[^\W\d_a-zß-ÿ][\w’'.-]*"
_NAMES = rf"{_NAME}(?:\s+(?:(?:{PHRASES['particles']})\s+)*{_NAME}){{0,3}}"
_UNKNOWN = re.compile(
    rf"(?P<name>{_NAMES})(?:(?=,?\s+\(?(?:\d|[pS]\.))|(?=,\s+[“\"*_«]?(?!(?i:{PHRASES['divisions']})\b)[A-ZÀ-Þ]\w))"
)
SAYS = f"(?:{PHRASES['says']})"
_SAYS = re.compile(rf"\b{SAYS}\b", re.IGNORECASE)
_SAID_BY = re.compile(rf"\s+(?:\w+\s+){{0,2}}{SAYS}\b")
_SAYS_LAST = re.compile(rf"\b{SAYS}\W+(?:\w+\s+){{0,2}}$", re.IGNORECASE)
_ASCRIBED = re.compile(
    rf"\b(?:{PHRASES['ascribes']})\b.*\b(?:{PHRASES['to']})\s+(?:\S+\s)?$", re.IGNORECASE | re.DOTALL
)
_LEADS_TO_NAME = re.compile(
    rf"\b(?:{PHRASES['leads to a name']}|{SAYS})\s+(?:[A-ZÀ-Þ][\w.]*\s+){{0,2}}$", re.IGNORECASE
)
_FULL_NAME = rf"{_NAME}(?:\s+{_NAME}){{1,2}}"
_AS_FULL_NAME = re.compile(
    rf"\b(?:{PHRASES['as']})\s+(?P<name>{_FULL_NAME})\s+(?:\w+\s+){{0,2}}{SAYS}\b"
    rf"|\b(?:{PHRASES['ascribes']})\s+(?:{PHRASES['to']})\s+(?P<to>{_FULL_NAME})"
)
_ACCORDING_TO = re.compile(rf"\b(?i:{PHRASES['according to']})\s+(?P<name>{_FULL_NAME})\W*$")
_OWNS = re.compile(r"[’']s?\b[^,;.]{0,60}$")
_OWNER = re.compile(rf"{_NAME}[’']s\s*\W?$")
_TITLED = re.compile(
    rf"\b(?:{PHRASES['inside']})\s+(?P<by>(?:{_NAME}\s+)?{_NAME}[’']s?\s+)?[*_“„«]?"
    rf"(?P<title>(?:(?:{PHRASES['articles']})\s+)?{_NAME}"
    rf"(?:\s+(?:(?:{PHRASES['joining']})\s+){{0,3}}{_NAME})*)"
)
_ARTICLE = re.compile(rf"(?:{PHRASES['articles']})\s")
_GENITIVE = re.compile(rf"\s(?:{PHRASES['genitives']})\s")
_SENTENCE = re.compile(r"[.!?][\"”’»)\]]*\s+(?=[^\W\d_a-zß-ÿ]|[“„«‘\"]|$)")
_SENTENCE_END = re.compile(r"(?<!^)[.!?](?=\s+[^\W\d_a-zß-ÿ]|\s*$)")
_CONJUNCTION = re.compile(r"[;:]|,?\s(?:and|und|et|y|e)\s")
_NEARBY = 1_200  # characters around a quotation in which its author may be named
_LONGEST_LOCATOR = 60  # characters of a citation that has only a page
_WORD_END = re.compile(r"(?<=[a-zß-ÿ)]{3})\.\s+(?=[A-ZÀ-Þ“„«])")
_NEXT_TITLE = re.compile(rf"[,.:;\s“„«*_]*(?P<title>{_NAME}[^,(\d]{{2,80}}?)\s*(?:[,(.]|”|$|\d)")


def is_any_title(words: Iterable[str]) -> bool:
    """Return whether the words of a title are those of a collection, such as `Works`."""
    return any(map(_ANY_TITLE.fullmatch, words))


def words_of_title(title: str) -> frozenset[str]:
    """Return the words of a title that count, folded."""
    words = re.findall(r"\w+", fold_text(title))
    return frozenset(word for word in words if not _SMALL.fullmatch(word)) or frozenset(words)


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A work that may be cited: of the library, or of a bibliography."""

    author: str
    title: str
    year: str = ""
    publisher: str = ""
    subtitle: str = ""

    @property
    def families(self) -> frozenset[str]:
        """The last names of its authors, folded."""
        people = people_of(self.author)
        names = (person.family or person.literal or person.name for person in people)
        return frozenset(fold_text(name) for name in names if name)

    @property
    def title_words(self) -> frozenset[str]:
        """The words of its title that count."""
        return words_of_title(self.title)


class KnownWorks:
    """The works whose authors and titles are known by name, of the library and of bibliographies."""

    def __init__(self, library: Iterable[CitedWork], cited: Mapping[str, CitedWork]) -> None:
        """Take those of the library, and those of a bibliography by their keys."""
        self.cited = cited
        self.works = [*dict.fromkeys([*library, *cited.values()])]
        families = sorted({name for work in self.works for name in work.families if len(name) > 1})
        self._families = re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(families, key=len, reverse=True))) or '(?!)'})(?!\w)"
        )
        self._titles = {work.title_words for work in self.works}

    def names_in(self, text: str) -> list[re.Match[str]]:
        """Return where authors are named in a text: family names that begin with a capital."""
        folded = fold_text(text)
        if len(folded) != len(text):  # a letter became two: offsets would be wrong
            folded = text.lower()
        return [match for match in self._families.finditer(folded) if text[match.start()].isupper()]

    def is_title(self, title: str) -> bool:
        """Return whether it is the title of one of them."""
        return words_of_title(title) in self._titles

    def title_in(self, text: str) -> str | None:
        """Return the words of a text that name a title: all that count, or one that no author has."""
        words = [word for word in re.findall(r"\w+", text) if not _SMALL.fullmatch(fold_text(word))]
        named = [word for word in words if word[0].isupper() and self.has_title_word(word)]
        return " ".join(named) or None

    def has_title_word(self, word: str) -> bool:
        """Return whether a word is one of a title, and no author's name."""
        folded = fold_text(word)
        return (
            len(folded) > 3
            and any(folded in words for words in self._titles)
            and not any(folded in work.families for work in self.works)
        )


def cited_source(text: str, known: KnownWorks, last: CitedSource | None = None) -> CitedSource | None:
    """Return what a citation says: a parenthesis, a note, or keys in brackets; None if it is no citation.

    Args:
        last: the citation before, which `ibid.` means.
    """
    body = _LEAD.sub("", _SEE_ALSO.split(text)[0].strip(), count=1)
    keys = _KEY.findall(body)
    rest = _KEY.sub("", body)
    page = _PAGE.search(rest)
    if page:
        body, rest = body[: body.find(page[0]) + len(page[0])], rest[: page.end()]
    else:
        rest = _first_sentence(rest)
        body = body if keys else rest
        bare = _BARE_PAGE.search(rest)
        only_year = bare and _YEAR.fullmatch(bare["page"]) and not _YEAR.search(rest[: bare.start("page")])
        page = bare if bare and not only_year and not _DIVISION.search(rest) else None
    pages = page["page"] if page else None
    year = _YEAR.search(rest[: page.start("page")] if page else rest)
    if keys:
        entry = known.cited.get(keys[0])
        author, title = (entry.author, entry.title) if entry else (None, None)
        found = entry is not None
        return CitedSource(text=text, author=author, title=title, page=pages, key=keys[0], key_found=found)
    if _AGAIN.search(rest) and last is not None:
        page_of_last = pages or last.page
        return CitedSource(text=text, author=last.author, title=last.title, page=page_of_last, key=last.key)
    names = known.names_in(rest)
    author, after = None, rest
    is_located = bool(pages or year)  # else it may be a sentence that names somebody
    if names and (is_located or _begins_citation(rest, names[0].start())):
        author, after = rest[names[0].start() : names[0].end()], rest[names[0].end() :]
    elif (unknown := _UNKNOWN.match(rest)) and _is_name(unknown, known):
        author, after = unknown["name"], rest[unknown.end() :]
    title = _title_in(after, known) if author else known.title_in(rest)
    if title and not (author or is_located or _begins_citation(rest, rest.find(title.split()[0]))):
        title = None
    if author is None and title is None and (pages is None or len(rest) > _LONGEST_LOCATOR):
        return None
    return CitedSource(text=text, author=author, title=title, page=pages, year=year[0] if year else None)


def _begins_citation(text: str, start: int) -> bool:
    """Return whether what stands there begins a citation: only other names may precede it."""
    words = re.findall(r"\w{3,}", text[:start])
    return not any(word[0].islower() or _NO_NAME.fullmatch(fold_text(word)) for word in words)


def _is_name(match: re.Match[str], known: KnownWorks) -> bool:
    words = re.findall(r"\w+", match["name"])
    return not any(_NO_NAME.fullmatch(fold_text(word)) or known.has_title_word(word) for word in words)


def _first_sentence(text: str) -> str:
    """Return a text up to its first sentence end; the full stop of an abbreviation or an initial is none."""
    end = _WORD_END.search(text)
    return text[: end.start()] if end else text


def _title_in(text: str, known: KnownWorks) -> str | None:
    """Return the title in a citation, after its author."""
    if named := known.title_in(text):
        return named
    part = _NEXT_TITLE.match(text)
    if part is None or _DIVISION.match(part["title"]):
        return None
    words = words_of_title(part["title"])
    is_whole = len(part["title"].split()) > 1 or text[part.end("title") :].lstrip()[:1] in ("", ",", "(")
    is_title = is_whole and not any(map(_NO_NAME.fullmatch, words))
    return part["title"] if is_title else None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The sentence around a quotation, without it."""

    before: str
    after: str
    paragraph: str


def surroundings(
    text: str, start: int, end: int, *, since: int = 0, until: int | None = None
) -> Surroundings:
    """Return what is said around a quotation: in its sentence, from the quotation before it to the next.

    Args:
        start: where the quotation begins.
        since: where the one before ends.
        until: where the next one begins, to which what follows a conjunction belongs; None if it is the last.
    """
    before = text[max(0, start - _NEARBY) : start].rstrip("“„«\"'‘»‹`")
    after = text[end : end + _NEARBY]
    own = after if until is None else after[: until - end]
    ended = _SENTENCE_END.search(own) or (until and _CONJUNCTION.search(own))
    said = before[max(0, len(before) - (start - since)) :]
    return Surroundings(_SENTENCE.split(said)[-1], own[: ended.start()] if ended else own, before + after)


def source_in_prose(around: Surroundings, known: KnownWorks) -> CitedSource | None:
    """Return what the sentence around a quotation says of its source, if it says so plainly."""
    author = _author_after(around.after, known) or _author_before(around.before, known)
    title = _titled(around, known)
    if author is None and title is None:
        return None
    return CitedSource(text=f"{around.before} … {around.after}".strip(), author=author, title=title)


def _author_after(after: str, known: KnownWorks) -> str | None:
    for name in known.names_in(after)[:1]:
        led = _LEADS_TO_NAME.search(after[: name.start()]) or _ASCRIBED.search(after[: name.start()])
        if led or _SAID_BY.match(after[name.end() :]):
            return after[name.start() : name.end()]
    return _full_name(_AS_FULL_NAME.search(after))


def _author_before(before: str, known: KnownWorks) -> str | None:
    names = known.names_in(before)
    if not names:
        return _full_name(_ACCORDING_TO.search(before))
    start, end = names[-1].span()
    between = before[end:]
    says = (_SAYS.search(between) and len(between.split()) <= 14) or _SAYS_LAST.search(before[:start])
    return before[start:end] if says or _OWNS.match(between) or not re.search(r"\w", between) else None


def _full_name(match: re.Match[str] | None) -> str | None:
    """Return a name that no known work is by, unless it begins with what is no name, as in `The Duke`."""
    name = match and (match[1] or match[match.re.groups])
    return None if not name or _NO_NAME.fullmatch(fold_text(name.split()[0])) else name


def _titled(around: Surroundings, known: KnownWorks) -> str | None:
    for text in (around.after, around.before):
        for match in _TITLED.finditer(text):
            title = match["title"]
            if title.endswith(("’s", "'s")):
                continue  # somebody's
            is_after = text is around.after
            is_long = _ARTICLE.match(title) and (is_after or len(title.split()) > 2)
            is_owned = is_after and (match["by"] or _OWNER.search(around.before))
            if is_long or is_owned or _GENITIVE.search(title) or known.is_title(title):
                return title
    return None


def bibliographies_named(text: str, suffixes: Sequence[str] = (".bib", ".json")) -> list[str]:
    """Return the names of the bibliographies that a manuscript names, as it writes them."""
    found = re.findall(r"\\(?:addbibresource|bibliography)(?:\[[^\]]*\])?\{([^{}]{1,400})\}", text)
    found += re.findall(r"^(?:bibliography|bibliographie)\s*:\s*(.{1,400})$", text[:20_000], re.MULTILINE)
    front = re.search(r"^bibliography\s*:\s*\n((?:\s*-\s*.+\n)+)", text[:20_000], re.MULTILINE)
    found += re.findall(r"-\s*(.+)", front[1]) if front else []
    names = [name.strip(" \t\"'[]") for listed in found for name in listed.split(",")]
    return [name if name.endswith(tuple(suffixes)) else f"{name}.bib" for name in names if name]
