"""Recognises the headings under which books print their notes."""

import re

_NOTES_TITLE = re.compile(
    r"(?:foot|end)?notes?[.:]?|(?:fu(?:ß|ss)|end)noten[.:]?|anmerkungen[.:]?|notas?(?: al pie)?[.:]?"
    r"|notes de bas de page|references[.:]?|noten[.:]?|bilješke[.:]?|примечания[.:]?",
    re.IGNORECASE,
)


def is_notes_title(text: str) -> bool:
    """Return whether a text is a heading of notes, such as "Endnotes"."""
    return bool(_NOTES_TITLE.fullmatch(text.strip()))
