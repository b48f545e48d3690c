"""Many books: which files there are, which are stored already, which failed."""

from alexandria.batch.discovery import discover
from alexandria.batch.options import RunOptions
from alexandria.batch.outcome import Outcome, Status
from alexandria.batch.run import ingest

__all__ = ["Outcome", "RunOptions", "Status", "discover", "ingest"]
