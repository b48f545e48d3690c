"""Names of a package that are loaded on first use (PEP 562): most callers need few of them."""

from collections.abc import Callable, Mapping
from importlib import import_module


def on_first_use(name: str, package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a module.

    Args:
        name: of the module.
        package: the parts of which have the names.
        modules: the part of the package that has each name.
    """

    def load(wanted: str) -> object:
        if wanted not in modules:
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}")
        return getattr(import_module(f"{package}.{modules[wanted]}"), wanted)

    return load
