"""Builds a domain from the values of all sources: the strongest source wins, and errors name the place."""

from collections.abc import Collection, Iterable, Sequence
from typing import get_type_hints

from alexandria.book.suggest import suggestion
from alexandria.chunking import STRATEGIES, OptionError, Strategy
from alexandria.chunking.domains.domain import DEFAULT_STRATEGY, DOMAIN_OPTIONS, Domain, option_names
from alexandria.chunking.domains.names import find_option, refusal_of, translate_names
from alexandria.chunking.domains.values import Layer, Source, SourcedValue, bad_value, convert_value, place_of
from alexandria.chunking.sentences import SPLITTERS, require_splitter
from alexandria.errors import ConfigError

_THRESHOLD_STRATEGIES = frozenset({"optimal", "universal-semantic"})
"""Strategies that cut only below the threshold: `--strategy universal-semantic` keeps the domain's threshold
and limits."""
_SHARED_OPTIONS = frozenset({"threshold", "min_words", "max_words"})
"""The options that are kept from one of these strategies to the other."""


def build(name: str, layers: Sequence[Layer]) -> Domain:
    """Return the domain that the layers describe.

    Args:
        layers: the values of each source, from the weakest to the strongest.

    Raises:
        ConfigError: an unknown strategy or option, or a value that does not fit.
    """
    layers = translate_names(layers)
    strategy = STRATEGIES[_strategy_name(layers)]
    strategy_options = option_names(strategy)
    known_options = {*strategy_options, *DOMAIN_OPTIONS}
    merged = _merge(_without_unknown_variables(layer, known_options) for layer in layers)
    for option, setting in merged.items():
        # Files have been extended before this call: an `extends` from elsewhere would have no effect.
        is_effective_extends = option == "extends" and setting.origin.source in (Source.SHIPPED, Source.FILE)
        if option not in known_options and not is_effective_extends:
            raise _unknown_option(option, setting, strategy)
    strategy_values = {option: merged[option] for option in strategy_options if option in merged}
    # If a strategy has an option of the same name as the domain, the value is the strategy's.
    domain_values = {
        option: merged[option]
        for option in DOMAIN_OPTIONS
        if option in merged and option != "strategy" and option not in strategy_options
    }
    hints = get_type_hints(Domain)
    converted = {
        option: convert_value(option, setting, hints[option]) for option, setting in domain_values.items()
    }
    domain = Domain(
        name=name,
        strategy=_make_strategy(strategy, strategy_values),
        **converted,
        origins={option: str(setting.origin) for option, setting in merged.items() if option != "extends"},
        comments={option: setting.comment for option, setting in merged.items() if setting.comment},
    )
    _check_values(domain, domain_values)
    return domain


def _check_values(domain: Domain, settings: Layer) -> None:
    """Refuse values that are of the right type, but out of range or not available here.

    Args:
        settings: the same values with their origins, for the error; those that are not program
        defaults.

    Raises:
        ConfigError: a value is out of range, or the package of the sentence splitter is not installed.
    """
    if domain.batch_size is not None and domain.batch_size < 1:
        raise bad_value("batch_size", settings["batch_size"], "at least 1")
    if domain.overlap_words < 0:
        raise bad_value("overlap_words", settings["overlap_words"], "0 or more")
    if domain.sentences not in SPLITTERS:
        raise bad_value("sentences", settings["sentences"], f"one of {', '.join(SPLITTERS)}")
    require_splitter(domain.sentences)


def _strategy_name(layers: Sequence[Layer]) -> str:
    setting = next((layer["strategy"] for layer in reversed(layers) if "strategy" in layer), None)
    if setting is None:
        return DEFAULT_STRATEGY
    if str(setting.value) not in STRATEGIES:
        raise ConfigError(
            f"unknown strategy {setting.value!r}{place_of(setting)}",
            why=f"the strategies are {', '.join(STRATEGIES)}",
            fix=suggestion(str(setting.value), STRATEGIES),
        )
    return str(setting.value)


def _without_unknown_variables(layer: Layer, options: Collection[str]) -> Layer:
    """Return a layer without the environment variables that set none of these options."""
    # A file is written for one strategy, and an option of another one is an error there. The environment may
    # set options of any strategy.
    return {
        option: setting
        for option, setting in layer.items()
        if option in options or setting.origin.source is not Source.ENVIRONMENT
    }


def _merge(layers: Iterable[Layer]) -> dict[str, SourcedValue]:
    """Return the strongest value of each option, without strategy options that were set for another strategy.

    Args:
        layers: the values of each source, from the weakest to the strongest.
    """
    merged: dict[str, SourcedValue] = {}
    strategy = DEFAULT_STRATEGY
    for layer in layers:
        new_strategy = str(layer["strategy"].value) if "strategy" in layer else strategy
        if new_strategy != strategy:
            lasting_options = _lasting_options(strategy, new_strategy)
            merged = {
                option: value
                for option, value in merged.items()
                if option in lasting_options or value.origin.source is Source.ENVIRONMENT
            }
            strategy = new_strategy
        merged |= layer
    return merged


def _lasting_options(strategy: str, new_strategy: str) -> set[str]:
    """Return the options whose values count even if a stronger layer names another strategy."""
    strategy_options = option_names(STRATEGIES[strategy]) if strategy in STRATEGIES else []
    lasting_options = set(DOMAIN_OPTIONS).difference(strategy_options)
    if {strategy, new_strategy} <= _THRESHOLD_STRATEGIES:
        lasting_options |= _SHARED_OPTIONS
    return lasting_options


def _make_strategy(strategy: type[Strategy], options: Layer) -> Strategy:
    """Return the strategy with its options.

    Raises:
        ConfigError: an option has a value of the wrong type or out of range.
    """
    hints = get_type_hints(strategy)
    values = {option: convert_value(option, setting, hints[option]) for option, setting in options.items()}
    try:
        return strategy(**values)
    except ValueError as error:
        setting = options.get(error.option) if isinstance(error, OptionError) else None
        place = place_of(setting) if setting else ""
        raise ConfigError(
            f"cannot use the strategy {strategy.name} with these options{place}",
            why=str(error),
            fix="change the value",
        ) from error


def _unknown_option(option: str, setting: SourcedValue, strategy: type[Strategy]) -> ConfigError:
    if (refusal := refusal_of(option, setting)) is not None:
        return refusal
    if option == "extends":
        why, fix = "it belongs in a domain file", f"--domain {setting.value}"
        return ConfigError(f"cannot set extends{place_of(setting)}", why=why, fix=fix)
    # What each strategy calls the option; None for a strategy without it.
    name_in = {name: find_option(option, option_names(other)) for name, other in STRATEGIES.items()}
    owners = [strategy_name for strategy_name, own_name in name_in.items() if own_name is not None]
    if owners:
        own_names = sorted({own_name for own_name in name_in.values() if own_name not in (None, option)})
        what = f"{option}, here {' or '.join(own_names)}," if own_names else option
        why = f"{what} is an option of {', '.join(owners)}, not of {strategy.name}"
        strategy_options = ", ".join(option_names(strategy)) or "none"
        fix = f"remove it, or choose that strategy; the options of {strategy.name} are {strategy_options}"
    else:
        known_options = [*option_names(strategy), *DOMAIN_OPTIONS, "extends"]
        why = f"the options are {', '.join(known_options)}"
        fix = suggestion(option, known_options) or "remove it"
    return ConfigError(f"unknown option {option!r}{place_of(setting)}", why=why, fix=fix)
