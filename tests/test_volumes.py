"""Volumes: what title, series and metadata say of them, and what looks like a volume."""

from alexandria.book.volumes import Volume, divide_volume, volume_of


def test_a_title_that_ends_with_a_volume_is_divided() -> None:
    cases: list[tuple[str, tuple[str, str, str]]] = [
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
    ]
    for title, divided in cases:
        assert divide_volume(title) == divided


def test_a_title_that_only_looks_so_is_whole() -> None:
    cases = [
        *("One Man Band 2", "Turn Up the Volume 2", "Peeping Tom 2", "History, Vol. Civil War"),
        *("Discworld 8", "A History: Speaking Volumes", "A History: Six Volumes"),
        *("A History (Ten Volumes)", "The Sea, Part 2", "Moby-Dick; or, The Whale", "Book Two", ""),
    ]
    for title in cases:
        assert divide_volume(title) == (title, "", "")


def test_what_is_stated_and_the_series_count_too() -> None:
    cases: dict[str, tuple[tuple[str, ...], Volume]] = {
        "series named as it": (
            ("Harbours", "Harbours 2"),
            Volume("Harbours", "2", "", "", "", "Harbours, vol. 2"),
        ),
        "both": (("Harbours, Vol. 2", "Harbours 2"), Volume("Harbours", "2", "", "", "", "Harbours, Vol. 2")),
        "another series": (
            ("Pyramids", "Discworld 8"),
            Volume("Pyramids", "", "", "Discworld", "8", "Pyramids"),
        ),
        "stated": (
            ("Harbours", "", "IV", "Ferries"),
            Volume("Harbours", "4", "Ferries", "", "", "Harbours, vol. 4: Ferries"),
        ),
        "stated counts more": (
            ("Harbours, Vol. 2", "", "3"),
            Volume("Harbours", "3", "", "", "", "Harbours, Vol. 2"),
        ),
        "no work": (
            ("Vol. 2: The Ferries",),
            Volume("Vol. 2: The Ferries", "", "", "", "", "Vol. 2: The Ferries"),
        ),
    }
    for stated, volume in cases.values():
        assert volume_of(*stated) == volume
