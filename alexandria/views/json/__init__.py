"""The JSON documents of the command line: one function and one type per document.

`alexandria schema NAME` prints what `schema.py` derives from the types. To add a document, write its type
with a docstring and its function, and add the type to `DOCUMENTS` (`registry.py`). The documents of
`evaluate`, which take longer to import, are in `evaluation.py`.
"""

from typing import TYPE_CHECKING

from alexandria.system.first_use import on_first_use

if TYPE_CHECKING:
    from alexandria.views.json.backup import backup_document, restore_document
    from alexandria.views.json.configuration import cache_document, domain_document, origins_document
    from alexandria.views.json.errors import error_document
    from alexandria.views.json.ingest import (
        estimate_document,
        failures_document,
        ingest_line,
        summary_line,
        sync_line,
    )
    from alexandria.views.json.inspection import (
        comparison_document,
        explanation_document,
        inspection_document,
    )
    from alexandria.views.json.installation import doctor_document, examination_document, models_document
    from alexandria.views.json.library import (
        find_document,
        list_document,
        read_document,
        repair_document,
        search_document,
        show_document,
        verify_document,
    )
    from alexandria.views.json.reading import extract_document
    from alexandria.views.json.status import status_document

__all__ = [
    "backup_document",
    "cache_document",
    "comparison_document",
    "doctor_document",
    "domain_document",
    "error_document",
    "estimate_document",
    "examination_document",
    "explanation_document",
    "extract_document",
    "failures_document",
    "find_document",
    "ingest_line",
    "inspection_document",
    "list_document",
    "models_document",
    "origins_document",
    "read_document",
    "repair_document",
    "restore_document",
    "search_document",
    "show_document",
    "status_document",
    "summary_line",
    "sync_line",
    "verify_document",
]

_MODULES = {
    "backup_document": "backup",
    "cache_document": "configuration",
    "comparison_document": "inspection",
    "doctor_document": "installation",
    "domain_document": "configuration",
    "error_document": "errors",
    "estimate_document": "ingest",
    "examination_document": "installation",
    "explanation_document": "inspection",
    "extract_document": "reading",
    "failures_document": "ingest",
    "find_document": "library",
    "ingest_line": "ingest",
    "inspection_document": "inspection",
    "list_document": "library",
    "models_document": "installation",
    "origins_document": "configuration",
    "read_document": "library",
    "repair_document": "library",
    "restore_document": "backup",
    "search_document": "library",
    "show_document": "library",
    "status_document": "status",
    "summary_line": "ingest",
    "sync_line": "ingest",
    "verify_document": "library",
}

# Loaded on first use: a command prints one or two of the documents.
__getattr__ = on_first_use(__name__, __name__, _MODULES)
