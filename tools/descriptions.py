"""What `docs/descriptions.md` generates: the names of the descriptions, and each statement with its place."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from alexandria.chunking import STRATEGIES
from alexandria.config.domain import DOMAIN_OPTIONS, option_names
from alexandria.config.names import REFUSALS, SYNONYMS

DATA = Path(__file__).parents[1] / "docs" / "descriptions.psv"
DESCRIPTIONS = {
    "C": "The program as a whole",
    "A": "Universal Semantic Chunking",
    "B": "XZe's semantic chunker",
    "D": "Sage's chunking of reviews",
    "E": "Remnic's smoothing-based boundaries",
    "F": "knowledgebase's centroid matching",
}
KINDS = {
    "as": "as described",
    "better": "better",
    "other": "otherwise",
    "partly": "in part",
    "n/a": "no counterpart",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a description, and what became of it."""

    id: str
    text: str
    kind: str
    where: str
    """References in backticks, and the reason if the program does something else."""
    test: str
    """The test that checks it, below `tests/`."""


def statements() -> list[Statement]:
    """Return the lines of the data file."""
    return [Statement(*line.split("|")) for line in DATA.read_text(encoding="utf-8").splitlines()]


def tables() -> str:
    """Return a table of statements per description."""
    parts = []
    for letter, title in DESCRIPTIONS.items():
        rows = [statement for statement in statements() if statement.id[0] == letter]
        counts = {kind: sum(statement.kind == kind for statement in rows) for kind in KINDS}
        counted = ", ".join(f"{count} {KINDS[kind]}" for kind, count in counts.items() if count)
        parts.append(f"### {title}\n\n{len(rows)} statements: {counted}.")
        lines = [
            f"| {row.id} | {row.text} | {KINDS[row.kind]} | {row.where} | {_test(row)} |" for row in rows
        ]
        parts.append("\n".join(["| | statement | | where and why | test |", "|---|---|---|---|---|", *lines]))
    return "\n\n".join(parts)


def _test(statement: Statement) -> str:
    file, _, name = statement.test.partition("::")
    return f"[{name}](../tests/{file})" if name else ""


def names() -> str:
    """Return a table of the names that options have in the descriptions."""
    return "\n".join(["| name | here | for |", "|---|---|---|", *_synonym_rows(), *_refusal_rows()])


def _synonym_rows() -> Iterator[str]:
    for name, options in SYNONYMS.items():
        strategies_of: dict[str, list[str]] = {}
        for strategy, cls in STRATEGIES.items():
            own_options = option_names(cls)
            if option := next((option for option in options if option in own_options), None):
                strategies_of.setdefault(option, []).append(f"`{strategy}`")
        strategies_of |= {option: ["every strategy"] for option in options if option in DOMAIN_OPTIONS}
        for option, strategies in strategies_of.items():
            yield f"| `{name}` | `{option}` | {', '.join(strategies)} |"
    yield "| `semantic_chunking_enabled` | `strategy: smoothed`, or `recursive` if false | |"
    yield "| `semantic_chunking_config` | the options below it, as if they stood beside it | |"


def _refusal_rows() -> Iterator[str]:
    for name, refusal in REFUSALS.items():
        yield f"| `{name}` | refused: {refusal.why} | {refusal.fix} |"
