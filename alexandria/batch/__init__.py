"""Many books: which files there are, which are stored already, which failed."""

from typing import TYPE_CHECKING

from alexandria.system.first_use import on_first_use

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

# Loaded on first use: what reads the list of failures or the progress of an ingest needs no ingest.
__getattr__ = on_first_use(__name__, __name__, _MODULES)
