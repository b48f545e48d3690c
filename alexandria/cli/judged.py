"""What the measuring commands share: settings, books and questions in; tables, charts and files out."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.errors import BookError, ConfigError, io_reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from alexandria.book import Book
    from alexandria.config import Domain
    from alexandria.evaluate.chart import Bar
    from alexandria.evaluate.memory import Remembering
    from alexandria.evaluate.questions import Probe, Unplaced
    from alexandria.evaluate.retrieval import Hidden
    from alexandria.evaluate.settings import Setting
    from alexandria.evaluate.tables import Table

_NAMED = 5
"""Questions left out that are named; the rest is counted."""


def settings_from(domain: str | None, config: Path | None, more: Sequence[str] | None) -> list["Setting"]:
    """Return every registered strategy and the settings named besides.

    Raises:
        ConfigError: an unknown strategy or option, or a model of its own: its scores would be the model's.
    """
    from alexandria.evaluate.settings import parsed, registered

    settings = [*registered(domain, config), *(parsed(text, domain, config) for text in more or ())]
    if other := [one for one in settings if one.domain.model != settings[0].domain.model]:
        raise ConfigError(
            f"cannot compare the setting {other[0].label!r} with the others",
            why=f"its model is {other[0].domain.model}, theirs {settings[0].domain.model}",
            fix="compare models one at a time, with --config",
        )
    return settings


def modes_from(names: Sequence[str] | None) -> list[str]:
    """Return the modes of search that are named, or all.

    Raises:
        ConfigError: there is no such mode.
    """
    from alexandria.modes import Mode

    if unknown := [name for name in names or () if name not in list(Mode)]:
        raise ConfigError(
            f"unknown mode {unknown[0]!r}", why=f"the modes are {', '.join(Mode)}", fix="--mode hybrid"
        )
    return list(names or Mode)


def remembering_encoder(domain: "Domain") -> "Remembering":
    """Return the domain's encoder, which embeds no sentence twice, today or tomorrow."""
    from alexandria.embed import load_encoder
    from alexandria.evaluate.memory import Remembering

    return Remembering(
        load_encoder(domain.model, backend=domain.backend, precision=domain.precision, cache=True)
    )


def questioned(
    paths: Sequence[Path], questions: Path | None, domain: "Domain"
) -> "tuple[list[Book], list[Probe], Hidden, list[Unplaced]]":
    """Return the books, the questions to them, what the index must hide, and the questions left out."""
    from alexandria.evaluate.questions import place, read_questions
    from alexandria.evaluate.selfmade import make_probes
    from alexandria.views import terminal as display

    if questions is None:
        books = books_of(paths, domain)
        probes, hidden = make_probes(books)
        unplaced: list[Unplaced] = []
    else:
        entries = read_questions(questions)
        # Spans count the characters of a plain text as it lies on the disk.
        books = books_of(paths, domain, as_is=any(one.span for entry in entries for one in entry.references))
        (probes, unplaced), hidden = place(entries, books), {}
    for one in unplaced[:_NAMED]:
        display.show_message(f"left out: line {one.line}, {one.question[:60]!r}: {one.why}")
    if len(unplaced) > _NAMED:
        display.show_message(f"left out: {len(unplaced) - _NAMED} more")
    if not probes:
        raise ConfigError(
            "there are no questions to ask", why="none could be placed in these books", fix="check the file"
        )
    return books, probes, hidden, unplaced


def books_of(paths: Sequence[Path], domain: "Domain", *, as_is: bool = False) -> "list[Book]":
    """Read the books; one that cannot be read is named and left out, unless there is no other."""
    from alexandria.batch import discover
    from alexandria.evaluate.corpus import more_files, read_for_evaluation
    from alexandria.pipeline import read, read_options
    from alexandria.reading.process import IsolatedReader
    from alexandria.views import terminal as display

    files = list(dict.fromkeys((*discover(paths), *more_files(paths, as_is=as_is))))
    books: list[Book] = []
    with IsolatedReader() as reader:
        isolated = partial(read, options=read_options(domain), reader=reader)
        for path in files:
            try:
                books.append(read_for_evaluation(path, isolated, as_is=as_is))
            except BookError as failed:
                if len(files) == 1:
                    raise
                display.show_message(f"left out: {failed}")
    if not books:
        raise ConfigError("there is no book to judge", fix="name files or other folders")
    return books


def show(tables: "Sequence[Table]", document: object, *, markdown: bool, json: bool) -> None:
    """Print the tables, or the document in their place."""
    from alexandria.views.terminal import evaluation, print_json

    if json:
        print_json(document)
        return
    for table in tables:
        evaluation.show_table(table, markdown=markdown)


def bar(label: str, values: "NDArray[np.float64]") -> "Bar":
    """Return a line of a chart: the mean of the values with its interval."""
    from alexandria.evaluate import bootstrap
    from alexandria.evaluate.chart import Bar

    return Bar(label, bootstrap.mean(values))


def draw(path: Path | None, title: str, bars: "Sequence[Bar]") -> None:
    """Write the chart where one is wanted."""
    from alexandria.evaluate.chart import write_chart

    if path is not None:
        write_chart(path, title, bars)


def write(path: Path, text: str) -> None:
    """Write a text file, and say so.

    Raises:
        ConfigError: it cannot be written.
    """
    from alexandria.views import terminal as display

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {path}", why=io_reason(error), fix="choose another place") from error
    display.show_message(f"wrote {path}")
