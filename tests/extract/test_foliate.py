"""What makes CFIs agrees with a reader that follows them: foliate-js, in Node.

`npm install --prefix .foliate foliate-js jsdom`, or another folder, named by FOLIATE, as in `.ci/run` where
there is npm; otherwise this is skipped.
"""

import json
import os
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from alexandria import pipeline
from alexandria.book import BlockKind
from alexandria.config import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import BookError
from alexandria.passage import Passage
from tests.real import read_once

_UNSEEN = re.compile(r"[\s\u00ad\u200b\u2060\ufeff]+")
FOLIATE = Path(__file__).parents[2] / ".foliate"
NOT_XHTML = ("idpf-haruko-jpeg", "w3c-pub-xml-external-id", "w3c-pub-foreign_xml-spine")
"""Their spine leads to pictures, or to documents that rely on declarations, which no reader here expands."""


@pytest.mark.shared
def test_foliate_finds_the_first_words_of_every_chunk(shared_data: Path, tmp_path: Path) -> None:
    folder = Path(os.environ.get("FOLIATE") or FOLIATE)
    if not (folder / "node_modules" / "foliate-js").is_dir():
        pytest.skip("foliate-js and jsdom are not installed in .foliate, or in the folder that FOLIATE names")
    if not shutil.which("node") or not shutil.which("unzip"):
        pytest.skip("node or unzip is not installed")
    only = os.environ.get("FOLIATE_BOOKS", "*")
    places = [
        place for file in sorted((shared_data / "epub").glob(f"{only}.epub")) for place in chunks_of(file)
    ]
    (tmp_path / "places.jsonl").write_text("".join(json.dumps(place) + "\n" for place in places))
    script = Path(__file__).with_name("foliate.mjs")
    command = ["node", str(script), str(folder), str(tmp_path / "places.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [plain(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(found) == len(places) > 0
    wrong = [
        (place, text[:30])
        for place, text in zip(places, found, strict=True)
        if not same_start(plain(place["words"]), text)
    ]
    assert wrong == []


def chunks_of(file: Path) -> list[dict[str, str]]:
    """Return the CFI and the first words of each chunk that does not begin with a picture or a formula."""
    if file.stem in NOT_XHTML:
        return []
    try:
        book = read_once(file)
    except BookError:  # no text
        return []
    analysis = pipeline.analyse(book, load_domain(options={"model": "hashing"}), HashingEncoder())
    described = {block.start for block in book.blocks if ":" not in block.source.partition(";")[0]}
    places = []
    for chunk in analysis.chunks:
        payload = {"start": chunk.start, "end": chunk.end, "anchors": chunk.anchors, "text": chunk.text}
        cfi = Passage(id="", payload=payload).cfi
        assert cfi, (file.name, chunk.text[:40])
        if chunk.start not in described:
            places.append({"file": str(file), "cfi": cfi, "words": chunk.text[:80]})
    assert all(
        block.kind in (BlockKind.CAPTION, BlockKind.PARAGRAPH)
        for block in book.blocks
        if block.start in described
    )
    return places


def plain(text: str) -> str:
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def same_start(words: str, text: str) -> bool:
    n = min(5, len(words), len(text))
    return n > 0 and words[:n] == text[:n]
