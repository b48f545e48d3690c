"""Everything that is done to many books at once, most of all ingesting them.

`discovery` finds the files, `run` ingests them, `plan` decides what is to be done with each, `ingestor`
stores the books, and `cluster` does the same on many machines. `mending`, `adoption` and `rebuilding` repair
a library.
"""

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

# Loaded on first use: callers that only read the failures or the progress of an ingest need no models.
__getattr__ = on_first_use(__name__, __name__, _MODULES)
