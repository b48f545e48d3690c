"""The names in a question: an author or a title of the catalog says which books to search.

A name is certain or not. What may be a common word is not: it counts only if the best passage of all books is
in the books that it names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from alexandria.book.words import ALL_MARKS, fold_text, is_inside_word
from alexandria.store.names import NAME_WORD, asked_names, authors_in, folded_word, title_parts
from alexandria.store.record import BookName
from alexandria.store.sparse import term_id

_WORDS_FOR_IN = frozenset(("in", "im", "en", "dans", "em", "nel", "nella", "nello", "в", "во"))
"""Words for “in”: what follows one of them is a place, and may be a book."""
_MANY_WORDS = 3  # so many words of a title in a row are no coincidence
_MAX_STOP_WORDS = 2  # stop words between two words of a title
_MAX_HEADING = 5  # the most words of a heading by which a part of a book is named
_QUOTES = '"“”„«»*_‘'


@dataclass(frozen=True, slots=True)
class Name:
    """A part of a question that names books."""

    label: str  # the author or the title, as the catalog has it
    books: frozenset[str]  # their ids
    start: int
    end: int  # where it is in the question, with the word for “in” before it
    is_author: bool
    certain: bool  # whether it can hardly be a word like others
    removable: bool
    """Whether the question is better searched without it: a title that may be a character's name stays."""
    words: tuple[str, ...]  # the words by which the books are named, folded
    sections: tuple[str, ...] = ()  # the headings that are named; empty if whole books are


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word of a question, and what is around it."""

    text: str
    folded: str  # folded, and without the ending of a possessive
    start: int
    end: int
    is_stop: bool
    before: str  # what is between the word before and this one
    begins_inside: bool
    """Whether it goes on with a longer word: catalogs cut words at marks, as version 1.0.0 did."""
    ends_inside: bool  # whether a longer word goes on with it

    @property
    def is_capitalised(self) -> bool:
        """Whether it begins with a capital."""
        return not self.text[0].islower()  # scripts without case count as capital

    @property
    def is_possessive(self) -> bool:
        """Whether it has the ending of a possessive."""
        return fold_text(self.text) != self.folded


_Entry = tuple[str, frozenset[str]]
"""What the catalog has by a name: the author or the title, and the ids of the books."""


@dataclass(frozen=True, slots=True)
class NameIndex:
    """What the books of a catalog may be called, by the folded words of each name."""

    authors: dict[tuple[str, ...], _Entry]  # by whole and by last name
    titles: dict[tuple[str, ...], _Entry]  # by the words of a title, or of a part of it, without stop words
    titles_with: dict[str, list[tuple[str, ...]]]  # the keys of `titles` that have a word
    longest_author: int  # the most words of an author's name


def asked_words(question: str, language: str | None) -> list[AskedWord]:
    """Return the words of a question in a language (a primary subtag), whose stop words are in no name."""
    words, end = list[AskedWord](), 0
    for match in NAME_WORD.finditer(question):
        after = len(question) - len(question[match.end() :].lstrip("".join(ALL_MARKS)))
        words.append(
            AskedWord(
                text=match[0],
                folded=folded_word(match[0]),
                start=match.start(),
                end=match.end(),
                is_stop=term_id(fold_text(match[0]), language) is None,
                before=question[end : match.start()],
                begins_inside=is_inside_word(question, match.start()),
                ends_inside=is_inside_word(question, after),
            )
        )
        end = match.end()
    return words


def names_asked(words: Sequence[AskedWord]) -> list[str]:
    """Return under which names the books that a question may name are listed in the catalog."""
    return asked_names([word.folded for word in words], [word.folded for word in words if not word.is_stop])


def name_index(books: Sequence[BookName], language: str | None) -> NameIndex:
    """Return the index in which names in a question are looked up, without a language's stop words."""
    authors: dict[tuple[str, ...], tuple[str, set[str]]] = {}
    titles: dict[tuple[str, ...], tuple[str, set[str]]] = {}
    for book in books:
        for author, name in authors_in(book.author):
            for key in {tuple(name), tuple(name[-1:])}:
                authors.setdefault(key, (author, set()))[1].add(book.book_id)
        for part, words in title_parts(book.title):
            if key := tuple(word for word in words if term_id(word, language) is not None):
                titles.setdefault(key, (part, set()))[1].add(book.book_id)
    titles_with: dict[str, list[tuple[str, ...]]] = {}
    for key in titles:
        for word in set(key):
            titles_with.setdefault(word, []).append(key)
    return NameIndex(
        authors=_frozen(authors),
        titles=_frozen(titles),
        titles_with=titles_with,
        longest_author=max(map(len, authors), default=0),
    )


