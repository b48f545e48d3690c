"""The same question gets the same answer, however often it is asked and whatever the library once held."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from alexandria import Library
from alexandria.book.choices import Mode
from alexandria.library.search import seeking
from alexandria.library.search.excerpts import score_chunks
from alexandria.store.passage import Hit
from tests.forks import ROOT
from tests.store.fake_server import FakeServer

EPIGRAPH = "The lamp is lit and the loaf is on the board; the tide comes in whoever keeps the door."
QUESTION = "who keeps the door when the tide comes in"
WORDS = random.Random(3).sample([f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"], 150)
OPTIONS = {"model": "hashing", "min_words": 5, "max_words": 60}


def write_book(folder: Path, number: int, *, epigraph: bool = True, seed: int | None = None) -> Path:
    """Write a book of its own words, under the epigraph that many share."""
    chosen = random.Random(number if seed is None else seed)
    words = [" ".join(chosen.choices(WORDS, k=9)).capitalize() + "." for _ in range(12)]
    head = f"CHAPTER I\n\n{EPIGRAPH}\n\n" if epigraph else ""
    text = f"{head}CHAPTER II\n\n{' '.join(words[:6])}\n\nCHAPTER III\n\n{' '.join(words[6:])}\n"
    path = folder / f"{number:03}.txt"
    path.write_text(text)
    return path


@contextmanager
def edge(folder: Path) -> Iterator[str]:
    yield str(folder)


@contextmanager
def local(folder: Path) -> Iterator[str]:
    yield f"local:{folder}"


@contextmanager
def memory(folder: Path) -> Iterator[str]:
    yield ":memory:"


@contextmanager
def server(folder: Path) -> Iterator[str]:
    with FakeServer() as running:
        yield running.url


STORES = {"edge": edge, "local": local, "memory": memory, "server": server}


def shown(hits: Sequence[Hit]) -> list[tuple[str, int]]:
    return [(hit.title, hit.chunk_id) for hit in hits]


@pytest.fixture(scope="module", params=STORES)
def shelf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Fifty books that share a passage, written in no order."""
    folder = tmp_path_factory.mktemp("shelf")
    books = [write_book(folder, number) for number in random.Random(1).sample(range(50), 50)]
    with STORES[request.param](folder / "library") as where, Library(where) as library:
        library.ingest(books, options=OPTIONS)
        yield library


@pytest.mark.parametrize("mode", list(Mode))
def test_fifty_equal_passages_come_in_the_order_of_the_list_each_time(shelf: Library, mode: Mode) -> None:
    first = shelf.search(QUESTION, limit=60, mode=mode).hits
    titles = [book.title for book in shelf.books()]
    equal = [hit.title for hit in first if "whoever keeps the door" in hit.text]
    assert equal == titles
    assert len({hit.score for hit in first[:50]}) == 1
    for _ in range(2):
        assert shown(shelf.search(QUESTION, limit=60, mode=mode).hits) == shown(first)
    for limit in (1, 5, 10, 20, 49, 50):
        assert shown(shelf.search(QUESTION, limit=limit, mode=mode).hits) == shown(first)[:limit]


