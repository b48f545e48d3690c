"""Entities that a document declares itself are reported, not expanded."""

import pytest

from alexandria.extract.markup.tree import find_refused_entities

BOMB = b'<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("data", "names"),
    [
        pytest.param(b"<p>one &amp; two &nbsp;&eacute; &#8212; &#x2014;</p>", (), id="known to all"),
        pytest.param(BOMB + b"<p>one</p>", (), id="declared, never used"),
        pytest.param(BOMB + b"<p>&b; and &b; and &a;</p>", ("b", "a"), id="used"),
        pytest.param(b"<p>&nosuch;</p>", ("nosuch",), id="never declared"),
        pytest.param(b"<p>R&D; AT&T, a & b</p>", ("D",), id="a stray ampersand is none"),
        pytest.param((BOMB + b"<p>&b;</p>").decode().encode("utf-16"), ("b",), id="UTF-16"),
    ],
)
def test_entities_of_its_own_are_named(data: bytes, names: tuple[str, ...]) -> None:
    assert find_refused_entities(data) == names
