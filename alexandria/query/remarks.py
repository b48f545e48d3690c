"""What a search says of itself: how it understood the question, and how good the hits are."""

from collections.abc import Sequence

from alexandria.embed import Encoder
from alexandria.embed.languages import remedy
from alexandria.languages import language_name
from alexandria.modes import NO_MODEL
from alexandria.passage import LINE, Hit
from alexandria.query.names import Name
from alexandria.query.phrases import phrases_of
from alexandria.query.question import Question
from alexandria.query.relevance import CALIBRATED, NO_GOOD_MATCH
from alexandria.query.seeking import Answer
from alexandria.store.names import folded_word


def remark_on_relevance(hits: Sequence[Hit], phrases: Sequence[str], encoder: Encoder) -> list[str]:
    """Return the remark that probably no hit answers, as a list of one, or an empty list if one may."""
    if phrases:
        return [] if hits else ["No passage contains the quoted words; find allows for slips."]
    relevances = [hit.relevance for hit in hits if hit.relevance is not None]
    if not relevances or len(relevances) < len(hits) or not encoder.name.startswith(CALIBRATED):
        return []  # it cannot be judged
    best = max(relevances)
    return [NO_GOOD_MATCH] if best < LINE else []


def remark_on_question(question: Question, answer: Answer, *, fell_back: bool) -> list[str]:
    """Return how the question was understood, where that is not as it was typed.

    Args:
        question: the question.
        answer: the answer to it.
        fell_back: whether all books were searched because those that it names do not answer.
    """
    remarks = []
    if fell_back:
        remarks.append(f"No good match in {_describe(question.names)}; these are from all books.")
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


def remark_on_query(share_read: float, model: str, unread: Sequence[str], question: Question) -> list[str]:
    """Return what explains surprising hits: a language the model cannot read, a long query, unknown words.

    Args:
        share_read: the share of the query that the model reads, from 0 to 1.
        model: the name of the model.
        unread: the languages that the query may be in, if the model reads none of them; otherwise empty.
        question: the query as it was understood.
    """
    remarks = []
    if unread:
        remarks.append(
            f"This model does not know {' or '.join(map(language_name, unread))}, so these passages were"
            f" found by keyword. To search by meaning:  {remedy()}"
        )
    if share_read < 1:
        remarks.append(
            f"The query is long: only its first {share_read:.0%} is searched by meaning,"
            " all of it by keyword."
        )
    names = {word for name in question.names for word in name.words} | question.named
    words = {folded: word for folded, word in question.words.items() if folded_word(folded) not in names}
    missing = [
        word.text for folded, word in words.items() if not word.exists and folded not in question.meant
    ]
    if words and not question.meant and not any(word.exists for word in question.words.values()):
        remarks.append(
            "No passage contains any of your words, and without a model there is no search by meaning."
            if model == NO_MODEL
            else "No passage contains any of your words; the search was by meaning alone."
        )
    elif missing and not phrases_of(question.whole.typed):
        remarks.append(f"No passage contains {_listed(missing)}.")
    return remarks
