"""The type of every document, by the name of its schema (`alexandria schema NAME`)."""

from collections.abc import Mapping
from typing import Any

from alexandria.batch.failures import Failure
from alexandria.library.health import Check
from alexandria.system.cache import Usage
from alexandria.views.json.backup import BackupDocument, RestoreDocument
from alexandria.views.json.configuration import DomainDocument, OriginsDocument
from alexandria.views.json.errors import ErrorDocument
from alexandria.views.json.evaluation import (
    BoundaryDocument,
    QualityDocument,
    RetrievalDocument,
    TuningDocument,
)
from alexandria.views.json.ingest import EstimateDocument, IngestLine
from alexandria.views.json.inspection import ComparisonDocument, ExplanationDocument, InspectionDocument
from alexandria.views.json.installation import ExaminationDocument, ModelsDocument
from alexandria.views.json.library import (
    BookEntry,
    PassageEntry,
    QuotationEntry,
    RepairDocument,
    SearchDocument,
    ShowDocument,
    VerifyDocument,
)
from alexandria.views.json.reading import ExtractDocument
from alexandria.views.json.status import StatusDocument

DOCUMENTS: Mapping[str, tuple[str, Any]] = {
    "backup": ("alexandria backup --json", BackupDocument),
    "cache-info": ("alexandria cache info --json", Usage),
    "comparison": ("alexandria inspect --compare --json, schema version 1", ComparisonDocument),
    "doctor": ("alexandria doctor --json", list[Check]),
    "domains-list": ("alexandria domains list --json", list[DomainDocument]),
    "domains-origin": ("alexandria domains show --origin --json", OriginsDocument),
    "domains-show": ("alexandria domains show --json", DomainDocument),
    "error": ("an error of any command with --json", ErrorDocument),
    "estimate": ("alexandria ingest --dry-run --json", EstimateDocument),
    "evaluate-boundaries": ("alexandria evaluate boundaries --json, schema version 1", BoundaryDocument),
    "evaluate-quality": ("alexandria evaluate quality --json, schema version 1", QualityDocument),
    "evaluate-retrieval": ("alexandria evaluate retrieval --json, schema version 1", RetrievalDocument),
    "extract": ("alexandria extract --json, schema version 1", ExtractDocument),
    "failures": ("alexandria status --failures --json", list[Failure]),
    "find": ("alexandria find --json", list[QuotationEntry]),
    "ingest": ("one line of alexandria ingest --json: a file or, at the end, the summary", IngestLine),
    "inspect": ("alexandria inspect --json, schema version 1", InspectionDocument),
    "inspect-hit": ("alexandria inspect HIT --json", ExplanationDocument),
    "list": ("alexandria list --json", list[BookEntry]),
    "models-list": ("alexandria models list --json", ModelsDocument),
    "models-test": ("alexandria models test --json", ExaminationDocument),
    "read": ("alexandria read --json", list[PassageEntry]),
    "repair": ("alexandria repair --json", RepairDocument),
    "restore": ("alexandria restore --json", RestoreDocument),
    "search": ("alexandria search --json, schema version 1", SearchDocument),
    "show": ("alexandria show --json", ShowDocument),
    "status": ("alexandria status --json", StatusDocument),
    "tune": ("alexandria tune --json, schema version 1", TuningDocument),
    "verify": ("alexandria verify --json", VerifyDocument),
}
"""The title of each schema, and the type it is derived from."""
