"""Finds the speeches in a chat, an interview, a deposition or a play: lines that begin with their speaker."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise

_DATE = r"\d{1,4}[-./年]\d{1,2}[-./月]\d{1,4}日?"
_TIME = rf"(?:{_DATE},?\s+)?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?:[.,]\d+)?(?:\s?[AP]\.?M\.?)?"
_CLOCK = r"(?:[上下]午|오[전후]|午[前後])?\s?\d{1,2}:\d{2}(?::\d{2})?"
_NAME = r"[^\W\d_][\w.'’-]*(?: [\w.'’()-]+){0,3}"
_ACCOUNT = r"(?:\s?(?:[(（][\w.@+-]{1,40}[)）]|<[\w.@+-]{1,40}>))?"  # the number of who speaks: "阿兰(10086)"
_STAMPED = re.compile(
    rf"\s*(?:\[{_TIME}\]|\({_TIME}\)|{_TIME}(?=\s*[-–—|<]|\s+{_NAME}:)|{_CLOCK}(?=\s+[^\W\d]))\s*[-–—|]?\s*"
    rf"(?:<?{_NAME}>?\s*[:：>]?|\S)"
)  # a message with its time: "[00:01:30] HOST: …", "12/03/21, 14:05 - Ann: …", "14:05 <ann> …"
_HEADER = re.compile(
    rf"\s*(?:{_NAME}{_ACCOUNT},?\s*[-–—|]?\s*(?:\[{_TIME}\]|\({_TIME}\)|{_TIME})|\[?{_TIME}\]?\s*[-–—|]?\s*{_NAME}{_ACCOUNT})\s*"
)  # speaker and time on a line of their own, above what is said: "Ann — 12:01", "[12:01] Ann"
_AFTER_LETTER = r"(?:\s?\d{0,4}\s?[.:：)、]\s*| {2,})\S"
_QUESTION = re.compile(r"\s*(?:Q|Question|Frage|F|Domanda|Pregunta|Вопрос|問|问|질문)" + _AFTER_LETTER, re.I)
_ANSWER = re.compile(
    r"\s*(?:A|Answer|Antwort|R|Risposta|Réponse|Respuesta|Ответ|答|답변?)" + _AFTER_LETTER, re.I
)
_CAPITAL = "A-ZÀ-ÖØ-ÞĄĆČĎĘĚŁŃŇŐŒŘŚŠŤŮŰŹŻŽЀ-ЯΆ-Ϋ"
_REMARK = r"(?:, [^.:!?—–]{1,40}| ?[(（][^()（）]{1,60}[)）])?"
"""What the stage direction says of the speaker: "ÉDITH, à part. — …", "Mill (softly): …"."""
_SPEAKER = re.compile(
    rf"(?=[^:：「]*+[:：「])\s*(?:(?P<name>[{_CAPITAL}][\w.'’-]*(?: [\w.'’-]+){{0,3}}|"
    rf"[\u3040-\u9fff\uac00-\ud7a3·]{{1,6}}){_REMARK}\s?[:：]\s*\S|"
    r"(?P<quoted>[\u3040-\u9fff·]{1,5}[\u30a0-\u9fff])「[^」]*」$)"
)
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Senator|The|Herr|Frau|Der|Die|M|Mme|Le|La|El)"
_SPEAKER_IN_CAPITALS = re.compile(
    rf"\s*(?P<name>(?:{_TITLE}\.? )?[{_CAPITAL}][{_CAPITAL}'’. -]{{2,30}}(?: of [{_CAPITAL}]\w+)?){_REMARK}"
    r"(?:\.\s+|\.?\s?[—–]\s?)\S"
)  # as plays and minutes print: "HAMLET. …", "The CHAIRMAN. …", "Mrs. COLE of Norfolk. …".
_SPEAKER_BY_NAME = re.compile(
    r"\s*(?!(?:M|Mr|Mrs|Ms|Mme|Dr|St|No|Nr|Vol|Ch|Fig|Prof|Rev|Hon|Capt|Col|Gen|Lt|Sgt|Art|Sec|Cf|Op)\.)"
    r"(?!(?:Yes|Oh|Ah|Well|And|But|Then|So|Now|Here|There|Nothing|Never|Perhaps|Why|What)\b)"
    rf"(?P<name>(?:(?:Miss|Lady|Lord|Sir|Madame|Frau|Herr|Old|First|Second) )?[{_CAPITAL}][^\W\d_]{{1,11}})"
    rf"\. +[\"'“‘(\[]?[{_CAPITAL}]"
)  # as plays and Plato's dialogues print: "Lady Orr. [Aside.] …", "Fran. You come most carefully …".
_SPEAKER_OF_COURT = re.compile(r"\s*[A-Z][A-Z.'’ -]{2,30}:\s")
"""Who speaks between questions and answers: "MR. HALE: Objection."."""
_ALONE = re.compile(
    rf"\s*(?P<name>[{_CAPITAL}][\w'’.-]*(?: [{_CAPITAL}][\w'’.-]*){{0,3}})"
    rf"(?: ?\([^)]*\)|(?<=[{_CAPITAL}]), [^.:!?—–]{{1,40}})?[.:]?"
)  # a name on a line of its own, perhaps with a stage direction: "LE COMTE, seul."
_DIRECTION = re.compile(r"\s*(?:\[[^][]+\]|\([^()]+\))")  # a stage direction on a line of its own
_OFFICE = re.compile(r" \([^()]*\)$")  # what is said of a speaker at his first speech: "Mr. Jones (Leith)".
_MIN_ALONE = 0.25  # share of the lines of a text that are names on lines of their own, in a play
_MIN_SPEECHES = 2  # speeches of each of two speakers; a list of terms has each of them once
_MIN_SHARE = 0.5  # share of the lines of a group that begin with their speaker


def speech_starts(lines: Sequence[str], *, is_wrapped: bool) -> list[int]:
    """Return the indexes of the lines that begin a speech; none if the group does not consist of speeches.

    Speeches have times, are questions and answers, or begin with names before a colon that take turns.

    Args:
        is_wrapped: whether a speech may have several lines.
    """
    if len(lines) < _MIN_SPEECHES:
        return []
    if _HEADER.fullmatch(lines[0]):
        return [i for i, line in enumerate(lines) if _HEADER.fullmatch(line)]
    stamped = [i for i, line in enumerate(lines) if _STAMPED.match(line)]
    if len(stamped) >= max(_MIN_SPEECHES, _MIN_SHARE * len(lines)):
        return stamped
    questions = [i for i, line in enumerate(lines) if _QUESTION.match(line)]
    answers = [i for i, line in enumerate(lines) if _ANSWER.match(line)]
    # A question comes first; by itself "A." may be the first letter of a name.
    if questions and answers and questions[0] < answers[0]:
        others = [i for i, line in enumerate(lines) if _SPEAKER_OF_COURT.match(line)]
        return sorted({*questions, *answers, *others})
    return _turns(lines, is_wrapped=is_wrapped)


def speaker_alone(line: str) -> str:
    """Return the name on a line that has nothing else but a stage direction; empty if there is none."""
    match = _ALONE.fullmatch(line)
    return match["name"].strip(" .") if match else ""


def find_speakers(groups: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the names on lines of their own above what is said; none if the text is not a play."""
    pairs = chain.from_iterable(map(pairwise, groups))
    names = [name for line, below in pairs if (name := speaker_alone(line)) and not speaker_alone(below)]
    n_speeches = {name: n for name, n in Counter(names).items() if n >= _MIN_SPEECHES}
    is_play = sum(n_speeches.values()) >= _MIN_ALONE * sum(map(len, groups))
    return frozenset(n_speeches) if is_play and len(n_speeches) > 1 else frozenset()


def _turns(lines: Sequence[str], *, is_wrapped: bool) -> list[int]:
    """Return the indexes of the lines that begin with a name; none unless two names do so repeatedly."""
    forms = (_SPEAKER, _SPEAKER_IN_CAPITALS, _SPEAKER_BY_NAME)
    matches = {
        i: next(filter(None, (form.match(line) for form in forms)), None) for i, line in enumerate(lines)
    }
    names = {
        i: _OFFICE.sub("", match[match.lastgroup or 0]).strip(" .") for i, match in matches.items() if match
    }
    n_repeated = sum(n >= _MIN_SPEECHES for n in Counter(names.values()).values())
    starts = list(names)
    if n_repeated < 2:
        return []
    are_most = len(starts) >= _MIN_SHARE * len(lines)
    if not are_most and not (is_wrapped and starts[0] == 0):
        return []
    return sorted({*starts, *(i for i, line in enumerate(lines) if _DIRECTION.fullmatch(line))})
