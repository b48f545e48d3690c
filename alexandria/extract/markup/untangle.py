"""Markup that mixes notes with something else, made regular before notes are looked for.

A link around a word and its mark becomes a link around the mark; notes that share a paragraph, apart only by
line breaks, become paragraphs.
"""

from collections.abc import Iterator, Sequence

from alexandria.extract.markup.links import targets_of
from alexandria.extract.markup.marks import begins_line, is_mark, is_raised
from alexandria.extract.markup.tree import (
    MADE,
    Document,
    Element,
    body_of,
    fold,
    identifier,
    legal,
    local_name,
    resolve,
    text_of,
)

_SEPARATORS = frozenset({",", ";", "–", "-"})


def untangle(documents: Sequence[Document]) -> None:
    """Change such markup in place; no text is added or lost."""
    for document in documents:
        for sup in [*body_of(document.root).iter("{*}sup")]:
            _take_word_out(sup)
            _lower_separator(sup)
    places = [(document, place) for document in documents for place in _breaks_before_notes(document)]
    if not places:  # the usual case
        return
    targets = targets_of(documents)
    for document, line_break in reversed(places):  # each moves only what follows it
        link = _link_after(line_break)
        if link is not None and _is_linked_back(document, link, targets):
            _divide(line_break)


def _take_word_out(sup: Element) -> None:
    """Turn a link around a word and its raised mark into a link around the mark."""
    link = sup.getparent()
    if link is None or local_name(link) != "a" or "#" not in (link.get("href") or "") or link[-1] is not sup:
        return
    if (sup.tail or "").strip() or not is_mark(text_of(sup)) or text_of(link) == text_of(sup):
        return
    inner = link.makeelement(link.tag)
    inner.set("href", legal(str(link.attrib.pop("href"))))
    inner.tail, sup.tail = legal(str(sup.tail or "")), None
    link.replace(sup, inner)
    inner.append(sup)
    link.tag = str(link.tag)[:-1] + "span"


def _lower_separator(sup: Element) -> None:
    """Turn a raised comma between two raised links, with nothing between them, into one on the line."""
    before, after, parent = sup.getprevious(), sup.getnext(), sup.getparent()
    if parent is None or before is None or after is None or len(sup) or sup.tail or before.tail:
        return
    if (sup.text or "").strip() in _SEPARATORS and all(_raises_link(e) for e in (before, after)):
        before.tail = legal(sup.text or "")
        parent.remove(sup)


def _raises_link(element: Element) -> bool:
    return local_name(element) == "sup" and len(element) == 1 and local_name(element[0]) == "a"


def _breaks_before_notes(document: Document) -> Iterator[Element]:
    """Yield the line breaks before links that may lead back from notes."""
    for line_break in body_of(document.root).iter("{*}br"):
        link = _link_after(line_break)
        if link is not None and link.get("href") and identifier(link) and is_mark(text_of(link)):
            yield line_break


def _link_after(line_break: Element) -> Element | None:
    following = line_break.getnext()
    if following is None or (line_break.tail or "").strip():
        return None
    if local_name(following) == "a":
        return following
    if len(following) != 1 or local_name(following[0]) != "a" or (following.text or "").strip():
        return None
    return following[0] if is_raised(following) else None


def _is_linked_back(document: Document, link: Element, targets: dict[tuple[str, str], Element]) -> bool:
    """Return whether a link leads to a link in a sentence that leads back to it."""
    place = resolve(document.path, link.get("href") or "")
    mark = targets.get((fold(place[0]), place[1])) if place else None
    if mark is None or local_name(mark) != "a" or begins_line(mark):
        return False
    back = (mark.get("href") or "").rpartition("#")[2]
    return bool(back) and back == identifier(link)


def _divide(line_break: Element) -> None:
    """Divide a paragraph at a line break."""
    paragraph = line_break.getparent()
    if paragraph is None or local_name(paragraph) != "p":
        return
    following = [*line_break.itersiblings()]
    rest = paragraph.makeelement(paragraph.tag)
    rest.attrib.update(
        {str(name): legal(str(value)) for name, value in paragraph.attrib.items() if name != "id"}
    )
    rest.set(MADE, "")
    rest.text, rest.tail = legal(line_break.tail or ""), legal(paragraph.tail or "")
    paragraph.tail = None
    paragraph.remove(line_break)
    rest.extend(following)
    paragraph.addnext(rest)
