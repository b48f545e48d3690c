"""A payload has all of a chunk: `unpack` brings it back as it was packed, and what an older version wrote."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import Book, Boundary, Chunk, Contribution, Metadata, Overlap, PageStart, Reason
from alexandria.book.weighed import Balance, KeptTogether, NextBest, Term
from alexandria.store.payload import Context, book_values, pack, unpack, with_changes, with_lists
from alexandria.store.sparse import is_reworded

CONTEXT = Context(
    domain="default",
    strategy="optimal",
    source="shelf one/b.pdf",
    generation="0" * 40,
    n_chunks=9,
    ingested_at="2026-01-01T00:00:00Z",
    bm25_language=None,
    sentence_vectors=False,
    notes=True,
)
BOOK = Book(
    id="b1",
    source="/shelf one/b.pdf",
    format="pdf",
    metadata=Metadata(title="A Book", language="en", container="Annals", translators=("Ada", "Grace")),
    sections=(),
    notes=(),
    page_starts=(),
    left_out=(),
    warnings=(),
    n_pages=None,
    text="",
)
numbers = st.integers(-2_000_000, 2_000_000).map(lambda number: number / 1_000_000)
counts = st.integers(0, 10**6)
labels = st.text("xvi0123 A:", min_size=1).map(lambda text: " ".join(text.split())).filter(bool)
terms = st.lists(st.builds(Term, st.sampled_from(["window", "new_time"]), numbers), max_size=3).map(tuple)
texts = st.text(max_size=200)


def one_of(**fields: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Return strategies for fields that may also be None."""
    return {name: st.none() | values for name, values in fields.items()}


def tuples(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=3).map(tuple)


boundaries = st.builds(
    Boundary,
    gap=counts,
    similarity=numbers,
    reason=st.sampled_from(Reason),
    overlap=st.just(0),
    **one_of(
        threshold=numbers,
        rank=counts,
        n_candidates=counts,
        balance=st.builds(
            Balance,
            inside_paragraph=st.booleans(),
            terms=terms,
            **one_of(gain=numbers, next_best=st.builds(NextBest, counts, numbers, numbers)),
        ),
    ),
)


@st.composite
def chunks(draw: st.DrawFn) -> Chunk:
    boundary = draw(st.none() | boundaries)
    notes = draw(tuples(st.tuples(texts, counts)))
    fields = st.builds(
        Chunk,
        **dict.fromkeys(("index", "start", "end", "word_count", "n_sentences"), counts),
        **dict.fromkeys(("headings", "topic"), tuples(texts)),
        **one_of(page_start=counts, page_end=counts, page_label=labels, href=texts),
        **one_of(
            kept=st.builds(KeptTogether, counts, numbers, numbers, terms),
            overlap_before=st.builds(Overlap, counts, counts, texts),
            ocr_confidence=st.integers(0, 1000).map(lambda share: share / 10),
            text_layer=st.just(True),
            contribution=st.builds(Contribution, texts, texts),
        ),
        text=texts,
        first_sentence=st.just(boundary.gap + 1 if boundary else 0),
        boundary=st.just(boundary),
        notes=st.just(tuple(note for note, _ in notes)),
        note_marks=st.just(tuple(mark for _, mark in notes)),
        avg_similarity=numbers,
        similarities=tuples(numbers),
        sentence_starts=tuples(counts),
        page_starts=tuples(st.builds(PageStart, counts, st.none() | counts, st.none() | labels)),
        anchors=st.sampled_from(["", "0 /6/4!/4/2/1:3"]),
        hrefs=tuples(st.tuples(counts, st.just("a b.xhtml#c"))).filter(lambda hrefs: len(hrefs) != 1),
    )
    return draw(fields)


FIRST = Chunk(
    *(0, 0, 9, "One. Two.", 2, 0, 2, ("Part",), 1, 1, "i", None, ("A note",), 0.5, None),
    sentence_starts=(0, 5),
    similarities=(0.5,),
    note_marks=(4,),
)


@given(chunks())
def test_a_chunk_comes_back_as_it_was_packed(chunk: Chunk) -> None:
    assert unpack(pack(chunk, BOOK, CONTEXT, coverage=1.0)) == chunk


def test_numbers_are_rounded_and_notes_may_be_left_out() -> None:
    chunk = replace(FIRST, avg_similarity=1 / 3, ocr_confidence=99.96)
    assert unpack(pack(chunk, BOOK, replace(CONTEXT, notes=False), coverage=1.0)) == replace(
        chunk, avg_similarity=0.333333, ocr_confidence=100.0, notes=(), note_marks=()
    )


def test_a_chunk_of_version_1_0_0_is_read() -> None:
    payload = pack(FIRST, BOOK, CONTEXT, coverage=1.0)
    new = {"topic", "kept", "overlap_before", "anchors", "hrefs", "note_marks"}
    old = {name: value for name, value in payload.items() if name not in new}
    assert unpack(old) == replace(FIRST, note_marks=())
    boundary = {**dict.fromkeys(("threshold", "rank", "n_candidates")), "gap": 4, "similarity": 0.2}
    cut = unpack({**old, "boundary": {**boundary, "reason": "topic"}}).boundary
    assert cut == Boundary(gap=4, similarity=0.2, threshold=None, reason=Reason.TOPIC)


def test_a_chunk_tells_of_its_book() -> None:
    values = book_values(pack(FIRST, BOOK, CONTEXT, coverage=1.0))
    assert values["title"] == "A Book"
    assert values["translators"] == ("Ada", "Grace")
    assert (values["container"], values["issue"]) == ("Annals", "")


def test_a_changed_value_is_changed_wherever_it_is() -> None:
    payload = pack(FIRST, BOOK, CONTEXT, coverage=1.0)
    changed = with_changes(payload, {"book_title": "New", "source": "ä.pdf"})
    assert [*changed] == [*payload]
    assert changed["metadata"]["source"] == changed["metadata"]["book_title"] == "New"
    assert changed["locator"]["href"] == "%C3%A4.pdf"


def test_the_values_in_a_payload_are_few() -> None:
    balance = Balance(False, (Term("window", 0.843), Term("new_time", -1.5)), 5.21, NextBest(131, 3.2, 0.8))
    cut = Boundary(gap=0, similarity=0.2, threshold=None, reason=Reason.TOPIC, balance=balance)
    payload = pack(replace(FIRST, boundary=cut), BOOK, CONTEXT, coverage=1.0)
    assert payload["boundary"]["balance"] == {
        "inside_paragraph": False,
        "terms": "window 0.843 new_time -1.5",
        "gain": 5.21,
        "next_best": "131 3.2 0.8",
    }
    assert payload["sentence_starts"] == "0 5"
    assert with_lists(payload)["sentence_starts"] == [0, 5]


def test_languages_of_which_version_1_0_0_indexed_other_words_are_known() -> None:
    tags = (None, "ru", "ru-RU", "zh", "en", "tr", "")
    assert [is_reworded(tag) for tag in tags] == [True, True, True, True, False, False, False]
