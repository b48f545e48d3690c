"""A reader's cuts are found in the books, and strategies are measured against them."""

from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book, Metadata
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.extract import extract
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.lab.settings import Variant
from alexandria.library.ingest.one_book import analyse
from benchmarks.readers.agreement import ReaderCounts, ReaderReport, compare_with_reader
from benchmarks.readers.cuts import PlacedCuts, ReaderCuts, place_cuts, read_cuts
from tests.conftest import ROOT, SAMPLE_BOOKS
from tests.evaluate.made import TOPICS, paragraph

ENCODER = load_encoder("hashing")
DOMAIN = load_domain(options={"model": "hashing", "max_words": 100}, environ={})


def book(*paragraphs: str) -> Book:
    """Return a book with one chapter."""
    blocks = [DraftBlock(BlockKind.PARAGRAPH, text) for text in paragraphs]
    section = DraftSection(("One",), 1, None, (DraftBlock(BlockKind.HEADING, "One"), *blocks))
    draft = Draft(Metadata("Made", language="en"), (section,))
    return bind(draft, id="b" * 64, source="made.txt", format="txt")


TALK = book("The sea was calm. The tide came in.", "“Who is there?” she said. The tide went out. It rained.")


@pytest.mark.parametrize(
    ("quote", "begins"),
    [
        pytest.param("The tide came in", "The tide came", id="words of a sentence"),
        pytest.param("“Who is", "“Who is", id="with its mark"),
        pytest.param("Who is", "“Who is", id="without its mark"),
        pytest.param('"Who is', "“Who is", id="another mark"),
    ],
)
def test_a_quote_is_placed_where_its_sentence_begins(quote: str, begins: str) -> None:
    placed, unplaced = place_cuts([ReaderCuts("made", (quote,))], [TALK])
    assert not unplaced
    assert placed[0].cuts == {TALK.text.index(begins)}


def test_a_quote_is_placed_in_the_sentences_of_the_domain_of_its_book() -> None:
    made = book("It rained. Dr. Brown sailed.")
    entry = ReaderCuts("made", ("Brown sailed",), domain="plain")
    (placed,), _ = place_cuts([entry], [made], lambda domain: "regex" if domain == "plain" else "default")
    assert placed.cuts == {made.text.index("Brown")}
    (placed,), _ = place_cuts([entry], [made], lambda _: "default")
    assert placed.cuts == frozenset()


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        pytest.param(ReaderCuts("made", ("The sea was calm",)), "section begins there", id="first sentence"),
        pytest.param(ReaderCuts("made", ("tide came in",)), "no sentence begins there", id="inside"),
        pytest.param(ReaderCuts("made", ("One",)), "section begins there", id="a heading"),
        pytest.param(ReaderCuts("made", ("The tide",)), "in the book 2 times", id="twice"),
        pytest.param(ReaderCuts("made", ("It snowed.",)), "not in the book", id="nowhere"),
        pytest.param(ReaderCuts("other", ("It rained.",)), "no book is called 'other'", id="another book"),
    ],
)
def test_a_quote_that_cannot_be_placed_is_told_with_the_reason(entry: ReaderCuts, why: str) -> None:
    placed, unplaced = place_cuts([entry], [TALK])
    assert not any(one.cuts for one in placed)
    assert [why in one.why for one in unplaced] == [True]


def test_a_quote_in_a_book_of_headings_alone_is_told_with_the_reason() -> None:
    _, (unplaced,) = place_cuts([ReaderCuts("made", ("One",))], [book()])
    assert "section begins there" in unplaced.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "not a list of books", id="empty"),
        pytest.param("book: a", "not a list of books", id="one book without a dash"),
        pytest.param("- book: a", "entry 1: it needs book and cuts", id="no cuts"),
        pytest.param("- {book: a, cuts: [b], accepted: [c]}", "no key 'accepted'", id="unknown key"),
        pytest.param("- {book: a, cuts: b}", "entry 1: cuts and acceptable are lists", id="not a list"),
        pytest.param("- book: a\n  cuts:\n  - He said: go", "put what has a colon in quotes", id="colon"),
        pytest.param("- [", "while parsing", id="not YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "cuts.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"cannot read the cuts of .*cuts\.yaml") as refused:
        read_cuts(file)
    assert why in str(refused.value.why)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*nowhere\.yaml"):
        read_cuts(tmp_path / "nowhere.yaml")


