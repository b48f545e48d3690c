"""The inspect view in the terminal shows the numbers of the JSON, and no book can control the terminal."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from alexandria.errors import ConfigError
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.quality import quality_of_chunks
from alexandria.show.terminal import console, cuts
from tests.conftest import SAMPLE_BOOKS, SAMPLES
from tests.inspection.made import compared, document_of, hostile_book, mid_thought

EPUB = SAMPLES / "the-quiet-trades.epub"


def shown(
    capsys: pytest.CaptureFixture[str],
    comparison: Comparison,
    *,
    chunk: int | None = None,
    around: int | None = None,
    chapter: str | None = None,
    all_gaps: bool = False,
    numbers: bool = False,
) -> str:
    capsys.readouterr()
    cuts.show_cuts(
        comparison, chunk=chunk, around=around, chapter=chapter, all_gaps=all_gaps, numbers=numbers
    )
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which no line of a sample is cut off."""
    monkeypatch.setenv("COLUMNS", "200")


def next_best(boundary: dict[str, Any]) -> dict[str, Any] | None:
    return (boundary["balance"] or {}).get("next_best")


@pytest.mark.parametrize("path", SAMPLE_BOOKS, ids=lambda path: path.name)
def test_all_numbers_are_those_of_the_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compared(path)
    text, document = shown(capsys, comparison, numbers=True), document_of(comparison.inspections[0])
    rows = re.findall(r"^ *(\d+) +([\d,]+) words ", text, re.MULTILINE)
    assert rows == [(str(one["chunk_id"]), f"{one['word_count']:,}") for one in document["chunks"]]
    cuts = re.findall(r"^      (-?\d\.\d\d)(?: [<≥] (\d\.\d\d) by \d\.\d\d)?(?: · |$)", text, re.MULTILINE)
    assert cuts == [
        (f"{one['similarity']:z.2f}", "" if one["threshold"] is None else f"{one['threshold']:.2f}")
        for one in document["boundaries"]
    ]
    assert len(re.findall("^   ── [A-Z“]", text, re.MULTILINE)) == len(cuts)
    losses = re.findall(r"worse by (\d+\.\d)$", text, re.MULTILINE)
    assert losses == [f"{other['loss']:.1f}" for one in document["boundaries"] if (other := next_best(one))]
    assert text.count("Almost cut before ") == sum(one["kept"] is not None for one in document["chunks"])
    summary, counts = document["summary"], document["summary"]["cuts"]
    for count, words in (
        (counts["section"], "where a section begins"),
        (counts["max_size"], "forced by size"),
    ):
        assert (f"{count} {words}" in text) is (count > 0)
    assert f"median {summary['words']['p50']:,}" in text
    assert f"{summary['below']:.0%} of gaps are below the threshold of {summary['threshold']:.2f}" in text
    quality = summary["quality"]
    window = quality["n_beyond_window"]
    assert ("beyond the model's window: " in text) is bool(window)
    for count, words in (
        (quality["n_mid_thought"], f"{mid_thought(quality)} mid-thought"),
        (quality["n_dialogue"], f"{quality['n_dialogue']} in dialogue"),
        (quality["n_stanza"], f"{quality['n_stanza']} in a stanza"),
    ):
        assert (words in text) is bool(count and quality["n_cuts"])
    bars = re.findall(r"^ +([\d,]+)–([\d,]+) █* *([\d,]+)$", text, re.MULTILINE)
    assert bars == [
        tuple(f"{bar[key]:,}" for key in ("low", "high", "count")) for bar in summary["histogram"]
    ]


