"""The model that identifies languages is unpacked once per machine, and answers as before."""

from pathlib import Path

import numpy as np
import pytest
from py3langid.langid import (  # type: ignore[import-untyped]  # it ships no types
    MODEL_FILE,
    LanguageIdentifier,
)

from alexandria.extract.language import load_identifier
from alexandria.system import cache
from tests.extract.test_language import TEXTS


@pytest.fixture(scope="module")
def theirs() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE)


@pytest.fixture
def unpacked(theirs: LanguageIdentifier, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are unpacked."""
    files: list[str] = []

    def from_model_file(file: str) -> LanguageIdentifier:
        files.append(file)
        return theirs

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", from_model_file)
    return files


def same(ours: LanguageIdentifier, theirs: LanguageIdentifier) -> bool:
    return all(ours.rank(text) == theirs.rank(text) for text in (*TEXTS.values(), "", "\0\ud800"))


def test_the_first_process_unpacks_it_for_all(theirs: LanguageIdentifier, unpacked: list[str]) -> None:
    load_identifier()
    assert same(load_identifier(), theirs)
    assert unpacked == [MODEL_FILE]
    assert cache.usage().graph_bytes > theirs.nb_ptc.nbytes
    cache.clear()
    assert not cache.languages_folder().exists()


@pytest.mark.parametrize("name", ["ptc", "nextmove", "output"])
@pytest.mark.parametrize("content", [None, b"", b"no array", b"half"])
def test_a_lost_or_damaged_file_is_written_again(
    theirs: LanguageIdentifier, unpacked: list[str], name: str, content: bytes | None
) -> None:
    load_identifier()
    [file] = cache.languages_folder().glob(f"*/{name}.npy")
    whole = file.read_bytes()
    if content is None:
        file.unlink()
    else:
        file.write_bytes(whole[: len(whole) // 2] if content == b"half" else content)
    assert same(load_identifier(), theirs)
    assert len(unpacked) == 2
    assert file.read_bytes() == whole


def test_of_the_cached_model_only_what_a_text_needs_is_read_into_memory(own_cache: Path) -> None:
    load_identifier()
    identifier = load_identifier()
    assert isinstance(identifier.nb_ptc, np.memmap)
    assert isinstance(identifier.tk_nextmove.obj, np.memmap)


def test_where_nothing_can_be_written_each_process_unpacks_it(
    theirs: LanguageIdentifier, unpacked: list[str], own_cache: Path
) -> None:
    own_cache.write_text("a file, where the folder would be")
    assert same(load_identifier(), theirs)
    assert load_identifier() is theirs
    assert len(unpacked) == 2
