"""Divides a sequence into runs."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def group_runs(items: Iterable[_T], goes_on: Callable[[Sequence[_T], _T], bool]) -> list[list[_T]]:
    """Return items in runs: each goes on with the run before it, which `goes_on` is given, or begins one."""
    runs: list[list[_T]] = []
    for item in items:
        if runs and goes_on(runs[-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs
