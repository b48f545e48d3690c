"""The documents of `domains`."""

from typing import Annotated, Any, TypedDict

from alexandria.chunking.cues.notes import NOTES, CostNote
from alexandria.chunking.domains import Domain
from alexandria.chunking.strategies.optimal import CUT_COSTS
from alexandria.show.json.types import Keyword
from alexandria.show.json.view import attribute_docs

DomainDocument = Annotated[
    dict[str, str | int | float | bool | None],
    Keyword("required", ("description", "domain", "strategy", "model")),
]  # `alexandria domains show --json`: every option of a domain, those of its strategy included


class OptionEntry(TypedDict):
    """The value of an option, and where it comes from."""

    value: str | int | float | bool | None
    origin: str
    what: str | None
    """What is at a cut that has this cost; of another option of the strategy, what it means."""
    example: str | None
    """Text around such a cut, which is marked with `|`."""
    comment: str | None
    """Why the domain has this value, if its file says so."""


OriginsDocument = Annotated[
    dict[str, OptionEntry], Keyword("required", ("description", "domain", "strategy", "model"))
]  # `alexandria domains show --origin --json`: every option of a domain, with its origin


def domain_document(domain: Domain) -> dict[str, Any]:
    """Return a domain's options."""
    return {"description": domain.description, **domain.options()}


def origins_document(domain: Domain) -> dict[str, OptionEntry]:
    """Return a domain's options, each with its origin."""
    return {option: _option_entry(domain, option, value) for option, value in domain_document(domain).items()}


def _option_entry(domain: Domain, option: str, value: str | int | float | bool | None) -> OptionEntry:
    """Return an option with its value, where the value comes from, and what the option means."""
    note = _note_of(option)
    return {
        "value": value,
        "origin": "name of the domain"
        if option == "domain"
        else domain.origins.get(option, "default of the option"),
        "what": note.phrase if note else attribute_docs(type(domain.strategy)).get(option),
        "example": note.example if note else None,
        "comment": domain.comments.get(option),
    }


def _note_of(option: str) -> CostNote | None:
    """Return what explains the cost of a cut, or None for another option."""
    return NOTES.get(option.removesuffix("_cost")) if option in CUT_COSTS else None
