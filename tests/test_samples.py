"""The samples are what their script writes, and are read as their author meant them."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from lxml import etree

from alexandria.book.model import BlockKind, Book
from alexandria.extract import extract
from tests.conftest import ROOT, SAMPLES, marks_of

MAKER = ROOT / "tools" / "samples"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a reader with the sample in hand would say of it."""

    file: str
    language: str
    chapters: tuple[str, ...]
    """Titles of parts and chapters in order; where the number is printed apart, the title alone."""
    sentences: tuple[str, ...]
    title: str = ""
    author: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    """The words before the mark, by mark."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Printed page by words on it."""
    kinds: Mapping[BlockKind, int] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    absent: tuple[str, ...] = ()
    """Words that are nowhere in the text from the first chapter on."""


FACTS = (
    Facts(
        file="the-quiet-trades.epub",
        title="The Quiet Trades",
        author="Ida Marlow",
        language="en",
        chapters=(
            *("Part One: Daylight", "1. What the Kitchen Window Saw", "2. Instruments"),
            *("3. The Mill and the Dye House", "Part Two: Lamplight", "4. Signals", "5. Night Work"),
        ),
        sentences=(
            "Instead she lets up stand for the sun: a run thirty degrees to the right of the vertical means "
            "a flight thirty degrees to the right of the sun.",
            "is later by some fifty minutes every day, and the tide is late with her. The harbour master",
            "The grey that one customer asks for every autumn, and that she has never written down, "
            "is called Tuesday.",
            "The bee goes out, the tide comes in,\nThe loaf is on the board,\nThe lamp is lit,",
        ),
        notes={
            "1": "to the right of the sun.",
            "2": "it is ready.",
            "3": "very wide.",
            "4": "sour in the light.",
            "5": "of an amphitheatre.",
            "*": "was inhabited.",
        },
        pages={
            "Before the kettle": "1",
            "The harbour master": "2",
            "It grows at the surface": "4",
            "and smells of mushrooms": "10",
        },
        kinds={BlockKind.LIST_ITEM: 3, BlockKind.QUOTE: 1, BlockKind.VERSE: 2},
        left_out=frozenset({"cover", "contents", "imprint"}),
        absent=("CC0", "Karl von Frisch", "Landmarks", "↩", "no noise, and one owl"),
    ),
    Facts(
        file="small-machines.pdf",
        title="Small Machines",
        author="Tomas Ferrand",
        language="en",
        chapters=("On the Desk", "In the Street", "Under the Roof", "At the Door"),
        sentences=(
            "To write is to leave those sheets behind on the paper, like pages torn from a pad.",
            "The letters that are stamped on the end, H for hard and B for black, are his recipe in short.",
            "A person who rides one uses less energy for a mile than any walking, swimming or flying animal",
            "under the foot a little saw-toothed bar rises",
        ),
        notes={
            "1": "torn from a pad.",
            "2": "on his plate.",
            "3": "roll on upright.",
            "4": "one of them.",
            "5": "sixteen days.",
        },
        pages={
            "The pencil is the only": "1",
            "Towards the end of the thirteenth": "3",
            "Leave a bicycle": "5",
            "That kind is the safety match": "11",
            "A key is a short sentence": "13",
        },
        left_out=frozenset({"contents", "running_head"}),
        absent=("Tomas Ferrand", "His name was Alfred", ". . . .", "\u00ad", "\ufffe", "\x02"),
    ),
    Facts(
        file="weather-over-town.pdf",
        title="The Weather over Town",
        author="The Rooftop Society",
        language="en",
        chapters=("Clouds", "Swifts", "Roof Gardens", "Bells"),
        sentences=(
            "In wet weather there is nothing to catch, and then the swifts do what no other bird of the town "
            "could afford: they leave.",
            "The plants have to be chosen for bad character.",
            "A bell is tuned by taking something away.",
        ),
    ),
    Facts(
        file="the-town-clock.docx",
        title="The Town Clock",
        author="Clement Vane",
        language="en",
        chapters=("The Bell before the Dial", "The Pendulum", "Two Minute Hands"),
        sentences=(
            "For three hundred years the machine counted the hours and the sun corrected it.",
            "The clock had not moved, and the hour no longer belonged to the place.",
            "It is the reason why the same small change, one more hand on the dial, was taken as an insult",
        ),
        notes={"1": "still runs.", "2": "some fifteen seconds.", "3": "for the sun."},
        left_out=frozenset({"titlepage", "contents", "running_head", "deleted", "comment"}),
        absent=("Clement Vane", "little change", "photograph", "Galileo"),
    ),
    Facts(
        file="gull-rock.txt",
        language="en",
        chapters=(
            *("The Man from the Board", "The Stairs", "The Book on the Shelf", "Glass Falling"),
            *("The Song in the Stove", "A Hundred and Eight", "What He Wrote", "The Exception"),
        ),
        sentences=(
            "“There’s the crane,” said Hester from above. “We use it for the pig.”",
            "A comb made of silver, a lamp like a star,\n",
            "The rollers had stopped.",
        ),
        kinds={BlockKind.VERSE: 2},
        left_out=frozenset({"contents"}),
        absent=("CHAPTER VII. What He Wrote",),
    ),
    Facts(
        file="a-promise-to-the-dead.html",
        title="A Promise to the Dead",
        author="Miriam Holt",
        language="en",
        chapters=(
            *("A Promise to the Dead", "I. The Garden", "II. Three Objections"),
            *("III. A Conversation on a Bench", "IV. What Remains"),
        ),
        sentences=(
            "It becomes one when somebody takes it upon herself, and says so, and is believed.",
            "That is all that any judge does.”\n\n“It is rather more than most of them do,” said my friend.",
        ),
        notes={
            "1": "death is we are not.",
            "2": "given by George Pitcher.",
            "3": "does not undo it.",
            "4": "faint and small.",
        },
        kinds={BlockKind.LIST_ITEM: 4},
        left_out=frozenset({"contents"}),
        absent=("Diogenes Laertius", "↩"),
    ),
    Facts(
        file="the-unreliable-witness.odt",
        title="The Unreliable Witness",
        author="Helen Asker",
        language="en",
        chapters=(
            "A Birthday in the Garden",
            "Broken Glass",
            "The Man Who Could Not Keep a Morning",
            "What Can Be Done",
        ),
        sentences=(
            "My father comes through the gate with a red bicycle, and he is laughing, and he has flour",
            "She gave it as her reason that people sometimes hide pins.",
        ),
        notes={
            "1": "out of his mouth.",
            "2": "had been going.",
            "3": "each time it was news.",
            "4": "whether they were right.",
        },
        kinds={BlockKind.QUOTE: 3},
        left_out=frozenset({"titlepage", "contents"}),
        absent=("Helen Asker", "Cambridge 1932"),
    ),
    Facts(
        file="backups-that-come-back.md",
        title="Backups That Come Back",
        author="Nils Okafor",
        language="en",
        chapters=(
            *("1 What a Backup Is", "2 Making an Archive", "3 Checking", "4 Coming Back"),
            "5 How Long to Keep What",
        ),
        sentences=(
            "rsync --archive --delete \\\n      --link-dest=/mnt/backup/2026-01-01 \\\n",
            "A perfect archive of the wrong folder passes every test above. Only looking helps.",
        ),
        notes={"1": "whatever the backup was like."},
        kinds={BlockKind.CODE: 5, BlockKind.TABLE: 1, BlockKind.LIST_ITEM: 9},
        absent=("160,000 seconds", "tags:", "```"),
    ),
    Facts(
        file="winterapfel.txt",
        language="de",
        chapters=("Der Keller", "Das Pfropfen", "Die Uhr auf dem Kirchturm"),
        sentences=(
            "„Äpfel sind wie Verwandte“, sagte sie, „sie vertragen sich, solange man sie nicht zu eng",
            "Ein reifer Apfel gibt ein Gas ab, das Äthylen heißt,",
        ),
    ),
)
SOURCES = {
    "small-machines.pdf": "small-machines.md",
    "weather-over-town.pdf": "weather-over-town.md",
    "gull-rock.txt": "gull-rock.md",
    "winterapfel.txt": "winterapfel.md",
    "the-unreliable-witness.odt": "the-unreliable-witness.md",
}

