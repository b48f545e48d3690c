"""Roman numerals, read as they are written, and in the long forms of clocks and old books."""

from alexandria.extract.numerals import format_number, numeral_value, roman_value


def test_a_written_numeral_is_read_as_its_number() -> None:
    for format in ("lowerRoman", "upperRoman"):
        assert all(roman_value(format_number(n, format)) == n for n in range(1, 4000))


def test_long_forms_are_read() -> None:
    cases = [("IIII", 4), ("VIIII", 9), ("XXXX", 40)]
    for numeral, value in cases:
        assert roman_value(numeral) == value


def test_numbers_are_written_as_programs_print_them() -> None:
    cases = [
        *(
            (3, "lowerLetter", "c"),
            (28, "upperLetter", "BB"),
            (2, "lowerGreek", "β"),
            (3, "russianUpper", "В"),
        ),
        *((10, "chineseCounting", "十"), (12, "japaneseCounting", "十二"), (20, "ideographDigital", "二〇")),
        *(
            (103, "chineseCountingThousand", "一百零三"),
            (110, "cjk-ideographic", "一百一十"),
            (2, "cardinalText", "Two"),
            (42, "cardinalText", "Forty-two"),
            *(
                (n, "ordinalText", written)
                for n, written in ((1, "First"), (12, "Twelfth"), (40, "Fortieth"))
            ),
            (21, "ordinalText", "Twenty-first"),
        ),
        *((11, "aiueoFullWidth", "サ"), (3, "aiueo", "ｳ"), (2, "irohaFullWidth", "ロ"), (5, "iroha", "ﾎ")),
        *((3, "ideographTraditional", "丙"), (12, "ideographZodiac", "亥"), (11, "ideographTraditional", "")),
        *((12, "ideographZodiacTraditional", "乙亥"), (110, "japaneseCounting", "百十")),
        *((12, "koreanCounting", "십이"), (21, "koreanLegal", "스물하나"), (20, "koreanDigital", "이영")),
        *((10, "chineseLegalSimplified", "壹拾"), (23, "ideographLegalTraditional", "貳拾參")),
        *((3, "japaneseLegal", "参"), (2, "chosung", "ㄴ"), (3, "arabicAlpha", "ت"), (3, "thaiLetters", "ค")),
        *((15, "hebrew1", "טו"), (2, "hebrew2", "ב"), (23, "hebrew2", ""), (12, "hindiNumbers", "१२")),
        *((3, "decimalEnclosedParen", "⑶"), (2, "ideographEnclosedCircle", "㊁"), (6, "chicago", "††")),
        *((12, "decimalFullWidth", "１２"), (2, "numberInDash", "- 2 -"), (26, "hex", "1A")),
        *((1, "hindiVowels", ""), (2, "bahtText", ""), (3, "custom", ""), (3, "", "3"), (3, "decimal", "3")),
        *((15, "hebrew", "טו"), (17, "hebrew", "יז"), (21, "armenian", "ԻԱ"), (1999, "georgian", "ჩშჟთ")),
        *((12, "arabic-indic", "١٢"), (3, "thai", "๓"), (3, "ganada", "다"), (12, "upperRoman", "XII")),
        *((2, "decimalEnclosedCircle", "②"), (21, "decimalEnclosedCircle", "21"), (0, "lowerGreek", "0")),
    ]
    for n, format, written in cases:
        assert format_number(n, format) == written


def test_a_number_in_any_script_has_its_value() -> None:
    cases = [
        *(("21", 21), ("٧", 7), ("xiv", 14), ("seven", 7), ("Twenty-one", 21), ("ninety nine", 99)),
        *(("十二", 12), ("二三", 23), ("一百零三", 103), ("salt", 0), ("百百", 0)),
    ]
    for number, value in cases:
        assert numeral_value(number) == value
