"""EPUBs whose chapters are pictures: read like scanned pages, in the order and sections of the book."""

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from PIL import Image

from alexandria.book.model import Book
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, extract
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.ocr import tesseract
from alexandria.system.cache import books_folder
from tests.command import alexandria
from tests.extract.test_scans import hocr
from tests.extract.typeset import LONG, texts, typeset, write
from tests.forks import Forked
from tests.scans import fake_tesseract, is_running, needs_tesseract, pictures, started_by, wait_for

ENGLISH = ReadOptions(ocr="eng")
TEXT = hocr("It is a truth that everybody knows,", "and nobody has ever written it down", "before this day.")
pytestmark = pytest.mark.usefixtures("own_cache")


def picture(grey: int = 255) -> bytes:
    packed = io.BytesIO()
    Image.new("L", (20, 30), grey).save(packed, "PNG")
    return packed.getvalue()


def page(shown: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head><body>{shown}</body></html>'


def picture_book(
    path: Path,
    members: Sequence[bytes],
    *,
    texts: Sequence[str] = (),
    contents: str = "",
    language: str = "en",
    suffix: str = "png",
) -> Path:
    """Write an EPUB of a document for each picture, and then one for each text."""
    shown = [
        page(f'<div><img src="img/{n}.{suffix}" alt=""/></div>')
        if n % 2
        else page(
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
            f'<image xlink:href="img/{n}.{suffix}"/></svg>'
        )
        for n in range(len(members))
    ] + [page(f"<p>{text}</p>") for text in texts]
    items = "".join(
        f'<item id="p{n}" href="p{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(shown))
    )
    refs = "".join(f'<itemref idref="p{n}"/>' for n in range(len(shown)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book of Pictures</dc:title>'
        f"<dc:language>en</dc:language></metadata>"
        f'<manifest>{items}<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f"</manifest><spine>{refs}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    nav = f'<nav epub:type="toc" xmlns:epub="http://www.idpf.org/2007/ops"><ol>{contents}</ol></nav>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("p.opf", package)
        archive.writestr("n.xhtml", page(nav))
        for n, member in enumerate(members):
            archive.writestr(f"img/{n}.{suffix}", member)
        for n, document in enumerate(shown):
            archive.writestr(f"p{n}.xhtml", document)
    return path


def read(path: Path, options: ReadOptions = ENGLISH) -> Book:
    with IsolatedReader() as reader:
        return reader.read(path, options)


@needs_tesseract
def test_the_pictures_of_an_epub_are_read_in_its_sections(tmp_path: Path) -> None:
    source = write(tmp_path / "typeset.pdf", typeset(LONG[:4]))
    members = []
    for scanned in pictures(source, (0,)):
        packed = io.BytesIO()
        scanned.save(packed, "JPEG")
        members.append(packed.getvalue())
    contents = "".join(
        f'<li><a href="p{n}.xhtml">{title}</a></li>' for n, title in ((0, "Clay"), (1, "More"))
    )
    book = read(picture_book(tmp_path / "book.epub", members, texts=["A few words more."], contents=contents))
    assert (book.format, book.title, book.n_pages) == ("epub", "A Book of Pictures", None)
    for text, set_as in zip(texts(book)[1:4], LONG, strict=False):
        assert SequenceMatcher(None, text.split(), set_as.split()).ratio() > 0.95
    first, *_, last = book.blocks
    assert (first.location.href, first.location.page, first.source) == ("p0.xhtml", None, "")
    assert first.ocr_confidence is not None
    assert first.ocr_confidence > 80
    assert (last.text, last.location.href, last.ocr_confidence) == ("A few words more.", "p1.xhtml", None)


def test_sections_follow_the_contents_and_each_passage_names_its_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fake_tesseract(monkeypatch, f"print({TEXT!r})")
    contents = '<li><a href="p0.xhtml">One</a></li><li><a href="p2.xhtml">Two</a></li>'
    path = picture_book(tmp_path / "book.epub", [picture(n) for n in range(4)], contents=contents)
    for _ in range(2):
        book = read(path)
    assert len(log.read_text().splitlines()) == 4  # each picture once, and kept
    assert "--dpi" not in log.read_text()
    assert [(s.headings, [block.location.href for block in s.blocks]) for s in book.sections] == [
        (("One",), ["p0.xhtml", "p1.xhtml"]),
        (("Two",), ["p2.xhtml", "p3.xhtml"]),
    ]


def test_a_run_that_is_killed_in_the_middle_leaves_the_rest_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = tmp_path / "killed"
    log = fake_tesseract(
        monkeypatch,
        "begun = [line.split()[0] for line in open(log)]\n"
        "is_late = begun.index(str(os.getpid())) >= 2\n"
        f"while is_late and not os.path.exists({str(killed)!r}): time.sleep(0.02)\n"
        f"print({TEXT!r})",
    )
    book = picture_book(tmp_path / "book.epub", [picture(n) for n in range(5)])
    arguments = ["ingest", str(book), "--model", "hashing", "--store", str(tmp_path / "lib")]
    run = Forked(arguments, env=os.environ, cwd=tmp_path, prints=subprocess.DEVNULL)
    wait_for(lambda: log.exists() and len(log.read_text().splitlines()) >= 3)
    wait_for(lambda: len(list(books_folder().rglob("*.page"))) >= 2)
    readers = started_by(str(run.pid))
    assert readers or not Path("/proc").is_dir()
    run.kill()
    run.wait()
    killed.touch()
    # Each still finishes its page: it must not start the program of the next test for that.
    wait_for(lambda: not any(map(is_running, readers)))
    done = alexandria(*arguments, "--json")
    assert json.loads(done.stdout.splitlines()[0])["status"] == "ingested", done.stderr
    pictures = [line.split()[1] for line in log.read_text().splitlines()]
    assert len(set(pictures)) == 5
    assert not set(pictures[:2]) & set(pictures[2:]), "two of five were finished and kept"


def test_a_book_with_a_cover_and_plates_is_not_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fake_tesseract(monkeypatch, f"print({TEXT!r})")
    path = picture_book(tmp_path / "book.epub", [picture(), picture(9)], texts=[" ".join(LONG[:8])])
    assert {block.ocr_confidence for block in read(path).blocks} == {None}
    assert not log.exists()


def test_a_book_of_drawings_alone_has_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(monkeypatch, f"print({TEXT!r})")
    path = picture_book(tmp_path / "book.epub", [b"<svg/>", b"<svg/>"], suffix="svg")
    with pytest.raises(BookError) as caught:
        read(path)
    assert caught.value.code is Code.NO_TEXT


def test_what_is_no_picture_is_not_handed_to_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tesseract would read the files that a list names."""
    log = fake_tesseract(monkeypatch, f"print({TEXT!r})")
    members = [b"/etc/passwd\n/tmp/other.png\n", b"<svg/>", b""]
    with IsolatedReader() as reader:
        with pytest.raises(BookError, match="not a JPEG, PNG, GIF or WebP") as caught:
            reader.read(picture_book(tmp_path / "book.epub", members), ENGLISH)
        assert caught.value.code is Code.DAMAGED
        assert not log.exists()
        book = reader.read(picture_book(tmp_path / "mixed.epub", [picture(), *members]), ENGLISH)
    assert len(texts(book)) == 1
    assert book.warnings[0] == "img/1.png, img/2.png, img/3.png not read"


def test_without_the_program_or_without_words_the_refusal_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = picture_book(tmp_path / "book.epub", [picture()])
    for program, fix in (None, "install tesseract"), ("/bin/tesseract", "read pictures with --ocr auto;"):
        monkeypatch.setattr(tesseract, "find_program", lambda program=program: program)
        with pytest.raises(BookError, match="images and no text") as caught:
            extract(path)
        assert caught.value.fix.startswith(fix)
    monkeypatch.undo()
    fake_tesseract(monkeypatch, f"print({hocr()!r})")
    with pytest.raises(BookError, match="no words were found on them"):
        read(path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BookError, match="tesseract") as caught:
        read(path, ReadOptions(ocr="auto"))
    assert caught.value.code is Code.NO_TEXT
