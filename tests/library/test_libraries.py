"""`Libraries`: several collections, searched and read as one."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import alexandria
from alexandria import Libraries, Library
from alexandria.book.choices import CitationStyle, Diverse
from alexandria.errors import ConfigError, NoMatchError, StoreError
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.library.search import relevance
from alexandria.library.search.hits import Results
from alexandria.library.search.merging import merge
from alexandria.library.search.request import SearchRequest
from alexandria.store.lock import OWNER, Owner, require_lock
from alexandria.store.passage import Hit
from tests.command import alexandria as run
from tests.conftest import SAMPLES

QUIET, CLOCK = SAMPLES / "the-quiet-trades.epub", SAMPLES / "the-town-clock.docx"
ASKED = SearchRequest(query="who rings the bell")
HASHING = {"model": "hashing", "min_words": 40, "max_words": 90}
QUESTION = "bees in the hive and the clock in the tower"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf") / "library"
    alexandria.ingest([QUIET], options=HASHING, store=str(folder), collection="trades")
    alexandria.ingest([CLOCK], options=HASHING, store=str(folder), collection="towns")
    return folder


@pytest.fixture(scope="module")
def both(store: Path) -> Iterator[Libraries]:
    with Libraries(store, ["trades", "towns"]) as opened:
        yield opened


def made(collection: str, relevance: float | None, *, book: str = "", start: int = 0, words: int = 10) -> Hit:
    """Return a hit of one sentence."""
    text = " ".join(["word"] * words) + "."
    payload: dict[str, Any] = {
        "text": text,
        "book_id": book or collection,
        "start": start,
        "end": start + len(text),
        "word_count": words,
        "sentence_starts": str(start),
        "section": [],
        "page_start": None,
        "page_end": None,
        "page_label": None,
    }
    return Hit(id=f"{collection}-{start}", payload=payload, score=99.0, relevance=relevance)


def results(*hits: Hit, **more: Any) -> Results:
    return Results(hits, **more)


def test_hits_of_all_collections_are_merged_by_relevance_and_name_theirs(
    both: Libraries, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "relevance of hits in trades, towns is not known" in both.search(QUESTION).remarks[-1]
    monkeypatch.setattr(relevance, "_CALIBRATED", ("hashing-",))
    hits = both.search(QUESTION, limit=24).hits
    assert {hit.collection for hit in hits} == {"trades", "towns"}
    for name in ("trades", "towns"):
        with Library(both.store, name) as alone:
            own = alone.search(QUESTION, limit=24).hits
        ids = [hit.id for hit in hits if hit.collection == name]
        assert ids == [hit.id for hit in own][: len(ids)]
    first_of_each = {hit.collection: hit.relevance or 0 for hit in reversed(hits)}
    assert hits[0].relevance == max(first_of_each.values())


def test_only_the_collections_with_the_books_that_a_question_names_answer(both: Libraries) -> None:
    question = "What did Ida Marlow say of bees? Before the kettle has boiled, the bees are out."
    named = both.search(question)
    assert named.named == ("Ida Marlow",)
    assert {hit.author for hit in named} == {"Ida Marlow"}
    assert both.search(question, everywhere=True).named == ()


def test_a_budget_of_words_is_one_for_all_collections(both: Libraries) -> None:
    for words in (1, 30, 120, 900):
        hits = both.search(QUESTION, words=words).hits
        assert sum(hit.payload["word_count"] for hit in hits) <= words or len(hits) == 1
        for hit in hits:
            whole = both.read(hit, before=0, after=0)[0]
            assert hit.text in whole.text or hit.text.split()[0] in whole.text
    assert {hit.collection for hit in both.search(QUESTION, words=900)} == {"trades", "towns"}


def test_whatever_takes_a_hit_takes_one_of_any_collection(both: Libraries) -> None:
    for hit in both.search(QUESTION, limit=24):
        assert both.read(hit.short_id, context=0)[0].id == hit.id == both.read(hit, context=0)[0].id
        assert both.passage(hit.short_id).collection == hit.collection
        assert hit.title in both.cite(hit.short_id, CitationStyle.MLA).reference
        assert both.explain(hit.short_id).chunk.index == hit.chunk_id
        assert both.book(hit.book_id[:10]).title == hit.title


def test_find_names_the_collection_of_each_place(both: Libraries) -> None:
    for chunk in (both.chunks("quiet")[2], both.chunks("clock")[2]):
        words = " ".join(chunk.text.split()[:12])
        assert both.find(words)[0].collection == chunk.collection


def test_filters_that_only_one_collection_passes_leave_out_the_others(both: Libraries) -> None:
    assert {hit.collection for hit in both.search("bees", book="clock")} == {"towns"}
    with pytest.raises(NoMatchError, match="no book has the title") as error:
        both.search("bees", book="nothing of the kind")
    assert "trades: " in error.value.why
    assert "towns: " in error.value.why


def test_a_book_in_two_collections_is_found_once_and_read_in_the_first(tmp_path: Path) -> None:
    for name, most in (("long", 90), ("short", 45)):
        options = {**HASHING, "min_words": 20, "max_words": most}
        alexandria.ingest([CLOCK], options=options, store=str(tmp_path), collection=name)
    with Libraries(tmp_path, ["short", "long"]) as libraries:
        hits = libraries.search("the clock in the tower", limit=20).hits
        for i, hit in enumerate(hits):
            for other in hits[i + 1 :]:
                shared = min(hit.end, other.end) - max(hit.start, other.start)
                assert shared < 0.5 * min(hit.end - hit.start, other.end - other.start)
        assert libraries.read("clock", 0, context=0)[0].collection == "short"
        assert len(libraries.books()) == 2


def test_each_collection_is_searched_with_its_own_model(store: Path) -> None:
    sea = store.parent / "sea.txt"
    sea.write_text("The tide turns twice a day. A spring tide runs highest. The clock of the moon drives it.")
    options = {"strategy": "recursive", "model": "none"}
    alexandria.ingest([sea], options=options, store=str(store), collection="words")
    hits = alexandria.search("spring tide clock", store=str(store), collection=["trades", "words"], limit=4)
    assert {hit.collection for hit in hits} == {"trades", "words"}
    with Libraries(store, ["trades", "words"]) as libraries:
        assert any("words is not known" in remark for remark in libraries.search("tide").remarks)
        with pytest.raises(ConfigError, match="in the collection words: cannot search in the mode dense"):
            libraries.search("tide", mode="dense")


def test_a_model_is_loaded_once_for_all_collections(store: Path) -> None:
    with Libraries(store, ["trades", "towns"]) as libraries:
        libraries.prepare()
        encoders = [one._opened.models.encoders for one in libraries._libraries.values()]
        assert encoders[0] is encoders[1]
        assert len(encoders[0]) == 1


def test_collections_of_one_local_folder_are_read_in_turn(tmp_path: Path) -> None:
    folder = f"local:{tmp_path / 'library'}"
    alexandria.ingest([QUIET], options=HASHING, store=folder, collection="trades")
    alexandria.ingest([CLOCK], options=HASHING, store=folder, collection="towns")
    with Libraries(folder, ["trades", "towns"]) as libraries:
        for _ in range(2):
            found = libraries.search(QUESTION, limit=24)
            assert {hit.collection for hit in found} == {"trades", "towns"}
    with Library(folder, "trade") as library, pytest.raises(StoreError) as error:
        library.search("bees")
    assert error.value.fix == "did you mean --collection trades?"


def test_a_collection_that_is_not_there_names_the_nearest(store: Path) -> None:
    with Libraries(store, ["trades", "town"]) as libraries, pytest.raises(StoreError) as error:
        libraries.search("bees")
    assert error.value.what.startswith("in the collection town: there is no library")
    assert "towns" in error.value.why
    assert error.value.fix == "did you mean --collection towns?"
    with pytest.raises(ConfigError, match="without a name"):
        Libraries(store, ["trades", ""])


@pytest.mark.parametrize("words", [[], ["--words", "3000"], ["--cite", "chicago"], ["--mode", "bm25"]])
def test_search_takes_several_collections(store: Path, words: list[str]) -> None:
    done = run("search", QUESTION, "--store", store, "--collection", "trades,towns", "-k", "24", *words)
    assert done.returncode == 0, done.stderr
    assert "Quiet Trades" in done.stdout
    assert "Town Clock" in done.stdout
    if "--cite" not in words:
        assert " in trades" in done.stdout
        assert " in towns" in done.stdout


def test_every_command_that_takes_a_hit_takes_several_collections(store: Path) -> None:
    there = ("--store", store, "--collection", "trades,towns")
    hits = json.loads(run("search", QUESTION, "-k", "24", "--json", *there).stdout)["hits"]
    assert {hit["collection"] for hit in hits} == {"trades", "towns"}
    for hit in hits:
        [passage] = json.loads(run("read", hit["id"], "--context", "0", "--json", *there).stdout)
        assert (passage["id"].split("-")[0], passage["collection"]) == (
            hit["id"].split("-")[0],
            hit["collection"],
        )
        assert hit["book_title"] in run("cite", hit["id"], "--style", "mla", *there).stdout
        assert run("inspect", hit["id"], *there).returncode == 0
        assert run("open", hit["id"], "--print", *there).returncode == 0
    one = json.loads(run("search", "bees", "--json", "--store", store, "--collection", "trades").stdout)[
        "hits"
    ]
    assert "collection" not in one[0]


def test_commands_that_write_take_one_collection(store: Path) -> None:
    done = run("ingest", QUIET, "--store", store, "--collection", "trades,towns")
    assert done.returncode == 2
    assert "a comma separates collections" in done.stderr
    with Library(store, "a,b") as library, pytest.raises(ConfigError, match="cannot name a collection"):
        library.ingest([QUIET], options=HASHING)


def test_each_collection_keeps_its_own_order() -> None:
    a, b = made("a", 0.5), made("a", 0.9, start=100)  # as with `diverse="mmr"`
    merged = merge({"a": results(a, b), "b": results(made("b", 0.7))}, ASKED)
    assert [(hit.collection, hit.relevance) for hit in merged] == [("b", 0.7), ("a", 0.5), ("a", 0.9)]


def test_where_a_relevance_is_not_known_the_rank_decides() -> None:
    a = [made("a", 0.9), made("a", 0.8, start=100)]
    b = [made("b", None), made("b", None, start=100)]
    merged = merge({"a": results(*a), "b": results(*b)}, ASKED)
    assert [hit.collection for hit in merged] == ["a", "b", "a", "b"]
    assert merged.remarks == ("the relevance of hits in b is not known: hits are ordered by their rank",)


def test_a_book_is_one_hit_with_diverse_books_whatever_its_collections() -> None:
    a, b = made("a", 0.9, book="x"), made("b", 0.8, book="x", start=900)
    assert len(merge({"a": results(a), "b": results(b)}, replace(ASKED, diverse=Diverse.BOOK))) == 1
    assert len(merge({"a": results(a), "b": results(b)}, ASKED)) == 2


def test_doubts_are_told_only_where_no_collection_answers() -> None:
    odd, doubtful = Remark(RemarkKind.PLAIN, "odd"), Remark(RemarkKind.DOUBT, "nothing answers")
    doubt = {"noted": (odd, doubtful), "model": "m"}
    weak, strong = results(made("a", 0.1), **doubt), results(made("b", 0.9), model="m")
    assert merge({"a": weak, "b": strong}, ASKED).remarks == ("in a: odd",)
    assert merge({"a": weak, "b": weak}, ASKED).remarks == ("odd", "nothing answers")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Return a store with a collection that can be searched, and three that cannot."""
    store = tmp_path / "library"
    for name in ("towns", "emptied", "damaged", "foreign"):
        alexandria.ingest([CLOCK], options=HASHING, store=str(store), collection=name)
    with Library(store, "emptied") as library:
        library.remove("clock")
    (store / "damaged" / "catalog.sqlite").write_bytes(b"no catalog")
    marker = store / "foreign" / "alexandria.json"
    marker.write_text(marker.read_text().replace("edge", "local"))
    return store


