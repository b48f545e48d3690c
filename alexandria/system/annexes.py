"""The annexes: what a build may leave out. The rest of the package imports none of them.

Tables name the modules of an annex: `FORMATS` its readers, `STORES` its stores, `MODULES` its commands,
`DOCUMENTS` its JSON. A module is imported when what it offers is asked for.
"""

from importlib import import_module
from typing import Any

from alexandria.errors import ConfigError
from alexandria.system.files import PACKAGE_FOLDER

ANNEXES = (
    *("extract/docx", "extract/fb2", "extract/markdown", "extract/mobi", "extract/ocr", "extract/odt"),
    *("extract/office", "store/server", "doors/mcp", "doors/web", "lab"),
)
"""Folders, and modules without their suffix."""
WHOLE = "install all of Alexandria"  # how an annex is got


class MissingAnnexError(ConfigError):
    """What was asked for is in an annex that this build has not."""


def load(module: str) -> Any:
    """Return the module of this name.

    Raises:
        MissingAnnexError: it is in an annex, or needs one, that this build has not.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        for annex in ANNEXES:
            if f"{error.name}.".replace(".", "/").startswith(f"alexandria/{annex}/"):
                raise MissingAnnexError(f"this build has no {annex}", fix=WHOLE) from error
        raise


def is_built(module: str) -> bool:
    """Return whether there is a module of this name, without importing it."""
    path = PACKAGE_FOLDER.parent.joinpath(*module.split("."))
    return (path / "__init__.py").exists() or path.with_suffix(".py").exists()
