"""What a question costs, warm and in a terminal, beside another checkout of this repository.

    python -m benchmarks.asking_speed LIBRARY QUESTIONS.jsonl [--beside CHECKOUT] [--turns 3]

QUESTIONS has one JSON object a line, with the key `question`. Both checkouts take turns, each in a process of
its own; of each figure the least of all turns counts, in milliseconds of processor time: other programs may
be using the processors.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parents[1]
WARM = """
import json, sys, time
import alexandria

questions = [json.loads(line)["question"] for line in open(sys.argv[2], encoding="utf-8")]
with alexandria.open(sys.argv[1]) as library:
    for question in questions[:10]:
        library.search(question)
    times = []
    for question in questions:
        began = time.process_time()
        library.search(question)
        times.append(1000 * (time.process_time() - began))
times.sort()
shares = {"p50": 0.5, "p95": 0.95}
print(json.dumps({name: times[int(share * len(times))] for name, share in shares.items()}))
"""
COMMANDS = {
    "--version": ["--version"],
    "list": ["list"],
    "search": ["search", "what is justice"],
}


def cost_of(checkout: Path, arguments: Sequence[str]) -> tuple[float, str]:
    """Return the processor time of a run of Python in a checkout, in milliseconds, and what it printed."""
    before = os.times()
    environment = {**os.environ, "PYTHONPATH": str(checkout), "HF_HUB_OFFLINE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each run compiles every module
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    after = os.times()
    return 1000 * sum(after[2:4]) - 1000 * sum(before[2:4]), done.stdout


def figures_of(checkout: Path, library: str, questions: str) -> Mapping[str, float]:
    """Return each figure of a checkout, in milliseconds of processor time."""
    figures = dict(json.loads(cost_of(checkout, ["-c", WARM, library, questions])[1]))
    for name, command in COMMANDS.items():
        place = [] if name == "--version" else ["--store", library]
        figures[name] = min(cost_of(checkout, ["-m", "alexandria", *command, *place])[0] for _ in range(3))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("questions")
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    checkouts = [HERE, *([options.beside.resolve()] if options.beside else [])]
    library, questions = (str(Path(path).resolve()) for path in (options.library, options.questions))
    best: dict[tuple[Path, str], float] = {}
    for _ in range(options.turns):
        for checkout in checkouts:
            for name, value in figures_of(checkout, library, questions).items():
                best[checkout, name] = min(value, best.get((checkout, name), value))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors")
    for name in ["p50", "p95", *COMMANDS]:
        values = [best[checkout, name] for checkout in checkouts]
        ratio = f"  {values[0] / values[1]:.2f} ×" if len(values) > 1 else ""
        print(f"{name:10}" + "".join(f"{value:9.1f}" for value in values) + ratio)


if __name__ == "__main__":
    main()
