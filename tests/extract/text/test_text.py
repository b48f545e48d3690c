"""Plain text: what is read, what is left out by name, and that nothing else is lost."""

from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book
from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.gutenberg import unwrap_licence
from tests.pairs import by_pairs

PROSE = (
    "It was late in the evening, and nobody in the village had seen the old\n"
    "doctor since the storm began. The river had risen to the bridge, and the\n"
    "miller's boy, who was sent to look for him, had not come back.\n"
)


def read(tmp_path: Path, text: str, name: str = "book.txt") -> Book:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return extract(path)


def outline(book: Book) -> list[tuple[int, str]]:
    return [(section.level, section.headings[-1]) for section in book.sections if section.headings]


# --- headings -------------------------------------------------------------------------------------

HEADINGS = {
    "roman": (["CHAPTER I", "CHAPTER II"], 1),
    "title-after": (["CHAPTER 1. Loomings.", "Chapter 2: The Carpet-Bag"], 1),
    "title-after-dash": (["CHAPTER I -- OF SENSE", "CHAPTER II -- OF SPEECH"], 1),
    "ordinal-after": (["EPOCH THE FIRST.", "EPOCH THE SECOND."], 1),
    "ordinal-before": (["THE FIRST PART", "THE SECOND PART"], 1),
    "number-words": (["CHAPTER ONE", "CHAPTER TWENTY-TWO"], 1),
    "numbers-alone": (["I.", "II.", "III."], 1),
    "numbers-with-titles": (["I. The Storm", "II. The Mill"], 1),
    "german": (["Erstes Kapitel", "Zweites Kapitel"], 1),
    "german-number": (["Kapitel 1", "Kapitel 2"], 1),
    "russian": (["Глава первая", "Глава вторая"], 1),
    "greek": (["Κεφάλαιο Πρώτο", "Κεφάλαιο Δεύτερο"], 1),
    "polish": (["Rozdział I", "Rozdział II"], 1),
    "turkish": (["Birinci Bölüm", "İkinci Bölüm"], 1),
    "arabic": (["الفصل الأول", "الفصل الثاني"], 1),
    "chinese": (["第一章 雨", "第二章 河"], 1),
    "japanese": (["第十一話", "第十二話"], 1),
    "french": (["CHAPITRE PREMIER", "CHAPITRE II"], 1),
    "italian": (["CAPITOLO PRIMO", "CAPITOLO SECONDO"], 1),
    "spanish": (["CAPÍTULO I", "CAPÍTULO II"], 1),
    "croatian": (["PRVO POGLAVLJE: O ČITANJU", "DRUGO POGLAVLJE: O PAMĆENJU"], 1),
    "latin": (["LIBER PRIMUS", "LIBER SECUNDUS"], 1),
    "named": (["PREFACE", "INTRODUCTION", "EPILOGUE"], 1),
    "named-small": (["Vorwort", "Nachwort"], 1),
    "title-case": (["The Storm", "Of Rivers and Mills"], 1),
    "capitals": (["THE STORM", "THE MILLER'S BOY"], 1),
}


def test_headings_are_found_in_order(tmp_path: Path) -> None:
    for titles, level in HEADINGS.values():
        book = read(tmp_path, "".join(f"\n\n\n\n{title}\n\n\n{PROSE}" for title in titles))
        assert outline(book) == [(level, title) for title in titles]


def test_other_short_lines_are_no_headings(tmp_path: Path) -> None:
    cases = {
        "sentence": "Chapter 3 tells how the boy came back.",
        "no-number": "Part of the bridge had gone.",
        "year": "1914",
        "number-out-of-order": "III.",
        "ornament": "* * *",
        "number-counting-nothing": "I",
        "acronym-in-a-script-without-capitals": "她在 NASA 工作了三年。",
    }
    for line in cases.values():
        assert outline(read(tmp_path, f"{PROSE}\n{line}\n\n{PROSE}")) == []


@pytest.mark.parametrize("titles", [["I: The Storm", "II: The Mill"], ["THE STORM", "THE MILL"]])
def test_one_blank_line_sets_a_heading_apart_where_there_are_never_two(
    tmp_path: Path, titles: list[str]
) -> None:
    book = read(tmp_path, "\n".join(f"{title}\n\n{PROSE}" for title in titles))
    assert [title for _, title in outline(book)] == titles


