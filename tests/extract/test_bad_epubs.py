"""The hostile and damaged EPUBs of the shared folder: refused with the code they deserve, or read."""

from pathlib import Path

import pytest

from alexandria.errors import BookError, Code
from alexandria.extract import extract
from tests.archives import unpack

pytestmark = pytest.mark.shared

REFUSED = {
    "drm-adept.prince.epub": Code.DRM,
    "drm-fairplay.prince.epub": Code.DRM,
    "empty.epub": Code.EMPTY,
    "empty-spine.prince.epub": Code.DAMAGED,
    "malformed-opf.prince.epub": Code.DAMAGED,
    "missing-opf.prince.epub": Code.DAMAGED,
    "no-text.prince.epub": Code.NO_TEXT,
    "plain-zip.epub": Code.UNSUPPORTED,
    "truncated-60pct.prince.epub": Code.DAMAGED,
    "zip-bomb-one-1GB-chapter.epub": Code.TOO_LARGE,
}
PARTIAL = {
    "bad-crc.prince.epub": "chapter-5",
    "billion-laughs-xhtml.prince.epub": "&l9;",
    "deep-nesting-3000.prince.epub": "chapter-1.",
    "spine-file-missing.prince.epub": "chapter-11",
    "tag-soup-chapter.prince.epub": "chapter-1.",
    "zip-slip-dotdot.prince.epub": "etc/passwd",
}
WHOLE = [
    *("Book.EPUB", "chapter-utf16.prince.epub", "epub-named.txt", "percent-encoded-href.prince.epub"),
    "xxe-opf.prince.epub",
]


@pytest.fixture(scope="module")
def bad(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    unpack(shared_data / "bad.tar.gz", folder)
    return folder / "bad"


@pytest.mark.parametrize(("name", "code"), REFUSED.items(), ids=REFUSED)
def test_refused(bad: Path, name: str, code: Code) -> None:
    with pytest.raises(BookError) as caught:
        extract(bad / name)
    assert caught.value.code is code


@pytest.mark.parametrize(("name", "warning"), PARTIAL.items(), ids=PARTIAL)
def test_read_with_a_warning_that_names_the_loss(bad: Path, name: str, warning: str) -> None:
    book = extract(bad / name)
    assert warning in book.warnings[0]
    assert "XXVI: An Exhortation to Liberate Italy from the Barbarians" in {
        s.headings[-1] for s in book.sections
    }


@pytest.mark.parametrize("name", WHOLE)
def test_read_whole(bad: Path, name: str) -> None:
    book = extract(bad / name)
    assert (book.title, book.warnings) == ("The Prince", ())
    assert "root:" not in book.text + repr(book.metadata)
    assert len(book.sections) >= 32
