"""Small books for the tests, made in place."""

import gzip
import json
from pathlib import Path

from alexandria.book.model import BlockKind, Book, Metadata
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind

# Each topic has words that no other topic uses, so that the hashing encoder can distinguish them.
TOPICS = {
    "Ships": "sail mast harbour tide rope anchor deck hull captain",
    "Bread": "flour oven yeast crust dough salt baker loaf knead",
    "Stars": "orbit comet lens planet eclipse telescope galaxy moon dust",
    "Law": "court judge clause verdict witness statute appeal oath jury",
}


def sentence(words: list[str], i: int) -> str:
    """Return a sentence of eight of the words, a different one for each i."""
    turned = [words[(i + j * (1 + i // len(words))) % len(words)] for j in range(8)]
    return " ".join(turned).capitalize() + "."


def paragraph(topic: str, first: int = 0, n: int = 8) -> str:
    """Return n sentences on a topic."""
    return " ".join(sentence(TOPICS[topic].split(), i) for i in range(first, first + n))


def book(
    title: str = "Made", topics: tuple[str, ...] = tuple(TOPICS), *, language: str | None = "en"
) -> Book:
    """Return a book with one chapter per topic, of two paragraphs each."""
    sections = tuple(
        DraftSection(
            (topic,),
            1,
            None,
            (
                DraftBlock(BlockKind.HEADING, topic),
                DraftBlock(BlockKind.PARAGRAPH, paragraph(topic)),
                DraftBlock(BlockKind.PARAGRAPH, paragraph(topic, 8)),
            ),
        )
        for topic in topics
    )
    metadata = Metadata(title, language=language)
    return bind(Draft(metadata, sections), id=title * 8, source=f"{title}.txt", format="txt")


def write_text(folder: Path, name: str, topics: tuple[str, ...] = tuple(TOPICS)) -> Path:
    """Write a plain text of one paragraph per topic."""
    path = folder / name
    path.write_text("\n\n".join(paragraph(topic) for topic in topics) + "\n", encoding="utf-8")
    return path


def write_paragraphs(path: Path, topics: tuple[str, ...] = tuple(TOPICS)) -> Path:
    """Write a test set of two articles, a paragraph per topic in each, with a question on each."""
    rows = [
        {
            "article": article,
            "context": paragraph(topic, first, 4),
            "questions": [{"question": sentence(TOPICS[topic].split(), first + 1), "answers": []}],
        }
        for article, first in (("One_article", 0), ("Other", 20))
        for topic in topics
    ]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return path
