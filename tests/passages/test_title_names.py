"""The words of a title that are names: the text of the book knows them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import alexandria
from alexandria.book.model import BlockKind, Book, Metadata
from alexandria.book.people import divide
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.library.cite.styles import Work, sentence_case
from alexandria.library.cite.title_names import names_in_title

TWICE = "We sailed in the Beagle, and the Beagle rolled."


def book_of(
    title: str, *paragraphs: str, subtitle: str = "", language: str | None = "en", heads: Sequence[str] = ()
) -> Book:
    blocks = (
        *(DraftBlock(BlockKind.HEADING, head) for head in heads),
        *(DraftBlock(BlockKind.PARAGRAPH, text) for text in paragraphs),
    )
    metadata = Metadata(title, subtitle, language=language)
    draft = Draft(metadata, (DraftSection((), 0, None, blocks),))
    return bind(draft, id="0" * 64, source="t.txt", format="txt")


@pytest.mark.parametrize(
    ("book", "names"),
    [
        pytest.param(book_of("The Voyage of the Beagle", TWICE, "The voyage."), ("Beagle",), id="a ship"),
        pytest.param(
            book_of("Or", "with Moby Dick: not Moby.", subtitle="Moby-Dick"), ("Moby",), id="Dick once"
        ),
        pytest.param(
            book_of("Moby-Dick", "of Moby Dick, for Moby Dick"), ("Moby", "Dick"), id="with a hyphen"
        ),
        pytest.param(book_of("Alice’s Day", "and Alice’s cat, and Alice"), ("Alice",), id="a possessive"),
        pytest.param(book_of("On O’Brien", "said O’Brien, as O’Brien at two o’clock"), ("O’Brien",), id="O’"),
        pytest.param(book_of("Tropical Peru", "in non-Peruvian Peru and _Peru_"), ("Peru",), id="italics"),
        pytest.param(
            book_of(
                "A Guide for Debian GNU/Linux Users",
                "the Debian way, of Debian GNU/Linux and GNU/Linux: debian/rules, see /etc/debian.conf, or a "
                "debian-installer for users; an www.debian.org",
            ),
            ("Debian", "Linux"),
            id="a product, in small letters in names of files",
        ),
        pytest.param(
            book_of("Seas", "by Whale, no Whale, " + "a whale " * 9, subtitle="Whale"), (), id="half"
        ),
        pytest.param(book_of("A Whale", "in Whale " * 9 + "in whale "), ("Whale",), id="nine of ten"),
        pytest.param(book_of("A Whale", "in Whale " * 8 + "in whale "), (), id="eight of nine"),
        pytest.param(
            book_of("Old Salt", "So. Salt is dear. “Salt!” he said, “Salt is dear.”", "Salt\nSalt"),
            (),
            id="sentences, quotations and lines begin",
        ),
        pytest.param(book_of("Old Salt", heads=["On Salt", "Of Salt, by Salt"]), (), id="headings"),
        pytest.param(book_of("Old Salt", "IN SALT, OF SALT, BY SALT"), (), id="capitals"),
        pytest.param(book_of("Old Salt", "the Salts of Salt"), (), id="part of a word"),
        pytest.param(
            book_of("The Modern Salts", "the modern days of " * 6_000, subtitle="Tales of Prometheus"),
            ("Salts", "Prometheus"),
            id="not in a long text",
        ),
        pytest.param(
            book_of("Old Days", "a Daydream of Olden " * 6_000, subtitle="Stories, Histories, a Romance"),
            ("Old", "Days"),
            id="kinds of books",
        ),
        pytest.param(book_of("The Salt", "modern days " * 900), (), id="not in a short text"),
        pytest.param(book_of("La Beagle", TWICE, language="fr"), (), id="French"),
        pytest.param(book_of("The Beagle", TWICE, language=None), ("Beagle",), id="no language"),
        pytest.param(book_of("the beagle", TWICE), (), id="no capital in the title"),
    ],
)
def test_a_word_is_a_name_if_the_text_has_it_with_a_capital(book: Book, names: tuple[str, ...]) -> None:
    assert names_in_title(book) == names


@pytest.mark.parametrize(
    ("title", "names", "shown"),
    [
        ("The Voyage of the Beagle", ("Beagle",), "The voyage of the Beagle"),
        ("On Moby-Dick Today", ("Moby", "Dick"), "On Moby-Dick today"),
        ("A Non-English Cat", ("English",), "A non-English cat"),
        ("Why I Love Alice’s Cat", ("Alice",), "Why I love Alice’s cat"),
        ("Reading O’Brien at Four O’Clock", ("O’Brien",), "Reading O’Brien at four o’clock"),
        ("Letters of Anne-Marie Roux", (), "Letters of Anne-Marie Roux"),  # who wrote them
        ("The Voyage of the Beagle", (), "The voyage of the beagle"),
    ],
)
def test_names_keep_their_capitals_in_sentence_case(title: str, names: tuple[str, ...], shown: str) -> None:
    work = Work(title=title, people=(divide("Anne-Marie Roux"),), title_names=names)
    assert sentence_case(title, work) == shown


def test_names_stay_with_a_book_that_is_edited_backed_up_and_restored(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(f"---\ntitle: The Old Beagle\n---\n\n# One\n\n{TWICE}\n")
    with alexandria.open(tmp_path / "lib") as library:
        library.ingest(tmp_path / "b.md", options={"model": "hashing"})
        (record,) = library.books()
        assert record.title_names == ("Beagle",)
        library.edit(record.book_id, author="Ann Reed")
        library.backup(tmp_path / "lib.zip")
    with alexandria.open(tmp_path / "again") as library:
        library.restore(tmp_path / "lib.zip")
        (record,) = library.books()
        assert record.title_names == ("Beagle",)
        assert library.cite(record.book_id, "apa").reference == "Reed, A. (n.d.). The old Beagle."
