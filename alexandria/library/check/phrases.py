"""What manuscripts say around quotations: the patterns of `phrases.txt`, by the names of their lists."""

from pathlib import Path

from alexandria.book.word_lists import read_lists

PHRASES = {name: "|".join(lines) for name, lines in read_lists(Path(__file__).with_suffix(".txt")).items()}
"""The patterns of each list as alternatives."""
