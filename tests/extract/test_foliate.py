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
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from alexandria.book.model import BlockKind
from alexandria.book.places import cfi_at
from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import BookError
from alexandria.extract import extract
from alexandria.library.ingest import one_book
from alexandria.store.passage import Passage
from tests.extract.markup.test_hiding import write_epub
from tests.real import read_once

_UNSEEN = re.compile(r"[\s\u00ad\u200b\u2060\ufeff]+")
FOLIATE = Path(__file__).parents[2] / ".foliate"
NOT_XHTML = ("idpf-haruko-jpeg", "w3c-pub-xml-external-id", "w3c-pub-foreign_xml-spine")
"""Their spine leads to pictures, or to documents that rely on declarations, which no reader here expands."""


@pytest.mark.shared
def test_foliate_finds_the_first_words_of_every_chunk(shared_data: Path, tmp_path: Path) -> None:
    only = os.environ.get("FOLIATE_BOOKS", "*")
    files = sorted((shared_data / "epub").glob(f"{only}.epub"))
    assert misled([place for file in files for place in chunks_of(file)], tmp_path) == []


BEYOND_BMP = (
    "<p>🐳🐳🐳🐳 whales swim. The volcano threw ash. Tax records were kept.</p>"
    "<p>𠮷野家で食べる。<i>𝕬 violin.</i> Her 𝕭 \u2060violin \n had two strings. A 🐳 swims. So it goes.</p>"
)


def test_foliate_finds_every_word_after_letters_beyond_the_bmp(tmp_path: Path) -> None:
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{BEYOND_BMP}</body></html>'
    file = tmp_path / "a.epub"
    write_epub(file, {"a.xhtml": page, "b.xhtml": page})
    places = [
        {"file": str(file), "cfi": cfi_at(block.source, word.start()), "words": word.group()}
        for block in extract(file).blocks
        for word in re.finditer(r"\S+", block.text)
    ]
    assert len(places) == 2 * len(re.sub("<.*?>|\u2060", "", BEYOND_BMP.replace("</p><p>", " ")).split())
    assert misled(places, tmp_path) == []


def misled(places: Sequence[Mapping[str, str | None]], folder: Path) -> list[tuple[object, str]]:
    """Return the places where foliate-js finds other words, with what it finds."""
    foliate = Path(os.environ.get("FOLIATE") or FOLIATE)
    if not (foliate / "node_modules" / "foliate-js").is_dir():
        pytest.skip("foliate-js and jsdom are not installed in .foliate, or in the folder that FOLIATE names")
    if not shutil.which("node") or not shutil.which("unzip"):
        pytest.skip("node or unzip is not installed")
    (folder / "places.jsonl").write_text("".join(json.dumps(place) + "\n" for place in places))
    script = Path(__file__).with_name("foliate.mjs")
    command = ["node", str(script), str(foliate), str(folder / "places.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [plain(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(found) == len(places) > 0
    return [
        (place, text[:30])
        for place, text in zip(places, found, strict=True)
        if not same_start(plain(str(place["words"])), text)
    ]


def chunks_of(file: Path) -> list[dict[str, str]]:
    """Return the CFI and the first words of each chunk.

    Chunks that begin with a picture, a formula or the number of an item are left out.
    """
    if file.stem in NOT_XHTML:
        return []
    try:
        book = read_once(file)
    except BookError:  # no text
        return []
    analysis = one_book.analyse(book, load_domain(options={"model": "hashing"}), HashingEncoder())
    described = {block.start for block in book.blocks if ":" not in block.source.partition(";")[0]}
    places = []
    for chunk in analysis.chunks:
        payload = {"start": chunk.start, "end": chunk.end, "anchors": chunk.anchors, "text": chunk.text}
        cfi = Passage(id="", payload=payload).cfi
        assert cfi, (file.name, chunk.text[:40])
        if chunk.start not in described and ":" in cfi:
            places.append({"file": str(file), "cfi": cfi, "words": chunk.text[:80]})
    assert all(
        block.kind in (BlockKind.CAPTION, BlockKind.LIST_ITEM, BlockKind.PARAGRAPH)
        for block in book.blocks
        if block.start in described
    )
    return places


def plain(text: str) -> str:
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def same_start(words: str, text: str) -> bool:
    n = min(5, len(words), len(text))
    return n > 0 and words[:n] == text[:n]
