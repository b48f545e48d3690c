"""The documents of `models` and `doctor`."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from alexandria.library.health import Check
from alexandria.library.models import Copy, Examination, Models, choose_format
from alexandria.views.json.types import Count, Similarity, Text


class CopyEntry(TypedDict):
    """A packaged model in one place."""

    kind: Literal["installed package", "models folder", "Hugging Face cache"]
    folder: str
    weights: Literal["published", "changed"]
    """Changed weights are never used."""
    bytes: Count


class ModelsDocument(TypedDict):
    """`alexandria models list --json`: the default model, and what is missing."""

    model: Text
    dim: int | None
    window: int | None
    """Word pieces that the model reads of one text."""
    copies: list[CopyEntry]
    """In order of precedence: the first is used."""
    multilingual: list[CopyEntry]
    """The same of the model of many languages; empty if it is not installed."""
    models_folder: str
    """Where models are installed if the environment cannot be written."""
    extra_models: bool
    """Whether other models can be downloaded, and computed by torch."""


class LanguageEntry(TypedDict):
    """How well a model connects a language with English."""

    language: Text
    found: Count
    """Sentences whose own translation is the most similar of the English ones."""
    sentences: Count
    similarity: Similarity
    """Mean similarity of a sentence and its translation."""
    reads: bool


class FormatEntry(TypedDict):
    """A number format, as measured on this processor."""

    precision: str
    words_per_second: float
    """Words of English sentences that one core computes."""
    cosine: Similarity
    """The lowest similarity of a vector to the one in f32; −1 if numbers are too large for the format."""
    auto: bool
    """Whether `precision: auto` stands for it here."""


class ExaminationDocument(TypedDict):
    """`alexandria models test --json`: what a model can do."""

    model: Text
    folder: str
    dim: Count
    window: int | None
    pooling: str | None
    architecture: str | None
    obstacle: str | None
    """Why the model needs torch; null if it is built from its weights."""
    formats: list[FormatEntry]
    """Empty if torch computes the model."""
    languages: list[LanguageEntry]


class CheckEntry(TypedDict):
    """One thing that was looked at."""

    name: Text
    state: Literal["ok", "missing", "wrong"]
    """`missing` is optional; `wrong` makes the command fail."""
    value: str
    fix: str | None


def models_document(models: Models) -> ModelsDocument:
    """Return the default model, and what is missing."""
    return {
        "model": models.name,
        "dim": models.dim,
        "window": models.window,
        "copies": [_copy_entry(copy) for copy in models.copies],
        "multilingual": [_copy_entry(copy) for copy in models.multilingual],
        "models_folder": str(models.folder),
        "extra_models": models.has_extra,
    }


def _copy_entry(copy: Copy) -> CopyEntry:
    return {
        "kind": copy.kind.value,
        "folder": str(copy.folder),
        "weights": copy.weights.value,
        "bytes": copy.n_bytes,
    }


def examination_document(examination: Examination) -> ExaminationDocument:
    """Return what a model can do."""
    return {
        "model": examination.name,
        "folder": str(examination.folder),
        "dim": examination.dim,
        "window": examination.window,
        "pooling": examination.pooling,
        "architecture": examination.architecture,
        "obstacle": examination.obstacle,
        "formats": [
            {
                "precision": trial.precision.value,
                "words_per_second": trial.words_per_second,
                "cosine": trial.cosine,
                "auto": trial.precision is choose_format(examination.formats),
            }
            for trial in examination.formats
        ],
        "languages": [
            {
                "language": score.language,
                "found": score.n_found,
                "sentences": score.n_sentences,
                "similarity": round(score.similarity, 4),
                "reads": score.connects,
            }
            for score in examination.languages
        ],
    }


def doctor_document(checks: Sequence[Check]) -> list[CheckEntry]:
    """Return what was looked at."""
    return [
        {"name": check.name, "state": check.state.value, "value": check.value, "fix": check.fix}
        for check in checks
    ]
