"""The inspect view that is requested: a comparison, a chunk, a gap, some chapters, or the whole book."""

import tempfile
import webbrowser
from pathlib import Path

from alexandria.errors import ConfigError, io_reason
from alexandria.inspection.comparison import Comparison
from alexandria.views.terminal.comparison import show_comparison
from alexandria.views.terminal.console import show_message
from alexandria.views.terminal.gaps import show_around, show_chunk
from alexandria.views.terminal.inspection import show_chapters, show_inspection


def show_cuts(
    comparison: Comparison,
    *,
    chunk: int | None = None,
    around: int | None = None,
    chapter: str | None = None,
    all_gaps: bool = False,
) -> None:
    """Print the parts that are requested; by default the book's cuts, or several strategies side by side.

    Raises:
        ConfigError: there is no such chunk, gap or chapter.
    """
    for inspection in comparison.inspections:
        if chunk is not None:
            show_chunk(inspection, chunk)
        if around is not None:
            show_around(inspection, around)
        if chapter is not None:
            show_chapters(inspection, chapter)
    if (chunk, around, chapter) == (None, None, None):
        if len(comparison.inspections) > 1:
            show_comparison(comparison)
        else:
            show_inspection(comparison.inspections[0], all_gaps=all_gaps)


def write_page(comparison: Comparison, file: Path | None, *, open_it: bool) -> None:
    """Write the page to a file, a temporary one by default, and open it in the browser if requested.

    Raises:
        ConfigError: the file cannot be written.
    """
    from alexandria.views.html.page import render

    path = file or Path(tempfile.mkdtemp(prefix="alexandria-")) / "inspect.html"
    try:
        path.write_text(render(comparison), encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot write {path}", why=io_reason(error), fix="choose another file") from error
    show_message(f"wrote {path}")
    if open_it and not webbrowser.open(path.absolute().as_uri()):
        show_message(f"could not open a browser; open {path}")