def names_in(words: Sequence[AskedWord], index: NameIndex) -> list[Name]:
    """Return the names of authors and titles in a question, the longest first; no two overlap."""
    cut = {word.start for word in words if word.begins_inside}
    cut |= {word.end for word in words if word.ends_inside}
    found = (*_authors_in(words, index), *_titles_in(words, index))
    names = [name for name in found if cut.isdisjoint((name.start, name.end))]
    names.sort(key=lambda name: (not name.certain, name.start - name.end))
    chosen: list[Name] = []
    for name in names:
        if all(name.end <= other.start or other.end <= name.start for other in chosen):
            chosen.append(name)
    # A question that is nothing but a name asks for it.
    return [name for name in chosen if not _is_whole(words, name)]


def parts_in(words: Sequence[AskedWord]) -> list[Name]:
    """Return what may be the name of a part of a book: words with capitals after a word for “in”.

    Its books are not known; its `sections` are the ways in which a heading may be written.
    """
    parts = []
    for first, word in enumerate(words):
        n = 0
        while first + n < len(words) and words[first + n].text[0].isupper() and n < _MAX_HEADING:
            n += 1
        if n and not word.is_stop and _is_after_in(words, first):
            label = word.text + "".join(other.before + other.text for other in words[first + 1 : first + n])
            part = _as_name(
                words, first, n, (label, frozenset()), is_author=False, certain=True, removable=True
            )
            headings = tuple(
                article + text for text in (label, label.upper()) for article in ("", "The ", "THE ")
            )
            parts.append(replace(part, sections=headings))
    return [part for part in parts if not _is_whole(words, part)]


def without_names(question: str, names: Sequence[Name]) -> str:
    """Return a question without the names that are no part of what is asked."""
    for name in sorted(names, key=lambda name: -name.start):
        if name.removable:
            question = question[: name.start].rstrip() + " " + question[name.end :].lstrip(" ,:;")
    return question.strip()


def books_named(names: Sequence[Name]) -> frozenset[str]:
    """Return the ids of the books that names mean together: an author's book of that title, or all."""
    authors = frozenset[str]().union(*(name.books for name in names if name.is_author))
    titles = frozenset[str]().union(*(name.books for name in names if not name.is_author))
    return authors & titles or authors | titles


def _frozen(names: dict[tuple[str, ...], tuple[str, set[str]]]) -> dict[tuple[str, ...], _Entry]:
    return {key: (label, frozenset(books)) for key, (label, books) in names.items()}


def _authors_in(words: Sequence[AskedWord], index: NameIndex) -> Iterator[Name]:
    """Yield the authors that a question names."""
    for first in range(len(words)):
        for n in range(min(index.longest_author, len(words) - first), 0, -1):
            part = words[first : first + n]
            entry = index.authors.get(tuple(word.folded for word in part))
            if entry is None or (n == 1 and not _may_be_last_name(words, first)):
                continue
            is_whole_name = n > 1
            is_free = not _is_in_longer_name(words, first, n)
            # After the first word, which has a capital anyway, it may be a part of a longer name.
            certain = is_free and (
                is_whole_name or (part[0].is_capitalised and not _follows_opening(words, first))
            )
            if is_free or is_whole_name:
                yield _as_name(words, first, n, entry, is_author=True, certain=certain, removable=True)
            break


def _may_be_last_name(words: Sequence[AskedWord], i: int) -> bool:
    """Return whether a word is written as a name: with a capital, as a possessive, or where nothing has a
    capital.
    """
    word = words[i]
    if word.is_capitalised:
        return True
    if i > 0 and words[i - 1].folded in _ARTICLES:
        return False
    return word.is_possessive or not any(other.text[0].isupper() for other in words)


_ARTICLES = frozenset(
    ("a", "an", "the", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "el")
)


