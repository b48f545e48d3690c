"""Grades from a review's folder, or from a table that has the cuts' settings and fields beside their grades.

A table has one row per cut: `setting`, `book` and `domain`, and for each reader a column `cut_NAME` and
perhaps `begin_NAME` (or `cut` and `begin` for a single reader). Unlike a review's own files it names the
settings, so it is for keeping and passing on grades, not for grading.
"""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from alexandria.errors import ConfigError, io_reason
from alexandria.lab.questions import delimiter_of
from benchmarks.readers.folder import ReviewFolder
from benchmarks.readers.grades import Grade, Grades
from benchmarks.readers.items import ReviewItem

Review = tuple[Sequence[ReviewItem], dict[str, Grades]]
"""The items, and each reader's grades by the reader's name."""
_REQUIRED_COLUMNS = ("setting", "book", "domain")


def read_reviews(paths: Sequence[Path]) -> list[Review]:
    """Return the items and the readers' grades of each review, once even if several paths lead to it.

    Args:
        paths: folders of reviews, or files in them, and tables of grades. A file in a folder stands for the
            whole review.

    Raises:
        ConfigError: a path is neither a review nor a table of grades, or cannot be read.
    """
    reviews: dict[Path, Review] = {}  # by the folder or the table
    for path in paths:
        # A CSV file may be a table of its own, or one of a review's files.
        table = _read_table(path) if path.suffix.lower() == ".csv" and path.is_file() else None
        if table is not None:
            reviews[path.resolve()] = table
        else:
            folder = ReviewFolder.at(path)
            reviews[folder.path.resolve()] = (folder.items(), folder.grades_by_reader())
    return list(reviews.values())


def _read_table(path: Path) -> Review | None:
    """Return the grades of a table, or None for a review's own file, which numbers its cuts in a column `n`.

    Readers without a grade are left out.

    Raises:
        ConfigError: the file cannot be read, a column is missing, or a grade is not a number from 1 to 5.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        # A cell that is missing at the end of a row is empty.
        rows = csv.DictReader(StringIO(text), delimiter=delimiter_of(text), restval="")
        columns = list(rows.fieldnames or ())
        missing = [column for column in _REQUIRED_COLUMNS if column not in columns]
        if len(missing) == len(_REQUIRED_COLUMNS) or (missing and "n" in columns):
            return None
        if missing:
            raise ConfigError(
                f"cannot read {path}",
                why=f"it has no column {' or '.join(missing)}",
                fix=f"a table of grades has the columns {', '.join(_REQUIRED_COLUMNS)} and cut_NAME",
            )
        suffixes = [column.removeprefix("cut") for column in columns if column.startswith("cut")]  # `_NAME`
        items: list[ReviewItem] = []
        grades: dict[str, dict[int, Grade]] = {_reader_name(path, suffix): {} for suffix in suffixes}
        for n, row in enumerate(rows, 1):
            items.append(_to_item(n, row))
            for suffix in suffixes:
                grade = _parse_grade(row, suffix)
                if grade is not None:
                    grades[_reader_name(path, suffix)][n] = grade
    except (OSError, ValueError, csv.Error) as error:  # a UnicodeError is a ValueError
        why = io_reason(error) if isinstance(error, OSError | UnicodeError) else str(error)
        raise ConfigError(
            f"cannot read {path}", why=why, fix="a column cut_NAME has a number from 1 to 5 for each cut"
        ) from error
    return items, {reader: cut_grades for reader, cut_grades in grades.items() if cut_grades}


def _reader_name(path: Path, suffix: str) -> str:
    """Return a reader's name that differs between tables: the table's, then `_NAME` of the column, if any."""
    return f"{path.stem}{suffix}"


def _to_item(n: int, row: dict[str, str]) -> ReviewItem:
    """Return a row as an item with its number; a table has no texts, and its books have one name each."""
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


def _parse_grade(row: dict[str, str], suffix: str) -> Grade | None:
    """Return the grade in a reader's columns, which end with the suffix, or None if the cell is empty.

    Raises:
        ValueError: the grade is not a number from 1 to 5.
    """
    text = row[f"cut{suffix}"].strip()
    if not text:
        return None
    cut = int(text)
    if not 1 <= cut <= 5:
        raise ValueError(f"the grade of a cut is {cut}")
    answer = row.get(f"begin{suffix}", "").strip().lower()
    return Grade(cut, begins=answer.startswith("y"))
