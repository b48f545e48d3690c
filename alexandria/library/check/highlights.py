"""Reads highlights in the files of e-readers: Kindle, KOReader, Readwise and Kobo. Nothing is executed."""

import csv
import re
import sys
from bisect import bisect, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

from alexandria.book.model import BlockKind
from alexandria.extract.encoding import decode
from alexandria.extract.metadata import is_no_title, is_placeholder
from alexandria.extract.refusals import damaged, unsupported
from alexandria.library.check.manuscript import Manuscript, QuotedSpan
from alexandria.library.check.phrases import PHRASES
from alexandria.library.check.report import CitedSource, TextBlock
from alexandria.library.chunk_text import book_of

ONLY_HIGHLIGHTS = (".lua", ".csv")  # suffixes of files that hold highlights, or are nothing to check
_SUFFIXES = (*ONLY_HIGHLIGHTS, ".txt", ".text", ".md", ".markdown", "")
_MAX_BYTES, _MAX_DEPTH = 64 << 20, 40
_HEADER = re.compile(r"(?P<title>.*\S)\s*[(（](?P<author>[^()（）]*(?:\([^()]*\)[^()]*)?)[)）]")
_NOTE = re.compile(PHRASES["reader notes"], re.IGNORECASE)
_MESSAGE = re.compile(r"<[^<>]*>")
"""What a Kindle says instead of a highlight, such as that the limit of the publisher is reached."""
_LOCATION = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
_LUA_TOKEN = re.compile(
    r"--[^\n]*|\[(?P<level>=*)\[\n?(?P<long>.*?)\](?P=level)\]|\"(?P<string>(?:[^\"\\]|\\.)*)\"|(?P<mark>[][{}=,;])"
    r"|(?P<word>[\w.+-]+)|(?P<other>\S)",
    re.DOTALL,
)
_LUA_ESCAPE = re.compile(r"\\(\d{1,3}|.)", re.DOTALL)
_LUA_START = re.compile(r"(?:\s*--[^\n]*\n)*\s*return\s*\{")
_KINDLE_START = re.compile(r"[^\n]+\n- [^\n|]+\|[^\n]+\n(?:[^\n]*\n){1,60}?={10}\s")
_READWISE_START = re.compile(r"(?=[^\n]*\bBook Title\b)[^\n]*\bHighlight\b")
_KOBO_PLACE = re.compile(
    rf"(?:[*_]*(?:{PHRASES['highlights']})\b[^\n]*\d|([*_])(?![*_])[^\n]*\d[^\n]*\1$)", re.IGNORECASE
)
_LONGEST_PLACE = 200
_KOBO_NOTE = re.compile(rf"[*_]*(?:{PHRASES['reader notes']})[*_]*\s*[:：][*_]*\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Highlight:
    """Words that a reader has marked in a book."""

    text: str
    title: str
    author: str
    where: str  # its place as the file has it: a page, a location, a chapter
    note: str = ""


def read_highlights(path: Path) -> Manuscript | None:
    """Return the highlights in a file of an e-reader; None if it is another file.

    Raises:
        BookError: they are damaged, or a file with a suffix of highlights has none.
    """
    suffix = path.suffix.lower()
    text = _text_of(path) if suffix in _SUFFIXES else None
    if text is None:
        return None
    read = next((read for begins, read in _READERS.items() if begins.match(text)), _of_kobo)
    if read is _of_kobo and suffix in ONLY_HIGHLIGHTS:
        why = "it is neither a sidecar of KOReader nor a list of Readwise"
        raise unsupported(path, why, "name a manuscript, or a file of highlights")
    try:
        highlights = read(text)
    except (ValueError, StopIteration, AttributeError, csv.Error) as error:
        raise damaged(
            path, "its list of highlights is cut off, or was changed", fix="export it again"
        ) from error
    return None if highlights is None else _as_manuscript(str(path), highlights)


def holds_highlights(path: Path) -> bool:
    """Return whether a file begins as a list of highlights, or cannot be read, which reading it reports."""
    text = _text_of(path, 4_096)
    return text is None or any(begins.match(text) for begins in _READERS)


def _text_of(path: Path, n_bytes: int = _MAX_BYTES + 1) -> str | None:
    """Return the beginning of a text; None if it cannot be read, or is larger than any list of highlights."""
    try:
        data = b""
        if path.is_file():
            with path.open("rb") as file:
                data = file.read(n_bytes)
    except OSError:
        return None
    text = decode(data).text.replace("\r\n", "\n").replace("\ufeff", "")
    return text if text and len(data) <= _MAX_BYTES else None


def _as_manuscript(file: str, highlights: list[Highlight]) -> Manuscript:
    """Return highlights as a manuscript: the title of each book, its highlights, and the notes on them."""
    blocks, spans, heading, start = list[TextBlock](), list[QuotedSpan](), "", 0
    for highlight in highlights:
        author = "" if is_placeholder(highlight.author) else highlight.author
        title = "" if is_no_title(highlight.title) else highlight.title.replace("_", " ").strip()
        source = ", ".join(filter(None, (author, title)))
        cited = CitedSource(text=source, author=author or None, title=title or None)
        new = [(BlockKind.HEADING, source)] if source and source != heading else []
        note = [(BlockKind.PARAGRAPH, highlight.note)] if highlight.note else []
        heading = source
        for kind, text in [*new, (BlockKind.QUOTE, highlight.text), *note]:
            if kind is BlockKind.QUOTE:
                span = QuotedSpan(len(blocks), 0, len(text), 0, None, text, is_block=True)
                spans.append(replace(span, cited=cited, note=highlight.note))
            blocks.append(TextBlock(text, start, kind, highlight.where))
            start += len(text) + 2
    text = "\n\n".join(block.text for block in blocks)
    return Manuscript(file, book_of(text, ()), tuple(blocks), source="", spans=tuple(spans))


def _of_kindle(text: str) -> list[Highlight]:
    """Return the highlights of `My Clippings.txt`, in any language, each with the notes at its location."""
    # A note at another location is added to the highlight before it in the book, with its place.
    highlights, notes = list[Highlight](), list[Highlight]()
    for entry in re.split(r"^={10}[ \t]*$", text, flags=re.MULTILINE):
        header, _, rest = entry.strip().partition("\n")
        place, _, words = rest.partition("\n")
        named = _HEADER.fullmatch(header.strip())
        title, author = (named["title"], named["author"].strip()) if named else (header.strip(), "")
        where, words = place.lstrip("- ").rpartition("|")[0].strip(), words.strip()
        if words and not _MESSAGE.fullmatch(words):  # a bookmark has no words
            is_note = _NOTE.search(where.partition("|")[0])
            (notes if is_note else highlights).append(Highlight(words, title, author, where))
    said: list[list[str]] = [[] for _ in highlights]
    by_book = defaultdict[tuple[str, str], list[tuple[int, int, int]]](list)
    for number, highlight in enumerate(highlights):
        insort(by_book[highlight.title, highlight.author], (*_locations(highlight.where), number))
    for note in notes:
        at, own = _locations(note.where)[1], by_book[note.title, note.author]
        if own:
            _, last, number = own[max(0, bisect(own, (at, sys.maxsize)) - 1)]
            said[number].append(note.text if at <= last else f"{note.where}: {note.text}")
    return _with_notes(highlights, said)


def _with_notes(highlights: Iterable[Highlight], notes: Iterable[Iterable[str]]) -> list[Highlight]:
    return [replace(one, note="\n".join(lines)) for one, lines in zip(highlights, notes, strict=True)]


def _locations(where: str) -> tuple[int, int]:
    """Return the first and last location of a Kindle's place; of `1234-40`, 1234 and 1240."""
    ranges = _LOCATION.findall(where)
    first, last = ranges[-1] if ranges else ("0", "")
    return int(first[:18]), int((first[: max(0, len(first) - len(last))] + last)[:18])


def _of_readwise(text: str) -> list[Highlight]:
    """Return the highlights of Readwise's CSV."""
    rows = [{key: value or "" for key, value in row.items() if key} for row in csv.DictReader(StringIO(text))]
    return [
        Highlight(
            text=row.get("Highlight", "").strip(),
            title=row.get("Book Title", ""),
            author=row.get("Book Author", ""),
            where=f"{row.get('Location Type', '')} {row.get('Location', '')}".strip(),
            note=row.get("Note", "").strip(),
        )
        for row in rows
        if row.get("Highlight", "").strip()
    ]


def _of_koreader(text: str) -> list[Highlight]:
    """Return the highlights in a sidecar of KOReader, of its present form and of that before 2024.

    Raises:
        ValueError, StopIteration: it is not whole.
    """
    tokens = _lua_tokens(text[text.index("{") :])
    next(tokens)
    root = _lua_table(tokens)
    properties = root.get("doc_props") or root.get("stats") or {}
    title, author = (_string(properties, name) for name in ("title", "authors"))
    marked = [one for one in root.get("annotations", {}).values() if "drawer" in one]  # others are bookmarks
    own_notes = {_string(one, "notes"): _string(one, "text") for one in root.get("bookmarks", {}).values()}
    for page, entries in root.get("highlight", {}).items():
        for entry in entries.values():
            words = _string(entry, "text")
            said = own_notes.get(words, "")  # of what was not edited, the words with the page and the date
            marked.append({"pageno": page, "note": "" if words in said else said, **entry})
    return [
        Highlight(
            text=_string(entry, "text").strip(),
            title=title,
            author=author.replace("\n", "; "),
            where=_place(entry),
            note=_string(entry, "note").strip(),
        )
        for entry in marked
        if _string(entry, "text").strip()
    ]


def _place(entry: Mapping[str, Any]) -> str:
    page = _string(entry, "pageno") or _string(entry, "page")  # the second may be a path in the markup
    return ", ".join(filter(None, (f"p. {page}" * page.isdecimal(), _string(entry, "chapter"))))


def _string(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name, "")
    return value if isinstance(value, str) else ""


def _lua_tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the marks (`mark`) of a Lua table, its texts, numbers and words (`value`), and others."""
    for token in _LUA_TOKEN.finditer(text):
        if token["mark"]:
            yield "mark", token["mark"]
        elif token["string"] is not None:
            yield "value", _LUA_ESCAPE.sub(_unescaped, token["string"])
        elif not token[0].startswith("--"):
            yield ("other", token[0]) if token["other"] else ("value", token["long"] or token["word"] or "")


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1])) if escape[1].isdecimal() else {"n": "\n", "t": "\t"}.get(escape[1], escape[1])


def _lua_table(tokens: Iterator[tuple[str, str]], depth: int = 0) -> dict[str, Any]:
    """Return a table whose brace was read; its keys are in brackets, as KOReader writes them.

    Raises:
        ValueError, StopIteration: it is not whole, or has something else.
    """
    table = dict[str, Any]()
    for token in tokens:
        if token == ("mark", "}"):
            return table
        if token == ("mark", "["):
            key, *marks, (kind, value) = (next(tokens) for _ in range(4))
            is_table = (kind, value) == ("mark", "{")
            if (
                marks != [("mark", "]"), ("mark", "=")]
                or depth == _MAX_DEPTH
                or (kind != "value") != is_table
            ):
                break
            table[key[1]] = _lua_table(tokens, depth + 1) if is_table else value
        elif token[1] not in (",", ";"):
            break
    raise ValueError("not a table")


def _of_kobo(text: str) -> list[Highlight] | None:
    """Return the highlights of a list as Kobo exports it, in Markdown or as text; None if it is another text.

    After title and author, each highlight has its place on a line below it, and then the note on it.
    """
    highlights, notes, lines = list[Highlight](), list[list[str]](), list[str]()
    title, author, is_marked, in_note, at_top = "", "", False, False, True
    for line in map(str.strip, text.split("\n")):
        bare = line.strip("*_#>-= ")
        if not bare:
            in_note, at_top = False, at_top and not title
            lines += [""] if lines else []
        elif line.startswith("#"):
            if not line.startswith("##"):
                title, author, is_marked = bare, "", True
        elif lines and len(line) <= _LONGEST_PLACE and _KOBO_PLACE.match(line):
            highlights.append(Highlight("\n".join(lines).strip(), title, author, bare))
            notes.append([])
            lines = []
        elif line.startswith(">"):
            lines.append(line.lstrip("> "))
        elif not lines and notes and (in_note or _KOBO_NOTE.match(line)):
            notes[-1].append(_KOBO_NOTE.sub("", line))
            in_note = True
        elif not title:
            title = bare
        elif not author and (is_marked or at_top):
            author = bare
        elif is_marked:
            return None
        else:
            lines.append(line)
    return _with_notes(highlights, notes) if highlights and not any(lines) else None


_READERS: Mapping[re.Pattern[str], Callable[[str], list[Highlight] | None]] = {
    _KINDLE_START: _of_kindle,
    _LUA_START: _of_koreader,
    _READWISE_START: _of_readwise,
}  # by how the texts begin that they read
