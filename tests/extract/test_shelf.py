"""The files of the shared folder, each read as it was when its line in `tests/golden/shelf` was written.

A line holds the bytes of a file as a hash, and what was read as figures and a hash. `make golden` writes the
lines anew where the folder is; the diff names each file that a change reads otherwise: only what was meant to
change may stand in it. A file with other bytes than held is another file, and is not compared.
"""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.errors import BookError
from alexandria.extract import folder_suffixes
from alexandria.show.json.inspection import extract_document
from tests.real import read_once
from tests.test_golden import GOLDEN, hold

pytestmark = pytest.mark.shared
# More than one test, so that they can be run in parallel.
FOLDERS = ("epub", "txt", "pdf", "cases", "cases4", "cases4-disc", "cases4-pdf", "quotations")


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_file_is_read_as_before(shared_data: Path, folder: str) -> None:
    suffixes, name = folder_suffixes(), f"shelf/{folder}.json"
    paths = [path for path in sorted((shared_data / folder).rglob("*")) if path.suffix.lower() in suffixes]
    books = {path.relative_to(shared_data).as_posix(): path for path in paths if path.stem != "README"}
    if os.environ.get("GOLDEN") == "write":
        hold(name, {place: [digest(path.read_bytes()), line_of(path)] for place, path in books.items()})
    held = json.loads((GOLDEN / name).read_text(encoding="utf-8"))
    known = [place for place, path in books.items() if digest(path.read_bytes()) == held.get(place, [""])[0]]
    assert known
    for place in known:
        assert (place, line_of(books[place])) == (place, held[place][1])


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def line_of(path: Path) -> str:
    """What a file holds in short, or the code of why it cannot be read."""
    try:
        book = replace(read_once(path), source=path.name)
    except BookError as error:
        return error.code
    text = json.dumps(extract_document(book), ensure_ascii=False, sort_keys=True)
    figures = f"{len(book.sections)} sections, {len(book.blocks)} blocks, {len(book.notes)} notes"
    return f"{figures}, {digest(text.encode('utf-8', 'surrogatepass'))}"
