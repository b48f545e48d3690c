"""What marks of notes look like: the links that cite a note, and those that lead back from it."""

import re
from functools import lru_cache

from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.tree import (
    Element,
    classes,
    has_text,
    local_name,
    short_text_of,
    text_of,
    types,
)

_CITE_TYPES = frozenset({"noteref"})
_CITE_CLASSES = frozenset(
    [
        "noteref",
        "footnoteref",
        "footnote-ref",
        "fnref",
        "fn-ref",
        "fnanchor",
        "footref",
        "footnote-reference",
        "footnotecall",
        "duokan-footnote",
    ]
)
_BACK_TYPES = frozenset({"backlink", "referrer"})
_BACK_CLASSES = frozenset(
    [
        "backlink",
        "footnote-back",
        "footnote-backref",
        "reversefootnote",
        "fn-backref",
        "footnum",
        "sdfootnotesym",
    ]
)
FOOTNOTE_TYPES = frozenset(["footnote", "endnote", "rearnote"])
NOTE_TYPES = FOOTNOTE_TYPES | {"note"}
_NOTED_TYPES = FOOTNOTE_TYPES | {"footnotes", "endnotes", "rearnotes"}
# `note` alone is no footnote: manuals name their warnings so.
_NOTE_CLASS = re.compile(
    r"_?(?:id|mso|sd|ltx_)?-?_?(?:foot|end|rear)-?_?note(?:s|text|-?body|-?content|-?para(?:graph)?)?"
    r"|foot|fn|ftn|fnote|notes?-?text|notes?(?:de)?basp?(?:age)?|references|(?:footnote|fn)-?list"
)
_NOTE_STYLE = re.compile(r"mso-element\s*:\s*(?:foot|end)note\b")
# A printed mark: a number, a letter, up to three reference signs, with or without brackets.
_MARK = re.compile(
    r"[\[({〔［]?\s*(?:[注註※]|FN(?=\d))?(\d{1,4}|[a-z]|[ivxl]{1,6}|[*†‡§‖¶#]{1,3}|[⁰¹²³⁴-⁹]{1,4}|[①-⑳㉑-㉟])\s*"
    r"[\])}〕］]?[.:]?",
    re.I,
)
# Only in brackets: without them it is a part of a sentence, as in "see note 3".
_MARK_IN_WORDS = re.compile(r"[\[({]\s*(?:foot|end)?note\s+(\d{1,4})\s*[\])}][.:]?", re.I)
_SUPERSCRIPTS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟"
NAMED = r"(?:(?:foot|end)?note|fn|fu(?:ß|ss)note|anmerkung|nota|[注註※])"
"""What may be printed before a label: `Footnote 12:`."""
_ARROWS = "↩↑⏎↵⤴⮌^←⇧▲"
_BACK = re.compile(
    # Calibre prints the number beside the arrow.
    rf"[\s{_ARROWS}\ufe0e\ufe0f\[\]()]+|[\[(]?[{_ARROWS}]\ufe0e?\s*\d{{1,4}}[\])]?"
    r"|[\[(]?(?:(?:go|jump)\s)?(?:back|return|zurück|retour|terug|volver|torna)"
    r"(?:\s(?:to|zum|au|naar|al)(?:\s(?:the|de))?\s(?:text|reference|note|texte?|tekst|texto|testo))?[\])]?",
    re.IGNORECASE,
)
_BEFORE_A_LABEL = re.compile(r"[\s\[({]*")
_LONGEST = 80
"""Characters of a mark with what is around it."""
_RAISED = frozenset({"sup"})
_RAISING = re.compile(r"vertical-align\s*:\s*super", re.IGNORECASE)


def is_declared_cite(link: Element) -> bool:
    """Return whether a link is declared to cite a note, by itself or by what wraps it."""
    return _cites(link) or any(map(_cites, _wrapped(link)[1:]))


def _cites(element: Element) -> bool:
    return bool(types(element) & _CITE_TYPES or classes(element) & _CITE_CLASSES)


def is_declared_back(link: Element) -> bool:
    """Return whether a link is declared to lead back from a note."""
    if classes(link) & _BACK_CLASSES:
        return True
    # Org calls both links so.
    return bool(types(link) & _BACK_TYPES) and not classes(link) & _CITE_CLASSES


