"""Scanned pages: what tesseract reads on them, what becomes of its words, and what a broken one can do."""

import html
import json
import os
import re
import signal
import threading
import time
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pytest

from alexandria.book.model import Book
from alexandria.errors import BookError, Code, ConfigError
from alexandria.extract import ReadOptions
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.isolated.recognition import ScanReader, ocr_choice
from alexandria.extract.notes.scanned_marks import RaisedEnd, with_marks
from alexandria.extract.ocr.hocr import read_hocr
from alexandria.extract.ocr.languages import code_of
from alexandria.extract.ocr.tesseract import recognise_script
from alexandria.extract.pdf.lines import Line, Page
from alexandria.extract.pdf.running_heads import separate_running_heads
from alexandria.extract.pdf.scanned import make_scanned_lines
from alexandria.extract.scans import Scan, ScannedPage, ScannedWord
from alexandria.system.machine import n_cpus
from tests.command import alexandria
from tests.extract.typeset import LONG, texts, typeset, write
from tests.scans import fake_tesseract, is_running, needs_tesseract, scan, wait_for

ENGLISH = ReadOptions(ocr="eng")
pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def scanned(tmp_path: Path) -> Path:
    """A PDF of two pages that are pictures, for programs that do not look at them."""
    return scan(write(tmp_path / "typeset.pdf", typeset(LONG[:1] * 9)), (0, 0), tmp_path / "scan.pdf")


def hocr(*lines: str, confidence: int = 95) -> str:
    """Return what tesseract prints for a page of these lines, in type of 20 pixels."""
    words = []
    for n, line in enumerate(lines):
        baseline, x = 120 + 28 * n, 100
        for word in line.split():
            characters, boxes = "", []
            for letter in word:
                high = 9 if letter in "acemnorsuvwxzgpqy,." else 14
                boxes.append((baseline - high, baseline + (4 if letter in "gpqy," else 0)))
                box = f"x_bboxes {x} {boxes[-1][0]} {x + 9} {boxes[-1][1]}; x_conf 99"
                characters += f"<span class='ocrx_cinfo' title='{box}'>{html.escape(letter)}</span>"
                x += 10
            top, bottom = min(top for top, _ in boxes), max(bottom for _, bottom in boxes)
            title = f"bbox {x - 10 * len(word)} {top} {x} {bottom}; x_wconf {confidence}"
            words.append((n, f"<span class='ocrx_word' title='{title}'>{characters}</span>"))
            x += 8
    body = "".join(
        f"<span class='ocr_line' title='bbox 100 {106 + 28 * n} 800 {120 + 28 * n}; baseline 0 0; x_size 20'>"
        + "".join(word for at, word in words if at == n)
        + "</span>"
        for n in range(len(lines))
    )
    return (
        f"<html><body><div class='ocr_page' title='image \"\"; bbox 0 0 874 1240'>{body}</div></body></html>"
    )


TEXT = hocr("It is a truth that everybody knows,", "and nobody has ever written it down", "before this day.")


@needs_tesseract
def test_a_scanned_page_is_read_cut_and_stored_with_its_confidence(tmp_path: Path) -> None:
    book = write(tmp_path / "typeset.pdf", typeset(LONG[:4]))
    path = scan(book, (0,), tmp_path / "scan.pdf")
    done = alexandria("ingest", path, "--ocr", "auto", "--store", tmp_path / "lib", "--json")
    line = json.loads(done.stdout.splitlines()[0])
    assert (done.returncode, line["status"]) == (0, "ingested"), done.stderr
    with IsolatedReader() as reader:
        read = reader.read(path, ReadOptions(ocr="auto"))
    assert texts(read)[0] == "A Book of Trials"
    for text, set_as in zip(texts(read)[1:4], LONG, strict=False):
        assert SequenceMatcher(None, text.split(), set_as.split()).ratio() > 0.95
    assert read.language == "en"
    done = alexandria("search", "the clay of a house", "--store", tmp_path / "lib", "--json")
    (hit,) = json.loads(done.stdout)["hits"][:1]
    assert 80 < hit["ocr_confidence"] <= 100


