"""Write the sample books that are made from a text, byte for byte identical every time.

The HTML and the Markdown sample are written by hand, and are not made from anything.

python tools/samples/make_samples.py [FOLDER]
"""

import sys
from pathlib import Path

from manuscript import read_manuscript
from opendocument import write_odt
from packed import write_epub
from plain import write_txt
from printed import write_book, write_paper
from processed import write_docx

HERE = Path(__file__).parent
TEXT = HERE / "text"


def make_samples(folder: Path) -> None:
    """Write every sample that is made from a text into the folder."""
    write_epub(TEXT / "the-quiet-trades", folder / "the-quiet-trades.epub")
    machines = read_manuscript(TEXT / "small-machines.md", title="Small Machines", author="Tomas Ferrand")
    write_book(machines, folder / "small-machines.pdf")
    weather = read_manuscript(
        TEXT / "weather-over-town.md", title="The Weather over Town", author="The Rooftop Society"
    )
    write_paper(weather, folder / "weather-over-town.pdf")
    clock = read_manuscript(TEXT / "the-town-clock.md", title="The Town Clock", author="Clement Vane")
    write_docx(clock, folder / "the-town-clock.docx")
    rock = read_manuscript(TEXT / "gull-rock.md", title="Gull Rock", author="by Ruth Penhale")
    roman = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
    write_txt(
        rock,
        folder / "gull-rock.txt",
        numbers=[f"CHAPTER {number}" for number in roman[: len(rock.chapters)]],
        contents="CONTENTS",
        encoding="utf-8",
    )
    witness = read_manuscript(
        TEXT / "the-unreliable-witness.md", title="The Unreliable Witness", author="Helen Asker"
    )
    write_odt(witness, folder / "the-unreliable-witness.odt")
    apple = read_manuscript(TEXT / "winterapfel.md", title="Der Winterapfel", author="von Jakob Lenz")
    write_txt(
        apple,
        folder / "winterapfel.txt",
        numbers=[f"{number} Kapitel" for number in ("Erstes", "Zweites", "Drittes")],
        contents="",
        encoding="cp1252",
    )


if __name__ == "__main__":
    make_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "samples")
