"""Test two tables by pairs: each row of each with one row of the other, instead of each with each."""

from collections.abc import Iterable, Mapping
from itertools import chain

import pytest

Rows = Mapping[str, object] | Iterable[object]


def by_pairs(*tables: tuple[str, Rows]) -> pytest.MarkDecorator:
    """Parametrize by several tables, each with the names of its parameters; the shorter ones begin again."""
    columns = [list(_rows(names.count(",") + 1, rows)) for names, rows in tables]
    each = [[column[n % len(column)] for column in columns] for n in range(max(map(len, columns)))]
    return pytest.mark.parametrize(
        [name.strip() for names, _ in tables for name in names.split(",")],
        [pytest.param(*chain(*(row for _, row in rows)), id="-".join(id for id, _ in rows)) for rows in each],
    )


def _rows(n_names: int, rows: Rows) -> Iterable[tuple[str, tuple[object, ...]]]:
    for id, row in rows.items() if isinstance(rows, Mapping) else enumerate(rows):
        yield str(id), tuple(row) if n_names > 1 and isinstance(row, Iterable) else (row,)
