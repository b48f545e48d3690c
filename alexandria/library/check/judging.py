"""Judges the quotations of a manuscript: finds them in the books, and compares what is claimed of each."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from alexandria.book.people import people_of
from alexandria.book.words import fold_text, letters_of
from alexandria.library.check.manuscript import Lines, Manuscript, QuotedSpan, is_divided
from alexandria.library.check.phrases import PHRASES
from alexandria.library.check.report import (
    Allowance,
    CheckedQuotation,
    CitedSource,
    Claims,
    ClaimVerdict,
    TextBlock,
    Verdict,
    WordDifference,
)
from alexandria.library.check.shelf import Shelf
from alexandria.library.check.sources import (
    SAYS,
    CitedWork,
    KnownWorks,
    Surroundings,
    cited_source,
    is_any_title,
    source_in_prose,
    surroundings,
    words_of_title,
)
from alexandria.library.search.alignment import Letters
from alexandria.library.search.comparison import (
    ComparedPlace,
    QuotedText,
    WordChange,
    places_of_quotation,
    quoted_text,
    span_of,
)
from alexandria.store.passage import Quotation

_FEW_WORDS = 4  # words that are too few to say that a quotation is wrong
_MIN_LETTERS = 12  # letters of so few words that are a quotation if they stand somewhere
_MIN_RUN = 4  # words in a row that make a place worth showing as the nearest
_MAX_PLACES = 40  # places that are as near, of which the one is chosen of which most claims are right
_MAX_STOCK = 8  # words of a phrase that many books have with one word or another
_STORY = 8  # texts in marks, none of them quoted or cited: from so many on, they are speech
_MAX_NAMED = 8  # words of a phrase that somebody calls something, which is no quotation
_CITATION = re.compile(
    r"\((?P<round>[^()]{1,300})\)|\[(?P<square>[^\[\]]*@[^\[\]]*)\]|(?<![\w\[;-])(?P<key>@[\w:.-]*\w(?:\s*\[[^\[\]]*\])?)"
)
_BELOW = re.compile(r"(?:[—–-]{1,2}|\(|\[)[^\n]{2,200}")
"""The citation of a quotation that is set apart, in a paragraph of its own below it."""
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[^\W\d_a-zß-ÿ]|[“„«‘\"])")
_CALLED = re.compile(rf"\b(?:{PHRASES['calls']})\s*(?:\w+\s+){{0,3}}$", re.IGNORECASE)
_SUPPOSED_BEFORE = re.compile(rf"\b(?:{PHRASES['supposes']})\W*$", re.IGNORECASE)
_SUPPOSED_AFTER = re.compile(rf"\W*(?:{PHRASES['supposes after']})\b", re.IGNORECASE)
_SPEAKER = f"(?:{PHRASES['speakers']})"
_SPOKEN_AFTER = re.compile(rf"\W*(?:{_SPEAKER}\s+(?:\w+\s+)?{SAYS}|{SAYS}\s+{_SPEAKER})\b", re.IGNORECASE)
_SPOKEN_BEFORE = re.compile(
    rf"\b{_SPEAKER}\s+(?:(?!{PHRASES['objects']}\b)\w+\s+){{0,4}}{SAYS}"
    rf"(?:\s+(?:{PHRASES['after says']}))*\W*$|\b{SAYS}\s+{_SPEAKER}\W*$",
    re.IGNORECASE,
)
_PERIODICAL = re.compile(r",\s*(?:[Ii]n\b:?\s*)?[*_]?[^\W\da-zß-ÿ_][^;]{3,120}\d")
"""What follows the title of an article."""
_OUTER_MARKS = "“”„«»‹›‘’‚\"'「」『』` \n\t\u00a0\u202f"
_DOUBLE, _SINGLE = '“”„«»"', "‘‚‹›"


@dataclass(frozen=True, slots=True)
class _Found:
    """A quotation with its places, before the claims of all of them are known."""

    candidate: QuotedSpan
    text: str
    quoted: QuotedText
    verdict: Verdict
    is_divided: bool
    places: tuple[ComparedPlace, ...]  # those that are equally near
    cited: CitedSource | None
    around: Surroundings
    pages: tuple[str, ...] = ()  # on which it stands, where a page is claimed

    @property
    def is_placed(self) -> bool:
        """Whether it stands in a book, as it is or with other words."""
        return self.verdict in (Verdict.EXACT, Verdict.DIFFERS)


def judged(manuscript: Manuscript, shelf: Shelf, known: KnownWorks) -> list[CheckedQuotation]:
    """Return the quotations of a manuscript, compared with some books."""
    judge = _Judge(manuscript, shelf, known)
    found = [replace(one, pages=judge.pages(one)) for one in judge.found()]
    if len(found) >= _STORY and not any(one.is_placed or one.cited for one in found):
        found = [one for one in found if one.verdict is not Verdict.NOT_FOUND]  # what its own people say
    quoted = judge.quoted_works(found)
    found = [one for one in found if not judge.is_stock_phrase(one, quoted)]
    is_ours = judge.cited_editions(found)
    lines = Lines(manuscript.source) if manuscript.source else None
    items = list[CheckedQuotation]()
    for one in found:
        item = replace(judge.item(one, is_ours), ordinal=len(items) + 1)
        if lines:
            in_note = manuscript.blocks[one.candidate.block].is_note
            item = replace(item, where=f"line {lines.of(one.candidate.text, in_note=in_note)}")
        items.append(item)
    return items


@dataclass(frozen=True, slots=True)
class _Judge:
    """Judges the quotations of one manuscript."""

    manuscript: Manuscript
    shelf: Shelf
    known: KnownWorks

    # --- what is a quotation, and where it stands ------------------------------------------------

    def found(self) -> Iterator[_Found]:
        """Yield the quotations with their places, in order."""
        candidates, blocks = list(self.manuscript.candidates), self.manuscript.blocks
        last, i = None, 0
        while i < len(candidates):
            candidate, text, is_joined = candidates[i], candidates[i].text, False
            following = candidates[i + 1] if i + 1 < len(candidates) else None
            if following and is_divided(candidate, following, blocks) and self._are_one(candidate, following):
                text = f"{candidate.text.strip()} {following.text.strip()}"
                candidate = replace(candidate, end=following.end, until=following.until)
                is_joined, i = True, i + 1
            i += 1
            around = _surroundings(candidate, blocks[candidate.block])
            cited = candidate.cited or self._cited(candidate, around, last)
            last = cited or last
            yield from self._judged(candidate, text, is_joined, cited, around)

    def _are_one(self, first: QuotedSpan, second: QuotedSpan) -> bool:
        """Return whether the end of one piece and the beginning of the other are next to each other."""
        end, start = letters_of(first.text)[-18:], letters_of(second.text)[:18]
        if len(end) + len(start) < _MIN_LETTERS or not end or not start:
            return False
        return any(len(book.find(end + start)) for book in self.shelf.letters)

    def _judged(
        self,
        candidate: QuotedSpan,
        text: str,
        is_joined: bool,
        cited: CitedSource | None,
        around: Surroundings,
    ) -> Iterator[_Found]:
        text = text.strip(" \n\t\u00a0\u202f")
        quoted = quoted_text(text)
        letters = quoted.letters.text
        n_words = len(re.findall(r"[^\W_]+(?:[’'][^\W_]+)*", text))
        if not quoted.parts or letters in self.shelf.titles or (n_words == 1 and cited is None):
            return
        places = places_of_quotation(quoted, self.shelf.letters)
        near = bool(places) and places[0].is_near(quoted)
        is_same = near and not places[0].changes
        if n_words <= _FEW_WORDS:
            is_found = is_same and len(letters) >= _MIN_LETTERS
            verdict = Verdict.EXACT if is_found else Verdict.TOO_SHORT
        else:
            verdict = Verdict.EXACT if is_same else Verdict.DIFFERS if near else Verdict.NOT_FOUND
        if verdict is Verdict.NOT_FOUND:
            inner = self._inner(candidate)
            if inner or not candidate.is_certain:
                yield from inner
                return
            no_quotation = self._is_no_quotation(candidate, text, n_words, cited, around)
            if no_quotation is None:
                return
            verdict = Verdict.TOO_SHORT if no_quotation else verdict
        if verdict in (Verdict.TOO_SHORT, Verdict.DIFFERS) and not candidate.is_certain:
            return
        if (prose := source_in_prose(around, self.known)) is not None:
            if near and prose.author and self._is_character(prose.author, places[0]):
                prose = replace(prose, author=None)
            author, title = (cited.author, cited.title) if cited else (None, None)
            cited = replace(cited or prose, author=author or prose.author, title=title or prose.title)
        if near:  # of equally near places, one of which nothing is wrong
            nearest = (places[0].n_different, places[0].run_letters)
            places = [one for one in places if (one.n_different, one.run_letters) == nearest][:_MAX_PLACES]
            places.sort(key=lambda one: -_n_agreeing(self._claims(cited, around, one)))
        yield _Found(candidate, text, quoted, verdict, is_joined, tuple(places), cited, around)

    def _is_character(self, name: str, place: ComparedPlace) -> bool:
        """Return whether a name of which a claim would be wrong stands in the book itself."""
        letters, families = letters_of(name.split()[-1]), self.shelf.books[place.book].work.families
        is_own = not _families(name).isdisjoint(families)
        return not is_own and len(self.shelf.letters[place.book].find(letters)) > 0

    def _inner(self, candidate: QuotedSpan) -> list[_Found]:
        """Return what stands in the books of what is in marks inside a text that does not."""
        found = list[_Found]()
        nothing = Surroundings("", "", "")
        for span in candidate.inner:
            text = candidate.text[span.start - candidate.start : span.end - candidate.start]
            own = QuotedSpan(candidate.block, span.start, span.end, 0, None, text, is_certain=False)
            found += self._judged(own, text, False, None, nothing)
        return [one for one in found if one.verdict is Verdict.EXACT and one.quoted.n_words > _FEW_WORDS]

    def _is_no_quotation(
        self, candidate: QuotedSpan, text: str, n_words: int, cited: CitedSource | None, around: Surroundings
    ) -> bool | None:
        """Return whether words that stand nowhere may be something else; None if they surely are."""
        if candidate.is_block or cited is not None:
            return False
        capitals = re.findall(r"[^\W\d_]{4,}", text)
        if len(capitals) > 2 and all(word[0].isupper() for word in capitals):
            return None  # a title
        block, follows = self.manuscript.blocks[candidate.block], around.after.strip(_OUTER_MARKS)
        if block.is_note and _PERIODICAL.match(("," if text.endswith(",") else "") + follows):
            return None  # the title of an article
        if _SUPPOSED_BEFORE.search(around.before) or _SUPPOSED_AFTER.match(around.after):
            return None  # what somebody might say, or the same in other words
        names = self.known.names_in(f"{around.before} {around.after}")
        if names:
            return False
        if _CALLED.search(around.before) and n_words <= _MAX_NAMED:
            return True
        spoken = _SPOKEN_AFTER.match(around.after) or _SPOKEN_BEFORE.search(around.before)
        return None if spoken else False

    def quoted_works(self, found: Iterable[_Found]) -> frozenset[str]:
        """Return the works that are quoted word for word more than once."""
        exact = (one for one in found if one.verdict is Verdict.EXACT and one.quoted.n_words > _FEW_WORDS)
        times = Counter(self.shelf.books[one.places[0].book].work_id for one in exact)
        return frozenset(work for work, n in times.items() if n > 1)

    def is_stock_phrase(self, found: _Found, quoted: Collection[str]) -> bool:
        """Return whether few words only resemble a book that nothing says they are from."""
        if found.verdict is not Verdict.DIFFERS or found.quoted.n_words > _MAX_STOCK or found.cited:
            return False
        claims = self._claims(None, found.around, found.places[0])
        is_named = ClaimVerdict.AGREES in (claims.author, claims.title)
        return not is_named and self.shelf.books[found.places[0].book].work_id not in quoted

    # --- what is claimed ------------------------------------------------------------------------

    def _cited(
        self, candidate: QuotedSpan, around: Surroundings, last: CitedSource | None
    ) -> CitedSource | None:
        """Return the citation that goes with a quotation: after it, in its note, or before it."""
        blocks, block, end = self.manuscript.blocks, self.manuscript.blocks[candidate.block], candidate.end
        after = block.text[end : candidate.until]
        ended = _SENTENCE_END.search(after, 2)
        reach = end + (ended.start() + 3 if ended else len(after) + 2)
        options = [(end + match.start(), _cited_in(match)) for match in _CITATION.finditer(after)]
        options += (note for note in block.notes if note[0] >= end - 1)
        if candidate.is_block:
            below = takewhile(lambda one: one.kind is block.kind, blocks[candidate.block + 1 :][:3])
            texts = [after, *(one.text for one in below if _BELOW.fullmatch(one.text.strip()))]
            options += ((end, text.strip("()[]—–-. \n")) for text in texts)
        for at, text in sorted(options):
            if at <= reach and (source := cited_source(text, self.known, last)):
                return source
        for match in reversed([*_CITATION.finditer(around.before)]):
            if candidate.since and not around.before[: match.start()].strip(_OUTER_MARKS + ".,;:"):
                continue  # it follows another quotation
            named = self.known.names_in(around.before[: match.start()])[-1:] if match["round"] else []
            name = "".join(f"{around.before[slice(*one.span())]}, " for one in named)
            if source := cited_source(f"{name}{_cited_in(match)}", self.known, last):
                return source
        return None

    def pages(self, found: _Found) -> tuple[str, ...]:
        """Return the pages on which a quotation stands, in all editions of the work that have pages."""
        if not found.is_placed or not (found.cited and found.cited.page):
            return ()
        work = self.shelf.books[found.places[0].book].work_id
        pages = list[str]()
        for number, book in enumerate(self.shelf.books):
            if book.work_id != work or not book.has_pages:
                continue
            places = [place for place in found.places if place.book == number]
            if not places:
                own = places_of_quotation(found.quoted, [book.letters])
                places = [replace(one, book=number) for one in own[:1] if one.is_near(found.quoted)]
            pages += (page for place in places[:4] if (page := self.shelf.place(found.text, place).page))
        return tuple(pages)

    def cited_editions(self, found: Iterable[_Found]) -> frozenset[str]:
        """Return the works that are cited by an edition which is in the library.

        Its year or its publisher agrees, or where one page is wrong, most of the others are right.
        """
        right, n, stated = Counter[str](), Counter[str](), set[str]()
        for one in found:
            if one.pages and one.cited and one.cited.page:
                work = self.shelf.books[one.places[0].book].work_id
                n[work] += 1
                right[work] += _is_on_page(one.cited.page, one.pages)
                entry = self.known.cited.get(one.cited.key or "")
                year = one.cited.year or (entry.year if entry else "")
                publisher = letters_of(entry.publisher) if entry else ""
                stated |= {
                    book.work_id
                    for book in self.shelf.books
                    if book.work_id == work and book.has_pages
                    if (year and book.work.year[:4] == year)
                    or (publisher and publisher == letters_of(book.work.publisher))
                }
        return frozenset(stated | {work for work in n if right[work] * 2 > n[work] - 1})

    def item(self, found: _Found, is_ours: frozenset[str]) -> CheckedQuotation:
        """Return a quotation with its verdict; its number is not known yet.

        Args:
            is_ours: the works of which the cited edition is in the library.
        """
        candidate, block = found.candidate, self.manuscript.blocks[found.candidate.block]
        start, end = (0, 0) if block.is_note else (candidate.start, candidate.end)
        item = CheckedQuotation(
            file=self.manuscript.file,
            ordinal=0,
            start=block.start + start,
            end=block.start + end,
            text=found.text,
            where=block.where,
            verdict=found.verdict,
            cited=found.cited,
            note=candidate.note,
        )
        if not found.is_placed:
            return replace(item, nearest=self._nearest(found)) if found.verdict is Verdict.NOT_FOUND else item
        best = found.places[0]
        place = self.shelf.place(found.text, best)
        changes = tuple(_difference(found, change, place, best) for change in best.changes)
        allowances = () if changes else tuple(_allowances(found, place))
        claims = self._claims(found.cited, found.around, best)
        if found.cited and found.cited.page and found.pages:
            is_wrong = ClaimVerdict.UNKNOWN
            if _is_on_page(found.cited.page, found.pages):
                is_wrong = ClaimVerdict.AGREES
            elif self.shelf.books[best.book].work_id in is_ours:
                is_wrong = ClaimVerdict.DISAGREES
            claims = replace(claims, page=is_wrong)
        return replace(
            item,
            verdict=Verdict.ALLOWED if allowances else found.verdict,
            allowances=allowances,
            differences=changes,
            place=place,
            claims=claims,
            page_in_copy=found.pages[0] if found.pages else place.page,
        )

    def _claims(self, cited: CitedSource | None, around: Surroundings, place: ComparedPlace) -> Claims:
        """Return whether author and title are those of a place."""
        work = self.shelf.books[place.book].work
        author = title = ClaimVerdict.UNKNOWN
        if cited and cited.author:
            is_by = bool(_families(cited.author) & work.families) or not work.families
            author = ClaimVerdict.AGREES if is_by else ClaimVerdict.DISAGREES
        elif {fold_text(name[0]) for name in self.known.names_in(around.paragraph)} & work.families:
            author = ClaimVerdict.AGREES
        if cited and cited.title:
            title = _title_verdict(cited.title, work)
        elif letters_of(re.split(r"[:;]", work.title)[0]) in letters_of(around.paragraph):
            title = ClaimVerdict.AGREES
        return Claims(author=author, title=title)

    def _nearest(self, found: _Found) -> Quotation | None:
        place = next((one for one in found.places if one.run >= _MIN_RUN), None)
        return self.shelf.place(found.text, place) if place else None


def _cited_in(citation: re.Match[str]) -> str:
    """Return the text of a citation in brackets, or of a key."""
    return citation["round"] or citation["square"] or citation["key"]


def _families(names: str) -> frozenset[str]:
    families = {fold_text(person.family or person.literal or person.name) for person in people_of(names)}
    return frozenset(families | {fold_text(names).split()[-1]})


def _n_agreeing(claims: Claims) -> int:
    values = {ClaimVerdict.AGREES: 1, ClaimVerdict.DISAGREES: -1, ClaimVerdict.UNKNOWN: 0}
    return sum(values[claim] for claim in (claims.author, claims.title, claims.page))


def _title_verdict(title: str, work: CitedWork) -> ClaimVerdict:
    claimed, own = words_of_title(title), words_of_title(f"{work.title} {work.subtitle}")
    if claimed & own:
        return ClaimVerdict.AGREES
    return ClaimVerdict.UNKNOWN if is_any_title(claimed) else ClaimVerdict.DISAGREES


def _is_on_page(claimed: str, pages: Iterable[str]) -> bool:
    """Return whether a page or a range of pages has one of the pages on which a quotation stands."""
    wanted = _range(claimed)
    return any(not wanted.isdisjoint(_range(page)) for page in pages)


def _range(pages: str) -> frozenset[str]:
    first, *rest = re.split(r"\s*[-–—]\s*", pages.strip().lower())
    last = rest[0] if rest else first
    if first.isdigit() and last.isdigit():
        last = first[: len(first) - len(last)] + last  # 85–6
        return frozenset(map(str, range(int(first), min(int(last), int(first) + 50) + 1)))
    return frozenset((first, last))


def _surroundings(candidate: QuotedSpan, block: TextBlock) -> Surroundings:
    """Return what is said around a quotation; before one that is set apart, in the sentence it continues."""
    if not candidate.is_block:
        start, end = candidate.start, candidate.end
        return surroundings(block.text, start, end, since=candidate.since, until=candidate.until)
    text, at = f"{block.lead} ", len(block.lead) + 1
    return replace(surroundings(text, at, at), paragraph=text + block.text[candidate.end :])


def _difference(
    found: _Found, change: WordChange, place: Quotation, compared: ComparedPlace
) -> WordDifference:
    """Return the words of a quotation and of its place that differ."""
    start, end = found.quoted.span(change)
    first, stop = change.book_start - compared.start, change.book_end - compared.start
    book_start, book_end = span_of(Letters.of(place.words), first, stop, len(place.words))
    return WordDifference(found.text[start:end], place.words[book_start:book_end], start, book_start)


def _allowances(found: _Found, place: Quotation) -> Iterator[Allowance]:
    """Yield the changes in a quotation that convention allows."""
    quoted, text = found.quoted, found.text
    if quoted.omits:
        yield Allowance.OMISSION
    first = [one for one in quoted.brackets if re.fullmatch(r"\[\w\]\w+", one)]
    if first:
        yield Allowance.FIRST_LETTER
    if len(quoted.brackets) > len(first):
        yield Allowance.BRACKETS
    if quoted.has_sic:
        yield Allowance.SIC
    if re.search(r"\s/{1,2}\s", text):
        yield Allowance.SLASHES
    if found.is_divided:
        yield Allowance.ATTRIBUTION
    mark = text.rstrip(_OUTER_MARKS)[-1:]
    if place.best and not place.in_note and not mark.isalnum():
        after = place.text[place.best[1] - place.start :].lstrip(_OUTER_MARKS)
        if mark in ".,;:!?" and not after.startswith(mark):
            yield Allowance.FINAL_MARK
    if _levels(text) != _levels(place.words):
        yield Allowance.INNER_MARKS


def _levels(text: str) -> list[bool]:
    """Return of each mark inside a text whether it is a double one; apostrophes are left out."""
    inside = text.strip(_OUTER_MARKS)
    return [mark in _DOUBLE for mark in re.findall(rf"[{_DOUBLE}{_SINGLE}]|(?<!\w)'(?=\w)", inside)]
