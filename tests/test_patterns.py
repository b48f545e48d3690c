"""Patterns that are compiled when they are first used."""

import re
from copy import copy

import pytest

from alexandria.book.patterns import pattern


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error, match="unterminated"):
        wrong.search("(")


def test_it_then_does_what_a_compiled_one_does() -> None:
    words, same = pattern("[a-z]+", re.IGNORECASE), re.compile("[a-z]+", re.IGNORECASE)
    for _ in range(2):
        assert words.findall("Aa, b") == same.findall("Aa, b") == ["Aa", "b"]
        assert words.sub("x", "Aa, b") == same.sub("x", "Aa, b")
        assert (words.pattern, words.flags) == (same.pattern, same.flags)
    assert copy(words).search("1a").span() == (1, 2)  # type: ignore[union-attr]
    assert copy(pattern("a")).fullmatch("a")
