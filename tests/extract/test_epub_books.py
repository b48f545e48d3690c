"""The real EPUBs of the shared folder: each word is in the text, in a note, or counted as left out.

The words are counted by a second, plainer reader below, which shares no code with the extractor.
"""

import os
import posixpath
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from ebooklib import epub as ebooklib_epub  # type: ignore[import-untyped]  # ships no types
from lxml import etree

from alexandria.book.model import Book
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, extract
from tests.real import read_once

pytestmark = pytest.mark.shared

Words = Counter[str]
Element = etree._Element
# The same folder as the fixture's: names are needed before fixtures are, to make a test of each book.
ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("ALEXANDRIA_SHARED_DATA", ROOT.parent / "shared" / "data")) / "epub"
BOOKS = sorted(path.name for path in FOLDER.glob("*.epub"))
PICTURES_ONLY = {"idpf-svg-in-spine.epub", "w3c-pub-foreign_bad-fallback.epub"}
# Not well-formed, or no XHTML in the spine: the plain reader cannot follow.
BEYOND_PLAIN = {
    "idpf-haruko-jpeg.epub",
    "w3c-pub-foreign_xml-spine.epub",
    "w3c-pub-xml-non-validating_unclosed.epub",
}
READABLE = [name for name in BOOKS if name not in PICTURES_ONLY]
COUNTED = [name for name in READABLE if name not in BEYOND_PLAIN]

