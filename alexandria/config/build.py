"""Builds a domain from the values of all sources: the strongest source wins, and errors name the place."""

from collections.abc import Collection, Iterable, Sequence
from typing import get_type_hints

from alexandria.chunking import STRATEGIES, OptionError, Strategy
from alexandria.config.domain import DEFAULT_STRATEGY, DOMAIN_OPTIONS, Domain, option_names
from alexandria.config.names import option_called, refusal_of, translate_names
from alexandria.config.values import (
    Layer,
    Source,
    SourcedValue,
    bad_value,
    convert_value,
    place_of,
    suggestion,
)
from alexandria.errors import ConfigError
from alexandria.sentences import SPLITTERS
from alexandria.splitters import require_splitter

_THRESHOLD_STRATEGIES = frozenset({"optimal", "universal-semantic"})
"""Strategies that cut only below the threshold: `--strategy universal-semantic` keeps the domain's threshold
and limits."""
_SHARED_OPTIONS = frozenset({"threshold", "min_words", "max_words"})
"""The options that are kept from one of these strategies to the other."""


def build(name: str, layers: Sequence[Layer]) -> Domain:
    """Return the domain that the layers describe.

    Args:
        name: of the domain.
        layers: from the weakest to the strongest.

    Raises:
        ConfigError: an unknown strategy or option, or a value that does not fit.
    """
    layers = translate_names(layers)
    strategy = STRATEGIES[_strategy_name(layers)]
    strategy_options = option_names(strategy)
    known_options = {*strategy_options, *DOMAIN_OPTIONS}
    merged = _merge(_without_other_environment(layer, known_options) for layer in layers)
    for option, written in merged.items():
        # Only files can extend a domain: the layers have been put together, so a caller's `extends` comes too
        # late.
        is_extends = option == "extends" and written.origin.source in (Source.SHIPPED, Source.FILE)
        if option not in known_options and not is_extends:
            raise _unknown_option(option, written, strategy)
    strategy_values = {option: merged[option] for option in strategy_options if option in merged}
    # If a strategy has an option of the same name as the domain, the value is the strategy's.
    domain_values = {
        option: merged[option]
        for option in DOMAIN_OPTIONS
        if option in merged and option != "strategy" and option not in strategy_options
    }
    hints = get_type_hints(Domain)
    domain = Domain(
        name=name,
        strategy=_make_strategy(strategy, strategy_values),
        **{
            option: convert_value(option, written, hints[option]) for option, written in domain_values.items()
        },
        origins={option: str(written.origin) for option, written in merged.items() if option != "extends"},
        comments={option: written.comment for option, written in merged.items() if written.comment},
    )
    if domain.batch_size is not None and domain.batch_size < 1:
        raise bad_value("batch_size", domain_values["batch_size"], "at least 1")
    if domain.overlap_words < 0:
        raise bad_value("overlap_words", domain_values["overlap_words"], "0 or more")
    if domain.sentences not in SPLITTERS:
        raise bad_value("sentences", domain_values["sentences"], f"one of {', '.join(SPLITTERS)}")
    require_splitter(domain.sentences)
    return domain


def _strategy_name(layers: Sequence[Layer]) -> str:
    """Return the name of the strategy in the strongest layer that names one."""
    written = next((layer["strategy"] for layer in reversed(layers) if "strategy" in layer), None)
    if written is None:
        return DEFAULT_STRATEGY
    if written.value not in STRATEGIES:
        raise ConfigError(
            f"unknown strategy {written.value!r}{place_of(written)}",
            why=f"the strategies are {', '.join(STRATEGIES)}",
            fix=suggestion(str(written.value), STRATEGIES),
        )
    return str(written.value)


def _without_other_environment(layer: Layer, options: Collection[str]) -> Layer:
    """Return a layer without the values of the environment that are not among the options.

    Unlike a file, the environment is not written for one strategy: an option of another strategy is no error.
    """
    return {
        option: written
        for option, written in layer.items()
        if option in options or written.origin.source is not Source.ENVIRONMENT
    }


def _merge(layers: Iterable[Layer]) -> dict[str, SourcedValue]:
    """Return the strongest value of each option, without strategy options that were set for another strategy.

    Args:
        layers: from the weakest to the strongest.
    """
    merged: dict[str, SourcedValue] = {}
    current = DEFAULT_STRATEGY
    for layer in layers:
        if (written := layer.get("strategy")) is not None and written.value != current:
            both_use_threshold = {current, written.value} <= _THRESHOLD_STRATEGIES
            shared = _SHARED_OPTIONS if both_use_threshold else frozenset()
            current_options = option_names(STRATEGIES[current]) if current in STRATEGIES else []
            kept_options = set(DOMAIN_OPTIONS).difference(current_options) | shared
            merged = {
                option: value
                for option, value in merged.items()
                if option in kept_options or value.origin.source is Source.ENVIRONMENT
            }
            current = str(written.value)
        merged |= layer
    return merged


def _make_strategy(strategy: type[Strategy], options: Layer) -> Strategy:
    """Return the strategy with its options.

    Raises:
        ConfigError: an option has a value of the wrong type or out of range.
    """
    hints = get_type_hints(strategy)
    values = {option: convert_value(option, written, hints[option]) for option, written in options.items()}
    try:
        return strategy(**values)
    except ValueError as error:
        written = options.get(error.option) if isinstance(error, OptionError) else None
        place = place_of(written) if written else ""
        raise ConfigError(
            f"cannot use the strategy {strategy.name} with these options{place}",
            why=str(error),
            fix="change the value",
        ) from error


def _unknown_option(option: str, written: SourcedValue, strategy: type[Strategy]) -> ConfigError:
    """Return the error for an option that neither the strategy nor the domain has."""
    if (refusal := refusal_of(option, written)) is not None:
        return refusal
    if option == "extends":
        why, fix = "it belongs in a domain file", f"--domain {written.value}"
        return ConfigError(f"cannot set extends{place_of(written)}", why=why, fix=fix)
    own_names = {name: option_called(option, option_names(other)) for name, other in STRATEGIES.items()}
    owners = [name for name, own_name in own_names.items() if own_name is not None]
    if owners:
        other_names = sorted({name for name in own_names.values() if name not in (None, option)})
        what = f"{option}, here {' or '.join(other_names)}," if other_names else option
        why = f"{what} is an option of {', '.join(owners)}, not of {strategy.name}"
        strategy_options = ", ".join(option_names(strategy)) or "none"
        fix = f"remove it, or choose that strategy; the options of {strategy.name} are {strategy_options}"
    else:
        known_options = [*option_names(strategy), *DOMAIN_OPTIONS, "extends"]
        why = f"the options are {', '.join(known_options)}"
        fix = suggestion(option, known_options) or "remove it"
    return ConfigError(f"unknown option {option!r}{place_of(written)}", why=why, fix=fix)
