"""Restore a book's domain and chunks from what a library stores of it."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from alexandria.book import Boundary, Chunk, Overlap, Reason
from alexandria.chunking import STRATEGIES, restore_strategy
from alexandria.config import Domain
from alexandria.passage import stored_pages
from alexandria.store.balances import parse_balance, parse_kept
from alexandria.store.points import parse_sentence_starts, parse_similarities
from alexandria.store.record import Record


def restore_domain(record: Record) -> Domain:
    """Return the domain under which a book was stored, from its settings."""
    # The settings have the options of the domain and of its strategy side by side. The options of a strategy
    # that is not installed are unknown: every setting that is not an option of the domain counts as one.
    settings = record.settings
    strategy = STRATEGIES.get(record.strategy)
    strategy_options = set() if strategy is None else {option.name for option in fields(strategy)}
    not_options = {"name", "strategy", "origins", "comments"}
    domain_options = {option.name for option in fields(Domain)} - not_options - strategy_options
    not_of_strategy = {*domain_options, "domain", "strategy"}
    domain_settings = {key: value for key, value in settings.items() if key in domain_options}
    strategy_settings = {key: value for key, value in settings.items() if key not in not_of_strategy}
    return Domain(
        name=record.domain,
        strategy=restore_strategy(record.strategy, strategy_settings),
        **domain_settings,
        origins=dict.fromkeys(settings, f"the library, {record.ingested_at[:10]}"),
    )


def restore_chunks(payloads: Sequence[Mapping[str, Any]]) -> tuple[Chunk, ...]:
    """Return the chunks of a book from their payloads.

    Args:
        payloads: the payloads of all its chunks, in order.

    Raises:
        StoreError: the payloads were stored by an older version, without the similarities.
    """
    chunks, first_sentence = [], 0
    for payload in payloads:
        chunks.append(_parse_chunk(payload, first_sentence))
        first_sentence += chunks[-1].n_sentences
    return tuple(chunks)


def _parse_chunk(payload: Mapping[str, Any], first_sentence: int) -> Chunk:
    """Return a chunk from its payload; `first_sentence` is its first sentence, counted in the book."""
    return Chunk(
        index=payload["chunk_id"],
        start=payload["start"],
        end=payload["end"],
        text=payload["text"],
        word_count=payload["word_count"],
        first_sentence=first_sentence,
        n_sentences=payload["n_sentences"],
        headings=tuple(payload["section"]),
        page_start=payload["page_start"],
        page_end=payload["page_end"],
        page_label=payload["page_label"],
        href=payload["href"],
        notes=tuple(payload["notes"]),
        avg_similarity=payload["avg_similarity"],
        boundary=_parse_boundary(payload["boundary"]),
        sentence_starts=parse_sentence_starts(payload),
        page_starts=stored_pages(payload),
        similarities=parse_similarities(payload),
        kept=parse_kept(payload),
        overlap_before=Overlap(**overlap) if (overlap := payload.get("overlap_before")) else None,
        topic=tuple(payload.get("topic", ())),
        ocr_confidence=payload.get("ocr_confidence"),
    )


def _parse_boundary(stored: Mapping[str, Any] | None) -> Boundary | None:
    """Return the cut before a chunk from its payload, or None for the first chunk of a book."""
    if stored is None:
        return None
    return Boundary(
        gap=stored["gap"],
        similarity=stored["similarity"],
        threshold=stored["threshold"],
        reason=Reason(stored["reason"]),
        rank=stored["rank"],
        n_candidates=stored["n_candidates"],
        balance=parse_balance(stored),
    )
