"""`ingest --sync` and `--watch`: keep the library in sync with folders."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alexandria.library import Discovery, Library


def synchronize(
    library: "Library", folders: Sequence[Path], discovery: "Discovery", *, json: bool, dry_run: bool = False
) -> None:
    """Remove the books whose files are gone, and follow renamed files; print each."""
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    for step in library.plan_sync(folders, discovery.files):
        if not dry_run:
            library.take_step(step)
        if json:
            display.print_json(documents.sync_line(step, done=not dry_run))
        else:
            display.show_step(step, done=not dry_run)
