"""The words with which books name their divisions, in many languages: one list for all formats.

A division is a line such as "Chapter 3", "Erstes Kapitel", "第三章 雨" or "Preface". Its place and its type,
which also show a heading, are known to each format.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from alexandria.extract.numerals import format_number
from alexandria.extract.words import read_words

_WORDS = read_words("divisions")
KEYWORDS = tuple(_WORDS[rank] for rank in ("volume", "book", "part", "chapter", "section"))
"""One entry per rank, from the outermost division to the innermost; each in several languages."""
BOOK, CHAPTER, SECTION = 1, 3, 4  # ranks, which are indexes of `KEYWORDS`
_PART_NAMES, _ORDINALS = _WORDS["part_name"], _WORDS["ordinal"]
_TENS = (
    r"(?:(?:twenty|thirty|forty|двадцать|тридцать|сорок|двадцять|тридцять|дв(?:ај|аде|ае)сет(?:\sи)?|"
    "dwudziest[yae]|dvacát[áéý]|dvadsiat[aey]|dvadeset|[vt]r?igésim[oa]|décim[oa]|δέκατ[οη]|εικοστ[όή]|"
    r"vinte\se|treinta\sy|vingt(?:\set)?)[\s-])?"
)
# Words that read as numbers in other languages are numbers only after a keyword of their own.
_CARDINALS = _WORDS["cardinal"]
_ACCENTED = (*range(0xC0, 0x530), *range(0x1E00, 0x2000))
_FOLDED = {code: unicodedata.normalize("NFD", chr(code))[0] for code in _ACCENTED}
"""Each letter without its accents, which capitals often lack: ΚΕΦΑΛΑΙΟ, DEUXIEME PARTIE, CAPITULO."""


def _folded(text: str) -> str:
    """Return a text, or a pattern, without the accents of its letters; its length stays the same."""
    return text if text.isascii() else text.translate(_FOLDED)


ROMAN = r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})"
WRITTEN_NUMBER = re.compile(rf"{ROMAN}|{_ORDINALS}|{_CARDINALS}", re.I)
"""A Roman numeral, or a number in words in one of several languages."""
_RANK_PATTERNS = tuple(re.compile(_folded(keywords), re.I) for keywords in KEYWORDS)
_ANY_KEYWORD = _folded("|".join(KEYWORDS))
_NTH = rf"{_folded(_TENS)}(?:{_folded(_ORDINALS)})"
_ENDING = r"(?:er|e?re|e|eme|st|nd|rd|th|[ºª°οη]|[-:][a-zа-яіє]{1,2})"
"""After the digits of an ordinal: 1er, 2ème, 3rd, 1ο, 2-я."""
_GREEK, _PRIME = "[Α-ΩϚ]{1,3}", "['΄’ʹ´`]"  # Α΄, ΙΒ΄
_KEYWORD_AND_NUMBER = re.compile(
    rf"(?:(?:the|der|die|das|la|le|il|el|het|az)\s+)?(?:"
    rf"(?P<keyword>{_ANY_KEYWORD})\.?\s*(?:the\s+)?(?:\d{{1,4}}{_ENDING}?|(?<![^\W\d_])(?:{ROMAN}{_ENDING}?|"
    rf"{_GREEK}(?:{_PRIME}|\Z)|{_NTH}|{_folded(_TENS)}(?:{_folded(_CARDINALS)})))(?<=\S)(?!\w)|"
    rf"(?:(?:\d{{1,3}}|{ROMAN})(?:\.|{_ENDING})|{_GREEK}{_PRIME}|{_NTH})\s+(?P<after>{_ANY_KEYWORD})\b)"
    r"(?P<rest>.*)",
    re.I,
)
# "Chapter 3 shows how" continues as a sentence; a title is set off, or begins with a capital.
_TITLE_AFTER_NUMBER = re.compile(r"\s*[.:,;—–-]|\s+[\"'“‘«»(_]*[^\W_a-z\d]|\s*$")
_EAST_ASIAN_NUMBER = r"[〇○零一二三四五六七八九十百千两兩壹贰貳叁參肆伍陆陸柒捌玖拾佰仟廿卅\d０-９]{1,9}"
_KOREAN_NUMBER = r"(?:\d{1,4}|[일이삼사오육칠팔구십백]{1,5})"
# Keyword and number in scripts without capitals: 第三章 …; 卷二 …; 제3장 …; الفصل الثالث …
_OTHER_SCRIPTS = re.compile(
    rf"(?:正文|番外)?\s*第\s?{_EAST_ASIAN_NUMBER}\s?(?P<unit>[卷巻冊册部篇編编集輯辑章回话話幕節节場场折齣出夜])"
    r"(?P<rest>[\s　:：、—·.].*)?|"
    # Without a space, the title must not read as a sentence, nor continue the unit: 第六回合, 第一节课.
    rf"第{_EAST_ASIAN_NUMBER}(?P<close>[章回话話節节卷巻])"
    r"(?P<title_close>(?![合里中的是末课課])[^。！？…；：，、,;]{1,24})|"
    rf"(?P<volume>[卷巻])[之のノ]?\s?{_EAST_ASIAN_NUMBER}(?P<after_volume>[\s　:：、—·.].*)?|"
    # その二 峠; その二人 and a rule such as その一、盗むな are text.
    rf"(?P<nth>その|其[のノ之])\s?{_EAST_ASIAN_NUMBER}(?P<after_nth>[\s　:：][^。！？、]{{1,30}})?|"
    r"[上中下](?P<half>[卷巻部篇編编冊册])|"
    rf"제\s?{_KOREAN_NUMBER}\s?(?P<korean>[권부편장화막절])(?P<after_korean>[\s:：.,—-].*)?|"
    r"\d{1,4}\s?(?P<counted>[장화])(?P<after_counted>[\s:：.—-].{0,40})?|"
    r"(?P<name>الجزء|المجلد|الكتاب|القسم|الباب|الفصل|المشهد|فصل|פרק|חלק|अध्याय|บทที่)"
    r"\s?(?:ال\w+|[\d٠-٩۰-۹०-९๐-๙]+|[א-ת]{1,2}[׳']|\w+[יוה]ן|שני|שלישי|ש?\w+י[תם]?|\w+م|اول)(?:\sعشر)?(?P<title>[\s:：—–-].*)?"
)
_TITLES = ("rest", "title_close", "after_volume", "after_nth", "after_korean", "after_counted", "title")
_UNITS = ("unit", "close", "volume", "nth", "half", "korean", "counted", "name")
_RANKS = {
    **dict.fromkeys(("卷", "巻", "冊", "册", "권", "الجزء", "المجلد"), 0),
    "الكتاب": 1,
    "חלק": 2,
    **dict.fromkeys(("部", "篇", "編", "编", "集", "輯", "辑", "부", "편", "القسم"), 2),
    **dict.fromkeys(("節", "节", "場", "场", "절", "المشهد"), 4),
}  # ranks of divisions in scripts without capitals; any other is a chapter
_EAST_ASIAN_CHAPTER = re.compile(rf"第\s?{_EAST_ASIAN_NUMBER}\s?[章回话話]")
_EAST_ASIAN_PART = re.compile(
    rf"(?:{_WORDS['unspaced_part']})"
    rf"(?:\s?{_EAST_ASIAN_NUMBER}(?!\w))?"
    r"(?:[\s　:：—·-]+[^。]{1,30})?"
)  # a part without a number, such as 楔子, あとがき or 프롤로그; its title may follow
_PART_NAME = re.compile(_folded(_PART_NAMES), re.I)
_NAMED_PART = re.compile(rf"(?:the )?(?P<name>(?:\S+ )?(?:{_folded(_PART_NAMES)}))(?P<rest>\b.*)", re.I)
_FRAME = " \t\u3000【】〔〕［］"  # what may be around the name of a chapter in these scripts
_ORNAMENT = re.compile(r"\A[☆★◎○●◇◆□■△▲▽▼※§]{1,3}\s?[、，]?\s*")  # what may be before it: ☆、第1章
_MAX_PART_NAME = 60  # characters of a name such as "Preface", and of a paragraph that names a chapter
_MAX_NUMBERED = 40  # characters of a number with its title on a line of its own
_MIN_COUNTED = 3  # lines that count from 1 and number chapters; two may do so by chance
_NUMBERED = re.compile(r"[\W_]*(?:その|之)?(?P<number>[^\W_]+)(?P<sign>[\W_]*)(?P<title>.*)")
STATEMENT = re.compile(
    r"(?:definition|theorem|satz|lemma|propos\w+|coroll\w+|korollar|folgerung|remark|bemerkung|note|examples?"
    r"|beispiele?|proof|beweis|exercise|aufgabe|claim|behauptung|problem|théorème|exemple|remarque|figure|fig\."
    r"|table|abbildung|abb\.|tabelle|algorithm|listing)(?:\s+[\d.]+)?\s*(?:[.:(]|$)",
    re.IGNORECASE,
)  # bold labels of theorems and figures, which are not headings
ENDS_SENTENCE = re.compile(r"[.!?:…。！？：～][\"\'”’»)\]_」』）】》]*$")
"""The end of a sentence, with the quotes or brackets after it."""
_NOTE_MARK = re.compile(r"\([*+%#†‡]+\)|\[\d{1,3}\]|\{\d{1,3}\}")  # the mark of a note in a heading


@dataclass(frozen=True, slots=True)
class Division:
    """A line that names a division of the book by a keyword and a number, or by a name."""

    rank: int  # 0 for volumes, 1 for books, 2 for parts, 3 for chapters and acts, 4 for their sections
    is_bare: bool  # True without a title after keyword and number
    in_capitals: bool = False  # True if its keyword is in capitals


def read_division(text: str) -> Division | None:
    """Return the division that a line names by keyword and number; None for text: "Chapter 3 shows how".

    Names of parts in Chinese, Japanese and Korean, such as 楔子, are chapters.
    """
    unframed = _ORNAMENT.sub("", text.strip(_FRAME))
    if division := _OTHER_SCRIPTS.fullmatch(unframed):
        title = next(filter(None, division.group(*_TITLES)), "")
        rank = _RANKS.get(next(filter(None, division.group(*_UNITS))), CHAPTER)
        if _EAST_ASIAN_CHAPTER.search(title):  # 第一卷 海上 第三章 雨: each chapter repeats its volume
            rank = CHAPTER
        return Division(rank, is_bare=not title.strip())
    if _EAST_ASIAN_PART.fullmatch(unframed):
        return Division(CHAPTER, is_bare=False)
    text = _NOTE_MARK.sub("", text)
    match = _KEYWORD_AND_NUMBER.match(_folded(text))
    if match is None:
        return None
    keyword, title = match["keyword"] or match["after"], text[match.start("rest") :]
    is_bare = not title.strip(" .:—–-_")
    first = text.strip("_ ")[0]
    begins_with_number = first.isdecimal() and (is_bare or keyword[0].isupper())  # 1. fejezet
    may_begin_division = first.isupper() or begins_with_number or keyword in ("§", "chapter")
    continues_as_sentence = not _TITLE_AFTER_NUMBER.match(title) or title.lstrip()[:1].islower()
    is_part_of_sentence = text[-1] in ",;" and not in_capitals(text)
    if not may_begin_division or (title and continues_as_sentence) or is_part_of_sentence:
        return None
    rank = next(rank for rank, pattern in enumerate(_RANK_PATTERNS) if pattern.fullmatch(keyword))
    return Division(rank, is_bare=is_bare, in_capitals=keyword.isupper())


def is_part_name(text: str) -> bool:
    """Return whether a line names a part of the book without a number, such as "Preface"."""
    text = text.strip("_ ")
    if len(text) > _MAX_PART_NAME or not (part := _NAMED_PART.match(_folded(text))):
        return False
    return in_capitals(text) or (text[:1].isupper() and not part["rest"].strip("._: "))


def counting_lines(lines: Iterable[str]) -> set[str]:
    """Return the short lines that count 1, 2, 3, … in one form, each with sentences before the next one.

    They may have a title: "3", "— 3 —", "3. The Mill", "三、碼頭".
    """
    numbered = [
        (line, _number_of(line) if len(line) <= _MAX_NUMBERED else "") for line in map(str.strip, lines)
    ]
    counting: set[str] = set()
    for format in ("decimal", "upperRoman", "chinese", "cardinalText"):
        first = expected = format_number(1, format).lower()
        if all(number != first for _, number in numbered):
            continue
        counted: list[str] = []  # since the last 1
        has_sentence = True  # since the last counted line
        for line, number in numbered:
            restarts = number == first and len(counted) < _MIN_COUNTED
            if number and (restarts or (number == expected and has_sentence)):
                counted = [line] if number == first else [*counted, line]
                has_sentence = False
                expected = format_number(len(counted) + 1, format).lower()
            else:
                has_sentence = has_sentence or ENDS_SENTENCE.search(line) is not None
        if len(counted) >= _MIN_COUNTED:
            counting.update(counted)
    return counting


def _number_of(line: str) -> str:
    """Return the number with which a short line begins, alone or before a title; empty for any other line."""
    if not (match := _NUMBERED.match(unicodedata.normalize("NFKC", line))):
        return ""
    number, title = match["number"].lstrip("0").lower(), match["title"]
    is_set_off = match["sign"].strip(" ") or (number.isdecimal() and not title[:1].islower())
    is_sentence = ENDS_SENTENCE.search(title) or title.endswith((",", "，", "、", ";"))
    return "" if title and (not is_set_off or is_sentence) else number


def names_division(line: str) -> bool:
    """Return whether a paragraph names a chapter: "Chapter 3 The Mill", and not "Part One. He went home."."""
    if not 0 < len(line) <= _MAX_PART_NAME:
        return False
    if division := read_division(line):
        is_question_in_title_case = line[-1] in "?!" and in_title_case(line)
        return division.is_bare or is_question_in_title_case or not ENDS_SENTENCE.search(line)
    return is_part_name(line) and _PART_NAME.fullmatch(_folded(line).strip("_. :")) is not None


def in_capitals(text: str) -> bool:
    """Return whether most letters of a text are capitals, and none is in lower case.

    `isupper` alone also holds for an acronym in a text of a script without capitals.
    """
    return text.isupper() and 2 * sum(map(str.isupper, text)) > sum(map(str.isalpha, text))


def in_title_case(text: str) -> bool:
    """Return whether a text is in capitals, or each of its longer words begins with one."""
    # Words of at least four letters: titles do not capitalise short ones.
    words = re.findall(r"[^\W\d_]{4,}", text)
    return in_capitals(text) or (bool(words) and all(word[0].isupper() for word in words))
