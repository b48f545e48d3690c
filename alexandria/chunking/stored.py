"""The strategy that cut a stored book, even if it is no longer installed."""

from collections.abc import Mapping
from dataclasses import fields, make_dataclass
from typing import Any, ClassVar

from alexandria.book.model import Boundary, Embeddings
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.strategies import STRATEGIES
from alexandria.chunking.strategy import Strategy


def restore_strategy(name: str, options: Mapping[str, Any]) -> Strategy:
    """Return the strategy that cut a stored book, rebuilt from its name and stored options.

    Options that the strategy no longer has are ignored. If the strategy is not installed or rejects a value,
    a stand-in is returned, which explains the cuts of the stored book but cannot make new ones.
    """
    strategy_class = STRATEGIES.get(name)
    if strategy_class is None:
        return _stand_in(name, options)
    option_names = {option.name for option in fields(strategy_class)}
    known_options = {option: value for option, value in options.items() if option in option_names}
    try:
        return strategy_class(**known_options)
    except ValueError:
        return _stand_in(name, options)


def _stand_in(name: str, options: Mapping[str, Any]) -> Strategy:
    """Return a stand-in with the stored options as its fields, which views of a book read."""
    cls = make_dataclass(
        "StoredStrategy", options, bases=(_StandIn,), namespace={"name": name}, frozen=True, kw_only=True
    )
    strategy: Strategy = cls(**options)
    return strategy


class _StandIn:
    """A strategy of which only the name and options are known; the options are the fields of a subclass."""

    name: ClassVar[str]
    needs_embeddings: ClassVar[bool] = False
    min_words = 0
    max_words = 0

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Fail, since the code of the strategy is not here.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"the strategy {self.name} is not available")

    def rule(self) -> str:
        """Return in words that the rule is not known."""
        return f"rule of the strategy {self.name}, which is not available here"

    def cap(self) -> str:
        """Return the cap in words, as far as it is known."""
        return f"{self.max_words:,} words" if self.max_words else f"the strategy {self.name}"