@by_pairs(("sign", "-=~_*"), ("gap", {"close": "", "set apart": "\n"}))
def test_an_underlined_title_is_a_heading_without_its_line(tmp_path: Path, sign: str, gap: str) -> None:
    titles = ["CHAPTER I", "The cruel sea", "CHAPTER II"]
    text = "\n".join(f"{title}\n{sign * len(title)}\n{gap}{PROSE}" for title in titles)
    book = read(tmp_path, text)
    assert [title for _, title in outline(book)] == titles
    assert [block.kind for block in book.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH] * 3
    assert not any(block.break_before for block in book.blocks)
    assert [(left.kind, left.words) for left in book.left_out] == [("ornament", 3)]


def test_a_title_of_two_lines_is_a_heading_without_the_line_below(tmp_path: Path) -> None:
    text = "\n".join(f"CHAPTER {n}\nThe cruel sea\n-------------\n\n{PROSE}" for n in ("I", "II"))
    book = read(tmp_path, text)
    assert [title for _, title in outline(book)] == ["CHAPTER I The cruel sea", "CHAPTER II The cruel sea"]
    assert [(left.kind, left.words) for left in book.left_out] == [("ornament", 2)]


def test_a_row_of_signs_does_not_always_underline_a_title(tmp_path: Path) -> None:
    cases = {
        "a break below a sentence": f"He left.\n--------\n{PROSE}",
        "a break below speech": f"He said ‘I leave.’\n------------------\n{PROSE}",
        "a break below a Chinese sentence": f"他走了。\n--------\n{PROSE}",
        "a row shorter than half of the line": f"And so he went home\n*****\n{PROSE}",
        "fenced code right below a line": "The programs are these\n~~~~\nx = 1\n~~~~\n",
        "a salutation": f"Regards,\n--------\n{PROSE}",
        "a table": "Name Age\n--------\nIda    40\nJo     39\n",
        "the head of a table": "Name   Age\n----------\nIda 40\nJo 39\n",
        "three signs": "title: Rain\n---\n",
    }
    for text in cases.values():
        assert outline(read(tmp_path, f"{PROSE}\n{text}\n{PROSE}")) == []


def test_parts_hold_chapters(tmp_path: Path) -> None:
    chapters = "".join(f"\n\nCHAPTER {n}\n\n{PROSE}" for n in ("I", "II"))
    book = read(tmp_path, f"PREFACE\n\n{PROSE}\n\n\nPART ONE{chapters}\n\n\nPART TWO{chapters}")
    assert outline(book) == [
        (2, "PREFACE"),
        (1, "PART ONE"), (2, "CHAPTER I"), (2, "CHAPTER II"),
        (1, "PART TWO"), (2, "CHAPTER I"), (2, "CHAPTER II"),
    ]  # fmt: skip
    assert book.sections[-1].headings == ("PART TWO", "CHAPTER II")
    assert all(section.chapter for section in book.sections)


def test_a_title_below_the_number_belongs_to_it(tmp_path: Path) -> None:
    cases = {
        "next-line": ("CHAPTER I\nThe Storm", "CHAPTER I The Storm"),
        "below-a-blank-line": ("CHAPTER I\n\nThe Storm", "CHAPTER I The Storm"),
        "two-lines": ("CHAPTER I\n\nHOW THE RIVER\nROSE", "CHAPTER I HOW THE RIVER ROSE"),
        "continues": ("CHAPTER I. OF STORMS,\n\nAND RIVERS", "CHAPTER I. OF STORMS, AND RIVERS"),
        "speech-is-no-title": ("CHAPTER I\n\n“Who is there?”", "CHAPTER I"),
        "a-sentence-is-no-title": ("CHAPTER I\n\nIt rained.", "CHAPTER I"),
    }
    for printed, title in cases.values():
        assert outline(read(tmp_path, f"{printed}\n\n{PROSE}")) == [(1, title)]


def test_a_printed_table_of_contents_is_left_out_and_counted(tmp_path: Path) -> None:
    contents = "CONTENTS\n\nI. The Storm      1\nII. The Mill      9\nIII. The Boy     17\n"
    book = read(
        tmp_path, f"The River\n\n\n{contents}\n\n\n\nI. The Storm\n\n{PROSE}\n\n\nII. The Mill\n\n{PROSE}"
    )
    assert outline(book) == [(1, "I. The Storm"), (1, "II. The Mill")]
    assert "17" not in book.text
    assert [(left.kind, left.words) for left in book.left_out] == [("contents", 13)]


