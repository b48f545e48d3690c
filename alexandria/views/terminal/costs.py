"""What the cache holds, and what an ingest would cost."""

from rich.text import Text

from alexandria.batch.estimate import Estimate
from alexandria.system.cache import Usage
from alexandria.system.durations import duration
from alexandria.views.terminal.console import out, safe


def show_cache(usage: Usage) -> None:
    """Print what the cache folder holds."""
    out.print(Text(safe(usage.folder), "bold"))
    limit = f"of {usage.most_book_bytes / 1e6:,.0f} MB at most, {usage.n_entries:,} entries"
    out.print(f"books              {usage.book_bytes / 1e6:>10,.1f} MB {limit}")
    out.print(f"models, catalogs   {usage.graph_bytes / 1e6:>10,.1f} MB")


def show_estimate(estimate: Estimate) -> None:
    """Print what an ingest would do, and what it would cost."""
    failed = f", {len(estimate.failed):,} that cannot be read" if estimate.failed else ""
    out.print(f"books    {estimate.n_books:>16,}{failed}")
    out.print(f"words    {estimate.n_words:>16,}")
    out.print(f"chunks   {f'about {estimate.n_chunks:,}':>16}")
    out.print(f"time     {f'about {duration(estimate.seconds)}':>16} at the current load of this machine")
    if estimate.n_scanned_pages:
        time = f"about {duration(estimate.recognition_seconds)}"
        out.print(f"         {time:>16} of it to recognise {estimate.n_scanned_pages:,} scanned pages")
    out.print(f"disk     {f'about {estimate.disk_bytes / 1e6:,.0f} MB':>16}")
