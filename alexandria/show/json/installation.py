"""The documents of `models`."""

from typing import Annotated, Literal, TypedDict

from alexandria.library.care.models import Examination
from alexandria.show.json.types import Count, Similarity, Text
from alexandria.show.json.view import From, Rounded, view_of


class CopyEntry(TypedDict):
    """A packaged model in one place."""

    kind: Literal["installed package", "models folder", "Hugging Face cache"]
    folder: str
    weights: Literal["published", "changed"]
    """Changed weights are never used."""
    bytes: Count


class ModelsDocument(TypedDict):
    """`alexandria models list --json`: the default model, and what is missing."""

    model: Annotated[Text, From("name")]
    dim: int | None
    window: int | None
    """Word pieces that the model reads of one text."""
    copies: list[CopyEntry]
    """In order of precedence: the first is used."""
    multilingual: list[CopyEntry]
    """The same of the model of many languages; empty if it is not installed."""
    models_folder: Annotated[str, From("folder")]
    """Where models are installed if the environment cannot be written."""
    extra_models: Annotated[bool, From("has_extra")]
    """Whether other models can be downloaded, and computed by torch."""


class LanguageEntry(TypedDict):
    """How well a model connects a language with English."""

    language: Text
    found: Count
    """Sentences whose own translation is the most similar of the English ones."""
    sentences: Count
    similarity: Annotated[Similarity, Rounded(4)]
    """Mean similarity of a sentence and its translation."""
    reads: Annotated[bool, From("connects")]


class FormatEntry(TypedDict):
    """A number format, as measured on this processor."""

    precision: str
    words_per_second: float
    """Words of English sentences that one core computes."""
    cosine: Similarity
    """The lowest similarity of a vector to the one in f32; −1 if numbers are too large for the format."""
    auto: bool
    """Whether `precision: auto` stands for it here."""


class PromptsEntry(TypedDict):
    """The prompts that a model was trained with."""

    query: str
    passage: str


class ExaminationDocument(TypedDict):
    """`alexandria models test --json`: what a model can do."""

    model: Annotated[Text, From("name")]
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
    prompts: PromptsEntry
    """Put before each text."""
    threshold_scale: Literal["mapped", "raw"]
    """Whether similarities are made like those of the default model."""
    neighbour_similarity: Annotated[Similarity, Rounded(4), From("alike")]
    """Mean similarity of neighbouring sentences in books: .331 with the default model."""


def examination_document(examination: Examination) -> ExaminationDocument:
    """Return what a model can do."""
    formats = [
        view_of(FormatEntry, trial, auto=trial.precision is examination.used) for trial in examination.formats
    ]
    applied = examination.adaptation
    return view_of(
        ExaminationDocument,
        examination,
        formats=formats,
        prompts=view_of(PromptsEntry, applied),
        threshold_scale="mapped" if applied.scaled else "raw",
    )
