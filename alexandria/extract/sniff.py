"""Which format a file is in, told from its bytes, never from its name."""

from pathlib import Path

from alexandria.errors import BookError, Code

SNIFF_BYTES = 64 * 1024


def sniff(path: Path, head: bytes) -> str:
    """Return the name of the extractor for a file that begins with `head`.

    Raises:
        BookError: `empty`, or `unsupported` with what the file seems to be.
    """
    if not head:
        raise BookError(f"cannot read {path}", why="the file is empty", fix="check the file", code=Code.EMPTY)
    if head.startswith(b"PK\x03\x04"):
        return "epub"
    if b"%PDF-" in head[:1024]:
        return "pdf"
    return "txt"
