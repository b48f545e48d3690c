"""Paragraphs with questions: one library per language, searched as a user does."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from alexandria.book.choices import Mode
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from benchmarks.asking import paragraphs
from benchmarks.asking.paragraphs import (
    N_QUESTIONS,
    evaluate_paragraphs,
    find_paragraph_sets,
    mean_across,
    read_paragraphs,
)
from benchmarks.asking.tables import paragraphs_tables
from tests.evaluate.made import TOPICS, write_paragraphs

DOMAIN = load_domain(options={"model": "hashing"}, environ={})


def test_each_paragraph_is_a_chunk_and_the_right_one_is_first(tmp_path: Path) -> None:
    file = write_paragraphs(tmp_path / "en.jsonl.gz")
    (scores,) = evaluate_paragraphs([file], DOMAIN, load_encoder("hashing"))
    assert (scores.name, scores.n_paragraphs, scores.n_questions) == ("en", 2 * len(TOPICS), 2 * len(TOPICS))
    assert set(scores.scores) == {Mode.DENSE, Mode.BM25, Mode.HYBRID}
    # Both articles have the same words, so the right paragraph is the first or the second.
    assert scores.mrr(Mode.HYBRID).value >= 0.5
    assert all(score in (0.5, 1.0) for score in scores.scores[Mode.BM25])


def test_each_library_is_asked_the_questions_of_its_translations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paragraphs, "connects", lambda encoder, language: language in ("en", "nl"))
    own, other = write_paragraphs(tmp_path / "en.jsonl.gz"), write_paragraphs(tmp_path / "nl.jsonl.gz")
    shorter = write_paragraphs(tmp_path / "mul.jsonl.gz", topics=("Ships", "Bread"))
    files = [own, other, shorter, write_paragraphs(tmp_path / "sv.jsonl.gz")]
    sets = tuple(evaluate_paragraphs(files, DOMAIN, load_encoder("hashing"), modes=[Mode.HYBRID]))
    assert [list(one.across) for one in sets] == [["nl"], ["en"], [], []]
    np.testing.assert_array_equal(sets[0].across["nl"], sets[0].scores[Mode.HYBRID])  # the same questions
    mean, found = mean_across(sets), sets[0].first_across("nl")
    assert mean is not None
    assert mean.value == pytest.approx((found.value + sets[1].first_across("en").value) / 2)
    assert mean_across(sets[2:]) is None
    own_table, across = paragraphs_tables(sets)
    assert [row[0] for row in own_table.rows] == ["en", "nl", "mul", "sv"]
    assert [row[:3] for row in across.rows] == [
        ("en", "", f"{found.value:.2f}"),
        ("nl", f"{sets[1].first_across('en').value:.2f}", ""),
    ]
    assert len(paragraphs_tables(sets[2:])) == 1


def test_a_question_about_another_paragraph_scores_nothing(tmp_path: Path) -> None:
    file = tmp_path / "fr.jsonl"
    one = {"article": "A", "context": "Ships sail out of the harbour.", "questions": []}
    asked = {"question": "ships harbour", "answers": []}
    rows = [one, {"article": "A", "context": "Bread is baked in an oven.", "questions": [asked]}]
    file.write_text("\n".join(map(json.dumps, rows)))
    (scores,) = evaluate_paragraphs([file], DOMAIN, load_encoder("hashing"), modes=[Mode.BM25])
    assert scores.first(Mode.BM25).value == 0.0


def test_books_are_in_the_language_that_names_the_file_and_questions_are_spread(tmp_path: Path) -> None:
    file = tmp_path / "de.jsonl"
    questions = [{"question": f"Frage {n}"} for n in range(2 * N_QUESTIONS)]
    file.write_text(json.dumps({"article": "A_b", "context": "Ein Absatz.", "questions": questions}))
    paragraphs = read_paragraphs(file)
    (book,) = paragraphs.books
    assert (book.language, book.title) == ("de", "A b")
    assert [question for question, _, _ in paragraphs.questions][:2] == ["Frage 1", "Frage 3"]
    assert len(paragraphs.questions) == N_QUESTIONS


def test_texts_may_contain_line_separators(tmp_path: Path) -> None:
    row = {"article": "A", "context": "One line.\u2028Another.\x85", "questions": [{"question": "One?"}]}
    (tmp_path / "en.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\r\n", encoding="utf-8")
    (book,) = read_paragraphs(tmp_path / "en.jsonl").books
    assert "Another." in book.text


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param(b"{", "as paragraphs with questions", id="not JSON"),
        pytest.param(b'{"question": "x", "quote": "y"}', "as paragraphs with questions", id="other form"),
        pytest.param(b'{"article": "a", "context": "b", "questions": []}', "no questions", id="no question"),
        pytest.param(gzip.compress(b"abc")[:12], "cannot read", id="cut short"),
    ],
)
def test_another_file_is_refused_by_name(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / ("en.jsonl.gz" if content[:1] == b"\x1f" else "en.jsonl")
    file.write_bytes(content)
    assert find_paragraph_sets([tmp_path]) == [file]
    with pytest.raises(ConfigError, match=why):
        read_paragraphs(file)
