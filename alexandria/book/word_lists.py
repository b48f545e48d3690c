"""Lists of words, patterns and sentences in text files, each below its name."""

from pathlib import Path


def read_lists(path: Path) -> dict[str, list[str]]:
    """Return the lists in a text file, each as its lines, by their names.

    A line such as `== untitled` names the list that follows it. What comes before the first list says what
    they are for; a line that begins with `# ` is a remark.
    """
    named = (part.partition("\n") for part in path.read_text(encoding="utf-8").split("== ")[1:])
    return {
        name: [line for line in lines.split("\n") if line and not line.startswith("# ")]
        for name, _, lines in named
    }


def read_word_sets(path: Path) -> dict[str, frozenset[str]]:
    """Return the lists in a text file, each as the set of its words (between blanks), by their names."""
    return {name: frozenset(" ".join(lines).split()) for name, lines in read_lists(path).items()}
