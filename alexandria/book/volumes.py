"""The volume of a work that a book is, by its title, its series and what it states: defined here alone."""

import re
from typing import NamedTuple

from alexandria.book.headings import arabic
from alexandria.book.patterns import pattern
from alexandria.book.words import fold_text

_ORDINALS = (
    "first|one|erster?|premi[eè]re?|primer[oa]?|prim[oa]|перв(?:ый|ая)",
    "second|two|zweiter?|second[eo]?|deuxi[eè]me|segund[oa]|втор(?:ой|ая)",
    "third|three|dritter?|troisi[eè]me|tercer[oa]?|terz[oa]|трет(?:ий|ья)",
    "fourth|four|vierter?|quatri[eè]me|cuart[oa]|quart[oa]|четв[её]рт(?:ый|ая)",
    "fifth|five|f[uü]nfter?|cinqui[eè]me|quint[oa]|пят(?:ый|ая)",
    "sixth|six|sechster?|sixi[eè]me|sext[oa]|sest[oa]|шест(?:ой|ая)",
    "seventh|seven|sieb(?:en)?ter?|septi[eè]me|s[eé]ptim[oa]|settim[oa]|седьм(?:ой|ая)",
    "eighth|eight|achter?|huiti[eè]me|octav[oa]|ottav[oa]|восьм(?:ой|ая)",
    "ninth|nine|neunter?|neuvi[eè]me|noven[oa]|non[oa]|девят(?:ый|ая)",
    "tenth|ten|zehnter?|dixi[eè]me|d[eé]cim[oa]|decim[oa]|десят(?:ый|ая)",
)  # first, second …: the number is one more than the index
_WORD = (
    r"(?:vols?|volume[ns]?|bd|band|b[aä]nde|tom[eo]?|tomus|deel|dl|svazek|zväzok|svezak|kötet|том|τόμος)\b"
)
_NOT_ALL = r"(?!(?:vol(?:ume)?s|tomes|bände)\b)"  # `Six Volumes` is not the sixth
_NUMBER = rf"\d{{1,3}}(?:\s?[-–&]\s?\d{{1,3}})?|[ivxlc]+|{'|'.join(_ORDINALS)}"
_VOLUME = pattern(
    # Only the words that mean nothing else need no sign before them: "One Man Band 2" is a title.
    r"(?P<work>.*?)(?:^|\s*[,.;:(\[–—-]+\s*|(?<!\bthe)\s+(?=vol|tome\b))"
    rf"(?:{_WORD}\.?\s*(?:the\s+)?(?P<after>{_NUMBER})\b"
    rf"|(?P<before>\d{{1,3}}|{'|'.join(_ORDINALS)})\.?\s+{_NOT_ALL}{_WORD})"
    r"(?:\s*[(\[]?(?:of|von|de|di|sur|из)\s+\w+)?[)\]]?\s*(?:[.:,;–—-]+\s*(?P<title>.*))?",
    re.IGNORECASE,
)  # `History, Vol. V: The Ferries`, `Geschichte. Zweiter Band`, `Essays, Vol. 1 (of 3)`.
_MAX_TITLE = 500  # characters of a title that is looked at
_IN_SERIES = re.compile(r"(.*\S)\s+(\d+(?:\.\d+)?)")


class Volume(NamedTuple):
    """What a reference says of the volume; what is unknown is empty."""

    work: str  # the title without the volume
    number: str  # in Arabic digits, `1–3` for several; empty for a book that is no volume
    title: str  # the volume's own title
    series: str  # the name of a series, which is not the work
    part: str  # the book's number in the series
    full_title: str  # the title with the volume


def volume_of(title: str, series: str = "", number: str = "", name: str = "") -> Volume:
    """Return the volume that a book is.

    Args:
        series: the series with the number in it. One that is named as the work has the number of the volume.
        number: the volume's number, if it is stated; it counts more.
    """
    work, found, own_title = divide_volume(title)
    if not work:  # it names no work: "Vol. 2: The Ferries"
        work, found, own_title = title, "", ""
    named = _IN_SERIES.fullmatch(series)
    series, part = (named[1], named[2]) if named else (series, "")
    if part and fold_text(series) == fold_text(work):
        found, series, part = found or part, "", ""
    number, name = arabic(number) or found, name or own_title
    is_in_title = not number or work != title
    full_title = title if is_in_title else f"{title}, vol. {number}{f': {name}' if name else ''}"
    return Volume(work, number, name, series, part, full_title)


def divide_volume(title: str) -> tuple[str, str, str]:
    """Return a title or a subtitle without the volume at its end, and the volume's number and title."""
    match = _VOLUME.fullmatch(title) if len(title) <= _MAX_TITLE else None
    if match and (number := _in_digits(match["after"] or match["before"])):
        return match["work"], number, (match["title"] or "").strip()
    return title, "", ""


def _in_digits(number: str) -> str:
    """Return a number as digits, or an empty string if it is a word of the letters of Roman numerals."""
    for n, words in enumerate(_ORDINALS, 1):
        if re.fullmatch(words, number, re.IGNORECASE):
            return str(n)
    digits = re.sub(r"\s?[-–&]\s?", "–", arabic(number)).lstrip("0")
    return digits if digits[:1].isdecimal() else ""
