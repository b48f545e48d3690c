"""What *strong*, *fair* and *weak* are worth: how many first hits of each answer, by kind of question.

    python -m benchmarks.strength LIBRARY QUESTIONS.jsonl... [--mode MODE]

A row of QUESTIONS has `question`, `kind` and `quotes`: a hit answers if it holds half of a quote, letters and
digits alone. Rows without quotes are questions that no book of the library answers. Tables are Markdown.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import alexandria
from alexandria.book.choices import ModeName
from alexandria.library.care.calibration import answers
from alexandria.store.passage import LINE, STRONG, Strength

BINS = (0.0, 0.1, 0.2, LINE, 0.6, STRONG, 0.9)
_WORDS = (Strength.STRONG, Strength.FAIR, Strength.WEAK)

Judged = tuple[str, float, Strength, bool]
"""The kind of a question, the relevance and the strength of its first hit, and whether it answers."""


def ask(folder: Path, files: Sequence[Path], mode: ModeName) -> list[Judged]:
    """Return the first hit of each question, judged."""
    judged: list[Judged] = []
    with alexandria.open(folder) as library:
        for line in "".join(file.read_text() for file in files).splitlines():
            row = json.loads(line)
            hits = library.search(row["question"], limit=1, mode=mode).hits
            if hits and hits[0].relevance is not None and hits[0].strength:
                right = answers(hits[0].text, row["quotes"])
                judged.append((row["kind"], hits[0].relevance, hits[0].strength, right))
    return judged


def share(rights: Sequence[bool]) -> str:
    return f"{sum(rights)} of {len(rights)}" if rights else "–"


def by_kind(judged: Sequence[Judged]) -> list[str]:
    """Return a table: of the first hits called strong, fair and weak, those that answer."""
    groups: dict[str, dict[Strength, list[bool]]] = defaultdict(lambda: {word: [] for word in _WORDS})
    for kind, _, strength, right in judged:
        groups[kind][strength].append(right)
        groups["*all*"][strength].append(right)
    head = [f"| | {' | '.join(_WORDS)} | of the right ones strong |", "|---|--:|--:|--:|--:|"]
    return head + [
        f"| {kind} | {' | '.join(share(by_word[word]) for word in _WORDS)} "
        f"| {sum(by_word[Strength.STRONG])} of {sum(map(sum, by_word.values()))} |"
        for kind, by_word in sorted(groups.items())
    ]


def reliability(judged: Sequence[Judged]) -> list[str]:
    """Return a table: what was promised and what was right, by relevance."""
    rows = ["| relevance | hits | mean | right |", "|---|--:|--:|--:|"]
    for low, high in zip(BINS, (*BINS[1:], 1.01), strict=True):
        inside = [(relevance, right) for _, relevance, _, right in judged if low <= relevance < high]
        if inside:
            mean, right = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            rows.append(f"| {low:.2f} to {min(high, 1):.2f} | {len(inside)} | {mean:.2f} | {right:.2f} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.strength", description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("--mode", default="hybrid")
    arguments = parser.parse_args()
    judged = ask(arguments.library, arguments.questions, arguments.mode)
    print("\n".join([*by_kind(judged), "", *reliability(judged)]))


if __name__ == "__main__":
    main()
