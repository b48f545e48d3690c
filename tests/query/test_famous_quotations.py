"""What anybody types first stands in a library with these books, at every door; so do drawn stretches."""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from alexandria import Library
from alexandria.book.words import letters_of
from alexandria.doors.mcp.tools import run_tool
from alexandria.doors.web.requests import Request
from alexandria.doors.web.routes import Site
from alexandria.library.search.places import slips_allowed
from tests.command import alexandria

pytestmark = pytest.mark.shared
FAMOUS = {
    "to be, or not to be, that is the question": "To be, or not to be: that is the question",
    "to be or not to be": "To be, or not to be",
    "to thine own self be true": "to thine ownself be true",
    "If it is not right, do not do it: if it is not true, do not say it": "if it is not true, do not say it",
    "I am large, I contain multitudes": "I am large, I contain multitudes",
}


@pytest.fixture(scope="module")
def library(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library(tmp_path_factory.mktemp("famous") / "library") as opened:
        names = ("hamlet", "aurelius", "leaves-of-grass", "prince", "beagle", "frankenstein")
        books = [path for name in names for path in (shared_data / "epub").glob(f"*-{name}*.epub")]
        opened.ingest(books, options={"model": "none", "strategy": "recursive", "max_words": 200})
        yield opened


def by_python(library: Library, text: str) -> str:
    places = library.find(text)
    assert places.n_places
    return places[0].words


def by_terminal(library: Library, text: str) -> str:
    done = alexandria("find", text, "--store", library.store, "--json")
    assert done.returncode == 0
    return str(json.loads(done.stdout)[0]["words"])


def by_mcp(library: Library, text: str) -> str:
    return run_tool(library, "find_quote", {"text": text}).text


def by_browser(library: Library, text: str) -> str:
    request = Request("GET", f"/token/find?q={quote(text)}", {"host": "127.0.0.1:1"})
    return Site(library, "token", 1).respond(request).body.decode()


@pytest.mark.parametrize("door", [by_python, by_terminal, by_mcp, by_browser])
@pytest.mark.parametrize("quotation", FAMOUS)
def test_a_famous_quotation_stands_where_it_stands(
    library: Library, door: Callable[[Library, str], str], quotation: str
) -> None:
    assert letters_of(FAMOUS[quotation]) in letters_of(re.sub(r"<[^>]+>", " ", door(library, quotation)))


def test_drawn_stretches_are_found_and_shuffled_ones_are_not(library: Library) -> None:
    chance, texts = random.Random(69), dict[str, str]()
    for record in library.books():
        texts[record.book_id] = " ".join(chunk.text for chunk in library._opened.for_reading().chunks(record))
    letters = "\n".join(map(letters_of, texts.values()))
    ids, sizes = zip(*((id, len(text)) for id, text in texts.items()), strict=True)
    for i in range(120):
        book_id = chance.choices(ids, sizes)[0]
        words, n = texts[book_id].split(), chance.randint(3, 12)
        first = chance.randrange(len(words) - n)
        drawn = " ".join(words[first : first + n])
        asked = letters_of(drawn)
        if len(asked) < 12:
            continue
        if i % 2:
            for _ in range(slips_allowed(len(asked))):
                at = chance.randrange(len(asked))
                asked = f"{asked[:at]}{chance.choice('etaoin')}{asked[at + 1 :]}"
        found = library.find(asked, limit=None)
        assert any(place.book_id == book_id and not place.near for place in found), drawn
        shuffled = " ".join(chance.sample(drawn.split(), n))
        if letters_of(shuffled) not in letters:
            assert all(place.near or place.nearness < 1 for place in library.find(shuffled)), shuffled
