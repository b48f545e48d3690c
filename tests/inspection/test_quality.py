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


def test_a_chunk_begins_mid_thought() -> None:
    cases = {
        "a pronoun": ("en", "He went home.", True),
        "a connective after a quotation mark": ("en", "“But why?” she asked.", True),
        "a word that begins like a pronoun": ("en", "Heaven is high.", False),
        "an article": ("en", "The ship sailed.", False),
        "a pronoun that points at nothing": ("en", "It is raining.", False),
        "the same pronoun, pointing back": ("en", "It fell.", True),
        "German": ("de", "Deshalb blieb er.", True),
        "French": ("fr", "Cependant, rien.", True),
        "French, impersonal, elided": ("fr", "Il s’agit de cela.", False),
        "no word at all": ("en", "1815.", False),
    }
    for language, text, expected in cases.values():
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


def test_cuts_in_dialogue_and_verse_are_counted() -> None:
    cases: dict[str, tuple[list[tuple[BlockKind, str]], tuple[int, ...], int, int]] = {
        "turn and turn": ([(PROSE, "“Come in.”"), (PROSE, "“Thank you.”")], (0,), 1, 0),
        "speech, then telling": ([(PROSE, "“Come in.”"), (PROSE, "He came.")], (0,), 0, 0),
        "inside a speech": ([(PROSE, "“Come in. Sit down.”")], (0,), 1, 0),
        "after a speech": ([(PROSE, "“Come in,” he said. It rained.")], (0,), 0, 0),
        "inside a stanza": ([(VERSE, "The sea is calm.\nThe tide is full.")], (0,), 0, 1),
        "between two": ([(VERSE, "The sea is calm."), (VERSE, "Night falls.")], (0,), 0, 0),
    }
    for blocks, cuts, n_dialogue, n_stanza in cases.values():
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


def test_a_chunk_with_two_topics_is_counted() -> None:
    cases: dict[str, tuple[str, tuple[int, ...], float | None, int]] = {
        "one topic": ("aaaaaa", (), 1.0, 0),
        "two": ("aaabbb", (), 0.0, 1),
        "two, cut between them": ("aaabbb", (2,), 1.0, 0),
        "back where it began": ("abcdea", (), 1.0, 0),
        "two sentences are too few for a topic": ("aaaabb", (), 0.0, 0),
        "single sentences": ("abcdef", (0, 1, 2, 3, 4), None, 0),
    }
    for topics, cuts, first_to_last, n_two_topics in cases.values():
        one = figures(SIX, cuts=cuts, topics=topics)
        assert (one.first_to_last, one.n_two_topics) == (first_to_last, n_two_topics)


def test_a_contrast_is_not_mid_thought_where_the_text_turns() -> None:
    cases = {
        "a contrast at a turn": ("However, bread is dear.", "aaaabbbb", 0, 1),
        "a contrast inside a topic": ("However, bread is dear.", "aabbabab", 1, 0),
        "a pronoun at a turn": ("They are dear.", "aaaabbbb", 1, 0),
        "neither": ("Bread is dear.", "aaaabbbb", 0, 0),
    }
    for last, topics, n_mid_thought, n_turns in cases.values():
        ships, bread = (
            "Ships sail. Sails fill. Winds blow. Seas rise.",
            "Ovens glow. Flour is white. Dough is soft.",
        )
        text = f"{ships} {last} {bread}"
        one = figures((PROSE, text), cuts=(3,), topics=topics)
        assert (one.n_mid_thought, one.n_turns) == (n_mid_thought, n_turns)


def test_contrasts_are_openers() -> None:
    for words in CUE_WORDS.values():
        assert words.contrasts
        assert words.contrasts <= words.openers
