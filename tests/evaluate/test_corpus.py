"""Books in formats that nobody ingests, and plain texts as they are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import BlockKind, Book
from alexandria.errors import BookError
from alexandria.lab.corpus import find_test_sets, read_as_is, read_for_evaluation, read_ref, read_sections


@pytest.fixture
def never() -> object:
    def read(path: Path) -> Book:
        raise AssertionError(path)

    return read


def test_lines_between_headings_are_the_sentences_of_a_section(tmp_path: Path) -> None:
    path = tmp_path / "1.ref"
    path.write_text(
        "========,1,preface.\nOne is.\nTwo is.\n========,2,History.\nThree is.\n", encoding="utf-8"
    )
    book = read_ref(path)
    assert [(s.headings, s.level, len(s.blocks)) for s in book.sections] == [
        (("preface.",), 1, 3),
        (("History.",), 2, 2),
    ]
    assert [block.text for block in book.blocks if block.kind is BlockKind.PARAGRAPH] == [
        "One is.",
        "Two is.",
        "Three is.",
    ]


def test_sections_come_from_json(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text('{"title": "T", "sections": [{"title": "I", "level": 1, "paragraphs": ["A.", ""]}]}')
    book = read_sections(path)
    assert (book.title, [block.text for block in book.blocks]) == ("T", ["I", "A."])


def test_other_json_is_refused(tmp_path: Path) -> None:
    for text in ["{", "[]", '{"sections": [1]}']:
        path = tmp_path / "b.json"
        path.write_text(text)
        with pytest.raises(BookError, match="list of sections"):
            read_sections(path)


@given(text=st.text(alphabet="ab. \n\r\té", max_size=60).filter(lambda text: text.strip()))
def test_a_text_as_it_is_keeps_every_offset(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("as-is") / "a.txt"
    path.write_text(text, encoding="utf-8", newline="")
    book = read_as_is(path)
    assert book.text == text.replace("\r\n", "\n")
    for block in book.blocks:
        assert book.text[block.start : block.end] == block.text == block.text.strip() != ""
    assert "".join(book.text.split()) == "".join("".join(block.text.split()) for block in book.blocks)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        pytest.param("one line\nof a paragraph\n\nanother\none", 2, id="wrapped by hand"),
        pytest.param(("word " * 30 + "\n") * 4, 4, id="a line is a paragraph"),
    ],
)
def test_paragraphs_are_told_from_lines(tmp_path: Path, text: str, n: int) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert len(read_as_is(path).blocks) == n


def test_the_ending_says_who_reads(tmp_path: Path, never: object) -> None:
    path = tmp_path / "a.md"
    path.write_text("# One *two*")
    assert read_for_evaluation(path, never, as_is=True).text == "# One *two*"  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        read_for_evaluation(path, never)  # type: ignore[arg-type]  # what never reads, fails


@pytest.mark.parametrize("name", ["a.ref", "a.json", "a.md"])
def test_a_missing_file_of_a_test_set_is_said_to_be_missing(tmp_path: Path, name: str, never: object) -> None:
    with pytest.raises(BookError, match="no such file"):
        read_for_evaluation(tmp_path / name, never, as_is=True)  # type: ignore[arg-type]


def test_an_article_in_another_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.ref"
    path.write_bytes("========,1,Über\nEine Straße führt zur Mühle hinauf.\n".encode("cp1252"))
    assert read_ref(path).sections[0].headings == ("Über",)


def test_a_folder_gives_test_sets_and_plain_texts_where_they_count_as_they_are(tmp_path: Path) -> None:
    for name in ("a.ref", "b.json", "c.md", "d.epub"):
        (tmp_path / name).write_text("x")
    assert [path.name for path in find_test_sets([tmp_path])] == ["a.ref", "b.json"]
    assert [path.name for path in find_test_sets([tmp_path], as_is=True)] == ["a.ref", "b.json", "c.md"]
