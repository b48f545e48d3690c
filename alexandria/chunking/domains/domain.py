"""A domain: how the books of one field are cut."""

from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from alexandria.book.choices import Backend, ChunkVector, Notes, OverlapUse, Precision, ThresholdScale
from alexandria.chunking import Strategy
from alexandria.chunking.domains.guess import Guess

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
    batch_size: int | None = None
    """Most sentences that the model computes at a time; by default, the fastest number. Changes no result."""
    dimensions: int | None = None
    """How many numbers of each vector are kept, of a model that is trained for it; by default, all."""
    threshold_scale: ThresholdScale = ThresholdScale.MAPPED
    """Whether thresholds mean what they mean with the default model, or cosines as the model gives them."""
    sentences: str = "default"
    sentence_vectors: bool = True
    bm25_language: str | None = None
    notes: Notes = Notes.ATTACH
    respect_sections: bool = True
    chunk_vector: ChunkVector = ChunkVector.SENTENCES
    overlap_words: int = 0
    """Words of the previous chunk that a chunk repeats as context, in whole sentences. A strategy may have an
    option of this name, which then counts instead."""
    overlap_for: OverlapUse = OverlapUse.VECTOR  # what the repeated sentences count for in a search
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where each option that is not a program default was set: `shipped philosophy.yaml:3`."""
    comments: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The comment on the line of each option in its file."""
    guess: Guess | None = field(default=None, compare=False)
    """Why the book has this domain, if the domain was guessed."""

    def settings(self) -> dict[str, Any]:
        """Return every option that decides how a book is cut and stored.

        The generation of a book, a hash in the ids of its points, is made of them: a book with other settings
        is another generation.
        """
        left_out = {
            *WITHOUT_EFFECT,
            *_at_default(self, ADDED.difference(option_names(self.strategy))),
            *_at_default(self.strategy, ADDED_TO_STRATEGIES),
        }
        return {option: value for option, value in self.options().items() if option not in left_out}

    def options(self) -> dict[str, Any]:
        """Return every option with its value."""
        return {
            "domain": self.name,
            "strategy": self.strategy.name,
            **{option: getattr(self.strategy, option) for option in option_names(self.strategy)},
            **{
                option: getattr(self, option)
                for option in DOMAIN_OPTIONS
                if option not in ("description", "strategy", *option_names(self.strategy))
            },
        }


ADDED = frozenset({"chunk_vector", "overlap_words", "overlap_for"})
"""Options that were added after the first libraries. At their defaults, they are left out of the settings:
books in those libraries keep their generation."""
ADDED_TO_STRATEGIES = frozenset({"percentile_of"})  # the same for options of strategies


def _at_default(owner: Any, names: Collection[str]) -> set[str]:
    """Return which of the named options have their default values in `owner`, a domain or a strategy."""
    options = (option for option in fields(owner) if option.name in names)
    return {option.name for option in options if getattr(owner, option.name) == option.default}


WITHOUT_EFFECT = ("batch_size", "dimensions", "threshold_scale")
"""Options that change no result, or that the name of the encoder states."""
NOT_OPTIONS = ("name", "origins", "comments", "guess")  # fields of `Domain` that no file sets
DOMAIN_OPTIONS: dict[str, Field[Any]] = {
    option.name: option for option in fields(Domain) if option.name not in NOT_OPTIONS
}  # the options of every domain, whatever its strategy


def option_names(strategy: Strategy | type[Strategy]) -> list[str]:
    """Return the names of a strategy's own options."""
    return [option.name for option in fields(strategy)]
