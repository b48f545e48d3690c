"""Names that published descriptions of chunking give to options: each is taken as the option it is here.

An option may be written in camel case. A name that means something on purpose not done here is refused, with
the reason and what to use.
"""

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from alexandria.chunking import STRATEGIES
from alexandria.config.domain import DEFAULT_STRATEGY, DOMAIN_OPTIONS, option_names
from alexandria.config.values import Layer, Source, SourcedValue, at
from alexandria.errors import ConfigError

_LOG = logging.getLogger(__name__)

SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "min_chunk_size": ("min_words",),
        "max_chunk_size": ("max_chars", "max_words"),
        "min_size": ("min_words",),
        "max_size": ("max_words",),
        "size": ("max_words",),
        "overlap": ("overlap_words",),
        "similarity_threshold": ("threshold",),
        "min_chunk_sentences": ("min_sentences",),
        "max_chunk_sentences": ("max_sentences",),
        "similarity_percentile": ("percentile",),
        "smoothing_window_size": ("window",),
        "boundary_threshold_std_devs": ("std_devs",),
        "embedding_batch_size": ("batch_size",),
        "embedding_model": ("model",),
        "model_name": ("model",),
    }
)
"""The options that a name stands for: the first one that the strategy has."""
SWITCH = "semantic_chunking_enabled"
"""True chooses the strategy `smoothed`, false chooses `recursive`."""
GROUP = "semantic_chunking_config"
"""A group of options, which count as if they stood beside it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an option of a description has no counterpart, and what serves instead."""

    why: str
    fix: str


_LOCAL = Refusal(
    "vectors are computed on this machine: no service is asked, and none is configured",
    "remove it; `model: NAME` chooses the model",
)
_FUNCTION = Refusal(
    "a file cannot hold a function",
    "model: NAME; in Python, alexandria.chunk(text, encoder=FUNCTION)",
)
REFUSALS: Mapping[str, Refusal] = MappingProxyType(
    {
        "min_sentence_length": Refusal(
            "no sentence is left out, however short: every one is part of a chunk",
            "min_words (or min_sentences) keeps short sentences together with their neighbours; "
            "alexandria.SemanticChunker joins them in plain text",
        ),
        "embed": _FUNCTION,
        "embed_fn": _FUNCTION,
        "ollama_client": _LOCAL,
        "gemini_client": _LOCAL,
        "task_type": Refusal(
            "the model's own settings say how passages and queries are encoded", "remove it"
        ),
        "min_rating": Refusal(
            "books have no ratings", "remove it; search filters by author, title and others"
        ),
    }
)
"""What is refused on purpose, by name."""


def snake_case(name: str) -> str:
    """Return a name such as `minTokens` as `min_tokens`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def option_called(name: str, options: Collection[str]) -> str | None:
    """Return the option that a name stands for among `options`, or None if it stands for none of them."""
    if name in options:
        return name
    plain = snake_case(name)
    return next((option for option in (plain, *SYNONYMS.get(plain, ())) if option in options), None)


def refuse(name: str, written: SourcedValue) -> ConfigError | None:
    """Return the error for a name that is refused on purpose; None for any other."""
    refusal = REFUSALS.get(snake_case(name))
    if refusal is None:
        return None
    return ConfigError(f"cannot use the option {name!r}{at(written)}", why=refusal.why, fix=refusal.fix)


def in_own_names(layers: Sequence[Layer]) -> list[Layer]:
    """Return the layers with the program's own names, as far as the names are known; strongest last.

    Raises:
        ConfigError: two names of one layer stand for the same option, or a switch is not true or false.
    """
    flat = [flattened(layer) for layer in layers]
    named = [str(layer["strategy"].value) for layer in flat if "strategy" in layer]
    current, last = DEFAULT_STRATEGY, named[-1] if named else DEFAULT_STRATEGY
    translated = []
    for layer in flat:
        current = str(layer["strategy"].value) if "strategy" in layer else current
        from_environment = any(written.origin.source is Source.ENVIRONMENT for written in layer.values())
        # Unlike a file, the environment is not written for one strategy.
        translated.append(renamed(layer, last if from_environment else current))
    values = [(option, written) for layer in translated for option, written in layer.items()]
    _tell(
        {written.origin.name: _meaning(option, written) for option, written in values if written.origin.name}
    )
    return translated


def _meaning(option: str, written: SourcedValue) -> str:
    return f"strategy {written.value}" if option == "strategy" else option


def renamed(layer: Layer, strategy: str) -> Layer:
    """Return a layer with the names of the options of a strategy and of every domain.

    Raises:
        ConfigError: two names stand for the same option.
    """
    own = option_names(STRATEGIES[strategy]) if strategy in STRATEGIES else []
    options = {*own, *DOMAIN_OPTIONS}
    result: dict[str, SourcedValue] = {}
    for name, written in layer.items():
        option = option_called(name, options) or name
        if option in result:
            raise ConfigError(
                f"cannot set {option} twice{at(written)}",
                why=f"{name} is {option} here" if name != option else "another name of it is there too",
                fix="remove one of the two",
            )
        if option != name:
            written = replace(written, origin=replace(written.origin, name=name))
        result[option] = written
    return result


def flattened(layer: Layer) -> Layer:
    """Return a layer with each value of a group for itself, and with a strategy in place of a switch."""
    return dict(_flattened(layer))


def _flattened(layer: Layer) -> Iterator[tuple[str, SourcedValue]]:
    for name, written in layer.items():
        if snake_case(name) == GROUP and isinstance(written.value, Mapping):
            yield from _flattened(
                {str(key): replace(written, value=value) for key, value in written.value.items()}
            )
        elif snake_case(name) == SWITCH:
            if not isinstance(written.value, bool):
                raise ConfigError(
                    f"cannot set {name} to {written.value!r}{at(written)}",
                    why="it must be true or false",
                    fix="change the value, or name a strategy",
                )
            strategy = "smoothed" if written.value else "recursive"
            yield "strategy", replace(written, value=strategy, origin=replace(written.origin, name=name))
        else:
            yield name, written


_TOLD: set[str] = set()


def _tell(meanings: Mapping[str, str]) -> None:
    """Say once in a process what names stand for."""
    new = {name: meaning for name, meaning in meanings.items() if name not in _TOLD}
    if new:
        _TOLD.update(new)
        _LOG.info("note: %s", ", ".join(f"{name} is taken as {meaning}" for name, meaning in new.items()))


def other_names(options: Iterable[str]) -> Iterator[str]:
    """Yield every other name of these options, in snake case."""
    known = set(options)
    yield from (name for name, own in SYNONYMS.items() if known.intersection(own))
