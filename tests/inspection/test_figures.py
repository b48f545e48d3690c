from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from alexandria.book.model import BlockKind, Boundary, Chunk, Metadata, Reason, Segmentation
from alexandria.chunking import assemble
from alexandria.chunking.domains import load_domain
from alexandria.chunking.sentences import split
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import extract
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.library.ingest.one_book import read_options
from alexandria.library.inspect.comparison import from_book
from alexandria.library.inspect.figures import Fragment, fragments_of, histogram
from tests.conftest import SAMPLES
from tests.inspection.made import document_of, inspected

EPUB = SAMPLES / "the-quiet-trades.epub"
WHOLE = "all the text of its section"
LEFT_OVER = "left over by the limit on size"
TOPIC, MAX_SIZE, SECTION, BREAK = Reason.TOPIC, Reason.MAX_SIZE, Reason.SECTION, Reason.BREAK


def test_the_histogram_has_round_bars() -> None:
    cases: dict[str, tuple[list[int], list[tuple[int, int, int]]]] = {
        "no chunk": ([], []),
        "one chunk": ([7], [(7, 7, 1)]),
        "bars of one word": ([5, 5, 7], [(5, 5, 2), (6, 6, 0), (7, 7, 1)]),
        "of two": ([0, 23], [(low, low + 1, int(low in (0, 22))) for low in range(0, 24, 2)]),
        "of a hundred": (
            [200, 240, 899],
            [(low, low + 99, {200: 2, 800: 1}.get(low, 0)) for low in range(200, 900, 100)],
        ),
    }
    for words, bars in cases.values():
        assert [(bar.low, bar.high, bar.count) for bar in histogram(words)] == bars


@given(st.lists(st.integers(1, 100_000), min_size=1))
def test_each_chunk_is_in_one_bar(words: list[int]) -> None:
    bars = histogram(words)
    assert [sum(bar.low <= one <= bar.high for one in words) for bar in bars] == [bar.count for bar in bars]
    assert sum(bar.count for bar in bars) == len(words)
    assert len(bars) <= 13


@pytest.mark.parametrize("strategy", ["universal-semantic", "percentile", "optimal", "fixed"])
def test_the_summary_follows_from_the_document(strategy: str) -> None:
    document = document_of(inspected(EPUB, strategy))
    summary, similarities = document["summary"], document["similarities"]
    cut = {one["gap"] for one in document["boundaries"]}
    assert summary["cuts"] == {
        reason: sum(one["reason"] == reason for one in document["boundaries"])
        for reason in ("topic", "max_size", "section", "break")
    }
    inside = [one for gap, one in enumerate(similarities) if gap not in cut]
    across = [one for gap, one in enumerate(similarities) if gap in cut]
    assert summary["mean_inside"] == pytest.approx(sum(inside) / len(inside), abs=2e-6)
    assert summary["mean_across"] == pytest.approx(sum(across) / len(across), abs=2e-6)
    words = sorted(chunk["word_count"] for chunk in document["chunks"])
    assert (summary["words"]["least"], summary["words"]["most"]) == (words[0], words[-1])
    assert set(summary["words"].values()) <= set(words)
    if summary["below"] is not None:
        below = sum(one < summary["threshold"] for one in similarities) / len(similarities)
        assert summary["below"] == pytest.approx(below, abs=2e-6)


def book_of(folder: Path, *paragraphs: str) -> Path:
    path = folder / "made.txt"
    path.write_text("\n\n".join(paragraphs), encoding="utf-8")
    return path


def test_a_cut_at_once_is_a_first_chance(tmp_path: Path) -> None:
    """Ten sentences of five words, no two alike, may end from ten words on: each cut is at once."""
    text = " ".join(f"W{n}a w{n}b w{n}c w{n}d w{n}e." for n in range(10))
    options = {"min_words": 10, "max_words": 40, "threshold": 0.9}
    figures = inspected(book_of(tmp_path, text), "universal-semantic", **options).figures
    assert (figures.first_chances, sum(figures.cuts.values())) == (4, 4)
    assert figures.advice[0].startswith("100% of gaps are below 0.90: 4 of 4 topic cuts fall at the first")


