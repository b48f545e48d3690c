"""The document of an error."""

from typing import TypedDict

from alexandria.errors import AlexandriaError, Code
from alexandria.views.json.view import view_of


class ErrorEntry(TypedDict):
    """What went wrong, why, and how to fix it."""

    code: Code
    what: str
    why: str
    fix: str


class ErrorDocument(TypedDict):
    """What every command prints with --json if it fails."""

    error: ErrorEntry


def error_document(error: AlexandriaError) -> ErrorDocument:
    """Return the document of an error that ends a command."""
    return {"error": view_of(ErrorEntry, error)}
