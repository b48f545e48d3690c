"""What a domain is: how the books of one field are cut."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from alexandria.chunking import Strategy
from alexandria.modes import Backend, Notes, Precision

DEFAULT_DOMAIN = "default"
DEFAULT_STRATEGY = "universal-semantic"


@dataclass(frozen=True, slots=True)
class Domain:
    """A field of books and how it is cut; the strategy's own options are the strategy's fields."""

    name: str
    strategy: Strategy
    description: str = ""
    model: str = "all-MiniLM-L6-v2"
    backend: Backend = Backend.AUTO
    precision: Precision = Precision.AUTO
    sentences: str = "default"
    sentence_vectors: bool = True
    bm25_language: str | None = None
    notes: Notes = Notes.ATTACH
    respect_sections: bool = True
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where each option's value comes from, in words: `shipped philosophy.yaml:3`."""

    def settings(self) -> dict[str, Any]:
        """Return every option with its value: what goes into JSON and makes a generation."""
        return {
            "domain": self.name,
            "strategy": self.strategy.name,
            **{one.name: getattr(self.strategy, one.name) for one in fields(self.strategy)},
            **{
                name: getattr(self, name)
                for name in DOMAIN_OPTIONS
                if name not in ("description", "strategy")
            },
        }


NOT_OPTIONS = ("name", "origins")
DOMAIN_OPTIONS: dict[str, Field[Any]] = {
    one.name: one for one in fields(Domain) if one.name not in NOT_OPTIONS
}


def option_names(strategy: type[Strategy]) -> list[str]:
    """Return the names of a strategy's own options."""
    return [one.name for one in fields(strategy)]
