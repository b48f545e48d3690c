"""A domain: how the books of one field are cut."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from alexandria.chunking import Strategy
from alexandria.modes import Backend, Notes, Precision

DEFAULT_DOMAIN = "default"
DEFAULT_STRATEGY = "optimal"


@dataclass(frozen=True, slots=True)
class Domain:
    """A field of books and how they are cut; the options of the strategy are its fields."""

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
    """Where each option that is not a program default was set: `shipped philosophy.yaml:3`."""
    comments: Mapping[str, str] = field(default_factory=dict, compare=False)
    """What the file says of the value of an option, on its line."""

    def settings(self) -> dict[str, Any]:
        """Return every option with its value: what is shown as JSON and what identifies a generation."""
        return {
            "domain": self.name,
            "strategy": self.strategy.name,
            **{option: getattr(self.strategy, option) for option in option_names(self.strategy)},
            **{
                option: getattr(self, option)
                for option in DOMAIN_OPTIONS
                if option not in ("description", "strategy")
            },
        }


NOT_OPTIONS = ("name", "origins", "comments")
"""Fields of `Domain` that no file sets."""
DOMAIN_OPTIONS: dict[str, Field[Any]] = {
    option.name: option for option in fields(Domain) if option.name not in NOT_OPTIONS
}
"""The options of every domain, whatever its strategy."""


def option_names(strategy: Strategy | type[Strategy]) -> list[str]:
    """Return the names of a strategy's own options."""
    return [option.name for option in fields(strategy)]
