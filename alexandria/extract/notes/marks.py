"""Recognises the marks of notes: links in the text that cite a note, and links that lead back from it.

A mark is the number or sign in the text that cites a note. The note begins with the same number or sign, its
label, which often links back to the mark.
"""

import re
from functools import lru_cache

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.tree import Element

_CITE_TYPES = frozenset({"noteref"})
_CITE_CLASSES = frozenset([
    "noteref", "footnoteref", "footnote-ref", "fnref", "fn-ref", "fnanchor", "footref",
    "footnote-reference", "footnotecall", "duokan-footnote",
])  # fmt: skip
_BACK_TYPES = frozenset({"backlink", "referrer"})
_BACK_CLASSES = frozenset([
    "backlink", "footnote-back", "footnote-backref", "reversefootnote", "fn-backref", "footnum",
    "sdfootnotesym",
])  # fmt: skip
FOOTNOTE_TYPES = frozenset(["footnote", "endnote", "rearnote"])
NOTE_TYPES = FOOTNOTE_TYPES | {"note"}
_NOTE_OR_LIST_TYPES = FOOTNOTE_TYPES | {"footnotes", "endnotes", "rearnotes"}
# Not `note` alone: in manuals, it is the class of warnings.
_NOTE_CLASS = re.compile(
    r"_?(?:id|mso|sd|ltx_)?-?_?(?:foot|end|rear)-?_?note(?:s|text|-?body|-?content|-?para(?:graph)?)?"
    r"|foot|fn|ftn|fnote|notes?-?text|notes?(?:de)?basp?(?:age)?|references|(?:footnote|fn)-?list"
)
_NOTE_STYLE = re.compile(r"mso-element\s*:\s*(?:foot|end)note\b")
# A printed mark: a number, a letter, or up to three reference signs, with or without brackets.
_MARK = re.compile(
    r"[\[({〔［]?\s*(?:[注註※]|FN(?=\d))?(\d{1,4}|[a-z]|[ivxl]{1,6}|[*†‡§‖¶#]{1,3}|[⁰¹²³⁴-⁹]{1,4}|[①-⑳㉑-㉟])\s*"
    r"[\])}〕］]?[.:]?",
    re.I,
)
# Only in brackets: "see note 3" without them is part of a sentence.
_MARK_IN_WORDS = re.compile(r"[\[({]\s*(?:foot|end)?note\s+(\d{1,4})\s*[\])}][.:]?", re.I)
_SUPERSCRIPTS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟"
NOTE_WORD = r"(?:(?:foot|end)?note|fn|fu(?:ß|ss)note|anmerkung|nota|[注註※])"
"""The word that may be printed before a label, as in "Footnote 12:"."""
_ARROWS = "↩↑⏎↵⤴⮌^←⇧▲"
_BACK = re.compile(
    # Calibre prints the note's number next to the arrow.
    rf"[\s{_ARROWS}\ufe0e\ufe0f\[\]()]+|[\[(]?[{_ARROWS}]\ufe0e?\s*\d{{1,4}}[\])]?"
    r"|[\[(]?(?:(?:go|jump)\s)?(?:back|return|zurück|retour|terug|volver|torna)"
    r"(?:\s(?:to|zum|au|naar|al)(?:\s(?:the|de))?\s(?:text|reference|note|texte?|tekst|texto|testo))?[\])]?",
    re.IGNORECASE,
)
_BEFORE_A_LABEL = re.compile(r"[\s\[({]*")
_MAX_MARK = 80  # characters of a mark together with the elements that wrap it
_MAX_WRAPPERS = 4  # inline elements around a mark: more are not climbed
_MAX_WRAPPED = 3  # children of an element around a mark: one with more holds other content too
_RAISED = frozenset({"sup"})
_RAISING = re.compile(r"vertical-align\s*:\s*super", re.IGNORECASE)


def is_declared_cite(link: Element) -> bool:
    """Return whether a link is declared to cite a note, by its own attributes or those of its wrappers."""
    return _has_cite_attributes(link) or any(map(_has_cite_attributes, _with_wrappers(link)[1:]))


def _has_cite_attributes(element: Element) -> bool:
    return bool(tree.types(element) & _CITE_TYPES or tree.classes(element) & _CITE_CLASSES)


def is_declared_back(link: Element) -> bool:
    """Return whether a link is declared to lead back from a note."""
    if tree.classes(link) & _BACK_CLASSES:
        return True
    # Org declares `backlink` on both links: there, the class tells which one cites.
    return bool(tree.types(link) & _BACK_TYPES) and not tree.classes(link) & _CITE_CLASSES


