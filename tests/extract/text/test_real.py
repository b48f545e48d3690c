"""Real plain-text books: decoded right, freed of the licence, in chapters, and whole."""

import re
from collections import Counter
from pathlib import Path

import pytest

from alexandria.book.model import Book, count_words
from alexandria.chunking.sentences import split
from alexandria.extract.encoding import decode
from tests.real import read_once

pytestmark = pytest.mark.shared

NAMES = (
    "ainsworth-jack-sheppard", "bierce-devils-dictionary", "carroll-alice", "debian-gnu-linux-guide",
    "entre-nous-french-8bit", "entre-nous-french-utf8", "hobbes-leviathan", "kafka-die-verwandlung-german",
    "kafka-metamorphosis", "machiavelli-the-prince", "melville-moby-dick",
    "sigurjonsson-modern-icelandic-plays", "voltaire-candide",
)  # fmt: skip


@pytest.fixture(scope="module", params=NAMES)
def source(request: pytest.FixtureRequest, shared_data: Path) -> Path:
    path: Path = shared_data / "txt" / f"{request.param}.txt"
    return path


@pytest.fixture(scope="module")
def book(source: Path) -> Book:
    return read_once(source)


def test_it_decodes_without_a_loss(source: Path, book: Book) -> None:
    assert decode(source.read_bytes()).n_invalid == 0
    assert book.warnings == ()
    assert not re.search("[\ufffd\x80-\x9f]|Ã[©¨¤¶¼]", book.text)


def test_no_licence_is_in_the_text(book: Book) -> None:
    licence = (
        r"gutenberg\.(?:org|net)|Project Gutenberg (?:E|Lit|Lic)|START OF TH|END OF TH[EI]S? PROJ|SMALL PRINT"
    )
    assert not re.search(licence, book.text)
    assert {left.where for left in book.left_out if left.kind == "licence"} == {
        "Project Gutenberg's header",
        "Project Gutenberg's footer",
    }


def test_title_author_and_language_are_those_of_the_header(book: Book) -> None:
    assert book.title
    assert book.author
    assert book.metadata.language_source == "metadata"


def test_text_notes_and_what_is_left_out_hold_every_word(source: Path, book: Book) -> None:
    text = decode(source.read_bytes()).text
    words = count_words(text)
    # In prose a hyphen or dash at a line end makes one word of two.
    broken = len(re.findall(r"\S-\r\n *\S", text))
    found = (
        count_words(book.text)
        # Each note's mark is typed twice: where it is cited, mostly within a word, and before its text.
        + sum(left.words for left in book.left_out)
        + sum(count_words(note.text) for note in book.notes)
    )
    assert words - broken <= found <= words + len(book.notes)


def test_the_words_of_the_book_come_in_its_order(source: Path, book: Book) -> None:
    """All but contents, notes and marks of illustrations is in the text, in the order of the file."""
    typed = re.findall(r"\w+", decode(source.read_bytes()).text.replace("_", " "))
    read = re.findall(r"\w+", book.text.replace("_", " "))
    rest = iter(typed)
    assert all(word in rest for word in read)


def test_sentences_hold_every_word(book: Book) -> None:
    spans = [book.text[s.start : s.end] for s in split(book)]
    assert Counter("".join("".join(spans).split())) == Counter("".join(book.text.split()))


# The French reader counts its chapters once more in its glossary.
CHAPTERS = {
    "ainsworth-jack-sheppard": (r"CHAPTER [IVX]+\. ", 7 + 19 + 32),
    "bierce-devils-dictionary": (r"[A-Z]$", 26),
    "carroll-alice": (r"CHAPTER [IVX]+\. ", 12),
    "entre-nous-french-8bit": (r"[IVXL]+\.", 2 * 40),
    "entre-nous-french-utf8": (r"[IVXL]+\.", 2 * 40),
    "hobbes-leviathan": (r"CHAPTER [IVXL]+", 47),
    "kafka-die-verwandlung-german": (r"I+\.", 3),
    "kafka-metamorphosis": (r"I+", 3),
    "machiavelli-the-prince": (r"CHAPTER [IVX]+ -- ", 26),
    "melville-moby-dick": (r"CHAPTER \d+\. ", 135),
    "sigurjonsson-modern-icelandic-plays": (r"ACT I", 7),
    "voltaire-candide": (r"[IVX]+ [A-Z]+", 30),
}


@pytest.mark.parametrize(("name", "chapter"), CHAPTERS.items(), ids=CHAPTERS.keys())
def test_each_chapter_is_found_once(shared_data: Path, name: str, chapter: tuple[str, int]) -> None:
    book = read_once(shared_data / "txt" / f"{name}.txt")
    pattern, n_chapters = chapter
    titles = [section.headings[-1] for section in book.sections if section.headings and section.chapter]
    assert sum(bool(re.match(pattern, title)) for title in titles) == n_chapters
    assert len(titles) <= n_chapters * 2 + 12


def test_notes_are_tied_to_the_words_that_cite_them(shared_data: Path) -> None:
    book = read_once(shared_data / "txt" / "voltaire-candide.txt")
    assert book.text[: book.notes[0].cited_at].endswith("Preceptor Pangloss")
    assert all(note.cited_at is not None for note in book.notes)


def test_the_same_book_in_two_encodings_is_the_same(shared_data: Path) -> None:
    legacy, utf8 = (
        read_once(shared_data / "txt" / f"entre-nous-french-{kind}.txt") for kind in ("8bit", "utf8")
    )
    assert [b.kind for b in legacy.blocks] == [b.kind for b in utf8.blocks]
    assert "Papa se fâche." in legacy.text
    assert "Papa se fâche." in utf8.text
