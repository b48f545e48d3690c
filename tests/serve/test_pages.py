"""What the pages show, as HTML and as JSON."""

import json
import re
import struct
import zlib
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from lxml import html
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.choices import NEAREST, BibliographyFormat, CitationStyle
from alexandria.book.filters import filters
from alexandria.book.model import PagePicture
from alexandria.book.places import Quad
from alexandria.doors.cli.schemas import schema_of
from alexandria.doors.web import pages, routes
from alexandria.doors.web.frames import png_of, to_frame
from alexandria.doors.web.requests import Request
from alexandria.doors.web.routes import Site
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.library.cite.works import is_year_of_e_book, reference_order
from alexandria.library.library import Library
from alexandria.show.json import serving
from alexandria.show.json.library import BookEntry, QuotationEntry
from alexandria.store.passage import Passage
from tests.command import alexandria
from tests.conftest import SAMPLES
from tests.serve.conftest import PORT, TOKEN, Get

pytestmark = pytest.mark.annex


def page_of(get: Get, path: str) -> Any:
    response = get(path)
    assert response.status == 200, response.body
    assert response.type == "text/html; charset=utf-8"
    return html.fromstring(response.body.decode())


def text_of(element: Any) -> str:
    return " ".join(element.text_content().split())


def test_the_form_has_a_field_for_every_filter(get: Get) -> None:
    fields = page_of(get, "search?q=light").xpath("//form[@id='search']//*[@name]/@name")
    assert sorted(fields) == sorted(["q", *(name for name, _ in filters())])


