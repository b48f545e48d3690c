"""The real books of the shared folder: the account of the words of each closes."""

import os
from pathlib import Path

import pytest

from alexandria.errors import AlexandriaError
from tests.conftest import ROOT
from tests.real import read_once
from tools.account import balance
from tools.dumps import dump

pytestmark = pytest.mark.shared

FOLDER = Path(os.environ.get("ALEXANDRIA_SHARED_DATA", ROOT.parent / "shared" / "data"))
BOOKS = sorted(
    path.relative_to(FOLDER).as_posix()
    for folder, suffix in (("epub", ".epub"), ("txt", ".txt"), ("pdf", ".pdf"))
    for path in (FOLDER / folder).glob(f"*{suffix}")
)
MOST_UNEXPLAINED = 0.001
"""Of the words of a file: a thousandth."""


@pytest.mark.parametrize("name", BOOKS)
def test_every_word_of_a_file_is_read_or_left_out_by_name(shared_data: Path, name: str) -> None:
    try:
        book = read_once(shared_data / name)
    except AlexandriaError:
        pytest.skip("refused, as other tests check")
    entry = balance(dump(shared_data / name, book.format), book)
    assert entry.share <= MOST_UNEXPLAINED, (entry.left_out, entry.nowhere, entry.added)
