"""Reads one file into a `Book`: finds its format, has it read, and does what all formats share."""

import stat
from dataclasses import replace
from hashlib import file_digest
from pathlib import Path

from alexandria.book.model import Book
from alexandria.errors import BookError, Code, io_reason
from alexandria.extract.clean import path_text
from alexandria.extract.draft import Draft, bind, with_inline_notes
from alexandria.extract.formats import LATEX
from alexandria.extract.gutenberg import without_licence
from alexandria.extract.language import detect_language
from alexandria.extract.metadata import IMPRINT_KINDS, with_printed_dates, without_placeholders
from alexandria.extract.options import ReadOptions
from alexandria.extract.probe import HEAD_BYTES
from alexandria.extract.refusals import unsupported
from alexandria.extract.sidecar import with_sidecar
from alexandria.extract.sniff import sniff
from alexandria.extract.text.title import with_printed_title
from alexandria.extract.typed_pages import with_typed_pages
from alexandria.extract.verses import with_verses
from alexandria.system.annexes import MissingAnnexError

_FRONT_BLOCKS = 12  # paragraphs before the first heading that may be the title page


def read_file(path: Path, options: ReadOptions) -> Book:
    """Do the work of `extract`."""
    id, head = hash_and_head(path)
    format = sniff(path, head)
    if options.as_manuscript and format.name == "txt" and path.suffix.lower() in LATEX.suffixes:
        format = LATEX
    if not format.in_parts:
        _refuse_too_large(path, format.largest_bytes)
    try:
        read_draft = format.extractor()
    except MissingAnnexError as error:
        raise unsupported(path, error.what, error.fix) from error
    draft = with_verses(with_typed_pages(without_licence(read_draft(path, options))))
    printed = {block.text for section in draft.sections[:2] for block in section.blocks[:2]}
    metadata = with_printed_dates(without_placeholders(draft.metadata, printed), _before_chapters(draft))
    metadata = with_printed_title(metadata, "", _first_lines(draft))
    draft = with_sidecar(replace(draft, metadata=metadata), path)
    if options.inline_notes:
        draft = with_inline_notes(draft)
    book = bind(draft, id=id, source=path_text(path), format=format.name)
    if book.language is None and (language := detect_language(book.text)):
        return replace(book, metadata=replace(book.metadata, language=language, language_source="detected"))
    return book


def _first_lines(draft: Draft) -> list[str]:
    """Return the first paragraphs, of which the first may be the title; none if they begin a chapter."""
    first, others = draft.sections[:1], draft.sections[1:]
    if any(other.level == section.level for section in first if section.headings for other in others):
        return []
    return [block.text for section in draft.sections[:2] for block in section.blocks[:_FRONT_BLOCKS]]


def _before_chapters(draft: Draft) -> list[str]:
    """Return the paragraphs of title page and imprint: those before the first heading, few, or left out."""
    first = draft.sections[0] if draft.sections else None
    blocks = first.blocks[:_FRONT_BLOCKS] if first and not first.headings else ()
    left_out = [line.text for line in draft.left_out_lines if line.kind in IMPRINT_KINDS]
    return [*left_out, *(block.text for block in blocks)]


def hash_and_head(path: Path) -> tuple[str, bytes]:
    """Return the sha256 of a file's bytes, and its first `HEAD_BYTES` bytes.

    Raises:
        BookError: the file is missing, special, or cannot be opened.
    """
    try:
        _refuse_special(path)
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
            file.seek(0)
            return file_digest(file, "sha256").hexdigest(), head
    except FileNotFoundError as error:
        why = "it is a link to a file that does not exist" if path.is_symlink() else "no such file"
        raise BookError(f"cannot find {path}", why=why, fix="check the path", code=Code.NOT_FOUND) from error
    except OSError as error:
        raise BookError(
            f"cannot read {path}",
            why=io_reason(error),
            fix="check the file and its permissions",
            code=Code.UNREADABLE,
        ) from error


def _refuse_too_large(path: Path, max_bytes: int) -> None:
    """Refuse a file of more bytes than its format allows: parsers take a multiple of its size in memory."""
    n_bytes = path.stat().st_size
    if n_bytes > max_bytes:
        n_mebibytes = -(-n_bytes >> 20)  # rounded up: rounded down, the size might equal the limit
        raise BookError(
            f"cannot read {path}",
            why=f"it is {n_mebibytes:,} MiB; files of this format are read up to {max_bytes >> 20} MiB",
            fix="split the file",
            code=Code.TOO_LARGE,
        )


def _refuse_special(path: Path) -> None:
    """Refuse anything but a regular file, before it is opened: a pipe would block, a device never end."""
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    raise unsupported(
        path,
        f"it is {kinds.get(stat.S_IFMT(mode), 'a device')}, not a file",
        "give an EPUB, a PDF or a text file",
    )
