"""Numbers as labels of notes and lists: in letters, in Roman numerals, and the value of a Roman one."""

import re

from alexandria.extract.words import read_words

_ORDINAL_ENDS = {1: "st", 2: "nd", 3: "rd"}
_MAX_NUMERAL = 4000  # Roman numerals end here, and letters long before


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

    Letters are repeated after the last: AA, BB, …, AAA. What has no such form, such as 0, is in digits. A
    number in an unknown format is empty, and so is one after the last sign of a row that does not repeat.

    Args:
        format: `lowerLetter`, `upperRoman`, `russianLower`, …, or empty for digits; `decimalZero` writes 01,
            `ordinal` 1st.
    """
    if format in _PATTERNS:
        return _PATTERNS[format].format(n)
    if format == "ordinal":
        return f"{n}{_ORDINAL_ENDS.get(n % 10, 'th') if n % 100 not in (11, 12, 13) else 'th'}"
    if not 0 < n < _MAX_NUMERAL:
        return str(n)
    if format in ("cardinalText", "ordinalText") and n < 100:
        return _cardinal(n) if format == "cardinalText" else _ordinal(_cardinal(n))
    if enclosed := _ENCLOSED.get(format):
        first, last = map(ord, enclosed)
        return chr(first + n - 1) if first + n - 1 <= last else str(n)
    kind = re.sub("lower|upper", "", format, flags=re.I)
    if form := _EAST_ASIAN_FORMS.get(kind) or (_EAST_ASIAN if _CHINESE.match(kind) else None):
        return _east_asian(n, *form)
    if kind == "ideographZodiacTraditional":  # the cycle of sixty: 甲子, 乙丑, …
        return _ALPHABETS["ideographTraditional"][(n - 1) % 10] + _ALPHABETS["ideographZodiac"][(n - 1) % 12]
    if alphabet := _ALPHABETS.get(kind):
        repeated, place = divmod(n - 1, len(alphabet))
        written = alphabet[place] * (repeated + 1) if not repeated or kind in _REPEATED else ""
    elif numerals := _ADDED.get(kind):
        written = ""
        for value, numeral in numerals:
            count, n = divmod(n, value)
            written += numeral * count
        written = written.replace("יה", "טו").replace("יו", "טז")  # 15 and 16 in Hebrew
    else:
        written = "".join(_SIGNS[kind][int(digit)] for digit in str(n)) if kind in _SIGNS else ""
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


_EAST_ASIAN = ("一二三四五六七八九十百千", "零", "十")


def _east_asian(n: int, numerals: str = _EAST_ASIAN[0], zero: str = "零", without_one: str = "十") -> str:
    """Return a number below 10,000 in Chinese numerals: 十二, 一百零三."""
    # `n`: the number.
    # `numerals`: for 1 to 9, 10, 100 and 1,000.
    # `zero`: what is written for places that are skipped.
    # `without_one`: the units before which 1 is not written; a single unit, only at the beginning (十二).
    written, is_place_skipped = "", False
    for value, unit in ((1000, numerals[11]), (100, numerals[10]), (10, numerals[9]), (1, "")):
        digit, n = divmod(n, value)
        if digit:
            may_omit_one = unit and unit in without_one and (len(without_one) > 1 or not written)
            written += zero * is_place_skipped
            written += ("" if digit == 1 and may_omit_one else numerals[digit - 1]) + unit
        is_place_skipped = bool(written) and not digit
    return written


# The formats by the number 1, by which HTML and OpenDocument name them.
FORMATS = read_words("number_formats")
_CARDINALS = (
    *("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"),
    *("Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen", "Twenty"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    **{"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"},
    **{"nine": "ninth", "twelve": "twelfth"},
}  # of numbers to which no th is added
_ONES = "|".join(_CARDINALS[1:10])
IN_WORDS = rf"(?:(?:{'|'.join(_TENS[2:])})(?:[ -](?:{_ONES}))?|{'|'.join(_CARDINALS[10:20])}|{_ONES})"
"""The pattern of a number below 100 in words, in either case."""
EAST_ASIAN = "[〇零一二三四五六七八九十百]"  # the pattern of a digit of a Chinese numeral
_CHINESE_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")
_CHINESE = re.compile(r"chinese|taiwaneseCounting|cjk-ideographic")
_EAST_ASIAN_FORMS = {
    "japaneseCounting": (_EAST_ASIAN[0], "", "十百千"),
    "koreanCounting": ("일이삼사오육칠팔구십백천", "", "십백천"),
    "chineseLegalSimplified": ("壹贰叁肆伍陆柒捌玖拾佰仟", "零", ""),
    "ideographLegalTraditional": ("壹貳參肆伍陸柒捌玖拾佰仟", "零", ""),
    "japaneseLegal": ("壱弐参四伍六七八九拾百阡", "", ""),
}  # the arguments of `_east_asian`
_PATTERNS = {"decimalZero": "{:02}", "numberInDash": "- {} -", "hex": "{:X}"}
_ENCLOSED = {
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), "①⑳"),
    **{"decimalEnclosedFullstop": "⒈⒛", "decimalEnclosedParen": "⑴⒇", "ideographEnclosedCircle": "㊀㊉"},
}  # the first and the last of the numbers that are one sign; those after the last are in digits
_REPEATED = ("Letter", "Greek", "russian", "chicago", "ganada", "arabicAbjad")
_ALPHABETS = read_words("alphabets")
_PLACES = [digit * 10**place for place in range(4) for digit in range(1, 10)]
"""The values of letters, in their order, where each stands for ones, tens, hundreds or thousands."""


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ADDED = {"Roman": _ROMAN} | {
    kind: sorted(zip(_PLACES, numerals.split("|"), strict=False), reverse=True)
    for kind, numerals in read_words("numerals").items()
}  # the numerals whose values are added, from the largest
_SIGNS = {"": "0123456789"} | read_words("digits")  # signs of formats that write digit by digit, from 0
_DIGITS = {numeral: value for value, numeral in _ROMAN if len(numeral) == 1}
"""The values of the single digits of Roman numerals."""
_VALUES = {_cardinal(n).lower(): n for n in range(1, 100)} | {_east_asian(n): n for n in range(1, 1000)}
