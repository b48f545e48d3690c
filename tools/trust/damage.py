"""Damages single files of a library, and checks that each damage is harmless, reported or found, and mended.

    python -m tools.trust.damage --runs 500           over both kinds of folder

Each run changes one file: a bit, zeros, cut off, deleted, emptied, or replaced by another file of the
library. Every command that reads must then answer as before (numbers up to 0.00002), or end with exit code 5
and one error that names the library or the book, and the fix; an answer that differs must be found by
`verify`. No signal, no traceback, no panic. Then `repair` must bring back what was stored, ids and
payloads, or name `restore`.
"""

import argparse
import json
import os
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from tests.store.crash import in_fork
from tools.trust.campaign import Campaign, run_command
from tools.trust.operations import PREFIXES, stored

MAX_VECTOR_CHANGE = 2e-5
"""How much a number of a vector may change before `verify` finds it; no score shows a smaller change."""
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
PAGE = 4096
"""Bytes that are overwritten with zeros: a page of memory."""
READINGS: dict[str, list[str]] = {
    "list": ["list", "--json"],
    "search": ["search", "{words}", "--json"],
    "bm25": ["search", "{words}", "--mode", "bm25", "--json"],
    "filtered": ["search", "{words}", "--book", "book2", "--json"],
    "show": ["show", "{book}", "--json"],
    "read": ["read", "{book}", "1"],
    "find": ["find", "{words}", "--json"],
    "chunk": ["inspect", "{book}", "--chunk", "1"],
    "inspect": ["inspect", "{book}", "--json"],
    "export": ["export", "-", "--format", "jsonl"],
    "status": ["status"],
    "backup": ["backup", "{scratch}/backup.zip"],
    "copy": ["copy", "--to", "{scratch}/copy"],
    "verify": ["verify", "--json"],
}
_OUTPUTS = "backup.zip", "copy"
"""What these commands leave in the scratch folder."""
_FAULTS = "Traceback", "Panic", "panicked", "bug in Alexandria", "Exception ignored"


@dataclass(frozen=True, slots=True)
class Answer:
    """How one command ended."""

    code: int
    """Its exit code; negative for a signal."""
    output: str
    errors: str

    def fault(self, folder: Path) -> str | None:
        """Return what is wrong with how the command ended; an error must name the library and the fix."""
        words = next((word for word in _FAULTS if word in self.errors), None)
        if words:
            return f"says {words!r}"
        if self.code not in (0, 5):
            return f"exit {self.code}"
        printed = f"{self.errors}{self.output}"
        if self.code and not re.search("alexandria (verify|repair|restore|ingest)|--store", printed):
            return "no fix is named"
        if self.code and not re.search(f'{folder}|“book[0-9]|"book[0-9]', printed):
            return "neither the library nor a book is named"
        return None

    def names_no_book(self) -> bool:
        """Return whether the command found no book by its name, as when the book's record is lost."""
        return self.code == 2 and re.search("no book (matches|passes)", self.errors) is not None


