"""What a search is asked: one value, checked where it is made, which goes whole from each door inwards."""

from dataclasses import dataclass, fields
from pathlib import Path

from alexandria.book.choices import Diverse, Mode
from alexandria.book.filters import EVERYTHING, FilterOptions, Filters
from alexandria.book.suggest import suggestion
from alexandria.book.words import entered_text
from alexandria.errors import ConfigError, check_at_least, check_text

LIMIT = 5  # the number of hits of a search without a limit on hits or words


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What a search is asked, by the names of the arguments of `Library.search`, which explains them."""

    query: str
    limit: int | None = None
    words: int | None = None
    mode: Mode = Mode.HYBRID
    context: int = 0
    all_editions: bool = False
    everywhere: bool = False
    exact: bool = False
    diverse: Diverse | None = None
    rerank: Path | None = None
    rerank_weight: float = 0.5
    filters: Filters = EVERYTHING

    def __post_init__(self) -> None:
        """Check the request, and compose the letters of the query.

        Raises:
            ConfigError: the query is empty or not a string, a number is out of range, or both `words` and
                `context` are given.
        """
        check_text(query=self.query)
        if not any(map(str.isalnum, self.query)):
            why = "the query has no letters" if self.query.strip() else "the query is empty"
            raise ConfigError("there is nothing to search for", why=why, fix="alexandria search WORDS")
        check_at_least(1, limit=self.limit, words=self.words)
        check_at_least(0, context=self.context)
        if self.words is not None and self.context:
            raise ConfigError(
                "cannot combine `words` with `context`",
                why="`words` limits the length of the results, and `context` adds whole chunks to them",
                fix="use one of them",
            )
        object.__setattr__(self, "query", entered_text(self.query))

    @property
    def n_hits(self) -> int:
        """How many whole chunks are returned at most."""
        return LIMIT if self.limit is None else self.limit


def parse_filters(values: FilterOptions) -> Filters:
    """Return filters from their names and values.

    Raises:
        ConfigError: there is no such filter, or a value is not a string.
    """
    names = [field.name for field in fields(Filters)]
    if unknown := [name for name in values if name not in names]:
        raise ConfigError(
            f"unknown argument {unknown[0]!r}",
            why=f"the filters are {', '.join(names)}",
            fix=suggestion(unknown[0], [*names, "limit", "words", "mode", "context"]) or "choose one of them",
        )
    check_text(**{name: value for name, value in values.items() if value is not None})
    return Filters(**values)
