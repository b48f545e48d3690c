"""The author's own divisions, hidden from a strategy and looked for again."""

from dataclasses import replace

from alexandria.book.model import BlockKind, Book, Metadata
from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.lab.leave_out_marks import are_found, find_hidden, hide
from alexandria.lab.settings import Variant, registered_variants
from alexandria.library.ingest.one_book import analyse
from tests.evaluate.made import TOPICS, paragraph
from tests.evaluate.made import book as made_book

ENCODER = load_encoder("hashing")


def book() -> Book:
    """Return two chapters: in the first a section, and a break before its third paragraph."""
    texts = [paragraph(topic, 8 * i) for topic in TOPICS for i in range(2)]
    plain = [DraftBlock(BlockKind.PARAGRAPH, text) for text in texts]

    def heading(text: str) -> DraftBlock:
        return DraftBlock(BlockKind.HEADING, text)

    sections = (
        DraftSection(("One",), 1, None, (heading("One"), *plain[:2], replace(plain[2], break_before=True))),
        DraftSection(("One", "a"), 2, None, (heading("a"), plain[3])),
        DraftSection(("Two",), 1, None, (heading("Two"), *plain[4:])),
    )
    draft = Draft(Metadata("T", language="en"), sections, chapter_level=1)
    return bind(draft, id="b" * 64, source="t.txt", format="txt")


def test_headings_and_breaks_are_hidden_and_their_places_known() -> None:
    whole = book()
    hidden = hide(whole)
    assert hidden.book.text == whole.text
    (section,) = hidden.book.sections
    assert [block.text for block in section.blocks] == [
        block.text for block in whole.blocks if block.kind is not BlockKind.HEADING
    ]
    assert not section.chapter
    assert not any(block.break_before for block in section.blocks)
    assert hidden.starts == {"breaks": (2,), "sections": (3, 4), "chapters": (4,)}


def test_a_place_is_found_by_a_cut_within_one_paragraph() -> None:
    cases = {
        "at the place": (32, True),
        "inside the paragraph after it": (35, True),
        "one paragraph later": (40, True),
        "one paragraph earlier": (24, True),
        "a sentence further": (41, False),
        "a sentence earlier still": (23, False),
    }
    for cut, found in cases.values():
        analysis = analyse(hide(book()).book, load_domain(), ENCODER)  # paragraphs of eight sentences
        assert are_found(analysis, [4], [cut]).tolist() == [found]
        assert are_found(analysis, [4], []).tolist() == [False]


def test_the_last_paragraph_can_be_found_too() -> None:
    analysis = analyse(hide(book()).book, load_domain(), ENCODER)
    assert are_found(analysis, [7], [63]).tolist() == [True]


def test_a_strategy_that_cuts_every_paragraph_finds_all_and_one_that_cuts_none_finds_nothing() -> None:
    options: dict[str, dict[str, object]] = {
        "all": {"strategy": "recursive", "max_words": 64, "overlap_words": 0},
        "none": {"strategy": "recursive", "max_words": 10_000, "overlap_words": 0},
    }
    variants = [Variant(name, load_domain(options=one)) for name, one in options.items()]
    every, nothing = find_hidden([book()], variants, ENCODER)
    assert {kind: (one.n, one.found.value, one.exact) for kind, one in every.recalls.items()} == {
        "breaks": (1, 1.0, 1.0),
        "sections": (2, 1.0, 1.0),
        "chapters": (1, 1.0, 1.0),
    }
    assert (every.n_chunks, every.mean_words, every.share_mid_thought) == (8, 64.0, 0.0)
    assert [one.found.value for one in nothing.recalls.values()] == [0, 0, 0]
    assert [one.chance for one in nothing.recalls.values()] == [0, 0, 0]
    assert [one.exact for one in nothing.recalls.values()] == [0, 0, 0]
    assert nothing.share_mid_thought is None


def test_every_registered_strategy_is_measured() -> None:
    results = find_hidden([book(), made_book()], registered_variants(), ENCODER)
    assert [result.setting for result in results] == list(STRATEGIES)
    assert {kind: one.n for kind, one in results[0].recalls.items()} == {
        "breaks": 1,
        "sections": 5,
        "chapters": 4,
    }


def test_books_without_divisions_hide_nothing() -> None:
    assert find_hidden([made_book(topics=("Ships",))], registered_variants(), ENCODER) == ()
