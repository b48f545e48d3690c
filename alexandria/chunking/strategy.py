"""What every strategy offers to the rest of the program, and the checks of its options."""

from dataclasses import MISSING, Field, fields, is_dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

from alexandria.book.model import Boundary, Embeddings
from alexandria.chunking.sizes import Sizes


class Strategy(Protocol):
    """A way to cut a book; its fields are its options in a domain file."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    name: ClassVar[str]
    needs_embeddings: ClassVar[bool]  # False for the baselines, which cut by size alone

    @property
    def min_words(self) -> int:
        """A chunk of this many words may end; 0 for a strategy that counts in another unit."""
        ...

    @property
    def max_words(self) -> int:
        """The cap that `limits` enforces."""
        ...

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts inside `sizes.spans()`, ascending; `limits` adds the rest."""
        ...

    def rule(self) -> str:
        """Return what makes this strategy cut by topic, such as `first chance after 200 words`."""
        ...

    def cap(self) -> str:
        """Return the size limits that force a cut, such as `1,200 words`."""
        ...


def is_strategy(value: object) -> bool:
    """Return whether a value, such as an installed package's, is a class that satisfies `Strategy`.

    Its options need defaults: the strategy can then be chosen by name alone.
    """
    if not isinstance(value, type) or not is_dataclass(value):
        return False
    options = fields(value)
    has_defaults = all(option.default is not MISSING for option in options)
    required = {"name", "needs_embeddings", "min_words", "max_words", "segment", "rule", "cap"}
    # Its options too: a class need not have them as attributes.
    members = {*dir(value), *(option.name for option in options)}
    return has_defaults and required <= members


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
