"""`read`, `open`, `find`, `cite` and the phrases of a search: what a reader does with a hit."""

import json
import re
import shlex
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest

import alexandria
from alexandria import Library
from alexandria.book.choices import CitationMarkupName
from alexandria.doors.web.server import LibraryServer
from alexandria.library.read.viewers import calibre_cfi, plan_viewing
from alexandria.show.terminal import passages as view
from alexandria.store.passage import Passage
from tests.command import alexandria as run
from tests.conftest import SAMPLES

HASHING = {"model": "hashing", "min_words": 30, "max_words": 60}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading") / "library"
    with alexandria.open(folder) as opened:
        opened.ingest([SAMPLES / "the-quiet-trades.epub", SAMPLES / "small-machines.pdf"], options=HASHING)
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with alexandria.open(folder) as opened:
        yield opened


def test_a_page_is_the_text_between_two_page_starts(library: Library) -> None:
    pages = {page.page: page.label for one in library.chunks("machines") for page in one.pages}
    texts = {page: library.read("machines", page=label or str(page)) for page, label in pages.items()}
    whole = [passage for page in sorted(pages, key=lambda page: page or 0) for passage in texts[page]]
    read = "".join("".join(passage.text.split()) for passage in whole)
    stored = "".join("".join(passage.text.split()) for passage in library.chunks("machines"))
    assert read == stored
    for page, passages in texts.items():
        assert {start.page for one in passages for start in one.pages} == {page}
        assert {(one.page_start, one.page_label, one.page_end) for one in passages} == {
            (page, pages[page], page)
        }


def test_pages_around_a_page_and_a_page_that_is_not_there(library: Library) -> None:
    (two, three, four) = ("".join(p.text for p in library.read("machines", page=n)) for n in (2, 3, 4))
    around = "".join(p.text for p in library.read("machines", page=3, context=1))
    assert "".join((two + three + four).split()) == "".join(around.split())
    with pytest.raises(alexandria.ConfigError, match="has no page 99"):
        library.read("machines", page=99)


def test_a_chapter_is_every_chunk_below_its_heading(library: Library) -> None:
    chapter = library.read("quiet", chapter="kitchen window")
    heading = chapter[0].section[: len(chapter[0].section)]
    below = [one for one in library.chunks("quiet") if one.section[: len(heading)] == heading]
    assert [one.id for one in chapter] == [one.id for one in below]
    with pytest.raises(alexandria.ConfigError, match="has no chapter 'Zebras'"):
        library.read("quiet", chapter="Zebras")


def test_a_chapter_is_the_one_that_the_hit_is_in_or_else_the_first(tmp_path: Path) -> None:
    chapters = {"Tides": "sea", "Notes": "first", "Winds": "air", "Notes ": "second"}
    text = "\n\n".join(f"## {title}\n\n{f'The {word} is long. ' * 20}" for title, word in chapters.items())
    (tmp_path / "almanac.md").write_text(f"# Almanac\n\n{text}", encoding="utf-8")
    with alexandria.open(tmp_path / "library") as opened:
        opened.ingest([tmp_path / "almanac.md"], options=HASHING)
        words = {chunk.chunk_id: chunk.text.split()[-3] for chunk in opened.chunks("almanac")}
        hits = {word: opened.read("almanac", i, context=0)[0].short_id for i, word in words.items()}

        def words_read(place: str) -> set[str]:
            return {words[chunk.chunk_id] for chunk in opened.read(place, chapter="notes")}

        assert list(dict.fromkeys(words.values())) == ["sea", "first", "air", "second"]
        assert words_read("almanac") == words_read(hits["sea"]) == words_read(hits["first"]) == {"first"}
        assert words_read(hits["second"]) == {"second"}


def test_a_hit_is_read_with_its_sentence_marked(library: Library) -> None:
    words = library.read("quiet", 3, context=0)[0].text.split(". ")[1]
    place = library.find(words)[0]
    passages = library.read(place.short_id, context=1)
    assert [one.chunk_id for one in passages if one.best] == [3]


def test_read_prints_the_text_as_it_is_in_a_pipe(folder: Path, library: Library) -> None:
    done = run("read", "quiet", "3", "--store", folder)
    assert done.stdout.startswith(library.read("quiet", 3, context=0)[0].text)
    both = run("read", "quiet", "3", "--page", "1", "--store", folder)
    assert (both.returncode, "two things at once" in both.stderr) == (2, True)


