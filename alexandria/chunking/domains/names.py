"""Maps the option names of published descriptions of chunking to the options of this program.

An option may be written in camel case. A name for something that is deliberately not supported is refused,
with the reason and what to use instead.
"""

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains.domain import DEFAULT_STRATEGY, DOMAIN_OPTIONS, option_names
from alexandria.chunking.domains.values import Layer, Source, SourcedValue, place_of
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
)  # the options that a name may stand for: the name means the first that the strategy or the domain has
SWITCH = "semantic_chunking_enabled"
"""The name of a switch: true chooses the strategy `smoothed`, false chooses `recursive`."""
GROUP = "semantic_chunking_config"
"""The name of a group of options, which count as if they were not in a group."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an option of a description has no counterpart here, and what to use instead."""

    why: str
    fix: str


_LOCAL = Refusal(
    "vectors are computed on this machine, without any service", "remove it; `model: NAME` chooses the model"
)
_FUNCTION = Refusal(
    "a file cannot hold a function", "model: NAME; in Python, alexandria.chunk(text, encoder=FUNCTION)"
)
REFUSALS: Mapping[str, Refusal] = MappingProxyType(
    {
        "min_sentence_length": Refusal(
            "every sentence, however short, is part of a chunk",
            "min_words (or min_sentences) keeps short sentences together with their neighbours; "
            "alexandria.described.SemanticChunker joins them in plain text",
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
)  # the options that are deliberately not supported, by name


def snake_case(name: str) -> str:
    """Return a name such as `minTokens` as `min_tokens`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def find_option(name: str, options: Collection[str]) -> str | None:
    """Return the option that a name stands for among `options`, or None if it stands for none of them."""
    if name in options:
        return name
    plain = snake_case(name)
    return next((option for option in (plain, *SYNONYMS.get(plain, ())) if option in options), None)


def refusal_of(name: str, setting: SourcedValue) -> ConfigError | None:
    """Return the error for an option that is deliberately not supported, or None for any other."""
    refusal = REFUSALS.get(snake_case(name))
    if refusal is None:
        return None
    return ConfigError(f"cannot use the option {name!r}{place_of(setting)}", why=refusal.why, fix=refusal.fix)


def translate_names(layers: Sequence[Layer]) -> list[Layer]:
    """Return the layers, weakest first, with synonyms replaced by the names of this program.

    A name means an option of the strategy that its layer or the nearest weaker layer names. In the
    environment, which is not written for one strategy, it means an option of the strategy that is used in the
    end. What each synonym stands for is logged once.

    Raises:
        ConfigError: two names of one layer stand for the same option, or a switch is not true or false.
    """
    flat_layers = [flatten(layer) for layer in layers]
    named = [str(layer["strategy"].value) for layer in flat_layers if "strategy" in layer]
    named_so_far = DEFAULT_STRATEGY
    final_strategy = named[-1] if named else DEFAULT_STRATEGY
    translated = []
    for layer in flat_layers:
        if "strategy" in layer:
            named_so_far = str(layer["strategy"].value)
        is_environment = any(setting.origin.source is Source.ENVIRONMENT for setting in layer.values())
        strategy = final_strategy if is_environment else named_so_far
        translated.append(replace_synonyms(options_for(layer, final_strategy), strategy))
    values = [(option, setting) for layer in translated for option, setting in layer.items()]
    _log_meanings(
        {
            setting.origin.name: _resolve_synonym(option, setting)
            for option, setting in values
            if setting.origin.name
        }
    )
    return translated


def _resolve_synonym(option: str, setting: SourcedValue) -> str:
    """Return what a synonym stands for: an option, or the strategy that a switch chooses."""
    return f"strategy {setting.value}" if option == "strategy" else option


def replace_synonyms(layer: Layer, strategy: str) -> Layer:
    """Return a layer in which synonyms of options are replaced by the names of this program.

    A synonym may stand for an option of the strategy or of every domain. The name as written is kept in
    `origin.name`.

    Raises:
        ConfigError: two names stand for the same option.
    """
    strategy_options = option_names(STRATEGIES[strategy]) if strategy in STRATEGIES else []
    options = {*strategy_options, *DOMAIN_OPTIONS}
    result: dict[str, SourcedValue] = {}
    for name, setting in layer.items():
        option = find_option(name, options) or name
        if option in result:
            raise ConfigError(
                f"cannot set {option} twice{place_of(setting)}",
                why=f"{name} is another name for {option}"
                if name != option
                else "it is also given under another name",
                fix="remove one of the two",
            )
        origin = setting.origin if option == name else replace(setting.origin, name=name)
        result[option] = replace(setting, origin=origin)
    return result


def flatten(layer: Layer) -> Layer:
    """Return a layer without the group and the switch that published descriptions have.

    The options in a `GROUP` become options of the layer, and a `SWITCH` becomes a strategy.

    Raises:
        ConfigError: the switch is not true or false.
    """
    return dict(_flat_items(layer))


def options_for(layer: Layer, strategy: str) -> Layer:
    """Return a layer without the groups of options that bear the name of a strategy.

    The options in the group of this strategy become options of the layer; those of others do not count.
    """
    grouped = {name: setting for name, setting in layer.items() if name in STRATEGIES}
    options = {name: setting for name, setting in layer.items() if name not in grouped}
    setting = grouped.get(strategy)
    if setting is not None and isinstance(setting.value, Mapping):
        options |= {str(key): replace(setting, value=value) for key, value in setting.value.items()}
    return options


def _flat_items(layer: Layer) -> Iterator[tuple[str, SourcedValue]]:
    """Yield the items of the flat layer; groups may contain groups."""
    for name, setting in layer.items():
        if snake_case(name) == GROUP and isinstance(setting.value, Mapping):
            group = {str(key): replace(setting, value=value) for key, value in setting.value.items()}
            yield from _flat_items(group)
        elif snake_case(name) == SWITCH:
            if not isinstance(setting.value, bool):
                raise ConfigError(
                    f"cannot set {name} to {setting.value!r}{place_of(setting)}",
                    why="it must be true or false",
                    fix="change the value, or name a strategy",
                )
            strategy = "smoothed" if setting.value else "recursive"
            yield ("strategy", replace(setting, value=strategy, origin=replace(setting.origin, name=name)))
        else:
            yield name, setting


_LOGGED: set[str] = set()  # the synonyms whose meaning this process has logged


def _log_meanings(meanings: Mapping[str, str]) -> None:
    """Log what synonyms stand for, each once in a process."""
    new = {name: meaning for name, meaning in meanings.items() if name not in _LOGGED}
    if new:
        _LOGGED.update(new)
        _LOG.info("note: %s", ", ".join(f"{name} is taken as {meaning}" for name, meaning in new.items()))


def other_names(options: Iterable[str]) -> Iterator[str]:
    """Yield every synonym of these options, in snake case."""
    wanted = set(options)
    for name, meanings in SYNONYMS.items():
        if wanted.intersection(meanings):
            yield name
