"""Hides elements that style sheets do not show, as if it were in their `style` attribute.

Rules count by weight and order, as in a reader. One whose selector or condition cannot be judged here hides
nothing, and shows what others hide: no text is lost in doubt.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from alexandria.extract.markup.stylesheets import COMMENT
from alexandria.extract.markup.tree import Document, Element, local_name, resolve

_DECLARATION = re.compile(r"(?<![\w-])(display|visibility)\s*:\s*([\w-]+)\s*(!\s*important)?", re.I)
_VISIBLE = re.compile(r"(?<![\w-])visibility\s*:\s*(?:visible|initial)", re.I)
_HIDDEN = {"display": ("none",), "visibility": ("hidden", "collapse")}
_BRACE = re.compile(r"([^{}]*)([{}])")
_STEP = re.compile(r"\s*([>+~\s])\s*")
_COMPOUND = re.compile(r"(?!$)([a-z][\w-]*|\*)?((?:[.#][\w-]+)*)", re.I)
_UNJUDGED = re.compile(r"\[[^\]]*\]|:[\w-]+(?:\([^()]*\))?")
_UNSEEN = re.compile(r"::|:(?:before|after|first-l\w+|hover|focus|active|target|checked)\b", re.I)
"""In the selector of a part of an element, or of what the reader touches."""
_SCREEN = re.compile(r"(?:(?:only\s+)?(?:all|screen)|not\s+print)?", re.I)
_OTHER_MEDIUM = re.compile(r"(?:only\s+)?(?!not\b|all\b|screen\b)[a-z][\w-]*(?:\s+and\b.*)?", re.I)


class _Rule(NamedTuple):
    """A declaration for one selector."""

    path: str  # of the elements that it matches, for XPath
    words: frozenset[str]  # the classes and ids in it
    name: str  # `display` or `visibility`
    hides: bool
    weight: tuple[int, ...]  # important or not; ids, classes and names of the selector. The greater wins.


def hide_elements(documents: Sequence[Document], linked: Mapping[str, str]) -> None:
    """Add to the `style` of elements that they are hidden, where the style sheets of their document say so.

    Args:
        linked: the texts of the style sheets that are files of their own, by path.
    """
    for document in documents:
        find: Any = document.root.xpath
        rules = [*_rules_of(document, linked)]
        if rules:  # a page may link to thousands that match none of its elements
            words = {word for key in ("class", "id") for text in find(f"//@{key}") for word in text.split()}
            rules = [rule for rule in rules if rule.words <= words]
        hidden = {(e, rule.name) for rule in rules if rule.hides for e in find(rule.path)}
        if not hidden:
            continue
        winners: dict[tuple[Element, str], _Rule] = {}
        for rule in rules:
            for key in ((e, rule.name) for e in find(rule.path)):
                winners[key] = max(rule, winners.get(key, rule), key=lambda rule: rule.weight)
        shown = {e for (e, name), rule in winners.items() if name == "visibility" and not rule.hides}
        shown |= {e for e in find("//*[@style]") if _VISIBLE.search(e.get("style"))}
        around_shown = {around for e in shown for around in e.iterancestors()}
        for element, name in hidden:
            own = {own_name.lower() for own_name, _, _ in _DECLARATION.findall(element.get("style") or "")}
            winner = winners[element, name]
            pending = [element] if winner.hides and (name not in own or winner.weight[0]) else []
            while pending:
                part = pending.pop()
                if name == "visibility" and part in around_shown:
                    pending += (child for child in part if child not in shown)
                else:
                    part.set("style", f"{part.get('style') or ''};{name}:{_HIDDEN[name][0]}")


def _rules_of(document: Document, linked: Mapping[str, str]) -> Iterator[_Rule]:
    """Yield the rules for one document that show or hide elements, in order."""
    for element in document.root.iter("{*}link", "{*}style"):
        is_certain = _is_for_screens(element.get("media") or "")
        sheet, relation = str(element.text or ""), (element.get("rel") or "").lower().split()
        if local_name(element) == "link":
            target = resolve(document.path, element.get("href") or "")
            sheet = linked.get(target[0], "") if target and "alternate" not in relation else ""
        if is_certain is not None and _DECLARATION.search(sheet):
            yield from _rules(sheet, bool(is_certain))


def _is_for_screens(query: str) -> bool | None:
    """Return whether a list of media certainly includes screens; None if it certainly does not."""
    media = [medium.strip() for medium in query.split(",")]
    if any(map(_SCREEN.fullmatch, media)):
        return True
    return None if all(map(_OTHER_MEDIUM.fullmatch, media)) else False


@lru_cache(maxsize=8)
def _rules(sheet: str, is_certain: bool) -> tuple[_Rule, ...]:
    """Return the rules of a style sheet that show or hide elements."""
    rules, around = [], []  # what opens the blocks around
    for text, brace in _BRACE.findall(COMMENT.sub("", sheet)):
        if brace == "{":
            around.append(text.rpartition(";")[2].strip())
            continue
        selectors = around.pop() if around else "@"
        conditions = [_is_for_screens(at[6:]) if at.startswith("@media") else False for at in around]
        if selectors.startswith("@") or None in conditions:
            continue
        for selector in selectors.split(","):
            path, weight = _path_of(" ".join(selector.split()))
            words = frozenset(re.findall(r"' ([\w-]+) '\)", path))
            for name, value, important in _DECLARATION.findall(text) if path else ():
                hides = value.lower() in _HIDDEN[name.lower()]
                if weight and is_certain and all(conditions):
                    rules.append(_Rule(path, words, name.lower(), hides, (bool(important), *weight)))
                elif not hides:
                    rules.append(_Rule(path, words, name.lower(), hides, (2,)))
    return tuple(rules)


def _path_of(selector: str) -> tuple[str, tuple[int, ...]]:
    """Return the XPath of a selector, and its weight."""
    # One that cannot be judged as a whole has no weight, and matches all that its last part may match. One
    # that does not match whole elements has no path.
    if _UNSEEN.search(selector):
        return "", ()
    steps = _STEP.split(_UNJUDGED.sub("", selector))
    is_judged = _UNJUDGED.search(selector) is None and {*steps[1::2]} <= {" ", ">"}
    is_judged = is_judged and all(map(_COMPOUND.fullmatch, steps[::2]))
    path, weight = "//", [0, 0, 0]
    for i, step in enumerate(steps if is_judged else steps[-1:]):
        if i % 2:
            path += "/" if step == ">" else "//"
            continue
        name, marks = match.groups() if (match := _COMPOUND.fullmatch(step)) else ("*", "")
        path += "*"
        if name and name != "*":
            path += f"[local-name()='{name.lower()}']"
            weight[2] += 1
        for sign, mark in re.findall(r"([.#])([\w-]+)", marks):
            weight[sign == "."] += 1
            key = "class" if sign == "." else "id"
            path += f"[contains(concat(' ',normalize-space(@{key}),' '),' {mark} ')]"
    return path, tuple(weight) if is_judged else ()
