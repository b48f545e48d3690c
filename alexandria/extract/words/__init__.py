"""Lists of words and signs, as text files: one word or pattern a line, below the name of its list."""

from pathlib import Path


def read_words(file: str) -> dict[str, str]:
    """Return the lists in a file beside this one, each as the alternatives of a pattern, by their names.

    A line such as `== untitled` names the list that follows it.
    """
    text = Path(__file__).with_name(f"{file}.txt").read_text(encoding="utf-8")
    named = (part.partition("\n") for part in text.split("== ")[1:])
    return {name: "|".join(filter(None, lines.split("\n"))) for name, _, lines in named}
