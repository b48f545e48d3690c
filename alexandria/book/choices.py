"""The choices that `--help` and the YAML files name. Imports nothing that takes time.

A `…Name` is what a type checker accepts in place of an enum, so that it refuses `mode="nope"`.
"""

from enum import StrEnum
from typing import Literal, TypeVar

from alexandria.errors import ConfigError

Choice = TypeVar("Choice", bound=StrEnum)

VARIABLES = {
    *("STORE", "COLLECTION", "DOMAIN", "WAIT", "API_KEY", "CA_FILE", "TIMEOUT", "PASSWORD"),
    *("CACHE", "MODELS", "RERANK", "OCR", "OCR_SECONDS", "READ_SECONDS", "READ_MEMORY", "FILE_SIZE"),
    "SHARED_DATA",
}  # what `ALEXANDRIA_…` variables set besides options


def chosen(kind: type[Choice], name: str, noun: str, nouns: str) -> Choice:
    """Return a choice by its name; `noun` and `nouns` say what kind of choice it is, one and several.

    Raises:
        ConfigError: there is no such choice.
    """
    if name not in list(kind):
        why = f"the {nouns} are {', '.join(kind)}"
        raise ConfigError(f"unknown {noun} {name!r}", why=why, fix="choose one of them")
    return kind(name)


class Mode(StrEnum):
    """How a query is compared with the chunks."""

    DENSE = "dense"  # the vector of the query with the vector of each chunk
    SENTENCES = "sentences"
    """The vector of the query with that of each sentence; the best sentence of a chunk counts (MaxSim)."""
    BM25 = "bm25"  # the words of the query with those of the chunk
    HYBRID = "hybrid"  # chunk, best sentence and words together


ModeName = Literal["dense", "sentences", "bm25", "hybrid"]


class Diverse(StrEnum):
    """How hits are kept from being too similar."""

    CHAPTER = "chapter"  # one hit per chapter, the best
    BOOK = "book"  # one hit per book
    MMR = "mmr"
    """Maximal marginal relevance: a hit's score is lowered by its similarity to the hits chosen before it."""


DiverseName = Literal["chapter", "book", "mmr"]


class Backend(StrEnum):
    """What runs the model."""

    AUTO = "auto"
    """A GPU for long books and folders, if there is one; otherwise OpenVINO, or torch if it must be."""
    OPENVINO = "openvino"
    TORCH = "torch"


class Precision(StrEnum):
    """The number format that the model is computed in. Stored vectors are always made from float32."""

    AUTO = "auto"
    """What a measurement on this processor found: of f32, f16 and bf16, the most exact within a tenth of the
    fastest; int8, with the default model, where it is 1.5 times as fast. Half precision on a GPU."""
    F32 = "f32"
    F16 = "f16"  # similarities differ from those of f32 by .0006 at most
    BF16 = "bf16"  # by .003 at most
    INT8 = "int8"  # by about .02 at most


class ThresholdScale(StrEnum):
    """On which scale a model's similarities are, and thus what a threshold means."""

    MAPPED = "mapped"  # on that of the default model: neighbouring sentences are as alike, on average
    RAW = "raw"  # on the model's own


class Notes(StrEnum):
    """What happens to the notes a chunk cites."""

    ATTACH = "attach"  # they are stored in the payload of the chunk, next to its text
    DROP = "drop"  # they are not stored
    INLINE = "inline"  # they are placed in the text, after the paragraph that cites them


class Quantization(StrEnum):
    """How a server keeps the chunk vectors in memory, in addition to the full ones."""

    SCALAR = "scalar"  # one byte per dimension
    BINARY = "binary"  # one bit per dimension: for vectors of a thousand dimensions or more
    PRODUCT = "product"  # a sixteenth of the size


class Goal(StrEnum):
    """What `tune` looks for."""

    RECALL = "recall"  # most answers within the words that are read
    SECTIONS = "sections"  # boundaries that agree best with the beginnings of sections (F1)


class ExportFormat(StrEnum):
    """How `alexandria export` writes the points."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


ExportFormatName = Literal["jsonl", "csv", "parquet"]


NEAREST = 3  # passages that are shown by their meaning, if none comes close to the wording of a quotation


class CitationStyle(StrEnum):
    """How a book is cited. Other styles of CSL are named too, with the extra `cite`."""

    APA = "apa"
    MLA = "mla"
    CHICAGO_NOTES = "chicago-notes"
    CHICAGO_AUTHOR_DATE = "chicago-author-date"
    HARVARD = "harvard"
    ISO690 = "iso690"


class CitationMarkup(StrEnum):
    """How italics of a citation are marked."""

    TEXT = "text"  # not at all
    HTML = "html"
    MARKDOWN = "markdown"


CitationMarkupName = Literal["text", "html", "markdown"]


class ReportFormat(StrEnum):
    """How `alexandria check` prints."""

    TEXT = "text"
    MARKDOWN = "markdown"  # a notebook


class BibliographyFormat(StrEnum):
    """How books are written for other programs."""

    BIBTEX = "bibtex"
    RIS = "ris"
    CSL_JSON = "csl-json"  # for Zotero and Pandoc


class CitationFormat(StrEnum):
    """What `alexandria cite` prints."""

    TEXT = "text"
    HTML = "html"
    MARKDOWN = "markdown"
    BIBTEX = "bibtex"
    RIS = "ris"
    CSL_JSON = "csl-json"
    CSL_CITATION = "csl-citation"  # the item with the place of a hit in it


BibliographyFormatName = Literal["bibtex", "ris", "csl-json"]


class ChunkVector(StrEnum):
    """What the vector of a chunk is."""

    SENTENCES = "sentences"
    """The normalised mean of its sentences' vectors: it covers the whole chunk, and costs nothing more."""
    TEXT = "text"  # the vector of its text, as far as the model reads it: for comparison with other programs


class OverlapUse(StrEnum):
    """What the sentences that a chunk repeats from the chunk before it are used for."""

    NOTHING = "nothing"  # they are only stored next to its text
    VECTOR = "vector"  # its vector covers them too
    WORDS = "words"  # it is found by their words too
    BOTH = "both"


NO_MODEL = "none"  # stands for no model, as a domain's `model` and in what a library is bound to
