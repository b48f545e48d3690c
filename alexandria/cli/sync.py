"""`ingest --sync` and `--watch`: keep the library in sync with folders."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alexandria.library import Library, Step


def take_steps(library: "Library", steps: "Iterable[Step]", *, json: bool, dry_run: bool = False) -> None:
    """Remove the books whose files are gone, and follow renamed files, as `plan_sync` says; print each step.

    With `dry_run`, the steps are only printed.
    """
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    for step in steps:
        if not dry_run:
            library.take_step(step)
        if json:
            display.print_json(documents.sync_line(step, done=not dry_run))
        else:
            display.show_step(step, done=not dry_run)
