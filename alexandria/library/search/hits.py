"""Search: a question is understood, answered from some books or all, and the answer is described.

Read `search` first; `seeking` finds the passages, and remarks say what the reader should know of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from alexandria.book.choices import NO_MODEL, Mode
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.library.remarks import IN_PYTHON, Remark, RemarkKind
from alexandria.library.search.question import understand
from alexandria.library.search.relevance import Judge, judge_with
from alexandria.library.search.remarks import remark_on_answer, remark_on_partial, remark_on_relevance
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.reranking import Ranker
from alexandria.library.search.seeking import Seeker, encode, select_books
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit, Strength, strength_of


@dataclass(frozen=True, slots=True)
class Results:
    """The hits of a search, best first, and what the reader should know about them."""

    hits: tuple[Hit, ...]
    noted: tuple[Remark, ...] = ()
    """The same as values, for those who have other words for it than `remarks`."""
    model: str = ""
    """The name of the encoder that read the query."""
    respelled: tuple[str, ...] = ()
    """The words of the query for which others were searched, as typed."""
    named: tuple[str, ...] = ()
    """The authors and titles whose books alone were searched, because the query names them."""
    left_out: tuple[str, ...] = ()
    """The collections that could not be searched; a remark says why."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the reader should know about the hits."""
        return tuple(remark.worded(IN_PYTHON) for remark in self.noted)

    @property
    def doubts(self) -> tuple[str, ...]:
        """The remarks that say that probably no hit answers; `remarks` has them too."""
        return tuple(remark.text for remark in self.noted if remark.kind is RemarkKind.DOUBT)

    @property
    def verdict(self) -> Strength | None:
        """The strength of its most relevant hit; `none` without hits, and None if a hit's is not known."""
        if not self.hits:
            return Strength.NONE
        relevances = [hit.relevance for hit in self.hits if hit.relevance is not None]
        return strength_of(max(relevances)) if len(relevances) == len(self.hits) else None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, rank: int) -> Hit:
        return self.hits[rank]


def search(
    request: SearchRequest,
    library: Catalog,
    encoder: Encoder,
    *,
    ranker: Ranker | None = None,
    judge: Judge | None = None,
) -> Results:
    """Return the passages that answer a query best, each with its best sentences.

    Without `words`, the passages are chunks. With it, they are excerpts: as many of the best sentences of the
    best chunks as fit, each with its own text, offsets and pages.

    Args:
        request: what is asked. Hits in the books that it names are judged by the rest of the query, even if
            all are searched.
        library: the catalog to search.
        encoder: the one the library was made with.
        ranker: a cross-encoder that ranks the best `CANDIDATES` chunks again; by default, none does.
        judge: says how likely a hit answers; by default, as it was fitted for the model and the ranker.

    Raises:
        ConfigError: no passage passes the filters, or the mode needs vectors and there are none.
    """
    if encoder.name == NO_MODEL:
        request = replace(request, mode=_mode_without_model(request.mode))
    with library.read_lock():
        # Raises if no book passes the filters, before the model is loaded, which may take seconds.
        selection = select_books(library, request.filters, request.mode)
        languages = library.index_languages(selection.admitted.languages)
        question = understand(request, library, languages, encoder)
    # The library is not locked while the model reads the question, so that writers need not wait for it. Only
    # what is asked later is computed under the lock: respellings, a question without a name, the pairs of a
    # cross-encoder.
    share_read = float(encoder.coverage([request.query])[0])
    vectors = encode(question, encoder)
    judge = judge or judge_with(encoder.name, ranker.model.name if ranker else "")
    with library.read_lock():
        if selection.version != library.version:  # they have changed the books meanwhile
            selection = select_books(library, request.filters, request.mode)
        seeker = Seeker(library, encoder, question, vectors, request, judge, ranker)
        answer = seeker.best_answer(selection)
        hits = [_with_context(hit, library, request.context) for hit in answer.hits]
        remarks = list(remark_on_answer(answer, question, request, encoder.name, share_read))
        if not hits or any(remark.kind is RemarkKind.ABSENT for remark in remarks):
            remarks += remark_on_partial(library.matching(request.filters))
    return Results(
        hits=tuple(hits),
        noted=(*remarks, *remark_on_relevance(hits, question)),
        model=encoder.name,
        named=tuple(dict.fromkeys(name.label for name in answer.selection.names)),
        respelled=tuple(question.words[word].text for word in question.meant),
    )


def _mode_without_model(mode: Mode) -> Mode:
    """Return the mode of a search in a library without vectors.

    Raises:
        ConfigError: the mode asked for needs vectors.
    """
    if mode in (Mode.DENSE, Mode.SENTENCES):
        raise ConfigError(
            f"cannot search in the mode {mode}",
            why="the library was made without a model and holds no vectors",
            fix="--mode bm25 searches by keyword; for meaning, ingest the books into another --collection",
        )
    return Mode.BM25


def _with_context(hit: Hit, library: Catalog, context: int) -> Hit:
    if not context:
        return hit
    number = hit.chunk_id
    numbers = [n for n in range(max(0, number - context), number + context + 1) if n != number]
    neighbours = library.chunks(library.book_of(hit), numbers)  # in reading order
    return replace(
        hit,
        before=tuple(chunk.text for chunk in neighbours if chunk.chunk_id < number),
        after=tuple(chunk.text for chunk in neighbours if chunk.chunk_id > number),
    )
