"""Models, the state of the installation, and what the cache holds, for a terminal."""

import shlex
from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from alexandria.embed.extra import extra_command
from alexandria.library.care.health import Check, State, Trace
from alexandria.library.care.models import (
    INSTALL_COMMAND,
    INSTALL_MULTILINGUAL,
    MULTILINGUAL,
    Copy,
    Examination,
    Models,
    Weights,
)
from alexandria.show.terminal.console import out, safe, show_message
from alexandria.system.cache import Usage

_STYLES = {State.OK: "green", State.MISSING: "yellow", State.WRONG: "bold red"}


def show_traces(traces: Sequence[Trace]) -> None:
    """Print the commands that remove the package and what it has made, with sizes."""
    removed = {"pip uninstall alexandria-books": "the program; pip list shows what it needed"}
    removed |= {
        f"rm -r {shlex.quote(str(trace.folder))}": f"{trace.holds}, {trace.n_bytes / 1e6:,.0f} MB"
        for trace in traces
    }
    for command, what in removed.items():
        out.print(Text.assemble(safe(command), (f"  # {what}", "dim")), soft_wrap=True)
    out.print(Text("# Libraries made with --store, and its lines in the files of your shell, stay.", "dim"))


def show_models(models: Models) -> None:
    """Print where the packaged models are, and what is missing."""
    shape = f"{models.dim} dimensions, reads {models.window} word pieces" if models.dim else "not installed"
    out.print(Text.assemble((models.name, "bold"), f"  {shape}"))
    _show_copies(models.copies, INSTALL_COMMAND)
    languages = "reads about a hundred languages" if models.multilingual else "not installed"
    out.print(Text.assemble((MULTILINGUAL, "bold"), f"  {languages}"))
    _show_copies(models.multilingual, INSTALL_MULTILINGUAL)
    extra = "installed" if models.has_extra else extra_command("models")
    out.print(Text(f"other models, torch, GPUs: {extra}"), soft_wrap=True)
    out.print(Text(f"models folder: {safe(models.folder)}"), soft_wrap=True)


def _show_copies(copies: Sequence[Copy], install: str) -> None:
    """Print where the copies of a model are, with the command that installs it if it is missing or damaged.

    Args:
        copies: the one that is used first.
    """
    for number, copy in enumerate(copies):
        used = "used" if number == 0 else ""
        style = "" if copy.weights is Weights.PUBLISHED else "bold red"
        size = f"{copy.n_bytes / 1e6:,.0f} MB"
        line = f"  {copy.kind}  {safe(copy.folder)}  {size}  weights {copy.weights}  {used}"
        out.print(Text(line.rstrip(), style), soft_wrap=True)
    if not copies:
        show_message(f"  fix: {install}")
    elif copies[0].weights is not Weights.PUBLISHED:
        show_message(f"  fix: {install} --force")


def show_examination(examination: Examination) -> None:
    """Print what a model can do."""
    out.print(Text(safe(examination.name), "bold"))
    if examination.obstacle:
        computed = f"through torch: {examination.obstacle}"
    else:
        computed = f"from its weights ({examination.architecture})"
    facts = {
        "dimensions": examination.dim,
        "window": f"{examination.window} word pieces" if examination.window else "unknown here",
        "pooling": examination.pooling or "unknown here",
        "computed": computed,
        "applied": examination.applied,
        "neighbours": f"similarity of following sentences {examination.alike:.2f} (default model: .33)",
    }
    for name, value in facts.items():
        out.print(Text(f"{name:<12}{safe(value)}"), soft_wrap=True)
    if examination.formats:
        _show_formats(examination)
    if not any(score.connects for score in examination.languages if score.language != "en"):
        out.print(Text(f"It connects English with none of {len(examination.languages) - 1} other languages."))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("language", "translations found", "similarity", "reads it"):
        table.add_column(name)
    for score in examination.languages:
        found = f"{score.n_found} of {score.n_sentences}"
        table.add_row(score.language, found, f"{score.similarity:.2f}", "yes" if score.connects else "no")
    out.print(table)


def _show_formats(examination: Examination) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("format", "words per second, one core", "lowest cosine to f32", ""):
        table.add_column(name)
    for trial in examination.formats:
        used = "used" if trial.precision is examination.used else ""
        cosine = f"{trial.cosine:.5f}" if trial.is_faithful else f"{trial.cosine:.5f}, too low"
        table.add_row(trial.precision, f"{trial.words_per_second:,.0f}", cosine, used)
    out.print(table)
    out.print()


def show_checks(checks: Sequence[Check]) -> None:
    """Print each check, with the fix if something is wrong or missing, and a verdict at the end."""
    width = max(len(check.name) for check in checks)
    for check in checks:
        state = (f"{check.state.value:<8}", _STYLES[check.state])
        out.print(Text.assemble(state, f"{check.name:<{width}}  {safe(check.value)}"), soft_wrap=True)
        if check.fix:
            out.print(Text(f"{'':<{8 + width}}  fix: {safe(check.fix)}"), soft_wrap=True)
    wrong = [check.name for check in checks if check.state is State.WRONG]
    if wrong:
        verdict = f"wrong: {', '.join(wrong)}; see the fix below {'it' if len(wrong) == 1 else 'each'}"
    elif any(check.state is State.MISSING for check in checks):
        verdict = "everything that is needed works; what is missing is optional"
    else:
        verdict = "everything that is needed works"
    out.print(Text(verdict), soft_wrap=True)


def show_cache(usage: Usage) -> None:
    """Print what the cache folder holds."""
    out.print(Text(safe(usage.folder), "bold"))
    limit = f"of {usage.most_book_bytes / 1e6:,.0f} MB at most, {usage.n_entries:,} entries"
    out.print(f"books              {usage.book_bytes / 1e6:>10,.1f} MB {limit}")
    out.print(f"models, copies     {usage.graph_bytes / 1e6:>10,.1f} MB")
