"""The words of a title that are names: the text of the book knows them."""

from collections.abc import Sequence
from pathlib import Path

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


def test_a_word_is_a_name_if_the_text_has_it_with_a_capital() -> None:
    cases: dict[str, tuple[Book, tuple[str, ...]]] = {
        "a ship": (book_of("The Voyage of the Beagle", TWICE, "The voyage."), ("Beagle",)),
        "Dick once": (book_of("Or", "with Moby Dick: not Moby.", subtitle="Moby-Dick"), ("Moby",)),
        "with a hyphen": (book_of("Moby-Dick", "of Moby Dick, for Moby Dick"), ("Moby", "Dick")),
        "a possessive": (book_of("Alice’s Day", "and Alice’s cat, and Alice"), ("Alice",)),
        "O’": (book_of("On O’Brien", "said O’Brien, as O’Brien at two o’clock"), ("O’Brien",)),
        "italics": (book_of("Tropical Peru", "in non-Peruvian Peru and _Peru_"), ("Peru",)),
        "a product, in small letters in names of files": (
            book_of(
                "A Guide for Debian GNU/Linux Users",
                "the Debian way, of Debian GNU/Linux and GNU/Linux: debian/rules, see /etc/debian.conf, or a "
                "debian-installer for users; an www.debian.org",
            ),
            ("Debian", "Linux"),
        ),
        "half": (book_of("Seas", "by Whale, no Whale, " + "a whale " * 9, subtitle="Whale"), ()),
        "nine of ten": (book_of("A Whale", "in Whale " * 9 + "in whale "), ("Whale",)),
        "eight of nine": (book_of("A Whale", "in Whale " * 8 + "in whale "), ()),
        "sentences, quotations and lines begin": (
            book_of("Old Salt", "So. Salt is dear. “Salt!” he said, “Salt is dear.”", "Salt\nSalt"),
            (),
        ),
        "headings": (book_of("Old Salt", heads=["On Salt", "Of Salt, by Salt"]), ()),
        "capitals": (book_of("Old Salt", "IN SALT, OF SALT, BY SALT"), ()),
        "part of a word": (book_of("Old Salt", "the Salts of Salt"), ()),
        "not in a long text": (
            book_of("The Modern Salts", "the modern days of " * 6_000, subtitle="Tales of Prometheus"),
            ("Salts", "Prometheus"),
        ),
        "kinds of books": (
            book_of("Old Days", "a Daydream of Olden " * 6_000, subtitle="Stories, Histories, a Romance"),
            ("Old", "Days"),
        ),
        "not in a short text": (book_of("The Salt", "modern days " * 900), ()),
        "French": (book_of("La Beagle", TWICE, language="fr"), ()),
        "no language": (book_of("The Beagle", TWICE, language=None), ("Beagle",)),
        "no capital in the title": (book_of("the beagle", TWICE), ()),
    }
    for book, names in cases.values():
        assert names_in_title(book) == names


def test_names_keep_their_capitals_in_sentence_case() -> None:
    cases: list[tuple[str, tuple[str, ...], str]] = [
        ("The Voyage of the Beagle", ("Beagle",), "The voyage of the Beagle"),
        ("On Moby-Dick Today", ("Moby", "Dick"), "On Moby-Dick today"),
        ("A Non-English Cat", ("English",), "A non-English cat"),
        ("Why I Love Alice’s Cat", ("Alice",), "Why I love Alice’s cat"),
        ("Reading O’Brien at Four O’Clock", ("O’Brien",), "Reading O’Brien at four o’clock"),
        ("Letters of Anne-Marie Roux", (), "Letters of Anne-Marie Roux"),  # who wrote them
        ("The Voyage of the Beagle", (), "The voyage of the beagle"),
    ]
    for title, names, shown in cases:
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
