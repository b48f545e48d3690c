"""Texts that are divided into pages, with numbers and running heads at their edges."""

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.extract import extract
from alexandria.extract.text.pages import with_pages_of_scan
from tests.pairs import by_pairs

PARAGRAPH = (
    "   The ferryman sold two acres of gravel before the first coach left\n"
    "   for the county town. The organist kept the spare key while the\n"
    "   others were still at supper."
)
BEGUN = "   Her younger brother carried the kettle for no better reason than an old"
FOOTS = {
    "RFC": "Okafor                       Informational                     [Page {}]",
    "number": "                                  {}",
    "between dashes": "                                - {} -",
    "page of": "                               Page {}",
}
HEAD = "RFC 9999                       Salt Road                   November 2025"


def read(tmp_path: Path, text: str) -> Book:
    path = tmp_path / "book.txt"
    path.write_text(text, encoding="utf-8")
    return extract(path)


def paged(foot: str, end: str = "\n\f\n") -> str:
    first = f"{n}.  Ferries {'I' * n}\n\n{PARAGRAPH}\n\n{BEGUN}\n\n\n{foot.format(n)}" if (n := 1) else ""
    pages = [
        f"{HEAD}\n\n\n   promise.\n\n{n}.  Ferries {'I' * n}\n\n{PARAGRAPH}\n\n{BEGUN}\n\n\n{foot.format(n)}"
        for n in (2, 3, 4)
    ]
    return end.join([first, *pages, f"{HEAD}\n\n\n   promise.\n"])


def test_what_is_at_the_edges_of_pages_is_left_out_and_paragraphs_go_on(tmp_path: Path) -> None:
    for foot in FOOTS.values():
        book = read(tmp_path, paged(foot))
        texts = [" ".join(text.split()) for text in (PARAGRAPH, f"{BEGUN} promise.")]
        assert [block.text for block in book.blocks if block.kind == "paragraph"] == texts * 4
        assert [s.headings[-1] for s in book.sections] == [f"{n}. Ferries {'I' * n}" for n in (1, 2, 3, 4)]
        n_words = sum(len(line.split()) for line in [HEAD] * 4 + [foot.format(n) for n in (1, 2, 3, 4)])
        assert [part.words for part in book.left_out if part.kind == "running_head"] == [n_words]


def test_copies_without_form_feeds_have_pages_too(tmp_path: Path) -> None:
    assert read(tmp_path, paged(FOOTS["RFC"], end="\n")).text == read(tmp_path, paged(FOOTS["RFC"])).text


def test_lines_after_form_feeds_that_are_no_furniture_are_text(tmp_path: Path) -> None:
    cases: dict[str, list[str]] = {
        "chapters": [f"{n}\n\n{PARAGRAPH}" for n in (1, 2, 3, 4)],
        "fables": [f"Fable {n}\n\n{PARAGRAPH}" for n in (1, 2, 3, 4)],
        "letters": [f"My dear Edith,\n\n{PARAGRAPH}" for _ in range(4)],
        "years": [f"{PARAGRAPH}\n\n{year}" for year in (1801, 1811, 1815, 1830)],
        "two pages": [f"{PARAGRAPH}\n\n{n}" for n in (1, 2)],
        "nothing else": [f"{n}\n" for n in (1, 2, 3, 4)],
    }
    for pages in cases.values():
        book = read(tmp_path, "\n\f".join(pages))
        assert not book.left_out
        assert book.text.split() == " ".join(pages).split()


