"""Editions of one work give one hit each, and stay together in the list."""

import json
import random
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from alexandria.book.words import fold_text
from alexandria.library.library import Library
from alexandria.library.search.editions import (
    Editions,
    _are_alike,
    _is_within,
    _Words,
    contains,
    merge_editions,
    with_editions,
)
from alexandria.library.search.request import SearchRequest
from alexandria.store.passage import Hit
from tests.command import alexandria

HASHING = {"model": "hashing", "min_words": 40, "max_words": 120}
WORDS = random.Random(3).sample([f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"], 150)


def sentences(seed: int, n: int) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS, k=9)).capitalize() + "." for _ in range(n)]


def paragraphs(parts: list[str]) -> str:
    return "\n\n".join(" ".join(parts[i : i + 5]) for i in range(0, len(parts), 5))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work as plain text and as HTML with an introduction, under different titles; and another book."""
    folder = tmp_path_factory.mktemp("shelf")
    work, other = sentences(1, 200), sentences(2, 200)
    (folder / "a-voyage.txt").write_text(paragraphs(work))
    body = "".join(f"<p>{part}</p>" for part in paragraphs(sentences(5, 30) + work).split("\n\n"))
    (folder / "zx81.html").write_text(f"<html><head><title>Travels</title></head><body>{body}</body></html>")
    (folder / "marsh.txt").write_text(paragraphs(other))
    with Library(folder / "lib") as library:
        library.ingest(folder, options=HASHING)
    return folder


def search(shelf: Path, query: str, *words: str) -> list[Any]:
    done = alexandria("search", query, "--store", shelf / "lib", "--json", *words)
    assert done.returncode == 0, done.stderr
    hits: list[Any] = json.loads(done.stdout)["hits"]
    return hits


@pytest.mark.parametrize("mode", ["hybrid", "dense", "bm25", "sentences"])
def test_a_passage_of_two_editions_is_one_hit_that_names_the_other(shelf: Path, mode: str) -> None:
    query = sentences(1, 200)[102]
    hit, *rest = search(shelf, query, "--mode", mode)
    assert query in hit["text"]
    assert hit["source"].endswith("html")  # the longer edition
    assert [also["source"] for also in hit["also_in"]] == [str(shelf / "a-voyage.txt")]
    assert all("a-voyage" not in other["source"] for other in rest)
    both = search(shelf, query, "--mode", mode, "--all-editions")
    assert {Path(one["source"]).name for one in both[:2]} == {"a-voyage.txt", "zx81.html"}
    assert all(one["also_in"] == [] for one in both)


def test_editions_are_merged_unless_a_request_asks_for_all(shelf: Path) -> None:
    query = sentences(1, 200)[102]
    with Library(shelf / "lib") as library:
        merged = library.answer(SearchRequest(query=query)).hits[0]
        each = library.answer(SearchRequest(query=query, all_editions=True)).hits[0]
        stored = {
            chunk.id: chunk.payload for record in library.books() for chunk in library.chunks(record.book_id)
        }
    assert [len(hit.also_in) for hit in (merged, each)] == [1, 0]
    for passage in (merged, *merged.also_in, each):
        assert passage.payload == stored[passage.id], (
            "all that is stored with it, whatever it was compared by"
        )


def test_a_quotation_stands_in_one_book_that_has_several_editions(shelf: Path) -> None:
    with Library(shelf / "lib") as library:
        places = library.find(sentences(1, 200)[102])
        assert places.summary == "Stands at 2 places in 1 book: a-voyage (2 editions)."
        assert library.find(sentences(2, 200)[102]).summary == "Stands at 1 place in 1 book: marsh."


def test_a_filter_can_ask_for_one_edition(shelf: Path) -> None:
    hits = search(shelf, sentences(1, 200)[102], "--book", "voyage")
    assert {Path(hit["source"]).name for hit in hits} == {"a-voyage.txt"}
    assert Path(hits[0]["also_in"][0]["source"]).name == "zx81.html"


def test_what_only_one_edition_has_is_found(shelf: Path) -> None:
    hit = search(shelf, sentences(5, 30)[3], "-k", "1")[0]
    assert Path(hit["source"]).name == "zx81.html"
    assert hit["also_in"] == []


def test_each_other_edition_is_named_once_by_its_best_passage() -> None:
    work = sentences(1, 6)
    whole, half, rest = " ".join(work), " ".join(work[:3]), " ".join(work[3:])
    books = ("pdf", "epub", "txt")
    works = Editions(dict.fromkeys(books, "work"), {book: rank for rank, book in enumerate(books)})

    def hit(book: str, id: str, text: str) -> Hit:
        return Hit(id=id, score=1.0, payload={"book_id": book, "text": text})

    [merged] = merge_editions([hit("pdf", "1", whole), hit("epub", "2", half), hit("epub", "3", rest)], works)
    assert [passage.id for passage in merged.also_in] == ["2"]
    others = [hit("epub", "4", whole), hit("txt", "5", rest), hit("txt", "6", whole)]
    [named] = with_editions([merged], others, works)
    assert [passage.id for passage in named.also_in] == ["2", "5"]


def test_the_list_groups_editions_and_a_removed_one_leaves_the_other(shelf: Path, tmp_path: Path) -> None:
    lines = alexandria("list", "--store", shelf / "lib").stdout.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["a-voyage", "Travels", "marsh"]
    books = {Path(book["source"]).name: book for book in json.loads(
        alexandria("list", "--store", shelf / "lib", "--json").stdout
    )}  # fmt: skip
    assert books["a-voyage.txt"]["work"] == books["zx81.html"]["work"] != books["marsh.txt"]["work"]
    with Library(shelf / "lib") as library:
        list(library.copy(tmp_path / "copy"))
    with Library(tmp_path / "copy") as library:
        library.remove(books["a-voyage.txt"]["book_id"])
        outcomes = library.ingest(shelf / "a-voyage.txt", options=HASHING, again=True)
        assert "seems to be the same book as “Travels”" in outcomes[0].remarks[0]
        assert len({record.work or record.book_id for record in library.books()}) == 2


def test_a_few_words_are_one_work_only_under_one_title(tmp_path: Path) -> None:
    for name, title in (("a", "Ruby annotation"), ("b", "Ruby annotation"), ("c", "Vertical writing")):
        text = f"<html><title>{title}</title><body><p>The test passes if this shows.</p></body></html>"
        (tmp_path / f"{name}.html").write_text(text + "\n" * ord(name))
    with Library(tmp_path / "lib") as library:
        library.ingest(tmp_path, options=HASHING)
        works = {Path(record.source).stem: record.work or record.book_id for record in library.books()}
    assert works["a"] == works["b"] != works["c"]


TEXT = "From 1 May a ship of ten tons pays nine shillings a night at the quay to the harbour of Lund by law."


def test_texts_are_the_same_if_their_words_are() -> None:
    cases = {
        "the same": (TEXT, True),
        "case and spaces": (TEXT.upper().replace(" ", "  "), True),
        "a part": (" ".join(TEXT.split()[3:14]), True),
        "spelling": (TEXT.replace("harbour", "harbor"), True),
        "a divided word": (TEXT.replace("shillings", "shil lings"), True),
        "another number in words": (TEXT.replace("nine", "fourteen"), False),
        "another number": (TEXT.replace("1 May", "2 May"), False),
        "another name": (TEXT.replace("Lund", "Lung"), False),
        "a word more": (TEXT.replace("pays", "never pays"), False),
        "words less": (TEXT.replace("a night ", ""), False),
        "a sentence more": (TEXT + " The fee doubles in winter, when the ice is thick.", False),
    }
    for part, same in cases.values():
        assert contains(f"Fees. {TEXT} No fee is due at sea.", part) is same


SAILED = ["ab", "cd", "the", "ship", "ships", "Lund", "12", "7th", "shil", "lings", "shillings"]


@given(st.lists(st.sampled_from(SAILED), max_size=14))
@example([])
def test_texts_are_compared_as_difflib_does(words: list[str]) -> None:
    """Whatever is taken out of a text, put in, or spelled otherwise."""
    chosen = random.Random(" ".join(words))
    text = [*chosen.choices(words, k=3), *words, *chosen.choices(words, k=3)] if words else ["ship"]
    part = [word for word in words if chosen.random() > 0.1]
    for i in range(len(part)):
        if chosen.random() < 0.15:
            part[i] = chosen.choice(["Ship", "shipp", "shil lings", "12", "x"])
    folded, part_folded = (fold_text(" ".join(those)).split() for those in (text, part))
    compared = SequenceMatcher(None, folded, part_folded, autojunk=False)
    written, part_written = " ".join(text).split(), " ".join(part).split()
    expected = " ".join(part) in " ".join(text) or all(
        kind == "equal"
        or (first == stop and first in (0, len(part_written)))
        or _are_alike(written[start:end], part_written[first:stop])
        for kind, start, end, first, stop in compared.get_opcodes()
    )
    assert _is_within(_Words.of(" ".join(part)), _Words.of(" ".join(text))) is expected


def test_hits_beyond_those_needed_are_compared_with_these_only() -> None:
    works = Editions(dict.fromkeys("abc", "work"), {"a": 0, "b": 1, "c": 2})
    texts = [" ".join(sentences(seed, 5)) for seed in range(4)]

    def hit(book: str, text: int, score: float) -> Hit:
        return Hit(id=f"{book}{text}", score=score, payload={"book_id": book, "text": texts[text]})

    hits = [hit("a", 0, 4), hit("a", 1, 3), hit("b", 2, 3), hit("c", 3, 2), hit("b", 0, 1), hit("b", 3, 1)]
    merged = merge_editions(hits, works, limit=2)
    assert [one.id for one in merged] == ["a0", "a1", "b2"], "the third ties with the second"
    assert [[other.id for other in one.also_in] for one in merged] == [["b0"], [], []]
    assert [one.id for one in merge_editions(hits, works)] == ["a0", "a1", "b2", "b3"]


FEES = "From May a ship of ten tons pays {} shillings for each night at the quay."


@pytest.fixture(scope="module")
def guides(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two editions of a guide: the later one has another fee, and a chapter more."""
    folder = tmp_path_factory.mktemp("guides")
    common = paragraphs(sentences(7, 120))
    chapter = "\n\n## Afterword\n\nThe crater was surveyed by Reinwald with a magnetometer of his own making."
    for name, fee, more in (("first", "nine", ""), ("second", "fourteen", chapter)):
        head = f"---\ntitle: Harbour Guide\n---\n\n{common}"
        text = f"{head}\n\n## Fees\n\n{FEES.format(fee)} The quay is of stone."
        (folder / f"{name}.md").write_text(text + more)
    with Library(folder / "lib") as library:
        library.ingest(folder, options={**HASHING, "min_words": 5})
        assert len({record.work or record.book_id for record in library.books()}) == 1
    return folder


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ('"fourteen shillings"', "second.md"),
        ('"nine shillings"', "first.md"),
        ("the crater surveyed with a magnetometer", "second.md"),
    ],
)
def test_what_one_edition_alone_has_is_found_and_ascribed_to_no_other(
    guides: Path, query: str, file: str
) -> None:
    hit = search(guides, query)[0]
    assert Path(hit["source"]).name == file
    assert hit["also_in"] == []


def test_both_editions_are_shown_where_they_differ_and_one_where_they_do_not(guides: Path) -> None:
    fees = search(guides, FEES.format("some"), "-k", "2")
    assert {Path(hit["source"]).name for hit in fees} == {"first.md", "second.md"}
    hits = search(guides, sentences(7, 120)[40], "-k", "4")
    assert Path(hits[0]["source"]).name == "first.md", "of complete editions, the one ingested first"
    assert [Path(other["source"]).name for other in hits[0]["also_in"]] == ["second.md"]
    assert len({hit["text"] for hit in hits}) == len(hits)


def test_a_section_that_one_edition_alone_has_is_searched(guides: Path) -> None:
    (hit,) = search(guides, "magnetometer", "--chapter", "afterword", "-k", "1")
    assert Path(hit["source"]).name == "second.md"
