"""Project Gutenberg's wrapping around a text: licence and credits out, title and author kept."""

import re
from dataclasses import dataclass

from alexandria.book import LeftOut, Metadata, count_words

# The header ends with a marker of its own, or, before 2001, with the end of the "small print".
_START = re.compile(r"^[ \t]*\*{3}[ \t]*START OF (?:THIS|THE) PROJECT GUTENBERG\b.*$", re.M | re.I)
_SMALL_PRINT_END = re.compile(r"^.*\*[ \t]*END[ \t]*\*?[ \t]*THE SMALL PRINT.*$", re.M | re.I)
_END = re.compile(
    r"^[ \t]*(?:\*{3}[ \t]*END OF (?:THIS|THE) PROJECT GUTENBERG\b"
    r"|\*{0,3}[ \t]*End of (?:the |this )?Project Gutenberg\b"
    r"|\*{0,3}[ \t]*(?:Ende dieses|Fin de|Fine di questo|Fin del) Proje[ck]t Gutenberg\b)",
    re.M | re.I,
)
_MARKER_REST = re.compile(r"(?:\n[^\n]+){0,2}?\*{3}[ \t]*$", re.M)
_NAMED = re.compile(r"Project Gutenberg", re.I)
_CREDITS = re.compile(
    r"\s*(?:Produced by|E-?text prepared by|This e-?(?:text|book) was (?:produced|prepared|transcribed)|"
    r"Note: Project Gutenberg|Transcribed from|Scanned by|Updated editions?)\b",
    re.I,
)
_FIELD = re.compile(r"^(Title|Author|Language|Release Date):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.M)
_FIRST_LINE = re.compile(
    r"Project Gutenberg(?:['’]s)?(?: E-?(?:text|book))?(?:,| of) (?P<title>[^\n]+?)"
    r"(?:,? by (?P<author>[^\n]+?))?\s*$",
    re.M | re.I,
)
_LANGUAGES = {
    "arabic": "ar", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "esperanto": "eo", "finnish": "fi", "french": "fr", "german": "de",
    "greek": "el", "hebrew": "he", "hungarian": "hu", "icelandic": "is", "italian": "it", "japanese": "ja",
    "latin": "la", "norwegian": "no", "polish": "pl", "portuguese": "pt", "russian": "ru", "serbian": "sr",
    "slovenian": "sl", "spanish": "es", "swedish": "sv", "tagalog": "tl", "turkish": "tr", "welsh": "cy",
}  # fmt: skip
_PARAGRAPH = re.compile(r"\s*(\S[^\n]*(?:\n[ \t]*\S[^\n]*)*)")
_HEADER_REACH = 40_000  # characters: with the old small print a header has up to 15,000


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A text without the licence around it."""

    text: str
    metadata: Metadata
    left_out: tuple[LeftOut, ...]


def unwrap_licence(text: str) -> Unwrapped:
    """Return the text between Project Gutenberg's markers; any other text as it is.

    Args:
        text: with `\\n` as line ends.
    """
    if not _NAMED.search(text[:_HEADER_REACH]):
        return Unwrapped(text, Metadata(), ())
    start = _header_end(text)
    end = found.start() if (found := _END.search(text, start)) else len(text)
    start = _credits_end(text, start, end) if start else 0
    left_out = tuple(
        LeftOut("licence", f"Project Gutenberg's {where}", words)
        for where, words in (("header", count_words(text[:start])), ("footer", count_words(text[end:])))
        if words
    )
    return Unwrapped(text[start:end], _metadata(text[:start]), left_out)


def _header_end(text: str) -> int:
    if marker := _START.search(text, 0, _HEADER_REACH):
        # A long title runs over the line; the marker goes on to its closing asterisks.
        rest = None if marker[0].rstrip().endswith("***") else _MARKER_REST.match(text, marker.end())
        return rest.end() if rest else marker.end()
    small_print = _SMALL_PRINT_END.search(text, 0, _HEADER_REACH)
    return small_print.end() if small_print else 0


def _credits_end(text: str, start: int, end: int) -> int:
    """Return where the book begins behind the paragraphs that say who prepared the file."""
    while True:
        first = _PARAGRAPH.match(text, start, end)
        if first is None or not _CREDITS.match(first[1]):
            return start
        start = first.end()


def _metadata(header: str) -> Metadata:
    fields: dict[str, str] = {}
    for field in _FIELD.finditer(header):
        # A second line is the subtitle.
        fields.setdefault(field[1], ": ".join(line.strip() for line in field[2].split("\n") if line.strip()))
    named = _FIRST_LINE.search(header)
    title = fields.get("Title") or (named["title"] if named else "")
    author = fields.get("Author") or (named["author"] if named else "") or ""
    language = _LANGUAGES.get(fields.get("Language", "").split(",")[0].split(";")[0].strip().lower())
    return Metadata(
        title=title.replace(":: ", ": "),
        authors=tuple(re.split(r"\s*(?:,? and |;|&)\s*", author)) if author else (),
        language=language,
        language_source="metadata" if language else None,
    )
