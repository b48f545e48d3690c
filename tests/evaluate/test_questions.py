"""Questions from files, and their answers found in books."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.errors import ConfigError
from alexandria.lab.questions import (
    AnsweredQuestion,
    FoldedText,
    QuestionRow,
    Reference,
    find_book,
    fold_marks,
    place_questions,
    read_questions,
)
from tests.evaluate.made import book


def read(tmp_path: Path, name: str, text: str) -> list[QuestionRow]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_questions(path)


def test_every_format_is_read(tmp_path: Path) -> None:
    cases = {
        "Chroma's CSV": (
            "q.csv",
            "question,references,corpus_id\n"
            '"Who, then?","[{""content"": ""a b"", ""start_index"": 3, ""end_index"": 6}]",ships\n',
            QuestionRow(2, "Who, then?", "ships", (Reference("a b", (3, 6)),)),
        ),
        "CSV with a quote": (
            "q.csv",
            "question,quote\nWho?,the captain\n",
            QuestionRow(2, "Who?", "", (Reference("the captain"),)),
        ),
        "CSV as spreadsheets save it in some countries": (
            "q.csv",
            '\ufeffquestion;quote;book\nWho, then?;"a; b";Made\n',
            QuestionRow(2, "Who, then?", "Made", (Reference("a; b"),)),
        ),
        "CSV with a span that begins at 0": (
            "q.csv",
            "question,start,end,book\nWho?,0,6,Made\n",
            QuestionRow(2, "Who?", "Made", (Reference(span=(0, 6)),)),
        ),
        "JSON Lines with quotes, an empty line before": (
            "q.jsonl",
            '\n{"question": "Who?", "quotes": ["a", "b"], "book": "Made"}\n',
            QuestionRow(2, "Who?", "Made", (Reference("a"), Reference("b"))),
        ),
        "JSON Lines with other line separators in the texts": (
            "q.jsonl",
            '{"question": "Who\u2028or what?", "quote": "a\x85b"}\n',
            QuestionRow(1, "Who\u2028or what?", "", (Reference("a\x85b"),)),
        ),
        "CSV with other line separators in the texts": (
            "q.csv",
            "question,quote\nWho\u2028or what?,a\x0cb\n",
            QuestionRow(2, "Who\u2028or what?", "", (Reference("a\x0cb"),)),
        ),
        "one JSON list with spans": (
            "q.json",
            '[{"question": "Who?", "spans": [[1, 2], [4, 9]]}]',
            QuestionRow(1, "Who?", "", (Reference(span=(1, 2)), Reference(span=(4, 9)))),
        ),
    }
    for name, text, expected in cases.values():
        assert read(tmp_path, name, text) == [expected]


def test_what_cannot_be_read_is_an_error_that_says_why(tmp_path: Path) -> None:
    cases = {
        "no answer": ("q.jsonl", '{"question": "Who?"}', "line 1: no answer"),
        "no question": ("q.jsonl", '{"quote": "a"}', "line 1: no question"),
        "an empty span": ("q.jsonl", '{"question": "Who?", "spans": [[5, 5]]}', "5 to 5"),
        "broken JSON in CSV": ("q.csv", "question,references\nWho?,[{]\n", "Expecting"),
        "only a head": ("q.csv", "question,quote\n", "no questions"),
    }
    for name, text, why in cases.values():
        with pytest.raises(ConfigError, match=why):
            read(tmp_path, name, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_questions(tmp_path / "none.csv")


TEXT = book().text
AT = TEXT.index("Harbour")
QUOTE = TEXT[AT : AT + 29]


def test_answers_are_found() -> None:
    cases: dict[str, tuple[Reference, tuple[int, int]]] = {
        "a quote": (Reference(QUOTE), (AT, AT + 29)),
        "other white space": (Reference(QUOTE.replace(" ", "\n ")), (AT, AT + 29)),
        "a span": (Reference(span=(4, 9)), (4, 9)),
        "both, and they agree": (Reference(TEXT[4:30], (4, 30)), (4, 30)),
        "both: the words count where they differ": (Reference(QUOTE, (4, 33)), (AT, AT + 29)),
    }
    for reference, expected in cases.values():
        probes, unplaced = place_questions([QuestionRow(1, "Who?", "", (reference,))], [book()])
        assert unplaced == []
        assert probes == [AnsweredQuestion("Who?", 0, (expected,))]


def test_a_question_that_cannot_be_placed_says_why() -> None:
    cases = {
        "a quote of another book": ("Made", Reference("no such words"), "not in the book"),
        "a span after the end": ("Made", Reference(span=(0, 10**6)), "outside"),
        "an unknown book": ("Nobody", Reference("rope"), "no book is called 'Nobody'"),
        "a part of two names": ("Ma", Reference("rope"), "several books are called 'Ma'"),
        "no name, with two books": ("", Reference("rope"), "it names no book"),
        "not a path": ("TCP/made", Reference("rope"), "no book is called 'TCP/made'"),
    }
    for name, reference, why in cases.values():
        probes, (unplaced,) = place_questions(
            [QuestionRow(7, "Who?", name, (reference,))], [book(), book("Madeira")]
        )
        assert probes == []
        assert unplaced.line == 7
        assert why in unplaced.why


def test_a_book_is_known_by_title_file_or_a_part_that_no_other_has() -> None:
    for name in ["Madeira", "madeira", "Madeira.txt", "adeir"]:
        probes, _ = place_questions(
            [QuestionRow(1, "Who?", name, (Reference(span=(0, 4)),))], [book(), book("Madeira")]
        )
        assert probes[0].book == 1


def test_only_the_suffix_of_a_book_makes_a_name_a_path() -> None:
    cases = {
        "a dot is no suffix": ("St. Augustine", "Confessions of St. Augustine"),
        "a slash is no folder": ("TCP/IP", "TCP/IP Illustrated"),
        "a path, and another suffix": ("library/Storms.epub", "Storms"),
    }
    for name, title in cases.values():
        titles = ["Storms", "Confessions of St. Augustine", "TCP/IP Illustrated", "Shipping"]
        assert titles[find_book(name, [book(made) for made in titles])] == title


@given(st.text(alphabet="ab “”—\n\u00ad", min_size=1, max_size=40))
def test_folding_knows_where_each_character_stood(text: str) -> None:
    folded = FoldedText.of(text)
    assert len(folded.folded) == len(folded.offsets)
    assert all(
        fold_marks(text[offset]) == char for offset, char in zip(folded.offsets, folded.folded, strict=True)
    )


@pytest.mark.shared
def test_every_question_of_chroma_is_placed_at_its_span(shared_data: Path) -> None:
    from alexandria.lab.corpus import read_as_is

    folder = shared_data / "eval" / "chroma"
    entries = read_questions(folder / "questions_dev.csv")
    books = [read_as_is(path) for path in sorted((folder / "corpora").glob("*.md"))]
    probes, unplaced = place_questions(entries, books)
    assert unplaced == []
    assert [probe.references for probe in probes] == [
        tuple(reference.span for reference in entry.references) for entry in entries
    ]


@pytest.mark.shared
def test_the_questions_about_books_are_placed(shared_data: Path) -> None:
    from alexandria.chunking.domains import load_domain
    from alexandria.lab.books_and_questions import read_books

    entries = read_questions(Path(__file__).parents[2] / "benchmarks" / "questions" / "books.jsonl")
    files = {path.stem: path for folder in ("txt", "epub") for path in (shared_data / folder).iterdir()}
    paths = sorted({files[entry.book] for entry in entries})
    placed, unplaced = place_questions(entries, read_books(paths, load_domain(), lambda _: None))
    assert unplaced == []
    assert len(placed) == 73