def _titles_in(words: Sequence[AskedWord], index: NameIndex) -> Iterator[Name]:
    """Yield the titles, and the good parts of titles, that a question names."""
    keys = {key for word in words for key in index.titles_with.get(word.folded, ())}
    for key in sorted(keys):
        entry = index.titles[key]
        if (place := _find_title(words, key)) is None:
            continue
        first, n = place.first, place.n
        part = words[first : first + n]
        capitalised = all(word.is_capitalised for word in part if not word.is_stop)
        after_in = _is_after_in(words, first)
        marked = part[0].before != "" and part[0].before[-1] in _QUOTES
        is_whole = place.n_of_title == len(key)
        if place.n_of_title == 1:
            if not capitalised or not is_whole or _is_in_longer_name(words, first, n):
                continue
            certain = after_in or marked or (first > 0 and words[first - 1].text in ("The", "A", "An"))
        elif is_whole:
            certain = capitalised or after_in
        else:
            if not capitalised and not after_in:
                continue
            certain = place.n_of_title >= _MANY_WORDS or (after_in and capitalised)
        yield _as_name(words, first, n, entry, is_author=False, certain=certain, removable=after_in)


class _TitlePlace(NamedTuple):
    """The `n` words of a question from `first` on, of which `n_of_title` are those of a title."""

    first: int
    n: int
    n_of_title: int


def _find_title(words: Sequence[AskedWord], title: tuple[str, ...]) -> _TitlePlace | None:
    """Return where most of a title's words are; `title` has no stop words."""
    # They are in the order of the title and adjoin, but for stop words. After a word for “in”, the title may
    # have more words in between: *Alice in Wonderland*. One word counts only if it is the whole title. None
    # if there is none.
    content = [i for i, word in enumerate(words) if not word.is_stop]
    best: _TitlePlace | None = None
    for start, first in enumerate(content):
        # How many words match so far; where the last one of them is in the title, and in the question.
        n_matches, in_title, last = 0, -1, first
        for i in content[start:]:
            later = [n for n in range(in_title + 1, len(title)) if title[n] == words[i].folded]
            if not later or (n_matches and later[0] != in_title + 1 and not _is_after_in(words, first)):
                break
            if n_matches and i - last > _MAX_STOP_WORDS + 1:
                break
            n_matches, in_title, last = n_matches + 1, later[0], i
        if (n_matches > 1 or n_matches == len(title)) and (best is None or n_matches > best.n_of_title):
            best = _TitlePlace(first, last - first + 1, n_matches)
    return best


def _is_after_in(words: Sequence[AskedWord], first: int) -> bool:
    """Return whether a word for “in” comes before a word, but for an article."""
    i = first - 1
    if i >= 0 and words[i].folded in _ARTICLES:
        i -= 1
    return i >= 0 and words[i].folded in _WORDS_FOR_IN


def _is_in_longer_name(words: Sequence[AskedWord], first: int, n: int) -> bool:
    """Return whether capitalised words adjoin: the *Prince of Wales* is not *The Prince*."""
    before = words[first - 1] if first > 1 else None
    after = words[first + n : first + n + 2]
    adjoins_before = (
        before is not None and before.is_capitalised and not before.is_stop and words[first].before.isspace()
    )
    last = words[first + n - 1]
    if not after or last.is_possessive or not after[0].before.isspace():
        return adjoins_before
    follows = after[0].text[0].isupper() and not after[0].is_stop
    is_of = (
        after[0].folded in ("of", "de", "von", "du", "di") and len(after) > 1 and after[1].text[0].isupper()
    )
    return adjoins_before or follows or is_of


def _follows_opening(words: Sequence[AskedWord], first: int) -> bool:
    """Return whether a word is the first of a question, or the second after one that is no stop word."""
    return first == 0 or (first == 1 and not words[0].is_stop)


def _as_name(
    words: Sequence[AskedWord],
    first: int,
    n: int,
    entry: _Entry,
    *,
    is_author: bool,
    certain: bool,
    removable: bool,
) -> Name:
    """Return the name in some words of a question, with the “in” and the article before it."""
    label, books = entry
    part = words[first : first + n]
    begin = first
    if removable:
        while begin > 0 and words[begin - 1].folded in _ARTICLES | _WORDS_FOR_IN:
            begin -= 1
    return Name(
        label=label,
        books=books,
        start=words[begin].start,
        end=part[-1].end,
        is_author=is_author,
        certain=certain,
        removable=removable,
        words=tuple(word.folded for word in part if not word.is_stop),
    )


def _is_whole(words: Sequence[AskedWord], name: Name) -> bool:
    return all(word.is_stop or name.start <= word.start < name.end for word in words)
