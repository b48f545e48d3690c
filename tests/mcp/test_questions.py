"""Questions that an agent would ask about real books, each answered in at most three calls.

Where the first search does not bring the answer, the next call is one that an agent can make without knowing
the book: the same question within it, reading on from the first hit, or a chapter that its contents suggest.
"""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from alexandria import Library
from alexandria.doors.mcp.paging import MAX_TOKENS, size_of_text

pytestmark = pytest.mark.shared
BOOKS = ("pdf/machiavelli-the-prince-2col.pdf", "txt/carroll-alice.txt")
MOST_CALLS = 3
HIT = "{hit}"
"""Stands for the id of the first hit in the answer before."""
LAST = "{last chunk}"
"""Stands for the number of the last chunk of the book in the answer before."""

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Question:
    """What a user wants to know, and the calls of an agent that does not know the books."""

    text: str
    calls: tuple[Call, ...]
    answer: str
    """A pattern that the last answer contains, with any white space between its words."""


def search(query: str, **filters: str | int) -> Call:
    return "search", {"query": query, **filters}


def read(book: str, **place: str | int) -> Call:
    return "read", {"book": book, **place}


QUESTIONS = [
    Question(
        "Is it better for a ruler to be loved or feared?",
        (search("Is it better for a ruler to be loved or feared?"),),
        "much safer to be feared than loved",
    ),
    Question(
        "Which animals should a prince imitate, and why?",
        (search("which animals should a prince imitate?"),),
        "the fox and the lion",
    ),
    Question(
        "Are mercenary soldiers any good?",
        (search("are mercenary soldiers any good?", limit=2),),
        "useless and dangerous",
    ),
    Question(
        "To what does Machiavelli compare fortune?",
        (search("what is fortune compared to?", author="machiavelli"),),
        "raging rivers",
    ),
    Question(
        "How much of what we do does fortune decide?",
        (search("how much of our actions is decided by fortune, and how much by free will?"),),
        "arbiter of one-half of our actions",
    ),
    Question(
        "Must a prince keep his promises?",
        (
            search("must a prince keep his promises?"),
            ("contents", {"book": "prince"}),
            read("prince", chapter="keep faith"),
        ),
        "cannot, nor ought he to, keep faith",
    ),
    Question(
        "How does one judge the intelligence of a prince?",
        (
            search("how to judge the intelligence of a ruler"),
            search("how to judge the intelligence of a ruler", book="prince"),
        ),
        "observing the men he has around him",
    ),
    Question(
        "Should cruelties be done at once or little by little?",
        (search("should injuries be done all at once or little by little?"),),
        "injuries ought to be done all at one time",
    ),
    Question(
        "What does the chapter about flatterers advise?",
        (("contents", {"book": "prince"}), read("prince", chapter="flatterers")),
        "letting men understand that to tell you the truth does not offend you",
    ),
    Question(
        "Where does “the end justifies the means” stand in The Prince?",
        (("find_quote", {"text": "the end justifies the means", "book": "prince"}),),
        "Not in the book",
    ),
    Question(
        "Give me a BibTeX entry for “useless and dangerous are the mercenaries and auxiliaries”.",
        (
            ("find_quote", {"text": "Mercenaries and auxilliaries are useless, and are dangerous"}),
            ("cite", {"hit": HIT, "style": "bibtex"}),
        ),
        r"@book\{(.|\n)*Machiavelli",
    ),
    Question(
        "What is on page 20 of The Prince?",
        (read("prince", page=20),),
        "The Venetians, if their achievements are considered",
    ),
    Question(
        "Which books by Lewis Carroll are there, and how does the first one end?",
        (("books", {"filter": "carroll"}), read("alice", chunk=LAST)),
        "happy summer days",
    ),
    Question(
        "What did the Caterpillar ask Alice first?",
        (search("the Caterpillar's first question to Alice"),),
        "Who are YOU",
    ),
    Question(
        "Does anyone know why a raven is like a writing desk?",
        (search("why is a raven like a writing-desk?"), read(HIT, n=3)),
        "haven’t the slightest idea",
    ),
    Question(
        "What stayed of the Cheshire Cat when it vanished?",
        (search("what remained of the Cheshire cat when it vanished?"),),
        "ending with the grin",
    ),
    Question(
        "Which lessons did the Mock Turtle have at school?",
        (search("which lessons did the Mock Turtle have at school?"), read(HIT, n=3)),
        "Reeling and Writhing",
    ),
    Question(
        "What happened when Alice drank from the bottle?",
        (search("what happened to Alice when she drank from the bottle?", book="alice"),),
        "only ten inches high|pressing against the ceiling",
    ),
    Question(
        "What game do they play with flamingoes?",
        (search("what game is played with flamingoes?"),),
        "croquet",
    ),
    Question(
        "Is there a recipe for chocolate brownies?",
        (search("recipe for chocolate brownies"),),
        "No good match",
    ),
]


@pytest.fixture(scope="module")
def answers(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What `alexandria mcp` answered to the calls of each question, asked with the official client."""
    anyio, mcp = pytest.importorskip("anyio"), pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    folder = tmp_path_factory.mktemp("questions") / "lib"
    with Library(folder) as library:
        library.ingest([shared_data / name for name in BOOKS])
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "alexandria", "mcp", "--store", str(folder)], env={**os.environ}
    )

    async def converse() -> dict[str, list[str]]:
        async with stdio_client(command) as (reads, writes), mcp.ClientSession(reads, writes) as session:
            await session.initialize()
            answered: dict[str, list[str]] = {}
            for question in QUESTIONS:
                texts = answered.setdefault(question.text, [])
                for name, arguments in question.calls:
                    given = {key: filled(value, texts) for key, value in arguments.items()}
                    result = await session.call_tool(name, given)
                    is_error = result.model_dump(by_alias=True)[
                        "isError"
                    ]  # the attribute is named otherwise in 2.x
                    assert not is_error, result.content[0].text
                    texts.append(result.content[0].text)
            return answered

    done: dict[str, list[str]] = anyio.run(converse)
    return done


def filled(value: str | int, texts: list[str]) -> str | int:
    """Return an argument with what an agent would take from the answer before."""
    if value == HIT:
        return str(re.findall(r"\[hit (\S+),", texts[-1])[0])
    if value == LAST:
        return int(re.findall(r"chunks 0–(\d+)", texts[-1])[0])
    return value


def test_there_are_twenty_questions_of_at_most_three_calls() -> None:
    assert len({question.text for question in QUESTIONS}) == 20
    assert all(len(question.calls) <= MOST_CALLS for question in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text[:40])
def test_a_question_is_answered(question: Question, answers: dict[str, list[str]]) -> None:
    texts = answers[question.text]
    last = " ".join(line.removeprefix(">").strip() for line in texts[-1].splitlines())
    assert re.search(question.answer.replace(" ", r"\s+"), last), last[:600]
    assert all(size_of_text(text) <= MAX_TOKENS * 3 for text in texts)
