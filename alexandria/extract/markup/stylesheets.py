"""Gives elements what style sheets say of their place and weight, as if it were in their `style` attribute.

Only selectors that end in an element or a class are read, and only what tells headings and lists from text.
"""

import re
from collections.abc import Iterator, Sequence

from alexandria.extract.markup.tree import Document, local_name

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_TELLING = re.compile(r"(?:text-align|font-weight|font-size|list-style(?:-type)?)\s*:[^;]*", re.I)
_COUNTER = re.compile(r"content\s*:[^;]*?counter(s?)\(\s*[\w-]+\s*(?:,\s*([\w-]+)\s*)?", re.I)
"""The number before an item, as a counter writes it."""
_AFTER_NUMBER = re.compile(r"\)\s*[\"']\s*\.[^()]*\Z")
_ITEM = re.compile(r"(?:\s*>?\s*\bli)?((?:\.[\w-]+)*)::?(?:before|marker)$", re.I)
_LAST = re.compile(r"(?:^|[\s>+~])([a-z][a-z0-9]*)?((?:\.[\w-]+)?)$", re.I)


def apply_stylesheets(documents: Sequence[Document], linked: str, names: Sequence[str]) -> None:
    """Add to the `style` of each element what the style sheets say of it.

    Args:
        documents: of one book.
        linked: the text of the style sheets that are files of their own; those in the documents are found.
        names: of the elements that matter, such as `{*}ol`.
    """
    sheets = [linked, *(str(e.text or "") for d in documents for e in d.root.iter("{*}style"))]
    rules: dict[tuple[str, str], str] = {}
    for selector, told in _rules("".join(sheets)):
        rules[selector] = f"{rules.get(selector, '')}{told};"
    for document in documents:
        for element in document.root.iter(*names):
            classes = (element.get("class") or "").split()
            name = local_name(element)
            keys = [(name, ""), *(("", each) for each in classes), *((name, each) for each in classes)]
            if told := "".join(rules.get(key, "") for key in keys):
                element.set("style", f"{told}{element.get('style') or ''}")


def _rules(sheets: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what rules say of the elements with a name, a class or both: each as a pair."""
    for rule in _COMMENT.sub("", sheets).split("}"):
        selectors, _, declarations = rule[:5_000].rpartition("{")  # what is longer is a font
        counter = _COUNTER.search(declarations)
        content = declarations[counter.start() :].partition(";")[0] if counter else ""
        told = ";".join(_TELLING.findall(declarations))
        for selector in map(str.strip, re.split("[{;]", selectors)[-1].split(",")):
            if counter and (item := _ITEM.search(selector)):
                told = f"list-style-type: {counter[2] or 'decimal'}"
                if counter[1] or declarations.count("counter(") > 1:  # "1.1", with the numbers of outer items
                    told = f"list-style-type: nested{'.' * bool(_AFTER_NUMBER.search(content))}"
                selector = selector[: item.start()] + item[1] or "ol"
            last = _LAST.search(selector)
            if told and last and (last[1] or last[2]) and "#" not in selector:  # of one part, as `#toc li`
                yield ((last[1] or "").lower(), last[2].lstrip(".")), told
