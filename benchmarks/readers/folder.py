"""A review as files, so that anyone can grade: the items to read, a table to fill in, and the key to both."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path

from alexandria.errors import ConfigError, io_reason
from alexandria.lab.questions import delimiter_of
from benchmarks.readers.grades import BEGIN_QUESTION, CUT_GRADES, Grade, Grades
from benchmarks.readers.items import ReviewItem

ITEMS = "items.md"
KEY = "key.json"
TEMPLATE = "grades.csv"
_COLUMNS = ("n", "cut", "begin", "comment")
_VERSION = 1
_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}

_MEANINGS = "\n".join(f"- {grade}: {words}" for grade, words in CUT_GRADES.items())
_INTRODUCTION = f"""# Cuts to grade

Each item is a place where a program has cut a book: the end of one passage, and the beginning of the next.
Grade it in `{TEMPLATE}` (or in a copy such as `grades-anna.csv`), one line per item. Do not look into `{KEY}`
before you are done.

`cut`, a number from 1 to 5:

{_MEANINGS}

4 and 2 lie between.

`begin`, Y or N: {BEGIN_QUESTION}
"""


@dataclass(frozen=True, slots=True)
class ReviewFolder:
    """A folder with the files of one review."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> "ReviewFolder":
        """Return the review that `path` points to: its folder, or any file in it.

        Raises:
            ConfigError: there is no review.
        """
        folder = path if path.is_dir() else path.parent
        if not path.exists():
            why = "there is no such file"
        elif not (folder / KEY).is_file():
            why = f"it has no {KEY}, which says what was graded"
        else:
            return cls(folder)
        raise ConfigError(
            f"there is no review at {path}", why=why, fix="alexandria review BOOKS --folder FOLDER"
        )

    def items(self) -> list[ReviewItem]:
        """Return the items of the key, or an empty list if there is no key yet.

        Raises:
            ConfigError: the key cannot be read.
        """
        file = self.path / KEY
        try:
            if not file.exists():
                return []
            entries = json.loads(file.read_text(encoding="utf-8"))["items"]
            # JSON has the settings as a list.
            return [ReviewItem(**{**entry, "settings": tuple(entry["settings"])}) for entry in entries]
        except OSError as error:
            raise _unreadable_error(file, io_reason(error)) from error
        except (ValueError, TypeError, KeyError) as error:
            raise _unreadable_error(file, "it is not the key of a review") from error

    def add(self, items: Sequence[ReviewItem]) -> None:
        """Add items to the files; grades already given are kept.

        Raises:
            ConfigError: a file cannot be written.
        """
        all_items = [*self.items(), *items]  # the items that the review already has come first
        key = {"version": _VERSION, "items": [asdict(item) for item in all_items]}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            markdown = "\n".join((_INTRODUCTION, *map(_as_markdown, all_items)))
            (self.path / ITEMS).write_text(markdown, encoding="utf-8")
            _append_rows(self.path / TEMPLATE, [{"n": item.n} for item in items])
            # Last: a folder with a key is complete.
            text = json.dumps(key, ensure_ascii=False, indent=1)
            (self.path / KEY).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise _unwritable_error(self.path, error) from error

    def grades_by_reader(self) -> dict[str, Grades]:
        """Return the grades of each reader by the reader's name: `anna` for `grades-anna.csv`.

        Files with the same name in another spelling, such as `grades_anna.csv`, are of one reader. A reader
        without a grade, such as that of a template that nobody has filled in, is left out.

        Raises:
            ConfigError: a file cannot be read, a line is not a grade, or two files of a reader grade an item
                differently; the message names the line or the item.
        """
        item_numbers = {item.n for item in self.items()}
        all_grades: dict[str, dict[int, Grade]] = {}
        for file in sorted(self.path.glob("grades*.csv")):
            reader = _reader_of(file)
            earlier_grades = all_grades.setdefault(reader, {})
            for n, grade in _read_grades(file, item_numbers).items():
                if earlier_grades.setdefault(n, grade) != grade:
                    raise _contradiction_error(file, reader, n)
        return {reader: grades for reader, grades in all_grades.items() if grades}

    def append(self, reader: str, n: int, grade: Grade) -> None:
        """Append one grade to a reader's file at once, so that a review can be interrupted at any time.

        Raises:
            ConfigError: the file cannot be written.
        """
        file = self.path / f"grades-{reader}.csv"
        row = {"n": n, "cut": grade.cut, "begin": "Y" if grade.begins else "N"}
        try:
            _append_rows(file, [row])
        except OSError as error:
            raise _unwritable_error(file, error) from error