def test_paragraphs_are_wrapped_and_lines_of_verse_are_kept() -> None:
    verse = (
        "A first line of a poem that is far too long for eighty columns, and so goes on below it\nA short one"
    )
    payload = {
        "text": f"On Verse\n\n{'prose ' * 30}ends.\n\n{verse}",
        "book_title": "Lines",
        "author": "",
        "section": ["On Verse"],
        "start": 0,
        "end": 300,
        "chunk_id": 0,
        "book_id": "a" * 64,
        "page_start": None,
        "page_label": None,
        "notes": ["A note."],
    }
    passage = Passage(id="1", payload=payload, best=(0, 8))
    lines = [line.plain for line in view._format_passages([passage], "aaaaaaaa-8")]
    assert lines[1].endswith(", chunk 0, aaaaaaaa-8")
    assert max(map(len, lines)) <= 80
    assert lines[-4:] == ["A short one", "", "Notes", "A note."]
    assert lines[-5].startswith("    ")


def test_find_and_cite_on_the_command_line(folder: Path, library: Library) -> None:
    words = library.read("quiet", 3, context=0)[0].text.split(". ")[1]
    done = run("find", words, "--store", folder)
    assert "word for word" in done.stdout
    (place, *_) = json.loads(run("find", words, "--json", "--store", folder).stdout)
    assert place["nearness"] == 1
    assert place["locator"]["locations"]["partialCfi"].startswith("/4/")
    assert place["locator"]["text"]["highlight"] == place["words"]
    assert place["id"] in done.stdout
    assert "The Quiet Trades" in run("cite", place["id"], "--store", folder).stdout
    absent = run("find", "zebras paint violins upside down", "--store", folder)
    assert absent.stderr.index("Not in the") < absent.stderr.index("Closest in meaning:")
    assert "violins" in absent.stdout
    assert not re.search(r"\b(?:strong|fair|weak)$", absent.stdout, re.MULTILINE), (
        "a quotation is no question"
    )
    assert [line[:2] for line in absent.stdout.splitlines() if line[:1].isdigit()] == ["1.", "2.", "3."]
    assert json.loads(run("find", "zebras paint violins", "--json", "--store", folder).stdout) == []


def test_what_is_not_there_ends_with_1_as_grep_has_it(folder: Path) -> None:
    for words in (("find", "zebras paint violins upside down"), ("search", '"zebras paint violins"')):
        done = run(*words, "--store", folder)
        assert done.returncode == 1
        assert run(*words, "--json", "--store", folder).returncode == 1
    assert run("search", "zebras", "--store", folder).returncode == 0  # weak hits are hits


def test_quoted_words_are_a_phrase(library: Library) -> None:
    text = library.read("quiet", 3, context=0)[0].text
    phrase = " ".join(text.split()[5:9])
    hits = library.search(f"“{phrase}” flowers", limit=50)
    assert [hit.chunk_id for hit in hits if phrase in " ".join(hit.text.split())] == [
        h.chunk_id for h in hits
    ]
    assert 3 in [hit.chunk_id for hit in hits]
    nothing = library.search('"flowers hive the the" bees')
    assert (len(nothing), "quoted words" in nothing.remarks[-1]) == (0, True)


def test_citations_of_a_search_are_followed_by_each_reference_once(folder: Path) -> None:
    done = run(
        "search", "bees", "--cite", "--style", "apa", "-k", "3", "-b", "quiet", "--store", folder
    ).stdout
    in_text, references = done.rstrip("\n").split("\n\n")
    assert in_text.count("(Marlow, 2026, p. ") == 3
    assert references == "Marlow, I. (2026). The quiet trades. Alexandria."


@pytest.mark.parametrize("format", ["bibtex", "ris", "csl-json", "csl-citation", "html"])
def test_a_hit_and_a_book_are_cited_in_every_format(folder: Path, library: Library, format: str) -> None:
    hit = library.search("bees").hits[0].short_id
    done = run("cite", hit, "--format", format, "--store", folder)
    assert done.returncode == 0, done.stderr
    assert "Quiet Trades" in done.stdout
    if format in ("bibtex", "ris", "csl-json"):
        assert run("list", "--format", format, "--book", "quiet", "--store", folder).stdout == done.stdout


def test_a_hit_with_the_number_of_a_chunk_reads_on_in_its_book(folder: Path, library: Library) -> None:
    hit, third = library.chunks("quiet")[1], library.chunks("quiet")[3]
    assert (
        library.read(hit, 3, context=0)[0].text
        == library.read(hit.short_id, 3, context=0)[0].text
        == third.text
    )
    assert run("read", hit.short_id, "3", "--store", folder).stdout.startswith(third.text)


def test_a_shelf_is_a_list_of_references_in_their_order(folder: Path, library: Library) -> None:
    printed = run("list", "--cite", "--style", "mla", "--store", folder).stdout.splitlines()
    assert printed == [library.cite(book, "mla").reference for book in ("machines", "quiet")]


