"""Reads OpenDocument text (.odt): its styles (`styles`), and its text, rewritten as XHTML (`body`)."""

import posixpath
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.book.model import LeftOut
from alexandria.extract.container import Container, MemberError
from alexandria.extract.draft import Draft
from alexandria.extract.markup.compose import compose_file
from alexandria.extract.markup.tree import Element, local_name, parse_xml
from alexandria.extract.odt.body import OdtFindings, OdtStory, count_paragraph_words
from alexandria.extract.odt.styles import OdtLists, OdtStyles
from alexandria.extract.office.page import XhtmlPage
from alexandria.extract.office.parts import main_part, optional_part, read_properties
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import locked, unsupported

_MARGINS = ("header", "footer", "header-left", "footer-left", "header-first", "footer-first")


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is read from the members of the archive."""

    content: Element
    styles: Element | None
    meta: Element | None
    formulas: dict[str, Element]  # formulas by the folders of their objects in the archive
    n_chart_words: int  # words in charts and other embedded objects that are not formulas


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of an OpenDocument text.

    Headers, footers, comments and deleted text are left out by name.

    Raises:
        BookError: `damaged`, `password`, `too_large`, `unsupported`, or `no_text`.
    """
    warnings: list[str] = []
    parts = _read_parts(path, warnings)
    text = next((e for e in parts.content.iter() if local_name(e) == "text" and _is_in_body(e)), None)
    if text is None:
        raise unsupported(path, "it is an OpenDocument file, but not a text", "export it as PDF")
    styles = OdtStyles()
    styles.add(parts.content)  # first: its styles win over the others of the same name
    styles.add(parts.styles)
    lists = OdtLists()
    lists.add(parts.content)
    lists.add(parts.styles)
    page, findings = XhtmlPage(), OdtFindings()
    story = OdtStory(
        styles,
        page,
        findings,
        formula_in=lambda href: parts.formulas.get(posixpath.normpath(href)),
        lists=lists,
    )
    story.write(text)
    story.write_notes()
    printed_title = page.settle_titles()
    metadata = read_properties(parts.meta, printed_title)
    draft = compose_file(path, options, metadata, page.root, warnings=warnings)
    left_out = [
        LeftOut("deleted", "tracked changes", findings.n_deleted),
        LeftOut("picture", "charts", parts.n_chart_words),
        LeftOut("comment", "comments", findings.n_commented),
        LeftOut("running_head", "headers and footers", _count_words_in_margins(parts.styles, styles)),
    ]
    return replace(draft, left_out=(*draft.left_out, *(part for part in left_out if part.words)))


def _read_parts(path: Path, warnings: list[str]) -> _Parts:
    """Return the parts of an OpenDocument file; add a warning for each that cannot be read.

    Raises:
        BookError: `damaged` (the archive or its text), `password`, or `too_large`.
    """
    with Container.open(path) as container:
        _refuse_encrypted(container)
        content = main_part(container, "content.xml")
        has_styles, has_meta = container.find("styles.xml"), container.find("meta.xml")
        styles = optional_part(container, "styles.xml", warnings) if has_styles else None
        meta = optional_part(container, "meta.xml", warnings) if has_meta else None
        # Embedded objects: folders with a `content.xml` of their own.
        objects = {
            posixpath.dirname(name): name
            for name in container.archive.namelist()
            if posixpath.basename(name) == "content.xml" and posixpath.dirname(name)
        }
        formulas = {}
        n_chart_words = 0
        for folder, name in objects.items():
            root = optional_part(container, name, warnings)
            if root is None:
                continue
            if local_name(root) == "math":
                formulas[folder] = root
            else:
                n_chart_words += count_paragraph_words(root)
    return _Parts(content, styles, meta, formulas=formulas, n_chart_words=n_chart_words)


def _is_in_body(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and local_name(parent) == "body"


def _refuse_encrypted(container: Container) -> None:
    """Refuse a file whose manifest says that parts of it are encrypted.

    Raises:
        BookError: `password`.
    """
    try:
        manifest = parse_xml(container.read("META-INF/manifest.xml"), recover=True)
    except MemberError:
        return
    if manifest is not None and any(local_name(e) == "encryption-data" for e in manifest.iter()):
        raise locked(
            container.path,
            "it is encrypted with a password",
            "open it in LibreOffice, and save it without a password",
        )


def _count_words_in_margins(root: Element | None, styles: OdtStyles) -> int:
    """Return how many words the headers and footers have."""
    # `root`: the root of `styles.xml`, which holds them.
    page = XhtmlPage()
    for element in root.iter() if root is not None else ():
        if local_name(element) in _MARGINS:
            OdtStory(styles, page, OdtFindings(), lambda href: None).write(element)
    return page.n_words()
