"""What the options of the command line choose: a domain, an encoder, a library, a secret."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alexandria.errors import ConfigError, io_reason

if TYPE_CHECKING:
    from alexandria.config import Domain
    from alexandria.embed import Encoder
    from alexandria.modes import Quantization
    from alexandria.store import Server
    from alexandria.store.catalog import Catalog


def chosen_domain(
    name: str | None = None,
    strategy: str | None = None,
    threshold: float | None = None,
    settings: list[str] | None = None,
    config: Path | None = None,
) -> "Domain":
    """Return the domain with the options of the command line."""
    from alexandria.config import load_domain

    named = {"strategy": strategy, "threshold": threshold}
    options: Mapping[str, Any] = {key: value for key, value in named.items() if value is not None}
    return load_domain(name, options={**options, **dict(map(_assignment, settings or []))}, file=config)


def _assignment(text: str) -> tuple[str, str]:
    option, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(
            f"cannot read --set {text}",
            why="there is no =",
            fix="--set OPTION=VALUE, as in --set min_words=100",
        )
    return option.strip(), value.strip()


def encoder_for(domain: "Domain", *, model: str | None = None, cache: bool = False) -> "Encoder":
    """Return the encoder of a domain, or of another model: that of a library."""
    from alexandria.embed import load_encoder

    return load_encoder(
        model or domain.model, backend=domain.backend, precision=domain.precision, cache=cache
    )


def password_from(file: Path | None) -> str | None:
    """Return the password of locked books, from a file or the environment."""
    return os.environ.get("ALEXANDRIA_PASSWORD") if file is None else read_secret(file)


def library_at(
    store: str | None,
    collection: str,
    encoder: "Encoder | None",
    server: "Server",
    *,
    sweep: bool = True,
) -> "Catalog":
    """Open the library, creating it for `encoder` where it is not there."""
    from alexandria.location import open_catalog

    return open_catalog(store, collection, encoder, server=server, sweep=sweep)


def server_options(
    api_key_file: Path | None = None,
    shards: int | None = None,
    replicas: int | None = None,
    quantization: str | None = None,
    compat: str | None = None,
) -> "Server":
    """Return how to reach a server, and create a collection there: as environment and options say."""
    from alexandria.store import Server

    server = Server.from_environment(os.environ)
    if compat or quantization:
        from alexandria.store.compat import check_readers

        readers = check_readers(name.strip() for name in (compat or "").split(",") if name.strip())
        server = replace(server, compat=readers, quantization=_quantization(quantization))
    api_key = read_secret(api_key_file) if api_key_file else server.api_key
    return replace(server, api_key=api_key, shards=shards, replicas=replicas)


def read_secret(file: Path) -> str:
    """Return what a file holds, without the line's end: a secret on a command line is everyone's to read."""
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise ConfigError(
            f"cannot read the secret in {file}",
            why=io_reason(error),
            fix="check the path",
        ) from error


def _quantization(name: str | None) -> "Quantization | None":
    from alexandria.modes import Quantization

    if name is not None and name not in list(Quantization):
        raise ConfigError(
            f"unknown quantization {name!r}",
            why=f"there are {', '.join(Quantization)}",
            fix="choose one",
        )
    return Quantization(name) if name else None
