"""Citations to paste: a reference to a book, and a place in it as texts cite it, in any style and markup."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from alexandria.book.choices import BibliographyFormat, CitationMarkup, CitationStyle, chosen
from alexandria.book.suggest import suggestion
from alexandria.errors import ConfigError
from alexandria.library.cite.styles import ITALIC, ROMAN, STYLES, Locator, lettered, plain
from alexandria.library.cite.works import cited_place, cited_work, is_year_of_e_book, year_of
from alexandria.library.remarks import IN_PYTHON, Remark, RemarkKind
from alexandria.store.passage import Passage
from alexandria.store.record import Record


@dataclass(frozen=True, slots=True)
class Citation:
    """A book in a list of references, and the place in it as a text cites it."""

    reference: str
    in_text: str  # also the first note, in a style of notes; the book alone if no place is cited
    noted: Remark | None = None  # what to look at before it is printed, if anything

    @property
    def note(self) -> str:
        """What was noted, in words; mostly empty."""
        return self.noted.worded(IN_PYTHON) if self.noted else ""

    def __str__(self) -> str:
        return f"{self.reference}\n{self.in_text}"


def cite(
    records: Sequence[Record],
    passages: Sequence[Passage | None],
    style: str,
    markup: str = CitationMarkup.TEXT,
) -> list[Citation]:
    """Return citations of books and places in them, as they stand together in one text.

    Args:
        records: the book of each citation.
        passages: the place in each; None for the whole book.
        style: one of `STYLES`, a style of the extra `cite` by name, or the path of a CSL file.
        markup: `text`, `html` or `markdown`, which say how italics are marked.

    Raises:
        ConfigError: there is no such style or markup.
        MissingPackageError: the style needs the extra `cite`.
    """
    render = _RENDERERS[chosen(CitationMarkup, markup, "markup", "markups")]
    works = lettered([cited_work(*cited) for cited in zip(records, passages, strict=True)])
    places = [Locator() if passage is None else cited_place(passage) for passage in passages]
    if (own := STYLES.get(style)) is not None:
        cited = zip(works, places, strict=True)
        pairs = [(own.reference(work), own.in_text(work, place)) for work, place in cited]
    else:
        from alexandria.library.cite.csl import cite_with_csl

        pairs = cite_with_csl(works, places, _style_file(style))
    return [
        Citation(render(reference), render(in_text), _remark_on_year(record))
        for (reference, in_text), record in zip(pairs, records, strict=True)
    ]


def _remark_on_year(record: Record) -> Remark | None:
    """Return that the year of the work is not known, or None if it is."""
    if not is_year_of_e_book(record):
        return None
    text = f"{year_of(record.date)} is the year of the e-book"
    return Remark(RemarkKind.YEAR_OF_E_BOOK, text, about=record.book_id[:8])


def join_references(citations: Sequence[Citation], markup: CitationMarkup) -> str:
    """Return references as one list: lines of text, or paragraphs."""
    if markup is CitationMarkup.HTML:
        return "\n".join(f"<p>{citation.reference}</p>" for citation in citations)
    gap = "\n\n" if markup is CitationMarkup.MARKDOWN else "\n"
    return gap.join(citation.reference for citation in citations)


def _style_file(style: str) -> str | Path:
    """Return the path of a style, or its name in the extra `cite`.

    Raises:
        ConfigError: there is no such file, the name is near to one of our own styles, or that of a format.
    """
    path = Path(style)
    if path.suffix.lower() == ".csl" or len(path.parts) > 1:
        if path.is_file():
            return path
        raise ConfigError(f"cannot read the style {style}", why="there is no such file", fix="check the path")
    if style in list(BibliographyFormat):
        raise ConfigError(
            f"{style} is a format, not a style",
            why="reference managers read it, and print any style",
            fix=f"alexandria cite HIT --format {style}, or for all books alexandria list --format {style}",
        )
    family = [own for own in CitationStyle if own.startswith(f"{style}-")]
    hint = f"choose {' or '.join(family)}" if family else suggestion(style, list(CitationStyle))
    if not style or hint:
        raise ConfigError(
            f"unknown style {style!r}",
            why=f"the styles are {', '.join(CitationStyle)}, and with alexandria-books[cite] those of CSL",
            fix=hint if style else "choose one of them",
        )
    return style


def _as_html(text: str) -> str:
    return escape(text, quote=False).replace(ITALIC, "<i>").replace(ROMAN, "</i>")


def _as_markdown(text: str) -> str:
    escaped = re.sub(r"([*_\\`])", r"\\\1", text)
    return escaped.replace(ITALIC, "*").replace(ROMAN, "*")


_RENDERERS: dict[CitationMarkup, Callable[[str], str]] = {
    CitationMarkup.TEXT: plain,
    CitationMarkup.HTML: _as_html,
    CitationMarkup.MARKDOWN: _as_markdown,
}
