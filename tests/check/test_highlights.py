"""Highlights of e-readers are read from what their programs write, and compared with the books."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import alexandria
from alexandria import Library
from alexandria.errors import BookError
from alexandria.library.check.highlights import read_highlights
from alexandria.library.check.manuscript import Manuscript
from alexandria.library.check.report import CheckedQuotation, Verdict
from tests.command import alexandria as run
from tests.conftest import SAMPLES

DANCE = "The dance is a figure of eight with a straight run through the middle."
TITLE = "The Quiet Trades (Ida Marlow)"
HEADERS = {
    "English": (
        "Your Highlight on page 5 | location 10-12 | Added on Friday",
        "Your Note on page 5 | location 12 | A",
    ),
    "old": ("Highlight Loc. 1234-40  | Added on Friday", "Note Loc. 1240  | Added on Friday"),
    "German": (
        "Ihre Markierung bei Position 10-12 | Hinzugefügt am",
        "Ihre Notiz bei Position 12 | Hinzugefügt",
    ),
    "Spanish": ("Tu subrayado en la posición 10-12 | Añadido el", "Tu nota en la posición 12 | Añadido el"),
    "French": ("Votre surlignement à l’emplacement 10-12 | Ajouté", "Votre note à l’emplacement 12 | Ajouté"),
    "Italian": (
        "La tua evidenziazione a pagina 5 | posizione 10-12 | A",
        "La tua nota a pagina 5 | posizione 12 | A",
    ),
    "Portuguese": ("Seu destaque na posição 10-12 | Adicionado", "Sua nota na posição 12 | Adicionado"),
    "Japanese": ("位置No. 10-12のハイライト |作成日: 2021年", "位置No. 12のメモ |作成日: 2021年"),
    "Chinese": ("您在位置 #10-12的标注 | 添加于 2021年", "您在位置 #12的笔记 | 添加于 2021年"),
}


def clippings(*entries: tuple[str, str, str]) -> str:
    return "".join(
        f"{title}\r\n- {place}\r\n\r\n{words}\r\n==========\r\n" for title, place, words in entries
    )


def sidecar(body: str) -> str:
    properties = '["doc_props"] = {["title"] = "The Quiet Trades", ["authors"] = "Ida Marlow\\\nA. N. Other"}'
    return f"-- we can read Lua syntax here!\nreturn {{\n{body},\n{properties},\n}}\n"


KOBO = f"""# The Quiet Trades

**Ida Marlow**

> {DANCE}

*Highlight, 24 %, 6 May 2026*

**Note:** bees

---
"""
KOBO_TEXT = f"""The Quiet Trades
Ida Marlow

