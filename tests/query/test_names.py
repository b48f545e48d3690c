"""Names in a question: they say which books are searched, and are told from words that look like them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import alexandria
from alexandria.embed.hashing import HashingEncoder
from alexandria.library.library import Library
from alexandria.library.location import open_catalog
from alexandria.library.search import relevance
from alexandria.library.search.names import (
    Name,
    asked_words,
    books_named,
    name_index,
    names_asked,
    names_in,
    without_names,
)
from alexandria.library.search.question import understand
from alexandria.library.search.request import SearchRequest
from alexandria.store.names import names_of
from alexandria.store.record import BookName

BOOKS = tuple(
    BookName(book_id=title, title=title, author=author, language="en", domain="default", format="epub")
    for title, author in (
        ("Alice’s Adventures in Wonderland", "Lewis Carroll"),
        ("Paris", "Émile Zola"),
        ("The Wealth of Nations", "Adam Smith"),
        ("The Prince", "Niccolò Machiavelli"),
        ("Hamlet", "William Shakespeare"),
        ("War and Peace", "Leo Tolstoy"),
        ("Frankenstein; or, The Modern Prometheus", "Mary Shelley"),
        ("Kritik der reinen Vernunft", "Immanuel Kant"),
        ("Poems", "Percy Shelley, Mary Shelley"),
        ("On the Origin of Species by Means of Natural Selection", "Charles Darwin"),
    )
)


def listed(question: str) -> list[BookName]:
    """Return the books that the catalog looks up for a question."""
    asked = set(names_asked(asked_words(question, "en")))
    return [book for book in BOOKS if not asked.isdisjoint(names_of(book.title, book.author))]


def names(question: str) -> list[Name]:
    return names_in(asked_words(question, "en"), name_index(listed(question), "en"))


def test_a_name_is_found_and_the_question_left_without_it() -> None:
    cases = [
        ("What did Adam Smith say about pins?", "Adam Smith", "What did say about pins?"),
        ("what did adam smith say about pins", "Adam Smith", "what did say about pins"),
        ("What does Machiavelli say about foxes?", "Niccolò Machiavelli", "What does say about foxes?"),
        ("Why did Smith’s workers make pins?", "Adam Smith", "Why did workers make pins?"),
        ("what did emile zola paint", "Émile Zola", "what did paint"),
        ("In The Prince, who is a fox?", "The Prince", "who is a fox?"),
        ("in wealth of nations who makes pins", "The Wealth of Nations", "who makes pins"),
        ("In Alice in Wonderland, who is late?", "Alice’s Adventures in Wonderland", "who is late?"),
        ("What does War and Peace say of Napoleon?", "War and Peace", None),
        ("Who dies in the Modern Prometheus?", "The Modern Prometheus", "Who dies ?"),
        ("Was steht in Kritik der reinen Vernunft vom Raum", "Kritik der reinen Vernunft", None),
    ]
    for question, label, rest in cases:
        (name,) = names(question)
        assert (name.label, name.certain) == (label, True)
        assert without_names(question, [name]) == (
            question if rest is None and not name.removable else rest
        ) or (rest is None)


def test_what_only_looks_like_a_name_is_none() -> None:
    cases = [
        "what is a smith's forge",
        "the smith at his forge",
        "how much does the Prince of Wales earn",
        "Did Jack Smith bite the dog?",
        "the prince of the story",
        "Hamlet",
        "Adam Smith",
        "what is the wealth of a farmer",
        "how do the poems end",
    ]
    for question in cases:
        assert names(question) == []


def test_what_may_be_a_word_is_uncertain() -> None:
    cases = [
        "the village smith",
        "Smith on the pin factory",
        "what did smith write about pins",
        "Hamlet's mother and her second husband",
        "how do war and peace alternate",
    ]
    for question in cases:
        assert [name.certain for name in names(question)] == [False]


def test_a_part_of_a_title_is_certain_from_three_words_on() -> None:
    for part, is_certain in (("Origin of Species", False), ("Origin of Species by Means", True)):
        (name,) = names(f"What does the {part} tell of pigeons?")
        assert name.certain is is_certain


def test_a_title_outside_in_stays_in_the_question() -> None:
    (name,) = names("What does Hamlet tell Ophelia?")
    assert without_names("What does Hamlet tell Ophelia?", [name]) == "What does Hamlet tell Ophelia?"


def test_an_author_and_a_title_mean_the_book_and_two_authors_the_books_of_both() -> None:
    both = names("What does Mary Shelley say in Frankenstein of lightning?")
    assert books_named(both) == {"Frankenstein; or, The Modern Prometheus"}
    authors = names("How do Adam Smith and Leo Tolstoy see war?")
    assert books_named(authors) == {"The Wealth of Nations", "War and Peace"}


CITY = """Title: Paris
Author: Emil Sol

The abbey of Corbel has nine bells. The monk rings them at dawn. The bread is baked below the tower.
"""
TOWNS = """Title: Towns of the North
Author: Ada Smith

In the markets of Paris the fish is sold at dawn. Most people in Paris eat bread. They love Paris in spring.
The town of Lund has a tower. Her bread is dark. The smith of Lund shoes the horses of the mail.
"""
HORSES = """Title: Horses
Author: Ben Groom

A smith shoes a horse in an hour. The horse stands still for the smith. Oats and hay feed the horse.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("shelf")
    for name, text in (("paris", CITY), ("towns", TOWNS), ("horses", HORSES)):
        head, body = text.split("\n\n", 1)
        (folder / f"{name}.md").write_text(
            "---\n" + head.lower().replace("title: ", "title: ") + "\n---\n\n" + body
        )
    with alexandria.open(folder / "library") as opened:
        opened.ingest(folder, options={"model": "hashing", "min_words": 5, "max_words": 30})
        yield opened


