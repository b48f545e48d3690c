"""Lines that are elements become paragraphs, breaks divide them, initials join their words; others stay."""

from pathlib import Path

from lxml import etree

from alexandria.book.places import cfi_at, text_in_file
from alexandria.extract import extract
from alexandria.extract.markup.blocks import Reading
from alexandria.extract.markup.pieces import with_whole_paragraphs
from alexandria.extract.markup.sections import DocumentText
from alexandria.extract.markup.walk import walk
from tests.extract.markup.test_hiding import write_epub
from tests.extract.office import p, write_docx

LAMP = "The keeper lit the lamp before the tide turned, and the boats came home in a long line."
TOWER = "Nobody in the village remembered who had built the tower, or why it leaned towards the sea."
STEPS = "She counted the steps each evening, and each evening there was one more than the day before."
DOORS = "In spring the fishermen painted their doors blue."
PROSE = f"{LAMP} {TOWER} {STEPS} {DOORS}"
LONG = f"{PROSE} {PROSE}"


def wrapped(text: str, width: int = 50) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def tagged(lines: list[str], tag: str = "p") -> str:
    return "".join(f"<{tag}>{line}</{tag}>" for line in lines)


VERSE = [
    "I heard the bell across the bay,", "and all the boats were lying still,", "the lamp went out,",
    "the night grew grey and cold and long,", "a fox cried out", "upon the hill beyond the town,",
    "and no one came,", "and no one will come down to us,", "until the day,", "until the tide is high again.",
]  # fmt: skip
PARAGRAPHS = {
    "a line per paragraph": (tagged(wrapped(PROSE)) + tagged(wrapped(PROSE)), [PROSE, PROSE]),
    "a line per division": (tagged(wrapped(LONG), "div"), [LONG]),
    "a blank paragraph between": (
        tagged(wrapped(PROSE)) + "<p>\u00a0</p>" + tagged(wrapped(PROSE)),
        [PROSE, PROSE],
    ),
    "a hyphen at the end of a line": (
        tagged(
            [
                *wrapped(PROSE),
                "The keeper slept until the evening, and no fisher-",
                "men came. The fishermen slept.",
            ]
        ),
        [PROSE, "The keeper slept until the evening, and no fishermen came. The fishermen slept."],
    ),
    "line breaks in wrapped prose": (f"<p>{'<br/>'.join(wrapped(PROSE))}</p>", [PROSE]),
    "breaks between paragraphs": (
        f"<p>\u00a0\u00a0{LAMP}<br/>\u00a0\u00a0{TOWER}<br/>\u00a0\u00a0{STEPS}</p>",
        [LAMP, TOWER, STEPS],
    ),
    "two breaks between paragraphs": (f"<p>{LAMP}<br/><br/>{TOWER}</p>", [LAMP, TOWER]),
    "two paragraphs after nearly full lines": (
        tagged([*wrapped(PROSE), "The sea was calm, and nobody saw a boat.", *wrapped(PROSE)]),
        [PROSE, "The sea was calm, and nobody saw a boat.", PROSE],
    ),
    "short paragraphs": (tagged([LAMP, "Nobody came.", TOWER]), [LAMP, "Nobody came.", TOWER]),
    "verse": (tagged(VERSE), VERSE),
    "verse by breaks": (f"<p>{'<br/>'.join(VERSE)}</p>", ["\n".join(VERSE)]),
    "an address": (
        "<p>Ida Marlow,<br/>The Old Lighthouse,<br/>Gull Rock.</p>",
        ["Ida Marlow,\nThe Old Lighthouse,\nGull Rock."],
    ),
}


def read(folder: Path, body: str) -> list[str]:
    path = folder / "a.html"
    path.write_text(f"<html><body><h1>One</h1>{body}</body></html>", encoding="utf-8")
    return [block.text for block in extract(path).blocks][1:]


def test_paragraphs_are_whole(tmp_path: Path) -> None:
    for body, texts in PARAGRAPHS.values():
        assert read(tmp_path, body) == texts