def test_passages_with_a_phrase_of_common_words_come_in_the_order_of_the_list(
    shelf: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[int] = []

    def count(question: Any, hits: Sequence[Hit], *more: Any, **named: Any) -> Any:
        scored.append(len(hits))
        return score_chunks(question, hits, *more, **named)

    monkeypatch.setattr(seeking, "score_chunks", count)
    hits = shelf.search('"is on the"', limit=60).hits
    assert [hit.title for hit in hits] == [book.title for book in shelf.books()]
    scored.clear()
    assert shown(shelf.search('"is on the"', limit=5).hits) == shown(hits)[:5]
    assert max(scored) == 20  # not all fifty


def test_more_hits_neither_repeat_nor_skip_any(shelf: Library) -> None:
    """As the browser does: ten, then fifty; 151 chunks are more than one fusion has."""
    for query in (f"{WORDS[n]} {WORDS[n + 1]} lamp" for n in range(8)):
        few, many = (shown(shelf.search(query, limit=limit).hits) for limit in (5, 50))
        assert many[:5] == few
    lists = [shown(shelf.search(WORDS[3], limit=limit).hits) for limit in (5, 10, 50, 100, 120, 150)]
    for short, long in pairwise(lists):
        assert long[: len(short)] == short
        assert len(set(long)) == len(long)
    assert len(lists[-1]) == 150


def test_excerpts_of_equal_passages_come_in_the_order_of_the_list(shelf: Library) -> None:
    first = shelf.search(QUESTION, words=120).hits
    assert [hit.title for hit in first] == [book.title for book in shelf.books()][: len(first)]
    assert [hit.text for hit in first] == [hit.text for hit in shelf.search(QUESTION, words=120).hits]


def ranked(library: Library, questions: Sequence[str]) -> list[list[tuple[str, int, float]]]:
    """Return the answers to some questions, with their scores as far as a tie goes."""
    return [
        [(hit.title, hit.chunk_id, hit.score) for hit in library.search(question, limit=10, mode=mode)]
        for question in questions
        for mode in Mode
    ]


def ranked_elsewhere(where: str, questions: Sequence[str]) -> list[list[tuple[str, int, float]]]:
    """Return the same, read by another process while this one has the library open."""
    code = "import sys, json; from alexandria import Library; from tests.query.test_stable import ranked"
    code += "; print(json.dumps(ranked(Library(sys.argv[1]), sys.argv[2:])))"
    done = subprocess.run(
        [sys.executable, "-c", code, where, *questions], cwd=ROOT, capture_output=True, check=True
    )
    return [[(title, chunk, score) for title, chunk, score in hits] for hits in json.loads(done.stdout)]


def assert_same(
    one: Sequence[Sequence[tuple[str, int, float]]], other: Sequence[Sequence[tuple[str, int, float]]]
) -> None:
    for answer, expected in zip(one, other, strict=True):
        assert [hit[:2] for hit in answer] == [hit[:2] for hit in expected]
        assert [hit[2] for hit in answer] == pytest.approx([hit[2] for hit in expected], abs=1e-5)


def remove(library: Library, folder: Path, number: int) -> None:
    library.remove(f"{number:03}")


def replace_book(library: Library, folder: Path, number: int) -> None:
    write_book(folder, number, epigraph=False, seed=1000 + number)
    library.ingest([folder / f"{number:03}.txt"], options=OPTIONS)


def edit(library: Library, folder: Path, number: int) -> None:
    library.edit(f"{number:03}", author="Nobody")


CHANGES: tuple[Callable[[Library, Path, int], None], ...] = (remove, replace_book, edit)


@pytest.mark.parametrize(("kind", "seed"), [("edge", 0), ("edge", 1), ("local", 2)])
def test_a_search_is_that_of_a_library_made_afresh_of_the_books_that_are_left(
    kind: str, seed: int, tmp_path: Path
) -> None:
    """In the process that changed it, through it, and opened again: removed books weigh no word."""
    chosen = random.Random(seed)
    books = [write_book(tmp_path, number, epigraph=number < 28) for number in range(30)]
    questions = (QUESTION, f"lamp {WORDS[7]}", f"{WORDS[11]} {WORDS[12]} board")
    with STORES[kind](tmp_path / "library") as where:
        with Library(where) as library:
            library.ingest(books, options=OPTIONS)
            for number in chosen.sample(range(30), 28):
                chosen.choice(CHANGES)(library, tmp_path, number)
            changed = ranked(library, questions)
            left = sorted(book.source for book in library.books())
            through_owner = ranked_elsewhere(where, questions)
        with Library(where) as library:
            reopened = ranked(library, questions)
    with STORES[kind](tmp_path / "fresh") as where, Library(where) as library:
        library.ingest(left, options=OPTIONS)
        afresh = ranked(library, questions)
    assert_same(changed, afresh)
    assert_same(through_owner, afresh)
    assert_same(reopened, afresh)