def test_shares_by_hand() -> None:
    counts = ReaderCounts(n_wanted=4, n_cuts=6, n_found=2, n_near=3, n_acceptable=1)
    assert counts.found == 2 / 4
    assert counts.near == 3 / 4
    assert counts.right == (2 + 1) / 6
    # Of the six cuts, one is only accepted: precision is 2 of 5, recall 2 of 4.
    assert counts.f1 == pytest.approx(2 * (2 / 5) * (2 / 4) / (2 / 5 + 2 / 4))
    assert (counts + counts).f1 == counts.f1


def compared(book: Book, cuts: set[int], acceptable: set[int], variants: list[Variant]) -> ReaderReport:
    placed = PlacedCuts(book, frozenset(cuts), frozenset(acceptable))
    return compare_with_reader([placed], lambda domain: variants, lambda domain: ENCODER, tolerance=1)


def test_scores_count_the_cuts_at_the_places_of_the_reader() -> None:
    topics = book(*(paragraph(topic) for topic in TOPICS))
    variant = Variant("own", DOMAIN)
    analysis = analyse(topics, DOMAIN, ENCODER)
    cuts = [analysis.sentences[boundary.gap + 1].start for boundary in analysis.segmentation.boundaries]
    assert len(cuts) >= 2
    after_first = next(sentence.start for sentence in analysis.sentences if sentence.start > cuts[0])
    (all_found,) = compared(topics, set(cuts), set(), [variant]).totals
    (one_only_accepted,) = compared(topics, set(cuts[1:]), {cuts[0]}, [variant]).totals
    (one_off,) = compared(topics, {after_first, *cuts[1:]}, set(), [variant]).totals
    n = len(cuts)
    assert all_found.counts == ReaderCounts(n, n, n, n, 0)
    assert one_only_accepted.counts == ReaderCounts(n - 1, n, n - 1, n - 1, 1)
    assert one_only_accepted.counts.f1 == 1.0
    assert one_off.counts == ReaderCounts(n, n, n - 1, n, 0)
    assert all_found.chance.found < 1.0
    assert all_found.chance.n_cuts == 20 * n


def test_where_a_section_begins_does_not_count() -> None:
    chapters = bind(
        Draft(
            Metadata("Made", language="en"),
            tuple(
                DraftSection((topic,), 1, None, (DraftBlock(BlockKind.PARAGRAPH, paragraph(topic, n=2)),))
                for topic in TOPICS
            ),
        ),
        id="c" * 64,
        source="made.txt",
        format="txt",
    )
    (total,) = compared(chapters, set(), set(), [Variant("own", DOMAIN)]).totals
    assert total.n_chunks == len(TOPICS)
    assert total.counts == ReaderCounts()


def test_each_book_is_cut_as_its_field() -> None:
    asked: list[str | None] = []

    def variants_for(domain: str | None) -> list[Variant]:
        asked.append(domain)
        return [Variant("own", DOMAIN)]

    placed = [PlacedCuts(TALK, frozenset(), frozenset(), domain) for domain in ("history", None)]
    report = compare_with_reader(placed, variants_for, lambda domain: ENCODER, tolerance=2)
    assert asked == ["history", None]
    assert report.books == ("Made",)


def test_the_cuts_of_the_samples_are_one_book_per_field_and_all_placed() -> None:
    entries = read_cuts(ROOT / "benchmarks" / "readers" / "cuts.yaml")
    assert {entry.domain for entry in entries} == {path.stem for path in (ROOT / "configs").glob("*.yaml")}
    names = {entry.book for entry in entries}
    placed, unplaced = place_cuts(entries, [extract(path) for path in SAMPLE_BOOKS if path.name in names])
    assert unplaced == []
    assert [len(one.cuts) for one in placed] == [len(entry.cuts) for entry in entries]
    assert [len(one.acceptable) for one in placed] == [len(entry.acceptable) for entry in entries]
