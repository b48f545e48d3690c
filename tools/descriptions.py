"""What `docs/descriptions.md` generates: the names that the descriptions give to options."""

from collections.abc import Iterator

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains.domain import DOMAIN_OPTIONS, option_names
from alexandria.chunking.domains.names import REFUSALS, SYNONYMS


def names() -> str:
    """Return a table of the names that options have in the descriptions."""
    return "\n".join(
        ["| name | here | for, or instead |", "|---|---|---|", *_synonym_rows(), *_refusal_rows()]
    )


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
    yield "| `semantic_chunking_config` | its options, as if they were not nested | |"


def _refusal_rows() -> Iterator[str]:
    for name, refusal in REFUSALS.items():
        yield f"| `{name}` | refused: {refusal.why} | {refusal.fix} |"