def test_a_filter_that_the_form_does_not_know_has_a_plain_field(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_FILTERS", (*pages._FILTERS, "shelf_mark"))
    monkeypatch.setattr(routes, "CARRIED", (*pages.CARRIED, "shelf_mark"))
    (field,) = page_of(get, "search?q=light").xpath("//input[@name='shelf_mark']")
    assert (field.get("id"), field.getprevious().text) == ("f-shelf_mark", "Shelf_mark")


@pytest.fixture
def quiet(library: Library) -> str:
    return library.book("quiet").book_id[:16]


@pytest.fixture
def machines(library: Library) -> str:
    return library.book("machines").book_id[:16]


def test_the_shelf_has_every_book(get: Get, library: Library) -> None:
    page = page_of(get, "")
    links = {one.get("href"): text_of(one) for one in page.xpath("//ul[@class='shelf']//a")}
    assert links == {
        f"./book/{record.book_id[:16]}": " ".join(record.title.split()) for record in library.books()
    }


def test_a_language_is_offered_once(get: Get, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = library.books()
    monkeypatch.setattr(Library, "books", lambda _: [replace(first, language="en-GB"), *others])
    names = page_of(get, "shelf").xpath("//select[@id='f-language']/option/text()")
    assert len(names) == len({*names})
    assert "English" in names


def test_a_hit_without_a_chapter_says_so(get: Get, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Passage, "place", "")
    places = page_of(get, "search?q=the+bees+dance").xpath("//p[@class='place']")
    assert all("no chapter" in text_of(place) for place in places)
    assert places


def test_the_shelf_is_sorted_by_author_year_and_field(get: Get, library: Library) -> None:
    def titles(order: str) -> list[str]:
        return [
            text_of(one) for one in page_of(get, f"shelf?sort={order}").xpath("//ul[@class='shelf']/li/a")
        ]

    records = {" ".join(record.title.split()): record for record in library.books()}
    assert titles("title") == titles("nonsense") == list(records)
    assert titles("author") == sorted(records, key=lambda title: reference_order(records[title]))
    by_year = page_of(get, "shelf?sort=year").xpath("//ul[@class='shelf']/li/span[@class='facts'][1]")
    years = [text_of(facts).partition(",")[0] for facts in by_year]
    assert years == sorted(years)
    assert years[-1] == "undated"
    for title, year in zip(titles("year"), years, strict=True):
        is_known = records[title].original_date or not is_year_of_e_book(records[title])
        stated = (records[title].original_date or records[title].date)[:4] if is_known else ""
        assert year == (stated or "undated")
    by_field = page_of(get, "shelf?sort=field")
    fields = [text_of(one) for one in by_field.xpath("//h2[@class='group']")]
    assert fields == sorted({record.domain for record in records.values()})
    assert text_of(by_field.xpath("//a[@aria-current]")[0]) == "field"


def test_a_search_shows_what_answers_and_leads_to_it(get: Get, library: Library) -> None:
    page = page_of(get, "search?q=the+bees+dance+on+the+comb&author=marlow")
    hits = library.search("the bees dance on the comb", limit=10, author="marlow")
    titles = page.xpath("//a[@class='hit']")
    assert len(titles) == len(hits)
    marked = text_of(page.xpath("//ol[@class='hits']/li[1]//mark")[0])
    assert marked == " ".join((hits[0].sentence or "").split())
    reading = page_of(get, titles[0].get("href").removeprefix("./").partition("#")[0])
    assert text_of(reading.xpath("//mark[@id='hit']")[0]) in " ".join((hits[0].sentence or "").split())
    assert "Hit 1 of" in text_of(reading.xpath("//nav[@aria-label='Hits']")[0])


def test_how_a_question_was_read_is_undone_by_links(get: Get) -> None:
    question = "What+did+Ida+Marlow+say?+Before+the+kettle+has+boiled,+the+beees+are+out."
    page = page_of(get, f"search?q={quote(question, safe='+')}")
    links = {text_of(link): link.get("href") for link in page.xpath("//p[@class='remark']/a")}
    assert list(links) == ["Search all books", "Search the words as typed"]
    everywhere = page_of(get, links["Search all books"].removeprefix("./"))
    left = [text_of(link) for link in everywhere.xpath("//p[@class='remark']/a")]
    assert left == ["Search the words as typed"]


def test_hits_are_stepped_through_to_the_last(get: Get) -> None:
    href = page_of(get, "search?q=lamp&limit=4").xpath("//a[@class='hit']")[0].get("href")
    places = []
    while True:
        places.append(href)
        page = page_of(get, href.lstrip("./").partition("#")[0])
        following = page.xpath("//a[@id='hit-next']")
        if not following:
            break
        href = following[0].get("href")
    assert len(places) == len({place.lstrip("./") for place in places}) == 4
    assert "Hit 4 of 4" in text_of(page)


def test_reading_on_shows_the_whole_text_in_order(get: Get, library: Library, quiet: str) -> None:
    path, shown = f"book/{quiet}/read", []
    while True:
        page = page_of(get, path)
        shown += [text_of(words) for words in page.xpath("//div[@class='words']")]
        later = page.xpath("//a[@id='later']")
        if not later:
            break
        path = later[0].get("href").lstrip("./")
    assert shown == [" ".join(chunk.text.split()) for chunk in library.chunks("quiet")]


def test_every_cut_shows_its_reason(get: Get, library: Library, quiet: str) -> None:
    page = page_of(get, f"book/{quiet}/read?chunk=1")
    cuts = [text_of(cut) for cut in page.xpath("//div[starts-with(@class, 'cut')]")]
    for number, cut in enumerate(cuts, 1):
        assert library.explain("quiet", number).begins.why in cut
    assert "The book begins" in text_of(page_of(get, f"book/{quiet}/read"))


def test_notes_are_beside_the_text_that_cites_them(get: Get, library: Library, quiet: str) -> None:
    noted = next(chunk for chunk in library.chunks("quiet") if chunk.payload["notes"])
    page = page_of(get, f"book/{quiet}/read?chunk={noted.chunk_id}")
    notes = page.xpath(f"//aside[@aria-label='Notes of passage {noted.chunk_id}']//li")
    assert [text_of(note) for note in notes] == [" ".join(note.split()) for note in noted.payload["notes"]]


def test_a_book_has_its_contents(get: Get, library: Library, quiet: str) -> None:
    page = page_of(get, f"book/{quiet}")
    chapters = library.contents("quiet")
    assert [text_of(one) for one in page.xpath("//ol[@class='contents']/li/a")] == [
        " › ".join(chapter.headings) for chapter in chapters
    ]
    assert text_of(page.xpath("//q")[0]) == " ".join(chapters[0].sentence.split())


def test_only_addresses_of_the_web_are_links_out(get: Get, library: Library) -> None:
    hostile = next(record for record in library.books() if "canary" in str(record.identifiers))
    links = page_of(get, f"book/{hostile.book_id[:16]}").xpath("//a[contains(@rel, 'external')]/@href")
    assert links == [
        'https://canary.example/"onclick="alert(1)',
        "https://openlibrary.org/isbn/9780306406157",
    ]


def test_a_passage_is_cited_in_every_style(get: Get, library: Library) -> None:
    hit = library.search("the bees dance", limit=1)[0]
    page = page_of(get, f"cite?hit={hit.short_id}")
    passage = library.passage(hit.short_id)
    expected = [str(library.cite(passage, style)) for style in CitationStyle]
    expected += [library.bibliography(format, books=[passage.book_id]) for format in BibliographyFormat]
    assert page.xpath("//dd/button/@data-text") == expected
    assert page.xpath("//dt/text()")[:3] == ["APA", "MLA", "Chicago, notes"]
    italic = [text.casefold() for text in page.xpath("//dd/div/p/i/text()")]
    assert italic == ["the quiet trades"] * (len(CitationStyle) + 1)
    assert [text_of(shown) for shown in page.xpath("//pre")] == [" ".join(e.split()) for e in expected[6:]]


def test_a_quotation_is_copied_with_its_citation(get: Get, library: Library) -> None:
    hit = library.search("the bees dance", limit=1)[0]
    note = library.cite(hit).in_text
    for path in ("search?q=the+bees+dance", f"cite?hit={hit.short_id}"):
        button = page_of(get, path).xpath("//button[text()='Copy quotation']")[0]
        assert button.get("data-text") == f"“{hit.sentence}”\n— {note}"
        copied: Any = html.fromstring(button.get("data-html"))
        assert text_of(copied.xpath("//blockquote")[0]) == hit.sentence
        assert copied.xpath("//p/i/text()") == ["The Quiet Trades"]


def test_what_a_book_is_called_is_not_markup_in_what_is_copied(get: Get, library: Library) -> None:
    hostile = next(record for record in library.books() if "canary" in str(record.identifiers))
    copied = page_of(get, f"cite?hit={hostile.book_id[:16]}-0").xpath("//button/@data-html")
    assert copied
    for text in copied:
        made: Any = html.fromstring(f"<div>{text}</div>")
        assert {element.tag for element in made.iter()} <= {"div", "p", "i", "blockquote"}


def test_a_hit_can_be_named_by_its_id(get: Get, library: Library, quiet: str) -> None:
    hit = library.search("the bees dance", limit=1)[0]
    marked = page_of(get, f"book/{quiet}/read?hit={hit.short_id}").xpath("//mark")
    assert text_of(marked[0]) == hit.sentence
    assert get(f"book/{quiet}/read?hit=nosuch").status == 404


def test_cuts_are_hidden_until_they_are_asked_for(get: Get, quiet: str) -> None:
    page = page_of(get, f"book/{quiet}/read?chunk=1")
    assert page.xpath("//input[@id='show-cuts' and not(@checked)]")
    assert page.xpath("//div[@class='machine']/div[starts-with(@class, 'cut')]")
    for machine in page.xpath("//div[@class='machine']"):
        machine.drop_tree()
    shown = text_of(page.xpath("//main")[0])
    assert "similarity" not in shown
    assert "hunk" not in shown


def test_a_heading_is_shown_once(get: Get, quiet: str, library: Library) -> None:
    chapter = library.contents("quiet")[2]
    page = page_of(get, f"book/{quiet}/read?chunk={chapter.first_chunk}")
    for machine in page.xpath("//details | //div[@class='machine']"):
        machine.drop_tree()
    headings = [text_of(one) for one in page.xpath("//main//h2")]
    assert headings.count(chapter.headings[-1]) == 1
    assert text_of(page.xpath("//main")[0]).count(chapter.headings[-1]) == 1


def test_a_quotation_is_found_with_the_words_around_it(get: Get, library: Library) -> None:
    [place] = library.find("a figure of eight with a straight run")
    page = page_of(get, "find?q=a+figure+of+eight+with+a+straight+run")
    [snippet] = page.xpath("//p[@class='snippet']")
    assert text_of(snippet.xpath("mark")[0]) == place.words
    assert text_of(snippet).startswith("… ")
    assert f"The dance is {place.words} through the middle" in text_of(snippet)
    [link] = page.xpath("//a[@class='hit']/@href")
    marked = page_of(get, link.removeprefix("./").partition("#")[0]).xpath("//mark")
    assert place.words in text_of(marked[0])
    assert page.xpath("//form/@action") == ["./find"]


def test_words_that_no_passage_has_are_answered_by_meaning(get: Get, library: Library) -> None:
    asked = "insects tell their sisters where flowers grow by moving about"
    assert library.find(asked) == []
    page = page_of(get, f"find?q={asked.replace(' ', '+')}")
    assert "Closest in meaning:" in text_of(page)
    assert 1 <= len(page.xpath("//a[@class='hit']")) <= NEAREST
    assert json.loads(get(f"find.json?q={asked.replace(' ', '+')}").body) == []


def test_editions_of_a_work_are_one_on_the_shelf(
    get: Get, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    second, first = library.book("quiet"), library.book("machines")
    records = [
        replace(record, work=first.book_id) if record.book_id == second.book_id else record
        for record in library.books()
    ]
    monkeypatch.setattr(Library, "books", lambda self: records)
    [tile] = page_of(get, "").xpath(f"//ul[@class='shelf']/li[a[contains(@href, '{first.book_id[:16]}')]]")
    assert second.book_id[:16] in tile.xpath("span[@class='facts']/a/@href")[0]
    assert "also The Quiet Trades, EPUB, English" in text_of(tile)
    assert len(page_of(get, "").xpath("//ul[@class='shelf']/li")) == len(records) - 1
    about = page_of(get, f"book/{first.book_id[:16]}").xpath("//dl[@class='about']")[0]
    assert "Also asThe Quiet Trades, EPUB" in text_of(about)


def test_a_page_of_a_pdf_has_its_picture_and_its_text(get: Get, machines: str, library: Library) -> None:
    page = page_of(get, f"book/{machines}/page/5")
    assert page.xpath("//img/@src") == [f"../../../book/{machines}/page/5.png"]
    chunks = [*library.chunks("machines")]
    begins = {at.page: at.start for chunk in reversed(chunks) for at in chunk.pages}
    there = [
        chunk.text[max(0, begins[5] - chunk.start) : max(0, begins[6] - chunk.start)] for chunk in chunks
    ]
    shown = [text_of(one) for one in page.xpath("//div[@class='words']")]
    assert shown == [" ".join(text.split()) for text in there if text.strip()]
    assert sum(len(text) for text in shown) < sum(
        len(c.text) for c in chunks if (c.page_start or 0) <= 5 <= (c.page_end or 0)
    )
    picture = get(f"book/{machines}/page/5.png")
    assert picture.type == "image/png"
    width, height = struct.unpack(">II", picture.body[16:24])
    assert width == 1000
    assert height > width


@pytest.mark.parametrize("number", ["0", "99", "x", "-1", "²"])
def test_a_page_that_is_not_there_is_not_found(get: Get, machines: str, number: str) -> None:
    assert get(f"book/{machines}/page/{quote(number)}").status == 404
    assert get(f"book/{machines}/page/{quote(number)}.png").status == 404


def test_a_picture_is_written_as_it_is() -> None:
    pixels = bytes(range(2 * 3 * 3))
    file = png_of(PagePicture(width=2, height=3, pixels=pixels))
    data = file[file.index(b"IDAT") + 4 :]
    rows = zlib.decompressobj().decompress(data)
    assert b"".join(rows[row * 7 + 1 : row * 7 + 7] for row in range(3)) == pixels
    assert file.endswith(b"IEND" + struct.pack(">I", zlib.crc32(b"IEND")))


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("shelf.json", list[BookEntry]),
        ("search.json?q=lamp&author=marlow", serving.ResultsDocument),
        ("book/{quiet}.json", serving.BookDocument),
        ("book/{quiet}/read.json?chunk=0", serving.ReadingDocument),
        ("book/{machines}/page/5.json", serving.PageDocument),
        ("find.json?q=figure+of+eight", list[QuotationEntry]),
        ("cite.json?hit={hit}", serving.CitationsDocument),
    ],
)
def test_every_page_is_also_json(
    get: Get, library: Library, quiet: str, machines: str, path: str, document: Any
) -> None:
    hit = library.search("lamp", limit=1)[0].short_id
    path = path.format(quiet=quiet, machines=machines, hit=hit)
    response = get(path)
    assert (response.status, response.type) == (200, "application/json")
    Draft202012Validator(schema_of(document)).validate(json.loads(response.body))
    page = page_of(get, path.replace(".json", "").replace("shelf", ""))
    alternate = page.xpath("//link[@rel='alternate']/@href")[0]
    assert unescape(alternate).replace("%20", "+") == path.rpartition("/")[2]


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("search?q=x&author=nobody", 404, "No book has the author"),
        ("search?q=x&title=prince", 404, "There is no filter 'title'"),
        ("find?q=some+words+here&section=x", 404, "There is no filter 'section'"),
        ("cite?hit=nothing", 404, "is not the id of a hit"),
        ("book/{quiet}/read?chunk=999", 404, "There is no chunk 999"),
    ],
)
def test_what_is_wrong_is_said_on_the_page_and_in_json(
    get: Get, quiet: str, path: str, status: int, words: str
) -> None:
    path = path.format(quiet=quiet)
    response = get(path)
    assert response.status == status
    assert words in text_of(html.fromstring(response.body.decode()))
    answer = json.loads(get(re.sub(r"\?", ".json?", path)).body)
    assert words.casefold() in answer["error"]["what"].casefold()


