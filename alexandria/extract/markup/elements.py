"""Recognises single elements of XHTML: blocks, verse, page breaks, tables, plays, images, formulas."""

import re
from collections.abc import Iterator
from itertools import pairwise

from lxml import etree

from alexandria.extract.markup.tree import Element, classes, has_text, identifier, local_name, text_of, types
from alexandria.extract.words import read_words

_WORDS = {name: frozenset(words.split("|")) for name, words in read_words("elements").items()}
BLOCKS = _WORDS["blocks"]  # elements that begin and end a block; `text`, `title` and `desc` are those of SVG
SECTIONS = frozenset(("article", "aside", "nav", "section"))
"""Elements to whose end a heading in them reaches: the sectioning content of HTML."""
HEADINGS = {f"h{rank}": rank for rank in range(1, 7)}
NOT_SHOWN = _WORDS["not shown"]  # elements without running text; of ruby, only the base text is kept
_VERSE = _WORDS["verse"]
PAGE_CLASSES = _WORDS["page breaks"]  # classes of the elements at which a printed page begins
_LINE_NUMBERS = _WORDS["line numbers"]
_LINE_NUMBER = re.compile(r"[\[(]?\d{1,5}[\])]?")
_PAGE_WORDS = "|".join(sorted(_WORDS["words for pages"]))
_PAGE = re.compile(rf"\W*(?:{_PAGE_WORDS})?\.?\s*(\d{{1,5}}|[ivxlcdm]{{1,9}})\W*", re.IGNORECASE)
_PAGE_NAME = re.compile(rf"({_PAGE_WORDS})[-_.]?(\d{{1,4}}|[ivxlcdm]+)", re.IGNORECASE)
"""What an anchor is called at which a page begins."""
_MAX_PAGE_LABEL = (
    20  # characters of a page's label; some books wrap the text of a whole page in its page break
)
# MathType writes these words into each formula without alternative text.
_NO_ALTERNATIVE = re.compile(r"\s*alternat\w+ text not available\.?\s*", re.IGNORECASE)
_SET_APART = frozenset({"epigraph", "letter", "z3998:letter", "z3998:epigraph"})
_MIN_SPEECHES = 8  # fewest rows, and fewest names of speakers, of a table that holds a play
_MIN_WORDS_PER_SPEECH = 4  # words of a speech on average; cells of data have fewer
_NAME = re.compile(r"[^\W\d_](?:[^\d_]{0,40}[^\W\d_])?[.:]?")
_WORD = re.compile(r"[^\W\d_]+")
_SPEAKER = frozenset({"z3998:persona", "persona", "speaker"})
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def is_hidden(element: Element) -> bool:
    """Return whether the element is never shown to readers."""
    return element.get("hidden") is not None or bool(_HIDING.search(element.get("style") or ""))


def page_label(element: Element) -> str | None:
    """Return the printed label of the page that begins at this element, or None if none begins there.

    It is empty for a page break that has no label.
    """
    if "pagebreak" in types(element):
        text = text_of(element)
        label = element.get("title") or element.get("aria-label") or text
        if len(text) > _MAX_PAGE_LABEL:
            return None
        match = _PAGE.fullmatch(label)
        return match[1] if match else label.strip()
    if classes(element) & PAGE_CLASSES:
        label = text_of(element) or element.get("title") or element.get("aria-label") or ""
        if match := _PAGE.fullmatch(label):
            return match[1]
    return None


def page_in_name(element: Element) -> tuple[str, str] | None:
    """Return the word and the number in the name of an anchor such as `page_12`; None for other elements.

    A word of one letter may as well name a paragraph, unless the element is empty.
    """
    match = _PAGE_NAME.fullmatch(identifier(element) or "")
    return (match[1].lower(), match[2]) if match and (len(match[1]) > 1 or not has_text(element)) else None


def is_hidden_initial(element: Element) -> bool:
    """Return whether an element has the first letter of a word, hidden because a picture shows it."""
    text, tail = text_of(element), element.tail or ""
    return len(text) == 1 and text.isupper() and tail[:1].isalpha() and element.getprevious() is None


def is_line_number(element: Element) -> bool:
    """Return whether an element is the number of a line, as in editions of poems."""
    return bool(classes(element) & _LINE_NUMBERS) and _LINE_NUMBER.fullmatch(text_of(element)) is not None


def is_verse(element: Element, own_types: frozenset[str]) -> bool:
    """Return whether the element holds verse, by its types or its class."""
    return bool(own_types & _VERSE or classes(element) & _VERSE)


def is_stanza(element: Element) -> bool:
    """Return whether an element of verse holds nothing but lines, each a paragraph of its own."""
    lines = [*element]
    return len(lines) > 1 and not (element.text or "").strip() and all(map(_is_verse_line, lines))


