"""The errors of files that cannot be read, as they are the same in every format."""

from pathlib import Path

from alexandria.errors import BookError, Code


def damaged(path: Path, why: str, *, fix: str = "download or copy the file again") -> BookError:
    """Return the error for a file that is damaged or truncated."""
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.DAMAGED)


def protected(path: Path, system: str) -> BookError:
    """Return the error for a book with DRM."""
    why = f"the book is protected by {system}: its text is encrypted"
    return BookError(f"cannot read {path}", why=why, fix="use an edition without DRM", code=Code.DRM)


def too_large(path: Path, what: str, max_bytes: int) -> BookError:
    """Return the error for a file of which something unpacks to too much."""
    why = f"{what} unpacks to more than {max_bytes >> 20} MiB"
    fix = "check where the file comes from; split the book if it is genuine"
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.TOO_LARGE)


def unsupported(path: Path, why: str, fix: str) -> BookError:
    """Return the error for a file of another kind."""
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.UNSUPPORTED)


def locked(path: Path, why: str, fix: str) -> BookError:
    """Return the error for a file that needs a password."""
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.PASSWORD)


def no_text(path: Path, why: str = "it has no text", fix: str = "check the file") -> BookError:
    """Return the error for a file without text."""
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.NO_TEXT)
