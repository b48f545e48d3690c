"""The remarks on a search: how the question was understood, and what explains surprising hits."""

from collections.abc import Iterator, Sequence

from alexandria.book.choices import NO_MODEL
from alexandria.book.languages import language_name
from alexandria.book.remarks import Remark, RemarkKind
from alexandria.book.words import WORD, count_of, fold_text
from alexandria.library.search.names import Name
from alexandria.library.search.question import Question
from alexandria.store.names import folded_word
from alexandria.store.passage import LEFT_OUT, LINE, Hit
from alexandria.store.record import Record

NO_GOOD_MATCH = "No good match. The closest passages:"
"""The remark on hits whose best relevance is below `passage.LINE`."""
ONLY_ADMITTED = Remark(RemarkKind.PLAIN, "Only the books and chapters that the filters admit were searched.")


def remark_on_books(
    question: Question, names: Sequence[Name], *, is_narrower: bool, fell_back: bool, admits_all: bool
) -> Iterator[Remark]:
    """Yield which books were searched, where the question says which.

    Args:
        question: the question.
        names: those whose books alone were searched.
        is_narrower: whether these are fewer books or sections than the filters admit.
        fell_back: whether all books were searched because those that it names do not answer.
        admits_all: whether these are all that there are.
    """
    if fell_back:
        books = "all books" if admits_all else "all books that the filters admit"
        yield Remark(
            RemarkKind.PLAIN, f"No good match in {_describe(question.names)}; these are from {books}."
        )
    if names and is_narrower:
        yield Remark(RemarkKind.NARROWED, f"Searched {_describe(names)}.")


def remark_on_model(question: Question, share_read: float, unread: Sequence[str]) -> Iterator[Remark]:
    """Yield what the model cannot read of a question.

    Args:
        question: the question.
        share_read: the share of it that the model reads, from 0 to 1.
        unread: the languages that it may be in, if the model reads none of them; otherwise empty.
    """
    if unread:
        is_guess = not (question.phrases or question.meant or question.is_indexed)
        found = "these passages are a guess" if is_guess else "these passages were found by keyword"
        languages = " or ".join(map(language_name, unread))
        yield Remark(RemarkKind.UNREAD, f"This model does not know {languages}, so {found}.")
    if share_read < 1:
        yield Remark(
            RemarkKind.PLAIN,
            f"The query is long: only its first {share_read:.0%} is searched by meaning,"
            " all of it by keyword.",
        )


def remark_on_words(question: Question, model: str, *, is_read: bool, admits_all: bool) -> Iterator[Remark]:
    """Yield which words of a question no passage has, and how the books have them otherwise.

    Args:
        question: the question.
        model: the name of the model.
        is_read: whether the model reads the language of the question.
        admits_all: whether all books were searched.
    """
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
        yield Remark(RemarkKind.PLAIN, f"The books have {written}: put it in quotes.")
    if question.inside:
        written = _listed([question.words[word].text for word in sorted(question.inside)])
        yield Remark(RemarkKind.ABSENT, f"No passage contains {written} by itself; longer words have it.")


def remark_on_spelling(question: Question) -> Iterator[Remark]:
    """Yield which words were searched in place of others."""
    shown = [f"“{other}” instead of “{question.words[word].text}”" for word, other in question.meant.items()]
    if shown:
        yield Remark(RemarkKind.RESPELLED, f"Searched for {' and '.join(shown)}.")


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
    """Return words as a list: `“a”`, `“a” or “b”`."""
    return " or ".join(f"“{word}”" for word in words)


def _way_of_writing(word: str, written: str) -> str:
    """Return how the books have a folded word that is not in the index, "" where only notes have it."""
    shown = "with endings" if fold_text(written) == word else f"as “{' '.join(written.split())}”"
    return shown if written else "in notes"