{DANCE}
Markierung, 24 %, 6. Mai 2026
Notiz: bees
"""
NOW = """["annotations"] = {
    [1] = {["drawer"] = "lighten", ["pageno"] = 3, ["text"] = "DANCE", ["note"] = "bees"},
    [2] = {["text"] = "in Chapter 1", ["pageno"] = 4},
}""".replace("DANCE", DANCE)
THEN = """["highlight"] = {[3] = {[1] = {["text"] = [[DANCE]]}}},
["bookmarks"] = {[1] = {["notes"] = "DANCE", ["text"] = "bees"}}""".replace("DANCE", DANCE)
CSV = (
    "\ufeffHighlight,Book Title,Book Author,Note,Location Type,Location\n"
    f'"{DANCE}",The Quiet Trades,I. Marlow,bees,page,3\n'
)


def read(folder: Path, name: str, text: str) -> Manuscript:
    (folder / name).write_bytes(text.encode())
    manuscript = read_highlights(folder / name)
    assert manuscript is not None
    return manuscript


def test_a_kindle_writes_in_many_languages(tmp_path: Path) -> None:
    for highlight, note in HEADERS.values():
        bom = "\ufeff"
        text = bom + clippings((TITLE, highlight, DANCE), (bom + TITLE, note, "bees"), (TITLE, highlight, ""))
        [span] = read(tmp_path, "My Clippings.txt", text).spans
        assert (span.text, span.note) == (DANCE, "bees")
        assert span.cited is not None
        assert (span.cited.author, span.cited.title, span.cited.page) == (
            "Ida Marlow",
            "The Quiet Trades",
            None,
        )


def test_notes_elsewhere_in_the_book_have_their_place(tmp_path: Path) -> None:
    entries = (
        (TITLE, "Your Highlight on Location 10-12 | Added", "one"),
        (TITLE, "Your Highlight on Location 90-92 | Added", "two"),
        (TITLE, "Your Note on Location 50 | Added", "three"),
        ("Another (A; B)", "Your Note on Location 50 | Added", "of a book without a highlight"),
        (TITLE, "Your Highlight on Location 95-96 | Added", "<You have reached the clipping limit.>"),
    )
    spans = read(tmp_path, "x.txt", clippings(*entries)).spans
    assert [(span.text, span.note) for span in spans] == [
        ("one", "Your Note on Location 50: three"),
        ("two", ""),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("metadata.epub.lua", sidecar(NOW), id="KOReader"),
        pytest.param("metadata.pdf.lua", sidecar(THEN), id="KOReader before 2024"),
        pytest.param("readwise-data.csv", CSV, id="Readwise"),
        pytest.param("kobo.md", KOBO, id="Kobo"),
        pytest.param("kobo.txt", KOBO_TEXT, id="Kobo as text"),
    ],
)
def test_other_readers(name: str, text: str, tmp_path: Path) -> None:
    manuscript = read(tmp_path, name, text)
    [span] = manuscript.spans
    assert (span.text, span.note) == (DANCE, "bees")
    assert span.cited is not None
    assert (span.cited.title, span.cited.page) == ("The Quiet Trades", None)
    assert "Marlow" in (span.cited.author or "")
    assert manuscript.blocks[span.block].where
    block = manuscript.blocks[span.block]
    assert manuscript.book.text[block.start + span.start : block.start + span.end] == DANCE


def test_a_note_ends_where_the_next_highlight_begins(tmp_path: Path) -> None:
    close = re.sub(r"\n\n(?=[>*])", "\n", KOBO + KOBO)
    assert [span.note for span in read(tmp_path, "kobo.md", close).spans] == ["bees", "bees"]


def test_what_holds_no_highlights_is_refused(tmp_path: Path) -> None:
    cases = {
        "a program": ("x.lua", "os.execute('rm -rf /')"),
        "a call": ("x.lua", 'return {["a"] = os.exit()}'),
        "a text that never ends": ("x.lua", 'return {["a"] = "' + '\\"' * 50_000),
        "deep": ("x.lua", "return {" + '["a"] = {' * 5_000),
        "other types": ("x.lua", 'return {["annotations"] = "none"}'),
        "another table": ("x.csv", "year,count\n1900,3\n"),
    }
    for name, text in cases.values():
        (tmp_path / name).write_text(text)
        with pytest.raises(BookError, match=name):
            read_highlights(tmp_path / name)


def test_other_texts_are_manuscripts(tmp_path: Path) -> None:
    cases = {
        "an essay": "# An essay\n\nIt says:\n\n> Bees dance.\n\n*On page 3.*\n\nAnd so on.\n",
        "prose": "Title\n\n" + "A sentence of prose.\n\n" * 3,
        "a long line": "Highlights of 2020\n\n* " + "1" * 300_000,
    }
    for text in cases.values():
        (tmp_path / "x.md").write_text(text)
        assert read_highlights(tmp_path / "x.md") is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("highlights") / "library"
    with alexandria.open(folder) as opened:
        opened.ingest([SAMPLES / "the-quiet-trades.epub"], options={"model": "hashing"})
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with alexandria.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a list of each kind, and a table that is none."""
    folder = tmp_path_factory.mktemp("lists")
    place = "Your Highlight on Location 10-12 | Added"
    entries = (
        (TITLE, place, DANCE),
        (TITLE, place, DANCE.replace("eight", "nine")),
        ("X (Y)", place, "Bees *and* <b>"),
    )
    (folder / "My Clippings.txt").write_text(clippings(*entries), "utf-8")
    (folder / "book.sdr").mkdir()
    (folder / "book.sdr" / "metadata.epub.lua").write_text(sidecar(NOW))
    (folder / "data.csv").write_text("year,count\n")
    (folder / "readwise.csv").write_text(CSV, "utf-8")
    return folder


def test_a_folder_is_searched_for_lists(library: Library, shelf: Path) -> None:
    def summary(item: CheckedQuotation) -> tuple[str, Verdict, str]:
        return Path(item.file).name, item.verdict, item.note

    report = library.check(shelf)
    assert report.unread == ()
    assert sorted(map(summary, report.items)) == [
        ("My Clippings.txt", Verdict.DIFFERS, ""),
        ("My Clippings.txt", Verdict.EXACT, ""),
        ("My Clippings.txt", Verdict.TOO_SHORT, ""),
        ("metadata.epub.lua", Verdict.EXACT, "bees"),
        ("readwise.csv", Verdict.EXACT, "bees"),
    ]
    assert not any(item.claims.disagree for item in report.items)


def test_a_notebook_has_each_book_with_places_and_notes(folder: Path, shelf: Path) -> None:
    arguments = ("check", shelf, "--store", folder)
    notebook = run(*arguments, "--format", "markdown").stdout
    assert notebook.startswith("# Ida Marlow, The Quiet Trades\n\n> The dance is a figure of")
    assert "— differs; Ida Marlow, The Quiet Trades" in notebook
    assert "the book has “" in notebook
    assert "**Note:** bees" in notebook
    assert "# Y, X\n\n> Bees \\*and\\* \\<b>\n\n— too short to tell" in notebook
    assert run(*arguments, "--format", "markdown", "--json").returncode == 2


def test_ingest_names_the_command_for_highlights(folder: Path, shelf: Path) -> None:
    error = run("ingest", shelf / "My Clippings.txt", "--store", folder).stderr
    assert "alexandria check" in error
