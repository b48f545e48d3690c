"""The ranges of options: a value outside is a ValueError that names the option and the range."""

from numbers import Real


def check_count(name: str, value: int, *, least: int) -> None:
    """Accept a whole number from `least` up."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


def check_between(name: str, value: float, low: float, high: float) -> None:
    """Accept a number in [low, high]; not-a-number is outside."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")


def check_order(low_name: str, low: int, high_name: str, high: int) -> None:
    """Accept a lower limit up to the upper one."""
    if high < low:
        raise ValueError(f"{high_name} must be at least {low_name} ({low}), not {high}")
