"""Finds the speeches in a chat, an interview, a deposition or a play: lines that begin with their speaker."""

import re
from collections import Counter
from collections.abc import Sequence

_DATE = r"\d{1,4}[-./年]\d{1,2}[-./月]\d{1,4}日?"
_TIME = rf"(?:{_DATE},?\s+)?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?:[.,]\d+)?(?:\s?[AP]\.?M\.?)?"
_NAME = r"[^\W\d_][\w.'’-]*(?: [\w.'’()-]+){0,3}"
_STAMPED = re.compile(
    rf"\s*(?:\[{_TIME}\]|\({_TIME}\)|{_TIME}(?=\s*[-–—|<]|\s+{_NAME}:))\s*[-–—|]?\s*(?:<?{_NAME}>?\s*[:：>]?|\S)"
)
"""A message with its time: "[00:01:30] HOST: …", "12/03/21, 14:05 - Ann: …", "14:05 <ann> …"."""
_QUESTION = re.compile(
    r"\s*(?:Q|Question|Frage|F|Domanda|Pregunta|Вопрос|問|问|질문)\s?\d{0,4}\s?[.:：)、]\s*\S", re.I
)
_ANSWER = re.compile(
    r"\s*(?:A|Answer|Antwort|R|Risposta|Réponse|Respuesta|Ответ|答|답변?)\s?\d{0,4}\s?[.:：)、]\s*\S", re.I
)
_SPEAKER = re.compile(
    r"\s*(?P<name>[A-Z][\w.'’-]*(?: [\w.'’()-]+){0,3}|[\u3040-\u9fff\uac00-\ud7a3·]{1,6})\s?[:：]\s*\S"
)
_SPEAKER_IN_CAPITALS = re.compile(r"\s*(?P<name>[A-Z][A-Z'’. -]{2,30})\.\s+\S")
_MIN_SPEECHES = 2
"""Speeches of each of two speakers, by which they are known: a list of terms has each of them once."""
_MIN_SHARE = 0.5
"""Share of the lines of a group that begin with their speaker."""


def speech_starts(lines: Sequence[str]) -> list[int]:
    """Return the indexes of the lines that begin a speech; none unless these lines are speeches.

    They are if they have times, or are questions and answers, or if names before a colon take turns.
    """
    if len(lines) < _MIN_SPEECHES:
        return []
    stamped = [i for i, line in enumerate(lines) if _STAMPED.match(line)]
    if len(stamped) >= _MIN_SPEECHES and _is_enough(stamped, lines):
        return stamped
    questions = [i for i, line in enumerate(lines) if _QUESTION.match(line)]
    answers = [i for i, line in enumerate(lines) if _ANSWER.match(line)]
    # A question comes first; by itself "A." may be the first letter of a name.
    if questions and answers and questions[0] < answers[0]:
        return sorted({*questions, *answers})
    return _turns(lines)


def _turns(lines: Sequence[str]) -> list[int]:
    """Return the lines that begin with a name which begins another one too, if two names do so."""
    matches = {i: _SPEAKER.match(line) or _SPEAKER_IN_CAPITALS.match(line) for i, line in enumerate(lines)}
    names = {i: match["name"].strip() for i, match in matches.items() if match}
    counts = Counter(names.values())
    if sum(n >= _MIN_SPEECHES for n in counts.values()) < 2:
        return []
    starts = list(names)
    return starts if _is_enough(starts, lines) else []


def _is_enough(starts: Sequence[int], lines: Sequence[str]) -> bool:
    """Return whether the group begins with a speech, and many of its lines do."""
    return len(starts) >= _MIN_SHARE * len(lines)
