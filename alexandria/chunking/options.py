"""Checks of option values: a value outside its range raises `OptionError`."""

from numbers import Real


class OptionError(ValueError):
    """An option's value is out of range, or contradicts another option."""

    def __init__(self, option: str, why: str) -> None:
        super().__init__(option, why)
        self.option, self.why = option, why

    def __str__(self) -> str:
        return f"{self.option} {self.why}"


def check_count(option: str, value: int, *, minimum: int) -> None:
    """Raise OptionError unless a value is a whole number of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise OptionError(option, f"must be a whole number of at least {minimum}, not {value!r}")


def check_between(option: str, value: float, low: float, high: float) -> None:
    """Raise OptionError unless a value is a number in [low, high], which NaN is not."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= value <= high:
        raise OptionError(option, f"must be a number from {low:g} to {high:g}, not {value!r}")


def check_order(low_option: str, low: int, high_option: str, high: int) -> None:
    """Raise OptionError if a lower limit exceeds the upper limit."""
    if high < low:
        raise OptionError(high_option, f"must be at least {low_option} ({low}), not {high}")