LINES = [
    "The ferryman sold two acres of gravel before the first coach left for",
    "the county town, and the organist kept the spare key while the others",
    "were still at supper in the long room above the stables. Her younger",
    "Brother carried the kettle for no better reason than an old promise of",
    "the miller, who had gone to sea.",
]
PROSE = "\n".join(LINES)
JOINED = " ".join(LINES)
CHINESE = [*["大河在城北的石橋下流過河邊的人家都有", "小船每天早上到對岸的市集賣菜到了中午"] * 4, "才回來。"]
GOES_ON = {
    "small letter": ([LINES[0], "\n".join(LINES[1:])], JOINED),
    "capital below a full line": (["\n".join(LINES[:3]), "\n".join(LINES[3:])], JOINED),
    "most lines with capitals": ([LINES[0], "\n".join(LINES[3:])], " ".join([LINES[0], *LINES[3:]])),
    "every line": (LINES, JOINED),
    "hyphen": ([f"{PROSE[:-5]} and fer-", "rymen; ferrymen"], f"{JOINED[:-5]} and ferrymen; ferrymen"),
    "one line a paragraph": ([f"{JOINED} The sea", f"of it. {JOINED}"], f"{JOINED} The sea of it. {JOINED}"),
    "Chinese": (CHINESE, " ".join(CHINESE)),
    "indented": ([f"   {LINES[0]}", f"   {LINES[1]}"], f"{LINES[0]} {LINES[1]}"),
}  # fmt: skip
ENDS = {
    "full stop": [PROSE, PROSE],
    "quotation": [PROSE.replace("sea.", 'sea."'), PROSE],
    "blank line above": [f"{LINES[0]}\n\n", PROSE],
    "chapters": [f"CHAPTER {n}\n\n{PROSE}" for n in ("I", "II", "III")],
    "chapters without stops": [f"CHAPTER {n}\n\n{PROSE}\n\nHere ends the tale" for n in ("I", "II")],
    "title page": ["THE FERRYMAN", PROSE],
    "heading at the end of a page": [f"{PROSE}\n\nCHAPTER II", PROSE],
    "poem": ["The ferry goes\nAcross the stream", "The miller knows\nWhat ferries dream", "And so it goes"],
    "indented paragraph": ["\n".join(LINES[:2]), f"   {PROSE}"],
    "running heads": [f"22 A. WREN\n{PROSE[:-1]}", f"CHAPTER IV\n{PROSE[:-1]}", f"24 A. WREN\n{PROSE}"],
    "list": ["Bread, cheese\nSalt", "Kettle\nSpare key"],
}


@by_pairs(("feed", ["\n\f", "\f\n", "\n\f\n", "\f", "\r\n\f", " \n\f\n\n"]), ("pages, text", GOES_ON))
def test_a_sentence_goes_on_after_a_form_feed(tmp_path: Path, pages: list[str], text: str, feed: str) -> None:
    assert read(tmp_path, feed.join(pages)).text == text


@by_pairs(("feed", ["\n\f", "\f\n"]), ("pages", ENDS))
def test_what_ends_before_a_form_feed_stays_apart(tmp_path: Path, pages: list[str], feed: str) -> None:
    book, blank = read(tmp_path, feed.join(pages)), read(tmp_path, "\n\n".join(pages))
    assert [block.text for block in book.blocks] == [block.text for block in blank.blocks]
    assert len(book.blocks) >= len(pages)


SCANNED = """In the spring the fishermen painted their doors
blue, and the gulls came back to the roofs. She
counted the steps each evening, and each evening
there was one more than the day before. His brother
wrote from the city that the bridge had been sold
and the ferry was to be burned.

When the mill stopped, the silence woke everyone,
and they went down to the water with lanterns. The
keeper remem-
bered the old woman who sold the bread of the"""
VERSOS = ("{} THE HARBOUR LIGHT", "{}   The Harbour Light")
RECTOS = ("THE TWO MULES {}", "CHAPTER IV {}", "The Two Mules   {}")


def scan(verso: str, recto: str, *, numbers: Sequence[int] = range(20, 28), sep: str = "\n\n") -> str:
    return "".join(f"{(recto if n % 2 else verso).format(n)}{sep}{SCANNED}\n" for n in numbers)


@pytest.mark.parametrize(("verso", "recto"), [*product(VERSOS, RECTOS)])
def test_the_heads_of_scanned_pages_are_left_out_and_their_numbers_are_pages(
    tmp_path: Path, verso: str, recto: str
) -> None:
    (path := tmp_path / "light_djvu.txt").write_text(scan(verso, recto), encoding="utf-8")
    book = extract(path)
    assert not re.search(r"\d|HARBOUR|Harbour|MULES|CHAPTER|remem-", book.text)
    assert "the bread of the In the spring the fishermen" in book.text
    assert [page.label for page in book.page_starts] == ["21", "22", "23", "24", "25", "26", "27"]
    assert [left.kind for left in book.left_out] == ["running_head", "page_number"]


OTHER_HEADS = {
    "chapters": scan("CHAPTER {}", "CHAPTER {}"),
    "numbers that do not count up": scan(*VERSOS[:1], *RECTOS[:1], numbers=[20, 35, 22, 20, 37, 11]),
    "entries of a list": "\n".join(f"{n} eggs" for n in range(20, 40)),
    "titles that do not recur": "".join(f"{n} {'ABCDEFGH'[n % 8] * 5}\n\n{SCANNED}\n" for n in range(20, 28)),
}


def test_other_lines_with_numbers_stay() -> None:
    for text in OTHER_HEADS.values():
        assert with_pages_of_scan(text) == (text, "")