def _as_markdown(item: ReviewItem) -> str:
    cut = f"**<<< CUT {item.n} >>>**"
    return f"## {item.n}\n\n*{item.title}*\n\n[…] {item.before}\n\n{cut}\n\n{item.after} […]\n"


def _reader_of(file: Path) -> str:
    """Return the reader's name in a file's name: `anna` in `grades-anna.csv`, `reader` in `grades.csv`."""
    return file.stem.removeprefix("grades").strip("-_ ") or "reader"


def _append_rows(file: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Append rows to a CSV file in a single write, so that no row is left half written.

    A file that a spreadsheet has saved keeps its columns and its delimiter; an empty one gets a header.
    """
    text = file.read_text(encoding="utf-8-sig", errors="replace") if file.exists() else ""
    delimiter = delimiter_of(text)
    columns = csv.DictReader(StringIO(text), delimiter=delimiter).fieldnames
    lines = StringIO()
    if text and not text.endswith("\n"):
        lines.write("\n")
    writer = csv.DictWriter(
        lines, columns or _COLUMNS, extrasaction="ignore", delimiter=delimiter, lineterminator="\n"
    )
    if not columns:
        writer.writeheader()
    writer.writerows(rows)
    with file.open("a", encoding="utf-8", newline="") as out:
        out.write(lines.getvalue())


def _read_grades(file: Path, item_numbers: set[int]) -> dict[int, Grade]:
    """Return the grades of a file by item number; rows without a grade are skipped.

    If several rows grade one item, the last one counts.

    Raises:
        ConfigError: the file cannot be read or lacks a column, or a row is not a grade of one of the items.
    """
    grades: dict[int, Grade] = {}
    try:
        # Spreadsheets write a byte order mark.
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        why = io_reason(error) if isinstance(error, OSError) else "it is not UTF-8"
        raise _unreadable_error(file, why) from error
    rows = csv.DictReader(StringIO(text), delimiter=delimiter_of(text))
    try:
        if text and not {"n", "cut", "begin"} <= set(rows.fieldnames or ()):
            raise ConfigError(
                f"cannot read {file}",
                why="its first line does not name the columns n, cut and begin",
                fix="write n,cut,begin above the grades; or rename the file, if it has none",
            )
        for row in rows:
            if any((row.get(column) or "").strip() for column in ("cut", "begin")):
                n, grade = _parse_row(row, item_numbers, f"{file}:{rows.line_num}")
                grades[n] = grade
    except csv.Error as error:
        raise _unreadable_error(file, str(error)) from error
    return grades


def _parse_row(row: dict[str, str], item_numbers: set[int], where: str) -> tuple[int, Grade]:
    """Return the number of an item and its grade.

    Args:
        row: one line of the file, by column.
        item_numbers: the numbers of the review's items.
        where: the file and line, for an error.

    Raises:
        ConfigError: there is no such item, or a cell holds no grade.
    """
    cells = {column: (row.get(column) or "").strip() for column in _COLUMNS}
    if not cells["n"].isdecimal() or int(cells["n"]) not in item_numbers:
        raise _wrong_row(where, f"there is no item {cells['n']!r}")
    if cells["cut"] not in ("1", "2", "3", "4", "5"):
        raise _wrong_row(where, f"the grade of the cut is {cells['cut']!r}")
    begins = _ANSWERS.get(cells["begin"].lower())
    if begins is None:
        raise _wrong_row(where, f"the answer to begin is {cells['begin']!r}")
    return int(cells["n"]), Grade(int(cells["cut"]), begins)


def _wrong_row(where: str, why: str) -> ConfigError:
    return ConfigError(
        f"cannot read {where}", why=why, fix="write the item's number, 1 to 5, and Y or N: 12,5,Y"
    )


def _contradiction_error(file: Path, reader: str, n: int) -> ConfigError:
    """Return the error for two files of one reader that grade the same item differently."""
    return ConfigError(
        f"{file} contradicts another file with the grades of {reader}",
        why=f"they grade item {n} differently",
        fix="rename the file if it is another reader's: grades-NAME.csv; otherwise remove one of the grades",
    )


def _unreadable_error(file: Path, why: str) -> ConfigError:
    return ConfigError(f"cannot read {file}", why=why, fix="restore the file, or choose another --folder")


def _unwritable_error(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"cannot write {file}", why=io_reason(error), fix="choose another --folder")
