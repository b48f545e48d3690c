"""A library that is prepared has its model in memory before the first search."""

from pathlib import Path

import pytest

import alexandria
from alexandria.embed.hashing import HashingEncoder


def test_a_prepared_library_has_used_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lamp.txt").write_text("The keeper lit the lamp at dusk and slept at dawn.\n" * 30)
    with alexandria.open(tmp_path / "library") as library:
        library.ingest(tmp_path / "lamp.txt", options={"model": "hashing"})
    encoded: list[str] = []
    encode = HashingEncoder.encode

    def recorded(self: HashingEncoder, texts: list[str]) -> object:
        encoded.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(HashingEncoder, "encode", recorded)
    with alexandria.open(tmp_path / "library") as library:
        library.prepare()
        assert encoded  # what loads a model is its first use
