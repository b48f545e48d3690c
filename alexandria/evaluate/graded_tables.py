"""Grades from a review's folder, or from a table that has the cuts' settings and fields beside their grades.

A table has a line per cut: `setting`, `book` and `domain`, and for each reader a column `cut_NAME` and
perhaps `begin_NAME` (or `cut` and `begin` for a single one). Unlike a review's own files it names the
settings, so it is for keeping and passing on grades, not for grading.
"""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from alexandria.errors import ConfigError, io_reason
from alexandria.evaluate.grades import Grade, Grades
from alexandria.evaluate.review import ReviewItem
from alexandria.evaluate.review_folder import ReviewFolder

Review = tuple[Sequence[ReviewItem], dict[str, Grades]]
_NEEDED = ("setting", "book", "domain")


def read_reviews(paths: Sequence[Path]) -> list[Review]:
    """Return the items and the readers' grades of each review.

    Args:
        paths: folders of reviews, or files in them, and tables of grades.

    Raises:
        ConfigError: one of them is none, or cannot be read.
    """
    return [_review(path) for path in paths]


def _review(path: Path) -> Review:
    if path.suffix == ".csv" and path.is_file() and (table := _table(path)) is not None:
        return table
    folder = ReviewFolder.at(path)
    return folder.items(), folder.readers()


def _table(path: Path) -> Review | None:
    """Return the grades of a table; None for a review's own file, which does not say what was graded."""
    try:
        rows = csv.DictReader(StringIO(path.read_text(encoding="utf-8-sig")))
        columns = list(rows.fieldnames or ())
        if not set(_NEEDED) <= set(columns):
            return None
        readers = [column.removeprefix("cut") for column in columns if column.startswith("cut")]
        items: list[ReviewItem] = []
        grades: dict[str, dict[int, Grade]] = {_name(reader, path): {} for reader in readers}
        for n, row in enumerate(rows, 1):
            items.append(_item(n, row))
            for reader in readers:
                if (row[f"cut{reader}"] or "").strip():
                    begins = (row.get(f"begin{reader}") or "").strip().lower().startswith("y")
                    grades[_name(reader, path)][n] = Grade(_cut(row[f"cut{reader}"]), begins)
    except (OSError, UnicodeError, ValueError) as error:
        why = io_reason(error) if isinstance(error, OSError | UnicodeError) else str(error)
        raise ConfigError(
            f"cannot read {path}", why=why, fix="a column cut_NAME has a number from 1 to 5 for each cut"
        ) from error
    return items, {reader: own for reader, own in grades.items() if own}


def _name(reader: str, path: Path) -> str:
    return f"{path.stem}{reader}"


def _item(n: int, row: dict[str, str]) -> ReviewItem:
    return ReviewItem(
        n=n,
        settings=(row["setting"],),
        domain=row["domain"],
        book_id=row["book"],
        title=row["book"],
        start=0,
        before="",
        after="",
    )


def _cut(text: str) -> int:
    cut = int(text)
    if not 1 <= cut <= 5:
        raise ValueError(f"the grade of a cut is {cut}")
    return cut
