"""Figures of chunks without questions."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from alexandria.book.model import BlockKind, Boundary, Metadata, Reason, Segmentation
from alexandria.chunking import assemble
from alexandria.chunking.cues.words import CUE_WORDS
from alexandria.chunking.domains import load_domain
from alexandria.chunking.sentences import split
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.library.ingest.one_book import Analysis
from alexandria.library.inspect.quality import Quality, begins_mid_thought, quality_of

PROSE, VERSE = BlockKind.PARAGRAPH, BlockKind.VERSE


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        pytest.param("en", "He went home.", True, id="a pronoun"),
        pytest.param("en", "“But why?” she asked.", True, id="a connective after a quotation mark"),
        pytest.param("en", "Heaven is high.", False, id="a word that begins like a pronoun"),
        pytest.param("en", "The ship sailed.", False, id="an article"),
        pytest.param("en", "It is raining.", False, id="a pronoun that points at nothing"),
        pytest.param("en", "It fell.", True, id="the same pronoun, pointing back"),
        pytest.param("de", "Deshalb blieb er.", True, id="German"),
        pytest.param("fr", "Cependant, rien.", True, id="French"),
        pytest.param("fr", "Il s’agit de cela.", False, id="French, impersonal, elided"),
        pytest.param("en", "1815.", False, id="no word at all"),
    ],
)
def test_a_chunk_begins_mid_thought(language: str, text: str, expected: bool) -> None:
    assert begins_mid_thought(text, CUE_WORDS[language]) is expected


class ShortWindow(HashingEncoder):
    """An encoder whose window holds the same share of every text."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full(len(texts), self._share, np.float32)


def figures(
    *blocks: tuple[BlockKind, str],
    cuts: tuple[int, ...],
    reason: Reason = Reason.TOPIC,
    language: str | None = "en",
    coverage: float = 1.0,
    topics: str | None = None,
) -> Quality:
    """Return the figures of one section, cut at these gaps; every similarity is .8, and .2 at a cut.

    `topics` has a letter per sentence: vectors of equal letters are equal, those of others at right angles.
    """
    drafts = tuple(DraftBlock(kind, text) for kind, text in blocks)
    draft = Draft(Metadata("T", language=language), (DraftSection((), 0, None, drafts),))
    made = bind(draft, id="0" * 64, source="t.txt", format="txt")
    sentences = split(made)
    similarities = np.full(len(sentences) - 1, 0.8, np.float32)
    similarities[list(cuts)] = 0.2
    boundaries = tuple(Boundary(gap, 0.2, 0.5, reason) for gap in cuts)
    segmentation = Segmentation(similarities, boundaries)
    chunks = assemble(made, sentences, segmentation)
    analysis = Analysis(
        book=made,
        domain=load_domain(),
        sentences=sentences,
        texts=tuple(made.text[sentence.start : sentence.end] for sentence in sentences),
        encoder=ShortWindow(coverage),
        embeddings=np.eye(26, dtype=np.float32)[[ord(topic) - ord("a") for topic in topics]]
        if topics
        else np.zeros((len(sentences), 2), np.float32),
        segmentation=segmentation,
        chunks=chunks,
    )
    return quality_of(analysis)


def test_similarity_inside_is_told_from_that_across() -> None:
    one = figures((PROSE, "One is. Two is. Three is. Four is."), cuts=(1,))
    assert [one.inside, one.across] == pytest.approx([0.8, 0.2])
    assert (one.n_chunks, one.n_cuts) == (2, 1)


@pytest.mark.parametrize(
    ("blocks", "cuts", "n_dialogue", "n_stanza"),
    [
        pytest.param([(PROSE, "“Come in.”"), (PROSE, "“Thank you.”")], (0,), 1, 0, id="turn and turn"),
        pytest.param([(PROSE, "“Come in.”"), (PROSE, "He came.")], (0,), 0, 0, id="speech, then telling"),
        pytest.param([(PROSE, "“Come in. Sit down.”")], (0,), 1, 0, id="inside a speech"),
        pytest.param([(PROSE, "“Come in,” he said. It rained.")], (0,), 0, 0, id="after a speech"),
        pytest.param([(VERSE, "The sea is calm.\nThe tide is full.")], (0,), 0, 1, id="inside a stanza"),
        pytest.param([(VERSE, "The sea is calm."), (VERSE, "Night falls.")], (0,), 0, 0, id="between two"),
    ],
)
def test_cuts_in_dialogue_and_verse_are_counted(
    blocks: list[tuple[BlockKind, str]], cuts: tuple[int, ...], n_dialogue: int, n_stanza: int
) -> None:
    one = figures(*blocks, cuts=cuts)
    assert (one.n_dialogue, one.n_stanza) == (n_dialogue, n_stanza)


def test_mid_thought_counts_only_own_cuts_and_known_languages() -> None:
    block = (PROSE, "Ships sail. They return. Bread is baked.")
    assert figures(block, cuts=(0, 1)).share_mid_thought == 0.5
    assert figures(block, cuts=(0,), reason=Reason.SECTION).n_mid_thought == 0
    assert figures(block, cuts=(0,), language="eo").n_mid_thought is None
    assert figures(block, cuts=(0,), language="en-GB").n_mid_thought == 1


def test_words_beyond_the_window_are_counted() -> None:
    assert (
        figures((PROSE, "One two three four. Five six seven eight."), cuts=(), coverage=0.75).n_beyond_window
        == 2
    )


SIX = (PROSE, "One is. Two is. Three is. Four is. Five is. Six is.")


@pytest.mark.parametrize(
    ("topics", "cuts", "first_to_last", "n_two_topics"),
    [
        pytest.param("aaaaaa", (), 1.0, 0, id="one topic"),
        pytest.param("aaabbb", (), 0.0, 1, id="two"),
        pytest.param("aaabbb", (2,), 1.0, 0, id="two, cut between them"),
        pytest.param("abcdea", (), 1.0, 0, id="back where it began"),
        pytest.param("aaaabb", (), 0.0, 0, id="two sentences are too few for a topic"),
        pytest.param("abcdef", (0, 1, 2, 3, 4), None, 0, id="single sentences"),
    ],
)
def test_a_chunk_with_two_topics_is_counted(
    topics: str, cuts: tuple[int, ...], first_to_last: float | None, n_two_topics: int
) -> None:
    one = figures(SIX, cuts=cuts, topics=topics)
    assert (one.first_to_last, one.n_two_topics) == (first_to_last, n_two_topics)


@pytest.mark.parametrize(
    ("last", "topics", "n_mid_thought", "n_turns"),
    [
        pytest.param("However, bread is dear.", "aaaabbbb", 0, 1, id="a contrast at a turn"),
        pytest.param("However, bread is dear.", "aabbabab", 1, 0, id="a contrast inside a topic"),
        pytest.param("They are dear.", "aaaabbbb", 1, 0, id="a pronoun at a turn"),
        pytest.param("Bread is dear.", "aaaabbbb", 0, 0, id="neither"),
    ],
)
def test_a_contrast_is_not_mid_thought_where_the_text_turns(
    last: str, topics: str, n_mid_thought: int, n_turns: int
) -> None:
    text = f"Ships sail. Sails fill. Winds blow. Seas rise. {last} Ovens glow. Flour is white. Dough is soft."
    one = figures((PROSE, text), cuts=(3,), topics=topics)
    assert (one.n_mid_thought, one.n_turns) == (n_mid_thought, n_turns)


def test_contrasts_are_openers() -> None:
    for words in CUE_WORDS.values():
        assert words.contrasts
        assert words.contrasts <= words.openers
