"""What is kept to save time, and what an ingest would cost."""

from rich.text import Text

from alexandria.display.console import out, safe
from alexandria.embed.cache import Usage


def show_cache(usage: Usage) -> None:
    """Print what the cache folder holds."""
    out.print(Text(safe(usage.folder), "bold"))
    limit = f"of at most {usage.most_vector_bytes / 1e6:,.0f}, {usage.n_entries:,} entries"
    out.print(f"vectors of books   {usage.vector_bytes / 1e6:>10,.1f} MB {limit}")
    out.print(f"converted models   {usage.graph_bytes / 1e6:>10,.1f} MB")
