"""Load templates of pages: they escape everything, and describe cuts in the same words as the other views."""

from jinja2 import BaseLoader, Environment, StrictUndefined

from alexandria.book import Reason
from alexandria.chunking.cue_notes import phrase_of
from alexandria.inspection.words import (
    balance_of,
    comparison_with_margin_of,
    cost_in_words,
    count_of,
    heading_of,
    kept_of,
    pages_of,
    similarity_of,
)

_KINDS = {Reason.TOPIC: "topic", Reason.SECTION: "section", Reason.MAX_SIZE: "size", Reason.BREAK: "break"}


def make_environment(loader: BaseLoader) -> Environment:
    """Return an environment for the templates of a loader, with filters that describe cuts and chunks."""
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
        "against": comparison_with_margin_of,
        "balance": balance_of,
        "kept": kept_of,
        "phrase": phrase_of,
        "signed": cost_in_words,
        "similarity": similarity_of,
        "pages": pages_of,
        "kind": _KINDS.__getitem__,
    }
    return environment
