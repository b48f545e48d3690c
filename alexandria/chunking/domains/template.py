"""Writes the commented file of `alexandria domains init`."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains.domain import DEFAULT_STRATEGY, NOT_OPTIONS, Domain
from alexandria.chunking.domains.fields import DEFAULT_DOMAIN
from alexandria.chunking.domains.guess import AUTO
from alexandria.chunking.domains.layers import user_folder
from alexandria.errors import ConfigError, io_reason
from alexandria.system.files import name_fault


def init_domain(name: str) -> Path:
    """Write a commented domain file into the user's folder and return its path.

    Raises:
        ConfigError: the file exists, or cannot be written.
    """
    path = user_folder() / f"{name}.yaml"
    fault = name_fault(name)
    if not name.replace("-", "").replace("_", "").isalnum():
        fault = "a name consists of letters, digits, - and _"
    elif name == AUTO:
        fault = "--domain auto asks for the domain of each book to be guessed"
    if fault:
        raise ConfigError(f"cannot name a domain {name!r}", why=fault, fix="choose another name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as out:
            out.write(_make_template(name))
    except FileExistsError as error:
        raise ConfigError(
            f"cannot create {path}", why="it already exists", fix="edit it, or choose another name"
        ) from error
    except OSError as error:
        raise ConfigError(
            f"cannot create {path}", why=io_reason(error), fix="check the folder's permissions"
        ) from error
    return path


def _make_template(name: str) -> str:
    """Return the text of a new domain file, in which every option is commented out."""
    lines = [
        f"# Domain {name}: how its books are cut. Remove the # before an option, and change it.",
        f"# `alexandria domains show {name} --origin` says what each means, and where its value comes from.",
        f"extends: {DEFAULT_DOMAIN}",
        f"description: {name}",
        "",
        f"strategy: {DEFAULT_STRATEGY}  # one of {', '.join(STRATEGIES)}",
        *_commented_options(STRATEGIES[DEFAULT_STRATEGY]),
        "",
        *_commented_options(Domain),
    ]
    return "\n".join(lines) + "\n"


def _commented_options(owner: type[Any]) -> Iterator[str]:
    """Yield one commented line per option, with its default."""
    skip = (*NOT_OPTIONS, "strategy", "description")
    for option in fields(owner):
        default = option.default
        if option.name not in skip and default is not MISSING:
            value = yaml.safe_dump(str(default) if isinstance(default, StrEnum) else default)
            yield f"# {option.name}: {value.splitlines()[0]}"
