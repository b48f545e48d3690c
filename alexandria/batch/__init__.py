"""Many books: which files there are, which are stored already, which failed."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alexandria.batch.discovery import discover
    from alexandria.batch.options import RunOptions
    from alexandria.batch.outcome import Outcome, Status
    from alexandria.batch.run import ingest

__all__ = ["Outcome", "RunOptions", "Status", "discover", "ingest"]

_MODULES = {
    "Outcome": "outcome",
    "RunOptions": "options",
    "Status": "outcome",
    "discover": "discovery",
    "ingest": "run",
}


def __getattr__(name: str) -> object:
    # Loaded on first use: what reads the list of failures or the progress of an ingest needs no ingest.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