def test_a_collection_that_cannot_be_searched_is_left_out_and_named(shelf: Path) -> None:
    names = ["towns", "emptied", "damaged", "foreign"]
    with Libraries(shelf, names) as libraries:
        found = libraries.search("the clock in the tower")
    assert {hit.collection for hit in found} == {"towns"}
    assert list(found.left_out) == names[1:]
    for name, remark in zip(names[1:], found.remarks, strict=False):
        assert remark.startswith(f"left out, in the collection {name}: ")
        assert "--" not in remark  # an option is no help in Python or a browser
    assert "the library is empty" in found.remarks[0]
    done = run("search", "clock", "--json", "--store", shelf, "--collection", ",".join(names))
    assert done.returncode == 3
    assert "left out, in the collection damaged" in done.stderr
    assert {hit["collection"] for hit in json.loads(done.stdout)["hits"]} == {"towns"}


def test_where_no_collection_can_be_searched_the_first_reason_is_the_error(shelf: Path) -> None:
    with Libraries(shelf, ["emptied", "foreign"]) as libraries, pytest.raises(StoreError, match="is empty"):
        libraries.search("clock")
    assert run("search", "clock", "--store", shelf, "--collection", "emptied,damaged").returncode == 5


def test_a_locked_collection_is_left_out_and_the_others_answer(tmp_path: Path) -> None:
    store = tmp_path / "library"
    for name, book in (("trades", QUIET), ("towns", CLOCK)):
        alexandria.ingest([book], options=HASHING, store=str(store), collection=name)
    where: list[str | Path] = ["--wait", "0", "--store", store, "--collection"]
    with Libraries(store, ["trades", "towns"], wait=0) as libraries:
        lock = require_lock(store / "trades")
        try:
            owner = Owner(
                pid=7, host="another-computer", command="alexandria ingest", since="2026-01-01T00:00"
            )
            (store / "trades" / OWNER).write_text(json.dumps(asdict(owner)))  # nothing here can answer for it
            results = libraries.search("the clock in the tower")
            searched = run("search", "clock", "--json", *where, "trades,towns")
            alone = run("search", "clock", *where, "trades")
        finally:
            lock.release()
        assert {hit.collection for hit in results.hits} == {"towns"}
        assert results.left_out == ("trades",)
        assert "(pid 7 on another-computer) has had it open" in results.remarks[0]
        assert searched.returncode == 3
        assert "left out, in the collection trades" in searched.stderr
        assert {hit["collection"] for hit in json.loads(searched.stdout)["hits"]} == {"towns"}
        assert alone.returncode == 5
        assert libraries.search(QUESTION).left_out == ()
