"""What a reader copies from a page: citations and quotations, as text and with their italics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from alexandria.library.libraries import AnyLibrary
from alexandria.modes import BibliographyFormat, CitationMarkup, CitationStyle
from alexandria.passage import Passage

_NAMES = {
    CitationStyle.APA: "APA",
    CitationStyle.MLA: "MLA",
    CitationStyle.CHICAGO_NOTES: "Chicago, notes",
    CitationStyle.CHICAGO_AUTHOR_DATE: "Chicago, author-date",
    CitationStyle.HARVARD: "Harvard",
    CitationStyle.ISO690: "ISO 690",
    BibliographyFormat.BIBTEX: "BibTeX",
    BibliographyFormat.RIS: "RIS",
    BibliographyFormat.CSL_JSON: "CSL JSON",
}
"""The styles and formats as people write them."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a button copies."""

    key: str
    """The style or format, as the command line names it."""
    text: str
    html: Markup | None = None
    """The same with italics; None for what is read by programs."""

    @property
    def name(self) -> str:
        """The style or format as people write it."""
        return _NAMES[CitationStyle(self.key) if self.html else BibliographyFormat(self.key)]


def cited(library: AnyLibrary, passages: Sequence[Passage]) -> dict[str, Any]:
    """Return the `citations` of passages, and their sentences with them as `quotations`."""
    style = CitationStyle.CHICAGO_NOTES
    plain = library.cite_all(passages, style)
    marked = library.cite_all(passages, style, markup=CitationMarkup.HTML)
    citations = [
        Copied(style, str(text), _paragraphs(html.reference, html.in_text))
        for text, html in zip(plain, marked, strict=True)
    ]
    quotations = [
        Copied(style, f"“{words}”\n— {text.in_text}", _quoted(words, html.in_text))
        for words, text, html in zip(map(_words, passages), plain, marked, strict=True)
    ]
    return {"citations": citations, "quotations": quotations}


def cited_in_all_styles(library: AnyLibrary, passage: Passage) -> list[Copied]:
    """Return the citations of a passage in every style, and its book in the formats of other programs."""
    copies = []
    for style in CitationStyle:
        html = library.cite(passage, style, markup=CitationMarkup.HTML)
        copies.append(
            Copied(style, str(library.cite(passage, style)), _paragraphs(html.reference, html.in_text))
        )
    books = [passage.book_id]
    return copies + [Copied(kind, library.bibliography(kind, books=books)) for kind in BibliographyFormat]


def _words(passage: Passage) -> str:
    return " ".join((passage.sentence or passage.text).split())


def _paragraphs(*texts: str) -> Markup:
    """Return texts in which only italics are marked up, and everything else is escaped, as paragraphs."""
    return Markup("").join(Markup("<p>{}</p>").format(Markup(text)) for text in texts if text)


def _quoted(words: str, in_text: str) -> Markup:
    quote = Markup("<blockquote>{}</blockquote>").format(escape(words))
    return quote + Markup("<p>— {}</p>").format(Markup(in_text))
