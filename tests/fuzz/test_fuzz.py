"""The fuzz target itself, the bugs it has found, and a few cases of each format."""

import zipfile
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.errors import BookError, Code
from alexandria.extract import FORMATS, extract
from alexandria.extract.markup.tree import parse_html, parse_xhtml, parse_xml, text_of
from tests.conftest import ROOT, SAMPLES
from tools.fuzz import case, check, mutate_zip, seeds_of

FOLDERS = (SAMPLES, ROOT / "tests" / "fuzz" / "seeds")


@pytest.fixture(params=FORMATS)
def format(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def seeds() -> dict[str, list[bytes]]:
    return {format: seeds_of(format, FOLDERS) for format in FORMATS}


def test_every_format_has_a_seed(format: str, seeds: dict[str, list[bytes]]) -> None:
    assert seeds[format]


def test_cases_are_reproducible_and_differ(format: str, seeds: dict[str, list[bytes]]) -> None:
    cases = [case(format, seeds[format], 7, number) for number in range(8)]
    assert len(set(cases)) > 6
    assert cases == [case(format, seeds[format], 7, number) for number in range(8)]


def test_cases_are_read_or_refused(format: str, seeds: dict[str, list[bytes]], tmp_path: Path) -> None:
    path = tmp_path / f"case{FORMATS[format].suffixes[0]}"
    read = 0
    for number in range(12):
        path.write_bytes(case(format, seeds[format], 42, number))
        read += check(path) is not None
    assert read > 0  # if every case were refused at once, they would test nothing


def test_a_mutated_zip_is_still_a_zip(seeds: dict[str, list[bytes]], tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / "x").write_bytes(mutate_zip(seeds["epub"][0], [b"<"], Random(number)))
        assert zipfile.ZipFile(tmp_path / "x").testzip() is None


# --- the bugs it has found ------------------------------------------------------------------------


@pytest.mark.parametrize("reference", ["&#xD800;", "&#xDFFF;", "&#0;", "&#1114112;", f"&#{'9' * 5000};"])
def test_a_reference_to_no_character_becomes_the_replacement_character(reference: str) -> None:
    markup = f"<html><body><p>a{reference}b</p></body></html>"
    broken = markup.replace("</p>", "<br></p>")
    for root in (
        parse_xml(markup.encode()),
        parse_xml(broken.encode(), recover=True),
        parse_xhtml(broken.encode())[0],
        parse_html(markup),
    ):
        assert root is not None
        assert text_of(root) == "a\ufffdb"


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_no_name_of_a_tag_or_attribute_breaks_the_parser(tag: str, attribute: str) -> None:
    # Nested so deep that only the parser that works tag by tag returns the text.
    root, _ = parse_xhtml((f"<a{tag} b{attribute}='1'>" + "<i>" * 400 + "text").encode("utf-8", "replace"))
    assert root is not None


@pytest.mark.parametrize(
    ("number", "seed"), [(21, 0), (25, 0), (26, 0), (35, 0), (54, 0), (68, 1)], ids=lambda number: str(number)
)
def test_damaged_pages_are_read_or_refused(
    number: int, seed: int, seeds: dict[str, list[bytes]], tmp_path: Path
) -> None:
    """Letters without height, and a page that makes the second parser fail an assertion."""
    path = tmp_path / "case.pdf"
    path.write_bytes(case("pdf", seeds["pdf"], seed, number))
    check(path)


@pytest.mark.parametrize(
    ("section", "text"), [("<![C[x]]>", ""), ("<![if IE]>", ""), ("<![CDATA[kept]]>", "kept"), ("<![", "")]
)
def test_a_marked_section_of_any_kind_is_skipped(section: str, text: str) -> None:
    root, _ = parse_xhtml((f"<p>before</p>{section}" + "<i>" * 400 + "after").encode())
    assert root is not None
    assert text_of(root).startswith("before" + text)


def test_malformed_names_of_elements_are_read(tmp_path: Path) -> None:
    markup = (ROOT / "tests" / "fuzz" / "seeds" / "orchard.fb2").read_text()
    path = tmp_path / "torn.fb2"
    path.write_text(markup.replace("<v>", "<p:>").replace("</v>", "</p:>").replace("<cite>", "<l:1>"))
    book = check(path)
    assert book is not None
    assert "brown leaf." in book.text


def test_a_line_of_control_characters_is_not_a_block(tmp_path: Path) -> None:
    path = tmp_path / "controls.txt"
    path.write_bytes(b"\x90\x85l v nk ")
    book = check(path)
    assert book is not None
    assert book.text == "l v nk"


def test_a_member_with_a_malformed_name_is_damage(seeds: dict[str, list[bytes]], tmp_path: Path) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("é.xhtml", "text")
    path = tmp_path / "torn.epub"
    path.write_bytes(packed.getvalue().replace("é".encode(), b"\x92\x92"))
    with pytest.raises(BookError) as caught:
        extract(path)
    assert caught.value.code is Code.DAMAGED


def test_a_control_character_after_a_note_in_a_sentence_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "torn.html"
    markup = b"<html><body><p>Salt<span class='footnote'>Of the \x01 sea.</span>\x01 melts.</p><!--%s-->"
    path.write_bytes(markup % (b"-" * 999))  # so long that it is text, in spite of the controls
    book = check(path)
    assert book is not None
    assert (book.text, book.notes[0].text) == ("Salt melts.", "Of the sea.")


def test_a_paragraph_of_marks_alone_stays(tmp_path: Path) -> None:
    path = tmp_path / "marks.html"
    path.write_text("<html><body><p>Salt melts.</p><p>[1]</p><p>[1] Of the sea.</p>")
    book = check(path)
    assert book is not None
    assert book.text == "Salt melts.\n\n[1]\n\n[1] Of the sea."
