"""Numbers as labels of notes and lists: in letters, in Roman numerals, and the value of a Roman one."""

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


def format_number(n: int, format: str) -> str:
    """Return a number, from 1 on, as Word and browsers print it: letters, Roman numerals or digits.

    Letters are repeated after Z: AA, BB, …, AAA. What has no such form, such as 0, is in digits.

    Args:
        n: the number.
        format: `lowerLetter`, `upperRoman`, …; `decimalZero` writes 01, `ordinal` 1st.
    """
    if format == "decimalZero":
        return f"{n:02}"
    if format == "ordinal":
        return f"{n}{_ORDINAL_ENDS.get(n % 10, 'th') if n % 100 not in (11, 12, 13) else 'th'}"
    if not 0 < n < _MAX_NUMERAL:
        return str(n)
    if format.endswith("Letter"):
        letters = chr(ord("a") + (n - 1) % 26) * ((n - 1) // 26 + 1)
        return letters.upper() if format.startswith("upper") else letters
    if format.endswith("Roman"):
        roman = ""
        for value, numeral in _ROMAN:
            count, n = divmod(n, value)
            roman += numeral * count
        return roman.upper() if format.startswith("upper") else roman
    return str(n)


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_DIGITS = {numeral: value for value, numeral in _ROMAN if len(numeral) == 1}