def test_numbers_and_marks_of_any_form_do_no_harm(get: Get, quiet: str) -> None:
    for query in ("chunk=-1", "chunk=x", "mark=9-", "mark=99999999-999999999", "n=99&q=lamp", "limit=0&q=a"):
        assert get(f"book/{quiet}/read?{query}").status == 200
    assert get("search?q=lamp&limit=0").status == 200


def test_a_language_model_is_served_at_the_same_address(get: Get) -> None:
    call = {"name": "search", "arguments": {"query": "lamp", "limit": 1}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    response = get("mcp", "POST", json.dumps(message).encode(), content_type="application/json")
    assert response.status == 200
    assert "\n> " in json.loads(response.body)["result"]["content"][0]["text"]
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
    assert get("mcp", "POST", note, content_type="application/json").status == 202
    assert get("mcp", "POST", b"{", content_type="application/json").status == 400
    assert get("mcp", "POST", note, content_type="text/plain").status == 415
    assert get("mcp").status == 405


def test_books_added_by_another_program_appear(tmp_path: Path) -> None:
    shelf, store = tmp_path / "one.txt", tmp_path / "lib"
    shelf.write_text("A book about lighthouses. The lamp is lit at dusk.")
    assert alexandria("ingest", shelf, "--store", store).returncode == 0
    with Library(store) as library:
        site = Site(library, TOKEN, PORT)
        shown = Request("GET", f"/{TOKEN}/search.json?q=tides", {"host": f"127.0.0.1:{PORT}"})
        assert len(json.loads(site.respond(shown).body)["hits"]) == 1
        shelf.with_name("two.txt").write_text("A book about tides. The water comes twice a day.")
        added = alexandria("ingest", tmp_path / "two.txt", "--store", store)
        assert added.returncode == 0, added.stderr
        assert "tides" in json.loads(site.respond(shown).body)["hits"][0]["text"]


def test_the_marked_passage_is_framed_on_its_page(get: Get, library: Library, machines: str) -> None:
    hit = library.search("the machine", limit=1, book=machines)[0]
    assert hit.best is not None
    number = hit.cited_pages[0].page
    page = page_of(get, f"book/{machines}/page/{number}?mark={hit.best[0]}-{hit.best[1]}")
    frames = [
        [float(one.get(name)) for name in ("x", "y", "width", "height")] for one in page.xpath("//rect")
    ]
    assert len(frames) == sum(quad.page == number for quad in hit.quads) > 0
    picture = library.page_picture(machines, number or 0)
    for x, y, width, height in frames:
        inside = dark_share(picture, x, y, width, height)
        assert inside > 1.3 * dark_share(picture, 0, 0, 1000, 1000), (x, y, inside)


def dark_share(picture: PagePicture, x: float, y: float, width: float, height: float) -> float:
    """Return the share of dark pixels in a box of a picture, in thousandths of its sides."""
    grey = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width, 3)[:, :, 0]
    top, left = int(y * picture.height / 1000), int(x * picture.width / 1000)
    box = grey[
        top : top + int(height * picture.height / 1000), left : left + int(width * picture.width / 1000)
    ]
    return float((box < 128).mean())


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_box_is_found_on_pages_that_are_turned_and_cropped(tmp_path: Path, turn: int) -> None:
    file = tmp_path / "page.pdf"
    drawing = Canvas(str(file), pagesize=(400, 600))
    drawing.setPageRotation(turn)
    drawing.setCropBox((50, 100, 390, 580))
    drawing.rect(120, 300, 80, 10, stroke=0, fill=1)
    drawing.save()
    with IsolatedReader() as reader:
        picture = reader.draw(file, 1, width=500)
    box = to_frame(Quad(1, 120, 300, 200, 310), picture.transform)
    assert dark_share(picture, *box) > 0.9
    assert dark_share(picture, 0, 0, 1000, 1000) == pytest.approx(box[2] * box[3] / 1e6, rel=0.15)


