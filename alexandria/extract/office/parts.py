"""Reads the parts of a word processor's file: members of its archive, as XML."""

from alexandria.errors import BookError
from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, parse_xml
from alexandria.extract.refusals import damaged

SAVE_AGAIN = "open it in Word or LibreOffice, and save it again"


def main_part(container: Container, name: str) -> Element:
    """Return the root element of the part that holds the text.

    Raises:
        BookError: `damaged`; it is missing, is not well-formed XML, or is nested too deep.
    """
    try:
        root = parse_xml(container.read(name))
    except MemberError as error:
        raise _damaged_error(container, f"{name}, which holds its text, cannot be read: {error}") from error
    if root is None:
        why = f"{name}, which holds its text, is not well-formed XML, or nests more than 256 elements"
        raise _damaged_error(container, why)
    return root


def _damaged_error(container: Container, why: str) -> BookError:
    return damaged(container.path, why, fix=SAVE_AGAIN)


def optional_part(container: Container, name: str, warnings: list[str]) -> Element | None:
    """Return the root element of any other part; if it cannot be read, add to `warnings` and return None."""
    try:
        root = parse_xml(container.read(name))
    except MemberError as error:
        warnings.append(f"{name} was not read: {error}")
        return None
    if root is None:
        warnings.append(f"{name} was not read: it is not well-formed XML")
    return root