def is_mark(text: str) -> bool:
    """Return whether a link's text can be a note's mark: a number, a letter or a sign."""
    return bool(_MARK.fullmatch(text) or _MARK_IN_WORDS.fullmatch(text))


def is_back_sign(text: str) -> bool:
    """Return whether a link's text says that it leads back, such as an arrow or "return"."""
    return bool(_BACK.fullmatch(text))


def label_of(text: str) -> str:
    """Return a mark without its brackets and words: `3` for "[3]" and "[Note 3]"."""
    match = _MARK.fullmatch(text) or _MARK_IN_WORDS.fullmatch(text)
    return match[1] if match else text.strip("[](){} ")


def is_printed_as_mark(link: Element) -> bool:
    """Return whether a link whose text is a mark is also printed like one: raised, in brackets, or a sign."""
    first = tree.text_of(link)[:1]
    return is_raised(link) or not first.isalnum() or first in _SUPERSCRIPTS or _in_brackets(link)


def is_attached(link: Element) -> bool:
    """Return whether a link follows a word or its punctuation without a space."""
    before = text_before(link)
    return before != "" and not before[-1].isspace()


def text_before(element: Element) -> str:
    """Return the text node right before an element; empty if another element or nothing precedes it."""
    previous, parent = element.getprevious(), element.getparent()
    if previous is not None:
        return previous.tail or ""
    return (parent.text or "") if parent is not None else ""


def is_raised(element: Element) -> bool:
    """Return whether an element, one of its children or one of its wrappers is a superscript."""
    candidates = (*element, *_with_wrappers(element))
    return any(tree.local_name(e) in _RAISED or _RAISING.search(e.get("style") or "") for e in candidates)


def begins_line(element: Element) -> bool:
    """Return whether an element is the first on its line; only opening brackets may precede it.

    A line begins with a block, after a block, or after a `br`.
    """
    while True:
        for earlier in element.itersiblings(preceding=True):
            if not _BEFORE_A_LABEL.fullmatch(earlier.tail or ""):
                return False
            if tree.local_name(earlier) == "br":
                return True
            if tree.has_text(earlier):
                # After a block, such as a heading or a cell, the element begins the next line.
                return tree.local_name(earlier) in BLOCKS
        parent = element.getparent()
        if parent is None:
            return True
        if not _BEFORE_A_LABEL.fullmatch(parent.text or ""):
            return False
        if tree.local_name(parent) in BLOCKS:
            return True
        element = parent


def is_declared_notes(element: Element) -> bool:
    """Return whether the element is declared to be a note or a list of notes: by type, class or style."""
    if tree.types(element) & _NOTE_OR_LIST_TYPES or _NOTE_STYLE.search(element.get("style") or ""):
        return True
    return _any_names_notes(tree.classes(element))


@lru_cache(maxsize=1024)
def _any_names_notes(class_names: frozenset[str]) -> bool:
    return any(map(_NOTE_CLASS.fullmatch, class_names))


def begins_with_label(text: str, label: str) -> bool:
    """Return whether a note's text begins with its label, as in "12. See…", "[*] See…"."""
    return bool(label) and re.match(label_pattern(label), text) is not None


def label_pattern(label: str) -> str:
    """Return a regular expression for a label printed before its note, with its brackets and full stop."""
    word = rf"(?i:{NOTE_WORD}\s*)?" if label.isnumeric() else ""
    # "1" is not the label of "1st"; a circled number needs nothing after it.
    end = "" if label in _CIRCLED else r"(?!\w)"
    return rf"[\[({{〔［]?\s*{word}{re.escape(label)}\s*(?:[\])}}〕］]?[.:、]?{end}|[\])}}〕］])"


def _with_wrappers(element: Element) -> list[Element]:
    """Return the element and its wrappers: the inline elements around it with no other text but brackets."""
    wrappers = [element]
    if (text := tree.short_text_of(element, _MAX_MARK)) is None:
        return wrappers
    text = text.strip("[](){}")
    while (parent := element.getparent()) is not None and tree.local_name(parent) not in BLOCKS:
        if len(wrappers) > _MAX_WRAPPERS or len(parent) > _MAX_WRAPPED:
            break
        parent_text = tree.short_text_of(parent, _MAX_MARK)
        if parent_text is None or parent_text.strip("[](){}") != text:
            break
        wrappers.append(parent)
        element = parent
    return wrappers


def _in_brackets(element: Element) -> bool:
    """Return whether an element begins with a bracket, or is between two brackets in the text around it."""
    if tree.text_of(element)[:1] in ("[", "(", "{"):
        return True
    before, after = text_before(element).rstrip(), (element.tail or "").lstrip()
    return (before[-1:], after[:1]) in {("[", "]"), ("(", ")"), ("{", "}")}
