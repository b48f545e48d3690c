"""The remarks on a search: how the question was understood, and what explains surprising hits."""

from collections.abc import Iterator, Sequence

from alexandria.book.choices import NO_MODEL
from alexandria.book.filters import EVERYTHING
from alexandria.book.languages import language_name
from alexandria.book.words import WORD, count_of, fold_text
from alexandria.embed.models.multilingual import INSTALL_COMMAND, is_installed
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.library.search.names import Name
from alexandria.library.search.question import Question
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.seeking import Answer
from alexandria.store.names import folded_word
from alexandria.store.passage import LEFT_OUT, LINE, Hit
from alexandria.store.record import Record

NO_GOOD_MATCH = "No good match. The closest passages:"
"""The remark on hits whose best relevance is below `passage.LINE`."""


def remark_on_answer(
    answer: Answer, question: Question, request: SearchRequest, model: str, share_read: float
) -> Iterator[Remark]:
    """Yield how a question was understood, where not as it was typed, and what explains surprising hits.

    Args:
        share_read: the share of the question that it reads, from 0 to 1.
    """
    admits_all, names = request.filters == EVERYTHING, answer.selection.names
    if question.certain and not request.everywhere and not names and answer.hits:
        books = "all books" if admits_all else "all books that the filters admit"
        text = f"No good match in {_describe(question.names)}; these are from {books}."
        yield Remark(RemarkKind.PLAIN, text)
    if names and answer.selection.is_narrower:
        yield Remark(RemarkKind.NARROWED, f"Searched {_describe(names)}.")
    if question.meant:
        shown = (
            f"“{other}” instead of “{question.words[word].text}”" for word, other in question.meant.items()
        )
        yield Remark(RemarkKind.RESPELLED, f"Searched for {' and '.join(shown)}.")
    if answer.unread:
        is_guess = not (question.phrases or question.meant or question.is_indexed)
        found = "these passages are a guess" if is_guess else "these passages were found by keyword"
        languages = " or ".join(map(language_name, answer.unread))
        first = "" if is_installed() else f"{INSTALL_COMMAND}, then  "
        text = f"This model does not know {languages}, so {found}."
        yield Remark(RemarkKind.UNREAD, text, about=first)
    if share_read < 1:
        first = f"The query is long: only its first {share_read:.0%} is searched by meaning"
        yield Remark(RemarkKind.PLAIN, f"{first}, all of it by keyword.")
    yield from _on_words(question, model, is_read=not answer.unread, admits_all=admits_all)
    if not answer.hits and not admits_all:
        text = "Only the books and chapters that the filters admit were searched."
        yield Remark(RemarkKind.PLAIN, text)


def _on_words(question: Question, model: str, *, is_read: bool, admits_all: bool) -> Iterator[Remark]:
    """Yield which words of a question no passage has, and how the books have them otherwise."""
    names = {word for name in question.names for word in name.words} | question.named
    words = {folded: word for folded, word in question.words.items() if folded_word(folded) not in names}
    explained = question.meant.keys() | question.otherwise.keys() | question.inside
    missing = [word.text for folded, word in words.items() if not word.exists and folded not in explained]
    no_passage = "No passage" if admits_all else "No passage that the filters admit"
    if missing and not question.phrases:
        what, how = _listed(missing), "."
        if len(missing) == len(words) and not question.is_indexed:
            if len(missing) == len({*map(fold_text, WORD.findall(question.typed))}):
                what = "any of your words"  # else the index leaves out the others
            if model == NO_MODEL:
                how = ", and without a model there is no search by meaning."
            elif is_read:
                how = "; the search was by meaning alone."
        yield Remark(RemarkKind.ABSENT, f"{no_passage} contains {what}; notes, {LEFT_OUT} apart{how}")
    if question.otherwise:
        written = " and ".join(
            f"“{question.words[word].text}” {_way_of_writing(word, text)}"
            for word, text in sorted(question.otherwise.items())
        )
        how = "." if question.phrases else ": put it in quotes."
        yield Remark(RemarkKind.PLAIN, f"The books have {written}{how}")
    if question.inside:
        written = _listed([question.words[word].text for word in sorted(question.inside)])
        yield Remark(RemarkKind.ABSENT, f"No passage contains {written} by itself; longer words have it.")


def remark_on_partial(books: Sequence[Record]) -> Iterator[Remark]:
    """Yield that some of the books could not be read whole: what was not found may be there."""
    if n_partial := sum(bool(book.warnings) for book in books):
        yield Remark(
            RemarkKind.PLAIN, f"Not all of {count_of(n_partial, 'book')} could be read (alexandria show)."
        )


def remark_on_relevance(hits: Sequence[Hit], question: Question) -> Iterator[Remark]:
    """Yield that probably no hit answers, unless one may, or that cannot be judged."""
    relevances = [hit.relevance for hit in hits if hit.relevance is not None]
    if question.phrases:
        quoted = "the quoted words" if len(question.phrases) == 1 else "all of the quoted words together"
        if not hits:
            yield Remark(RemarkKind.DOUBT, f"No passage contains {quoted}; find allows for slips.")
    elif relevances and len(relevances) == len(hits) and max(relevances) < LINE:
        yield Remark(RemarkKind.DOUBT, NO_GOOD_MATCH)


def _describe(names: Sequence[Name]) -> str:
    """Return what names mean: `Bertrand Russell's books`, `“Hamlet”`, or both."""
    labels = dict.fromkeys(f"{name.label}'s books" if name.is_author else f"“{name.label}”" for name in names)
    return " and ".join(labels)


def _listed(words: Sequence[str]) -> str:
    return " or ".join(f"“{word}”" for word in words)


def _way_of_writing(word: str, written: str) -> str:
    """Return how the books have a folded word that is not in the index, "" where only notes have it."""
    shown = "with endings" if fold_text(written) == word else f"as “{' '.join(written.split())}”"
    return shown if written else "in notes"
