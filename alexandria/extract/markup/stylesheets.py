"""Gives elements what style sheets say of their place and weight, as if it were in their `style` attribute.

Only selectors that end in an element or a class are read, and only what tells headings and lists from text.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product

from alexandria.extract.markup.tree import Document, local_name

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_TELLING = re.compile(r"(?:text-align|font-weight|font-size|list-style(?:-type)?)\s*:[^;]*", re.I)
_COUNTER = re.compile(r"content\s*:[^;]*?counter(s?)\(\s*[\w-]+\s*(?:,\s*([\w-]+)\s*)?", re.I)
"""The number before an item, as a counter writes it."""
_AFTER_NUMBER = re.compile(r"\)\s*[\"']\s*\.[^()]*\Z")
_ITEM = re.compile(r"(?:\s*>?\s*\bli)?((?:\.[\w-]+)*)::?(?:before|marker)$", re.I)
_LAST = re.compile(r"(?:^|[\s>+~])([a-z][a-z0-9]*)?((?:\.[\w-]+)?)$", re.I)


def apply_stylesheets(documents: Sequence[Document], linked: str, names: Sequence[str]) -> None:
    """Add to the `style` of each element what the style sheets say of it.

    Args:
        linked: the text of the style sheets that are files of their own; those in the documents are found.
        names: of the elements that matter, such as `{*}ol`.
    """
    sheets = [linked, *(str(e.text or "") for d in documents for e in d.root.iter("{*}style"))]
    styles: dict[tuple[str, str], str] = {}  # by name and class, of which one may be empty
    for selector, declarations in _rules("".join(sheets)):
        styles[selector] = f"{styles.get(selector, '')}{declarations};"
    for document in documents:
        for element in document.root.iter(*names):
            name, classes = local_name(element), (element.get("class") or "").split()
            selectors = [(name, ""), *product(("", name), classes)]
            if style := "".join(styles.get(selector, "") for selector in selectors):
                element.set("style", f"{style}{element.get('style') or ''}")


def _rules(sheets: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the declarations of each rule with its selector: the name and the class of elements, or ""."""
    # Only the declarations that tell headings and lists from text are included.
    for rule in COMMENT.sub("", sheets).split("}"):
        selectors, _, declarations = rule[:5_000].rpartition("{")  # what is longer is a font
        counter = _COUNTER.search(declarations)
        content = declarations[counter.start() :].partition(";")[0] if counter else ""
        telling = ";".join(_TELLING.findall(declarations))
        for selector in map(str.strip, re.split("[{;]", selectors)[-1].split(",")):
            if counter and (item := _ITEM.search(selector)):
                telling = f"list-style-type: {counter[2] or 'decimal'}"
                if counter[1] or declarations.count("counter(") > 1:  # "1.1", with the numbers of outer items
                    telling = f"list-style-type: nested{'.' * bool(_AFTER_NUMBER.search(content))}"
                selector = selector[: item.start()] + item[1] or "ol"
            last = _LAST.search(selector)
            name, class_name = ((last[1] or "").lower(), last[2].lstrip(".")) if last else ("", "")
            is_of_one_part = "#" in selector  # as `#toc li`
            if telling and (name or class_name) and not is_of_one_part:
                yield (name, class_name), telling
