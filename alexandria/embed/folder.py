"""The folder that holds what can be made again: converted models, and vectors of books."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder, `ALEXANDRIA_CACHE` or the user's; it need not exist."""
    if named := os.environ.get("ALEXANDRIA_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("alexandria")
