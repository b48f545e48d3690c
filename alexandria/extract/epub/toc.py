"""Reads contents, landmarks and page list from the navigation document (EPUB 3) or the NCX (EPUB 2)."""

from collections.abc import Iterator

from alexandria.extract.clean import one_line
from alexandria.extract.markup.toc import Toc, TocLine
from alexandria.extract.markup.tree import Element, local_name, resolve, text_of, types


def read_nav(root: Element, path: str) -> Toc:
    """Return the contents, pages and landmarks in the navigation document at `path`.

    The contents are the list of type `toc`; if there is none, the first list without a type.
    """
    navs = [e for e in root.iter() if local_name(e) == "nav"]
    contents = next((n for n in navs if "toc" in types(n)), None)
    if contents is None:
        contents = next((n for n in navs if not types(n)), None)
    pages: dict[tuple[str, str], str] = {}
    landmarks: dict[tuple[str, str], frozenset[str]] = {}
    for nav in navs:
        if "page-list" in types(nav):
            labels = ((_link_target(link, path), _text(link)) for link in _links(nav))
            pages |= {target: label for target, label in labels if target and label}
        elif "landmarks" in types(nav):
            landmark_types = ((_link_target(link, path), types(link)) for link in _links(nav))
            landmarks |= {target: link_types for target, link_types in landmark_types if target}
    return Toc(tuple(_nav_lines(contents, path)) if contents is not None else (), pages, landmarks)


def read_ncx(root: Element, path: str) -> Toc:
    """Return the contents and pages in the NCX at `path`."""
    lines, pages = [], {}
    for element in root.iter():
        name = local_name(element)
        if name not in ("navpoint", "pagetarget"):
            continue
        label = next((_text(e) for e in element if local_name(e) == "navlabel"), "")
        source = next((e.get("src", "") for e in element if local_name(e) == "content"), "")
        target = resolve(path, source) if source else None
        if name == "navpoint" and label:
            depth = 1 + sum(local_name(e) == "navpoint" for e in element.iterancestors())
            lines.append(TocLine(label, depth, target))
        elif name == "pagetarget" and target:
            pages[target] = label or element.get("value", "")
    return Toc(tuple(lines), pages)


def read_page_map(root: Element, path: str) -> Toc:
    """Return the pages in the page map at `path`."""
    pages = ((_link_target(e, path), e.get("name") or "") for e in root.iter() if local_name(e) == "page")
    return Toc(pages={target: label for target, label in pages if target and label})


def _nav_lines(nav: Element, path: str) -> Iterator[TocLine]:
    """Yield the items of a list in the navigation document at `path`, each with its depth."""
    for item in nav.iter():
        if local_name(item) != "li":
            continue
        # The first link, or a span in an item that only groups the items below it.
        entry = next((e for e in item.iter() if local_name(e) in ("a", "span")), None)
        if entry is None or not (title := _text(entry)):
            continue
        depth = 1 + sum(local_name(e) == "li" for e in item.iterancestors())
        yield TocLine(title, depth, _link_target(entry, path))


def _links(nav: Element) -> Iterator[Element]:
    return (e for e in nav.iter() if local_name(e) == "a")


def _link_target(element: Element, path: str) -> tuple[str, str] | None:
    """Return the path and fragment to which an element in the document at `path` links, or None."""
    href = element.get("href")
    return resolve(path, href) if href else None


def _text(element: Element) -> str:
    return one_line(text_of(element))
