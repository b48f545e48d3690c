"""How templates of pages are read: all is escaped, and cuts are told in the words of every other view."""

from jinja2 import BaseLoader, Environment, StrictUndefined

from alexandria.book import Reason
from alexandria.chunking.cue_notes import phrase_of
from alexandria.inspection.words import (
    against,
    balance_of,
    cost_in_words,
    count_of,
    heading_of,
    kept_of,
    pages_of,
    similarity_of,
)

_KINDS = {Reason.TOPIC: "topic", Reason.SECTION: "section", Reason.MAX_SIZE: "size", Reason.BREAK: "break"}


def templates_from(loader: BaseLoader) -> Environment:
    """Return the templates that a loader finds, with the filters that tell of cuts and chunks."""
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": count_of,
        "heading": heading_of,
        "against": against,
        "balance": balance_of,
        "kept": kept_of,
        "phrase": phrase_of,
        "signed": cost_in_words,
        "similarity": similarity_of,
        "pages": pages_of,
        "kind": _KINDS.__getitem__,
    }
    return environment
