"""Entities that a document declares itself are reported, not expanded."""

from alexandria.extract.markup.tree import find_refused_entities

BOMB = b'<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


def test_entities_of_its_own_are_named() -> None:
    cases: dict[str, tuple[bytes, tuple[str, ...]]] = {
        "known to all": (b"<p>one &amp; two &nbsp;&eacute; &#8212; &#x2014;</p>", ()),
        "declared, never used": (BOMB + b"<p>one</p>", ()),
        "used": (BOMB + b"<p>&b; and &b; and &a;</p>", ("b", "a")),
        "never declared": (b"<p>&nosuch;</p>", ("nosuch",)),
        "a stray ampersand is none": (b"<p>R&D; AT&T, a & b</p>", ("D",)),
        "UTF-16": ((BOMB + b"<p>&b;</p>").decode().encode("utf-16"), ("b",)),
    }
    for data, names in cases.values():
        assert find_refused_entities(data) == names
