"""Loads the names of a package when they are first used (PEP 562): most callers need few of them."""

from collections.abc import Callable, Mapping
from importlib import import_module


def on_first_use(name: str, package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a `__getattr__` for a module.

    Args:
        name: the name of the module, for errors.
        package: the package in which the names are defined.
        modules: the module in the package that defines each name.
    """

    def load(attribute: str) -> object:
        if attribute not in modules:
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        return getattr(import_module(f"{package}.{modules[attribute]}"), attribute)

    return load
