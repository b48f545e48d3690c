"""The commands that measure: `evaluate`, `tune` and `review`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from alexandria.cli.judged import (
    bar,
    books_of,
    draw,
    modes_from,
    questioned,
    remembering_encoder,
    settings_from,
    show,
    write,
)
from alexandria.cli.options import ConfigFile, DomainName, Json, OnePath, Paths
from alexandria.errors import ConfigError

app = typer.Typer(help="Measure how good the cuts are.", no_args_is_help=True)

MoreSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar='"STRATEGY OPTION=VALUE…"',
        help="Compare this setting too; repeatable.",
    ),
]
Questions = Annotated[
    Path | None,
    typer.Option("--questions", metavar="FILE", help="Questions with their answers, CSV or JSON Lines."),
]
Chart = Annotated[Path | None, typer.Option("--chart", metavar="FILE", help="Draw it, as .svg or .html.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print tables as Markdown.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same result.")]


@app.command("boundaries")
def evaluate_boundaries(
    paths: Paths,
    domain: DomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    n_documents: Annotated[
        int, typer.Option("--documents", min=1, help="Documents to put together from passages.")
    ] = 100,
    tolerance: Annotated[
        int, typer.Option("--tolerance", min=0, help="Sentences that a boundary may be off.")
    ] = 2,
    seed: Seed = 0,
    chart: Chart = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Do the strategies find where sections begin, once the headings are gone?"""
    from alexandria.evaluate import boundaries, tables

    settings = settings_from(domain, config, more)
    encoder = remembering_encoder(settings[0].domain)
    books = books_of(paths, settings[0].domain)
    bodies = [boundaries.strip_headings(book, encoder) for book in books]
    tasks = boundaries.tasks(bodies, n_documents=n_documents, seed=seed)
    if not tasks:
        raise ConfigError(
            "there is nothing to find in these books",
            why="none has more than one section, and passages need two sources",
            fix="name books with chapters, or more books",
        )
    results = [
        boundaries.measure(task, one.label, one.domain.strategy, documents, tolerance=tolerance, seed=seed)
        for task, documents in tasks.items()
        for one in settings
    ]
    document = tables.boundary_document(results, tolerance=tolerance, seed=seed)
    shown = [tables.boundary_table([one for one in results if one.task == task]) for task in tasks]
    show(shown, document, markdown=markdown, json=json)
    bars = [bar(f"{one.task}: {one.setting}", one.scores["f1"]) for one in results]
    draw(chart, f"F1 of boundaries, {tolerance} sentences off at most", bars)


