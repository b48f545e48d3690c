"""The command `doctor`."""

import typer

from alexandria.cli.chosen import server_options
from alexandria.cli.options import EXIT_OK, EXIT_USAGE, ApiKeyFile, Json, StoreFolder


def doctor(store: StoreFolder = None, api_key_file: ApiKeyFile = None, json: Json = False) -> None:
    """Check the installation, and say how to fix each fault."""
    from alexandria.library.health import State, diagnose
    from alexandria.views.json.view import document_of
    from alexandria.views.terminal.console import print_json
    from alexandria.views.terminal.installation import show_checks

    checks = diagnose(store, server_options(api_key_file))
    if json:
        print_json([document_of(check) for check in checks])
    else:
        show_checks(checks)
    raise typer.Exit(EXIT_USAGE if any(check.state is State.WRONG for check in checks) else EXIT_OK)
