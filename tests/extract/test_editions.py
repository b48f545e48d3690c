"""The same edition of a book is read into the same sentences, whatever file it comes in."""

from difflib import SequenceMatcher
from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book
from alexandria.chunking.sentences import split
from tests.real import read_once

EDITIONS = {
    "darwin": ("epub/darwin-the-voyage-of-the-beagle.epub", "pdf/darwin-the-voyage-of-the-beagle.pdf"),
    "frankenstein": ("epub/shelley-frankenstein.epub", "pdf/shelley-frankenstein.pdf"),
    "prince, two columns": ("epub/machiavelli-the-prince.epub", "pdf/machiavelli-the-prince-2col.pdf"),
    "russell": ("epub/russell-the-problems-of-philosophy.epub", "pdf/russell-the-problems-of-philosophy.pdf"),
    "alice": ("txt/carroll-alice.txt", "pdf/carroll-alice-pg.pdf"),
}
# Project Gutenberg's typists wrote the same quotes and dashes in two ways.
AS_TYPED = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "—": "--"})


def body_sentences(book: Book) -> list[str]:
    """The sentences without those of headings, which each format spells in its own way."""
    blocks = book.blocks
    return [
        " ".join(book.text[sentence.start : sentence.end].translate(AS_TYPED).split())
        for sentence in split(book)
        if blocks[sentence.block].kind is not BlockKind.HEADING
    ]


def agreement(a: list[str], b: list[str]) -> float:
    """Return the share of the shorter book's sentences that stand in the other, in the same order."""
    matched = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return sum(block.size for block in matched) / min(len(a), len(b))


@pytest.mark.shared
@pytest.mark.parametrize("files", EDITIONS.values(), ids=list(EDITIONS))
def test_two_formats_give_the_same_sentences(files: tuple[str, str], shared_data: Path) -> None:
    one, other = (body_sentences(read_once(shared_data / file)) for file in files)
    assert agreement(one, other) >= 0.98