@pytest.mark.parametrize(
    ("markup", "form"), [("text", "{}\n{}\n"), ("markdown", "{}\n\n{}\n"), ("html", "<p>{}</p>\n<p>{}</p>\n")]
)
def test_a_list_of_references_marks_italics(
    folder: Path, library: Library, markup: CitationMarkupName, form: str
) -> None:
    bibtex = [
        run("list", *cite, "--format", "bibtex", "--store", folder).stdout for cite in ((), ("--cite",))
    ]
    assert bibtex[0] == bibtex[1]
    assert bibtex[0].startswith("@")
    printed = run("list", "--cite", "--style", "mla", "--format", markup, "--store", folder).stdout
    references = [library.cite(book, "mla", markup=markup).reference for book in ("machines", "quiet")]
    assert printed == form.format(*references)


def test_a_text_is_headed_by_all_its_sections() -> None:
    cases: dict[str, tuple[list[str], str]] = {
        "one section": (["Part I", "One"], "Part I › One"),
        "the next chapter": (["Part I", "Two"], "Part I › One – Two"),
        "another part": (["Part II", "Nine"], "Part I › One – Part II › Nine"),
        "no section": ([], "Part I › One"),
    }
    for last, expected in cases.values():
        first, end = (
            Passage(id=str(n), payload={**PAYLOAD, "chunk_id": n, "section": section})
            for n, section in enumerate((["Part I", "One"], last))
        )
        assert view._format_place(first, end).startswith(f"{expected}, ")


PAYLOAD = {
    "text": "The tide turns. It turns twice.",
    "book_id": "a" * 64,
    "section": [],
    "start": 0,
    "end": 31,
    "page_start": 12,
    "page_label": "xii",
}
CFI = "0 /6/8!/4/2/1:0;16 /6/8!/4/2/3:2"


@pytest.mark.parametrize(
    ("format", "name", "installed", "expected"),
    [
        pytest.param("pdf", "sea.pdf", (), "sea.pdf#page=12", id="page"),
        pytest.param("html", "sea.html", (), "sea.html#:~:text=It%20turns%20twice.", id="words"),
        pytest.param("epub", "sea.epub", (), None, id="no reader"),
        pytest.param("txt", "sea.txt", ("ebook-viewer",), None, id="no place in the file"),
        pytest.param(
            "epub", "sea.epub", ("ebook-viewer", "foliate"), "epubcfi(/8/2/4/2/3:2)", id="Calibre's viewer"
        ),
        pytest.param("epub", "sea.epub", ("foliate",), "foliate", id="Foliate"),
        pytest.param(
            "epub",
            "My Books/Ida/Sea (12)/sea.epub",
            ("ebook-viewer",),
            "calibre://view-book/_hex_-4d7920426f6f6b73/12/EPUB?open_at=epubcfi(/8/2/4/2/3:2)",
            id="Calibre library",
        ),
    ],
)
def test_a_passage_is_opened_at_its_sentence(
    format: str, name: str, installed: tuple[str, ...], expected: str | None, tmp_path: Path
) -> None:
    (tmp_path / "My Books").mkdir()
    (tmp_path / "My Books" / "metadata.db").touch()
    passage = Passage(id="1", payload={**PAYLOAD, "format": format, "anchors": CFI}, best=(16, 31))
    found = plan_viewing(
        passage, tmp_path / name, which=lambda program: program if program in installed else None
    )
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert expected in (" ".join(found.command) if found.command else found.address)
    assert calibre_cfi("epubcfi(/6/8!/4/2/1:0)") == "epubcfi(/8/2/4/2/1:0)"


def test_a_chapter_is_named_by_its_number(folder: Path, library: Library) -> None:
    (folder.parent / "roman.md").write_text(
        "---\ntitle: Roman\n---\n\n# Chapter II\n\nThe sea rose.\n\n# Chapter XII\n\nThe wind fell.\n"
    )
    library.ingest(folder.parent / "roman.md", options={"model": "hashing"})
    for number, text in (("2", "The sea rose."), ("12", "The wind fell."), ("xii", "The wind fell.")):
        assert library.read("roman", chapter=number)[0].text.endswith(text)
    library.remove("roman")


def test_open_prints_where_it_would_go(folder: Path, library: Library) -> None:
    place = library.read("machines", 2, context=0)[0]
    done = run("open", place.short_id, "--print", "--store", folder)
    assert done.stdout.strip().endswith(f"small-machines.pdf#page={place.page_start}")


