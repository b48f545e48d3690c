"""Chooses the encoder of a domain, and what is done where no model is installed."""

import logging
from dataclasses import replace

from alexandria.book.choices import NO_MODEL
from alexandria.chunking import Strategy
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder, NoEncoder, load_encoder, with_cache
from alexandria.errors import ConfigError

_LOG = logging.getLogger(__name__)


def encoder_of(domain: Domain, *, cache: bool = False, bound_to: str | None = None) -> Encoder:
    """Return the encoder of a domain's model, the same one in every call.

    If the model is not on this machine, or the domain's model is `none`, a strategy that can cut by size
    alone gets a `NoEncoder`, and its library is searched by keyword. A warning says so if the model is
    missing.

    Args:
        cache: store the vectors of encoded texts, and reuse those of earlier runs.
        bound_to: the name of the encoder of the library that the vectors are for, if there is one.

    Raises:
        ConfigError: the model is not on this machine or is `none`, and the strategy needs one.
    """
    if domain.model == NO_MODEL:
        check_cuts_without_vectors(domain)
        return NoEncoder()
    try:
        encoder = installed_encoder(domain, bound_to=bound_to)
    except ConfigError as error:
        if not cuts_without_vectors(domain.strategy):
            error.fix = f"{error.fix}; or --strategy recursive, which needs no model"
            raise
        _warn_once(domain.strategy.name, error)
        return NoEncoder()
    return with_cache(encoder) if cache else encoder


def installed_encoder(domain: Domain, *, bound_to: str | None = None) -> Encoder:
    """Return the encoder of a domain's model, whether its strategy needs one or not; see `encoder_of`.

    Raises:
        ConfigError: the model is not on this machine.
    """
    return load_encoder(
        domain.model,
        backend=domain.backend,
        precision=domain.precision,
        batch_size=domain.batch_size,
        dimensions=domain.dimensions,
        threshold_scale=domain.threshold_scale,
        bound_to=bound_to,
        shared=True,
    )


def cuts_without_vectors(strategy: Strategy) -> bool:
    """Return whether a strategy can cut by size alone: a baseline, or one with a fallback."""
    return not strategy.needs_embeddings or bool(getattr(strategy, "fallback_to_recursive", False))


def check_cuts_without_vectors(domain: Domain) -> None:
    """Make sure that the domain's strategy can cut by size alone.

    Raises:
        ConfigError: the strategy needs vectors.
    """
    if not cuts_without_vectors(domain.strategy):
        raise ConfigError(
            f"cannot cut by {domain.strategy.name} without a model",
            why="it compares sentences by their vectors",
            fix="--strategy recursive cuts by size alone; alexandria models install installs the model",
        )


def without_model(domain: Domain) -> Domain:
    """Return a copy of the domain without a model, and therefore without vectors of sentences.

    Raises:
        ConfigError: its strategy needs vectors.
    """
    check_cuts_without_vectors(domain)
    return replace(domain, model=NO_MODEL, sentence_vectors=False)


_WARNED_STRATEGIES: set[str] = set()  # those about which `_warn_once` has warned in this process


def _warn_once(strategy: str, error: ConfigError) -> None:
    """Log what a strategy does without its model, once per process; `error` says which model is missing."""
    if strategy not in _WARNED_STRATEGIES:
        _WARNED_STRATEGIES.add(strategy)
        _LOG.warning(
            "note: %s cuts by size alone, and books are searched by keyword alone: %s (%s)",
            strategy,
            error.what,
            error.why,
        )