def _is_verse_line(element: Element) -> bool:
    """Return whether an element can be one line of verse: a paragraph without line breaks or blocks in it."""
    if local_name(element) not in ("p", "div") or (element.tail or "").strip():
        return False
    return not any(local_name(e) == "br" or local_name(e) in BLOCKS for e in element.iterdescendants())


def is_set_apart(element: Element, own_types: frozenset[str]) -> bool:
    """Return whether an element is declared to be an epigraph or a letter, and has no headings inside."""
    if not (own_types & _SET_APART or classes(element) & _SET_APART):
        return False
    return not any(local_name(e) in HEADINGS for e in element.iterdescendants())


def holds_data(table: Element) -> bool:
    """Return whether a table holds data: one with headings, tables or a single cell inside is mere layout."""
    n_cells = 0
    for element in table.iterdescendants():
        name = local_name(element)
        if name in HEADINGS or name == "table":
            return False  # stop here: otherwise nested tables are searched again for each table around them
        n_cells += name in ("td", "th")
    return n_cells > 1


def is_play(table: Element) -> bool:
    """Return whether the rows of a table are the speeches of a play, by types, classes or their content."""
    cells = [*table.iterdescendants("{*}td")]
    return any(types(cell) & _SPEAKER or classes(cell) & _SPEAKER for cell in cells) or _is_dialogue(table)


def _is_dialogue(table: Element) -> bool:
    """Return whether the rows of a table are the names of speakers, each followed by a speech."""
    # The names must recur, and the speakers must alternate. A name may be empty, as before a stage direction;
    # a row may also be a single cell that spans both columns.
    rows = [[*row.iterchildren("{*}td")] for row in table.iterdescendants("{*}tr")]
    if len(rows) < _MIN_SPEECHES or not all(len(row) in (1, 2) for row in rows):
        return False
    pairs = [(text_of(row[0]), text_of(row[1])) for row in rows if len(row) == 2]
    names = [name for name, _ in pairs if name]
    if len(names) < _MIN_SPEECHES or not all(_NAME.fullmatch(name) for name in names):
        return False
    names_recur = 2 * len(set(names)) <= len(names)
    n_changes = sum(name != following for name, following in pairwise(names))
    speakers_alternate = 2 * n_changes >= len(names)
    n_words = sum(len(_WORD.findall(speech)) for _, speech in pairs)
    are_sentences = n_words >= _MIN_WORDS_PER_SPEECH * len(pairs)
    return names_recur and speakers_alternate and are_sentences


def is_skipped_case(element: Element, name: str) -> bool:
    """Return whether the element is a `case` of an `epub:switch` whose `default` is read instead."""
    if name != "case":
        return False
    parent = element.getparent()
    return parent is not None and any(local_name(e) == "default" for e in parent)


def is_inline_image(image: Element) -> bool:
    """Return whether an image is part of a line of text, such as an initial or a sign."""
    block = next((e for e in image.iterancestors() if local_name(e) in BLOCKS), None)
    return (
        block is not None
        and local_name(block) not in ("body", "div", "figure", "section")
        and has_text(block)
    )


def link_text(link: Element) -> str:
    """Return a link's text or, if it shows nothing but one picture, the picture's alternative text."""
    if (text := text_of(link)) or not len(link):
        return text
    pictures = [e for e in link.iterdescendants() if local_name(e) == "img"]
    return (pictures[0].get("alt") or "").strip() if len(pictures) == 1 else ""


def quotation_marks(quotation: Element) -> str:
    """Return the marks that browsers show around a `q`: `“”`, inside another `‘’`; none if they are typed."""
    if (quotation.text or "").lstrip()[:1] in tuple("“„«‘\"'»"):
        return ""
    return "‘’" if any(local_name(outer) == "q" for outer in quotation.iterancestors()) else "“”"


def formula(math: Element) -> str:
    """Return a formula's alternative text or, if it has none, its symbols and words separated by spaces."""
    alternative = math.get("alttext") or ""
    if alternative.strip() and not _NO_ALTERNATIVE.fullmatch(alternative):
        return alternative
    return " ".join(_iter_tokens(math))


def _iter_tokens(math: Element) -> Iterator[str]:
    """Yield the symbols and words of a formula, in order, without annotations, which repeat them."""
    events = etree.iterwalk(math, events=("start", "end"))
    for event, part in events:
        if event == "end":
            text = part.tail if part is not math else None
        elif local_name(part) in NOT_SHOWN:
            events.skip_subtree()
            continue
        else:
            text = part.text
        is_symbol = event == "start" and not len(part)
        if text and (is_symbol or not text.isspace()):  # white space between elements only indents them
            yield text
