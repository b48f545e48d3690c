"""Markup of nothing but stray tags costs no more than its size: each piece is handled once."""

import time
from pathlib import Path

import pytest
from lxml import etree

from alexandria.extract import extract
from alexandria.extract.markup import tree


def test_text_between_two_tags_is_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    n_characters = 0

    def counted(text: str) -> str:
        nonlocal n_characters
        n_characters += len(text)
        return text

    monkeypatch.setattr(tree, "without_illegal", counted)
    root = tree._SoupParser.parse("<p>one" + "<" * 500 + "<b>two</b>three</p>four")
    assert etree.tostring(root, encoding="unicode") == (
        "<html><p>one" + "&lt;" * 500 + "<b>two</b>three</p>four</html>"
    )
    assert n_characters == len("one") + 500 + len("twothreefour")


def test_an_end_tag_without_its_start_closes_nothing() -> None:
    root = tree._SoupParser.parse("<div><b>one</i>two<br/>three</b></b>four</div>")
    assert etree.tostring(root, encoding="unicode") == ("<html><div><b>onetwo<br/>three</b>four</div></html>")


def test_a_declaration_is_removed_if_it_ends() -> None:
    cases: dict[str, tuple[bytes, bytes]] = {
        "removed": (b"<?xml?><!DOCTYPE html><p>", b"<?xml?><p>"),
        "with entities": (b'<!doctype a [<!ENTITY b "c">] ><p>', b"<p>"),
        "unfinished": (b"<!doctype a <!doctype b", b"<!doctype a <!doctype b"),
    }
    for markup, rest in cases.values():
        assert tree._without_doctype(markup) == rest


LARGE = {
    "nested tables": "<table><tr><td>word " * 8000,
    "nested lists": "<ul><li>word " * 8000,
    "nested divisions": "<div>" * 16_000 + "word",
    "declarations that do not end": "<p>word " + "<!doctype " * 200_000,
    "comments that do not end": "<p>word " + "<!-- x>" * 50_000,
    "siblings": "<p>word" + "</b>\n<i></i>" * 22_000,
    "sections that do not end": "<p>word " + "<![CDATA[ x>" * 50_000,
}
"""Each took 5 to 20 s of processor time, and four times that at twice the size."""


def processor_time(path: Path) -> float:
    """Return how many seconds reading a file takes; several times as many on a busy machine."""
    started = time.process_time()
    assert "word" in extract(path).text
    return time.process_time() - started


def test_large_stray_markup_is_read_in_linear_time(tmp_path: Path) -> None:
    for markup in LARGE.values():
        path = tmp_path / "stray.html"
        path.write_text(f"<!doctype html><title>Stray</title>{markup}", encoding="utf-8")
        assert any(processor_time(path) < 4 for _ in range(3))  # takes less than 1


@pytest.mark.parametrize(
    "stray",
    [
        pytest.param("<binary " * 40_000, id="pictures that do not end"),
        pytest.param("<![CDATA[ x>" * 50_000, id="sections that do not end"),
    ],
)
def test_a_large_damaged_fictionbook_is_read_in_linear_time(stray: str, tmp_path: Path) -> None:
    path = tmp_path / "stray.fb2"
    path.write_text(f"<FictionBook><body><section><p>word</p>{stray}", encoding="utf-8")
    # It took 7 s, and four times that at twice the size.
    assert any(processor_time(path) < 3 for _ in range(3))
