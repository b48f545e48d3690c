"""The boxes that frame a passage in the picture of its page."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria import Library
from alexandria.book.model import PagePicture
from alexandria.chunking.sentences import split
from alexandria.doors.web.frames import Frame, frames, to_frame
from alexandria.extract import extract
from alexandria.extract.pdf.picture import draw_page
from alexandria.library.search.alignment import Letters
from alexandria.store.passage import Passage
from tests.conftest import SAMPLES


def letters_in(frame: Frame, picture: PagePicture) -> str:
    """Return the letters whose middle is in a frame."""
    x, y, width, height = frame
    a, b, c, d, e, f = picture.transform
    boxes = np.frombuffer(picture.boxes, np.float32).reshape(-1, 4)
    across, up = boxes[:, [0, 2]].mean(axis=1), boxes[:, [1, 3]].mean(axis=1)
    at_x, at_y = 1000 * (a * across + c * up + e), 1000 * (b * across + d * up + f)
    inside = (x <= at_x) & (at_x <= x + width) & (y <= at_y) & (at_y <= y + height)
    return Letters.of("".join(picture.letters[i] for i in np.flatnonzero(inside))).text


def test_the_frames_of_each_sentence_hold_its_letters_and_no_others(library: Library) -> None:
    file = SAMPLES / "small-machines.pdf"
    book = next(record for record in library.books() if record.format == "pdf")
    assert Path(book.source).name == file.name
    pictures = {number: draw_page(file, number, width=100) for number in range(1, (book.n_pages or 0) + 1)}
    read = extract(file)
    passages = library.read(book.book_id, 0, before=0, after=book.n_chunks)
    n_part_lines = 0
    for sentence in split(read):
        text = read.text[sentence.start : sentence.end]
        passage = next(one for one in passages if one.start <= sentence.start < one.end)
        passage = replace(passage, best=(sentence.start, sentence.end))
        n_part_lines += sum(part.quad != part.line for part in passage.line_parts)
        seen = [
            letters_in(frame, picture)
            for number, picture in pictures.items()
            for frame in frames(passage, number, picture)
        ]
        assert "".join(seen) == Letters.of(text).text, text
    assert n_part_lines > 50


def passage_of(text: str, anchors: str, best: tuple[int, int]) -> Passage:
    return Passage(
        id="1", payload={"text": text, "start": 0, "end": len(text), "anchors": anchors}, best=best
    )


@pytest.mark.parametrize(
    ("printed", "text", "quoted", "letters"),
    [
        pytest.param("iiiiiiiiii Wide", "iiiiiiiiii Wide", "Wide", "wide", id="narrow letters before"),
        pytest.param("go and go and go!", "go and go and go!", "go", "go", id="the last of several"),
        pytest.param(
            "see 7 the notes below", "see the notes below", "the notes", "thenotes", id="a note's mark"
        ),
        pytest.param(
            "said12so they all", "said so they all", "said so they", "said12sothey", id="a mark inside"
        ),
    ],
)
def test_a_part_of_a_line_is_framed_letter_by_letter(
    tmp_path: Path, printed: str, text: str, quoted: str, letters: str
) -> None:
    file = tmp_path / "page.pdf"
    drawing = Canvas(str(file), pagesize=(400, 600))
    drawing.setFont("Helvetica", 10)
    drawing.drawString(50, 500, printed)
    drawing.drawString(50, 486, text)  # the same words in the line below
    drawing.save()
    picture = draw_page(file, 1, width=100)
    right = round(50 + drawing.stringWidth(printed, "Helvetica", 10))
    start = text.rindex(quoted)
    passage = passage_of(text, f"0 1 50 498 {right} 508", (start, start + len(quoted)))
    (frame,) = frames(passage, 1, picture)
    assert letters_in(frame, picture) == letters
    x, y, _, height = frame
    assert letters_in((0, y, x, height), picture) == Letters.of(printed).text.rpartition(letters)[0]


def test_without_letters_on_the_page_the_frame_is_the_estimate() -> None:
    passage = passage_of("some words here", "0 1 50 498 200 508", (0, 10))
    picture = PagePicture(width=1, height=1, pixels=b"\0\0\0")
    assert frames(passage, 1, picture) == [to_frame(passage.quads[0], picture.transform)]
    assert frames(passage, 2, picture) == []
