"""`ingest --sync` and `--watch`: keep the library in sync with folders."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alexandria.batch.sync import Step
    from alexandria.library.library import Library


def take_steps(library: "Library", steps: "Iterable[Step]", *, json: bool, dry_run: bool = False) -> None:
    """Remove the books whose files are gone, and follow renamed files, as `plan_sync` says; print each step.

    With `dry_run`, the steps are only printed.
    """
    from alexandria.views.json.ingest import sync_line
    from alexandria.views.terminal.batch import show_step
    from alexandria.views.terminal.console import print_json

    for step in steps:
        if not dry_run:
            library.take_step(step)
        if json:
            print_json(sync_line(step, done=not dry_run))
        else:
            show_step(step, done=not dry_run)
