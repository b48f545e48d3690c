"""Libraries that another user may not read or write.

Where all may be read, a copy is; others are refused by name, and not taken for damaged.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import alexandria
from tests.store.crash import NEW, write_books

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser can become another user"
)
NOBODY = 65534
KINDS = {"edge": "", "local": "local:"}
FOLDERS = {"edge": "library/books", "local": "library"}
"""The folder that is locked, of a library in `library`."""
CATALOGS = {"edge": "catalog.sqlite", "local": "collection/books/catalog.sqlite"}
POINTS = {"edge": "points", "local": "collection/books/storage.sqlite"}
AS_NOBODY = """
import os, shutil, sys
import alexandria
from alexandria.errors import AlexandriaError, DamagedError

def read(library):
    return len(library.books()), len(library.search("bonafu")), len(library.chunks("book0"))

def repair(library):
    return library.repair().is_rebuilt

def remove(library):
    return library.remove("book0").title

def act(address):
    for action in (read, repair, remove):
        try:
            with alexandria.open(address) as library:
                print(action.__name__, "succeeds:", action(library))
        except AlexandriaError as error:
            kind = "is damaged:" if isinstance(error, DamagedError) else "is refused:"
            print(action.__name__, kind, *str(error).split())

prefix, own, *libraries = sys.argv[1:]
act(f"{prefix}{own}/imports")  # imports all that is needed: only the superuser may be able to read that
print("as another user")
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for library in libraries:
    act(f"{prefix}{library}")
shutil.copytree(libraries[0], f"{own}/copy")
act(f"{prefix}{own}/copy")
"""


def give(folder: Path, kind: str) -> Path:
    """Give all that is in a library to the other user, and return its locked folder."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    return folder.parent / FOLDERS[kind]


def states(libraries: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Return size and time of change of all that is in these libraries, but for what notes their owner."""
    paths = (path for library in libraries for path in library.rglob("*"))
    return {
        path: (path.stat().st_size, path.stat().st_mtime_ns)
        for path in paths
        if path.is_file() and "owner" not in path.name
    }


WITHHELD: dict[str, Callable[[Path, str], object]] = {
    "entering the folder": lambda folder, kind: folder.chmod(0o600),
    "listing the folder": lambda folder, kind: folder.chmod(0o300),
    "writing the folder": lambda folder, kind: (folder / CATALOGS[kind]).parent.chmod(0o500),
    "the marker": lambda folder, kind: (folder / "alexandria.json").chmod(0),
    "the catalog": lambda folder, kind: (folder / CATALOGS[kind]).chmod(0),
    "the points": lambda folder, kind: (folder / POINTS[kind]).chmod(0),
    "the parent": lambda folder, kind: folder.parent.chmod(0),
}
"""What withholds a right on a library of the other user, given its locked folder and its kind."""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter: a run of pytest that begins closes those of all others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_is_read_without_the_right_to_write_and_refused_by_name_without_other_rights(
    open_folder: Path, kind: str
) -> None:
    own = open_folder / "own"
    own.mkdir()
    os.chown(own, NOBODY, NOBODY)
    [book] = write_books(open_folder, n_books=1, n_words=300)
    alexandria.ingest([book], store=f"{KINDS[kind]}{own / 'imports'}", options=NEW)
    libraries = [open_folder / str(number) / "library" for number in range(len(WITHHELD) + 2)]
    for library in libraries:
        shutil.copytree(own / "imports", library)
    # The first one stays the superuser's.
    for library, withhold in zip(libraries[1:], WITHHELD.values(), strict=False):
        withhold(give(library, kind), kind)
    (give(libraries[-1], kind) / CATALOGS[kind]).chmod(0o400)
    before = states(libraries[:-1])

    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, KINDS[kind], str(own), *map(str, libraries)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(own), "ALEXANDRIA_CACHE": str(own / "cache")},
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.partition("as another user\n")[2].splitlines()
    acts = {str(library): [lines.pop(0) for _ in range(3)] for library in libraries}
    *withheld, read_only = acts
    for place, name in zip(withheld, ("writing anything", *WITHHELD), strict=True):
        refused = acts[place]
        if name.startswith("writing"):  # all may be read: its copy is
            read, repair, *refused = acts[place]
            assert read.startswith("read succeeds: (1, "), name
            assert repair == "repair succeeds: False"
        for act in refused:
            assert "is refused" in act, (name, acts[place])
            assert place in act
            assert "copy the folder while nobody uses it" in act
    assert states(libraries[:-1]) == before
    assert done.stderr.count("may only be read") == 2  # each was copied once
    # A catalog that may only be read is read, and not changed.
    read, _, remove = acts[read_only]
    assert read.startswith("read succeeds: (1, ")
    assert "is refused" in remove
    # The remedy helps.
    assert lines[0].startswith("read succeeds: (1, ")
    assert lines[2] == "remove succeeds: book0"
