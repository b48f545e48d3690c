"""JSON schemas by their names (`alexandria schema NAME`), derived from the types of the documents."""

import inspect
import json
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from alexandria.book.suggest import suggestion
from alexandria.errors import ConfigError
from alexandria.library.care.health import Check
from alexandria.library.ingest.failures import Failure
from alexandria.show.json.checking import CheckDocument
from alexandria.show.json.configuration import DomainDocument, OriginsDocument
from alexandria.show.json.ingest import EstimateDocument, IngestLine
from alexandria.show.json.inspection import (
    ComparisonDocument,
    ExplanationDocument,
    ExtractDocument,
    InspectionDocument,
)
from alexandria.show.json.installation import ExaminationDocument, ModelsDocument
from alexandria.show.json.library import (
    BackupDocument,
    BookEntry,
    PassageEntry,
    QuotationEntry,
    RepairDocument,
    RestoreDocument,
    SearchDocument,
    ShowDocument,
    VerifyDocument,
)
from alexandria.show.json.status import StatusDocument
from alexandria.show.json.types import ErrorDocument, Keyword
from alexandria.show.json.view import attribute_docs
from alexandria.system.annexes import is_built, load
from alexandria.system.cache import Usage

DOCUMENTS: Mapping[str, tuple[str, Any]] = {
    "backup": ("alexandria backup --json", BackupDocument),
    "cache-info": ("alexandria cache info --json", Usage),
    "check": ("alexandria check --json, schema version 1", CheckDocument),
    "comparison": ("alexandria inspect --compare --json, schema version 1", ComparisonDocument),
    "doctor": ("alexandria doctor --json", list[Check]),
    "domains-list": ("alexandria domains list --json", list[DomainDocument]),
    "domains-origin": ("alexandria domains show --origin --json", OriginsDocument),
    "domains-show": ("alexandria domains show --json", DomainDocument),
    "error": ("an error of any command with --json", ErrorDocument),
    "estimate": ("alexandria ingest --dry-run --json", EstimateDocument),
    "evaluate-boundaries": ("alexandria evaluate boundaries --json, schema version 1", "BoundaryDocument"),
    "evaluate-quality": ("alexandria evaluate quality --json, schema version 1", "QualityDocument"),
    "evaluate-retrieval": ("alexandria evaluate retrieval --json, schema version 1", "RetrievalDocument"),
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
    "tune": ("alexandria tune --json, schema version 1", "TuningDocument"),
    "verify": ("alexandria verify --json", VerifyDocument),
}
"""The title of each schema, and the type it is derived from; of documents of the annex `lab`, its name."""
_LAB = "alexandria.lab.documents"

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

Schema = dict[str, Any]


def document_names() -> list[str]:
    """Return the names of the documents that this build prints."""
    return [name for name, (_, kind) in DOCUMENTS.items() if not isinstance(kind, str) or is_built(_LAB)]


def schema_document(name: str) -> Schema:
    """Return the JSON schema of a document.

    Raises:
        ConfigError: there is no document of this name; this build lacks what prints it.
    """
    if name not in DOCUMENTS:
        raise ConfigError(
            f"there is no schema {name}",
            why=f"the documents are {', '.join(document_names())}",
            fix=suggestion(name, DOCUMENTS) or "alexandria schema lists them",
        )
    title, document = DOCUMENTS[name]
    if isinstance(document, str):
        document = getattr(load(_LAB), document)
    schema = {"$schema": DIALECT, "title": title, **schema_of(document)}
    return dict(json.loads(json.dumps(schema)))  # tuples become lists


def schema_of(kind: Any) -> Schema:
    """Return the JSON schema of a type: of a document, a dataclass, a container, or a plain one."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin is NotRequired:
        return schema_of(arguments[0])
    if origin is Annotated:
        keywords = (keyword for keyword in arguments[1:] if isinstance(keyword, Keyword))
        return schema_of(arguments[0]) | {keyword.name: keyword.value for keyword in keywords}
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return _union([schema_of(member) for member in arguments])
    if origin in (list, tuple):  # tuple[X, ...]
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if inspect.isclass(kind) and issubclass(kind, StrEnum):
        return {"enum": [member.value for member in kind]}
    if is_typeddict(kind) or is_dataclass(kind):
        return _object(kind)
    raise TypeError(f"no JSON schema for {kind}")


def _union(members: list[Schema]) -> Schema:
    """Return plain types as a list of types, a nullable type with its own keywords, and others as `anyOf`."""
    # A nullable object is one of the others: its properties would otherwise seem to be those of null.
    nullable = {"type": "null"} in members
    others = [member for member in members if member != {"type": "null"}]
    if all(member.keys() == {"type"} for member in members):
        return {"type": [member["type"] for member in members]}
    if nullable and len(others) == 1 and others[0].get("type") != "object" and "type" in others[0]:
        return {**others[0], "type": [others[0]["type"], "null"]}
    return {"anyOf": members}


def _object(kind: Any) -> Schema:
    hints, documented = get_type_hints(kind, include_extras=True), attribute_docs(kind)
    properties = {
        name: schema_of(hint) | ({"description": documented[name]} if name in documented else {})
        for name, hint in hints.items()
    }
    return {
        "description": inspect.cleandoc(kind.__doc__),
        "type": "object",
        "properties": properties,
        "required": [name for name in hints if name in getattr(kind, "__required_keys__", hints)],
        "additionalProperties": False,
    }
