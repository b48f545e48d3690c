"""A book as it was read."""

from rich.text import Text

from alexandria.book import Book
from alexandria.views.terminal.console import out, safe
from alexandria.views.terminal.inspection import left_out_line


def show_book(book: Book) -> None:
    """Print a book as it was read: each block with its kind and page."""
    out.print(Text.assemble((safe(book.title), "bold"), f"  {safe(book.author)}"))
    language = f"{book.language} ({book.metadata.language_source})" if book.language else "language unknown"
    out.print(
        Text(f"{book.format}, {language}, {len(book.blocks):,} blocks, {len(book.notes):,} notes", "dim")
    )
    for section in book.sections:
        out.print(Text(f"\n{safe(' › '.join(section.headings)) or '(no heading)'}", "bold cyan"))
        for block in section.blocks:
            page = block.location.page_label or block.location.page
            where = f"{block.kind}" + (f", p. {page}" if page else "")
            out.print(Text.assemble((f"[{safe(where)}] ", "dim"), safe(block.text)), soft_wrap=True)
    for note in book.notes:
        out.print(Text.assemble((f"\nnote {safe(note.label)} ", "bold"), safe(note.text)), soft_wrap=True)
    if book.left_out:
        out.print(left_out_line(book.left_out))
    for warning in book.warnings:
        out.print(Text.assemble(("warning: ", "yellow"), safe(warning)))