def test_each_page_is_read_once_and_kept(scanned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = fake_tesseract(monkeypatch, f"print({TEXT!r})")
    for _ in range(2):
        with IsolatedReader() as reader:
            book = reader.read(scanned, ENGLISH)
    assert len(log.read_text().splitlines()) == 2
    assert (
        texts(book)[0]
        == "It is a truth that everybody knows, and nobody has ever written it down before this day."
    )
    assert {block.ocr_confidence for block in book.blocks} == {95}


def test_pages_are_recognised_at_once_and_stay_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = "while len(open(log).readlines()) < 3: time.sleep(0.01)\n"
    number = "n = 'page' + str(sum(picture) % 9973)"
    fake_tesseract(monkeypatch, f"{wait}{number}; print({TEXT!r}.replace('>I<', '>' + n + '<'))")
    pages = scan(write(tmp_path / "typeset.pdf", typeset(LONG[:1])), [0] * 3, tmp_path / "scan.pdf")
    with IsolatedReader(pages_at_once=3) as reader:  # one by one, the first page would wait in vain
        book = reader.read(pages, ENGLISH)
        assert [helper.pid for helper in reader._helpers] == [None, None], "they end with the scan"
    assert len(set(re.findall(r"page\d+", book.text))) == 3
    with IsolatedReader(pages_at_once=1) as reader:
        assert reader.read(pages, ENGLISH, keep_pages=False) == book


def test_a_dry_run_recognises_three_pages_and_says_how_long_the_others_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fake_tesseract(monkeypatch, f"time.sleep(0.1); print({TEXT!r})")
    pages = scan(write(tmp_path / "typeset.pdf", typeset(LONG[:1])), [0] * 8, tmp_path / "scan.pdf")
    for _ in range(2):  # the second finds the three pages in the cache
        done = alexandria("ingest", pages, "--dry-run", "--json", "--store", tmp_path / "lib")
        estimate = json.loads(done.stdout)["estimate"]
        assert (estimate["n_books"], estimate["n_failed"], estimate["n_scanned_pages"]) == (1, 0, 5)
        assert len(log.read_text().splitlines()) == 3
        # The pages are recognised side by side.
        assert 5 * 0.1 / n_cpus() <= estimate["recognition_seconds"] < estimate["seconds"]
    done = alexandria("ingest", pages, "--dry-run", "--json", "--no-cache", "--store", tmp_path / "lib")
    assert json.loads(done.stdout)["estimate"]["n_scanned_pages"] == 8
    shown = alexandria("ingest", pages, "--dry-run", "--store", tmp_path / "lib").stdout
    assert "to recognise 5 scanned pages" in shown
    alexandria("ingest", pages, "--store", tmp_path / "lib")
    shown = alexandria("ingest", pages, "--dry-run", "--store", tmp_path / "lib").stdout
    assert "scanned pages" not in shown


def test_a_sample_of_blank_pages_is_enlarged(scanned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(monkeypatch, "")
    pages = Scan(tuple(map(str, range(18))), 18, "en")
    asked: list[int] = []

    def ask(key: str, languages: str) -> ScannedPage:
        asked.append(int(key))
        words = () if int(key) in (3, 9, 15) else row(3, y=100, size=20)
        return ScannedPage(874, 1240, 0.48, words, languages)

    sample = ScanReader(scanned, ask, keep=True).read_sample(pages, "auto")
    assert asked == [3, 9, 15, *(page for page in range(1, 18, 2) if page not in (3, 9, 15))]
    assert (len(sample.pages), sample.n_left) == (9, 9)


def test_pages_in_a_language_that_is_not_installed_are_not_left_to_recognise(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(monkeypatch, "")

    def ask(key: str, languages: str) -> ScannedPage:
        raise AssertionError(key)

    sample = ScanReader(scanned, ask, keep=True).read_sample(Scan(("0", "1"), 2, "en"), "xyz")
    assert sample.error is not None
    assert (sample.pages, sample.n_left) == ({}, 0)


def test_a_run_that_is_killed_goes_on_with_the_next_page(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(monkeypatch, "")
    pages = Scan(tuple("12345"), 5, "en")
    asked: list[str] = []

    def ask(key: str, languages: str) -> ScannedPage:
        asked.append(key)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return ScannedPage(874, 1240, 0.48, (), languages)

    with pytest.raises(KeyboardInterrupt):
        ScanReader(scanned, ask, keep=True).read(pages, "auto")
    read = ScanReader(scanned, ask, keep=True).read(pages, "auto")
    assert (asked, list(read.pages)) == ([*"1234", *"45"], [*"12345"])


def test_reading_a_scan_tells_how_long_its_pages_take(scanned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(monkeypatch, "")
    told: list[float | None] = []

    def ask(key: str, languages: str) -> ScannedPage:
        time.sleep(0.001)
        return ScannedPage(874, 1240, 0.48, (), languages)

    scan = Scan(tuple("1234"), 4, "en")
    ScanReader(scanned, ask, keep=True, recognised=told.append).read(scan, "auto")
    first, *pages, last, end = told
    assert (first, last, end) == (0.0, 0.0, None)
    assert [0.0 < (seconds or 0.0) < 60.0 for seconds in pages] == [True] * 3
    told.clear()
    ScanReader(scanned, ask, keep=True, recognised=told.append).read(scan, "auto")
    assert told == [0.0, *[0.0] * 4, None]  # all are in the cache
    told.clear()
    ScanReader(scanned, ask, keep=False, recognised=told.append).read(Scan(("1",), 1, "de"), "auto")
    assert told == [0.0, None]  # the language is missing


def test_the_language_is_that_of_the_book_or_of_its_middle(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(monkeypatch, "")
    german = "Es war ein König, der hatte eine Tochter, die war so schön, dass selbst die Sonne sich wunderte"

    def ask(key: str, languages: str) -> ScannedPage:
        words = tuple(ScannedWord(word, 0, 0, 9, 9, 20, 9, 0, 90, 0) for word in german.split())
        return ScannedPage(874, 1240, 0.48, words, languages or "eng")

    reader = ScanReader(scanned, ask, keep=False)
    for scan_of in (Scan(("1", "2"), 2, None), Scan(("1", "2"), 2, "de-AT")):
        error = reader.read(scan_of, "auto").error
        assert error is not None
        assert "lacks the language deu" in error.why
        assert "apt install tesseract-ocr-deu" in error.fix
    assert set(reader.read(Scan(("1",), 1, "de"), "eng").pages) == {"1"}


@pytest.mark.parametrize(
    ("printed", "script"),
    [
        ("Orientation in degrees: 0\nScript: Cyrillic\nScript confidence: 4.15", "Cyrillic"),
        ("Orientation in degrees: 0\nScript: Cyrillic\nScript confidence: 0.67", None),
        ("Script: Cyrillic", None),
        ("Too few characters. Skipping this page", None),
    ],
    ids=["sure", "unsure", "confidence unknown", "nothing"],
)
def test_a_script_that_the_program_guesses_does_not_decide_the_language(
    printed: str, script: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(monkeypatch, "", script=printed)
    assert recognise_script(b"", dpi=150, seconds=9) == script


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("while True: time.sleep(9)", "took more than 0.2 seconds"),
        ("while True: pass", "took more than"),
        ("os.kill(os.getpid(), 11)", "crashed"),
        ("sys.exit(3)", "exit code 3"),
        ("print('no page at all')", "not a page"),
        ("print('<html><body/></html>')", "not a page"),
        ("sys.stdout.buffer.write(os.urandom(4096))", "not a page"),
        ("while True: print('<html>' * 99999)", "printed more than 32 MiB"),
        (f"print({TEXT.replace('bbox 0 0 874 1240', 'bbox 0 0 874 0')!r})", "not a page"),
        ("print('<!DOCTYPE a [<!ENTITY b \"c\">]><html>&b;</html>')", "not a page"),
    ],
    ids=["hangs", "computes", "crashes", "fails", "text", "empty", "garbage", "floods", "flat", "entity"],
)
def test_a_broken_program_is_an_error_of_its_page(
    body: str, why: str, scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fake_tesseract(monkeypatch, body)
    monkeypatch.setenv("ALEXANDRIA_OCR_SECONDS", "0.2")
    with IsolatedReader() as reader, pytest.raises(BookError) as caught:
        reader.read(scanned, ENGLISH)
    assert caught.value.code is Code.DAMAGED
    assert why in caught.value.why
    pids = [int(line.split()[0]) for line in log.read_text().splitlines()]
    assert len(pids) == 2
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()], "no zombie stays"


def test_a_page_that_cannot_be_read_is_named_and_the_others_are_read(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"print({TEXT!r}) if len(open(log).readlines()) == 1 else sys.exit(1)"
    fake_tesseract(monkeypatch, body)
    with IsolatedReader(pages_at_once=1) as reader:
        book = reader.read(scanned, ENGLISH)
    assert len(texts(book)) == 1
    assert book.warnings[0].startswith("page 2 not read")
    assert "tesseract failed (exit code 1)" in book.warnings[1]


def test_pages_that_could_not_be_read_are_read_with_force_once_they_can(
    scanned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ingest(*words: str) -> dict[str, Any]:
        done = alexandria(
            "ingest", scanned, "--ocr", "eng", "--set", "model=hashing", "--store", tmp_path, "--json", *words
        )
        line: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
        return line

    body = f"print({TEXT!r}) if len(open(log).readlines()) == 1 else sys.exit(1)"
    fake_tesseract(monkeypatch, body)
    assert ingest()["status"] == "partial"
    fake_tesseract(monkeypatch, f"print({TEXT!r})")
    unchanged = ingest()
    assert unchanged["status"] == "unchanged"
    assert unchanged["remarks"] == ["it was stored with these warnings; force=True reads it again"]
    mended = ingest("--force")
    assert (mended["status"], mended["warnings"]) == ("ingested", [])
    assert ingest()["remarks"] == []


def test_pages_of_which_the_program_is_uncertain_are_named(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(monkeypatch, f"print({hocr('What is this I cannot see', confidence=59)!r})")
    with IsolatedReader() as reader:
        (warning,) = reader.read(scanned, ENGLISH).warnings
    assert warning.startswith("pages 1-2 read only in part")


@pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="only Linux ends a process with the one that started it"
)
def test_the_program_ends_with_a_reader_that_is_killed(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fake_tesseract(monkeypatch, "time.sleep(60)")
    errors: list[BookError] = []

    def read(reader: IsolatedReader) -> None:
        with pytest.raises(BookError) as caught:
            reader.read(scanned, ENGLISH)
        errors.append(caught.value)

    with IsolatedReader(pages_at_once=1) as reader:
        thread = threading.Thread(target=read, args=(reader,))
        thread.start()
        for n in (1, 2):  # the reader is started again for the second page
            wait_for(lambda n=n: log.exists() and len(log.read_text().splitlines()) == n)  # type: ignore[misc]
            assert reader.pid is not None
            os.kill(reader.pid, signal.SIGKILL)
        thread.join()
    assert errors[0].code in (Code.TOO_LARGE, Code.DAMAGED)
    for line in log.read_text().splitlines():
        pid = line.split()[0]
        wait_for(lambda pid=pid: not is_running(pid))  # type: ignore[misc]


def test_a_raised_sign_is_the_mark_of_the_note_at_the_foot() -> None:
    page = hocr("The duke had® it.")
    assert [word.n_raised for word in read_hocr(page.encode(), 150).words] == [0, 0, 0, 0]
    raised = page.replace("x_bboxes 216 106 225 120", "x_bboxes 216 100 225 110")
    assert raised != page
    assert [word.n_raised for word in read_hocr(raised.encode(), 150).words] == [0, 0, 1, 0]


def test_of_more_signs_than_notes_those_on_the_pages_of_the_notes_are_marks() -> None:
    def lines(page: int, *notes: str) -> tuple[Line, ...]:
        text = Line("a word* in the text", page, 60, 300, 400, 11)
        return text, *(Line(note, page, 60, 300, 50, 8) for note in notes)

    pages = {0: lines(0), 1: lines(1, "1. The first note."), 2: lines(2), 3: lines(3, "2. The other.")}
    signs = [RaisedEnd(page, 0, 6, 7, "*") for page in pages]
    marked = with_marks(pages, signs, 11)
    assert {page: [mark.label for mark in marked[page][0].marks] for page in pages} == {
        0: [],
        1: ["1"],
        2: [],
        3: ["2"],
    }


def test_a_note_between_two_others_whose_mark_is_too_faint_belongs_to_its_page() -> None:
    pages = {
        page: (
            Line("a word* in the text, which", page, 60, 300, 400, 11),
            Line("goes on below to a hy-", page, 60, 300, 386, 11),
            Line(f"{page + 1}. A note.", page, 60, 300, 50, 8),
        )
        for page in range(3)
    }
    marked = with_marks(pages, [RaisedEnd(page, 0, 6, 7, "*") for page in (0, 2)], 11)
    places = [(mark.start, mark.label) for lines in marked.values() for mark in lines[0].marks]
    assert places == [(6, "1"), (len("a word* in the text, which"), "2"), (6, "3")]


@pytest.mark.parametrize(
    ("confidence", "size", "n_heads"),
    [
        pytest.param(95, 9, 3, id="a scan"),
        pytest.param(95, 11, 0, id="type of the size of the text"),
        pytest.param(None, 9, 0, id="what is not read from a picture repeats itself"),
    ],
)
def test_small_type_alone_at_the_top_of_three_scanned_pages_is_a_head(
    confidence: float | None, size: float, n_heads: int
) -> None:
    pages = [
        Page(
            index,
            None,
            600,
            (
                Line(head, index, 100, 200, 560, size),
                *(
                    Line("a line" + index * 9 * "x" + n * "y", index, 60, 300, 520 - 13 * n, 11)
                    for n in range(9)
                ),
            ),
            confidence=confidence,
        )
        for index, head in enumerate(("The Prince", "V: Of Cities", "The Prinee"))
    ]
    assert len(separate_running_heads(pages, 11)[1]) == n_heads


def test_without_the_program_the_refusal_says_how_to_get_it(
    scanned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with IsolatedReader() as reader, pytest.raises(BookError, match="tesseract") as caught:
        reader.read(scanned, ReadOptions(ocr="auto"))
    assert caught.value.code is Code.NO_TEXT
    assert "apt install tesseract-ocr" in caught.value.fix
    with IsolatedReader() as reader, pytest.raises(BookError, match="it is a scan") as caught:
        reader.read(scanned, ReadOptions(ocr="off"))
    with pytest.raises(ConfigError, match="not installed"):
        ocr_choice("eng")


def test_a_language_that_is_not_there_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(monkeypatch, "")
    assert ocr_choice("eng") == "eng"
    with pytest.raises(ConfigError, match="lacks chi_sim") as caught:
        ocr_choice("eng+chi_sim")
    assert caught.value.fix.startswith("apt install tesseract-ocr-chi-sim")
    with pytest.raises(ConfigError, match="names no language"):
        ocr_choice("--psm 0")
    codes = [code_of(tag) for tag in ("en-GB", "zh-TW", "zh", "deu", "tlh")]
    assert codes == ["eng", "chi_tra", "chi_sim", "deu", None]


def test_a_hostile_picture_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(monkeypatch, f"print({TEXT!r})")
    document = pdfium.PdfDocument.new()
    for size in ((14400, 14400), (1, 14400)):
        page = document.new_page(*size)
        picture = pdfium.PdfImage.new(document)
        picture.set_bitmap(pdfium.PdfBitmap.new_native(1, 1, pdfium.raw.FPDFBitmap_Gray))
        picture.set_matrix(pdfium.PdfMatrix().scale(*size))
        page.insert_obj(picture)
        page.gen_content()
    document.save(tmp_path / "huge.pdf")
    with IsolatedReader() as reader:
        assert isinstance(reader.read(tmp_path / "huge.pdf", ENGLISH), Book)


def test_a_word_shows_its_size_where_its_letters_have_the_boxes_of_others() -> None:
    page = hocr("so many men")
    wrong = page
    for left in (128, 138, 148):  # the first letters of "many"
        wrong = wrong.replace(f"x_bboxes {left} 111 {left + 9} 120", f"x_bboxes {left} 95 {left + 9} 125")
    assert wrong.count(" 95 ") == 3
    sizes = [word.size for word in read_hocr(wrong.encode(), 150).words]
    assert sizes == pytest.approx([20, 20, 20], abs=1.5)


def row(
    n_words: int, *, y: int, size: float, left: int = 100, line: int = 0, text: str = "words"
) -> tuple[ScannedWord, ...]:
    """Return a line of equal words, each 80 pixels wide."""
    return tuple(
        ScannedWord(text, x, y - 20, x + 80, y, size, y, 0, 90, line)
        for x in range(left, left + 90 * n_words, 90)
    )


def test_heads_at_one_height_have_the_size_that_most_of_their_letters_show() -> None:
    pages = {
        index: ScannedPage(
            900,
            1200,
            1.0,
            (
                *(row(8, y=60, size=18) if index % 2 else row(1, y=60, size=21)),
                *row(8, y=200, size=22, line=1),
                *row(8, y=226, size=22, line=2),
            ),
        )
        for index in range(6)
    }
    heads = {lines[0].size for lines in make_scanned_lines(pages).values()}
    assert heads == {18}


def test_a_page_of_a_long_quotation_keeps_its_margins() -> None:
    """Pages are moved to where most of them are, but not those whose text is narrower."""
    pages = {
        index: ScannedPage(
            900, 1200, 1.0, (*row(n, y=100, size=22, left=left), *row(n, y=126, size=22, left=left, line=1))
        )
        for index, (n, left) in zip(range(0, 8, 2), [(8, 100), (8, 108), (8, 100), (7, 145)], strict=True)
    }
    lefts = [round(lines[0].x0) for lines in make_scanned_lines(pages).values()]
    assert lefts == [104, 104, 104, 145]


def test_boxes_that_no_page_has_are_left_out() -> None:
    page = hocr("so many men")
    letter = page.replace("x_bboxes 100 111 109 120", "x_bboxes 109 120 100 -1")
    word = page.replace("title='bbox 100 111 120 120; x_wconf", "title='bbox 100 999999999 120 120; x_wconf")
    assert letter != page != word
    texts = [[word.text for word in read_hocr(text.encode(), 150).words] for text in (letter, word)]
    assert texts == [["so", "many", "men"], ["many", "men"]]


def test_a_picture_of_very_many_pixels_has_type_of_a_size() -> None:
    page = ScannedPage(90_000, 1200, 0.0048, row(3, y=100, size=9))
    assert [line.size for line in make_scanned_lines({0: page})[0]] == [1]


def test_a_line_of_two_words_of_different_sizes_is_read() -> None:
    words = (*row(1, y=100, size=20), *row(1, y=100, size=60, left=200))
    (lines,) = make_scanned_lines({0: ScannedPage(900, 1200, 1.0, words)}).values()
    assert [line.size for line in lines] == [20]


@pytest.mark.parametrize(
    ("sizes", "margin", "expected"),
    [
        pytest.param((22, 26, 22), 100, (22, 22, 22), id="a line measured wrongly has its neighbours' size"),
        pytest.param((22, 26, 22), 160, (22, 26, 22), id="a line at another margin is another line"),
        pytest.param((22, 30, 22), 100, (22, 30, 22), id="a much larger one is a heading"),
        pytest.param((22, 26, 18), 100, (22, 26, 18), id="neighbours of two sizes tell nothing"),
    ],
)
def test_a_line_within_a_paragraph_has_the_size_of_those_around_it(
    sizes: tuple[int, ...], margin: int, expected: tuple[int, ...]
) -> None:
    lefts = (100, margin, 100)
    words = tuple(
        ScannedWord(
            f"word{i}s",
            lefts[i] + 90 * n,
            30 * i,
            lefts[i] + 90 * n + 80,
            30 * i + 20,
            size,
            30 * i,
            0,
            90,
            i,
        )
        for i, size in enumerate(sizes)
        for n in range(8)
    )
    (lines,) = make_scanned_lines({0: ScannedPage(900, 1200, 1.0, words)}).values()
    assert tuple(round(line.size) for line in lines) == expected


@pytest.mark.parametrize(
    ("leading", "expected"),
    [
        pytest.param(25, (22, 22, 22), id="the last line of a paragraph, of one word"),
        pytest.param(50, (22, 29, 22), id="a heading of one word"),
    ],
)
def test_the_size_of_a_line_of_one_word_is_uncertain(leading: int, expected: tuple[int, ...]) -> None:
    words = tuple(
        ScannedWord("theirs", 90 * n, leading * i, 90 * n + 80, leading * i + 20, size, leading * i, 0, 90, i)
        for i, (size, n_words) in enumerate(((22, 8), (29, 1), (22, 8)))
        for n in range(n_words)
    )
    (lines,) = make_scanned_lines({0: ScannedPage(900, 1200, 1.0, words)}).values()
    assert tuple(round(line.size) for line in lines) == expected
