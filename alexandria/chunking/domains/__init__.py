"""A domain: how the books of one field are cut, read from YAML and validated.

The value of an option comes from the strongest of these sources: the command line, `ALEXANDRIA_<OPTION>`, the
file named with `--config`, the user's folder, the shipped file, the default of the option. Options belong to
the strategy named in the same source: if a stronger source names another strategy, the strategy options of
weaker sources are ignored, except those of the environment. `optimal` and `universal-semantic` have the same
threshold and limits, which are kept from one to the other.

`layers` reads the sources, `names` translates the option names of other programs, `build` makes a `Domain` of
the layers, `request` decides which domain a book gets, and `guess` guesses its field.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains.domain import DOMAIN_OPTIONS, Domain, option_names
from alexandria.chunking.domains.guess import Guess, guess_field
from alexandria.chunking.domains.layers import (
    domain_names,
    meaningless_variables,
    shipped_folder,
    user_folder,
)
from alexandria.chunking.domains.names import other_names
from alexandria.chunking.domains.request import FOLDER_FILE, DomainRequest
from alexandria.chunking.domains.template import init_domain

__all__ = [
    "FOLDER_FILE",
    "Domain",
    "DomainRequest",
    "Guess",
    "domain_names",
    "guess_field",
    "init_domain",
    "load_domain",
    "shipped_folder",
    "unknown_variables",
    "user_folder",
]


def unknown_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the `ALEXANDRIA_…` variables that set nothing, each with a suggestion, which may be empty."""
    options = {option for strategy in STRATEGIES.values() for option in option_names(strategy)}
    options |= DOMAIN_OPTIONS.keys()
    return meaningless_variables(environ, {*options, *other_names(options)})


def load_domain(
    name: str | None = None,
    *,
    options: Mapping[str, object] | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Domain:
    """Return a domain with the options of all sources.

    Args:
        name: a domain that is shipped or in the user's folder. Without it, `file` is a domain of its own:
            it has the file's name and overrides the domain that the file `extends`.
        options: as on the command line; strings are read as YAML scalars.
        file: a YAML file that overrides the domain.
        environ: the environment; `os.environ` by default.

    Raises:
        ConfigError: an unknown domain, strategy or option, or a value of the wrong type or out of range;
            the message names file, line and the nearest name.
    """
    request = DomainRequest(
        domain=name, options=options or {}, file=file, environ=os.environ if environ is None else environ
    )
    return request.single_domain()
