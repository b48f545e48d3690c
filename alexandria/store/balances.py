"""Balances of cuts as payloads hold them: in few values, since stores parse a payload value by value."""

from collections.abc import Iterable, Mapping
from typing import Any

from alexandria.balance import Balance, KeptTogether, NextBest, Term


def pack_balance(balance: Balance | None) -> dict[str, Any] | None:
    """Return a balance as a payload holds it: its terms are one string, and so is the next best cut."""
    if balance is None:
        return None
    next_best = balance.next_best
    return {
        "inside_paragraph": balance.inside_paragraph,
        "terms": _join_terms(balance.terms),
        "gain": balance.gain,
        "next_best": f"{next_best.gap} {next_best.cost} {next_best.loss}" if next_best else None,
    }


def pack_kept(kept: KeptTogether | None) -> dict[str, Any] | None:
    """Return a gap that was not cut (`KeptTogether`), as a payload holds it."""
    if kept is None:
        return None
    return {
        "gap": kept.gap,
        "similarity": kept.similarity,
        "loss": kept.loss,
        "terms": _join_terms(kept.terms),
    }


def parse_balance(boundary: Mapping[str, Any]) -> Balance | None:
    """Return the balance of a stored boundary, or None if it was stored without one."""
    packed = boundary.get("balance")
    if packed is None:
        return None
    next_best = packed["next_best"]
    return Balance(
        inside_paragraph=packed["inside_paragraph"],
        terms=_parse_terms(packed["terms"]),
        gain=packed["gain"],
        next_best=_parse_next_best(next_best) if next_best else None,
    )


def parse_kept(payload: Mapping[str, Any]) -> KeptTogether | None:
    """Return the gap that was not cut (`KeptTogether`) of a stored chunk, or None if none was stored."""
    packed = payload.get("kept")
    if packed is None:
        return None
    return KeptTogether(
        gap=packed["gap"],
        similarity=packed["similarity"],
        loss=packed["loss"],
        terms=_parse_terms(packed["terms"]),
    )


def _join_terms(terms: Iterable[Term]) -> str:
    """Return names and costs of terms as one string, such as `window 0.84 new_time -1.5`."""
    return " ".join(f"{term.name} {term.cost}" for term in terms)


def _parse_terms(text: str) -> tuple[Term, ...]:
    """Return the terms in a string of `_join_terms`."""
    fields = text.split()
    return tuple(Term(name, float(cost)) for name, cost in zip(fields[::2], fields[1::2], strict=True))


def _parse_next_best(text: str) -> NextBest:
    gap, cost, loss = text.split()
    return NextBest(gap=int(gap), cost=float(cost), loss=float(loss))
