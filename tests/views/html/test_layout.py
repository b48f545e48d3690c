from pathlib import Path

import pytest

from alexandria.chunking import STRATEGIES
from alexandria.show.html.layout import pieces_of
from tests.conftest import SAMPLE_BOOKS, SAMPLES
from tests.inspection.made import compared


@pytest.mark.parametrize("path", SAMPLE_BOOKS, ids=lambda path: path.name)
def test_the_page_holds_every_word_once(path: Path) -> None:
    comparison = compared(path, *STRATEGIES, max_words=250)
    pieces = list(pieces_of(comparison))
    spans = [span for piece in pieces for one in piece.paragraphs for span in one.spans]
    starts = [span.start for span in spans]
    assert starts == sorted(set(starts))
    for way in comparison.inspections:
        words = " ".join(chunk.text for chunk in way.chunks).split()
        assert "".join(words) == "".join("".join(span.text for span in spans).split())
        assert {start for chunk in way.chunks for start in chunk.sentence_starts} <= set(starts)


def test_a_piece_begins_wherever_a_way_cuts_and_says_who_does() -> None:
    comparison = compared(SAMPLES / "the-quiet-trades.epub", "universal-semantic", "optimal")
    pieces = list(pieces_of(comparison))
    assert [piece.start for piece in pieces[1:]] == [place.start for place in comparison.places]
    for piece, place in zip(pieces[1:], comparison.places, strict=True):
        assert tuple(card.boundary for card in piece.cards) == place.cuts
        assert all(card.chunk.start <= piece.start < card.chunk.end for card in piece.cards)


def test_a_paragraph_with_the_text_of_its_heading_is_no_heading(tmp_path: Path) -> None:
    book = tmp_path / "poem.html"
    lines = ("<h1>Come away</h1>", "<p>Come away</p>", "<p>O human child</p>", "<p>Come away</p>")
    book.write_text(f"<!doctype html><html><body>{''.join(lines)}</body></html>")
    paragraphs = [one for piece in pieces_of(compared(book)) for one in piece.paragraphs]
    assert [one.is_heading for one in paragraphs] == [True, False, False, False]


def test_paragraphs_and_headings_are_told_by_the_text() -> None:
    first = next(pieces_of(compared(SAMPLES / "the-quiet-trades.epub")))
    assert first.headings == ("Part One: Daylight", "1. What the Kitchen Window Saw")
    assert [one.is_heading for one in first.paragraphs[:3]] == [True, True, False]
    assert len(first.paragraphs[2].spans) > 1
    assert not any(one.spans[-1].gap for one in first.paragraphs)