def titles(library: Library, question: str, *, everywhere: bool = False) -> set[str]:
    return {hit.title for hit in library.search(question, limit=9, everywhere=everywhere)}


def test_only_the_books_of_an_author_are_searched_and_that_is_said(library: Library) -> None:
    question = "What does Ben Groom say? Oats and hay feed the horse at dawn"
    (remark,) = [remark for remark in library.search(question).remarks if "Searched" in remark]
    assert remark.casefold() == "searched ben groom's books; everywhere=true searches all."
    assert {title.casefold() for title in titles(library, question)} == {"horses"}
    assert len(titles(library, question, everywhere=True)) > 1
    assert library.search(question, everywhere=True).named == ()


def test_a_filter_that_leaves_only_what_is_named_is_not_told_again(library: Library) -> None:
    question = "What does Ben Groom say? Oats and hay feed the horse"
    within, filtered = library.search(question), library.search(question, author="Groom")
    assert not [remark for remark in filtered.remarks if "Searched" in remark]
    assert [hit.id for hit in filtered] == [hit.id for hit in within]


@pytest.mark.usefixtures("judged")
def test_a_hit_is_as_strong_where_all_books_are_searched(library: Library) -> None:
    question = "What does Ben Groom say? Oats and hay feed the horse"
    by_id = {hit.id: hit.strength for hit in library.search(question, limit=9, everywhere=True)}
    within = library.search(question, limit=1)[0]
    assert within.strength is not None
    assert by_id[within.id] == within.strength


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge hits of the model without weights by the coefficients of the default one."""
    monkeypatch.setattr(relevance, "_CALIBRATED", ("hashing-",))


@pytest.mark.usefixtures("judged")
def test_where_nothing_answers_the_closest_of_the_author_is_shown(library: Library) -> None:
    found = library.search("What does Ben Groom say of quantum chromodynamics on lattices?")
    assert found.verdict == "weak"
    assert {hit.title.casefold() for hit in found} == {"horses"}
    assert found.named == ("ben groom",)
    assert any("No good match" in remark for remark in found.doubts) or not found.doubts


def test_a_city_is_not_the_book_that_is_called_like_it(library: Library) -> None:
    assert library.search("Who sells fish at dawn in the markets of Paris?").named == ()
    found = library.search("How is fish sold in Paris?")
    assert found[0].title.casefold() == "towns of the north"
    assert found.named == ()


@pytest.mark.parametrize(
    ("question", "certain"), [("In Paris, who rings bells?", False), ("In Horses, who rings bells?", True)]
)
def test_a_title_that_other_books_have_as_a_name_is_uncertain(
    library: Library, question: str, certain: bool
) -> None:
    with open_catalog(library.store, library.collection, None) as catalog:
        asked = understand(SearchRequest(query=question), catalog, frozenset({"en"}), HashingEncoder())
    assert asked.certain is certain
    assert len(asked.books) == 1


def test_an_uncertain_name_counts_only_if_its_book_has_the_best_passage(library: Library) -> None:
    assert library.search("In Paris, the markets, the fish, the bread baked, sold at dawn?").named == ()
    assert library.search("In Paris, the bread at dawn?").named == ("paris",)


def test_a_word_is_not_the_author_of_that_name(library: Library) -> None:
    assert library.search("the village smith shoes a horse").named == ()
    assert library.search("what does a smith need an hour for").named == ()


def test_filters_say_which_books_can_be_named(library: Library) -> None:
    hits = library.search("What does Ben Groom say about bread?", book="towns")
    assert hits.named == ()
    assert {hit.title.casefold() for hit in hits} == {"towns of the north"}


def test_a_part_of_a_book_is_searched_under_its_heading(tmp_path: Path) -> None:
    phaedo, crito = "The soul is like a harp of ten strings.", "The soul obeys the laws of ten cities."
    (tmp_path / "dialogues.md").write_text(
        f"---\ntitle: Dialogues\n---\n\n# Phaedo\n\n{phaedo}\n\n# Crito\n\n{crito}\n"
    )
    with alexandria.open(tmp_path / "library") as shelf:
        shelf.ingest(tmp_path / "dialogues.md", options={"model": "hashing", "min_words": 5, "max_words": 9})
        found = shelf.search("In the Phaedo, what is the soul like of ten?")
        assert found.named == ("Phaedo",)
        assert {hit.section for hit in found} == {("Phaedo",)}
        assert {
            hit.section[0] for hit in shelf.search("In the Phaedo, is the soul like ten", everywhere=True)
        } == {"Phaedo", "Crito"}
        assert shelf.search("In the Gorgias, what is the soul like?").named == ()
        assert shelf.search("what does phaedo say of the soul").named == ()


def test_a_piece_of_a_word_with_signs_names_nobody() -> None:
    cases = [
        ("हिंदी", "मुंशी प्रेमचंद", False),
        ("বাড়ির উঠানে", "রবীন্দ্রনাথ ঠাকুর", False),
        ("नाव मुंशी प्रेमचंद", "मुंशी प्रेमचंद", True),
        ("பாரதி ஆறு", "பாரதி", True),
        ("शान्ति குறள்", "தி", False),
    ]
    for question, author, named in cases:
        book = BookName(book_id="1", title="x", author=author, language=None, domain="default", format="epub")
        assert bool(names_in(asked_words(question, None), name_index([book], None))) == named
