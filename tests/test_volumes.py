"""Volumes: what title, series and metadata say of them, and what looks like a volume."""

import pytest

from alexandria.book.volumes import Volume, divide_volume, volume_of


@pytest.mark.parametrize(
    ("title", "divided"),
    [
        ("A History of Harbours, Vol. V: The Ferries", ("A History of Harbours", "5", "The Ferries")),
        ("A History of Harbours, Volume 2", ("A History of Harbours", "2", "")),
        ("A History of Harbours Vol. 2", ("A History of Harbours", "2", "")),
        ("Decline and Fall — Volume 03", ("Decline and Fall", "3", "")),
        ("Decline and Fall, Vol. 1 (of 6)", ("Decline and Fall", "1", "")),
        ("Essays, Vol. 1 of 3: First", ("Essays", "1", "First")),
        ("Essays [Vols. 1-3]", ("Essays", "1–3", "")),
        ("Essays, Volume the Second", ("Essays", "2", "")),
        ("Geschichte Böhmens. Zweiter Band", ("Geschichte Böhmens", "2", "")),
        ("Geschichte. Zehnter Band", ("Geschichte", "10", "")),
        ("Essays, volume ten", ("Essays", "10", "")),
        ("Geschichte (Bd. 3)", ("Geschichte", "3", "")),
        ("Das Meer. 2. Band", ("Das Meer", "2", "")),
        ("Les Misérables Tome III: Marius", ("Les Misérables", "3", "Marius")),
        ("Les Misérables, tome premier", ("Les Misérables", "1", "")),
        ("Historia, Tomo II. Los puertos", ("Historia", "2", "Los puertos")),
        ("Storia d'Italia, volume IV", ("Storia d'Italia", "4", "")),
        ("История. Том второй", ("История", "2", "")),
    ],
)
def test_a_title_that_ends_with_a_volume_is_divided(title: str, divided: tuple[str, str, str]) -> None:
    assert divide_volume(title) == divided


@pytest.mark.parametrize(
    "title",
    [
        "One Man Band 2", "Turn Up the Volume 2", "Peeping Tom 2", "History, Vol. Civil War", "Discworld 8",
        "A History: Speaking Volumes", "A History: Six Volumes", "A History (Ten Volumes)",
        "The Sea, Part 2", "Moby-Dick; or, The Whale", "Book Two", "",
    ],
)  # fmt: skip
def test_a_title_that_only_looks_so_is_whole(title: str) -> None:
    assert divide_volume(title) == (title, "", "")


@pytest.mark.parametrize(
    ("stated", "volume"),
    [
        (("Harbours", "Harbours 2"), Volume("Harbours", "2", "", "", "", "Harbours, vol. 2")),
        (("Harbours, Vol. 2", "Harbours 2"), Volume("Harbours", "2", "", "", "", "Harbours, Vol. 2")),
        (("Pyramids", "Discworld 8"), Volume("Pyramids", "", "", "Discworld", "8", "Pyramids")),
        (
            ("Harbours", "", "IV", "Ferries"),
            Volume("Harbours", "4", "Ferries", "", "", "Harbours, vol. 4: Ferries"),
        ),
        (("Harbours, Vol. 2", "", "3"), Volume("Harbours", "3", "", "", "", "Harbours, Vol. 2")),
        (("Vol. 2: The Ferries",), Volume("Vol. 2: The Ferries", "", "", "", "", "Vol. 2: The Ferries")),
    ],
    ids=["series named as it", "both", "another series", "stated", "stated counts more", "no work"],
)
def test_what_is_stated_and_the_series_count_too(stated: tuple[str, ...], volume: Volume) -> None:
    assert volume_of(*stated) == volume
