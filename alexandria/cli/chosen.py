"""The domain, library, server or secret that the options of the command line select."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alexandria.errors import ConfigError, io_reason
from alexandria.modes import VARIABLES, Quantization

if TYPE_CHECKING:
    from alexandria.config import Domain, DomainRequest
    from alexandria.library.libraries import Libraries
    from alexandria.library.library import Library
    from alexandria.store.store import Server


def chosen_domain(
    name: str | None = None,
    strategy: str | None = None,
    threshold: float | None = None,
    settings: list[str] | None = None,
    config: Path | None = None,
    model: str | None = None,
) -> "Domain":
    """Return the domain with the options of the command line."""
    return domain_request(name, strategy, threshold, settings, config, model).single_domain()


def announce_unknown_variables() -> None:
    """Print a note for each `ALEXANDRIA_…` variable that sets nothing: most are misspelt."""
    prefix = "ALEXANDRIA_"
    ours = {name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)}
    if ours <= VARIABLES | {"MODEL"}:
        return  # the options, which take time to import, need not be known
    from alexandria.config import unknown_variables
    from alexandria.views.terminal.console import show_message

    for name, hint in unknown_variables(os.environ).items():
        show_message(f"note: {name} is not a variable of Alexandria" + (f"; {hint}" if hint else ""))


def domain_request(
    name: str | None = None,
    strategy: str | None = None,
    threshold: float | None = None,
    settings: list[str] | None = None,
    config: Path | None = None,
    model: str | None = None,
) -> "DomainRequest":
    """Return the request for a domain that the options of the command line make.

    Args:
        name: the name of the domain.
        strategy: the value of `--strategy`.
        threshold: the value of `--threshold`.
        settings: the values of `--set`, each `OPTION=VALUE`; they override the other options.
        config: a YAML file of options.
        model: the value of `--model`.

    Raises:
        ConfigError: one of `settings` has no `=`.
    """
    from alexandria.config import DomainRequest

    own_options = {"strategy": strategy, "threshold": threshold, "model": model}
    options: Mapping[str, Any] = {key: value for key, value in own_options.items() if value is not None}
    assignments = dict(map(_split_assignment, settings or []))
    return DomainRequest(domain=name, options={**options, **assignments}, file=config)


def _split_assignment(text: str) -> tuple[str, str]:
    """Return the option and the value of `OPTION=VALUE`, as given to --set."""
    option, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(
            f"cannot read --set {text}",
            why="there is no =",
            fix="--set OPTION=VALUE, as in --set min_words=100",
        )
    return option.strip(), value.strip()


def password_from(file: Path | None) -> str | None:
    """Return the password of encrypted books, from a file or the environment."""
    return os.environ.get("ALEXANDRIA_PASSWORD") if file is None else read_secret(file)


def library_at(
    store: str | None,
    collection: str,
    api_key_file: Path | None = None,
    *,
    wait: float | None = None,
    shards: int | None = None,
    replicas: int | None = None,
    quantization: Quantization | None = None,
) -> "Library":
    """Return the library that the options name.

    Raises:
        ConfigError: they name several collections.
    """
    from alexandria.library.library import Library
    from alexandria.library.location import split_collection_names

    if len(split_collection_names(collection)) > 1:
        raise ConfigError(
            f"cannot open {collection} as one collection",
            why="a comma separates collections, and this command takes one",
            fix="name one with --collection; commands that only read, such as search and find, take several",
        )
    server = server_options(api_key_file, shards=shards, replicas=replicas, quantization=quantization)
    return Library(store, collection, server=server, wait=wait, waiting=_announce_wait)


def readable_at(
    store: str | None, collection: str, api_key_file: Path | None = None, *, wait: float | None = None
) -> "Library | Libraries":
    """Return the library that the options name, to be read; several collections are read as one.

    Args:
        store: the library, as `--store` names it.
        collection: its collection, or several, separated by commas.
        api_key_file: the file that holds the key of a server.
        wait: how long to wait for another process that uses the library, in seconds.
    """
    from alexandria.library.location import split_collection_names

    names = split_collection_names(collection)
    if len(names) < 2:
        return library_at(store, collection, api_key_file, wait=wait)
    from alexandria.library.libraries import Libraries

    return Libraries(store, names, server=server_options(api_key_file), wait=wait, waiting=_announce_wait)


def _announce_wait(owner: object) -> None:
    from alexandria.views.terminal.console import show_message

    show_message(f"waiting for {owner}, which has the library open")


def server_options(
    api_key_file: Path | None = None,
    *,
    shards: int | None = None,
    replicas: int | None = None,
    quantization: Quantization | None = None,
    compat: str | None = None,
) -> "Server":
    """Return how to reach a server, and how to create a collection there.

    Args:
        api_key_file: a file that holds the key of the server.
        shards: how many shards a new collection has.
        replicas: how many replicas each shard has.
        quantization: how the server compresses vectors in memory.
        compat: the programs that must be able to read the collection, separated by commas.
    """
    from alexandria.library.location import server_settings

    programs = [name.strip() for name in (compat or "").split(",")]
    return server_settings(
        api_key=read_secret(api_key_file) if api_key_file else None,
        shards=shards,
        replicas=replicas,
        quantization=quantization,
        compat=[name for name in programs if name],
    )


def read_secret(file: Path) -> str:
    """Return the content of a file without its line end.

    Secrets come from files because every user of the machine can read the words of a command line.
    """
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise ConfigError(
            f"cannot read the secret in {file}",
            why=io_reason(error),
            fix="check the path",
        ) from error
