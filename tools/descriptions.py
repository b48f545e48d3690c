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
    """References in backticks, and the reason where it is otherwise."""
    test: str
    """The test that holds it, below `tests/`."""


def statements() -> list[Statement]:
    """Return the lines of the data file."""
    return [Statement(*line.split("|")) for line in DATA.read_text(encoding="utf-8").splitlines()]


def tables() -> str:
    """Return a table of statements per description."""
    parts = []
    for letter, title in DESCRIPTIONS.items():
        rows = [one for one in statements() if one.id[0] == letter]
        counts = {kind: sum(one.kind == kind for one in rows) for kind in KINDS}
        counted = ", ".join(f"{count} {KINDS[kind]}" for kind, count in counts.items() if count)
        parts.append(f"### {title}\n\n{len(rows)} statements: {counted}.")
        lines = [
            f"| {one.id} | {one.text} | {KINDS[one.kind]} | {one.where} | {_test(one)} |" for one in rows
        ]
        parts.append("\n".join(["| | statement | | where and why | test |", "|---|---|---|---|---|", *lines]))
    return "\n\n".join(parts)


def _test(statement: Statement) -> str:
    file, _, name = statement.test.partition("::")
    return f"[{name}](../tests/{file})" if name else ""


def names() -> str:
    """Return a table of the names that options have in the descriptions."""
    return "\n".join(["| name | here | for |", "|---|---|---|", *_named(), *_refused()])


def _named() -> Iterator[str]:
    for name, options in SYNONYMS.items():
        taken: dict[str, list[str]] = {}
        for strategy, cls in STRATEGIES.items():
            own = option_names(cls)
            if option := next((one for one in options if one in own), None):
                taken.setdefault(option, []).append(f"`{strategy}`")
        taken |= {option: ["every strategy"] for option in options if option in DOMAIN_OPTIONS}
        for option, strategies in taken.items():
            yield f"| `{name}` | `{option}` | {', '.join(strategies)} |"
    yield "| `semantic_chunking_enabled` | `strategy: smoothed`, or `recursive` if false | |"
    yield "| `semantic_chunking_config` | the options below it, as if they stood beside it | |"


def _refused() -> Iterator[str]:
    for name, refusal in REFUSALS.items():
        yield f"| `{name}` | refused: {refusal.why} | {refusal.fix} |"
