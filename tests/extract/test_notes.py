"""How notes are told from the text, on markup that no book should have."""

from collections.abc import Iterator

from lxml import etree

from alexandria.extract.notes import Document, find_notes

OPS = "http://www.idpf.org/2007/ops"


class Counted(etree.ElementBase):
    """An element that counts how often one is asked for its parents or for what it holds."""

    asked = 0

    def getparent(self) -> etree._Element | None:
        Counted.asked += 1
        return super().getparent()

    def iterancestors(self, *tags: str) -> Iterator[etree._Element]:  # type: ignore[override]  # fewer tags
        for element in super().iterancestors(*tags):
            Counted.asked += 1
            yield element

    def iterdescendants(self, *tags: str) -> Iterator[etree._Element]:  # type: ignore[override]  # fewer tags
        for element in super().iterdescendants(*tags):
            Counted.asked += 1
            yield element


def asked_for(depth: int) -> int:
    """Return how many elements are asked for in a book of notes, each inside the one before."""
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Counted))
    root = innermost = etree.fromstring("<body/>", parser)
    for _ in range(depth):
        innermost = etree.SubElement(innermost, "aside", {f"{{{OPS}}}type": "footnote"})
    innermost.text = "See the first edition."
    Counted.asked = 0
    found = find_notes([Document("notes.xhtml", root)])
    assert [note.elements for note in found.notes] == [(root[0],)]
    return Counted.asked


def test_notes_in_notes_twice_as_deep_are_twice_the_work() -> None:
    assert 0 < asked_for(400) <= 2.1 * asked_for(200)
