"""The examples of the descriptions, run as they stand there, with what the real model gives for them.

Where that differs from what is printed there, `docs/descriptions.md` says so.
"""

import json

import numpy as np
import pytest

import alexandria
from alexandria import described
from alexandria.described.figures import cosine_similarity, generate_embeddings_batch, pairwise_similarities

pytestmark = pytest.mark.model

WORKED = (
    "Philosophy is the study of general and fundamental questions about existence, knowledge, values, "
    "reason, mind, and language. It employs critical analysis and systematic approaches. In contrast, "
    "carpentry is a skilled trade focused on working with wood to construct buildings and furniture. "
    "Carpenters use tools like hammers, saws, and chisels. Nietzsche, the German philosopher, wrote "
    "extensively about the will to power. His philosophy challenged conventional morality and religious "
    "belief systems."
)
REVIEW = (
    "I bought these headphones for my commute. The noise cancellation is exceptional - it blocks out subway "
    "noise completely, even announcements. I tested it on a plane and the engine drone disappeared. However, "
    "the comfort is a different story. After 2 hours my ears hurt from the pressure. The headband also feels "
    "cheap and creaks when I move."
)
TOLERANCE = 0.01  # of a similarity between precisions


def test_the_sentences_of_the_worked_example() -> None:
    """Printed: .78 .22 .81 .18 .72, and 20 8 18 10 13 10 words."""
    sentences = described.split_sentences(WORKED)
    assert [len(sentence.split()) for sentence in sentences] == [17, 7, 17, 8, 11, 9]
    rows = described.EmbeddingGenerator().get_model().encode(sentences)
    assert rows.shape == (6, 384)
    np.testing.assert_allclose(
        pairwise_similarities(rows), [0.153, 0.132, 0.559, 0.069, 0.333], atol=TOLERANCE
    )


@pytest.mark.parametrize(
    ("threshold", "chunks"),
    [
        pytest.param(0.5, {"Philosophy": 17, "It": 32, "Nietzsche,": 20}, id="as printed"),
        pytest.param(0.14, {"Philosophy": 24, "In": 25, "Nietzsche,": 20}, id="as meant"),
    ],
)
def test_the_worked_example(threshold: float, chunks: dict[str, int]) -> None:
    """Printed: 28, 28 and 23 words, which the real model gives with a threshold between .14 and .15."""
    model = described.get_model()
    chunker = alexandria.UniversalChunker(model, threshold=threshold, min_chunk_size=15, max_chunk_size=100)
    assert {one["text"].split()[0]: one["word_count"] for one in chunker.chunk(WORKED)} == chunks


def test_the_example_similarities() -> None:
    cases = {
        "printed .72": (
            "Database normalization reduces redundancy.",
            "First normal form requires atomic values.",
            0.24,
        ),
        "printed .15": (
            "First normal form requires atomic values.",
            "The Renaissance began in 14th-century Italy.",
            0.05,
        ),
        "printed .08": ("Database normalization reduces redundancy.", "The cat sat on the mat.", -0.055),
        "printed .64": (
            "Nietzsche wrote about the will to power.",
            "He was a German philosopher who challenged morality.",
            0.33,
        ),
    }
    for first, second, similarity in cases.values():
        rows = generate_embeddings_batch(described.get_model(), [first, second])
        assert cosine_similarity(*rows) == pytest.approx(similarity, abs=TOLERANCE)


def test_a_window_of_thirty_words_breaks_a_sentence_and_mixes_topics() -> None:
    windows = described.fixed_window_chunk(WORKED, size=30, overlap=0)
    assert [len(window.split()) for window in windows] == [30, 30, 9]
    assert windows[0].endswith("carpentry is a skilled")
    assert "Carpenters" in windows[1]
    assert "Nietzsche" in windows[1]


def test_basic_usage() -> None:
    text = """Introduction to the topic. More details here.
                 New section starts. Continues the new section.
                 Another topic begins. Final thoughts."""
    chunker = described.SemanticChunker(described.ChunkerConfig())
    lines = [
        f"Chunk {chunk.chunk_index + 1}/{chunk.total_chunks}: {chunk.sentence_count()} sentences, "
        f"similarity: {chunk.avg_similarity:.2f}"
        for chunk in chunker.chunk_document(text, None)
    ]
    assert lines == ["Chunk 1/1: 6 sentences, similarity: 0.39"]


def test_technical_documentation() -> None:
    text = "# The store\n\nA library is a folder. It holds points.\n\n```\nopen(folder)\n```\n"
    chunker = described.SemanticChunker(described.ChunkerConfig.technical_docs())
    chunks = chunker.chunk_document(text, described.ChunkMetadata("docs/architecture.md", text))
    assert [(chunk.metadata["source"], chunk.metadata["text"]) for chunk in chunks] == [
        ("docs/architecture.md", text)
    ]


def test_custom_configuration() -> None:
    config = described.ChunkerConfig(
        similarity_threshold=0.8,
        min_chunk_sentences=5,
        max_chunk_sentences=50,
        similarity_percentile=0.6,
        min_sentence_length=15,
        embedding_batch_size=64,
    )
    config.validate()
    (chunk,) = described.SemanticChunker(config).chunk_document("Document text here...", None)
    assert chunk.text == "Document text here..."


def test_the_review_is_shorter_than_printed_and_splits_where_its_topic_turns() -> None:
    """Printed: 320 tokens. By four characters a token it has 85: too few to be cut at all."""
    assert (len(REVIEW.split()), len(REVIEW) // 4) == (58, 85)
    (whole,) = alexandria.chunk(REVIEW, strategy="tiered")
    assert whole.text == REVIEW
    noise, comfort = alexandria.chunk(REVIEW, strategy="tiered", short_tokens=0)
    assert (noise.word_count, comfort.word_count) == (32, 26)
    assert comfort.text.startswith("However, the comfort")


def test_one_clause_is_never_cut_from_another() -> None:
    text = "Battery life is amazing but the build quality is garbage"
    assert [one.text for one in alexandria.chunk(text, strategy="tiered", short_tokens=0)] == [text]


def test_semantic_chunking_of_a_memory() -> None:
    result = described.semantic_chunk_content(WORKED * 4, described.get_model())
    assert result.method == "semantic"
    assert [chunk.token_count for chunk in result.chunks if chunk.token_count > 400] == []


def test_centroid_matching() -> None:
    """A sentence is rarely as like the mean of its chunk as .5: the model keeps two of six together."""
    pairs = described.semantic_chunk_text(WORKED)
    assert [text.split()[0] for text, _ in pairs] == ["Philosophy", "It", "In", "Nietzsche,", "His"]
    assert json.loads(json.dumps(pairs[0][1])) == pairs[0][1]
    alone = described.semantic_chunk_text("Only one sentence.")
    assert [(text, len(vector)) for text, vector in alone] == [("Only one sentence.", 384)]
    assert described.semantic_chunk_text("") == []
