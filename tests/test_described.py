"""The names of the published descriptions do what the descriptions say, on plain text."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria import described
from alexandria.described import figures
from alexandria.described.smoothed import DEFAULT_SEMANTIC_CHUNKING_CONFIG, chunk_content
from alexandria.errors import BookError, ConfigError

EXAMPLE = (
    "Bread is flour, water, salt and time. A loaf keeps for three days. In contrast, a lighthouse is a tower "
    "with a lamp. Its keeper trims the wick at dusk. The poet Lindqvist wrote of long winters. Her verse "
    "has few rhymes."
)


def by_first_letter(sentences: list[str]) -> NDArray[np.float64]:
    """Rows of length 3 that depend on the first letter of a sentence alone."""
    return 3.0 * np.eye(26)[[ord(sentence[0].casefold()) - ord("a") for sentence in sentences]]


TEXT = "Ants dig. Ants run. Ants eat. Bees fly. Bees hum. Bees dance. Ants rest. Ants wait. Ants go."


# --- fixed windows --------------------------------------------------------------------------------


def test_fixed_windows_cut_inside_sentences_and_repeat_words() -> None:
    windows = described.fixed_window_chunk("One two three. Four five\nsix seven.", size=4, overlap=1)
    assert windows == ["One two three. Four", "Four five six seven.", "seven."]


def test_windows_that_would_not_advance_are_refused() -> None:
    cases = [(0, 0), (5, 5), (5, -1)]
    for size, overlap in cases:
        with pytest.raises(ValueError, match="0 <= overlap < size"):
            described.fixed_window_chunk("One two.", size, overlap)


# --- percentile -----------------------------------------------------------------------------------


def test_a_semantic_chunker_takes_a_function_of_the_callers_own() -> None:
    chunker = described.SemanticChunker(embed=by_first_letter)
    chunks = chunker.chunk_document(TEXT)
    assert [chunk.text for chunk in chunks] == [
        "Ants dig. Ants run. Ants eat.",
        "Bees fly. Bees hum. Bees dance.",
        "Ants rest. Ants wait. Ants go.",
    ]
    assert [(chunk.chunk_index, chunk.total_chunks) for chunk in chunks] == [(0, 3), (1, 3), (2, 3)]
    assert {(chunk.sentence_count(), chunk.avg_similarity) for chunk in chunks} == {(3, 1.0)}
    assert [TEXT[chunk.start : chunk.end] for chunk in chunks] == [chunk.text for chunk in chunks]
    assert {chunk.metadata["source"] for chunk in chunks} == {"unknown"}


def test_metadata_is_optional_and_its_source_unknown() -> None:
    cases: list[tuple[Any, dict[str, str]]] = [
        (None, {"source": "unknown"}),
        ({"author": "Ann"}, {"source": "unknown", "author": "Ann"}),
        ({"source": "a.md"}, {"source": "a.md"}),
        (described.ChunkMetadata("docs/a.md"), {"source": "docs/a.md"}),
        (described.ChunkMetadata("docs/a.md", "Ants."), {"source": "docs/a.md", "text": "Ants."}),
    ]
    for given, metadata in cases:
        (chunk,) = described.chunk_document("Ants.", given, embed=by_first_letter)
        assert chunk.metadata == metadata


def test_the_presets_have_the_numbers_of_the_description() -> None:
    config = described.ChunkerConfig
    named = [config(), config.technical_docs(), config.narrative()]
    assert [
        (
            one.similarity_threshold,
            one.min_chunk_sentences,
            one.max_chunk_sentences,
            one.similarity_percentile,
        )
        for one in named
    ] == [(0.7, 3, 30, 0.5), (0.75, 3, 40, 0.5), (0.65, 3, 20, 0.4)]
    assert [one.strategy().threshold for one in named] == [0.7, 0.75, 0.65]


def test_a_configuration_out_of_range_is_refused_by_name() -> None:
    cases = [
        ("similarity_threshold", 1.5),
        ("similarity_threshold", -0.5),
        ("similarity_percentile", 1.5),
        ("min_chunk_sentences", 0),
        ("max_chunk_sentences", 2),
        ("min_sentence_length", 0),
        ("embedding_batch_size", 0),
        ("model_name", ""),
    ]
    for option, value in cases:
        config = described.ChunkerConfig(**{option: value})  # type: ignore[arg-type]  # the mistake itself
        with pytest.raises(ConfigError, match=f"cannot chunk with {option}"):
            config.validate()
        with pytest.raises(ConfigError, match=option):
            described.SemanticChunker(config, by_first_letter)


def test_a_short_piece_joins_its_neighbour_and_nothing_is_left_out() -> None:
    config = described.ChunkerConfig(min_sentence_length=12)
    chunks = described.chunk_document(
        "Oh. Ants dig tunnels. No! Bees hum loudly.", None, config=config, embed=by_first_letter
    )
    assert chunks[0].sentences == ("Oh. Ants dig tunnels. No!", "Bees hum loudly.")


def test_fenced_code_is_one_sentence_where_it_stands() -> None:
    code = "```python\na = b.c\n\nprint(a). Done.\n```"
    text = f"Ants dig.\n\n{code}\n\nBees fly. Bees hum."

    def rows(sentences: list[str]) -> NDArray[np.float64]:
        return np.eye(4)[[min(3, "AB`".find(sentence[0])) for sentence in sentences]]

    chunks = described.chunk_document(text, embed=rows)
    assert [one for chunk in chunks for one in chunk.sentences] == [
        "Ants dig.",
        code,
        "Bees fly.",
        "Bees hum.",
    ]
    assert [text[chunk.start : chunk.end] for chunk in chunks] == [chunk.text for chunk in chunks]


def test_an_empty_document_is_an_error() -> None:
    with pytest.raises(BookError, match="no word"):
        described.SemanticChunker(embed=by_first_letter).chunk_document(" \n ")


# --- centroid -------------------------------------------------------------------------------------


def test_each_chunk_comes_with_its_vector() -> None:
    pairs = described.semantic_chunk_text(TEXT, embed=by_first_letter)
    assert [text.split()[0] for text, _ in pairs] == ["Ants", "Bees", "Ants"]
    assert [vector.index(1.0) for _, vector in pairs] == [0, 1, 0]
    assert all(isinstance(vector, list) and len(vector) == 26 for _, vector in pairs)


def test_a_chunk_of_a_text_never_exceeds_its_characters() -> None:
    pairs = described.semantic_chunk_text(TEXT, max_chunk_size=20, embed=by_first_letter)
    assert [text for text, _ in pairs][:2] == ["Ants dig. Ants run.", "Ants eat."]


def test_no_text_and_one_sentence_are_no_special_case() -> None:
    cases = [("", 0), (" \n", 0), ("Only one.", 1)]
    for text, n_chunks in cases:
        assert len(described.semantic_chunk_text(text, embed=by_first_letter)) == n_chunks


# --- smoothed -------------------------------------------------------------------------------------


def test_the_function_gets_its_sentences_in_batches() -> None:
    sizes: list[int] = []

    def noted(sentences: list[str]) -> NDArray[np.float64]:
        sizes.append(len(sentences))
        return by_first_letter(sentences)

    config = described.SemanticChunkingConfig(
        embedding_batch_size=4, min_tokens=1, target_tokens=400, smoothing_window_size=1
    )
    result = described.semantic_chunk_content(TEXT, noted, config)
    assert (config.strategy().min_tokens, config.strategy().target_tokens) == (1, 400)
    assert sizes == [4, 4, 1]
    assert (result.method, result.why) == ("semantic", "")
    assert [chunk.text.split()[0] for chunk in result.chunks] == ["Ants", "Bees", "Ants"]
    assert [chunk.token_count for chunk in result.chunks] == [8, 8, 8]


def test_the_defaults_are_those_of_the_description() -> None:
    assert (
        described.SemanticChunkingConfig(
            target_tokens=200,
            min_tokens=100,
            max_tokens=400,
            smoothing_window_size=3,
            boundary_threshold_std_devs=1.0,
            embedding_batch_size=32,
            fallback_to_recursive=True,
        )
        == DEFAULT_SEMANTIC_CHUNKING_CONFIG
    )


def test_the_configuration_may_be_written_as_in_the_description() -> None:
    written = {"minTokens": 1, "targetTokens": 400, "smoothingWindowSize": 1, "embedding_batch_size": 4}
    config = described.SemanticChunkingConfig(
        min_tokens=1, target_tokens=400, smoothing_window_size=1, embedding_batch_size=4
    )
    assert described.SemanticChunkingConfig.of(written) == config
    result = described.semantic_chunk_content(TEXT, by_first_letter, written)
    assert result == described.semantic_chunk_content(TEXT, by_first_letter, config)
    assert len(result.chunks) == 3


@pytest.mark.parametrize(
    ("written", "why"),
    [({"minToken": 1}, "no such setting"), ({"minTokens": 1, "min_tokens": 2}, "min_tokens is given twice")],
)
def test_a_configuration_of_unknown_names_is_refused(written: dict[str, int], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        described.semantic_chunk_content(TEXT, by_first_letter, written)


def failing(sentences: list[str]) -> NDArray[np.float64]:
    raise ConnectionError("no route")


def without_a_row(sentences: list[str]) -> list[list[float] | None]:
    return [None, *([1.0, 0.0] for _ in sentences[1:])]


@pytest.mark.parametrize(
    ("function", "why"),
    [(None, "no function was given"), (failing, "no route"), (without_a_row, "equally long rows")],
)
def test_without_vectors_the_text_is_cut_by_size_and_the_result_says_so(
    function: Callable[[list[str]], Any] | None, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    config = described.SemanticChunkingConfig(min_tokens=1, target_tokens=10, max_tokens=10)
    with caplog.at_level(logging.WARNING):
        result = described.semantic_chunk_content(TEXT, function, config)
    assert result.method == "recursive"
    assert why in result.why
    assert result.why in caplog.text
    assert " ".join(chunk.text for chunk in result.chunks) == TEXT
    assert max(sum(map(len, chunk.sentences)) for chunk in result.chunks) <= 40
    strict = described.SemanticChunkingConfig(fallback_to_recursive=False)
    with pytest.raises(ConfigError, match=why):
        described.semantic_chunk_content(TEXT, function, strict)


def test_the_recursive_chunker_needs_no_function() -> None:
    chunks = chunk_content("One two. Three.\n\nFour five six.\n\nSeven.", max_words=4)
    assert [chunk.text for chunk in chunks] == ["One two. Three.", "Four five six.\n\nSeven."]


# --- the rest -------------------------------------------------------------------------------------


def test_sentences_of_a_review() -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "marks of a web page": (
            "Great product!<br /><br />Fast shipping.<BR>[[VIDEOID:abc123]]",
            ["Great product!", "Fast shipping.", "[[VIDEOID:abc123]]"],
        ),
        "two languages": ("Muy bueno! Great product.", ["Muy bueno!", "Great product."]),
        "one clause against another": ("Light but fragile", ["Light but fragile"]),
    }
    for text, sentences in cases.values():
        assert described.split_sentences(text) == sentences


def test_there_is_one_model() -> None:
    model = described.get_model()
    assert described.EmbeddingGenerator().get_model() is model
    assert described.EmbeddingGenerator().get_model() is model
    with alexandria.open("unused") as library:
        assert library._opened.search_encoder("all-MiniLM-L6-v2") is model


def test_the_arithmetic_by_its_names() -> None:
    assert figures.cosine_similarity([3, 0], [1, 1]) == pytest.approx(0.5**0.5)
    np.testing.assert_allclose(figures.pairwise_similarities([[1, 0], [0, 2], [0, 1]]), [0, 1], atol=1e-6)
    assert figures.calculate_percentile([0.1, 0.2, 0.3, 0.4], 0.5) == pytest.approx(0.25)
    assert figures.moving_average(np.array([0, 3, 0, 3], np.float32), 3).tolist() == [1.5, 1.0, 2.0, 1.5]
    assert figures.find_local_minima([1.0, 0.5, 1.0, 0.2]) == [1, 3]
    assert figures.find_local_minima([]) == []
    assert (figures.mean([1, 3]), figures.stddev([1, 3])) == (2.0, 1.0)
    rows = figures.generate_embeddings_batch(by_first_letter, ["Ants.", "Bees."], batch_size=1)
    assert rows.tolist() == np.eye(26)[:2].tolist()
    with pytest.raises(FloatingPointError, match="no usable vector"):
        figures.cosine_similarity([0, 0], [1, 0])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (np.ones((1, 3)), r"shape \(1, 3\) for 2 texts"),
        (np.ones(2), r"shape \(2,\) for 2 texts"),
        ([[1.0], [1.0, 2.0]], "equally long rows"),
    ],
)
def test_a_model_that_answers_otherwise_is_refused(answer: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        alexandria.chunk("Ants dig. Bees hum.", encoder=lambda texts: answer)  # type: ignore[arg-type]  # the mistake


# --- the real model -------------------------------------------------------------------------------


@pytest.mark.model
def test_the_shared_model_serves_each_of_them() -> None:
    model = described.get_model()
    assert model.encode(["Ants dig."]).shape == (1, 384)
    config = described.ChunkerConfig(min_chunk_sentences=2, similarity_percentile=0.7)
    chunks = described.SemanticChunker(config).chunk_document(EXAMPLE)
    assert [chunk.text.split()[0] for chunk in chunks] == ["Bread", "In", "The"]
    pairs = described.semantic_chunk_text(EXAMPLE, similarity_threshold=0.1)
    assert {len(vector) for _, vector in pairs} == {384}
    assert described.semantic_chunk_content(EXAMPLE, model).method == "semantic"
    universal = alexandria.UniversalChunker(model.encode, threshold=0.5, min_chunk_size=10)
    assert [one["text"].split()[0] for one in universal.chunk(EXAMPLE)]