@pytest.mark.parametrize("options", [("--browser",), ()], ids=["asked for", "no reader goes there"])
def test_open_shows_the_stored_text_in_the_browser(
    folder: Path, library: Library, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = library.read("machines" if options else "quiet", 0, context=0)[0]
    opened: list[str] = []
    pages: list[str] = []
    serve = LibraryServer.run

    def run_for_one_page(server: LibraryServer) -> None:
        thread = Thread(target=serve, args=(server,))
        thread.start()
        try:
            with urlopen(opened[0], timeout=30) as answer:
                pages.append(answer.read().decode())
        finally:
            server.stop()
            thread.join()

    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(LibraryServer, "run", run_for_one_page)
    monkeypatch.setenv("PATH", "")  # no reader is installed
    done = run("open", place.short_id, *options, "--store", folder)
    assert done.stdout.strip() == opened[0]
    assert "Ctrl-C stops the server" in done.stderr
    assert 'id="hit"' in pages[0]
    printed = run("open", place.short_id, *options, "--print", "--store", folder)
    assert printed.stdout.strip() == f"alexandria open {place.short_id} --browser"


def test_an_edit_prints_how_it_is_undone(tmp_path: Path) -> None:
    (tmp_path / "salt.md").write_text(
        "---\ntitle: Salt\nauthor: [Ida Marlow, Ben Groom]\n---\n\nSalt is a stone.\n"
    )
    there = ("--store", tmp_path / "library")
    run("ingest", tmp_path / "salt.md", "--model", "hashing", *there)
    before = alexandria.open(tmp_path / "library").book("salt")
    edited = run("edit", "salt", "--author", "King, Martin Luther, Jr.; A. Bee", "--date", "1999", *there)
    assert edited.returncode == 0, edited.stderr
    assert "author: Ida Marlow, Ben Groom → Martin Luther King Jr., A. Bee" in edited.stderr
    again = run("edit", "salt", "--date", "1999", *there).stderr
    assert "date: 1999, as before" in again
    assert "undo" not in again
    undo = next(line for line in edited.stderr.splitlines() if line.startswith("undo:  alexandria "))
    assert run(*shlex.split(undo.removeprefix("undo:  alexandria ")), *there).returncode == 0
    after = alexandria.open(tmp_path / "library").book("salt")
    assert (after.author, after.date, after.people) == (before.author, before.date, before.people)
    divided = run("edit", "salt", "--author", "Ida Marlow; Groom Bee, Ben", *there).stderr
    shown = run("edit", "salt", "--author", "Ida Marlow; Bee, Ben Groom", *there).stderr
    assert "Ida Marlow; Groom Bee, Ben → Ida Marlow; Ben Groom Bee" in shown
    assert "--author 'Ida Marlow; Groom Bee, Ben'" in shown
    assert "Ida Marlow, Ben Groom Bee" in divided


def test_a_name_in_braces_is_cited_whole_and_stays_so_when_edits_are_undone(tmp_path: Path) -> None:
    (tmp_path / "salt.md").write_text("---\ntitle: Salt\nauthor: Robin Hood\n---\n\nSalt is a stone.\n")
    there = ("--store", tmp_path / "library")
    run("ingest", tmp_path / "salt.md", "--model", "hashing", *there)
    assert "Hood, Robin" in run("cite", "salt", *there).stdout
    unchanged = run("edit", "salt", "--author", "Robin Hood", *there).stderr
    assert "To cite a name whole, not by its last word:  --author '{Robin Hood}'" in unchanged
    edited = run("edit", "salt", "--author", "{Robin Hood}", *there).stderr
    assert "author: Robin Hood → {Robin Hood}" in edited
    assert "--author 'Robin Hood'" in edited
    assert run("cite", "salt", *there).stdout.startswith("Robin Hood. ")
    book = alexandria.open(tmp_path / "library").book("salt")
    assert (book.author, book.people[0].literal) == ("Robin Hood", "Robin Hood")
    changed = run("edit", "salt", "--author", "Plato; {Robin Hood}", *there).stderr
    assert "author: Robin Hood → Plato, Robin Hood" in changed
    undo = next(line for line in changed.splitlines() if line.startswith("undo:  alexandria "))
    assert undo.endswith("--author '{Robin Hood}'")
    assert run(*shlex.split(undo.removeprefix("undo:  alexandria ")), *there).returncode == 0
    assert alexandria.open(tmp_path / "library").book("salt").people == book.people
    (tmp_path / "salt.md").write_text("---\ntitle: Salt\nauthor: Robin Hood\n---\n\nSalt is a white stone.\n")
    run("ingest", tmp_path / "salt.md", "--model", "hashing", *there)
    assert alexandria.open(tmp_path / "library").book("salt").people == book.people
