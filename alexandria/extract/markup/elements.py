"""Single elements of XHTML: which are blocks, verse, hidden, page breaks, tables, images or formulas."""

import re
from itertools import pairwise

from alexandria.extract.markup.tree import Element, classes, has_text, local_name, text_of, types

BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "col", "colgroup", "dd",
    "desc", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend",
    "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section", "summary", "svg",
    "table", "tbody", "td", "text", "tfoot", "th", "thead", "title", "tr", "ul",
))  # fmt: skip
"""Elements that begin and end a block; `text`, `title` and `desc` are those of SVG."""
HEADINGS = {f"h{rank}": rank for rank in range(1, 7)}
UNSEEN = frozenset((
    "annotation", "annotation-xml", "audio", "head", "metadata", "rp", "rt", "rtc", "script", "style",
    "template", "video",
))  # fmt: skip
_VERSE = frozenset((
    "z3998:verse", "z3998:poem", "z3998:song", "z3998:hymn", "z3998:lyrics", "verse", "poem", "poetry",
    "stanza",
))  # fmt: skip
PAGE_CLASSES = frozenset(
    ["pagebreak", "page-break", "pagenum", "pageno", "pagenumber", "page-number", "page_number"]
)
"""Classes of the elements at which a printed page begins."""
_PAGE = re.compile(r"\W*(?:page|pg?\.?)?\s*(\d{1,5}|[ivxlcdm]{1,9})\W*", re.IGNORECASE)
# MathType writes these words into each formula without alternative text.
_NO_ALTERNATIVE = re.compile(r"\s*alternat\w+ text not available\.?\s*", re.IGNORECASE)
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def is_hidden(element: Element) -> bool:
    """Return whether the element is never shown to readers."""
    return element.get("hidden") is not None or bool(_HIDING.search(element.get("style") or ""))


def page_label(element: Element) -> str | None:
    """Return the printed label of the page that begins at this element, or None."""
    if "pagebreak" in types(element):
        text = text_of(element)
        label = element.get("title") or element.get("aria-label") or text
        match = _PAGE.fullmatch(label)
        # Some books wrap a whole page in its page break: what is too long for a label is text.
        return (match[1] if match else label.strip()) if len(text) <= 20 else None
    if classes(element) & PAGE_CLASSES and (match := _PAGE.fullmatch(text_of(element))):
        return match[1]
    return None


_SET_APART = frozenset({"epigraph", "letter", "z3998:letter", "z3998:epigraph"})
_MIN_SPEECHES = 8
_MIN_WORDS = 4
"""Words of a speech on average: the cells of data have fewer."""
_NAME = re.compile(r"[^\W\d_](?:[^\d_]{0,40}[^\W\d_])?[.:]?")
_WORD = re.compile(r"[^\W\d_]+")
_SPEAKER = frozenset({"z3998:persona", "persona", "speaker"})


def is_verse(element: Element, own_types: frozenset[str]) -> bool:
    """Return whether the element holds verse, by its types or its class."""
    return bool(own_types & _VERSE or classes(element) & _VERSE)


def is_stanza(element: Element) -> bool:
    """Return whether an element of verse holds nothing but its lines, each a paragraph."""
    lines = [*element]
    return (
        len(lines) > 1
        and not (element.text or "").strip()
        and all(
            local_name(line) in ("p", "div")
            and not (line.tail or "").strip()
            and not any(local_name(e) == "br" or local_name(e) in BLOCKS for e in line.iterdescendants())
            for line in lines
        )
    )


def is_set_apart(element: Element, own_types: frozenset[str]) -> bool:
    """Return whether an element without headings is declared to be an epigraph or a letter in the text."""
    if not (own_types & _SET_APART or classes(element) & _SET_APART):
        return False
    return not any(local_name(e) in HEADINGS for e in element.iterdescendants())


def holds_data(table: Element) -> bool:
    """Return whether a table holds data: one with headings, tables or a single cell inside is a layout."""
    n_cells = 0
    for element in table.iterdescendants():
        name = local_name(element)
        if name in HEADINGS or name == "table":
            return False  # at once: nested tables would be searched again for each table around them
        n_cells += name in ("td", "th")
    return n_cells > 1


def is_play(table: Element) -> bool:
    """Return whether the rows of a table are speeches: by its types or classes, or by what they hold."""
    cells = [*table.iterdescendants("{*}td")]
    return any(types(cell) & _SPEAKER or classes(cell) & _SPEAKER for cell in cells) or _is_dialogue(table)


def _is_dialogue(table: Element) -> bool:
    """Return whether the rows of a table are names, which come back, and what they say in words.

    The name may be missing, as of a direction, and one cell may span both columns.
    """
    rows = [[*row.iterchildren("{*}td")] for row in table.iterdescendants("{*}tr")]
    if len(rows) < _MIN_SPEECHES or not all(len(row) in (1, 2) for row in rows):
        return False
    pairs = [(text_of(name), text_of(speech)) for name, speech in (row for row in rows if len(row) == 2)]
    names = [name for name, _ in pairs if name]
    changes = sum(a != b for a, b in pairwise(names))
    return (
        len(names) >= _MIN_SPEECHES
        and all(_NAME.fullmatch(name) for name in names)
        and 2 * len(set(names)) <= len(names) <= 2 * changes
        and sum(len(_WORD.findall(speech)) for _, speech in pairs) >= _MIN_WORDS * len(pairs)
    )


def is_skipped_case(element: Element, name: str) -> bool:
    """Return whether the element is a `case` of an epub:switch that has a default, which is read instead."""
    if name != "case":
        return False
    parent = element.getparent()
    return parent is not None and any(local_name(e) == "default" for e in parent)


def is_inline_image(image: Element) -> bool:
    """Return whether an image is part of a line of text (an initial, a sign)."""
    block = next((e for e in image.iterancestors() if local_name(e) in BLOCKS), None)
    return (
        block is not None
        and local_name(block) not in ("body", "div", "figure", "section")
        and has_text(block)
    )


def link_text(link: Element) -> str:
    """Return what a link shows: its text or, if it shows nothing but a picture, what that says."""
    if (text := text_of(link)) or not len(link):
        return text
    pictures = [e for e in link.iterdescendants() if local_name(e) == "img"]
    return (pictures[0].get("alt") or "").strip() if len(pictures) == 1 else ""


def formula(math: Element) -> str:
    """Return a formula's alternative text or, without one, its symbols separated by spaces."""
    alternative = math.get("alttext") or ""
    if alternative.strip() and not _NO_ALTERNATIVE.fullmatch(alternative):
        return alternative
    tokens = (e.text for e in math.iter() if not len(e) and e.text and local_name(e) not in UNSEEN)
    return " ".join(tokens)
