"""The page as text: what it says, and what it must never hold. `test_browser.py` opens it."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.quality import quality_of_chunks
from alexandria.show.html.page import render
from tests.conftest import SAMPLE_BOOKS, SAMPLES
from tests.inspection.made import SCRIPT, compared, document_of, hostile_book, inspected, mid_thought

EPUB = SAMPLES / "the-quiet-trades.epub"


class Page(HTMLParser):
    """Elements and texts of a page as a parser understands them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append((self.tags[-1][0] if self.tags else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def data_of(html: str) -> Any:
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert block
    return json.loads(block[1])


@pytest.mark.parametrize("path", SAMPLE_BOOKS, ids=lambda path: path.name)
def test_the_numbers_are_those_of_the_json(path: Path) -> None:
    comparison = compared(path)
    html, document = render(comparison), document_of(comparison.inspections[0])
    way = data_of(html)["ways"][0]
    assert way["similarities"] == document["similarities"]
    assert way["threshold"] is None  # no line is drawn where costs decide
    cuts = [(one["gap"], one["similarity"], one["threshold"], one["reason"]) for one in way["cuts"]]
    assert cuts == [
        (one["gap"], one["similarity"], one["threshold"], one["reason"]) for one in document["boundaries"]
    ]
    for chunk in document["chunks"]:
        assert f"<h3>chunk {chunk['chunk_id']}</h3>" in html
        assert f">{chunk['word_count']:,} word" in html
        assert f'id="s{chunk["start"]}"' in html
    for one in document["boundaries"]:
        compared_values = "" if one["balance"] else f"{one['similarity']:z.2f}"  # costs decide, or these
        assert f"<strong>{compared_values}" in html
    rows = re.findall(r'<th scope="row">([\d,–]+)</th><td><svg.*?</svg> ([\d,]+)</td>', html)
    summary = document["summary"]
    bars = [(f"{bar['low']:,}–{bar['high']:,}", f"{bar['count']:,}") for bar in summary["histogram"]]
    assert rows == bars
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert figures["chunks"] == f"{len(document['chunks']):,}"
    assert figures["words per chunk, median"] == f"{summary['words']['p50']:,}"
    assert figures["5th to 95th percentile"] == f"{summary['words']['p5']:,}–{summary['words']['p95']:,}"
    assert figures[f"gaps below {summary['threshold']:.2f}"] == f"{summary['below']:.0%}"
    quality = summary["quality"]
    counts = {
        "topic cuts": summary["cuts"]["topic"],
        "topic cuts at the first chance": summary["first_chances"],
        "section cuts": summary["cuts"]["section"],
        "cuts forced by size": summary["cuts"]["max_size"],
        "cuts inside chapters": quality["n_cuts"],
        "cuts before a contrast (such as However)": quality["n_turns"],
        "cuts in dialogue": quality["n_dialogue"],
        "cuts in a stanza": quality["n_stanza"],
        "words beyond the model’s window": quality["n_beyond_window"],
    }
    assert {name: figures.get(name) for name in counts} == {
        name: f"{count:,}" if count else None for name, count in counts.items()
    }
    assert figures.get("cuts that break a thought", "0 (0%)") == mid_thought(quality)
    assert figures["mean similarity inside chunks"] == f"{summary['mean_inside']:z.2f}"
    assert figures["mean similarity across cuts"] == f"{summary['mean_across']:z.2f}"


def test_side_by_side_stand_the_numbers_of_the_json() -> None:
    comparison = compared(EPUB, "universal-semantic", "optimal")
    html = render(comparison)
    rows = re.findall(r'<tr><th scope="row">([a-z-]+)</th>((?:<td>[^<]*</td>){13})</tr>', html)
    assert [name for name, _ in rows] == list(comparison.names)
    for (_, cells), way in zip(rows, comparison.inspections, strict=True):
        summary = document_of(way)["summary"]
        quality = summary["quality"]
        assert re.findall(r"<td>(.*?)</td>", cells)[-6:] == [
            f"{summary['mean_inside']:z.2f}",
            f"{summary['mean_across']:z.2f}",
            mid_thought(quality),
            *(f"{quality[key]:,}" for key in ("n_dialogue", "n_stanza", "n_beyond_window")),
        ]


def test_what_is_not_known_is_left_out() -> None:
    way = inspected(EPUB)
    stored = replace(way, quality=quality_of_chunks(way.chunks, way.similarities, "eo"))
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", render(Comparison.of([stored]))))
    assert "cuts that break a thought" not in figures
    assert "words beyond the model’s window" not in figures
    assert not {"–", "0"} & set(figures.values())


@pytest.mark.parametrize("path", SAMPLE_BOOKS, ids=lambda path: path.name)
def test_the_page_needs_nothing_from_anywhere(path: Path) -> None:
    html = render(compared(path))
    page = Page(html)
    assert not any({"src", "srcset", "action", "style"} & set(attributes) for _, attributes in page.tags)
    assert not page.all("link") + page.all("img") + page.all("iframe") + page.all("base")
    assert all((one["href"] or "").startswith("#") for one in page.all("a"))
    assert "url(" not in html.partition("<body>")[0]


def test_only_the_page_s_own_scripts_may_run() -> None:
    html = render(compared(EPUB))
    policy = next(one["content"] for one in Page(html).all("meta") if "http-equiv" in one) or ""
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert len(scripts) == 2
    for one in (*scripts, *style):
        assert f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_a_book_s_text_is_only_ever_text(tmp_path: Path) -> None:
    plain, hostile = (Page(render(compared(path))) for path in (EPUB, hostile_book(tmp_path)))
    assert {tag for tag, _ in hostile.tags} <= {tag for tag, _ in plain.tags}
    assert len(hostile.all("script")) == len(plain.all("script")) == 3
    assert not any(name.startswith("on") for _, attributes in hostile.tags for name in attributes)
    words = "".join(text for tag, text in hostile.texts if tag == "span")
    assert words.count(SCRIPT) == 3
    assert "{{ 7 * 7 }}" in words


def test_the_licence_of_the_plot_stands_in_the_page() -> None:
    assert "Permission is hereby granted" in render(compared(EPUB))


def test_two_strategies_share_one_text() -> None:
    comparison = compared(EPUB, "universal-semantic", "optimal")
    html = render(comparison)
    assert html.count('class="plot"') == 2
    assert html.count('<article id="at') == len(comparison.places) + 1
    assert f'<strong id="agreed">{comparison.n_agreed}</strong>' in html
    n_cards = [html.count(f"<h3>{name}: chunk ") for name in comparison.names]
    assert n_cards == [len(way.chunks) for way in comparison.inspections]


@pytest.mark.parametrize(
    ("text", "n_chunks"),
    [("Only this.", 1), ("No chapter here. " * 400, 4)],
    ids=["one sentence", "no chapters"],
)
def test_small_and_plain_books_have_a_page(text: str, n_chunks: int, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(text)
    html = render(compared(tmp_path / "book.txt", min_words=300, max_words=300))
    assert html.count("<h3>chunk ") == n_chunks
    assert "(no heading)" in html


@pytest.mark.shared
@pytest.mark.parametrize("kind", ["txt", "epub"])
def test_an_average_book_is_under_3_mb(kind: str, shared_data: Path) -> None:
    """Bytes grow with words: 100,000 of them, the length of a long novel, are far below 3 MB."""
    for path in sorted((shared_data / kind).glob("[a-d]*")):
        comparison = compared(path)
        size, words = len(render(comparison).encode()), comparison.inspections[0].n_words
        # Some 85 kB for script, style and template; 20 bytes a word for text, ids and numbers.
        assert size < 100_000 + 20 * words, path.name
