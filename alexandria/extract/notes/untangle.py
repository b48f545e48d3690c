"""Brings unusual markup of notes into the usual form, before notes are looked for.

A link around a word and its mark becomes a link around the mark; notes in one paragraph, separated only by
line breaks, become paragraphs of their own.
"""

from collections.abc import Iterator, Sequence

from alexandria.extract.markup import tree
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.notes.links import targets_of
from alexandria.extract.notes.marks import begins_line, is_mark, is_raised

_SEPARATORS = frozenset({",", ";", "–", "-"})


def untangle(documents: Sequence[Document]) -> None:
    """Regularise the markup of notes in place; no text is added or lost."""
    for document in documents:
        for sup in [*tree.body_of(document.root).iter("{*}sup")]:
            _narrow_link_to_mark(sup)
            _lower_separator(sup)
    breaks = [
        (document, line_break) for document in documents for line_break in _breaks_before_notes(document)
    ]
    if not breaks:  # the usual case
        return
    targets = targets_of(documents)
    for document, line_break in reversed(breaks):  # the last first: a split moves all that follows the break
        link = _link_after(line_break)
        if link is not None and _is_linked_back(document, link, targets):
            _split_paragraph(line_break)


def _narrow_link_to_mark(sup: Element) -> None:
    """Turn a link around a word and its raised mark into a link around the mark alone, in place."""
    # `<a href="#n">word<sup>1</sup></a>` becomes `<span>word<a href="#n"><sup>1</sup></a></span>`.
    link = sup.getparent()
    if link is None or tree.local_name(link) != "a" or "#" not in (link.get("href") or ""):
        return
    ends_link = link[-1] is sup and not (sup.tail or "").strip()
    if not ends_link or not is_mark(tree.text_of(sup)) or tree.text_of(link) == tree.text_of(sup):
        return
    mark_link = link.makeelement(link.tag)
    mark_link.set("href", tree.without_illegal(str(link.attrib.pop("href"))))
    mark_link.tail, sup.tail = tree.without_illegal(str(sup.tail or "")), None
    link.replace(sup, mark_link)
    mark_link.append(sup)
    link.tag = str(link.tag)[:-1] + "span"  # `a` is the last letter of the tag, after any namespace


def _lower_separator(sup: Element) -> None:
    """Turn a superscript that holds only the separator of two marks (¹,²) into plain text, in place."""
    # In `<sup><a>1</a></sup><sup>,</sup><sup><a>2</a></sup>`, the second `sup` becomes `,`.
    before, after, parent = sup.getprevious(), sup.getnext(), sup.getparent()
    if parent is None or before is None or after is None:
        return
    if len(sup) or sup.tail or before.tail:  # with other elements in it, or text around it
        return
    if (sup.text or "").strip() in _SEPARATORS and _is_raised_link(before) and _is_raised_link(after):
        before.tail = tree.without_illegal(sup.text or "")
        parent.remove(sup)


def _is_raised_link(element: Element) -> bool:
    return tree.local_name(element) == "sup" and len(element) == 1 and tree.local_name(element[0]) == "a"


def _breaks_before_notes(document: Document) -> Iterator[Element]:
    """Yield the line breaks that are followed by a link which may lead back from a note."""
    for line_break in tree.body_of(document.root).iter("{*}br"):
        link = _link_after(line_break)
        if link is not None and link.get("href") and tree.identifier(link) and is_mark(tree.text_of(link)):
            yield line_break


def _link_after(line_break: Element) -> Element | None:
    """Return the link right after a line break, raised or not, or None if something else follows."""
    following = line_break.getnext()
    if following is None or (line_break.tail or "").strip():
        return None
    if tree.local_name(following) == "a":
        return following
    has_link_alone = len(following) == 1 and tree.local_name(following[0]) == "a"
    if not has_link_alone or (following.text or "").strip():
        return None
    return following[0] if is_raised(following) else None


def _is_linked_back(document: Document, link: Element, targets: dict[tuple[str, str], Element]) -> bool:
    """Return whether a link leads to a link in a sentence, and that link leads back."""
    place = tree.resolve(document.path, link.get("href") or "")
    if place is None:
        return False
    path, id = place
    mark = targets.get((tree.fold(path), id))
    if mark is None or tree.local_name(mark) != "a" or begins_line(mark):
        return False
    cited_id = (mark.get("href") or "").rpartition("#")[2]
    return bool(cited_id) and cited_id == tree.identifier(link)


def _split_paragraph(line_break: Element) -> None:
    """Split a paragraph at a line break, in place; the break is removed, and the first part keeps the id."""
    paragraph = line_break.getparent()
    if paragraph is None or tree.local_name(paragraph) != "p":
        return
    following = [*line_break.itersiblings()]
    rest = paragraph.makeelement(paragraph.tag)
    rest.attrib.update(
        {
            str(name): tree.without_illegal(str(value))
            for name, value in paragraph.attrib.items()
            if name != "id"
        }
    )
    rest.set(tree.MADE, "")
    rest.text, rest.tail = (
        tree.without_illegal(line_break.tail or ""),
        tree.without_illegal(paragraph.tail or ""),
    )
    paragraph.tail = None
    paragraph.remove(line_break)
    rest.extend(following)
    paragraph.addnext(rest)
