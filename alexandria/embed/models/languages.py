"""Measures which languages a model reads, on the same six sentences in each of them.

`distinguishes`, whether the model can tell sentences of a language apart, is enough to search within it;
`connects`, whether it finds their English translations, is needed to search across languages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from alexandria.book.languages import primary_language
from alexandria.embed.encoder import Encoder
from alexandria.embed.models.locate import DEFAULT_MODEL
from alexandria.embed.models.multilingual import INSTALL_COMMAND, MULTILINGUAL, is_installed
from alexandria.embed.neutral import parallel_texts


@cache
def sentences() -> Mapping[str, Sequence[str]]:
    """Return six sentences by language, the same in each; they were written for this purpose."""
    return parallel_texts("sentences")


_MAX_EXCESS = 0.25
"""How much higher than in English the mean similarity of different sentences may be in a language that a
model reads. With all-MiniLM-L6-v2 it is higher by .33 (German) or more: the model sees the language only."""
_mean_similarities: dict[tuple[str, str], float] = {}  # cached, by the name of a model and a language
_connected: dict[tuple[str, str], bool] = {}  # cached likewise: the results of `connects`


def distinguishes(encoder: Encoder, language: str | None) -> bool:
    """Return whether a model tells sentences of a language apart, as a search by meaning requires.

    A language without sentences here cannot be measured: other models than the default one, which was trained
    on English, are said to do so.

    Args:
        language: its BCP 47 tag.
    """
    primary = primary_language(language) or "en"
    if primary not in sentences() or primary == "en":
        return primary == "en" or not encoder.name.startswith(f"{DEFAULT_MODEL}@")
    return _mean_similarity(encoder, primary) - _mean_similarity(encoder, "en") <= _MAX_EXCESS


def reads(encoder: Encoder, language: str | None) -> bool:
    """Return whether a model reads a language well enough to search by meaning in it.

    The default model reads English only; other models are measured (`distinguishes`).
    """
    if encoder.name.startswith(f"{DEFAULT_MODEL}@"):
        return is_english(language)
    return distinguishes(encoder, language)


def connects(encoder: Encoder, language: str) -> bool:
    """Return whether a model finds the English translations of a language's sentences.

    A language without sentences here counts as connected if German is.

    Args:
        language: its BCP 47 tag.
    """
    primary = primary_language(language)
    if is_english(primary):
        return True
    if encoder.name.startswith(f"{DEFAULT_MODEL}@"):
        return False  # known without measuring, which would take a search some time
    tag = primary if primary in sentences() else "de"
    key = (encoder.name, tag)
    if key not in _connected:
        vectors, english_vectors = encoder.encode(sentences()[tag]), encoder.encode(sentences()["en"])
        _connected[key] = _score(tag, vectors @ english_vectors.T).connects
    return _connected[key]


def remedy() -> str:
    """Return the commands that embed a library with the multilingual model, and install it if necessary."""
    install = "" if is_installed() else f"{INSTALL_COMMAND}, then  "
    return f"{install}alexandria copy --model {MULTILINGUAL} --to FOLDER"


def is_english(language: str | None) -> bool:
    """Return whether a language is English, or not known."""
    return primary_language(language) in ("en", "")


def _mean_similarity(encoder: Encoder, tag: str) -> float:
    """Return the mean similarity of different sentences of a language, computed once per model."""
    key = (encoder.name, tag)
    if key not in _mean_similarities:
        vectors = encoder.encode(sentences()[tag])  # (n, dim) of length 1
        n = len(vectors)
        # Without the n similarities of each sentence to itself, which are 1.
        _mean_similarities[key] = float((vectors @ vectors.T).sum() - n) / (n * (n - 1))
    return _mean_similarities[key]


@dataclass(frozen=True, slots=True)
class LanguageScore:
    """How well a model connects a language with English."""

    language: str  # ISO 639-1
    n_found: int  # sentences whose own translation is the most similar of the English sentences
    n_sentences: int
    similarity: float  # mean cosine similarity of a sentence and its translation, in [-1, 1]

    @property
    def connects(self) -> bool:
        """Whether the model finds every translation; by chance it would find one in six."""
        return self.n_found == self.n_sentences


def score_languages(encoder: Encoder) -> list[LanguageScore]:
    """Return how well an encoder connects each language with English.

    This shows whether a search works across languages. A model that fails here may still read the language by
    itself.
    """
    languages = list(sentences())
    texts = [sentence for language in languages for sentence in sentences()[language]]
    vectors_by_language = np.split(encoder.encode(texts), len(languages))  # one (n_sentences, dim) each
    english_vectors = vectors_by_language[languages.index("en")]
    pairs = zip(languages, vectors_by_language, strict=True)
    return [_score(language, vectors @ english_vectors.T) for language, vectors in pairs]


def _score(language: str, similarities: np.ndarray) -> LanguageScore:
    """Return how well a model connects a language with English."""
    # `language`: the tag of the language.
    # `similarities`: (n_sentences, n_sentences): row i has the similarities of sentence i of the language to
    # each English sentence. On the diagonal are the pairs of a sentence and its translation.
    n_sentences = len(similarities)
    most_similar = similarities.argmax(axis=1)
    return LanguageScore(
        language=language,
        n_found=int((most_similar == np.arange(n_sentences)).sum()),
        n_sentences=n_sentences,
        similarity=float(np.diag(similarities).mean()),
    )
