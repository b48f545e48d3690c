"""A boundary with what was weighed at it, as documents have it."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from alexandria.book import Boundary
from alexandria.ledger import Balance, KeptTogether, Term
from alexandria.store.balances import parse_balance
from alexandria.store.points import boundary_document
from alexandria.views.json.types import BalanceEntry, BoundaryFields, KeptEntry, TermEntry


def boundary_fields(boundary: Boundary) -> BoundaryFields:
    """Return a cut, and why it was made."""
    fields = {**boundary_document(boundary), "balance": _balance_entry(boundary.balance)}
    return cast(BoundaryFields, fields)


def stored_boundary_fields(stored: Mapping[str, Any] | None) -> BoundaryFields | None:
    """Return the cut in a payload, or None for a book's first chunk."""
    if stored is None:
        return None
    return cast(BoundaryFields, {**stored, "balance": _balance_entry(parse_balance(stored))})


def kept_entry(kept: KeptTogether | None) -> KeptEntry | None:
    """Return the gap that was kept together, if there is one."""
    if kept is None:
        return None
    return {
        "gap": kept.gap,
        "similarity": kept.similarity,
        "loss": kept.loss,
        "terms": _term_entries(kept.terms),
    }


def _balance_entry(balance: Balance | None) -> BalanceEntry | None:
    if balance is None:
        return None
    best = balance.next_best
    return {
        "inside_paragraph": balance.inside_paragraph,
        "terms": _term_entries(balance.terms),
        "cost": balance.cost,
        "gain": balance.gain,
        "next_best": {"gap": best.gap, "cost": best.cost, "loss": best.loss} if best else None,
    }


def _term_entries(terms: Iterable[Term]) -> list[TermEntry]:
    return [{"name": term.name, "cost": term.cost} for term in terms]
