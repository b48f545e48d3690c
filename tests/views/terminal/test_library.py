"""Hits and books as they are printed: lines that fit, excerpts between words."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from alexandria.library.read.contents import Chapter
from alexandria.show.terminal import library as view
from alexandria.store.passage import Hit
from tests.batch.test_duplicates import record

LONG = "The Life and Strange Surprizing Adventures of Robinson Crusoe, of York, Mariner"


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """What is printed on a terminal of 80 columns."""
    file = StringIO()
    monkeypatch.setattr(view, "out", Console(file=file, width=80, force_terminal=True, color_system=None))
    return file


def hit(text: str, best: tuple[int, int]) -> Hit:
    payload = {
        "text": text,
        "start": 0,
        "end": len(text),
        "book_id": "ab" * 32,
        "book_title": LONG,
        "author": "Daniel Defoe",
        "section": [LONG, LONG],
    }
    return Hit(
        id="1",
        payload={**payload, "page_label": None, "page_start": 3, "chunk_id": 0, "format": "epub"},
        score=1.0,
        best=best,
    )


def test_what_answers_is_shown_in_lines_without_blanks_at_their_ends(printed: StringIO) -> None:
    text = " ".join(f"Sentence {n}, which is here, has words of many lengths." for n in range(60))
    start, end = text.index("Sentence 29"), text.index(" Sentence 32")
    best = text.index("Sentence 30")
    found = replace(hit(text, (best, best + 54)), excerpt=(start, end), also_in=(hit(text, (0, 1)),))
    view.show_hits([found])
    lines = printed.getvalue().splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    shown = " ".join(line.strip() for line in lines).strip()
    assert "also in The Life" in shown
    assert shown.endswith(f" … {text[start:end]} …")
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(("terminal", "n_lines"), [(True, 3), (False, 5)], ids=["terminal", "pipe"])
def test_of_many_editions_a_terminal_shows_the_first(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, n_lines: int
) -> None:
    file = StringIO()
    console = Console(file=file, width=200, force_terminal=terminal, color_system=None)
    monkeypatch.setattr(view, "out", console)
    view.show_hits([replace(hit("Bees dance.", (0, 11)), also_in=(hit("Bees dance.", (0, 1)),) * 5)])
    lines = [line.strip() for line in file.getvalue().splitlines() if "also in" in line]
    assert len(lines) == n_lines
    assert (lines[-1] == "also in 3 more editions: --all-editions shows each") is terminal


def test_what_answers_is_shown_with_its_paragraph_if_that_is_short(printed: StringIO) -> None:
    text = "\n\n".join(["The first one is here.", "Bees dance. Others watch them.", "The last one."])
    start = text.index("Bees")
    view.show_hits([hit(text, (start, start + 11))])
    assert printed.getvalue().splitlines()[-2].strip() == "… Bees dance. Others watch them. …"


@pytest.mark.parametrize(
    ("best", "first", "last"),
    [
        pytest.param(30, 30, 34, id="what follows comes first"),
        pytest.param(38, 35, 39, id="then what is before"),
    ],
)
def test_of_a_long_excerpt_the_sentences_around_the_best_fit_in_four_lines(
    printed: StringIO, best: int, first: int, last: int
) -> None:
    sentences = [f"Sentence {n}, which is here, has words of many lengths." for n in range(60)]
    text = " ".join(sentences)
    starts = [text.index(sentence) for sentence in sentences]
    found = hit(text, (starts[best], starts[best] + 54))
    payload = {**found.payload, "sentence_starts": " ".join(map(str, starts))}
    view.show_hits([replace(found, payload=payload, excerpt=(starts[20], starts[40] - 1))])
    lines = [line.strip() for line in printed.getvalue().splitlines()]
    shown = lines[lines.index("") - 4 : lines.index("")]
    assert " ".join(shown) == f"… {' '.join(sentences[first : last + 1])} …"


def test_a_heading_is_not_shown_twice_even_where_it_is_the_best_sentence(printed: StringIO) -> None:
    text = "II\n\nOf Salt\n\nSalt is a stone. It is eaten."
    found = hit(text, (4, 11))
    view.show_hits(
        [replace(found, payload={**found.payload, "section": ["II: Of Salt"]}, excerpt=(0, len(text)))]
    )
    lines = printed.getvalue().splitlines()
    assert lines[-2].strip() == "… Salt is a stone. It is eaten."
    assert sum("Of Salt" in line for line in lines) == 1


def test_a_hit_without_a_best_sentence_is_shown_from_its_excerpt_on(printed: StringIO) -> None:
    text = " ".join(f"Sentence {n}, which is here, has words of many lengths." for n in range(60))
    start, end = text.index("Sentence 29"), text.index(" Sentence 32")
    view.show_hits([replace(hit(text, (0, 0)), best=None, excerpt=(start, end))])
    shown = " ".join(line.strip() for line in printed.getvalue().splitlines()).strip()
    assert shown.endswith(f", abababab-0 … {text[start:end]} …")


def test_a_hit_without_best_sentence_and_excerpt_is_shown_whole(printed: StringIO) -> None:
    text = " ".join(f"Sentence {n} has words of many lengths." for n in range(60))
    view.show_hits([replace(hit(text, (0, 0)), best=None)])
    shown = " ".join(line.strip() for line in printed.getvalue().splitlines()).strip()
    assert shown.endswith(f"abababab-0 {text}")


def test_all_of_a_passage_is_shown_in_full(printed: StringIO) -> None:
    text = " ".join(f"Sentence {n} has words of many lengths." for n in range(60))
    view.show_hits([hit(text, (0, 10))], full=True)
    shown = " ".join(line.strip() for line in printed.getvalue().splitlines()).strip()
    assert shown.endswith(f"abababab-0 {text}")


def test_a_hit_without_a_chapter_says_so(printed: StringIO) -> None:
    plain = hit("Bees dance.", (0, 11))
    view.show_hits([replace(plain, payload={**plain.payload, "section": [], "page_start": None})])
    assert "   no chapter, abababab-0\n" in printed.getvalue()


def test_a_list_has_whole_titles_and_names_in_80_columns(printed: StringIO) -> None:
    author = "Somebody Else Altogether With A Long Name"
    other = replace(record(LONG, author), book_id="b" * 64, work="a" * 64)
    first = replace(other, book_id="a" * 64, work="", format="markdown", domain="literature", n_words=1234567)
    view.show_books([first, other])
    lines = printed.getvalue().splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[2].split()[-2:] == ["1,234,567", "aaaaaaaa"]
    second = next(i for i, line in enumerate(lines) if line.startswith("  also The Life"))
    width = lines[0].index("author")
    for rows, also in ((lines[2:second], ""), (lines[second:], "also ")):
        assert " ".join(row[:width].strip() for row in rows).strip() == f"{also}{LONG}"
        names = (row[width : lines[0].index("format")].strip() for row in rows)
        assert " ".join(names).strip() == author


def test_a_long_heading_is_shown_whole_and_a_topic_ends_with_a_word(printed: StringIO) -> None:
    topic = ("Orsini", "Romagna", "Spaniards", "mercenaries", "Switzers")
    chapters = [Chapter((f"{n}: {LONG}",), n, n, 900, None, "", topic) for n in range(40)]
    view.show_record(record("The Prince"), chapters)
    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    text = " ".join(" ".join(lines).split())
    assert "Orsini, Romagna" in text
    assert "…" not in text
    headings = " ".join(line[:48].strip() for line in lines)
    assert f" 0: {LONG} 1: {LONG} 2: " in headings
    shown = headings.count("Mariner")
    assert f"and {40 - shown} more chapters" in text
    view.show_record(record("The Prince"), chapters, all_chapters=True)
    assert (
        " ".join(line[:48].strip() for line in printed.getvalue().splitlines()).count("Mariner") == 40 + shown
    )
