"""The words with which books name their divisions, in many languages: one list for all formats.

A division is a line such as "Chapter 3", "Erstes Kapitel", "第三章 雨" or "Preface". Its place and its type,
which also show a heading, are known to each format.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from alexandria.extract.numerals import format_number

# One entry per rank, from the outermost division to the innermost; each in several languages.
_KEYWORDS = (
    "volume|vol|tome|tomo|svezak|deel|том|τόμος|tom|cilt|quyển|bind|band|volumul|kötet",
    "book|livre|buch|libro|knjiga|liber|boek|книга|βιβλίο|księga|livro|kitap|bok|bog|kirja|könyv|cartea",
    "part|partie|teil|abteilung|parte|pars|dio|epoch|époque|epoca|época|часть|частина|μέρος|część|část|kısım|osa|rész|partea|phần|del",
    "chapter|chap|chapitre|kapitel|capitolo|cap[ií]tulo|caput|poglavlje|glava|hoofdstuk|act|acte|akt|aufzug|atto|acto|"
    "kapit(?:let|ola)|day|night|chương|hồi|розділ|глава|действие|письмо|песнь|κεφάλαιο|πράξη|rozdział|capitolul|bölüm|perde|kapittel|luku|fejezet|felvonás|"
    "čin|canto|chant|gesang|letter|lettre|brief|lettera|carta|stave|lecture|essay|sermon|lesson|leçon|lektion|lezione",
    "section|abschnitt|sezione|sección|odjeljak|odlomak|scene|scène|szene|auftritt|scena|escena|prizor|раздел|"
    "параграф|сцена|явление|σκηνή|cena|sahne|avsnitt|afsnit|kohtaus|§",
)
CHAPTER, SECTION = 3, 4
"""Ranks, which are indexes of `_KEYWORDS`."""
_PART_NAMES = (
    "preface|foreword|introduction|prologue|epilogue|afterword|conclusion|appendix|dedication|postscript|glossary|"
    "footnotes|endnotes|notes|etymology|extracts|bibliography|acknowledge?ments|vorwort|vorrede|einleitung|prolog|epilog|"
    "nachwort|anhang|schluss|schluß|anmerkungen|préface|avant-propos|prologue|épilogue|conclusion|appendice|avertissement|"
    "prefazione|introduzione|prologo|epilogo|conclusione|prefacio|introducción|prólogo|epílogo|conclusión|apéndice|"
    "interlude|intermezzo|intermission|finale|nawoord|epiloog|proloog|förord|efterord|inledning|forord|"
    "prefácio|introdução|posfácio|przedmowa|wstęp|posłowie|zakończenie|předmluva|úvod|doslov|závěr|önsöz|giriş|"
    "пролог|эпилог|предисловие|послесловие|введение|вступление|заключение|приложение|примечания|передмова|епілог|"
    "післямова|вступ|predgovor|uvod|prolog|epilog|pogovor|zaključak|dodatak|bilješke|praefatio|prooemium|voorwoord|inleiding"
)
_ORDINALS = (
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|\w+tieth|"
    r"twenty-\w+|thirty-\w+|last|erste[rsn]?|zweite[rsn]?|dritte[rsn]?|vierte[rsn]?|fünfte[rsn]?|sechste[rsn]?|"
    r"sieb(?:en)?te[rsn]?|achte[rsn]?|neunte[rsn]?|zehnte[rsn]?|elfte[rsn]?|zwölfte[rsn]?|\w+zehnte[rsn]?|\w+zigste[rsn]?|"
    r"premi(?:er|ère)|seconde?|deuxième|troisième|quatrième|cinquième|sixième|\w+ième|dernière?|"
    r"prim[oa]|second[oa]|terz[oa]|quart[oa]|quint[oa]|sest[oa]|settim[oa]|ottav[oa]|non[oa]|decim[oa]|"
    r"primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|sext[oa]|séptim[oa]|octav[oa]|noven[oa]|décim[oa]|"
    r"prv[aoi]|drug[aoi]|treć[aei]|četvrt[aoi]|pet[aoi]|šest[aoi]|sedm[aoi]|osm[aoi]|devet[aoi]|deset[aoi]|\w+naest[aoi]"
)
_ORDINALS += (
    r"|перв(?:ая|ый|ое)|втор(?:ая|ой|ое)|трет(?:ья|ий|ье)|четв[её]рт(?:ая|ый|ое)|пят(?:ая|ый|ое)|шест(?:ая|ой|ое)|"
    r"седьм(?:ая|ой|ое)|восьм(?:ая|ой|ое)|девят(?:ая|ый|ое)|десят(?:ая|ый|ое)|\w+надцат(?:ая|ый|ое)|двадцат(?:ая|ый|ое)|"
    r"πρώτ[οη]|δεύτερ[οη]|τρίτ[οη]|τέταρτ[οη]|πέμπτ[οη]|birinci|ikinci|üçüncü|dördüncü|beşinci|"
    r"första|andra|tredje|fjärde|femte|sjätte|sjunde|åttonde|nionde|tionde|første|eerste|tweede|derde|vijfde|"
    r"primeir[oa]|terceir[oa]|první|druhá|třetí|čtvrtá|pátá|pierwsz[ya]|drug[iea]|trzeci[a]?|czwart[ya]|piąt[ya]|első|második|harmadik|negyedik|ötödik"
)
_CARDINALS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|"
    "un|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|"
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|jedan|dva|tri|četiri"
)
ROMAN = r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})"
WRITTEN_NUMBER = re.compile(rf"{ROMAN}|{_ORDINALS}|{_CARDINALS}", re.I)
"""A Roman numeral, or a number in words in one of several languages."""
_KEYWORD_AND_NUMBER = re.compile(
    rf"(?:(?:the|der|die|das|la|le|il|el)\s+)?(?:"
    rf"(?P<keyword>{'|'.join(_KEYWORDS)})\.?\s*(?:the\s+)?"
    rf"(?:(?P<number>\d{{1,4}}|{ROMAN})(?<=\w)\b|(?:{_ORDINALS}|{_CARDINALS})\b)|"
    rf"(?:\d{{1,3}}\.|{ROMAN}\.|{_ORDINALS})\s+(?P<after>{'|'.join(_KEYWORDS)})\b)"
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
    rf"(?P<volume>[卷巻])\s?{_EAST_ASIAN_NUMBER}(?P<after_volume>[\s　:：、—·.].*)?|"
    r"[上中下](?P<half>[卷巻部篇編编冊册])|"
    rf"제\s?{_KOREAN_NUMBER}\s?(?P<korean>[권부편장화막절])(?P<after_korean>[\s:：.,—-].*)?|"
    r"\d{1,4}\s?(?P<counted>[장화])(?P<after_counted>[\s:：.—-].{0,40})?|"
    r"(?P<name>الجزء|المجلد|الكتاب|القسم|الباب|الفصل|المشهد|فصل|פרק|חלק|अध्याय|บทที่)"
    r"\s?(?:ال\w+|[\d٠-٩۰-۹०-९๐-๙]+|[א-ת]{1,2}[׳']|\w+[יוה]ן|שני|שלישי|ש?\w+י[תם]?|\w+م|اول)(?:\sعشر)?(?P<title>[\s:：—–-].*)?"
)
_TITLES = ("rest", "title_close", "after_volume", "after_korean", "after_counted", "title")
_UNITS = ("unit", "close", "volume", "half", "korean", "counted", "name")
_RANKS = {
    **dict.fromkeys(("卷", "巻", "冊", "册", "권", "الجزء", "المجلد"), 0),
    "الكتاب": 1,
    "חלק": 2,
    **dict.fromkeys(("部", "篇", "編", "编", "集", "輯", "辑", "부", "편", "القسم"), 2),
    **dict.fromkeys(("節", "节", "場", "场", "절", "المشهد"), 4),
}
"""Ranks of divisions in scripts without capitals; any other is a chapter."""
_EAST_ASIAN_CHAPTER = re.compile(rf"第\s?{_EAST_ASIAN_NUMBER}\s?[章回话話]")
_EAST_ASIAN_PART = re.compile(
    r"(?:楔子|引子|序[章言幕曲]?|[自代总總]序|前言|绪论|緒論|[后後][记記序]|跋|尾[声聲]|[终終][章幕]|结语|結語|附[录錄録]|"
    r"番外[篇编編]?|外[传傳伝]|导读|導讀|致[谢謝]|作者的[话話]|(?:完本|上架)感言|プロローグ|エピローグ|インタールード|あとがき|"
    r"まえがき|はじめに|おわりに|幕間|閑話|解説|(?:最終|終)[話章]|[引绪緒]言|结局|大结局|"
    r"(?:ال)?(?:مقدمة|خاتمة|تمهيد)|הקדמה|מבוא|פתח דבר|אחרית דבר|"
    r"프롤로그|에필로그|외전|후기|서문|머리말|맺음말|서장|종장|작가의 말|작가 후기)"
    rf"(?:\s?{_EAST_ASIAN_NUMBER}(?!\w))?"
    r"(?:[\s　:：—·-]+[^。]{1,30})?"
)
"""A part without a number, such as 楔子, あとがき or 프롤로그; its title may follow."""
_NAMED_PART = re.compile(rf"(?:the )?(?P<name>(?:\S+ )?(?:{_PART_NAMES}))(?P<rest>\b.*)", re.I)
_FRAME = " \t\u3000【】〔〕［］"
"""What may be around the name of a chapter in these scripts."""
_MAX_PART_NAME = 60
"""Characters of a name such as "Preface", and of a paragraph that names a chapter."""
_MAX_NUMBERED = 40
"""Characters of a number with its title on a line of its own."""
_MIN_COUNTED = 3
"""Lines that count from 1 and number chapters; two may do so by chance."""
_NUMBERED = re.compile(r"[\W_]*(?:その|之)?(?P<number>[^\W_]+)(?P<sign>[\W_]*)(?P<title>.*)")
STATEMENT = re.compile(
    r"(?:definition|theorem|satz|lemma|propos\w+|coroll\w+|korollar|folgerung|remark|bemerkung|note|examples?"
    r"|beispiele?|proof|beweis|exercise|aufgabe|claim|behauptung|problem|théorème|exemple|remarque|figure|fig\."
    r"|table|abbildung|abb\.|tabelle|algorithm|listing)(?:\s+[\d.]+)?\s*(?:[.:(]|$)",
    re.IGNORECASE,
)
"""Bold labels of theorems and figures, which are not headings."""
ENDS_SENTENCE = re.compile(r"[.!?:…。！？：～][\"\'”’»)\]_」』）】》]*$")
"""The end of a sentence, with the quotes or brackets after it."""
_NOTE_MARK = re.compile(r"\([*+%#†‡]+\)|\[\d{1,3}\]|\{\d{1,3}\}")  # the mark of a note in a heading


@dataclass(frozen=True, slots=True)
class Division:
    """A line that names a division of the book by a keyword and a number, or by a name."""

    rank: int
    """0 for volumes, 1 for books, 2 for parts, 3 for chapters and acts, 4 for their sections."""
    is_bare: bool
    """True without a title after keyword and number."""
    in_capitals: bool = False
    """True if its keyword is in capitals."""


def read_division(text: str) -> Division | None:
    """Return the division that a line names by keyword and number; None for text: "Chapter 3 shows how".

    Names of parts in Chinese, Japanese and Korean, such as 楔子, are chapters.
    """
    if division := _OTHER_SCRIPTS.fullmatch(text.strip(_FRAME)):
        title = next(filter(None, division.group(*_TITLES)), "")
        rank = _RANKS.get(next(filter(None, division.group(*_UNITS))), CHAPTER)
        if _EAST_ASIAN_CHAPTER.search(title):  # 第一卷 海上 第三章 雨: each chapter repeats its volume
            rank = CHAPTER
        return Division(rank, is_bare=not title.strip())
    if _EAST_ASIAN_PART.fullmatch(text.strip(_FRAME)):
        return Division(CHAPTER, is_bare=False)
    match = _KEYWORD_AND_NUMBER.match(_NOTE_MARK.sub("", text))
    if match is None:
        return None
    keyword, rest = match["keyword"] or match["after"], match["rest"]
    if not text.strip("_ ")[0].isupper() and keyword not in ("§", "chapter"):
        return None
    if rest and not _TITLE_AFTER_NUMBER.match(rest):
        return None
    if text[-1] in ",;" and not in_capitals(text):
        return None
    rank = next(rank for rank, keywords in enumerate(_KEYWORDS) if re.fullmatch(keywords, keyword, re.I))
    return Division(rank, is_bare=not rest.strip(" .:—–-_"), in_capitals=keyword.isupper())


def is_part_name(text: str) -> bool:
    """Return whether a line names a part of the book without a number, such as "Preface"."""
    text = text.strip("_ ")
    if len(text) > _MAX_PART_NAME or not (part := _NAMED_PART.match(text)):
        return False
    return in_capitals(text) or (text[:1].isupper() and not part["rest"].strip("._: "))


def counting_lines(lines: Iterable[str]) -> set[str]:
    """Return the short lines that count 1, 2, 3, … in one form, each with sentences before the next one.

    They may have a title: "3", "— 3 —", "3. The Mill", "三、碼頭".
    """
    read = [(line, _numbered(line) if len(line) <= _MAX_NUMBERED else "") for line in map(str.strip, lines)]
    counted: set[str] = set()
    for format in ("decimal", "upperRoman", "chinese", "cardinalText"):
        first = expected = format_number(1, format).lower()
        if all(label != first for _, label in read):
            continue
        row: list[str] = []
        has_text = True  # since the last of them
        for line, label in read:
            if label and ((label == expected and has_text) or (label == first and len(row) < _MIN_COUNTED)):
                row, has_text = [*(() if label == first else row), line], False
                expected = format_number(len(row) + 1, format).lower()
            else:
                has_text = has_text or ENDS_SENTENCE.search(line) is not None
        if len(row) >= _MIN_COUNTED:
            counted.update(row)
    return counted


def _numbered(line: str) -> str:
    """Return the number of a short line that is one, perhaps with a title; empty for any other line."""
    if not (match := _NUMBERED.match(unicodedata.normalize("NFKC", line))):
        return ""
    number, title = match["number"].lstrip("0").lower(), match["title"]
    if title:
        is_set_off = match["sign"].strip(" ") or (number.isdecimal() and not title[0].islower())
        if not is_set_off or ENDS_SENTENCE.search(title) or title[-1] in ",，、;":
            return ""
    return number


def names_division(line: str) -> bool:
    """Return whether a paragraph names a chapter: "Chapter 3 The Mill", and not "Part One. He went home."."""
    if not 0 < len(line) <= _MAX_PART_NAME:
        return False
    if division := read_division(line):
        is_question_in_title_case = line[-1] in "?!" and in_title_case(line)
        return division.is_bare or is_question_in_title_case or not ENDS_SENTENCE.search(line)
    return " " not in line and is_part_name(line)


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
