"""Wrapped prose is joined, other text keeps its lines, and no word is lost or moved."""

import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import BlockKind
from alexandria.extract import text as txt
from alexandria.extract.draft import DraftBlock
from alexandria.extract.options import ReadOptions
from alexandria.extract.text.unwrapping import _match_most, blocks_of, find_layout, group_lines, join_lines

K = BlockKind
PROSE = (
    "It was late in the evening, and nobody in the village had seen the old\n"
    "doctor since the storm began. The river had risen to the bridge, and the\n"
    "miller's boy, who was sent to look for him, had not come back from there.\n"
)


def blocks(text: str) -> list[DraftBlock]:
    groups = group_lines(text)
    layout = find_layout(groups)
    return [block for group in groups for block in blocks_of(group, layout)]


def between_prose(text: str) -> list[tuple[BlockKind, str]]:
    """Return the blocks of a text between two paragraphs of wrapped prose."""
    found = blocks(f"{PROSE}\n{text}\n\n{PROSE}")
    prose = (K.PARAGRAPH, " ".join(PROSE.split()))
    assert [(found[0].kind, found[0].text), (found[-1].kind, found[-1].text)] == [prose, prose]
    return [(block.kind, block.text) for block in found[1:-1]]


SEA = "The sun was shining on the sea,\nShining with all his might:\nHe did his very best"
NIGHT = "It was late in the evening, and nobody in the village had seen the old"
RIVER = "The river had risen to the bridge, and the miller's boy had not come."
BROTHERS = "His brothers, who were waiting at the mill, had long gone to their beds."

DOCTOR = "Doctor Brown since the storm began, and the river had risen to the bridge"
RAGGED = "Nobody had come to the mill that night, and the river had risen,"
COLUMN = (
    "and nobody who came to the mill at night\nhad ever then seen the river's old\n"
    "and grey miller, who was told to go home\nat once."
)


def set_in(text: str) -> str:
    return textwrap.indent(text, "    ")