def test_a_passage_is_opened_in_calibre_or_by_a_command(get: Get, tmp_path: Path, quiet: str) -> None:
    page = page_of(get, f"book/{quiet}/read?mark=200-230")
    assert text_of(page.xpath("//details[@class='cite']//code")[0]).startswith(
        f"alexandria open {quiet[:8]}-"
    )
    assert page.xpath("//a[starts-with(@href, 'calibre:')]") == []
    own = tmp_path / "Books" / "Ida Marlow" / "The Quiet Trades (7)" / "quiet.epub"
    own.parent.mkdir(parents=True)
    own.write_bytes((SAMPLES / "the-quiet-trades.epub").read_bytes())
    (tmp_path / "Books" / "metadata.db").touch()
    store = tmp_path / "lib"
    assert alexandria("ingest", own, "--store", store).returncode == 0
    with Library(store) as library:
        asked = f"/{TOKEN}/book/{library.books()[0].book_id}/read?mark=200-230"
        shown = Site(library, TOKEN, PORT).respond(Request("GET", asked, {"host": f"127.0.0.1:{PORT}"}))
    links: Any = html.fromstring(shown.body.decode()).xpath("//a[starts-with(@href, 'calibre:')]/@href")
    assert re.fullmatch(r"calibre://view-book/_hex_-\w+/7/EPUB\?open_at=epubcfi\(/.*\)", links[0])
