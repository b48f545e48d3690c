"""What the PDF reader must reach on real books: words, paragraphs, chapters and notes against known text."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alexandria.book.model import Book
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, extract
from tests.real import read_once

BOOKS = (
    "darwin-the-voyage-of-the-beagle",
    "machiavelli-the-prince-2col",
    "russell-the-problems-of-philosophy",
    "shelley-frankenstein",
)
BAND = 400
"""Words by which two readings may drift apart before the alignment loses them."""

GOOD = {
    "carroll-alice-pg": 69,
    "encrypted-empty-user-aes128": 10,
    "mixed-text-and-scanned": 6,
    "pypdf-002-trivial-libre-office-writer": 1,
    "pypdf-GeoTopo-komprimiert": 117,
    "pypdf-annotated_pdf": 1,
    "pypdf-habibi": 1,
    "pypdf-libre-office-link": 1,
    "pypdf-minimal-document": 1,
    "pypdf-pdflatex-4-pages": 4,
    "pypdf-pdflatex-forms": 1,
    "pypdf-pdflatex-outline": 4,
    "pypdf-reportlab-overlay": 1,
}
BAD = {
    "debian-gnu-linux-guide-pg": Code.GARBLED,
    "encrypted-user-secret-aes256": Code.PASSWORD,
    "encrypted-user-secret-rc4": Code.PASSWORD,
    "garbage-no-tounicode": Code.GARBLED,
    "pypdf-grayscale-image": Code.NO_TEXT,
    "pypdf-imagemagick-ASCII85Decode": Code.NO_TEXT,
    "pypdf-imagemagick-CCITTFaxDecode": Code.NO_TEXT,
    "pypdf-libreoffice-writer-password": Code.PASSWORD,
    "scanned-3p-grey": Code.NO_TEXT,
}


def align(truth: list[str], read: list[str]) -> tuple[int, dict[int, int]]:
    """Return the edit distance in words, and for each word read the index of the true word.

    Levenshtein's table, a row a true word, computed only within `BAND` of the diagonal.
    """
    ids: dict[str, int] = {}
    a = np.array([ids.setdefault(word, len(ids)) for word in truth])
    b = np.array([ids.setdefault(word, len(ids)) for word in read])
    width = 2 * BAND + 1
    slope = len(b) / len(a)
    centres = np.rint(np.arange(len(a) + 1) * slope).astype(int)
    back = np.zeros(
        (len(a) + 1, width), dtype=np.uint8
    )  # 0 substitute or match, 1 a word lost, 2 a word added
    columns = np.arange(-BAND, BAND + 1)
    row = np.where(columns >= 0, columns, 1 << 20).astype(np.int32)
    for i in range(1, len(a) + 1):
        shift = centres[i] - centres[i - 1]
        j = columns + centres[i]
        before = np.full(width + 2, 1 << 20, dtype=np.int32)
        before[1 : width + 1] = row
        take = np.clip(np.arange(width) + shift + 1, 0, width + 1)
        lost = before[take] + 1
        inside = (j >= 1) & (j <= len(b))
        same = np.zeros(width, dtype=bool)
        same[inside] = b[j[inside] - 1] == a[i - 1]
        matched = np.where(inside, before[np.clip(take - 1, 0, width + 1)] + ~same, 1 << 20)
        best = np.where(j >= 0, np.minimum(matched, lost), 1 << 20)
        # A run of added words: the least of best[k] + (n - k) over k <= n.
        row = (np.minimum.accumulate(best - np.arange(width)) + np.arange(width)).astype(np.int32)
        back[i] = np.where(row < best, 2, np.where(matched <= lost, 0, 1))
    return _walk_back(back, centres, row, len(b))


def _walk_back(
    back: "np.ndarray[Any, Any]", centres: "np.ndarray[Any, Any]", row: "np.ndarray[Any, Any]", n: int
) -> tuple[int, dict[int, int]]:
    i, j = len(back) - 1, n
    distance = int(row[j - centres[i] + BAND])
    pairs: dict[int, int] = {}
    while i > 0 and j > 0:
        step = back[i, j - centres[i] + BAND]
        if step == 0:
            i, j = i - 1, j - 1
            pairs[j] = i
        elif step == 1:
            i -= 1
        else:
            j -= 1
    return distance, pairs


def paragraph_starts(paragraphs: list[str]) -> set[int]:
    """The index of each paragraph's first word."""
    starts, at = set(), 0
    for paragraph in paragraphs:
        starts.add(at)
        at += len(paragraph.split())
    return starts