def test_cuts_that_only_the_cap_makes_are_named_in_the_advice(tmp_path: Path) -> None:
    text = "The same five words again. " * 40
    figures = inspected(book_of(tmp_path, text), min_words=10, max_words=20).figures
    assert (figures.forced, figures.first_chances, figures.below) == (9, 0, 0)
    assert "forced by the limit of 20 words" in figures.advice[0]


class HalfRead(HashingEncoder):
    """Reads half of each text."""

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full(len(texts), 0.5, np.float32)


def test_what_the_cuts_break_is_counted(tmp_path: Path) -> None:
    """Every sentence is a chunk: of the three cuts one begins mid-thought, one parts two turns of speech.

    `But` begins where the text turns, as far as four sentences tell.
    """
    path = book_of(tmp_path, "The gulls left the rock. They rose.", "“But where?”", "“Home.”")
    domain = load_domain(
        options={"strategy": "universal-semantic", "min_words": 1, "threshold": 1.0, "model": "hashing"},
        environ={},
    )
    book = extract(path, read_options(domain))
    book = replace(book, metadata=replace(book.metadata, language="en"))  # too short to be detected
    quality = from_book(book, [domain], HalfRead()).inspections[0].quality
    assert (quality.n_cuts, quality.n_mid_thought, quality.n_turns) == (3, 1, 1)
    assert (quality.n_dialogue, quality.n_stanza) == (1, 0)
    assert quality.n_beyond_window == 5


def test_chapters_too_short_to_be_cut_are_named_in_the_advice() -> None:
    short = inspected(SAMPLES / "gull-rock.txt", min_words=200)
    assert "every cut is at a chapter" in short.figures.advice[0]


def test_where_topics_decide_there_is_no_advice() -> None:
    assert inspected(EPUB, "optimal").figures.advice == ()


def test_a_book_of_one_sentence_has_figures(tmp_path: Path) -> None:
    figures = inspected(book_of(tmp_path, "Only this.")).figures
    assert figures.words is not None
    assert (figures.words.p50, figures.below, figures.threshold) == (2, None, 0.55)
    assert (figures.quality.inside, figures.quality.across) == (None, None)


def chunks_of(words: list[int], reasons: list[Reason]) -> tuple[Chunk, ...]:
    """Return chunks of one sentence each, with these words, cut for these reasons."""
    blocks = tuple(DraftBlock(BlockKind.PARAGRAPH, "Word" + " word" * (n - 1) + ".") for n in words)
    draft = Draft(Metadata("T", language="en"), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    cuts = tuple(Boundary(gap, 0.2, 0.5, reason) for gap, reason in enumerate(reasons))
    return assemble(book, split(book), Segmentation(np.full(len(cuts), 0.2, np.float32), cuts))


def test_a_fragment_is_named_with_its_reason() -> None:
    cases: dict[str, tuple[list[int], list[Reason], list[Fragment]]] = {
        "section": ([50, 4, 50], [SECTION, SECTION], [Fragment(1, 4, WHOLE)]),
        "topic": ([50, 4, 50], [TOPIC, SECTION], [Fragment(1, 4, "cut off by topic")]),
        "at the end": ([50, 50, 4], [TOPIC, MAX_SIZE], [Fragment(2, 4, LEFT_OVER)]),
        "first": ([4, 50, 50], [BREAK, TOPIC], [Fragment(0, 4, "set apart by the author's own break")]),
        "just a tenth": ([50, 5, 50], [TOPIC, TOPIC], []),
        "a single chunk": ([1], [], []),
        "none": ([], [], []),
    }
    for words, reasons, fragments in cases.values():
        assert list(fragments_of(chunks_of(words, reasons) if words else ())) == fragments
