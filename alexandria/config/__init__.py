"""A domain: how the books of one field are cut, read from YAML and checked at the door.

Where an option's value comes from, strongest first: command line, `ALEXANDRIA_<OPTION>`, the file named with
`--config`, the user's folder, the shipped file, the field's default. Options belong to the strategy they were
written beside: where a stronger source names another strategy, weaker sources' options no longer count.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from alexandria.config.build import build
from alexandria.config.domain import DEFAULT_DOMAIN, Domain
from alexandria.config.layers import (
    domain_names,
    environment_layer,
    named_layers,
    read_layer,
    shipped_folder,
    user_folder,
)
from alexandria.config.setting import Layer, Setting, scalar
from alexandria.config.template import init_domain

__all__ = [
    "Domain",
    "domain_names",
    "init_domain",
    "load_domain",
    "shipped_folder",
    "user_folder",
]


def load_domain(
    name: str | None = None,
    *,
    options: Mapping[str, object] | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Domain:
    """Return a domain with every source of its options taken into account.

    Args:
        name: a shipped domain or one of the user's folder; without it, a `file` is a domain of its own,
            named after the file, on top of what it `extends`.
        options: what the command line says; strings are read as YAML scalars.
        file: a YAML file that overrides the domain.
        environ: the environment, `os.environ` if not given.

    Raises:
        ConfigError: an unknown domain, strategy or option, or a value of the wrong type or out of range;
            the message names file, line and the nearest name.
    """
    environ = os.environ if environ is None else environ
    layers: list[Layer]
    if file is None:
        layers = named_layers(name or DEFAULT_DOMAIN, seen=())
    else:
        layer = read_layer(file)
        base = layer["extends"].value if "extends" in layer else DEFAULT_DOMAIN
        layers = [*named_layers(name or str(base), seen=()), layer]
    layers.append(environment_layer(environ))
    layers.append({key: Setting(scalar(value), "command line") for key, value in (options or {}).items()})
    return build(name or (file.stem if file else DEFAULT_DOMAIN), layers)