def test_ways_side_by_side_show_what_their_cuts_break(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compared(EPUB, "universal-semantic", "optimal", "percentile")
    line = re.compile(r"^[A-C] ([a-z-]+) +(\d+) +(\d+ \(\d+%\)) +(\d+) +(\d+) +(\d+)$", re.MULTILINE)
    rows = line.findall(shown(capsys, comparison))
    documents = [document_of(way)["summary"]["quality"] for way in comparison.inspections]
    assert rows == [
        (
            name,
            str(one["n_cuts"]),
            mid_thought(one),
            *(str(one[key]) for key in ("n_dialogue", "n_stanza", "n_beyond_window")),
        )
        for name, one in zip(comparison.names, documents, strict=True)
    ]


def test_what_is_not_known_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    way = compared(EPUB).inspections[0]
    stored = replace(way, quality=quality_of_chunks(way.chunks, way.similarities, "fi"))
    text = shown(capsys, Comparison.of([stored]))
    assert "mid-thought" not in text
    assert "beyond the model's window" not in text


def test_where_contrasts_are_not_told_apart_they_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    way = compared(EPUB).inspections[0]
    stored = replace(way, quality=quality_of_chunks(way.chunks, way.similarities, "en"))
    assert stored.quality.n_mid_thought
    assert " mid-thought or before a contrast" in shown(capsys, Comparison.of([stored]))


def test_every_gap_is_told_with_its_similarity(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compared(EPUB)
    document = document_of(comparison.inspections[0])
    rows = re.findall(
        r"^ +(\d+) +(-?\d\.\d{3}) +([\d,]+) (\w*)", shown(capsys, comparison, all_gaps=True), re.MULTILINE
    )
    reasons = {one["gap"]: one["reason"] for one in document["boundaries"]}
    assert [row[:2] for row in rows] == [
        (str(gap), f"{similarity:z.3f}") for gap, similarity in enumerate(document["similarities"])
    ]
    assert {int(gap): reason for gap, _, _, reason in rows if reason} == reasons
    words = {
        cut["gap"]: chunk.word_count
        for cut, chunk in zip(document["boundaries"], comparison.inspections[0].chunks[:-1], strict=True)
    }
    held = {int(gap): int(words.replace(",", "")) for gap, _, words, _ in rows}
    assert words.items() <= held.items()


def test_a_chunk_is_shown_whole_with_every_gap_inside(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compared(EPUB)
    chunk = comparison.inspections[0].chunks[3]
    text = shown(capsys, comparison, chunk=3)
    for word in chunk.text.split():
        assert word in text
    gaps = [int(gap) for gap in re.findall(r"gap (\d+) ", text)]
    assert gaps == list(range(chunk.first_sentence - 1, chunk.first_sentence + chunk.n_sentences))


@pytest.mark.parametrize(("gap", "first", "last"), [(0, 0, 5), (30, 25, 35), (200, 195, 200)])
def test_around_a_gap_stand_its_neighbours(
    gap: int, first: int, last: int, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, compared(EPUB), around=gap)
    assert [int(one) for one in re.findall(r"gap (\d+) ", text)] == list(range(first, last + 1))
    assert re.findall(r"→ gap (\d+) ", text) == [str(gap)]


def test_chapters_are_found_by_a_part_of_their_heading(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compared(EPUB)
    text = shown(capsys, comparison, chapter="mill")
    chunks = comparison.inspections[0].chunks
    of_mill = [str(chunk.index) for chunk in chunks if "Mill" in " ".join(chunk.headings)]
    assert 0 < len(of_mill) < len(chunks)
    assert re.findall(r"^ *(\d+) +\d+ words", text, re.MULTILINE) == of_mill


def test_what_is_not_there_is_refused() -> None:
    cases: dict[str, tuple[dict[str, object], str]] = {
        "chunk": ({"chunk": 99}, "no chunk 99"),
        "below 0": ({"chunk": -1}, "no chunk -1"),
        "gap": ({"around": 201}, "no gap 201"),
        "chapter": ({"chapter": "xyz"}, "no chapter matches 'xyz'"),
    }
    for wish, message in cases.values():
        with pytest.raises(ConfigError, match=message):
            cuts.show_cuts(compared(EPUB), **wish)  # type: ignore[arg-type]  # a table of keywords


@pytest.mark.parametrize("name", ["one sentence", "hostile", "wide letters"])
def test_odd_books_are_shown_within_the_terminal(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "book.txt"
    path.write_text({"one sentence": "Only this.", "wide letters": "山上憶良の歌。" * 200}.get(name, ""))
    comparison = compared(hostile_book(tmp_path) if name == "hostile" else path)
    texts = [
        shown(capsys, comparison),
        shown(capsys, comparison, chunk=0),
        shown(capsys, comparison, all_gaps=True),
    ]
    for text in texts:
        assert not set(text) & {"\x1b", "\u202e", "\u2066", "\x07"}
        assert max(Console(width=1000).measure(line).maximum for line in text.splitlines()) <= 80


def test_a_page_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot write"):
        cuts.write_page(compared(EPUB), tmp_path / "gone" / "page.html", open_it=False)


def test_colours_can_be_read_on_any_ground() -> None:
    """Magenta and red have contrast on black and on white; yellow, cyan and green do not."""
    folder = Path(console.__file__).parent
    for name in ("inspection", "chunks", "plot"):
        source = (folder / f"{name}.py").read_text(encoding="utf-8")
        assert not re.search(r'"(bold )?(yellow|cyan|green|white|blue|black)"', source)
