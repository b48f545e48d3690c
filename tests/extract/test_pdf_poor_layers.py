"""Text layers that are worse than none: they are named, and read again in a language that the user names."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from alexandria.extract import ReadOptions, extract
from alexandria.extract.scans import ScannedPage, ScannedWord, UnrecognisedError
from tests.extract.test_pdf_text_layers import page_rows, write_layer
from tests.extract.typeset import MEASURE, break_lines, texts

PROSE = [
    "The ferryman described the ledger of the winter tolls, which the committee never acknowledged, and the "
    "keeper of the lamps repaired the timetable of the mountain railway before the thaw.",
    "Nobody else had the patience to copy the letters from the northern valley, because the machinery "
    "remained silent and the instructions were contradictory to the last word of the last page.",
    "An old pilot weighed seven sacks of barley on the morning of the fair, as carefully as a watchmaker, "
    "while the wind was turning and the grandchildren would not understand what it was for.",
]


def with_signs(text: str, share: float = 1 / 3) -> str:
    """Put signs in place of a letter of a share of the words, as OCR does with a dirty page."""
    dice = random.Random(3)
    return " ".join(
        word[:1] + dice.choice("|~^<>1") + word[2:] if dice.random() < share else word
        for word in text.split()
    )


def with_letters_mixed(text: str) -> str:
    dice = random.Random(3)
    return re.sub(r"\w+", lambda word: "".join(dice.sample(word[0], len(word[0]))), text)


def in_cyrillic_read_as_latin(text: str) -> str:
    return text.translate(str.maketrans("aeiounrtsdlh", "aeuoyHpTcg/I"))


def recognised(paragraphs: list[str], confidence: float = 90.0) -> ScannedPage:
    """Return a page on which these paragraphs were recognised, at 100 pixels per inch."""
    words: list[ScannedWord] = []
    lines = [line for paragraph in paragraphs for line in break_lines(paragraph, MEASURE)]
    for n, (indent, line) in enumerate(lines):
        left, y = 50 + round(indent), 100 + 16 * n
        for word in line.split():
            right = left + 6 * len(word)
            words.append(ScannedWord(word, left, y - 10, right, y, 10.0, y, 0, confidence, n))
            left = right + 4
    return ScannedPage(600, 800, 0.72, tuple(words), "eng")


@pytest.mark.parametrize("garble", [with_signs, in_cyrillic_read_as_latin])
def test_a_poor_layer_is_named_and_the_better_of_two_readings_is_kept(
    tmp_path: Path, garble: Callable[[str], str]
) -> None:
    path, wrong = tmp_path / "scan.pdf", [garble(text) for text in PROSE]
    layer = write_layer(path, [page_rows(PROSE, MEASURE), page_rows(wrong, MEASURE)])  # with --ocr off
    assert layer.warnings == ()
    auto = extract(path, ReadOptions(ocr="auto"))
    assert auto.text == layer.text
    (warning,) = auto.warnings
    assert warning.startswith(
        "page 2: about a third of the words in the text layer are wrong, or more; --ocr L"
    )
    with pytest.raises(UnrecognisedError) as error:
        extract(path, ReadOptions(ocr="eng"))
    assert error.value.scan.pages == ("2",)
    better = extract(path, ReadOptions(ocr="eng", scanned={"2": recognised(PROSE)}))
    assert (texts(better), better.warnings) == (PROSE * 2, ())
    assert [block.text_layer for block in better.blocks] == [True] * 3 + [False] * 3
    for scanned in ({}, {"2": recognised([with_letters_mixed(with_signs(text, 1)) for text in PROSE])}):
        kept = extract(path, ReadOptions(ocr="eng", scanned=scanned))
        assert kept.text == layer.text
        assert kept.warnings[0].endswith("are wrong, or more; OCR was no better")


def test_a_layer_in_another_language_than_the_one_that_is_named_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    write_layer(path, [page_rows(PROSE, MEASURE)])
    assert texts(extract(path, ReadOptions(ocr="eng"))) == PROSE
    with pytest.raises(UnrecognisedError):
        extract(path, ReadOptions(ocr="deu"))
    kept = extract(path, ReadOptions(ocr="deu", scanned={"1": recognised(PROSE)}))
    assert {block.text_layer for block in kept.blocks} == {True}  # it is no better


def test_in_a_long_book_words_that_are_new_on_each_page_are_wrong(tmp_path: Path) -> None:
    dice = random.Random(5)

    def with_other_letters(text: str) -> str:
        return re.sub(r"[a-z]{3}(?=[a-z])", lambda m: "".join(dice.choices("acehimnorstuv", k=3)), text)

    pages = [PROSE] * 200
    wrong = [[with_other_letters(text) for text in page] for page in pages]
    for number, written in enumerate((pages, wrong)):
        path = tmp_path / f"{number}.pdf"
        write_layer(path, [page_rows(page, MEASURE) for page in written])
        warnings = extract(path, ReadOptions(ocr="auto")).warnings
        assert [warning[:11] for warning in warnings] == ["pages 1-200"] * number
