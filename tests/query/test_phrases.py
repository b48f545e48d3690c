"""Quoted words: a passage has them as whole words, whatever stands between."""

from alexandria.library.search.phrases import _contains_all, phrases_of


def test_a_phrase_is_found_in_whole_words() -> None:
    cases = [
        ('"white whale"', "the White Whale, which", True),
        ('"white whal"', "the White Whale, which", False),
        ('"hite whale"', "the White Whale, which", False),
        ('"white whale"', "off-white whale; white whales", True),  # a hyphen divides words
        ('"whale"', "whales and a whale", True),  # the second occurrence counts
        ('"1848"', "in 18481 and 1848.", True),
        ('"1848"', "in 18481", False),
        ("“daß er”", "dass er kam", True),
        ("“吾輩は猫”", "「吾輩は猫である」", True),  # words are not spaced
        ('"the sea" "the ship"', "the sea, and a ship", False),
    ]
    for query, text, expected in cases:
        assert _contains_all(text, phrases_of(query)) is expected