def test_a_line_per_paragraph_is_unwrapped_in_word(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", "".join(map(p, wrapped(LONG))))
    assert [block.text for block in extract(path).blocks] == [LONG]


INITIALS = {
    "a picture": (f'<div><img alt="T"/></div><p>HE{LAMP[3:]}</p>', [f"THE{LAMP[3:]}"]),
    "a division": (f"<div>T</div><p>he{LAMP[3:]}</p>", [LAMP]),
    "hidden below a picture": (
        f'<div><img alt="T"/></div><p><span style="display:none">T</span>HE{LAMP[3:]}</p>',
        [f"THE{LAMP[3:]}"],
    ),
    "hidden": (f'<p><span style="visibility:hidden">T</span>he{LAMP[3:]}</p>', [LAMP]),
    "hidden word": (f'<p><span style="display:none">To</span>{LAMP}</p>', [LAMP]),
    "in quotes": (f"<p>“T</p><p>he{LAMP[3:]}</p>", [f"“{LAMP}"]),
    "a word of one letter": (
        f'<div><img alt="A"/></div><p>KEEPER lit the old lamp.</p><p>{LAMP}</p>',
        ["A KEEPER lit the old lamp.", LAMP],
    ),
    "shown beside its word": (f'<div><img alt="T"/></div><p>{LAMP}</p>', [LAMP]),
    "the letter of a list": (f"<p>T</p><p>{LAMP}</p>", ["T", LAMP]),
    "the letter of another paragraph": (f'<div><img alt="B"/></div><p>{LAMP}</p>', ["B", LAMP]),
    "a variable": ("<p>M</p><p>P 4</p>", ["M", "P 4"]),
}


def test_an_initial_joins_its_word(tmp_path: Path) -> None:
    for body, texts in INITIALS.values():
        assert read(tmp_path, body) == texts


def test_the_places_of_joined_and_divided_lines_are_those_of_the_file() -> None:
    lines = wrapped(LONG)
    body = f"{tagged(lines)}<p>{LAMP}<br/>{TOWER}<br/>{STEPS}</p>"
    root = etree.fromstring(f"<html><head/><body>{body}</body></html>")
    walked = walk(root, Reading(cfi="/6/4!"))
    ((first, *_, last),) = [d.blocks for d in with_whole_paragraphs([DocumentText("a", walked.blocks)])]
    assert (first.text, last.text) == (LONG, STEPS)
    assert cfi_at(first.source, first.text.index(lines[1])) == "epubcfi(/6/4!/4/4/1:0)"
    assert cfi_at(last.source, 4) == f"epubcfi(/6/4!/4/{2 * len(lines) + 2}/5:4)"
    assert text_in_file(last.source, last.text, 0, len(last.text)) == STEPS


APART = {
    "a sentence that ends": ["The keeper lit the lamp.", "the boats came home."],
    "a sentence that begins": ["The keeper lit the lamp before the tide", "The boats came home."],
    "an entry": ["Lamp, 12", "lantern, 14"],
}


def read_pages(folder: Path, *bodies: str) -> list[str]:
    write_epub(
        folder / "a.epub",
        {f"{'abc'[i]}.xhtml": f"<html><body>{b}</body></html>" for i, b in enumerate(bodies)},
    )
    return [block.text for block in extract(folder / "a.epub").blocks]


def test_a_sentence_that_goes_on_in_the_next_file_is_whole(tmp_path: Path) -> None:
    bodies = (f"<h1>One</h1><p>{LAMP[:39]}</p>", f"<p>{LAMP[40:]}</p><p>{TOWER}</p>")
    assert read_pages(tmp_path, *bodies) == ["One", LAMP, TOWER]


def test_other_paragraphs_of_two_files_stay_apart(tmp_path: Path) -> None:
    for texts in APART.values():
        assert read_pages(tmp_path, *(f"<p>{text}</p>" for text in texts)) == texts


def test_a_heading_stays_between_two_files(tmp_path: Path) -> None:
    assert read_pages(tmp_path, f"<p>{LAMP[:39]}</p>", "<h1>Two</h1><p>lamps.</p>")[1:] == ["Two", "lamps."]
