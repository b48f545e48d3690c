"""Markup of nothing but stray tags costs no more than its size: each piece is handled once."""

import pytest
from lxml import etree

from alexandria.extract.markup import tree


def test_text_between_two_tags_is_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    n_characters = 0

    def counted(text: str) -> str:
        nonlocal n_characters
        n_characters += len(text)
        return text

    monkeypatch.setattr(tree, "legal", counted)
    root = tree._SoupReader.read("<p>one" + "<" * 500 + "<b>two</b>three</p>four")
    assert etree.tostring(root, encoding="unicode") == (
        "<html><p>one" + "&lt;" * 500 + "<b>two</b>three</p>four</html>"
    )
    assert n_characters == len("one") + 500 + len("twothreefour")


def test_an_end_tag_without_its_start_closes_nothing() -> None:
    root = tree._SoupReader.read("<div><b>one</i>two<br/>three</b></b>four</div>")
    assert etree.tostring(root, encoding="unicode") == ("<html><div><b>onetwo<br/>three</b>four</div></html>")


@pytest.mark.parametrize(
    ("markup", "rest"),
    [
        (b"<?xml?><!DOCTYPE html><p>", b"<?xml?><p>"),
        (b'<!doctype a [<!ENTITY b "c">] ><p>', b"<p>"),
        (b"<!doctype a <!doctype b", b"<!doctype a <!doctype b"),
    ],
    ids=["removed", "with entities", "unfinished"],
)
def test_a_declaration_is_removed_if_it_ends(markup: bytes, rest: bytes) -> None:
    assert tree._without_doctype(markup) == rest