def is_mark(text: str) -> bool:
    """Return whether a link's text is a note's mark: a number, a letter, a sign."""
    return bool(_MARK.fullmatch(text) or _MARK_IN_WORDS.fullmatch(text))


def is_back_sign(text: str) -> bool:
    """Return whether a link's text says that it leads back: an arrow, "return"."""
    return bool(_BACK.fullmatch(text))


def label_of(text: str) -> str:
    """Return a mark without its brackets."""
    match = _MARK.fullmatch(text) or _MARK_IN_WORDS.fullmatch(text)
    return match[1] if match else text.strip("[](){} ")


def is_printed_as_mark(link: Element) -> bool:
    """Return whether a link whose text is a mark is raised, in brackets, or a sign."""
    first = text_of(link)[:1]
    return is_raised(link) or not first.isalnum() or first in _SUPERSCRIPTS or _in_brackets(link)


def adheres(link: Element) -> bool:
    """Return whether a link follows a word or its punctuation without a space."""
    before, parent = link.getprevious(), link.getparent()
    ahead = before.tail if before is not None else (parent.text if parent is not None else "")
    return ahead is not None and not ahead[-1:].isspace() and ahead != ""


def is_raised(element: Element) -> bool:
    """Return whether an element or what it wraps is a superscript."""
    around = (*element, *_wrapped(element))
    return any(local_name(e) in _RAISED or _RAISING.search(e.get("style") or "") for e in around)


def begins_line(element: Element) -> bool:
    """Return whether nothing but an opening bracket precedes the element in its block or after a `br`."""
    while True:
        for earlier in element.itersiblings(preceding=True):
            if not _BEFORE_A_LABEL.fullmatch(earlier.tail or ""):
                return False
            if local_name(earlier) == "br":
                return True
            if has_text(earlier):
                # In a heading's or a cell's place: a block of its own, before this line.
                return local_name(earlier) in BLOCKS
        parent = element.getparent()
        if parent is None:
            return True
        if not _BEFORE_A_LABEL.fullmatch(parent.text or ""):
            return False
        if local_name(parent) in BLOCKS:
            return True
        element = parent


def is_noted(element: Element) -> bool:
    """Return whether the element is declared to be a note or notes, by type, class or Word's style."""
    if types(element) & _NOTED_TYPES or _NOTE_STYLE.search(element.get("style") or ""):
        return True
    return _name_note(classes(element))


@lru_cache(maxsize=1024)
def _name_note(words: frozenset[str]) -> bool:
    return any(map(_NOTE_CLASS.fullmatch, words))


def begins_with(text: str, label: str) -> bool:
    """Return whether a note's text begins with its label, as in "12. See…", "[*] See…"."""
    return bool(label) and re.match(label_pattern(label), text) is not None


def label_pattern(label: str) -> str:
    """Return the regular expression of a label printed before its note, with brackets and stop."""
    named = rf"(?i:{NAMED}\s*)?" if label.isnumeric() else ""
    # A sign of its own ends where it ends; "1" does not in "1st".
    end = "" if label in _CIRCLED else r"(?!\w)"
    return rf"[\[({{〔［]?\s*{named}{re.escape(label)}\s*(?:[\])}}〕］]?[.:、]?{end}|[\])}}〕］])"


def _wrapped(element: Element) -> list[Element]:
    """Return the element and those around it that hold nothing else, up to its block."""
    wrapped = [element]
    if (text := short_text_of(element, _LONGEST)) is None:
        return wrapped
    text = text.strip("[](){}")
    while (parent := element.getparent()) is not None and local_name(parent) not in BLOCKS:
        if len(wrapped) > 4 or len(parent) > 3:
            break
        around = short_text_of(parent, _LONGEST)
        if around is None or around.strip("[](){}") != text:
            break
        wrapped.append(parent)
        element = parent
    return wrapped


def _in_brackets(element: Element) -> bool:
    text, after = text_of(element), (element.tail or "").lstrip()
    if text[:1] in ("[", "(", "{"):
        return True
    parent, before = element.getparent(), element.getprevious()
    ahead = before.tail if before is not None else (parent.text if parent is not None else "")
    return ((ahead or "").rstrip()[-1:], after[:1]) in {("[", "]"), ("(", ")"), ("{", "}")}
