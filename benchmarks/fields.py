"""How often `--domain auto` is right, says `default`, or is wrong, as a Markdown table.

    python -m benchmarks.fields [NAME=FOLDER]...

`fields.psv` names the files and, for each, the fields that a person calls right. The first part of a name is
that of a folder: `samples` and `shared` are known; name others, such as brown=FOLDER, to include them. A file
belongs to one half by the hash of its work's name. The words and weights were set on the first half.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from alexandria.chunking.domains import guess_field
from alexandria.errors import BookError
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.library.ingest.one_book import read

ROOT = Path(__file__).parents[1]
LABELS = Path(__file__).with_suffix(".psv")
FOLDERS = {"samples": ROOT / "samples", "shared": ROOT.parent / "shared" / "data"}
HALVES = ("fitted to", "held out")
_WORKS = re.compile(  # several files each
    "moby-dick|prince|frankenstein|russell|darwin|alice|debian-gnu|devils|entre-nous|kafka-m|kafka-d|dhammapada|pypdf"
)
_SEEN = re.compile("anarchism|debian-handbook|debian-history|rust")
"""Packages whose files were partly seen when the words were chosen: all of them are in the first half."""


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """A file, and the fields that a person would accept for it."""

    name: str
    fields: tuple[str, ...]

    @property
    def half(self) -> str:
        """Return which half the file belongs to; all files of one work belong to the same."""
        file = self.name.rpartition("/")[2].lower()
        package, _, rest = file.partition("__")
        stem = package if rest else re.sub(r"\.\w+$", "", file)
        if _SEEN.fullmatch(package):
            return HALVES[0]
        work = _WORKS.search(stem)
        return HALVES[sha256((work[0] if work else stem).encode()).digest()[0] & 1]

    @property
    def set_name(self) -> str:
        """Return the name of the set that the file is counted in."""
        kind, _, file = self.name.partition("/")
        return f"brown, {'fiction' if file[0] in 'KLMNP' else 'other'}" if kind == "brown" else "books"


def read_labels(folders: dict[str, Path]) -> Iterator[tuple[LabelledFile, Path]]:
    """Yield the files whose folder is known, in the order of the list."""
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, fields = line.partition("|")
            kind, _, file = name.partition("/")
            if kind in folders:
                yield LabelledFile(name, tuple(fields.split())), folders[kind] / file


def main() -> None:
    """Print the table, then each wrong guess."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", metavar="NAME=FOLDER")
    named = {
        name: Path(folder)
        for name, _, folder in (word.partition("=") for word in parser.parse_args().folders)
    }
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(("right", "default", "wrong"), 0)
    )
    wrong = []
    with IsolatedReader() as reader:
        for file, path in read_labels(FOLDERS | named):
            try:
                guess = guess_field(read(path, reader=reader))
            except BookError as error:  # not a book that can be read
                print(f"not read: {file.name}: {error.why}")
                continue
            if guess.domain == "default":
                verdict = "default"
            else:
                verdict = "right" if guess.domain in file.fields else "wrong"
            counts[file.set_name, file.half][verdict] += 1
            if verdict == "wrong":
                wrong.append(f"{file.name}: {guess}; right: {', '.join(file.fields) or 'default'}")
    print("| files | half | right | `default` | wrong |\n|---|---|--:|--:|--:|")
    for (kind, half), row in sorted(counts.items()):
        print(f"| {kind} | {half} | {row['right']} | {row['default']} | {row['wrong']} |")
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
