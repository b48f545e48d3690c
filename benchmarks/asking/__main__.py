"""A search measured by questions: what it returns, and whether it finds the right paragraph first.

    python -m benchmarks.asking answers BOOK... --questions FILE [--setting "STRATEGY OPTION=VALUE…"]
    python -m benchmarks.asking paragraphs FILE.jsonl...

`answers` compares what a library returns within a budget of words with plain pipelines of the same model;
`paragraphs` asks the questions of test sets in the form of SQuAD, a file per language. Tables are Markdown.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from alexandria.chunking.domains import load_domain
from alexandria.errors import AlexandriaError, ConfigError
from alexandria.lab.books_and_questions import read_inputs
from alexandria.lab.reports import memoized_encoder
from alexandria.lab.settings import parse_settings
from alexandria.lab.tables import ScoreTable
from benchmarks.asking.answers import evaluate_answers
from benchmarks.asking.paragraphs import evaluate_paragraphs, find_paragraph_sets
from benchmarks.asking.tables import answers_table, paragraphs_tables


def main(words: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    arguments = parse(words)
    try:
        tables = arguments.run(arguments)
    except AlexandriaError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n\n".join(table.markdown() for table in tables))
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "benchmarks.asking", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    answers, paragraphs = commands.add_parser("answers"), commands.add_parser("paragraphs")
    answers.set_defaults(run=run_answers)
    answers.add_argument("books", nargs="+", type=Path)
    answers.add_argument("--questions", type=Path, required=True)
    answers.add_argument("--setting", action="append", default=[])
    paragraphs.set_defaults(run=run_paragraphs)
    paragraphs.add_argument("files", nargs="+", type=Path)
    for command in (answers, paragraphs):
        command.add_argument("--domain")
        command.add_argument("--config", type=Path)
    return parser.parse_args(words)


def run_answers(arguments: argparse.Namespace) -> list[ScoreTable]:
    """Compare what a search returns with what plain pipelines of the same model return."""
    domain = load_domain(arguments.domain, file=arguments.config)
    further = parse_settings(arguments.setting, arguments.domain, arguments.config)
    inputs = read_inputs(arguments.books, arguments.questions, domain, notify)
    encoder = memoized_encoder(domain)
    return [answers_table(evaluate_answers(domain, inputs.books, inputs.questions, encoder, further=further))]


def run_paragraphs(arguments: argparse.Namespace) -> list[ScoreTable]:
    """Ask the questions of each file in a library of its paragraphs."""
    domain = load_domain(arguments.domain, file=arguments.config)
    files = find_paragraph_sets(arguments.files)
    if not files:
        raise ConfigError(
            "there is no set of paragraphs with questions", fix="name a .jsonl or .jsonl.gz file"
        )
    return paragraphs_tables(list(evaluate_paragraphs(files, domain, memoized_encoder(domain))))


def notify(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