OPF = "{http://www.idpf.org/2007/opf}"
TYPE = "{http://www.idpf.org/2007/ops}type"
INLINE = set(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q ruby rb s samp small span
    strike strong sub sup time tt u var wbr default switch""".split()  # noqa: SIM905
)
SKIPPED = {"script", "style", "rt", "rp", "math", "audio", "video"}
UNCOUNTED = {"note_mark", "page_number", "line_numbers", "ruby"}  # which the plain reader skips as well
MARKS = {"noteref", "backlink", "pagebreak"}
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


@pytest.fixture(scope="module")
def books(shared_data: Path) -> Path:
    return shared_data / "epub"


def bodies(path: Path) -> list[Element]:
    """The body (of SVG, the root) of each document in the spine."""
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read("META-INF/container.xml"))
        opf = next(e for e in root.iter("{*}rootfile")).get("full-path", "")
        package = etree.fromstring(archive.read(opf))
        items = {item.get("id"): item for item in package.iter(f"{OPF}item")}
        found = []
        for ref in package.iter(f"{OPF}itemref"):
            href = items[ref.get("idref")].get("href", "")
            name = posixpath.normpath(posixpath.join(posixpath.dirname(opf), unquote(href)))
            document = etree.fromstring(archive.read(name), etree.XMLParser(resolve_entities=False))
            found.append(next(document.iter("{*}body"), document))
        return found


def words(element: Element) -> Words:
    """The words inside, with pictures' texts, without note marks, page breaks, ruby readings and formulas."""
    parts: list[str] = []
    gather(element, parts)
    return Counter(INVISIBLE.sub("", unicodedata.normalize("NFC", "".join(parts))).split())


def gather(element: Element, parts: list[str]) -> None:
    if not isinstance(element.tag, str):
        return
    name = etree.QName(element).localname
    if name in SKIPPED or element.get("class") == "lnum" or MARKS & set((element.get(TYPE) or "").split()):
        return
    space = "" if name in INLINE else " "
    parts += [space, element.text or "", f" {element.get('alt') or ''} " if name == "img" else ""]
    for child in element:
        gather(child, parts)
        parts.append(child.tail or "")
    parts.append(space)


def types_of(element: Element) -> set[str]:
    return set((element.get(TYPE) or "").split())


def words_of(book: Book) -> Words:
    return total([book.text.split(), *(note.text.split() for note in book.notes)])


def total(parts: Iterable[Iterable[str]]) -> Words:
    """Return the words of all; a sum of counters would copy those before, once for each."""
    words = Words()
    for part in parts:
        words.update(part)
    return words


@pytest.mark.parametrize("name", COUNTED)
def test_text_notes_and_left_out_account_for_every_word(books: Path, name: str) -> None:
    documents = bodies(books / name)
    source = total(map(words, documents))
    whole = extract(books / name, ReadOptions(keep_matter=True))
    words_of_whole = words_of(whole)
    missing = source - words_of_whole
    left_out = sum(left.words for left in whole.left_out if left.kind in ("hidden", "notes"))
    if any(body.find(".//{*}math") is not None for body in documents):
        assert missing.total() <= left_out  # a word may stand in a formula as well
        return
    assert missing.total() == left_out
    # The numbers that browsers print before the items of a list are not in the file.
    added = words_of_whole - source
    assert [word for word in added if not re.fullmatch(r"(?:\d+|[a-zA-Z]|[ivxlcIVXLC]+)\.", word)] == []
    book = read_once(books / name)
    if not (book.language or "").startswith("ja"):  # words of Japanese are counted by character
        counted = sum(left.words for left in book.left_out if left.kind not in UNCOUNTED)
        assert words_of(book).total() + counted == source.total() + added.total()


@pytest.mark.parametrize("name", COUNTED)
def test_every_mark_of_a_note_in_the_text_is_linked(books: Path, name: str) -> None:
    marks = [e for body in bodies(books / name) for e in body.iter("{*}a") if "noteref" in types_of(e)]
    outside = {"endnotes", "footnote", "rearnote", "rearnotes", "colophon"}
    in_text = [e for e in marks if not any(outside & types_of(a) for a in e.iterancestors())]
    book = read_once(books / name)
    linked = {note.href.partition("#")[2] for note in book.notes if note.href and note.cited_at is not None}
    assert {e.get("href", "").partition("#")[2] for e in in_text} == linked
    assert not [warning for warning in book.warnings if "note" in warning]
    assert all(note.text for note in book.notes)


@pytest.mark.parametrize("name", READABLE)
def test_blocks_are_slices_in_order(books: Path, name: str) -> None:
    book = read_once(books / name)
    assert all(book.text[b.start : b.end] == b.text == b.text.strip() for b in book.blocks)
    assert all(a.end < b.start for a, b in pairwise(book.blocks))
    assert book.title
    assert book.language


@pytest.mark.parametrize("name", sorted(PICTURES_ONLY & set(BOOKS)))
def test_books_of_pictures_are_refused(books: Path, name: str) -> None:
    with pytest.raises(BookError) as caught:
        extract(books / name)
    assert caught.value.code is Code.NO_TEXT


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", [n for n in COUNTED if re.match("russell|marcus|shelley|whitman", n)])
def test_ebooklib_reads_the_same_text_in_the_same_order(books: Path, name: str) -> None:
    text = extract(books / name, ReadOptions(keep_matter=True)).text
    theirs = ebooklib_epub.read_epub(str(books / name), options={"ignore_ncx": True})
    at = 0
    for id, _ in theirs.spine:
        document = etree.fromstring(theirs.get_item_with_id(id).get_content())
        for paragraph in document.iter("{*}p"):
            if any(
                "noteref" in types_of(e) or "endnotes" in types_of(e)
                for e in (*paragraph.iter(), *paragraph.iterancestors())
            ):
                continue
            line = INVISIBLE.sub("", "".join(map(str, paragraph.itertext()))).split()
            found = re.compile(r"\s+".join(map(re.escape, line))).search(text, at)
            assert found, line
            at = found.start()
    assert at > 0.8 * len(text)


def test_chapters_read_as_in_the_contents(books: Path) -> None:
    book = read_once(books / "russell-the-problems-of-philosophy.epub")
    assert [s.headings for s in book.sections][:3] == [
        ("Preface",),
        ("I: Appearance and Reality",),
        ("II: The Existence of Matter",),
    ]
    assert (len(book.sections), {s.level for s in book.sections}) == (17, {1})


def test_verse_keeps_its_lines(books: Path) -> None:
    book = read_once(books / "whitman-leaves-of-grass.epub")
    assert "I celebrate myself, and sing myself,\nAnd what I assume you shall assume,\n" in book.text
