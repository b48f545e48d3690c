"""The terminal view. The only package that prints: data to stdout, progress and messages to stderr."""

from typing import TYPE_CHECKING

from alexandria.system.first_use import on_first_use

if TYPE_CHECKING:
    from alexandria.views.terminal.batch import (
        announce_stop,
        show_failures,
        show_outcome,
        show_passed_over,
        show_step,
        show_summary,
    )
    from alexandria.views.terminal.book import show_book
    from alexandria.views.terminal.console import (
        print_json,
        print_text,
        safe,
        show_bug,
        show_error,
        show_message,
    )
    from alexandria.views.terminal.costs import show_cache, show_estimate
    from alexandria.views.terminal.cuts import show_cuts, write_page
    from alexandria.views.terminal.domains import show_domain, show_domains
    from alexandria.views.terminal.installation import show_checks, show_examination, show_models
    from alexandria.views.terminal.library import (
        show_books,
        show_explanation,
        show_findings,
        show_hits,
        show_record,
    )
    from alexandria.views.terminal.passages import show_citations, show_quotations, show_text
    from alexandria.views.terminal.running import log_line, progress, show_files_read
    from alexandria.views.terminal.status import show_status

__all__ = [
    "announce_stop",
    "log_line",
    "print_json",
    "print_text",
    "progress",
    "safe",
    "show_book",
    "show_books",
    "show_bug",
    "show_cache",
    "show_checks",
    "show_citations",
    "show_cuts",
    "show_domain",
    "show_domains",
    "show_error",
    "show_estimate",
    "show_examination",
    "show_explanation",
    "show_failures",
    "show_files_read",
    "show_findings",
    "show_hits",
    "show_message",
    "show_models",
    "show_outcome",
    "show_passed_over",
    "show_quotations",
    "show_record",
    "show_status",
    "show_step",
    "show_summary",
    "show_text",
    "write_page",
]

_MODULES = {
    "announce_stop": "batch",
    "log_line": "running",
    "print_json": "console",
    "print_text": "console",
    "progress": "running",
    "safe": "console",
    "show_book": "book",
    "show_books": "library",
    "show_bug": "console",
    "show_cache": "costs",
    "show_checks": "installation",
    "show_citations": "passages",
    "show_cuts": "cuts",
    "show_domain": "domains",
    "show_domains": "domains",
    "show_error": "console",
    "show_estimate": "costs",
    "show_examination": "installation",
    "show_explanation": "library",
    "show_failures": "batch",
    "show_files_read": "running",
    "show_findings": "library",
    "show_hits": "library",
    "show_message": "console",
    "show_models": "installation",
    "show_outcome": "batch",
    "show_passed_over": "batch",
    "show_quotations": "passages",
    "show_record": "library",
    "show_status": "status",
    "show_step": "batch",
    "show_summary": "batch",
    "show_text": "passages",
    "write_page": "cuts",
}

# Loaded on first use: a command needs one or two of the views, and most import their stage and numpy.
__getattr__ = on_first_use(__name__, __name__, _MODULES)
