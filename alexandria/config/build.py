"""The values of all sources become one domain: the strongest source wins, and errors name the place."""

from collections.abc import Collection, Iterable, Sequence
from typing import get_type_hints

from alexandria.chunking import STRATEGIES, OptionError, Strategy
from alexandria.config.domain import DEFAULT_STRATEGY, DOMAIN_OPTIONS, Domain, option_names
from alexandria.config.names import in_own_names, option_called, refuse
from alexandria.config.values import Layer, Source, SourcedValue, at, bad_value, nearest, typed
from alexandria.errors import ConfigError
from alexandria.sentences import SPLITTERS
from alexandria.splitters import require_splitter

# Both cut only below the threshold: `--strategy universal-semantic` keeps the domain's threshold and limits.
_SAME_RULE = frozenset({"optimal", "universal-semantic"})
_SHARED_OPTIONS = frozenset({"threshold", "min_words", "max_words"})


def build(name: str, layers: Sequence[Layer]) -> Domain:
    """Return the domain that the layers describe.

    Args:
        name: of the domain.
        layers: from the weakest to the strongest.

    Raises:
        ConfigError: an unknown strategy or option, or a value that does not fit.
    """
    layers = in_own_names(layers)
    strategy = STRATEGIES[_strategy_name(layers)]
    own_options = option_names(strategy)
    known = {*own_options, *DOMAIN_OPTIONS}
    merged = _merge(_without_other_environment(layer, known) for layer in layers)
    for option, written in merged.items():
        # Layers are put together before this: what a caller says of `extends` would change nothing.
        in_file = option == "extends" and written.origin.source in (Source.SHIPPED, Source.FILE)
        if option not in known and not in_file:
            raise _unknown_option(option, written, strategy)
    own = {option: merged[option] for option in own_options if option in merged}
    common = {
        option: merged[option]
        for option in DOMAIN_OPTIONS
        if option in merged and option != "strategy" and option not in own_options
    }
    hints = get_type_hints(Domain)
    domain = Domain(
        name=name,
        strategy=_make_strategy(strategy, own),
        **{option: typed(option, written, hints[option]) for option, written in common.items()},
        origins={option: str(written.origin) for option, written in merged.items() if option != "extends"},
        comments={option: written.comment for option, written in merged.items() if written.comment},
    )
    if domain.batch_size is not None and domain.batch_size < 1:
        raise bad_value("batch_size", common["batch_size"], "at least 1")
    if domain.overlap_words < 0:
        raise bad_value("overlap_words", common["overlap_words"], "0 or more")
    if domain.sentences not in SPLITTERS:
        raise bad_value("sentences", common["sentences"], f"one of {', '.join(SPLITTERS)}")
    require_splitter(domain.sentences)
    return domain


def _strategy_name(layers: Sequence[Layer]) -> str:
    """Return the strategy that the strongest layer names."""
    written = next((layer["strategy"] for layer in reversed(layers) if "strategy" in layer), None)
    if written is None:
        return DEFAULT_STRATEGY
    if written.value not in STRATEGIES:
        raise ConfigError(
            f"unknown strategy {written.value!r}{at(written)}",
            why=f"the strategies are {', '.join(STRATEGIES)}",
            fix=nearest(str(written.value), STRATEGIES),
        )
    return str(written.value)


def _without_other_environment(layer: Layer, options: Collection[str]) -> Layer:
    """Return a layer without the environment's values for other strategies, or for no strategy at all.

    Unlike a file, the environment is not written for one strategy.
    """
    return {
        option: written
        for option, written in layer.items()
        if option in options or written.origin.source is not Source.ENVIRONMENT
    }


def _merge(layers: Iterable[Layer]) -> dict[str, SourcedValue]:
    """Return the strongest value of each option, without those that were written for another rule."""
    merged: dict[str, SourcedValue] = {}
    current = DEFAULT_STRATEGY
    for layer in layers:
        if (written := layer.get("strategy")) is not None and written.value != current:
            shared = _SHARED_OPTIONS if {current, written.value} <= _SAME_RULE else frozenset()
            owned = option_names(STRATEGIES[current]) if current in STRATEGIES else []
            common = set(DOMAIN_OPTIONS).difference(owned)
            merged = {
                option: value
                for option, value in merged.items()
                if option in common or option in shared or value.origin.source is Source.ENVIRONMENT
            }
            current = str(written.value)
        merged |= layer
    return merged


def _make_strategy(strategy: type[Strategy], own: Layer) -> Strategy:
    hints = get_type_hints(strategy)
    values = {option: typed(option, written, hints[option]) for option, written in own.items()}
    try:
        return strategy(**values)
    except ValueError as error:
        written = own.get(error.option) if isinstance(error, OptionError) else None
        raise ConfigError(
            f"cannot use the strategy {strategy.name} with these options{at(written) if written else ''}",
            why=str(error),
            fix="change the value",
        ) from error


def _unknown_option(option: str, written: SourcedValue, strategy: type[Strategy]) -> ConfigError:
    if (refused := refuse(option, written)) is not None:
        return refused
    if option == "extends":
        why, fix = "it belongs in a domain file", f"--domain {written.value}"
        return ConfigError(f"cannot set extends{at(written)}", why=why, fix=fix)
    known = [*option_names(strategy), *DOMAIN_OPTIONS, "extends"]
    meant = {name: option_called(option, option_names(other)) for name, other in STRATEGIES.items()}
    owners = [name for name, own_name in meant.items() if own_name is not None]
    if owners:
        said = " or ".join(sorted({name for name in meant.values() if name not in (None, option)}))
        what = f"{option}, here {said}," if said else option
        why = f"{what} is an option of {', '.join(owners)}, not of {strategy.name}"
        own = ", ".join(option_names(strategy)) or "none"
        fix = f"remove it, or choose that strategy; the options of {strategy.name} are {own}"
    else:
        why = f"the options are {', '.join(known)}"
        fix = nearest(option, known) or "remove it"
    return ConfigError(f"unknown option {option!r}{at(written)}", why=why, fix=fix)
