"""Changes one place of the program at a time, at random, and says whether the tests of its room notice.

    python -m tools.mutants --seed 7 --count 40

A place is a comparison, an `and`, an `or`, a `not`, a number, or `+` and `-`. What is changed is a copy of
the checkout in a temporary folder, with the virtual environment of this one.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = {
    "extract": ["extract", "reading", "test_golden.py", "test_samples.py"],
    "chunking": ["chunking", "inspection", "test_sentences.py", "test_golden.py", "test_pipeline.py"],
    "library/search": ["query", "passages", "library", "check"],
    "store": ["store", "library", "query", "batch"],
}
"""By room of the package, the tests of it and of its callers."""
SHARED = os.environ.get("ALEXANDRIA_SHARED_DATA", str(ROOT.parent / "shared" / "data"))
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
ADDED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


def changes(node: ast.AST) -> Iterator[Callable[[], object]]:
    """Yield what would change a place."""
    match node:
        case ast.Compare(ops=[ast.cmpop() as compared]) if type(compared) in COMPARED:
            yield lambda: setattr(node, "ops", [COMPARED[type(compared)]()])
        case ast.BoolOp():
            yield lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
        case ast.BinOp(op=ast.operator() as added, right=ast.Constant(value=int())) if type(added) in ADDED:
            yield lambda: setattr(node, "op", ADDED[type(added)]())
        case ast.Constant(value=bool()):
            yield lambda: setattr(node, "value", not node.value)
        case ast.Constant(value=int() | float() as value):
            yield lambda: setattr(node, "value", value + 1 if isinstance(value, int) else value * 1.5)


def places(path: Path) -> list[tuple[int, str]]:
    """Return each line of a module that can be changed, with the module as it then is."""
    source, mutants = path.read_text(encoding="utf-8"), list[tuple[int, str]]()
    n = sum(1 for node in ast.walk(ast.parse(source)) for _ in changes(node))
    for number in range(n):
        tree = ast.parse(source)
        node, change = [(node, change) for node in ast.walk(tree) for change in changes(node)][number]
        change()
        mutants.append((getattr(node, "lineno", 0), ast.unparse(ast.fix_missing_locations(tree))))
    return mutants


def failure(checkout: Path, room: str) -> str:
    """Return which test of a room fails, or that a module cannot even be imported; empty if all pass."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "HF_HUB_OFFLINE": "1"}
    environment["ALEXANDRIA_SHARED_DATA"] = SHARED
    runs = [
        ("not shared", ROOMS[room]),
        ("shared", ["extract/test_shelf.py"]),
    ]  # of the shared folder, if any
    for marked, names in runs if room == "extract" else runs[:1]:
        files = [f"tests/{name}" for name in names]
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-m", marked, *files]
        done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=False)
        if done.returncode in (1, 2):  # 2: interrupted, by -x in a worker
            lines = done.stdout.decode().splitlines()
            return next((line for line in lines if line.startswith(("FAILED", "ERROR"))), "no test ran")
    return ""


def main() -> None:
    """Draw places, change each, and print which changes no test has noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    drawn, n_killed = random.Random(options.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder, "checkout")
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".*", "__pycache__"), symlinks=True)
        for room in ROOMS:  # otherwise each change there would count as noticed
            if failed := failure(checkout, room):
                raise SystemExit(f"the tests of {room} fail without a change: mend them first\n{failed}")
        for number in range(1, options.count + 1):
            mutants = list[tuple[int, str]]()
            while not mutants:  # a module may have no such place
                room = drawn.choice(sorted(ROOMS))
                path = drawn.choice(sorted(checkout.glob(f"alexandria/{room}/**/*.py")))
                mutants = places(path)
            line, mutant = drawn.choice(mutants)
            source = path.read_text(encoding="utf-8")
            path.write_text(mutant, encoding="utf-8")
            noticed_by = failure(checkout, room)
            path.write_text(source, encoding="utf-8")
            n_killed += bool(noticed_by)
            where = f"{path.relative_to(checkout)}:{line}"
            print(
                f"{number:3} {'noticed' if noticed_by else 'LIVES'}  {where}  {noticed_by[:100]}", flush=True
            )
    print(f"{n_killed} of {options.count} are noticed")


if __name__ == "__main__":
    main()