def test_a_first_chapter_whose_title_stands_below_is_no_entry_of_the_contents(tmp_path: Path) -> None:
    contents = "CONTENTS\n\nCHAPTER I. The Storm\nCHAPTER II. The Mill\nNotes\n"
    first, second = (
        f"\n\n\n{title}\n\n{PROSE}" for title in ("CHAPTER I\n\nThe Storm", "CHAPTER II\n\nThe Mill")
    )
    titles = [title for _, title in outline(read(tmp_path, contents + first + second))]
    assert titles == ["CHAPTER I The Storm", "CHAPTER II The Mill"]


def test_contents_may_have_ornaments(tmp_path: Path) -> None:
    cases = {
        "below an underlined heading": "CONTENTS\n--------\n\nThe Storm\nThe Mill\nThe Boy\n",
        "beside the heading": "--- CONTENTS ---\n\nThe Storm\nThe Mill\nThe Boy\n",
        "above the entries": "CONTENTS\n\n* * *\n\nThe Storm\nThe Mill\nThe Boy\n",
        "between the entries": "CONTENTS\n\nThe Storm\n\n❦\n\nThe Mill\nThe Boy\n",
    }
    for contents in cases.values():
        book = read(tmp_path, f"{contents}\nThe Storm\n\n{PROSE}\nThe Mill\n\n{PROSE}")
        assert [block.text for block in book.blocks if "The Storm" in block.text] == ["The Storm"]
        assert book.text.startswith("The Storm")
        assert [left.kind for left in book.left_out] == ["contents"]


def test_an_underlined_chapter_is_no_entry_of_the_contents(tmp_path: Path) -> None:
    contents = "CONTENTS\n\nThe Storm    1\nThe Mill     9\nThe Boy     17\n"
    chapters = "\n".join(f"{title}\n---------\n{PROSE}" for title in ("CHAPTER 1", "CHAPTER 2"))
    assert [title for _, title in outline(read(tmp_path, f"{contents}\n{chapters}"))] == [
        "CHAPTER 1",
        "CHAPTER 2",
    ]


def test_the_word_contents_in_a_chapter_hides_nothing(tmp_path: Path) -> None:
    book = read(tmp_path, f"CHAPTER I\n\n{PROSE}\nContents\n\n{PROSE}")
    assert book.left_out == ()
    assert book.text.count("nobody in the village") == 2


# --- metadata and licence -------------------------------------------------------------------------


def test_the_file_name_is_the_title_where_nothing_else_is(tmp_path: Path) -> None:
    cases = {
        "author-and-title": ("Mary Shelley - Frankenstein.txt", "Frankenstein", "Mary Shelley"),
        "underscores": ("the_prince.txt", "the prince", ""),
        "hyphen": ("moby-dick.txt", "moby-dick", ""),
    }
    for name, title, author in cases.values():
        book = read(tmp_path, PROSE, name)
        assert (book.title, book.author) == (title, author)


HEADERS = {
    "start-marker": (
        "The Project Gutenberg EBook of The River, by A. Miller\n\nTitle: The River\n       A Tale\n\n"
        "Author: A. Miller and B. Boy\n\nLanguage: German\n\n"
        "*** START OF THIS PROJECT GUTENBERG EBOOK THE RIVER ***\n\n"
        "Produced by Somebody\nat http://example.org\n",
        ("The River: A Tale", ("A. Miller", "B. Boy"), "de"),
    ),
    "long-marker": (
        "Title: The River\n\n*** START OF THE PROJECT GUTENBERG EBOOK THE RIVER,\nA LONG TITLE ***\n",
        ("The River", (), None),
    ),
    "small-print": (
        "The Project Gutenberg Etext of The River, by A. Miller\n\nPlease take a look at this.\n\n"
        "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nWhy is this here?\n"
        "*END THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n",
        ("The River", ("A. Miller",), None),
    ),
}
FOOTERS = {
    "end-marker": "*** END OF THIS PROJECT GUTENBERG EBOOK THE RIVER ***\nFULL LICENSE\n",
    "end-of": "End of the Project Gutenberg EBook of The River\n\n*** END OF THIS PROJECT GUTENBERG\n",
    "end-of-possessive": "End of Project Gutenberg's The River\n",
    "german": "Ende dieses Project Gutenberg Etextes\n",
    "none": "",
}


