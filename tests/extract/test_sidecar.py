"""What is known of a text from its first lines, and of any book from `metadata.opf` beside it."""

import re
from pathlib import Path

import pytest

from alexandria.extract import extract
from alexandria.extract.text.title import find_printed_title
from tests.conftest import SAMPLES

_TEXT = "This is a tale of the sea. It has a second sentence about ships."


def test_title_and_author_are_those_in_the_first_lines() -> None:
    cases: list[tuple[list[str], str, str]] = [
        (["Gull Rock", "by Ruth Penhale"], "Gull Rock", "Ruth Penhale"),
        (["THE PRINCE", "BY", "NICCOLÒ MACHIAVELLI"], "The Prince", "Niccolò Machiavelli"),
        (["Moby Dick;\nor, The Whale", "by Herman Melville."], "Moby Dick; or, The Whale", "Herman Melville"),
        (["Der Winterapfel", "von Jakob Lenz"], "Der Winterapfel", "Jakob Lenz"),
        (["Title: Emma\nAuthor: Jane Austen"], "Emma", "Jane Austen"),
        (["It was a dark night.", "by the river they slept"], "", ""),
        (["CHAPTER I", "The Carpet-Bag"], "", ""),
        (["He came in,", "by Jove, and sat down"], "", ""),
        (["Title: Emma"], "", ""),
        (["Author: Jane Austen"], "", ""),
        ([], "", ""),
    ]
    for groups, title, author in cases:
        assert find_printed_title(groups) == (title, author)


def test_a_text_names_itself_before_its_file_does(tmp_path: Path) -> None:
    book = extract(SAMPLES / "gull-rock.txt")
    assert (book.title, book.author) == ("Gull Rock", "Ruth Penhale")
    (tmp_path / "a_tale.txt").write_text(_TEXT)
    assert extract(tmp_path / "a_tale.txt").title == "a tale"


OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
<dc:title>A Tale</dc:title><dc:creator opf:role="aut">Ann Author</dc:creator>
<dc:contributor opf:role="trl">Tom Translator</dc:contributor><dc:contributor opf:role="bkp">calibre</dc:contributor>
<dc:publisher>House</dc:publisher><dc:date>1999-05-01</dc:date><dc:identifier>isbn:123</dc:identifier>
<meta name="calibre:series" content="Sea Tales"/><meta name="calibre:series_index" content="3.0"/>
</metadata></package>"""  # noqa: E501  # a line of a file


def test_metadata_opf_beside_the_only_book_of_a_folder_counts(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(_TEXT)
    (tmp_path / "metadata.opf").write_text(OPF)
    metadata = extract(tmp_path / "x.txt").metadata
    assert (metadata.title, metadata.authors, metadata.translators) == (
        "A Tale",
        ("Ann Author",),
        ("Tom Translator",),
    )
    assert (metadata.publisher, metadata.date, metadata.series) == ("House", "1999-05-01", "Sea Tales 3")
    (tmp_path / "y.txt").write_text(_TEXT)  # which of them is it about?
    assert extract(tmp_path / "x.txt").title == "x"
    (tmp_path / "y.txt").unlink()
    (tmp_path / "metadata.opf").write_text("no xml")
    assert extract(tmp_path / "x.txt").title == "x"


@pytest.mark.parametrize(
    "sorting", ["", ' opf:file-as="Aurelius}, {Marcus"'], ids=["as it is", "sorted by Calibre"]
)
def test_a_name_in_braces_in_metadata_opf_is_one_name(sorting: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(_TEXT)
    named = OPF.replace('opf:role="aut">Ann Author', f'opf:role="aut"{sorting}>{{Marcus Aurelius}}')
    (tmp_path / "metadata.opf").write_text(named)
    metadata = extract(tmp_path / "x.txt").metadata
    assert metadata.authors == ("Marcus Aurelius",)
    assert metadata.people[0].literal == "Marcus Aurelius"


_SET = """<meta property="belongs-to-collection" id="s">The Hundred Best Novels</meta>
<meta property="collection-type" refines="#s">set</meta>
<meta property="group-position" refines="#s">8</meta>"""
_SERIES = """<meta property="belongs-to-collection" id="t">Sea Tales</meta>
<meta property="group-position" refines="#t">3</meta>"""
_TYPE = '<meta property="collection-type" refines="#t">series</meta>'


@pytest.mark.parametrize(
    ("metas", "series"),
    [
        pytest.param(_SET, "", id="a list of the best is no series"),
        pytest.param(_SET + _SERIES + _TYPE, "Sea Tales 3", id="a series after a list"),
        pytest.param(_SERIES, "Sea Tales 3", id="a collection without a type"),
    ],
)
def test_a_series_is_told_from_a_set(metas: str, series: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(_TEXT)
    old = OPF[OPF.index('<meta name="calibre:series"') : OPF.index("</metadata>")]
    (tmp_path / "metadata.opf").write_text(OPF.replace(old, metas))
    assert extract(tmp_path / "x.txt").metadata.series == series


_WORK = _SET.replace("The Hundred Best Novels", "A History of Harbours")
_CALIBRE = """<meta name="calibre:series" content="Sea Tales"/>
<meta name="calibre:series_index" content="3.0"/>"""


@pytest.mark.parametrize(
    ("metas", "title", "read"),
    [
        (_WORK, "A History of Harbours", ("A History of Harbours", "8", "")),
        (_WORK, "A History of Harbours: The Ferries", ("A History of Harbours: The Ferries", "8", "")),
        (_WORK, "The Ferries", ("A History of Harbours, Vol. 8: The Ferries", "", "")),
        (_WORK + _CALIBRE, "A History of Harbours", ("A History of Harbours", "8", "Sea Tales 3")),
        (_SET, "The Ferries", ("The Ferries", "", "")),
        (_SET.replace("Hundred", "100"), "The Ferries", ("The Ferries", "", "")),
        (_WORK.replace("set<", "series<"), "The Ferries", ("The Ferries", "", "A History of Harbours 8")),
    ],
    ids=["same title", "longer title", "own title", "also a series", "list", "numbered list", "series"],
)
def test_a_volume_of_a_set_is_told_from_an_entry_of_a_list(
    metas: str, title: str, read: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "x.txt").write_text(_TEXT)
    old = OPF[OPF.index('<meta name="calibre:series"') : OPF.index("</metadata>")]
    opf = re.sub("<dc:title>[^<]*<", f"<dc:title>{title}<", OPF.replace(old, metas))
    (tmp_path / "metadata.opf").write_text(opf)
    metadata = extract(tmp_path / "x.txt").metadata
    assert (metadata.title, metadata.volume, metadata.series) == read
