"""What single elements of XHTML are: blocks, verse, hidden, page breaks, tables, pictures, formulas."""

import re

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
_PAGE_CLASSES = frozenset(
    ["pagebreak", "page-break", "pagenum", "pageno", "pagenumber", "page-number", "page_number"]
)
_PAGE = re.compile(r"\W*(?:page|pg?\.?)?\s*(\d{1,5}|[ivxlcdm]{1,9})\W*", re.IGNORECASE)
# MathType writes these words into each formula it has no alternative text for.
_NO_ALTERNATIVE = re.compile(r"\s*alternat\w+ text not available\.?\s*", re.IGNORECASE)
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def is_hidden(element: Element) -> bool:
    """Tell whether a reader never sees the element."""
    return element.get("hidden") is not None or bool(_HIDING.search(element.get("style") or ""))


def page_label(element: Element) -> str | None:
    """Return the printed label of the page that begins at this element, or None where none does."""
    if "pagebreak" in types(element):
        text = text_of(element)
        label = element.get("title") or element.get("aria-label") or text
        match = _PAGE.fullmatch(label)
        # Some wrap the whole page in its page break: what is too long for a label is text.
        return (match[1] if match else label.strip()) if len(text) <= 20 else None
    if classes(element) & _PAGE_CLASSES and (match := _PAGE.fullmatch(text_of(element))):
        return match[1]
    return None


def is_verse(element: Element, said: frozenset[str]) -> bool:
    """Tell whether the element holds verse, by its types (`said`) or its class."""
    return bool(said & _VERSE or classes(element) & _VERSE)


def holds_data(table: Element) -> bool:
    """Tell a table from a layout: that has headings or tables inside, or a single cell."""
    n_cells = 0
    for element in table.iterdescendants():
        name = local_name(element)
        if name in HEADINGS or name == "table":
            return False  # at once: tables in tables would else be gone through once for each around them
        n_cells += name in ("td", "th")
    return n_cells > 1


def is_untaken_case(element: Element, name: str) -> bool:
    """Tell a `case` of an epub:switch, which needs a vocabulary we do not read, when there is a default."""
    parent = element.getparent()
    return name == "case" and parent is not None and any(local_name(e) == "default" for e in parent)


def has_company(image: Element) -> bool:
    """Tell whether a picture stands in a line of text (an initial, a sign) and not alone."""
    block = next((e for e in image.iterancestors() if local_name(e) in BLOCKS), None)
    return (
        block is not None
        and local_name(block) not in ("body", "div", "figure", "section")
        and has_text(block)
    )


def formula(math: Element) -> str:
    """Return a formula as its alternative text reads it, or else its symbols with spaces between."""
    alternative = math.get("alttext") or ""
    if alternative.strip() and not _NO_ALTERNATIVE.fullmatch(alternative):
        return alternative
    tokens = (e.text for e in math.iter() if not len(e) and e.text and local_name(e) not in UNSEEN)
    return " ".join(tokens)
