"""The settings of a cut as the views show them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import NamedTuple

from alexandria.chunking.domains import Domain
from alexandria.chunking.strategies.optimal import CUT_COSTS


class ShownSetting(NamedTuple):
    """A setting as the views show it."""

    name: str
    value: str
    origin: str  # where it was set, such as `shipped philosophy.yaml:3`


def strategy_options(domain: Domain) -> list[ShownSetting]:
    """Return the strategy and each of its options that is set.

    Costs of cuts are left out if they are the default: there are many.
    """
    values = {"strategy": domain.strategy.name}
    for option in fields(domain.strategy):
        value = getattr(domain.strategy, option.name)
        if value != option.default or option.name not in CUT_COSTS:
            values[option.name] = value
    return _with_origins(values, domain.origins)


def domain_settings(domain: Domain, precision: str | None) -> list[ShownSetting]:
    """Return the settings of a domain as views show them: all that are set."""
    values = {name: value for name, value in domain.settings().items() if name != "domain"}
    if precision not in (None, domain.precision):  # which precision `auto` has chosen
        values["precision"] = f"{domain.precision}: {precision}"
    return _with_origins(values, domain.origins)


def _with_origins(values: Mapping[str, object], origins: Mapping[str, str]) -> list[ShownSetting]:
    """Return each setting that has a value, with its origin."""
    return [
        ShownSetting(name, str(value), origins.get(name, "the default"))
        for name, value in values.items()
        if value is not None
    ]
