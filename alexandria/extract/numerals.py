"""Numbers as labels of notes and lists: in letters, in Roman numerals, and the value of a Roman one."""

import re

_ORDINAL_ENDS = {1: "st", 2: "nd", 3: "rd"}
_MAX_NUMERAL = 4000
"""Roman numerals end here, and letters long before."""


def roman_value(numeral: str) -> int:
    """Return the value of a Roman numeral in either case; a digit right before a larger one is subtracted."""
    values = [_DIGITS[digit] for digit in numeral.lower()]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def stated_number(text: str) -> int:
    """Return the number that an attribute states; 0 if it states none below 100,000."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def format_number(n: int, format: str) -> str:
    """Return a number, from 1 on, as Word, OpenDocument and browsers print it: letters, numerals or digits.

    Letters are repeated after the last: AA, BB, …, AAA. What has no such form, such as 0, is in digits.

    Args:
        n: the number.
        format: `lowerLetter`, `upperRoman`, `russianLower`, …; `decimalZero` writes 01, `ordinal` 1st.
    """
    if format == "decimalZero":
        return f"{n:02}"
    if format == "ordinal":
        return f"{n}{_ORDINAL_ENDS.get(n % 10, 'th') if n % 100 not in (11, 12, 13) else 'th'}"
    if not 0 < n < _MAX_NUMERAL:
        return str(n)
    if format in ("cardinalText", "ordinalText") and n < 100:
        return _cardinal(n) if format == "cardinalText" else _ordinal(_cardinal(n))
    if format.startswith("decimalEnclosedCircle") and n <= 20:  # ⑳ is the last
        return chr(ord("①") + n - 1)
    if _EAST_ASIAN.search(format):
        return _east_asian(n)
    kind = re.sub("lower|upper", "", format, flags=re.I)
    if alphabet := _ALPHABETS.get(kind):
        written = alphabet[(n - 1) % len(alphabet)] * ((n - 1) // len(alphabet) + 1)
    elif numerals := _ADDED.get(kind):
        written = ""
        for value, numeral in numerals:
            count, n = divmod(n, value)
            written += numeral * count
        written = written.replace("יה", "טו").replace("יו", "טז")  # 15 and 16 in Hebrew
    else:
        written = "".join(chr(ord(_ZEROS.get(kind, "0")) + int(digit)) for digit in str(n))
    return written.upper() if "upper" in format.lower() else written


def numeral_value(number: str) -> int:
    """Return the value of a number in digits, words, Roman or Chinese numerals; 0 for anything else."""
    digits = number.translate(_CHINESE_DIGITS)
    if digits.isdecimal():
        return int(digits)
    value = _VALUES.get(number.lower().replace(" ", "-"), 0)
    return value or (roman_value(number) if _DIGITS.keys() >= set(number.lower()) else 0)


def _cardinal(n: int) -> str:
    """Return a number below 100 in words: Twenty-one."""
    tens, ones = divmod(n, 10) if n > 20 else (0, n)
    return "-".join(filter(None, (_TENS[tens], _CARDINALS[ones]))).capitalize()


def _ordinal(cardinal: str) -> str:
    """Return the ordinal of a number in words: Twenty-first."""
    before, dash, last = cardinal.rpartition("-")
    ordinal = _ORDINALS.get(last.lower()) or f"{last.removesuffix('y')}{'ieth' if last[-1] == 'y' else 'th'}"
    return f"{before}{dash}{ordinal}" if before else ordinal.capitalize()


def _east_asian(n: int) -> str:
    """Return a number below 10,000 in Chinese numerals: 十二, 一百零三."""
    written, skipped = "", False
    for value, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, value)
        if digit:
            one_omitted = sign == "十" and digit == 1 and not written  # 十二, not 一十二
            written += "零" * skipped + ("" if one_omitted else "一二三四五六七八九"[digit - 1]) + sign
        skipped = bool(written) and not digit
    return written


FORMATS = {
    **{"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "α": "lowerGreek"},
    **{"а": "russianLower", "А": "russianUpper", "一": "chineseCounting", "①": "decimalEnclosedCircle"},
}
"""The formats by the number 1 in them, by which HTML and OpenDocument name a format."""
_CARDINALS = (
    *("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"),
    *("Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen", "Twenty"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    **{"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"},
    **{"nine": "ninth", "twelve": "twelfth"},
}
"""Of numbers to which no th is added."""
_ONES = "|".join(_CARDINALS[1:10])
IN_WORDS = rf"(?:(?:{'|'.join(_TENS[2:])})(?:[ -](?:{_ONES}))?|{'|'.join(_CARDINALS[10:20])}|{_ONES})"
"""The pattern of a number below 100 in words, in either case."""
EAST_ASIAN = "[〇零一二三四五六七八九十百]"
"""The pattern of a digit of a Chinese numeral."""
_CHINESE_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")
_EAST_ASIAN = re.compile(r"chinese|japanese|taiwanese|ideograph|cjk", re.I)
_ALPHABETS = {
    "Letter": "abcdefghijklmnopqrstuvwxyz",
    "Greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "russian": "абвгдежзиклмнопрстуфхцчшщэюя",
    "ganada": "가나다라마바사아자차카타파하",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
}
_PLACES = [digit * 10**place for place in range(4) for digit in range(1, 10)]
"""The values of letters, in their order, where each stands for ones, tens, hundreds or thousands."""


def _by_place(letters: str) -> list[tuple[int, str]]:
    return sorted(zip(_PLACES, letters, strict=False), reverse=True)


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ADDED = {
    "Roman": _ROMAN,
    "hebrew": _by_place("אבגדהוזחטיכלמנסעפצקרשת"),
    "armenian": _by_place("".join(map(chr, range(0x531, 0x555)))),
    "georgian": _by_place("აბგდევზჱთიკლმნჲოპჟრსტჳფქღყშჩცძწჭხჴჯჰ"),
}
"""The numerals whose values are added, from the largest."""
_ZEROS = {"arabic-indic": "٠", "persian": "۰", "devanagari": "०", "bengali": "০", "tamil": "௦", "thai": "๐"}
_DIGITS = {numeral: value for value, numeral in _ROMAN if len(numeral) == 1}
"""The values of the single digits of Roman numerals."""
_VALUES = {_cardinal(n).lower(): n for n in range(1, 100)} | {_east_asian(n): n for n in range(1, 1000)}
