"""The pictures in the docs are those of the present program."""

import json

import pytest

from tools.make_pictures import FOLDER, SOURCES, digest


def test_every_picture_has_its_sources() -> None:
    assert {file.stem for file in FOLDER.glob("*.png")} == set(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_a_picture_is_not_older_than_what_it_shows(name: str) -> None:
    """If it is: `python -m tools.make_pictures` makes them all in some twenty seconds."""
    assert json.loads((FOLDER / "made-of.json").read_text())[name] == digest(name)
