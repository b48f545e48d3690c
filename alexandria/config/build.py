"""Settings of every source become one domain: the strongest counts, and what is wrong is refused."""

from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

from alexandria.chunking import STRATEGIES, Strategy
from alexandria.config.domain import DEFAULT_STRATEGY, DOMAIN_OPTIONS, Domain, option_names
from alexandria.config.setting import Layer, Setting, at, bad_value, nearest, typed
from alexandria.errors import ConfigError
from alexandria.sentences import SPLITTERS


def build(name: str, layers: Sequence[Layer]) -> Domain:
    """Return the domain that the layers make, the weakest of them first.

    Raises:
        ConfigError: an unknown strategy or option, or a value that does not fit.
    """
    chosen = _strategy_of(layers)
    strategy = STRATEGIES[chosen]
    merged = dict(_merge(layers, chosen))
    for key, setting in list(merged.items()):
        if key in option_names(strategy) or key in DOMAIN_OPTIONS or key == "extends":
            continue
        if _of_shell(setting):
            del merged[key]
            continue
        raise _unknown_option(key, setting, strategy)
    origins = {key: setting.origin for key, setting in merged.items() if key != "extends"}
    own = {key: setting for key, setting in merged.items() if key in option_names(strategy)}
    common = {key: merged[key] for key in DOMAIN_OPTIONS if key in merged and key != "strategy"}
    domain = Domain(
        name=name,
        strategy=_make_strategy(strategy, own),
        **{key: typed(key, setting, _hint(Domain, key)) for key, setting in common.items()},
        origins=origins,
    )
    if domain.sentences not in SPLITTERS:
        raise bad_value("sentences", common["sentences"], f"one of {', '.join(SPLITTERS)}")
    return domain


def _strategy_of(layers: Sequence[Layer]) -> str:
    """Return the name of the strongest layer's strategy."""
    setting = next((layer["strategy"] for layer in reversed(layers) if "strategy" in layer), None)
    if setting is None:
        return DEFAULT_STRATEGY
    if setting.value not in STRATEGIES:
        raise ConfigError(
            f"unknown strategy {setting.value!r}{at(setting)}",
            why=f"the strategies are {', '.join(STRATEGIES)}",
            fix=nearest(str(setting.value), STRATEGIES),
        )
    return str(setting.value)


def _merge(layers: Sequence[Layer], chosen: str) -> dict[str, Setting]:
    """Return the strongest setting of each option, without those written beside another strategy."""
    merged: dict[str, Setting] = {}
    current = DEFAULT_STRATEGY
    for layer in layers:
        if (setting := layer.get("strategy")) is not None and setting.value != current:
            # What is set for the shell is not written beside any strategy: it waits for its own.
            merged = {k: one for k, one in merged.items() if k in DOMAIN_OPTIONS or _of_shell(one)}
            current = str(setting.value)
        merged |= layer
    return merged


def _of_shell(setting: Setting) -> bool:
    return setting.origin.startswith("environment")


def _make_strategy(strategy: type[Strategy], settings: Mapping[str, Setting]) -> Strategy:
    values = {key: typed(key, setting, _hint(strategy, key)) for key, setting in settings.items()}
    try:
        return strategy(**values)
    except ValueError as error:  # its message begins with the option's name
        setting = settings.get(str(error).split(maxsplit=1)[0])
        raise ConfigError(
            f"the strategy {strategy.name} cannot work with these settings{at(setting) if setting else ''}",
            why=str(error),
            fix="change the value",
        ) from error


def _unknown_option(key: str, setting: Setting, strategy: type[Strategy]) -> ConfigError:
    known = [*option_names(strategy), *DOMAIN_OPTIONS, "extends"]
    owners = [name for name, other in STRATEGIES.items() if key in option_names(other)]
    if owners:
        why = f"{key} is an option of {', '.join(owners)}, not of {strategy.name}"
        own = ", ".join(option_names(strategy)) or "none"
        fix = f"take it out, or choose that strategy; the options of {strategy.name} are {own}"
    else:
        why = f"the options are {', '.join(known)}"
        fix = nearest(key, known) or "take it out"
    return ConfigError(f"unknown option {key!r}{at(setting)}", why=why, fix=fix)


def _hint(owner: type[Any], name: str) -> Any:
    return get_type_hints(owner)[name]