# Text between two paragraphs of prose, and the blocks it becomes.
CASES = {
    "verse": (SEA, [(K.VERSE, SEA)]),
    "verse-set-in": ("    o wind\n      of the north\n    blow", [(K.VERSE, "o wind\nof the north\nblow")]),
    "term-and-its-explanation": (
        f"The Mill\n{NIGHT}\n{DOCTOR}\nWhere he lived.",
        [(K.PARAGRAPH, f"The Mill {NIGHT} {DOCTOR} Where he lived.")],
    ),
    "long-ragged-lines": (f"{RAGGED}\nSo he slept.", [(K.PARAGRAPH, f"{RAGGED} So he slept.")]),
    "long-verses": (
        "The river had risen to the bridge, and all were asleep,\nSo he slept.",
        [(K.VERSE, "The river had risen to the bridge, and all were asleep,\nSo he slept.")],
    ),
    "no-room-for-the-next-word": (
        "The river had risen to the bridge, and all were asleep.\nIncomprehensibilities followed.",
        [
            (
                K.PARAGRAPH,
                "The river had risen to the bridge, and all were asleep. Incomprehensibilities followed.",
            )
        ],
    ),
    "narrow-prose-set-in": (set_in(COLUMN), [(K.QUOTE, " ".join(COLUMN.split()))]),
    "three-narrow-lines-set-in": (
        set_in("wind of the far north\nwind of the far south\nwind"),
        [(K.VERSE, "wind of the far north\nwind of the far south\nwind")],
    ),
    "narrow-lines-with-capitals": (
        "Wind of the far north\nWind of the far south\nWind of the far west,\nWind",
        [(K.VERSE, "Wind of the far north\nWind of the far south\nWind of the far west,\nWind")],
    ),
    "narrow-lines-with-capitals-but-one": (
        "Wind of the far north\nWind of the far south\nand of the far west,\nWind",
        [(K.PARAGRAPH, "Wind of the far north Wind of the far south and of the far west, Wind")],
    ),
    "ragged-lines-with-capitals-but-one": (
        "Wind\nOf the north and south\nand west\nWind",
        [(K.VERSE, "Wind\nOf the north and south\nand west\nWind")],
    ),
    "wide-quotation": (
        set_in("and nobody in the village had seen the miller since then\nor so he said"),
        [(K.QUOTE, "and nobody in the village had seen the miller since then or so he said")],
    ),
    "quotation": (f"    {RIVER}\n    and so on.", [(K.QUOTE, f"{RIVER} and so on.")]),
    "list": (
        "* bread, which was old by the time they had come to the bridge and the\n  mill\n* cheese",
        [
            (K.LIST_ITEM, "* bread, which was old by the time they had come to the bridge and the mill"),
            (K.LIST_ITEM, "* cheese"),
        ],
    ),
    "numbered-list": (
        "1. Take it.\n2. Heat it.",
        [(K.LIST_ITEM, "1. Take it."), (K.LIST_ITEM, "2. Heat it.")],
    ),
    "list-then-text": (
        "  * bread\n  * cheese\nThey ate all of it.",
        [(K.LIST_ITEM, "* bread"), (K.LIST_ITEM, "* cheese"), (K.PARAGRAPH, "They ate all of it.")],
    ),
    "table": ("Bread      2\nCheese     4", [(K.TABLE, "Bread      2\nCheese     4")]),
    "boxed-table": ("+---+---+\n| a | b |\n+---+---+", [(K.TABLE, "+---+---+\n| a | b |\n+---+---+")]),
    "indented-code": (
        "    for x in y:\n        print(x)\n    z = f(x);",
        [(K.CODE, "for x in y:\n    print(x)\nz = f(x);")],
    ),
    "fenced-code": ("```\nx = 1\n\ny = 2\n```", [(K.CODE, "```\nx = 1\n\ny = 2\n```")]),
    "fence-never-closed": ("```\n\nHello.", [(K.PARAGRAPH, "```"), (K.PARAGRAPH, "Hello.")]),
    "caption": ("[Illustration: The mill.]", [(K.CAPTION, "The mill.")]),
    "italics": ("_The Prince_ and snake_case_name.", [(K.PARAGRAPH, "The Prince and snake_case_name.")]),
    "dialogue": ("— Who is it?\n— Nobody.", [(K.PARAGRAPH, "— Who is it?"), (K.PARAGRAPH, "— Nobody.")]),
    "short-line-ends-a-paragraph": (
        f"{NIGHT}\ndoctor.\n{RIVER}",
        [(K.PARAGRAPH, f"{NIGHT} doctor."), (K.PARAGRAPH, RIVER)],
    ),
    "indent-continues": (
        f"{BROTHERS}\n   {RIVER}\n   Nobody knew.",
        [(K.PARAGRAPH, BROTHERS), (K.PARAGRAPH, f"{RIVER} Nobody knew.")],
    ),
    "speech-after-a-full-line": (
        f"{BROTHERS}\n— Nobody knew.",
        [(K.PARAGRAPH, BROTHERS), (K.PARAGRAPH, "— Nobody knew.")],
    ),
    "set-in-by-one": (f" {NIGHT}\n doctor.", [(K.PARAGRAPH, f"{NIGHT} doctor.")]),
    "one-line-set-in": ("    Nobody knew.", [(K.PARAGRAPH, "Nobody knew.")]),
    "one-number-of-two-lines": (f"{NIGHT}\n1. He had gone.", [(K.PARAGRAPH, f"{NIGHT} 1. He had gone.")]),
    "code-at-the-margin": ("x = f(y);\nz = g(x);", [(K.PARAGRAPH, "x = f(y); z = g(x);")]),
    "two-spaces-begin-a-paragraph": (
        f"{BROTHERS}\n  {RIVER}\nNobody knew.",
        [(K.PARAGRAPH, BROTHERS), (K.PARAGRAPH, f"{RIVER} Nobody knew.")],
    ),
    "a-line-of-two-thirds-ends-a-paragraph": (
        f"{NIGHT}\n{RIVER[:47]}.\n{BROTHERS}\nNobody knew.",
        [(K.PARAGRAPH, f"{NIGHT} {RIVER[:47]}."), (K.PARAGRAPH, f"{BROTHERS} Nobody knew.")],
    ),
    "a-short-line-before-a-small-letter-ends-none": (
        f"{NIGHT}\nflour, bread, salt etc.\n{BROTHERS.replace('His', 'his')}\n{NIGHT}",
        [(K.PARAGRAPH, f"{NIGHT} flour, bread, salt etc. {BROTHERS.replace('His', 'his')} {NIGHT}")],
    ),
    "indent-begins-a-paragraph": (
        f"{BROTHERS}\n   {RIVER}\nNobody knew.",
        [(K.PARAGRAPH, BROTHERS), (K.PARAGRAPH, f"{RIVER} Nobody knew.")],
    ),
}


def test_prose_is_joined_and_other_text_keeps_its_lines() -> None:
    for text, expected in CASES.values():
        assert between_prose(text) == expected


HYPHENS = {
    "broken-word": ("the philo-\nsopher; a philosopher", "the philosopher; a philosopher"),
    "compound": ("the rabbit-\nhole; a rabbit-hole", "the rabbit-hole; a rabbit-hole"),
    "unknown": ("the well-\nread boy", "the well-read boy"),
    "capital": ("the Anglo-\nSaxon king", "the Anglo-Saxon king"),
    "capital-of-a-known-word": (
        "the Anglo-\nSaxon king, an anglosaxon",
        "the Anglo-Saxon king, an anglosaxon",
    ),
    "dash": ("he came--\nat last", "he came--at last"),
    "spaced-dash": ("he came --\nat last", "he came -- at last"),
}


