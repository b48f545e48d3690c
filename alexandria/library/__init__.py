"""A library of books: what Python users hold, and the only package that the command line calls.

`Library` is one collection, `Libraries` reads several as one, and `shortcuts` has functions for a single
call.
"""

from typing import TYPE_CHECKING

from alexandria.system.first_use import on_first_use

if TYPE_CHECKING:
    from alexandria.batch.calibre import calibre_books
    from alexandria.batch.discovery import Discovery, discover, find_books, select_folders
    from alexandria.batch.failures import Failure
    from alexandria.batch.interrupt import stop_on_signal
    from alexandria.batch.options import RunOptions
    from alexandria.batch.outcome import Outcome
    from alexandria.batch.progress import LibraryStatus
    from alexandria.batch.sync import Step
    from alexandria.batch.watch import arrivals
    from alexandria.library.libraries import Libraries
    from alexandria.library.library import Library
    from alexandria.library.location import server_settings, split_collection_names
    from alexandria.library.repair import Repair, Verification
    from alexandria.query.hits import Results
    from alexandria.store import Server
    from alexandria.store.record import Record

__all__ = [
    "Discovery",
    "Failure",
    "Libraries",
    "Library",
    "LibraryStatus",
    "Outcome",
    "Record",
    "Repair",
    "Results",
    "RunOptions",
    "Server",
    "Step",
    "Verification",
    "arrivals",
    "calibre_books",
    "discover",
    "find_books",
    "select_folders",
    "server_settings",
    "split_collection_names",
    "stop_on_signal",
]

_MODULES = {
    "Discovery": "batch.discovery",
    "Failure": "batch.failures",
    "Libraries": "library.libraries",
    "Library": "library.library",
    "LibraryStatus": "batch.progress",
    "Outcome": "batch.outcome",
    "Record": "store.record",
    "Repair": "library.repair",
    "Results": "query.hits",
    "RunOptions": "batch.options",
    "Step": "batch.sync",
    "Server": "store",
    "Verification": "library.repair",
    "arrivals": "batch.watch",
    "calibre_books": "batch.calibre",
    "discover": "batch.discovery",
    "find_books": "batch.discovery",
    "select_folders": "batch.discovery",
    "server_settings": "library.location",
    "split_collection_names": "library.location",
    "stop_on_signal": "batch.interrupt",
}

# Loaded on first use: a command needs few of these names.
__getattr__ = on_first_use(__name__, "alexandria", _MODULES)