@by_pairs(("header, expected", HEADERS), ("footer", FOOTERS))
def test_the_licence_is_left_out_and_counted(
    header: str, footer: str, expected: tuple[str, tuple[str, ...], str | None]
) -> None:
    unwrapped = unwrap_licence(f"{header}\n{PROSE}\n\n{footer}")
    assert unwrapped.text.strip() == PROSE.strip()
    metadata = unwrapped.metadata
    assert (metadata.title, metadata.authors, metadata.language) == expected
    assert sum(left.words for left in unwrapped.left_out) == len(f"{header} {footer}".split())
    assert {left.kind for left in unwrapped.left_out} == {"licence"}


def test_a_book_about_project_gutenberg_is_left_whole() -> None:
    text = f"{PROSE}\nWe took the text from Project Gutenberg's archives.\n\n{PROSE}"
    assert unwrap_licence(text).text == text


# --- notes, damage, emptiness ---------------------------------------------------------------------


def test_a_note_leaves_the_text_and_knows_its_word(tmp_path: Path) -> None:
    cases = {
        "square": ("bridge[1]", "[1] Of wood.", "1"),
        "brace": ("bridge {12}", "{12} Of wood.", "12"),
        "asterisk": ("bridge(*)", "(*) Of wood.", "*"),
        "plus": ("bridge (+)", "(+) Of wood.", "+"),
        "footnote-letter": ("bridge[A]", "[Footnote A: Of wood.]", "A"),
    }
    for cited, explained, label in cases.values():
        book = read(tmp_path, f"They crossed the {cited} at night.\n\n{explained}\n\n{PROSE}")
        assert book.text.startswith("They crossed the bridge at night.\n\nIt was late")
        (note,) = book.notes
        assert (note.label, note.text) == (label, "Of wood.")
        assert book.text[: note.cited_at].endswith("the bridge")


def test_notes_numbered_from_one_again_are_distinguished(tmp_path: Path) -> None:
    book = read(tmp_path, "The one[1] here.\n\n[1] First.\n\nThe other[1] here.\n\n[1] Second.\n")
    assert [(note.text, book.text[: note.cited_at].split()[-1]) for note in book.notes] == [
        ("First.", "one"),
        ("Second.", "other"),
    ]


def test_a_note_with_the_number_of_another_belongs_to_its_own_word(tmp_path: Path) -> None:
    cases = {
        "a footnote beside an endnote": (
            "One[1] a.\n\nTwo[1] b.\n\n[1] two, below.\n\nThree.\n\nNOTES\n\n[1] one, at the end.\n"
        ),
        "below another note": "One[1] a.\n\nAlso{2} two[1] b.\n\n{2} also, here.\n\n[1] two, below.\n\n"
        "Three.\n\n[1] one, at the end.\n",
        "a note cites a note": "One[1] a.\n\n[1] one, which [1] cites.\n\nTwo.\n\n[1] the note of a note.\n\n"
        "Three[1] c.\n\n[1] three.\n",
        "the notes of two chapters": (
            "One[1] a.\n\nTwo[1] b.\n\n[1] one, of the first chapter.\n\n[1] two, of the second.\n"
        ),
    }
    for text in cases.values():
        book = read(tmp_path, text)
        words = {note.text: book.text[: note.cited_at].split()[-1] for note in book.notes if note.cited_at}
        assert words
        assert all(text.startswith(word.lower()) for text, word in words.items())


def test_a_note_may_be_nothing_but_the_mark_of_another(tmp_path: Path) -> None:
    book = read(tmp_path, "The one[1] here.\n\n[1] [2]\n\nThe other[2] here.\n\n[2] Second.\n")
    assert [(note.text, book.text[: note.cited_at].split()[-1]) for note in book.notes] == [
        ("[2]", "one"),
        ("Second.", "other"),
    ]


