"""Takes what is stored of a book that is read again: the vectors of its sentences, and where it was cut.

The store has rounded the vectors (their cosine to those of the model is .9999), which would move one cut in
400. So where unchanged sentences are divided otherwise than before, they are embedded after all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, pairwise

from alexandria.book.model import Embeddings
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.library.ingest.one_book import Analysis, PendingAnalysis, begin_sentences, finish
from alexandria.store.catalog import Catalog
from alexandria.store.consistent_read import read_whole_book
from alexandria.store.payload import unpack
from alexandria.store.record import Record


@dataclass(frozen=True, slots=True)
class StoredSentences:
    """The sentences of a book as they are stored."""

    vectors: Mapping[str, Embeddings] = field(default_factory=dict)  # by the text of the sentence, (dim,)
    cuts: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    """Whether there is a cut between two neighbouring sentences, by their texts."""


def stored_sentences(record: Record | None, catalog: Catalog, encoder: Encoder) -> StoredSentences:
    """Return what is stored of a book; nothing if it is damaged, or the encoder has another number format."""
    if record is None or record.precision != encoder.find_precision():
        return StoredSentences()
    book = read_whole_book(lambda: catalog, record)
    if book is None or book.findings:
        return StoredSentences()
    texts = [unpack(point.payload).sentences for point in book.points]
    sentences = list(chain.from_iterable(texts))
    rows = chain.from_iterable(point.sentences for point in book.points if point.sentences is not None)
    cuts = dict.fromkeys(pairwise(sentences), False)
    cuts |= {(last[-1], first[0]): True for last, first in pairwise(texts)}
    return StoredSentences(dict(zip(sentences, rows, strict=False)), cuts)  # some books are without vectors


def finish_again(pending: PendingAnalysis, domain: Domain, stored: StoredSentences) -> Analysis:
    """Wait for the vectors of a book that is read again, and cut it as with those of the model."""
    analysis, exact = finish(pending, domain), set[str]()
    while doubtful := _cut_otherwise(analysis, stored) - exact:
        exact |= doubtful
        rows = zip(pending.texts, analysis.embeddings, strict=True)
        known = {text: row for text, row in rows if text not in doubtful}
        pending = begin_sentences(pending.book, pending.sentences, pending.encoder, known=known)
        analysis = finish(pending, domain)
    return analysis


def _cut_otherwise(analysis: Analysis, stored: StoredSentences) -> set[str]:
    """Return the sentences between two cuts that were there before, if all are stored, but cut otherwise."""
    texts, otherwise = analysis.texts, set[str]()
    cuts = {boundary.gap + 1 for boundary in analysis.segmentation.boundaries}  # by the sentence after it
    kept = [first for first in sorted(cuts) if stored.cuts.get((texts[first - 1], texts[first]))]
    for start, end in pairwise([0, *kept, len(texts)]):
        between = texts[start:end]
        was_cut = any(map(stored.cuts.get, pairwise(between)))
        if (was_cut or not cuts.isdisjoint(range(start + 1, end))) and stored.vectors.keys() >= set(between):
            otherwise.update(between)
    return otherwise
