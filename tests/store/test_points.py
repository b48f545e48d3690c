"""Balances of cuts are packed into few values of a payload, and read back as they were."""

import pytest

from alexandria.book.weighed import Balance, KeptTogether, NextBest, Term
from alexandria.store.points import pack_balance, pack_kept, parse_balance, parse_kept

TERMS = (Term("window", 0.843), Term("new_time", -1.5))


@pytest.mark.parametrize(
    "balance",
    [
        pytest.param(None, id="none"),
        pytest.param(Balance(False, TERMS, 5.21, NextBest(131, 3.2, 0.8)), id="whole"),
        pytest.param(Balance(True, (), None, None), id="nothing but the place"),
    ],
)
def test_a_balance_comes_back_as_it_was(balance: Balance | None) -> None:
    assert parse_balance({"balance": pack_balance(balance)}) == balance


@pytest.mark.parametrize("kept", [None, KeptTogether(12, 0.31, 1.204, TERMS)])
def test_a_gap_kept_together_comes_back_as_it_was(kept: KeptTogether | None) -> None:
    assert parse_kept({"kept": pack_kept(kept)}) == kept


def test_a_payload_of_an_older_version_has_none() -> None:
    assert parse_balance({"gap": 3, "reason": "topic"}) is None
    assert parse_kept({"text": "…"}) is None


def test_the_values_in_a_payload_are_few() -> None:
    packed = pack_balance(Balance(False, TERMS, 5.21, NextBest(131, 3.2, 0.8)))
    assert packed == {
        "inside_paragraph": False,
        "terms": "window 0.843 new_time -1.5",
        "gain": 5.21,
        "next_best": "131 3.2 0.8",
    }
