"""Checks for the optional packages that are needed to download a model, or to compute one with torch."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from alexandria.errors import MissingPackageError


def require_extra(package: str, *, what: str, why: str = "") -> None:
    """Make sure that a package of the extra `models` is installed.

    Args:
        package: its import name, such as `sentence_transformers`.
        what: what cannot be done without it, for the error message.
        why: why it is needed, if `what` does not say so.

    Raises:
        MissingPackageError: the package is not installed.
    """
    if find_spec(package) is None:
        missing = f"{package.replace('_', '-')} is not installed"
        raise MissingPackageError(
            what, why=f"{why}, and {missing}" if why else missing, fix=extra_command("models")
        )


def extra_command(extra: str) -> str:
    """Return the command that adds one of our extras (`models`, `ray`) to the environment of this program.

    The environment may have been made by uv or pipx, and then has no pip.
    """
    requirement = f"'alexandria-books[{extra}]'"
    if Path(sys.prefix, "uv-receipt.toml").exists():  # written by `uv tool install`
        return f"uv pip install --python {shlex.quote(sys.executable)} {requirement}"
    if installed_by_pipx():
        return f"pipx runpip alexandria-books install {requirement}"
    return f"pip install {requirement}"


def installed_by_pipx() -> bool:
    """Return whether pipx made this environment, which then has no pip of its own."""
    return Path(sys.prefix, "pipx_metadata.json").exists()


def package_version(package: str) -> str:
    """Return the version of a package, or "" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and seldom needed

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
