"""The strategy of a stored book: itself where it is installed, else what its name and options reveal."""

from dataclasses import FrozenInstanceError, asdict, fields

import numpy as np
import pytest

from alexandria.book.model import Boundary, Reason
from alexandria.chunking import STRATEGIES, Strategy, explain_boundary, restore_strategy
from tests.chunking.builders import sizes_with

TOPIC = Boundary(9, 0.3, 0.5, Reason.TOPIC, rank=14, n_candidates=52)
FORCED = Boundary(9, 0.3, 0.5, Reason.MAX_SIZE)


@pytest.mark.parametrize("cls", STRATEGIES.values(), ids=list(STRATEGIES))
def test_an_installed_strategy_is_restored_from_its_options(cls: type[Strategy]) -> None:
    strategy = cls(max_words=900)  # type: ignore[call-arg]  # all shipped strategies have this option
    assert restore_strategy(cls.name, asdict(strategy)) == strategy


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("gone", {"pages": 3, "max_words": 900, "min_words": 50}, id="not installed"),
        pytest.param("fixed", {"overlap_words": -1, "max_words": 900}, id="values refused by now"),
    ],
)
def test_a_stand_in_keeps_the_options_and_explains_cuts(name: str, options: dict[str, int]) -> None:
    strategy = restore_strategy(name, options)
    assert {option.name: getattr(strategy, option.name) for option in fields(strategy)} == options
    assert strategy.name == name
    assert (strategy.min_words, strategy.max_words) == (options.get("min_words", 0), 900)
    rule = f"rule of the strategy {name}, which is not available here"
    assert (
        explain_boundary(TOPIC, strategy)
        == f"New topic. Similarity 0.30, below 0.50: {rule} (rank 14 of 52)."
    )
    assert explain_boundary(FORCED, strategy) == "Full: 900 words at most."
    with pytest.raises(FrozenInstanceError):
        strategy.max_words = 1  # type: ignore[misc]  # what is not allowed is the point
    with pytest.raises(NotImplementedError, match=name):
        strategy.segment(np.eye(2, dtype=np.float32), sizes_with([1, 1]))


def test_a_stand_in_without_a_cap_says_whose_it_was() -> None:
    assert explain_boundary(FORCED, restore_strategy("gone", {})) == "Full: the strategy gone at most."


def test_an_option_that_the_strategy_no_longer_has_is_ignored() -> None:
    assert restore_strategy("fixed", {"max_words": 900, "hue": 3}) == STRATEGIES["fixed"](max_words=900)  # type: ignore[call-arg]  # it has one
