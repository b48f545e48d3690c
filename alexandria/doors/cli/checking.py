"""The command that checks manuscripts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.book.choices import ReportFormat, chosen
from alexandria.book.filters import Filters
from alexandria.doors.cli.chosen import App, LibrariesAt
from alexandria.doors.cli.options import (
    EXIT_SOME_FAILED,
    Json,
    argument,
    check_output,
    nothing_found,
    option,
    refuse_unused,
)
from alexandria.doors.cli.printing import print_json, print_text, show_message
from alexandria.errors import ConfigError, io_reason

if TYPE_CHECKING:
    from alexandria.library.check.report import CheckReport, Verdict

app = App()


@app.command()
def check(
    ctx: typer.Context,
    at: LibrariesAt,
    filters: Filters,
    paths: Annotated[
        list[Path],
        argument("FILE...", "Manuscripts, highlights of e-readers, folders; - for standard input."),
    ],
    only: Annotated[
        str | None, option("--only VERDICT,...", "Print these: exact,allowed,differs,not_found,too_short.")
    ] = None,
    bibliography: Annotated[
        list[Path] | None, option("--bibliography FILE", "BibTeX or CSL-JSON with the cited keys.")
    ] = None,
    accept: Annotated[
        Path | None, option("--accept FILE", "Quotations whose differences are meant, one a line.")
    ] = None,
    write: Annotated[bool, option("--write", "Add those of now to that file.")] = False,
    format: Annotated[
        ReportFormat, option("--format", "Print this; markdown: a notebook by book.")
    ] = ReportFormat.TEXT,
    html: Annotated[
        Path | None, option("--html FILE", "Write the text, marked, as a page.", callback=check_output)
    ] = None,
    json: Json = False,
) -> None:
    """Compare the quotations in a manuscript with your books."""
    from dataclasses import asdict

    verdicts = _verdicts(only)
    if write and accept is None:
        raise ConfigError(
            "--write has no file", why="it adds to that of --accept", fix="--accept FILE --write"
        )
    with at.open() as library:
        report = library.check(paths, bibliography=bibliography or (), **asdict(filters))
    if accept is not None:
        report = _accepting(report, accept, write=write)
    if html is not None:
        from alexandria.show.html.checking import render_check
        from alexandria.show.terminal.console import save_page

        save_page(html, render_check(report))
    if json:
        from alexandria.show.json.checking import check_document

        refuse_unused(ctx, "format", why="--json prints one document")
        print_json(check_document(report))
    elif format is ReportFormat.MARKDOWN:
        from alexandria.show.checked import notebook

        print_text(notebook(report))
    else:
        from alexandria.show.terminal.checking import show_report

        show_report(report, verdicts)
    if report.unread:
        raise typer.Exit(EXIT_SOME_FAILED)
    if report.complaints:
        raise nothing_found(ctx)


def _verdicts(only: str | None) -> "list[Verdict]":
    from alexandria.library.check.report import Verdict

    return [chosen(Verdict, name.strip(), "verdict", "verdicts") for name in only.split(",")] if only else []


def _accepting(report: "CheckReport", file: Path, *, write: bool) -> "CheckReport":
    """Return a report without those complaints whose quotations are listed in a file.

    Raises:
        ConfigError: the file cannot be read or written.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() or not write else []
        if write:
            present = {" ".join(item.text.split()): None for item in report.complaints}
            lines += [text for text in present if text not in lines]
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            show_message(f"{file} lists {len(lines)} quotations")
    except (OSError, UnicodeDecodeError) as error:
        why = io_reason(error) if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise ConfigError(f"cannot use {file}", why=why, fix="name a text file") from error
    return report.accepting(lines)