def test_doubtful_notes_stay_in_the_text(tmp_path: Path) -> None:
    cases = {
        "cited-twice": "They came[1] and went[1].\n\n[1] Twice cited.\n",
        "never-cited": "They came.\n\n[1] Never cited.\n",
        "never-explained": "They came[1].\n",
        "explained-before": "[1] Explained first.\n\nThey came[1].\n",
    }
    for text in cases.values():
        book = read(tmp_path, text)
        assert book.notes == ()
        assert book.text.split() == text.split()


def test_damaged_bytes_are_named_in_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes("Čovjek čita. Žena šuti.".encode() + b" \xff")
    assert extract(path).warnings == ("1 invalid bytes in its UTF-8 text became \ufffd",)


def test_a_file_without_words_is_empty(tmp_path: Path) -> None:
    cases: dict[str, str] = {"space": " \n\t\r\n ", "mark": "\ufeff", "ornaments": "* * *\n\n-----\n"}
    for text in cases.values():
        with pytest.raises(BookError) as refused:
            read(tmp_path, text)
        assert refused.value.code is Code.EMPTY


def test_line_ends_may_be_mixed(tmp_path: Path) -> None:
    book = read(tmp_path, "One.\r\n\r\nTwo.\r\rThree.\n\nFour.<br />Five.")
    assert [block.text for block in book.blocks] == ["One.", "Two.", "Three.", "Four.", "Five."]


def test_an_illustration_leaves_its_caption(tmp_path: Path) -> None:
    book = read(tmp_path, f"{PROSE}\n[Illustration: The old\nbridge.]\n\n[Illustration]\n\n{PROSE}")
    assert [block.text for block in book.blocks if block.kind is BlockKind.CAPTION] == ["The old bridge."]
    assert [(left.kind, left.words) for left in book.left_out] == [("ornament", 1), ("illustration", 1)]


def after_breaks(book: Book) -> list[str]:
    """Return the first word of each block after a break of the author."""
    return [block.text.split()[0] for block in book.blocks if block.break_before]


SCENE = PROSE.replace("It", "Meanwhile it", 1)
PAGES = f"{PROSE}\n" * 9
"""Paragraphs of the usual kind, between which wider gaps are rare."""

BROKEN = {
    "asterisks": (f"{PAGES}    * * * * *\n\n{SCENE}", 1),
    "asterisks without spaces": (f"{PAGES}***\n\n{SCENE}", 1),
    "an asterism": (f"{PAGES}⁂\n\n{SCENE}", 1),
    "a rule": (f"{PAGES}-----\n\n{SCENE}", 1),
    "asterisks between lines": (f"{PAGES.rstrip()}\n* * *\n{SCENE}", 1),
    "two more blank lines": (f"{PAGES}\n\n{SCENE}", 1),
    "one more blank line": (f"{PAGES}\n{SCENE}", 0),
    "dots for omitted lines": (f"{PAGES}. . . . .\n\n{SCENE}", 0),
    "a blank line more everywhere": ("\n\n".join(f"{PROSE}" for _ in range(9)) + f"\n\n{SCENE}", 0),
    "three blank lines everywhere": (f"{PROSE}\n\n\n" * 9 + SCENE, 0),
    "an illustration without a caption": (f"{PAGES}[Illustration]\n\n{SCENE}", 0),
    "before a chapter": (f"CHAPTER I\n\n{PAGES}* * *\n\n\n\nCHAPTER II\n\n{SCENE}", 0),
}


def test_the_authors_breaks_are_found(tmp_path: Path) -> None:
    for text, n_breaks in BROKEN.values():
        book = read(tmp_path, text)
        assert after_breaks(book) == ["Meanwhile"] * n_breaks
        assert not any(set(block.text) <= set("*⁂-. ") for block in book.blocks)


def test_where_paragraphs_are_not_spaced_a_blank_line_is_a_break(tmp_path: Path) -> None:
    scene = "".join(f"Line {n} is a paragraph, {'and a long one, ' * 8}and ends here.\n" for n in range(9))
    book = read(tmp_path, "\n".join([scene] * 3))
    assert [block.text.split()[1] for block in book.blocks if block.break_before] == ["0", "0"]


def test_the_words_of_ornaments_are_counted_as_left_out(tmp_path: Path) -> None:
    book = read(tmp_path, f"{PAGES}* * *\n\n{SCENE}")
    assert [(left.kind, left.words) for left in book.left_out] == [("ornament", 3)]
