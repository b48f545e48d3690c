"""What only the optional packages can do: download models, and compute them with torch."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from alexandria.errors import ConfigError


def require_extra(package: str, *, what: str, why: str = "") -> None:
    """Make sure that a package of the extra `models` is installed.

    Args:
        package: as it is imported.
        what: what cannot be done without it, for the error message.
        why: why it is needed, if `what` does not say so.

    Raises:
        ConfigError: it is not.
    """
    if find_spec(package) is None:
        missing = f"{package.replace('_', '-')} is not installed"
        raise ConfigError(
            what,
            why=f"{why}, and {missing}" if why else missing,
            fix="pip install 'alexandria-books[models]'",
        )


def package_version(package: str) -> str:
    """Return the version of a package, or "" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
