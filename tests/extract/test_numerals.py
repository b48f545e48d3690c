"""Roman numerals, read as they are written, and in the long forms of clocks and old books."""

import pytest

from alexandria.extract.numerals import format_number, roman_value


def test_a_written_numeral_is_read_as_its_number() -> None:
    for format in ("lowerRoman", "upperRoman"):
        assert all(roman_value(format_number(n, format)) == n for n in range(1, 4000))


@pytest.mark.parametrize(("numeral", "value"), [("IIII", 4), ("VIIII", 9), ("XXXX", 40)])
def test_long_forms_are_read(numeral: str, value: int) -> None:
    assert roman_value(numeral) == value
