"""What is compared: a label and the domain behind it."""

from dataclasses import dataclass, fields
from pathlib import Path

from alexandria.chunking import STRATEGIES
from alexandria.config import Domain, load_domain
from alexandria.errors import ConfigError

FIXED = "fixed"
"""The strategy that all others are held against."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A way to cut, and what tables call it."""

    label: str
    domain: Domain


def registered(domain: str | None = None, config: Path | None = None) -> list[Setting]:
    """Return every strategy, the domain's own with the domain's options, the others with their defaults."""
    return [
        Setting(name, load_domain(domain, options={"strategy": name}, file=config)) for name in STRATEGIES
    ]


def parsed(text: str, domain: str | None = None, config: Path | None = None) -> Setting:
    """Return the setting of `STRATEGY OPTION=VALUE…`; the text itself is its label.

    Raises:
        ConfigError: an unknown strategy or option, or a word without `=`.
    """
    strategy, *assignments = text.split()
    options: dict[str, object] = {"strategy": strategy}
    for assignment in assignments:
        option, equals, value = assignment.partition("=")
        if not equals:
            raise ConfigError(
                f"cannot read the setting {text!r}",
                why=f"{assignment!r} has no =",
                fix='as in --setting "optimal max_words=170 min_words=0"',
            )
        options[option] = value
    return Setting(text, load_domain(domain, options=options, file=config))


def setting_name(domain: Domain) -> str:
    """Return the strategy with its options: `universal-semantic threshold=0.55 min_words=200 …`."""
    strategy = domain.strategy
    options = {name: getattr(strategy, name) for name in (one.name for one in fields(strategy))}
    return " ".join(
        [strategy.name, *(f"{name}={value}" for name, value in options.items() if value is not None)]
    )
