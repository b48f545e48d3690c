"""Chunks under a tenth of the median, with what left them so small."""

import numpy as np
import pytest

from alexandria.book import BlockKind, Boundary, Chunk, Metadata, Reason, Segmentation
from alexandria.chunking import assemble
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.inspection.fragments import Fragment, fragments_of
from alexandria.sentences import split

WHOLE = "all the text of its section"
LEFT_OVER = "left over by the limit on size"
TOPIC, MAX_SIZE, SECTION, BREAK = Reason.TOPIC, Reason.MAX_SIZE, Reason.SECTION, Reason.BREAK


def chunks_of(words: list[int], reasons: list[Reason]) -> tuple[Chunk, ...]:
    """Return chunks of one sentence each, with these words, cut for these reasons."""
    blocks = tuple(DraftBlock(BlockKind.PARAGRAPH, "Word" + " word" * (n - 1) + ".") for n in words)
    draft = Draft(Metadata("T", language="en"), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    cuts = tuple(Boundary(gap, 0.2, 0.5, reason) for gap, reason in enumerate(reasons))
    return assemble(book, split(book), Segmentation(np.full(len(cuts), 0.2, np.float32), cuts))


@pytest.mark.parametrize(
    ("words", "reasons", "fragments"),
    [
        pytest.param([50, 4, 50], [SECTION, SECTION], [Fragment(1, 4, WHOLE)], id="section"),
        pytest.param([50, 4, 50], [TOPIC, SECTION], [Fragment(1, 4, "cut off by topic")], id="topic"),
        pytest.param(
            [50, 50, 4],
            [TOPIC, MAX_SIZE],
            [Fragment(2, 4, LEFT_OVER)],
            id="at the end",
        ),
        pytest.param(
            [4, 50, 50], [BREAK, TOPIC], [Fragment(0, 4, "set apart by the author's own break")], id="first"
        ),
        pytest.param([50, 5, 50], [TOPIC, TOPIC], [], id="just a tenth"),
        pytest.param([1], [], [], id="a single chunk"),
        pytest.param([], [], [], id="none"),
    ],
)
def test_a_fragment_is_named_with_its_reason(
    words: list[int], reasons: list[Reason], fragments: list[Fragment]
) -> None:
    assert list(fragments_of(chunks_of(words, reasons) if words else ())) == fragments