each_sample = pytest.mark.parametrize(
    "facts", [pytest.param(one, id=one.file, marks=marks_of(one.file)) for one in FACTS]
)


@cache
def read(file: str) -> Book:
    return extract(SAMPLES / file)


def test_the_script_writes_the_committed_files_byte_for_byte(tmp_path: Path) -> None:
    subprocess.run([sys.executable, MAKER / "make_samples.py", tmp_path], check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    written_by_hand = {"a-promise-to-the-dead.html", "backups-that-come-back.md"}
    assert set(made) == {facts.file for facts in FACTS} - written_by_hand
    assert [name for name, data in made.items() if (SAMPLES / name).read_bytes() != data] == []


@each_sample
def test_a_sample_is_small(facts: Facts) -> None:
    assert (SAMPLES / facts.file).stat().st_size < 200_000  # a clone should stay light


@each_sample
def test_readme_names_each_sample(facts: Facts) -> None:
    assert f"`{facts.file}`" in (SAMPLES / "README.md").read_text(encoding="utf-8")


@each_sample
def test_metadata(facts: Facts) -> None:
    book = read(facts.file)
    assert book.language == facts.language
    assert facts.title in ("", book.title)
    assert facts.author in ("", book.author)
    assert book.warnings == ()


@each_sample
def test_chapters_come_in_order(facts: Facts) -> None:
    chapters = [section for section in read(facts.file).sections if section.chapter and section.headings]
    titles = [section.headings[-1] for section in chapters]
    assert len(titles) == len(facts.chapters), titles
    assert [title for title, known in zip(titles, facts.chapters, strict=True) if known not in title] == []


@each_sample
def test_sentences_are_found_whole(facts: Facts) -> None:
    text = read(facts.file).text
    assert [sentence for sentence in facts.sentences if sentence not in text] == []


@each_sample
def test_notes_stand_apart_and_know_where_they_are_cited(facts: Facts) -> None:
    book = read(facts.file)
    before = {note.label: book.text[: note.cited_at] for note in book.notes}
    assert set(before) == set(facts.notes)
    assert [mark for mark, words in facts.notes.items() if not before[mark].endswith(words)] == []


@each_sample
def test_printed_pages(facts: Facts) -> None:
    book = read(facts.file)
    found = {words: book.page_at(book.text.index(words)) for words in facts.pages}
    assert {words: page and page.label for words, page in found.items()} == dict(facts.pages)


@each_sample
def test_kinds_of_blocks(facts: Facts) -> None:
    found = Counter(block.kind for block in read(facts.file).blocks)
    assert {kind: found[kind] for kind in facts.kinds} == dict(facts.kinds)


@each_sample
def test_what_is_left_out_is_named_and_gone(facts: Facts) -> None:
    book = read(facts.file)
    assert facts.left_out <= {left.kind for left in book.left_out}
    chapters = [block.text for section in book.sections if section.headings for block in section.blocks]
    assert [words for words in facts.absent if any(words in text for text in chapters)] == []


@pytest.mark.parametrize("file", [pytest.param(name, marks=marks_of(name)) for name in SOURCES])
def test_each_paragraph_is_one_block(file: str) -> None:
    source = (MAKER / "text" / SOURCES[file]).read_text(encoding="utf-8")
    paragraphs = [
        re.sub(r"\[\^\d+\]|\*", "", part)
        for part in re.split(r"\n+", source.strip())
        if not part.startswith(("# ", ">", "[^"))
    ]
    blocks = {re.sub("[_*]", "", block.text) for block in read(file).blocks}
    assert [paragraph for paragraph in paragraphs if paragraph not in blocks] == []


def test_epub_has_every_word_of_its_chapters_and_no_other() -> None:
    folder = MAKER / "text" / "the-quiet-trades"
    kept = "//*[local-name()='body']//text()[not(ancestor::*[local-name()='aside' or @role='doc-noteref'])]"
    words: Counter[str] = Counter()
    for path in (*folder.glob("part-*.xhtml"), *folder.glob("[1-5]-*.xhtml")):
        words.update(" ".join(map(str, cast(list[str], etree.parse(path).xpath(kept)))).split())
    assert Counter(read("the-quiet-trades.epub").text.split()) == words


def test_table_keeps_its_cells() -> None:
    table = "\n".join(b.text for b in read("the-quiet-trades.epub").blocks if b.kind is BlockKind.TABLE)
    assert re.search(r"Madder\W+the root\W+red\W+Woad\W+the leaf\W+blue", table)
