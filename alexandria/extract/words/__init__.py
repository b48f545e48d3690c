"""Lists of words and signs, as text files: one word or pattern a line, below the name of its list."""

from pathlib import Path

from alexandria.book.word_lists import read_lists


def read_words(file: str) -> dict[str, str]:
    """Return the lists in a file beside this one, each as the alternatives of a pattern, by their names."""
    lists = read_lists(Path(__file__).with_name(f"{file}.txt"))
    return {name: "|".join(lines) for name, lines in lists.items()}
