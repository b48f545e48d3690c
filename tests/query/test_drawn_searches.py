"""Searches and quotations drawn from a seed, in a library of small books: all that comes back is held."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria.book.choices import Diverse, Mode
from alexandria.book.filters import FilterOptions
from alexandria.embed.hashing import HashingEncoder
from alexandria.library.libraries import Libraries
from alexandria.library.library import Library
from alexandria.library.location import open_catalog
from alexandria.library.search import relevance
from alexandria.library.search.alignment import align
from alexandria.library.search.differences import differences
from alexandria.library.search.editions import contains
from alexandria.library.search.hits import Results, search
from alexandria.library.search.relevance import Coefficients
from alexandria.library.search.request import SearchRequest, parse_filters
from alexandria.library.search.reranking import Ranker
from alexandria.library.search.spelling import edit_cost, edits_of
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit, Passage
from tests.drawn import hold_drawn, listed, or_error, shown, slipped

NOUNS = listed(
    "harbour lantern beekeeper orchard miller glacier compass violin kettle ferry inn-keeper cellar pilgrim "
    "saltworks almanac weaver anchor chapel quarry heron lighthouse notebook theatre carpenter barometer "
    "jeweller colour programme railway sea-wall apple-tree observatory mathematics governor"
)
VERBS = listed(
    "measures repairs forgets carries divides answers paints counts follows remembers buries sells"
)
PLACES = [
    "beyond the river",
    "in Ravenna",
    "near the old mill",
    "under Mont Blanc",
    "at the market",
    "on the ice",
]
GERMAN = [
    "der Müller",
    "die Straße",
    "das Äpfelchen",
    "der Leuchtturm",
    "die Hafenstadt",
    "der Weber",
    "das Uhrwerk",
]
GERMAN_VERBS = ["misst", "vergisst", "trägt", "zählt", "findet", "verkauft"]
RUSSIAN = ["мельник", "корабль", "яблоко", "маяк", "дорога", "часовщик", "гавань", "метель"]
RUSSIAN_VERBS = ["измеряет", "забывает", "считает", "находит", "рисует"]
BOOKS = (
    ("The Salt Roads", "Ida B. Marlow", "1891", "en", 1),
    ("The Salt Roads, revised", "Ida B. Marlow", "1923", "en", 1),
    ("Letters from the Quarry: A Winter", "Jan van der Meer", "1880", "en", 2),
    ("Winter", "Paris O’Brien", "2001", "en-GB", 3),
    ("Harbours, Vol. II: The Ferries", "Ida B. Marlow, Ann Reed", "1900", "en", 4),
    ("Der Müller am Meer", "Karl Äpfel", "1850", "de", 5),
    ("Мельник и море", "Иван Петров", "1870", "ru", 6),
    ("Notes", "", "", "en", 7),
)
"""Title, author, year, language, and the seed of the text: two editions have one."""


def sentence(drawn: random.Random, language: str = "en") -> str:
    if language in ("de", "ru"):
        nouns, verbs = (GERMAN, GERMAN_VERBS) if language == "de" else (RUSSIAN, RUSSIAN_VERBS)
        words = [drawn.choice(nouns), drawn.choice(verbs), drawn.choice(nouns)]
    else:
        words = ["the", drawn.choice(NOUNS), drawn.choice(VERBS), "the", drawn.choice(NOUNS)]
        words += drawn.choice(
            [[], [drawn.choice(PLACES)], ["and", drawn.choice(VERBS), str(drawn.randrange(2000))]]
        )
    said = " ".join(words)
    return said[:1].upper() + said[1:] + drawn.choice(".......?!;") if said else said


def book(title: str, author: str, year: str, language: str, seed: int) -> str:
    """Return a book of chapters with notes; a later edition has other spellings and more in between."""
    drawn, parts = random.Random(seed), list[str]()
    later = "revised" in title
    for chapter in range(1, 4):
        parts.append(f"<h2>Chapter {chapter}: {drawn.choice(NOUNS).title()}</h2>")
        for paragraph in range(drawn.randrange(2, 5)):
            text = " ".join(sentence(drawn, language[:2]) for _ in range(drawn.randrange(1, 7)))
            if later:
                text = text.replace("colour", "color").replace("programme", "program").replace("-", "")
            note = f"{seed}{chapter}{paragraph}"
            cite = f'<a href="#n{note}" role="doc-noteref">1</a>' if drawn.random() < 0.3 else ""
            aside = (
                f'<aside role="doc-footnote" id="n{note}"><p>{sentence(drawn)}</p></aside>' if cite else ""
            )
            page = f'<span role="doc-pagebreak" id="p{note}" aria-label="{paragraph + 10 * chapter}"></span>'
            parts.append(f"<p>{page}{text}{cite}</p>{aside}")
            if later and drawn.random() < 0.4:
                parts.append(f"<p>{sentence(random.Random(chapter))}</p>")
    named = f'<meta name="author" content="{author}"><meta name="dcterms.date" content="{year}">'
    head = f'<html lang="{language}"><head><title>{title}</title>{named}</head>'
    return f"{head}<body>{''.join(parts)}</body></html>"


class Known(HashingEncoder):
    """Has some words whole, and reads half of the questions in part."""

    def knows(self, word: str) -> bool:
        return word in ("color", "miler", "kettel")


class Likes:
    """A cross-encoder that likes passages by their letters."""

    name = "likes"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([sum(map(ord, text + query)) % 17 for text in texts], np.float32)


JUDGE = Coefficients((7.73, 0.6, 0.9, -6.3), (7.9, 3.5, -5.6)).judge


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    for i, row in enumerate(BOOKS):
        (folder / f"{i}.html").write_text(book(*row), encoding="utf-8")
    options = {"model": "hashing", "min_words": 8, "max_words": 60}
    for collection, numbers in (("books", (0, 1, 2, 3, 4, 7)), ("others", (0, 5, 6, 7))):
        with alexandria.open(folder / "library", collection=collection) as library:
            for i in numbers:
                domain = "history" if i % 3 == 1 else None
                library.ingest([folder / f"{i}.html"], domain=domain, options=options)
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with alexandria.open(folder / "library") as opened:
        yield opened


@pytest.fixture(scope="module")
def catalog(folder: Path) -> Iterator[Catalog]:
    with open_catalog(str(folder / "library"), "books", None) as opened:
        yield opened


def sentences_of(drawn: random.Random) -> str:
    """Return a sentence that an English book has, or one that none has."""
    title, _, _, language, seed = drawn.choice(BOOKS[:5])
    paragraph = random.Random(drawn.random()).choice(book(title, "", "", language, seed).split("<p>")[1:])
    text = paragraph.partition("</span>")[2].partition("<")[0] if drawn.random() < 0.9 else sentence(drawn)
    return text or sentence(drawn)


def question(drawn: random.Random) -> str:
    """Return a question of some words of a sentence, perhaps with slips, names, quotes or chapters."""
    words = sentences_of(drawn).split()
    start = drawn.randrange(len(words))
    asked = " ".join(words[start : start + drawn.choice((1, 2, 3, 3, 5, 9))])
    noun = drawn.choice(NOUNS)
    frames: tuple[Callable[[], str], ...] = (
        lambda: asked,
        lambda: asked,
        lambda: slipped(drawn, noun, 1),
        lambda: f"where is the {slipped(drawn, noun, drawn.choice((1, 2)))} of {drawn.choice(NOUNS)}",
        lambda: f"what does {drawn.choice(NAMES)} say of the {noun}",
        lambda: f"{drawn.choice(NAMES)}’s {noun} {slipped(drawn, drawn.choice(NOUNS), drawn.choice((0, 1)))}",
        lambda: f"the {noun} in {drawn.choice(TITLES)}",
        lambda: f"{drawn.choice(TITLES).lower()} {noun}",
        lambda: f"{noun} in chapter {drawn.choice(('1', '2', 'two', 'III', '9'))} of {drawn.choice(TITLES)}",
        lambda: f"who {drawn.choice(VERBS)} “{asked}”",
        lambda: f'"{asked}" {noun}',
        lambda: noun.replace("-", drawn.choice(("", " "))) + " " + drawn.choice(("seawall", "light house")),
        lambda: f"zeppelin {noun} {drawn.choice(('', 'quokka', 'Qwghlm'))}",
        lambda: f"{drawn.choice(GERMAN)} und {slipped(drawn, drawn.choice(RUSSIAN), drawn.choice((0, 1)))}",
    )
    return drawn.choice(frames)()


NAMES = (
    "Ida Marlow",
    "Marlow",
    "marlow",
    "van der Meer",
    "O’Brien",
    "OBrien",
    "Paris",
    "Ann Reed",
    "Äpfel",
    "Marlowe",
)
TITLES = (
    "The Salt Roads",
    "Salt Roads",
    "Winter",
    "Letters from the Quarry",
    "Harbours",
    "Notes",
    "Der Müller am Meer",
)
FILTERS: list[FilterOptions] = [
    *[FilterOptions() for _ in range(5)],
    *[FilterOptions(author=author) for author in ("Marlow", "Meer, Jan", "Marlo")],
    *[FilterOptions(book=book) for book in ("winter", "Harbours, Vol. 2")],
    *[FilterOptions(language=language) for language in ("de", "english", "fr")],
    *[FilterOptions(chapter=chapter) for chapter in ("2", "harbor", "chapter 7")],
    *[FilterOptions(domain="history"), FilterOptions(book="salt", chapter="3")],
]


def request(drawn: random.Random) -> SearchRequest:
    chosen: dict[str, Any] = {}
    for name, values, often in (
        ("limit", (1, 2, 3, 40), 0.5),
        ("words", (5, 12, 25, 60, 150), 0.3),
        ("mode", (Mode.DENSE, Mode.SENTENCES, Mode.BM25), 0.5),
        ("all_editions", (True,), 0.2),
        ("everywhere", (True,), 0.2),
        ("exact", (True,), 0.4),
        ("diverse", tuple(Diverse), 0.3),
        ("context", (1, 2), 0.2),
    ):
        if drawn.random() < often and not (name == "context" and "words" in chosen):
            chosen[name] = drawn.choice(values)
    return SearchRequest(query=question(drawn), filters=parse_filters(drawn.choice(FILTERS)), **chosen)


def told(hit: Hit) -> str:
    parts = [f"{hit.title}#{hit.chunk_id} {shown(hit.score)} {shown(hit.relevance)} {place(hit)}"]
    parts.append(f"{hit.sentence!r} {hit.excerpt} {hit.start}-{hit.end} {hit.word_count}w")
    if hit.also_in:
        parts.append("also " + ", ".join(f"{one.title}#{one.chunk_id} {one.best}" for one in hit.also_in))
    if hit.before or hit.after:
        parts.append(f"before {[text[:9] for text in hit.before]} after {[text[:9] for text in hit.after]}")
    return " | ".join((*parts, hit.collection or ""))


def place(passage: Passage) -> str:
    return f"{passage.place} {passage.best}"


def told_results(results: Results) -> list[str]:
    notes = [("remarks", results.remarks), ("respelled", results.respelled), ("named", results.named)]
    said = [f"{name}: {shown(values)}" for name, values in notes if values]
    return [f"verdict {shown(results.verdict)}", *said, *map(told, results.hits)]


def test_searches(catalog: Catalog) -> None:
    drawn, found = random.Random(11), {}
    for number in range(140):
        asked = request(drawn)
        ranker = Ranker(Likes(), drawn.choice((0.3, 1.0))) if drawn.random() < 0.25 else None
        judge = JUDGE if drawn.random() < 0.8 else None
        encoder = Known() if drawn.random() < 0.5 else HashingEncoder()
        case = f"{number} {shown(asked)}{' ranked' if ranker else ''}"
        found[case] = or_error(
            lambda: told_results(search(asked, catalog, encoder, ranker=ranker, judge=judge))[:7]  # noqa: B023
        )
    hold_drawn("searches", found)


def test_searches_of_two_collections(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "_CALIBRATED", "hashing")
    drawn, found = random.Random(12), {}
    with Libraries(folder / "library", ["books", "others"]) as libraries:
        for number in range(30):
            asked = request(drawn)
            found[f"{number} {shown(asked)}"] = or_error(lambda: told_results(libraries.answer(asked))[:5])  # noqa: B023
    hold_drawn("merged", found)


def test_quotations(library: Library) -> None:
    drawn, found = random.Random(13), {}
    for number in range(120):
        words = " ".join(sentences_of(drawn) for _ in range(drawn.choice((1, 1, 1, 2)))).split()
        start = drawn.randrange(max(1, len(words) - 3))
        cut = words[start : start + drawn.choice((2, 4, 7, 12, 30))]
        if drawn.random() < 0.3 and len(cut) > 4:
            cut[2 : drawn.randrange(3, len(cut))] = ["…"]
        text = slipped(drawn, " ".join(cut), drawn.choice((0, 0, 0, 1, 1, 2, 4)))
        text = drawn.choice((str, str, str.upper, str.title, lambda one: one.replace(" ", ", ")))(text)
        limit, chosen = drawn.choice((1, 5, None)), drawn.choice(FILTERS)

        def places() -> list[str]:
            answer = library.find(text, limit=limit, **chosen)  # noqa: B023
            return [answer.summary, *map(shown_place, answer[:5])]

        found[f"{number} {text!r} {limit} {chosen or ''}"] = or_error(places)
    hold_drawn("quotations", found)


def shown_place(one: Any) -> str:
    near = f"{shown(one.nearness)}{' near' if one.near else ''}{' in note' if one.in_note else ''}"
    return f"{one.title}#{one.chunk_id} {place(one)} {near} {one.words!r} {shown(one.differences)}"


def test_manuscripts(library: Library) -> None:
    drawn, found = random.Random(14), {}
    for number in range(60):
        words = sentences_of(drawn).split()
        quoted = words[drawn.randrange(max(1, len(words) - 5)) :][: drawn.choice((4, 8, 14, 40))]
        for _ in range(drawn.choice((0, 0, 1, 2))):
            at = drawn.randrange(len(quoted))
            quoted[at : at + drawn.choice((0, 1, 2))] = drawn.choice(([], ["zinc"], ["[…]"], ["a", "[grey]"]))
        text = slipped(drawn, " ".join(quoted) or "none", drawn.choice((0, 0, 1, 3)))
        source = f"{drawn.choice(TITLES)} (1891, p. {drawn.randrange(10, 40)})"
        text = f"As {drawn.choice(NAMES)} writes in {source}, “{text}”."
        items = library.check_text(text, **drawn.choice(FILTERS[:9])).items
        found[f"{number} {text}"] = [told_item(item) for item in items]
    hold_drawn("manuscripts", found)


def told_item(item: Any) -> str:
    places = [place(item.place)] if getattr(item, "place", None) else []
    said = {
        name: getattr(item, name)
        for name in ("verdict", "allowances", "differences", "claims")
        if hasattr(item, name)
    }
    return f"{shown(said)} {places}"


def test_words_and_lines() -> None:
    drawn, found = random.Random(15), {}
    for number in range(120):
        word = drawn.choice((*NOUNS, *RUSSIAN, *(word.split()[1] for word in GERMAN)))
        other = slipped(drawn, drawn.choice((word, word, word, drawn.choice(NOUNS))), drawn.choice((1, 2, 3)))
        made = sorted(edits_of(word[:4], "aeiou"))
        found[f"{number} {word} {other}"] = [
            shown(edit_cost(word, other)),
            f"{len(made)} {drawn.choice(made)}",
        ]
    for number in range(120):
        text = " ".join(sentence(drawn) for _ in range(2))
        part = " ".join(text.split()[drawn.randrange(5) :][: drawn.choice((3, 6, 12))])
        part = slipped(drawn, part.replace("-", drawn.choice(("-", " ", ""))), drawn.choice((0, 1, 1, 2)))
        part = drawn.choice(
            (str, str, str.upper, lambda one: one.replace(".", "!"), lambda one: one.replace("i", "í"))
        )(part)
        found[f"{number} {text} / {part}"] = [
            shown(align(part, text)),
            shown([contains(text, part), differences(part, text), differences(part, part.lower())]),
        ]
    hold_drawn("words", found)
