"""Checks for optional packages, without which models are neither downloaded nor computed with torch."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from alexandria.errors import ConfigError


def require_extra(package: str, *, what: str, why: str = "") -> None:
    """Make sure that a package of the extra `models` is installed.

    Args:
        package: as it is imported.
        what: what cannot be done without it, for the error message.
        why: why it is needed, if `what` does not say so.

    Raises:
        ConfigError: the package is not installed.
    """
    if find_spec(package) is None:
        missing = f"{package.replace('_', '-')} is not installed"
        raise ConfigError(
            what,
            why=f"{why}, and {missing}" if why else missing,
            fix=extra_command("models"),
        )


def extra_command(extra: str) -> str:
    """Return the command that adds one of our extras to this environment, however it was installed."""
    requirement = f"'alexandria-books[{extra}]'"
    if Path(sys.prefix, "uv-receipt.toml").exists():  # of `uv tool install`
        return f"uv pip install --python {shlex.quote(sys.executable)} {requirement}"
    if is_of_pipx():
        return f"pipx runpip alexandria-books install {requirement}"
    return f"pip install {requirement}"


def is_of_pipx() -> bool:
    """Return whether pipx made this environment, which then has no pip of its own."""
    return Path(sys.prefix, "pipx_metadata.json").exists()


def package_version(package: str) -> str:
    """Return the version of a package, or "" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and seldom needed

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