@pytest.fixture(scope="module")
def books(shared_data: Path) -> dict[str, Book]:
    return {name: read_once(shared_data / "pdf" / f"{name}.pdf") for name in BOOKS}


@pytest.mark.shared
@pytest.mark.parametrize("name", BOOKS)
def test_words_and_paragraphs_are_those_of_the_truth(
    name: str, books: dict[str, Book], shared_data: Path
) -> None:
    truth = (shared_data / "pdf" / f"{name}.truth.txt").read_text()
    book = books[name]
    wanted, read = truth.split(), book.text.split()
    errors, pairs = align(wanted, read)
    assert errors / len(wanted) <= 0.005

    true_starts = paragraph_starts(re.split(r"\n\s*\n", truth.strip()))
    starts = {pairs.get(at) for at in paragraph_starts([block.text for block in book.blocks])}
    assert len(true_starts & starts) / len(starts) >= 0.95
    assert len(true_starts & starts) / len(true_starts) >= 0.95


@pytest.mark.shared
@pytest.mark.parametrize("name", BOOKS)
def test_chapters_have_their_titles_and_pages(name: str, books: dict[str, Book], shared_data: Path) -> None:
    chapters = json.loads((shared_data / "pdf" / f"{name}.chapters.json").read_text())["chapters"]
    read = [
        (s.headings[-1], s.blocks[0].location.page, s.blocks[0].location.page_label)
        for s in books[name].sections
    ]
    assert read == [(c["title"], c["pdf_page"], str(c["printed_page"])) for c in chapters]


@pytest.mark.shared
@pytest.mark.parametrize("name", BOOKS)
def test_notes_stand_apart_and_know_where_they_are_cited(
    name: str, books: dict[str, Book], shared_data: Path
) -> None:
    notes = json.loads((shared_data / "pdf" / f"{name}.footnotes.json").read_text())
    book = books[name]
    read = {note.text: note for note in book.notes}
    found = [note for note in notes if note["text"] in read]
    assert len(found) >= 0.95 * len(notes)
    assert not [note for note in notes if note["text"] in book.text]
    cited = [read[note["text"]].cited_at for note in found]
    # The truth's words before a mark may hold the mark of the note before it.
    ends = [re.sub(r"\d", "", note["anchor_before"])[-12:].split()[-1] for note in found]
    right = [
        at is not None and re.sub(r"\d", "", book.text[:at]).endswith(end)
        for at, end in zip(cited, ends, strict=True)
    ]
    assert sum(right) >= 0.95 * len(notes)


@pytest.mark.shared
@pytest.mark.parametrize("name", GOOD)
def test_good_files_are_read(name: str, shared_data: Path) -> None:
    book = read_once(shared_data / "pdf" / f"{name}.pdf")
    assert book.n_pages == GOOD[name]
    assert book.text


@pytest.mark.shared
def test_pages_without_text_are_named(shared_data: Path) -> None:
    (warning,) = read_once(shared_data / "pdf" / "mixed-text-and-scanned.pdf").warnings
    assert warning.startswith("pages 4-6")


@pytest.mark.shared
@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_by_their_own_code(name: str, shared_data: Path) -> None:
    with pytest.raises(BookError) as caught:
        extract(shared_data / "pdf" / f"{name}.pdf")
    assert caught.value.code == BAD[name]


@pytest.mark.shared
@pytest.mark.parametrize("cipher", ["aes256", "rc4"])
def test_a_password_opens_an_encrypted_book(cipher: str, shared_data: Path) -> None:
    path = shared_data / "pdf" / f"encrypted-user-secret-{cipher}.pdf"
    assert extract(path, ReadOptions(password="secret")).n_pages == 10
    with pytest.raises(BookError, match="password is wrong"):
        extract(path, ReadOptions(password="guess"))
