"""What is handed out of chunks: runs of whole sentences, the best under a budget of words."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria import Library
from alexandria.book.choices import Mode
from alexandria.book.model import count_words
from alexandria.library.search.excerpts import Evidence, choose, runs_of, score_chunks, with_best_runs
from alexandria.library.search.excerpts.runs import TARGET, text_paragraphs
from alexandria.store import QueryVectors
from alexandria.store.passage import Hit
from alexandria.store.payload import join_numbers
from alexandria.store.sparse import query_terms, term_id

SENTENCE = "The keeper of the light wrote down what he saw each night of that winter. "  # 15 words
PARAGRAPH = (SENTENCE * 3).rstrip()
BEES = "Bees dance to tell the others in the hive where flowers stand in bloom. "


def chunk(
    text: str,
    *,
    number: int = 0,
    offset: int = 100,
    book: str = "a",
    chapter: str = "One",
    title: str = "Light",
) -> Hit:
    """Return a chunk that begins at `offset`, with its sentences after every full stop."""
    starts = [0, *(i + 1 for i in range(1, len(text) - 1) if text[i - 1] == "." and text[i].isspace())]
    starts = [i + (len(text[i:]) - len(text[i:].lstrip())) for i in starts]
    payload = {
        "text": text,
        "start": offset,
        "end": offset + len(text),
        "sentence_starts": join_numbers(offset + start for start in starts),
        "book_id": book,
        "chunk_id": number,
        "language": "en",
        "section": [chapter],
        "book_title": title,
        "page_end": number,
    }
    return Hit(id=f"{book}{number}", payload=payload, score=1.0)


def query(text: str, dense: tuple[float, ...] = (1.0, 0.0)) -> QueryVectors:
    return QueryVectors(np.array(dense, np.float32), query_terms(text, frozenset({"en"})))


def evidence(text: str, *hits: Hit) -> list[Evidence]:
    return list(score_chunks(query(text), hits, {}).evidence)


@given(st.lists(st.tuples(st.integers(1, 120), st.sampled_from([" ", "\n\n"])), min_size=1, max_size=30))
def test_each_sentence_is_in_exactly_one_run_and_each_run_is_a_slice(
    sentences: list[tuple[int, str]],
) -> None:
    text = "".join("word " * (n - 1) + "end." + blank for n, blank in sentences).rstrip()
    hit = chunk(text, offset=7)
    runs = runs_of(hit.text, hit.sentence_starts, hit.start)
    assert (runs[0].first, runs[-1].stop) == (0, len(sentences))
    assert all(before.stop == after.first for before, after in pairwise(runs))
    texts = [text[run.start - 7 : run.end - 7] for run in runs]
    assert [count_words(own) for own in texts] == [run.n_words for run in runs]
    assert " ".join(" ".join(texts).split()) == " ".join(text.split())


def test_a_run_ends_with_a_paragraph_if_one_ends_near() -> None:
    hit = chunk(f"{PARAGRAPH}\n\n{SENTENCE * 5}".rstrip())
    first, second = runs_of(hit.text, hit.sentence_starts, hit.start)
    assert hit.text[first.start - hit.start : first.end - hit.start] == PARAGRAPH
    assert first.n_words >= TARGET // 2
    assert second.n_words == 75


def test_a_last_run_shorter_than_a_third_joins_the_one_before() -> None:
    for n_last, lengths in ((15, [85]), (16, [70, 16])):
        hit = chunk(SENTENCE * 3 + "word " * 24 + "end. " + "word " * (n_last - 1) + "end.")
        assert [run.n_words for run in runs_of(hit.text, hit.sentence_starts, hit.start)] == lengths


def test_a_large_budget_has_longer_runs() -> None:
    hit = chunk((SENTENCE * 84).rstrip())
    lengths = [
        {part.run.n_words for part in score_chunks(query("keeper"), [hit], {}, words=words).evidence}
        for words in (100, 250, 500, 1000, 5000)
    ]
    assert lengths == [{60}, {60}, {90}, {105}, {105}]


def test_the_run_with_the_words_of_the_query_is_the_best() -> None:
    hit = chunk(f"{PARAGRAPH}\n\n{PARAGRAPH}\n\n{BEES * 3}\n\n{PARAGRAPH}\n\n{PARAGRAPH}")
    (best,) = with_best_runs([hit], evidence("how do bees dance", hit))
    assert best.excerpt is not None
    start, end = (offset - hit.start for offset in best.excerpt)
    assert hit.text[start:end] == (BEES * 3).rstrip()
    assert best.best is None, "without sentence vectors, nobody knows which sentence it is"


def test_the_run_with_the_meaning_of_the_query_is_the_best() -> None:
    hit = chunk("\n\n".join([PARAGRAPH] * 4))
    rows = np.tile(np.array([0.0, 1.0], np.float32), (12, 1))
    rows[7] = 1.0, 0.0
    for mode in (Mode.DENSE, Mode.SENTENCES, Mode.HYBRID):
        (best,) = with_best_runs(
            [hit], score_chunks(query("nothing"), [hit], {hit.id: rows}, mode=mode).evidence
        )
        starts = hit.sentence_starts
        assert best.best is not None
        assert best.excerpt is not None
        assert best.best[0] == starts[7], mode
        assert best.excerpt[0] == starts[6], mode
    (by_words,) = with_best_runs(
        [hit], score_chunks(query("nothing"), [hit], {hit.id: rows}, mode=Mode.BM25).evidence
    )
    assert by_words.excerpt is not None
    assert by_words.excerpt[0] == hit.start, "in mode bm25, meaning does not count"


SUMMARY = "First landing—The bees of the coast—A hive opened—Honey and wax—The keeper—Return"


def test_where_the_text_of_a_chunk_begins() -> None:
    cases = [
        (f"IX\n\nBees\n\n{PARAGRAPH}", PARAGRAPH),
        (f"IX\n\nBees\n\n{SUMMARY}\n\n{PARAGRAPH}", PARAGRAPH),
        (f"Light\n\n{PARAGRAPH}", PARAGRAPH),  # the title of the book
        (PARAGRAPH, PARAGRAPH),
        (f"{SUMMARY}.\n\n{PARAGRAPH}", SUMMARY),  # no heading above it: it is text
        (f"BEES AND WASPS.\n\n1912\n\n(Told by a keeper.)\n\nBy Mabel Comb\n\n{PARAGRAPH}", PARAGRAPH),
        (f"BEES\n\n“Not one of them came?”[1]\n\n{PARAGRAPH}", "“Not one"),
        (f"蜂の話\n\n{PARAGRAPH}", "蜂"),  # neither capitals nor these stops
        (f"IX\n\nBees — and wasps — too.\n\n{PARAGRAPH}", "Bees — and wasps — too."),
        (
            f"IX\n\nThe night—it was long—fell—and no bee of all the hive that I had watched since the spring"
            f" of that year, when the keeper came down, was to be seen.\n\n{PARAGRAPH}",
            "The night",
        ),
        (f"{PARAGRAPH}\n\nBees", PARAGRAPH),
        ("IX\n\nBees", ""),
    ]
    for text, begins_with in cases:
        [*first, _] = (*text_paragraphs(text, ("IX: Bees", "Light"))[:1], ())
        assert [text[start:end].startswith(begins_with) for start, end in first] == [True] * bool(begins_with)


@pytest.mark.parametrize("summary", ["", f"{SUMMARY}. "])
def test_headings_are_never_the_excerpt_nor_its_best_sentence(summary: str) -> None:
    hit = chunk(f"Bees. \n\n{summary}\n\n{PARAGRAPH}\n\n{PARAGRAPH}", chapter="Bees")
    starts = hit.sentence_starts
    n_opening = 2 if summary else 1
    rows = np.tile(np.array([0.0, 1.0], np.float32), (len(starts), 1))
    rows[:n_opening] = 1.0, 0.0  # the nearest to the question
    rows[n_opening + 1] = 0.6, 0.8
    parts = score_chunks(query("bees"), [hit], {hit.id: rows}).evidence
    (best,) = with_best_runs([hit], parts)
    assert best.best is not None
    assert best.best[0] == starts[n_opening + 1]
    assert all(part.run.stop > n_opening for part in parts)


def test_a_long_summary_is_no_run_of_its_own() -> None:
    hit = chunk(f"Bees. \n\n{'—'.join([SUMMARY] * 6)}. \n\n{PARAGRAPH}", chapter="Bees")
    starts = hit.sentence_starts
    parts = evidence("first landing of the bees", hit)
    assert [part.run.start for part in parts] == [starts[2]]


def test_every_sentence_of_a_run_counts_for_its_meaning() -> None:
    texts = [chunk(PARAGRAPH, number=number) for number in range(3)]
    turns = {hit.id: np.tile(np.array([0.6, 0.8], np.float32), (3, 1)) for hit in texts}
    for hit, last in zip(texts, [(0.6, 0.8), (0.6, -0.8), (0.6, 0.8)], strict=True):
        turns[hit.id][2] = last  # as near as the others; beside them, the mean is nearer
    scores = {part.hit.id: part.run_score for part in score_chunks(query("nothing"), texts, turns).evidence}
    assert max(scores, key=scores.__getitem__) == texts[1].id


def test_only_the_terms_of_the_query_that_a_chunk_has_are_named() -> None:
    bees, light = chunk(BEES.rstrip(), number=1), chunk(PARAGRAPH, number=2, chapter="Bees")
    asked = query("bees dance in winter")
    present = score_chunks(asked, [bees, light], {}).present_terms
    assert present[bees.id] == {term_id(word, "en") for word in ("bees", "dance")}
    assert present[light.id] == {term_id("winter", "en")}, "a heading is not the text"


@pytest.mark.parametrize("words", [1, 13, 20, 45, 60, 100, 1000])
def test_a_budget_is_kept_and_no_sentence_is_cut(words: int) -> None:
    hits = [
        chunk(f"{PARAGRAPH}\n\n{BEES * 2}\n\n{PARAGRAPH}", number=n, offset=1000 * n, book=book)
        for n in range(2)
        for book in "ab"
    ]
    texts = {(hit.book_id, hit.chunk_id): hit for hit in hits}
    chosen = choose(evidence("bees dance", *hits), words)
    lengths = [count_words(hit.text) for hit in chosen]
    assert sum(lengths) <= max(words, 14), "but for the one sentence that answers best"
    assert "Bees dance" in chosen[0].text
    assert [hit.score for hit in chosen] == sorted((hit.score for hit in chosen), reverse=True)
    for hit in chosen:
        own = [whole for (book, _), whole in texts.items() if book == hit.book_id]
        assert any(hit.start in whole.sentence_starts for whole in own)
        assert hit.text.endswith(".")
        assert len(hit.text) == hit.end - hit.start
    if words == 1000:
        assert sum(lengths) == sum(count_words(hit.text) for hit in hits)


def test_a_best_sentence_longer_than_the_budget_is_alone() -> None:
    longest = BEES.replace(".", " and so on" * 9 + ".")  # 41 words
    for words in (20, 30, 40):  # the sentences after it would fit into each
        (excerpt,) = choose(evidence("bees dance", chunk(f"{longest}{SENTENCE * 2}".rstrip())), words)
        assert excerpt.text == longest.rstrip()


def test_what_is_left_of_a_budget_goes_to_the_sentences_around_the_best() -> None:
    text = f"{SENTENCE * 4}{BEES * 4}That is all. {SENTENCE * 3}".rstrip()
    n_words = count_words(BEES * 4)
    for room, ends in [(0, "bloom."), (2, "bloom."), (3, "all."), (14, "all.")]:
        (excerpt,) = choose(evidence("bees dance where flowers stand in bloom", chunk(text)), n_words + room)
        assert excerpt.text.startswith("Bees")
        assert excerpt.text.endswith(ends), room
        assert excerpt.payload["word_count"] == count_words(excerpt.text) <= n_words + room


def test_no_sentence_is_returned_twice_and_none_that_fits_beside_an_excerpt_is_left_out() -> None:
    sentences = [f"{'word ' * (n % 7 + 1)}bees{n}. " for n in range(60)]
    hits = [chunk("".join(sentences[a : a + 20]).rstrip(), number=a, offset=900 * a) for a in (0, 20, 40)]
    for words in range(2, 220, 3):
        chosen = choose(evidence("bees7 bees9 bees31 bees50", *hits), words)
        texts = " ".join(hit.text for hit in chosen).split(". ")
        assert len(texts) == len(set(texts))
        if len(chosen) == 1 and (n := chosen[0].payload["n_sentences"]) < 20:
            last = int(texts[-1].strip(".").rsplit("bees", 1)[1])
            room = words - chosen[0].payload["word_count"]
            assert (last + 1) % 20 == 0 or count_words(sentences[last + 1]) > room, (words, n)


def test_the_pages_of_an_excerpt_are_those_of_its_own_text() -> None:
    whole = chunk(f"{PARAGRAPH}\n\n{PARAGRAPH}\n\n{BEES * 3}\n\n{PARAGRAPH}", offset=0)
    at = whole.text.index("Bees")
    starts = f"0 11 ix\n{at - 3} 12 x\n{at + 80} 13 xi\n{at + 240} 14 xii"
    payload = {**whole.payload, "page_starts": starts, "page_start": 11, "page_label": "ix", "page_end": 14}
    hit = Hit(id=whole.id, payload=payload, score=1.0)
    (excerpt,) = choose(evidence("how do bees dance", hit), 45)
    assert excerpt.text == (BEES * 3).rstrip()
    assert (excerpt.page, excerpt.page_label, excerpt.page_start, excerpt.page_end) == ("x–xi", "x", 12, 13)


@pytest.mark.parametrize("where", [{"chapter": "Of bees"}, {"title": "A book of bees"}])
def test_words_of_headings_and_titles_count_less_than_those_of_the_text(where: dict[str, str]) -> None:
    headed = chunk(PARAGRAPH, number=6, offset=9000, **where)
    texted = chunk(f"{BEES * 2}{SENTENCE}".rstrip(), number=3, offset=5000)
    plain = chunk(PARAGRAPH, number=0)
    found = score_chunks(query("bees"), [plain, headed, texted], {}).hits
    assert [hit.chunk_id for hit in found] == [3, 6, 0]


def test_chunks_are_ranked_by_their_best_runs_too() -> None:
    answer = chunk(f"{PARAGRAPH}\n\n{BEES * 3}\n\n{PARAGRAPH}", book="b")
    others = [chunk(f"{PARAGRAPH}\n\n{PARAGRAPH}", number=n, offset=1000 * n) for n in (0, 3, 6)]
    ranked = [replace(hit, score=1.0 - i / 100) for i, hit in enumerate([*others, answer])]
    rows = {hit.id: np.tile(np.array([0.0, 1.0], np.float32), (6, 1)) for hit in others}
    rows[answer.id] = np.array([[0.0, 1.0]] * 3 + [[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3, np.float32)
    weighed = score_chunks(query("how do bees dance"), ranked, rows)
    assert weighed.hits[0].id == answer.id
    assert [hit.score for hit in weighed.hits] == sorted((hit.score for hit in weighed.hits), reverse=True)
    for mode in set(Mode) - {Mode.HYBRID}:
        kept = score_chunks(query("how do bees dance"), ranked, rows, mode=mode)
        assert kept.hits == tuple(ranked), f"{mode} ranks by one thing alone"


def test_neighbours_of_one_chapter_are_one_excerpt() -> None:
    first = chunk(PARAGRAPH, number=4, offset=0)
    second = chunk(PARAGRAPH, number=5, offset=len(PARAGRAPH) + 2)
    (both,) = choose(evidence("keeper", first, second), 500)
    assert both.text == f"{PARAGRAPH}\n\n{PARAGRAPH}"
    assert (both.start, both.end, both.page_end) == (first.start, second.end, 5)
    other = chunk(PARAGRAPH, number=5, offset=len(PARAGRAPH) + 2, chapter="Two")
    assert len(choose(evidence("keeper", first, other), 500)) == 2


def test_the_limit_is_a_number_of_excerpts() -> None:
    hits = [chunk(PARAGRAPH, number=2 * n, offset=1000 * n) for n in range(5)]
    assert len(choose(evidence("keeper", *hits), 1000, limit=3)) == 3


def test_nothing_found_gives_nothing() -> None:
    assert choose(evidence("keeper"), 100) == []


def test_headings_alone_answer_nothing_and_come_after_text(tmp_path: Path) -> None:
    chapter = f"THE HIVE\n\nMabel Comb kept bees. {PARAGRAPH} {PARAGRAPH}\n\nTHE WASP FARM"
    (tmp_path / "bees.md").write_text(f"# Part One\n\nMABEL COMB.\n\n# Part Two\n\n{chapter}\n")
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "bees.md", options={"model": "all-MiniLM-L6-v2", "min_words": 1})
        text, heading = library.search("Mabel Comb", limit=2)
        assert (heading.text, heading.strength) == ("Part One\n\nMABEL COMB.", "weak")
        assert text.section == ("Part Two",)
        [farm] = library.search("Wasp Farm", limit=1)  # a title page of what comes next
        assert (farm.text[-13:], farm.strength) == ("THE WASP FARM", "weak")