@dataclass(frozen=True, slots=True)
class Trial:
    """A library to damage, and what the commands answer while it is sound."""

    campaign: Campaign
    expected: dict[str, Answer]

    @classmethod
    def of(cls, campaign: Campaign) -> "Trial":
        """Ask each command once."""
        trial = cls(campaign, {})
        trial._fill()
        in_fork(trial._write_points)
        trial.expected.update(trial._ask())
        unsound = {name: answer for name, answer in trial.expected.items() if answer.code}
        if unsound:
            raise AssertionError(f"of a sound library: {unsound}")
        return trial

    @property
    def folder(self) -> Path:
        """Return the folder that is damaged, always the same."""
        return self.campaign.scratch / "library"

    @property
    def address(self) -> str:
        """Return its address."""
        return self.campaign.address(self.folder)

    @property
    def _points_file(self) -> Path:
        return self.campaign.scratch / "points.json"

    def _fill(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.campaign.shelf.prepare(self.campaign.operation, self.campaign.kind, self.folder)

    def run(self) -> tuple[str, str, str]:
        """Damage one file; return the class of the outcome, the damage, and what was wrong, if anything."""
        self._fill()
        damage = damage_file(self.folder, self.campaign.rng)
        answers = self._ask()
        verified = answers["verify"].code == 0
        faults = [
            f"{name}: {fault}"
            for name, answer in answers.items()
            if (fault := answer.fault(self.folder)) and (verified or not answer.names_no_book())
        ]
        refused = [name for name, answer in answers.items() if answer.code and name != "verify"]
        changed = [
            name
            for name, answer in answers.items()
            if not answer.code and not _is_same(answer.output, self.expected[name].output)
        ]
        if changed and verified:
            faults.append(f"{', '.join(changed)} answer otherwise, and verify finds nothing")
        kind = "refused" if "list" in refused else "found"
        if not refused and verified:
            kind = "harmless"
        mended = self._repair(faults, harmless=kind == "harmless")
        return f"{kind}, {mended}", damage, "; ".join(faults)

    def _repair(self, faults: list[str], *, harmless: bool) -> str:
        """Repair the library and return how that ended; what is wrong is added to `faults`."""
        answer = self._answer("repair", ["repair", *map(str, self.campaign.shelf.books)])
        if fault := answer.fault(self.folder):
            faults.append(f"repair: {fault}: {answer.errors[-1500:]}")
        if answer.code:
            if not re.search("alexandria (restore|repair)", answer.errors):
                faults.append(f"repair: fails, and does not name restore: {answer.errors[-1500:]}")
            return "not mended"
        try:
            in_fork(self._compare)
        except RuntimeError:
            faults.append("repair: succeeds, and other points are stored")
            return "not mended"
        if harmless:
            return "as it was"
        after = {name: answer for name, answer in self._ask().items() if answer.code}
        faults += [f"after repair: {name}: {answer.errors[-800:]}" for name, answer in after.items()]
        return "mended"

    def _write_points(self) -> None:
        self._points_file.write_text(json.dumps(_points(self.address)))

    def _compare(self) -> None:
        if json.dumps(_points(self.address)) != self._points_file.read_text():
            raise AssertionError("the points are not those that were stored")

    def _ask(self) -> dict[str, Answer]:
        return {name: self._answer(name, words) for name, words in READINGS.items()}

    def _answer(self, name: str, words: list[str]) -> Answer:
        scratch = self.campaign.scratch
        for made in _OUTPUTS:
            shutil.rmtree(scratch / made, ignore_errors=True)
            (scratch / made).unlink(missing_ok=True)
        text = self.campaign.shelf.books[1].read_text().split()
        values = {"words": " ".join(text[40:46]), "book": "book1", "scratch": str(scratch)}
        command = [word.format(**values) for word in words]
        output, errors = scratch / "output", scratch / "errors"
        code = run_command([*command, "--store", self.address], scratch / "cache", output, errors)
        return Answer(
            code, _normal(name, output.read_text(errors="replace")), errors.read_text(errors="replace")
        )


def _points(address: str) -> list[tuple[str, str]]:
    """Return id and digest of every point: vectors that a repair copies are rounded once more."""
    return [(id, digest) for id, digest, _ in stored(address)]


def _normal(name: str, output: str) -> str:
    """Return an output without what differs each time."""
    return "" if name in ("backup", "copy", "status") else output


def _is_same(output: str, expected: str) -> bool:
    """Return whether two outputs are the same, except for numbers that differ by less than `verify` finds."""
    if output == expected:
        return True
    if _NUMBER.sub("", output) != _NUMBER.sub("", expected):
        return False
    pairs = zip(_NUMBER.findall(output), _NUMBER.findall(expected), strict=True)
    return all(a == b or abs(float(a) - float(b)) < MAX_VECTOR_CHANGE for a, b in pairs)


def damage_file(folder: Path, rng: random.Random) -> str:
    """Damage one file of a folder; return what was done to which."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    file = rng.choice(files)
    name = rng.choice([name for name in DAMAGES if file.stat().st_size or name in ("deleted", "replaced")])
    detail = DAMAGES[name](file, files, rng)
    return f"{name} {file.relative_to(folder)} {detail}"


def _somewhere(file: Path, rng: random.Random) -> int:
    """Return a position in a file; four times in five, one whose byte is not zero."""
    content = file.read_bytes()
    if rng.random() < 0.8 and (filled := content.rstrip(b"\0")):
        starts = [i for i in range(0, len(filled), PAGE) if any(filled[i : i + PAGE])]
        start = rng.choice(starts)
        return rng.choice([i for i in range(start, min(start + PAGE, len(filled))) if filled[i]])
    return rng.randrange(len(content))


def _flip(file: Path, files: list[Path], rng: random.Random) -> str:
    place, bit = _somewhere(file, rng), rng.randrange(8)
    with file.open("r+b") as opened:
        opened.seek(place)
        value = opened.read(1)[0]
        opened.seek(place)
        opened.write(bytes([value ^ 1 << bit]))
    return f"at {place}, bit {bit}"


def _zero(file: Path, files: list[Path], rng: random.Random) -> str:
    place = _somewhere(file, rng) // PAGE * PAGE
    n_bytes = min(PAGE, file.stat().st_size - place)
    with file.open("r+b") as opened:
        opened.seek(place)
        opened.write(bytes(n_bytes))
    return f"{n_bytes} bytes at {place}"


def _cut(file: Path, files: list[Path], rng: random.Random) -> str:
    size = _somewhere(file, rng)
    os.truncate(file, size)
    return f"to {size}"


def _delete(file: Path, files: list[Path], rng: random.Random) -> str:
    file.unlink()
    return ""


def _replace(file: Path, files: list[Path], rng: random.Random) -> str:
    twins = [other for other in files if other.name == file.name and other != file]
    other = rng.choice(twins if twins and rng.random() < 0.5 else files)
    content = other.read_bytes()
    file.write_bytes(content)
    return f"by {other.relative_to(os.path.commonpath(files))}"


def _empty(file: Path, files: list[Path], rng: random.Random) -> str:
    os.truncate(file, 0)
    return ""


DAMAGES: dict[str, Callable[[Path, list[Path], random.Random], str]] = {
    "bit": _flip,
    "zeros": _zero,
    "cut": _cut,
    "deleted": _delete,
    "replaced": _replace,
    "emptied": _empty,
}


def damage_often(kind: str, n_runs: int, *, seed: int) -> int:
    """Damage a library of one kind `n_runs` times, print the outcomes, and return how often one was wrong."""
    classes: Counter[str] = Counter()
    n_wrong = 0
    with Campaign.prepared(kind, "again", seed=seed) as campaign:
        trial = Trial.of(campaign)
        for number in range(n_runs):
            end, damage, wrong = trial.run()
            classes[end] += 1
            if wrong:
                n_wrong += 1
                print(f"{kind} run {number}: {damage} ({end})\n    {wrong}", file=sys.stderr, flush=True)
    print(f"{kind:>6} {n_runs} damages, {n_wrong} wrong:", dict(sorted(classes.items())), flush=True)
    return n_wrong


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=500, help="over both kinds of folder")
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    kinds = chosen.kind or list(PREFIXES)
    n_runs = ceil(chosen.runs / len(kinds))
    sys.exit(sum(damage_often(kind, n_runs, seed=chosen.seed) for kind in kinds) > 0)


if __name__ == "__main__":
    main()
