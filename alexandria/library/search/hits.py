"""Search: a question is understood, answered from some books or all, and the answer is described.

Read `search` first; `seeking` finds the passages, and remarks say what the reader should know of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from alexandria.book.choices import NO_MODEL, Mode
from alexandria.book.filters import EVERYTHING
from alexandria.book.languages import language_name
from alexandria.book.words import WORD, count_of, fold_text
from alexandria.embed import Encoder
from alexandria.embed.models.languages import remedy
from alexandria.errors import ConfigError
from alexandria.library.search.names import Name
from alexandria.library.search.phrases import phrases_of
from alexandria.library.search.question import Question, understand
from alexandria.library.search.relevance import NO_GOOD_MATCH, Judge, judge_with
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.reranking import Ranker
from alexandria.library.search.seeking import (
    Answer,
    Seeker,
    answer_where_named,
    encode,
    select_books,
)
from alexandria.store.catalog import Catalog
from alexandria.store.names import folded_word
from alexandria.store.passage import LEFT_OUT, LINE, Hit, Strength, strength_of


@dataclass(frozen=True, slots=True)
class Results:
    """The hits of a search, best first, and what the reader should know about them."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """The remarks that say that probably no hit answers; `remarks` has them too."""
    model: str = ""
    """The name of the encoder that read the query."""
    respelled: tuple[str, ...] = ()
    """The words of the query for which others were searched, as typed."""
    named: tuple[str, ...] = ()
    """The authors and titles whose books alone were searched, because the query names them."""
    left_out: tuple[str, ...] = ()
    """The collections that could not be searched; a remark says why."""

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
    query, mode, filters = request.query, request.mode, request.filters
    if encoder.name == NO_MODEL:
        mode = _mode_without_model(mode)
    judge = judge or judge_with(encoder.name, ranker.model.name if ranker else "")
    request = replace(request, mode=mode)
    with library.read_lock():
        # Raises if no book passes the filters, before the model is loaded, which may take seconds.
        selection = select_books(library, filters, mode, all_editions=request.all_editions)
    share_read = float(encoder.coverage([query])[0])  # loads the model, while writers need not wait
    with library.read_lock():
        question = understand(
            query,
            library,
            filters,
            library.index_languages(selection.admitted.languages),
            encoder,
            exact=request.exact or bool(phrases_of(query)),
        )
    # The library is not locked while the model computes, so that writers need not wait for it. They may have
    # changed the books meanwhile: these are selected again.
    answer = in_named = None
    narrows = question.certain and not request.everywhere
    if narrows:  # its other wording is encoded only if the books that it names do not answer
        vectors = encode(question.texts_within, encoder)
        with library.read_lock():
            selection = select_books(library, filters, mode, all_editions=request.all_editions)
            seeker = Seeker(library, encoder, question, vectors, request, judge, ranker)
            in_named = answer_where_named(seeker, selection)
            if in_named and in_named.may_answer:
                answer = in_named
                hits = _with_contexts(answer.hits, library, request.context)
    if answer is None:
        vectors = encode(question.texts, encoder)
        with library.read_lock():
            selection = select_books(library, filters, mode, all_editions=request.all_editions)
            seeker = Seeker(library, encoder, question, vectors, request, judge, ranker)
            answer = seeker.answer(selection)
            if not question.certain and not request.everywhere:
                in_named = answer_where_named(seeker, selection, answer)
                if in_named and in_named.may_answer:
                    answer = in_named
            elif in_named and in_named.hits and not answer.may_answer:
                answer = in_named  # nothing anywhere answers: the closest of what was asked for is shown
            hits = _with_contexts(answer.hits, library, request.context)
    doubts = tuple(_remark_on_relevance(hits, phrases_of(query)))
    admits_all, fell_back = filters == EVERYTHING, narrows and not answer.names and bool(hits)
    remarks = [
        *_remark_on_question(question, answer, fell_back=fell_back, admits_all=admits_all),
        *_remark_on_query(share_read, encoder.name, answer.unread, question, admits_all=admits_all),
    ]
    if not hits and not admits_all:
        remarks.append("Only the books and chapters that the filters admit were searched.")
    if not hits or any(remark.startswith("No passage") for remark in remarks):
        with library.read_lock():
            n_partial = sum(bool(record.warnings) for record in library.matching(filters))
        if n_partial:
            remarks.append(f"Not all of {count_of(n_partial, 'book')} could be read (alexandria show).")
    return Results(
        hits=tuple(hits),
        remarks=(*remarks, *doubts),
        doubts=doubts,
        model=encoder.name,
        named=tuple(dict.fromkeys(name.label for name in answer.names)),
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


def _with_contexts(hits: Sequence[Hit], library: Catalog, context: int) -> list[Hit]:
    """Return hits, each with the texts of up to `context` chunks on each side."""
    return [_with_context(hit, library, context) for hit in hits] if context else list(hits)


def _with_context(hit: Hit, library: Catalog, context: int) -> Hit:
    number = hit.chunk_id
    numbers = [n for n in range(max(0, number - context), number + context + 1) if n != number]
    neighbours = library.chunks(library.book_of(hit), numbers)  # in reading order
    return replace(
        hit,
        before=tuple(chunk.text for chunk in neighbours if chunk.chunk_id < number),
        after=tuple(chunk.text for chunk in neighbours if chunk.chunk_id > number),
    )


def _remark_on_relevance(hits: Sequence[Hit], phrases: Sequence[str]) -> list[str]:
    """Return the remark that probably no hit answers, as a list of one, or an empty list if one may."""
    if phrases:
        quoted = "the quoted words" if len(phrases) == 1 else "all of the quoted words together"
        return [] if hits else [f"No passage contains {quoted}; find allows for slips."]
    relevances = [hit.relevance for hit in hits if hit.relevance is not None]
    if not relevances or len(relevances) < len(hits):
        return []  # it cannot be judged
    best = max(relevances)
    return [NO_GOOD_MATCH] if best < LINE else []


def _remark_on_question(
    question: Question, answer: Answer, *, fell_back: bool, admits_all: bool
) -> list[str]:
    """Return how the question was understood, where that is not as it was typed.

    Args:
        question: the question.
        answer: the answer to it.
        fell_back: whether all books were searched because those that it names do not answer.
        admits_all: whether these are all that there are.
    """
    remarks = []
    if fell_back:
        books = "all books" if admits_all else "all books that the filters admit"
        remarks.append(f"No good match in {_describe(question.names)}; these are from {books}.")
    if answer.names and answer.is_narrower:
        remarks.append(f"Searched {_describe(answer.names)}; --everywhere searches all.")
    if question.meant:
        shown = [
            f"“{other}” instead of “{question.words[word].text}”" for word, other in question.meant.items()
        ]
        remarks.append(f"Searched for {' and '.join(shown)}; --exact takes words as typed.")
    return remarks


def _listed(words: Sequence[str]) -> str:
    """Return words as a list: `“a”`, `“a” or “b”`."""
    return " or ".join(f"“{word}”" for word in words)


def _describe(names: Sequence[Name]) -> str:
    """Return what names mean: `Bertrand Russell's books`, `“Hamlet”`, or both."""
    labels = dict.fromkeys(f"{name.label}'s books" if name.is_author else f"“{name.label}”" for name in names)
    return " and ".join(labels)


def _remark_on_query(
    share_read: float, model: str, unread: Sequence[str], question: Question, *, admits_all: bool
) -> list[str]:
    """Return what explains surprising hits: a language the model cannot read, a long query, unknown words.

    Args:
        share_read: the share of the query that the model reads, from 0 to 1.
        model: the name of the model.
        unread: the languages that the query may be in, if the model reads none of them; otherwise empty.
        question: the query as it was understood.
        admits_all: whether all books were searched.
    """
    remarks = []
    names = {word for name in question.names for word in name.words} | question.named
    words = {folded: word for folded, word in question.words.items() if folded_word(folded) not in names}
    explained = question.meant.keys() | question.otherwise.keys() | question.inside
    missing = [word.text for folded, word in words.items() if not word.exists and folded not in explained]
    is_quoted = bool(phrases_of(question.whole.typed))
    is_any_indexed = any(word.is_indexed for word in question.words.values())
    has_none = bool(missing) and len(missing) == len(words) and not (is_quoted or is_any_indexed)
    no_passage = "No passage" if admits_all else "No passage that the filters admit"
    if unread:
        is_guess = not (is_quoted or question.meant or is_any_indexed)
        found = "these passages are a guess" if is_guess else "these passages were found by keyword"
        remarks.append(
            f"This model does not know {' or '.join(map(language_name, unread))}, so {found}."
            f" To search by meaning:  {remedy()}"
        )
    if share_read < 1:
        remarks.append(
            f"The query is long: only its first {share_read:.0%} is searched by meaning,"
            " all of it by keyword."
        )
    if has_none:
        # The index leaves out the others.
        is_all = len(missing) == len({*map(fold_text, WORD.findall(question.whole.typed))})
        none_of = "any of your words" if is_all else _listed(missing)
        how = (
            ", and without a model there is no search by meaning."
            if model == NO_MODEL
            else "; the search was by meaning alone."
        )
        remarks.append(f"{no_passage} contains {none_of}; notes, {LEFT_OUT} apart{'.' if unread else how}")
    elif missing and not is_quoted:
        remarks.append(f"{no_passage} contains {_listed(missing)}; notes, {LEFT_OUT} apart.")
    if question.otherwise:
        written = " and ".join(
            f"“{question.words[word].text}” {_way_of_writing(word, text)}"
            for word, text in sorted(question.otherwise.items())
        )
        remarks.append(f"The books have {written}: put it in quotes.")
    if question.inside:
        written = _listed([question.words[word].text for word in sorted(question.inside)])
        remarks.append(f"No passage contains {written} by itself; longer words have it.")
    return remarks


def _way_of_writing(word: str, written: str) -> str:
    """Return how the books have a folded word that is not in the index, "" where only notes have it."""
    shown = "with endings" if fold_text(written) == word else f"as “{' '.join(written.split())}”"
    return shown if written else "in notes"