def test_a_hyphen_at_a_line_end_is_mended_by_the_book_s_own_words() -> None:
    for text, expected in HYPHENS.values():
        filler = "and nobody in the village had seen the old doctor since"
        first, second = text.split("\n")
        wrapped = f"{filler} {first}\n{second} {filler}"
        assert [block.text for block in blocks(f"{PROSE}\n{wrapped}")][1] == f"{filler} {expected} {filler}"


def test_lines_that_are_paragraphs_stay_apart() -> None:
    long = " ".join(PROSE.split())
    assert [block.text for block in blocks(f"{long}\n{long}\nIt rained.\n{long}\n")] == [
        long,
        long,
        "It rained.",
        long,
    ]


def test_two_short_lines_among_paragraphs_are_no_verse() -> None:
    long = " ".join(PROSE.split())
    assert {block.kind for block in blocks(f"{long}\n{long}\n\nIt rained.\nHe slept.\n")} == {K.PARAGRAPH}


def test_the_width_is_what_nine_of_ten_lines_keep_to() -> None:
    cases: dict[str, tuple[list[int], int]] = {
        "one line is longer": ([70] * 20 + [100], 70),
        "too narrow for prose": ([20] * 20, 0),
        "each line a paragraph": ([300] * 20, 0),
    }
    for lengths, width in cases.values():
        assert find_layout(group_lines("\n".join("x" * n for n in [*lengths, 1]))).width == width


def test_blank_lines_are_counted_from_the_end_of_fenced_code() -> None:
    groups = group_lines("```\nx\n```\nText.\n\n\nMore.")
    assert [group.blank_before for group in groups[1:]] == [0, 2]


WORDS = st.lists(
    st.sampled_from(
        ["the", "old", "doctor", "had", "to-day", "rise.", "“No,”", "he", "said;", "It", "rained!"]
    ),
    min_size=1,
)


@given(st.lists(WORDS, min_size=1, max_size=6), st.integers(40, 90))
def test_wrapping_and_unwrapping_gives_the_paragraphs_back(paragraphs: list[list[str]], width: int) -> None:
    texts = [" ".join(words) for words in paragraphs]
    wrapped = "\n\n".join(textwrap.fill(text, width, break_on_hyphens=False) for text in texts)
    assert " ".join(block.text for block in blocks(wrapped)).split() == " ".join(texts).split()


LINES = st.lists(
    st.text(st.sampled_from("abA1 -_*|.,;:[](){}<>=#$`~“”\t"), max_size=40)
    | st.sampled_from(
        ["", "", "CHAPTER I", "CONTENTS", "[Illustration: x]", "[1] y", "z[1]", "  * item", "```"]
    ),
    min_size=1,
)


@given(LINES)
def test_no_character_is_lost_or_moved(lines: list[str]) -> None:
    """Underscores of italics, hyphens at line ends and marks of illustrations apart."""

    def letters(text: str) -> str:
        return "".join(
            c for c in text.replace("[Illustration:", "").replace("[Illustration]", "") if c.isalnum()
        )

    text = "\n".join(lines)
    assert letters("".join(block.text for block in blocks(text))) == letters(text)


@given(LINES)
def test_text_notes_and_what_is_left_out_hold_every_word(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path: Path = tmp_path_factory.mktemp("txt") / "book.txt"
    text = "word\n\n" + "\n".join(lines)
    path.write_text(text)
    draft = txt.extract(path, ReadOptions())
    found = [block.text for section in draft.sections for block in section.blocks]
    n_letters = sum(
        c.isalnum() for part in (*found, *(note.label + note.text for note in draft.notes)) for c in part
    )
    if not draft.left_out and not draft.notes:
        assert n_letters == sum(c.isalnum() for c in text)
    assert all(left.words > 0 for left in draft.left_out)


BREAKS = ["remem-|bered", "fisher-|men", "evening-|tide", "harb-|our", "lan-|terns", "silen-|ces"]
COMPOUNDS = ["self-|made", "twenty-|one", "dream-|like", "well-|known", "half-|open", "old-|time"]


@pytest.mark.parametrize(("pairs", "sign"), [(BREAKS, ""), (COMPOUNDS, "-")])
def test_hyphens_at_line_ends_go_where_most_break_words(pairs: list[str], sign: str) -> None:
    words = "self made twenty one dream like well known half open old time tide men"
    text = f"{words}\n\n" + "\n".join(f"They were {pair.replace('|', chr(10))}" for pair in pairs)
    layout = find_layout(group_lines(text))
    assert join_lines(pairs[0].split("|"), layout) == pairs[0].replace("-|", sign)


def test_most_lines_are_more_than_half() -> None:
    lines = {("-", "x"): False, ("-", "- a", "x"): True, ("-", "x", "x"): False, ("x -",): False}
    assert {each: _match_most(re.compile("-"), each) for each in lines} == lines
