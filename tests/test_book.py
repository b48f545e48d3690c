"""The values' own invariants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import BlockKind, Boundary, Metadata, Reason, count_words
from alexandria.embed.neutral import parallel_texts
from alexandria.errors import BookError, Code
from alexandria.extract.draft import (
    Draft,
    DraftBlock,
    DraftNote,
    DraftSection,
    NoteMark,
    PageMark,
    bind,
    with_inline_notes,
)

WORDS = [
    pytest.param("", 0, id="nothing"),
    pytest.param("one", 1, id="one"),
    pytest.param("  one\ttwo\n\nthree ", 3, id="any white space"),
    pytest.param("mother-in-law’s — dash", 3, id="as split() counts, a lone dash too"),
    pytest.param("吾輩は猫である。", 3, id="Japanese: two characters and their ending a word"),
    pytest.param("他没有看合同就签了字", 5, id="Chinese: two characters a word"),
    pytest.param("das 猫 Haus", 3, id="mixed"),
    pytest.param("Привет, мир", 2, id="Cyrillic"),
]


@pytest.mark.parametrize(("text", "n"), WORDS)
def test_words_are_counted(text: str, n: int) -> None:
    assert count_words(text) == n


def test_a_text_has_about_as_many_words_without_spaces_as_with_them() -> None:
    """The same articles in each language."""
    counts = {language: sum(map(count_words, texts)) for language, texts in parallel_texts("rights").items()}
    assert 0.85 < counts["zh"] / counts["en"] < 1.15
    assert 0.85 < counts["ja"] / counts["en"] < 1.15


@given(st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x3000)))
def test_where_words_are_spaced_they_are_what_split_gives(text: str) -> None:
    assert count_words(text) == len(text.split())


texts = st.text("ab .\n", min_size=1, max_size=12).map(str.strip).filter(bool)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    keys = iter(range(10_000))

    def block(text: str) -> DraftBlock:
        offsets = st.integers(0, len(text))
        notes = tuple(NoteMark(at, f"n{next(keys)}") for at in sorted(draw(st.lists(offsets, max_size=2))))
        pages = tuple(
            PageMark(at, next(keys)) for at in sorted(draw(st.lists(offsets, max_size=2, unique=True)))
        )
        return DraftBlock(draw(st.sampled_from(BlockKind)), text, None, notes, pages)

    sections = tuple(
        DraftSection(
            (f"h{i}",), draw(st.integers(1, 3)), None, tuple(map(block, draw(st.lists(texts, max_size=4))))
        )
        for i in range(draw(st.integers(0, 4)))
    )
    marks = [mark.key for section in sections for one in section.blocks for mark in one.notes]
    return Draft(Metadata(), sections, tuple(DraftNote(key, "1", "note") for key in marks))


@given(drafts())
def test_a_block_is_a_slice_and_marks_keep_their_place(draft: Draft) -> None:
    book = bind(draft, id="0" * 64, source="/x/the-book.txt", format="txt")
    blocks = book.blocks
    assert [book.text[one.start : one.end] for one in blocks] == [one.text for one in blocks]
    assert [one.start for one in blocks] == sorted(one.start for one in blocks)
    drafted = [one for section in draft.sections for one in section.blocks]
    assert [one.text for one in blocks] == [one.text for one in drafted]
    assert [note.cited_at for note in book.notes] == [
        placed.start + mark.offset for placed, one in zip(blocks, drafted, strict=True) for mark in one.notes
    ]
    for placed, one in zip(blocks, drafted, strict=True):
        for mark in one.pages:
            page = book.page_at(placed.start + mark.offset)
            assert page is not None
            assert page.page == mark.page or page.start == placed.start + mark.offset
    assert book.title == "the-book"


def test_before_the_first_page_no_page_is_known() -> None:
    block = DraftBlock(BlockKind.PARAGRAPH, "one two", pages=(PageMark(4, 2, "ii"),))
    book = bind(Draft(Metadata(), (DraftSection((), 0, None, (block,)),)), id="", source="x", format="txt")
    assert book.page_at(3) is None
    page = book.page_at(4)
    assert page is not None
    assert page.label == "ii"


def test_a_block_is_on_the_page_that_begins_with_it() -> None:
    blocks = tuple(
        DraftBlock(BlockKind.PARAGRAPH, "word", pages=(PageMark(0, page, str(page)),)) for page in (3, 4)
    )
    book = bind(Draft(Metadata(), (DraftSection((), 0, None, blocks),)), id="", source="x", format="txt")
    assert [block.location.page for block in book.blocks] == [3, 4]


def section(level: int, n_words: int) -> DraftSection:
    text = " ".join(["word"] * n_words)
    return DraftSection(("h",), level, None, (DraftBlock(BlockKind.PARAGRAPH, text),))


CHAPTERS = [
    pytest.param([(1, 900), (1, 900)], [True, True], id="chapters alone"),
    pytest.param([(1, 500), (2, 900), (1, 500), (2, 900)], [True, False] * 2, id="chapters and sections"),
    pytest.param([(1, 2), (2, 900), (2, 900), (1, 2), (2, 900)], [True] * 5, id="parts and chapters"),
    pytest.param(
        [(1, 2), (2, 900), (3, 300), (2, 900), (3, 300)],
        [True, True, False, True, False],
        id="part, chapter, section",
    ),
    pytest.param([(1, 2), (2, 90), (2, 80), (1, 2), (2, 70)], [True, False, False, True, False], id="poems"),
    pytest.param([(0, 30), (1, 900)], [True, True], id="text before any heading"),
    pytest.param(
        [(0, 900), (1, 900), (2, 900), (1, 900)], [True, True, False, True], id="much text before any heading"
    ),
    pytest.param(
        [(1, 800), (1, 2), (2, 900), (2, 900)], [True] * 4, id="a long introduction, then a part of chapters"
    ),
    pytest.param(
        [(1, 900), (1, 900), (1, 2), (2, 900), (1, 900)],
        [True, True, True, False, True],
        id="one chapter of many has a section",
    ),
    pytest.param([(1, 200), (2, 1800)], [True, True], id="a tenth of the words before the first chapter"),
    pytest.param([(1, 300), (2, 1700)], [True, False], id="more than a tenth before the first section"),
    pytest.param([(1, 1000), (1, 2), (2, 998)], [True, True, False], id="half of the text is in sections"),
    pytest.param([(1, 2), (2, 500), (2, 500)], [True] * 3, id="chapters of the least length"),
    pytest.param(
        [(1, 50), (2, 480), (2, 500)], [True, False, False], id="a part's own words are not its chapters'"
    ),
    pytest.param(
        [(1, 2), (2, 600), (3, 100), (3, 100), (2, 600), (3, 100)],
        [True, True, False, False, True, False],
        id="sections do not make chapters short",
    ),
    pytest.param(
        [(1, 2), (2, 2), (3, 900), (3, 900), (2, 900), (1, 2), (2, 2), (3, 900), (3, 900)],
        [True] * 9,
        id="a chapter ends where the next part begins",
    ),
    pytest.param(
        [(1, 550), (3, 900), (3, 900), (2, 100), (3, 900), (3, 900), (3, 900), (3, 900)],
        [True] * 8,
        id="the words of an outer level are not those of the inner",
    ),
]


@pytest.mark.parametrize(("levels", "chapters"), CHAPTERS)
def test_chapters_are_told_from_parts_and_sections(
    levels: list[tuple[int, int]], chapters: list[bool]
) -> None:
    draft = Draft(Metadata(), tuple(section(*one) for one in levels))
    book = bind(draft, id="", source="x", format="txt")
    assert [one.chapter for one in book.sections] == chapters


def test_the_margin_is_how_far_below_the_threshold() -> None:
    cases = [(0.2, 0.5, 0.3), (0.6, 0.5, -0.1), (0.2, None, None)]
    for similarity, threshold, margin in cases:
        boundary = Boundary(0, similarity, threshold, Reason.TOPIC)
        assert boundary.margin == (None if margin is None else pytest.approx(margin))


def test_an_error_survives_the_way_back_from_a_worker() -> None:
    import pickle

    error = BookError("cannot read x", why="it is a scan", fix="run OCR", code=Code.NO_TEXT)
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), back.what, back.why, back.fix, back.code) == (
        BookError,
        error.what,
        error.why,
        error.fix,
        error.code,
    )


def test_notes_may_stand_behind_the_paragraph_that_cites_them() -> None:
    def paragraph(text: str, *keys: str) -> DraftBlock:
        return DraftBlock(BlockKind.PARAGRAPH, text, notes=tuple(NoteMark(0, key) for key in keys))

    blocks = (paragraph("one", "a", "b"), paragraph("two", "a"))
    notes = tuple(DraftNote(key, key, f"note {key}") for key in "abc")
    draft = with_inline_notes(Draft(Metadata(), (DraftSection((), 0, None, blocks),), notes))
    book = bind(draft, id="", source="x", format="txt")
    assert [block.text for block in book.blocks] == ["one", "note a", "note b", "two"]
    assert [note.text for note in book.notes] == ["note c"]