@app.command("retrieval")
def evaluate_retrieval(
    paths: Paths,
    questions: Questions = None,
    domain: DomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    modes: Annotated[
        list[str] | None, typer.Option("--mode", help="Only this mode of search; repeatable.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Passages that a search returns.")] = 5,
    budget: Annotated[int, typer.Option("--budget", min=1, help="Words that a reader takes.")] = 1000,
    chart: Chart = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Are questions answered by what a search finds? Without --questions, by ones made from the books."""
    from alexandria.evaluate import retrieval, tables
    from alexandria.evaluate.settings import FIXED

    settings = settings_from(domain, config, more)
    chosen = modes_from(modes)
    books, probes, hidden, unplaced = questioned(paths, questions, settings[0].domain)
    baseline = next(one for one in settings if one.label == FIXED)
    encoder = remembering_encoder(settings[0].domain)
    comparison = retrieval.compare(
        settings, baseline, books, probes, encoder, modes=chosen, hidden=hidden, k=k, budget=budget
    )
    document = tables.retrieval_document(comparison, unplaced, k=k, budget=budget)
    parts = comparison.by_kind()
    shown = [tables.retrieval_table(kind, part, k=k, budget=budget) for kind, part in parts.items()]
    show(shown, document, markdown=markdown, json=json)
    bars = [
        bar(f"{one.setting}, {one.mode}", one.scores["recall_in_budget"])
        for one in (comparison.baseline, *comparison.runs)
    ]
    draw(chart, f"Recall within {budget:,} words", bars)


@app.command("quality")
def evaluate_quality(
    paths: Paths,
    domain: DomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """What the chunks are like, without a question: similarity inside and across, cuts in mid-thought."""
    from alexandria.evaluate import tables
    from alexandria.inspection.quality import quality
    from alexandria.pipeline import analyse

    settings = settings_from(domain, config, more)
    encoder = remembering_encoder(settings[0].domain)
    figures = [
        (book.title, one.label, quality(analyse(book, one.domain, encoder)))
        for book in books_of(paths, settings[0].domain)
        for one in settings
    ]
    show([tables.quality_table(figures)], tables.quality_document(figures), markdown=markdown, json=json)


def tune(
    paths: Paths,
    domain: DomainName = None,
    config: ConfigFile = None,
    objective: Annotated[
        str, typer.Option("--objective", help="`recall` within 1,000 words, or `sections` found (F1).")
    ] = "recall",
    questions: Questions = None,
    mode: Annotated[str, typer.Option("--mode", help="Of search, for `recall`.")] = "hybrid",
    n_settings: Annotated[int, typer.Option("--settings", min=1, help="How many to try.")] = 100,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the found setting as a domain file.")
    ] = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Search for the setting that is best on half of the books, and tell how good it is on the other half."""
    from alexandria.config import load_domain
    from alexandria.evaluate import tables
    from alexandria.evaluate import tune as tuning
    from alexandria.views import terminal as display

    present = load_domain(domain, file=config)
    if objective not in tuning.OBJECTIVES:
        names = ", ".join(tuning.OBJECTIVES)
        raise ConfigError(
            f"unknown objective {objective!r}", why=f"they are {names}", fix="--objective recall"
        )
    (mode,) = modes_from([mode])
    if mode == "sentences" and not present.sentence_vectors:
        raise ConfigError(
            "cannot tune for a search by sentences",
            why=f"the domain {present.name} stores no sentence vectors",
            fix="--mode hybrid, or sentence_vectors: true",
        )
    books, probes, hidden, _ = questioned(paths, questions, present)
    train, test = tuning.halves(len(books), seed)
    material = tuning.Material(books, probes, hidden, remembering_encoder(present), mode)
    tuned = tuning.tune(
        present,
        tuning.candidates(present, n_settings - 1, seed, file=config),
        tuning.OBJECTIVES[objective](material, train),
        tuning.OBJECTIVES[objective](material, test),
        seed=seed,
    )
    titles = [books[i].title for i in train], [books[i].title for i in test]
    told = tuning.in_words(objective, mode, self_made=questions is None)
    document = tables.tuned_document(tuned, told, titles)
    show([tables.tuned_table(tuned, told)], document, markdown=markdown, json=json)
    if out is not None and tuned.found is present:
        display.show_message(f"{out} is not written: there is nothing better to put into it")
    elif out is not None:
        write(out, tuning.yaml_of(tuned, " ".join(["alexandria", *sys.argv[1:]]), told, titles))


def review(
    path: OnePath,
    domain: DomainName = None,
    config: ConfigFile = None,
    strategy: Annotated[str | None, typer.Option("--strategy", "-s", help="How to cut.")] = None,
    blind: Annotated[
        str | None,
        typer.Option("--blind", metavar="A,B", help="Cuts of these strategies, mixed and unnamed."),
    ] = None,
    marks: Annotated[
        Path | None,
        typer.Option(
            "--marks", metavar="FILE", help="Where the marks are kept.", show_default="your data folder"
        ),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Judge a book's cuts one by one: 5 perfect, 3 acceptable, 1 mid-thought. Stop and go on at any time."""
    from platformdirs import user_data_path

    from alexandria.config import load_domain
    from alexandria.evaluate import review as reviewing
    from alexandria.evaluate import tables
    from alexandria.pipeline import analyse
    from alexandria.views.terminal import evaluation

    names = [name.strip() for name in blind.split(",")] if blind else [strategy]
    options = [{"strategy": name} if name else {} for name in names]
    domains = [load_domain(domain, options=one, file=config) for one in options]
    file = marks or user_data_path("alexandria") / "marks.jsonl"
    books = books_of([path], domains[0])
    if len(books) > 1:
        raise ConfigError("a review is of one book", why=f"there are {len(books)} in {path}", fix="name one")
    book = books[0]
    encoder = remembering_encoder(domains[0])
    cuts = reviewing.cuts_to_review([analyse(book, one, encoder) for one in domains], seed=seed)
    left = reviewing.unmarked(cuts, reviewing.read_marks(file))
    for number, cut in enumerate(left, start=len(cuts) - len(left) + 1):
        evaluation.show_cut(cut, number, len(cuts))
        while (answer := evaluation.ask_mark()) not in {"5", "3", "1", "s", "q"}:
            pass
        if answer == "q":
            break
        if answer != "s":
            reviewing.append(file, reviewing.mark(cut, int(answer)))
    averages = reviewing.averages(reviewing.read_marks(file))
    show([tables.review_table(averages)], tables.review_document(averages), markdown=False, json=json)
