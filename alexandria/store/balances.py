"""Balances of cuts in a payload: few values, since stores parse a payload value by value."""

from collections.abc import Iterable, Mapping
from typing import Any

from alexandria.ledger import Balance, Kept, NextBest, Term


def packed_balance(balance: Balance | None) -> dict[str, Any] | None:
    """Return a balance as the payload has it: the terms in one string, and so the next best cut."""
    if balance is None:
        return None
    best = balance.next_best
    return {
        "inside_paragraph": balance.inside_paragraph,
        "terms": _packed(balance.terms),
        "gain": balance.gain,
        "next_best": f"{best.gap} {best.cost} {best.loss}" if best else None,
    }


def packed_kept(kept: Kept | None) -> dict[str, Any] | None:
    """Return a gap that was kept together as the payload has it."""
    if kept is None:
        return None
    return {
        "gap": kept.gap,
        "similarity": kept.similarity,
        "loss": kept.loss,
        "terms": _packed(kept.terms),
    }


def stored_balance(boundary: Mapping[str, Any]) -> Balance | None:
    """Return the balance in a stored boundary; None if it was stored without one."""
    packed = boundary.get("balance")
    if packed is None:
        return None
    best = packed["next_best"]
    return Balance(
        inside_paragraph=packed["inside_paragraph"],
        terms=_unpacked(packed["terms"]),
        gain=packed["gain"],
        next_best=_next_best(best) if best else None,
    )


def stored_kept(payload: Mapping[str, Any]) -> Kept | None:
    """Return the gap of a stored chunk that was kept together, if one was stored."""
    packed = payload.get("kept")
    if packed is None:
        return None
    return Kept(packed["gap"], packed["similarity"], packed["loss"], _unpacked(packed["terms"]))


def _packed(terms: Iterable[Term]) -> str:
    """Return `window 0.84 new_time -1.5`."""
    return " ".join(f"{term.name} {term.cost}" for term in terms)


def _unpacked(text: str) -> tuple[Term, ...]:
    words = text.split()
    return tuple(Term(name, float(cost)) for name, cost in zip(words[::2], words[1::2], strict=True))


def _next_best(text: str) -> NextBest:
    gap, cost, loss = text.split()
    return NextBest(int(gap), float(cost), float(loss))
