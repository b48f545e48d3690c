"""Markdown: CommonMark with tables, front matter and `[^1]` footnotes, turned into HTML for the walker."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.book import Metadata
from alexandria.extract.clean import one_line, spelled
from alexandria.extract.draft import Draft
from alexandria.extract.encoding import decode
from alexandria.extract.html import no_text
from alexandria.extract.markup.compose import compose
from alexandria.extract.markup.notes import Document
from alexandria.extract.markup.tree import Element, local_name, parse_html, text_of
from alexandria.extract.options import ReadOptions

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DEFINITION = re.compile(r" {0,3}\[\^([^\]\s]+)\]:[ \t]*(.*)")
_INDENTED = re.compile(r" {4}|\t")
_KEY = re.compile(r"([A-Za-z][\w-]*):[ \t]*(.*?)[ \t]*$")
_ITEM = re.compile(r"\s*-[ \t]+(.*)")
_MARK = re.compile(r"\[\^([^\]\s]+)\]")


def extract(path: Path, options: ReadOptions) -> Draft:
    """Read a Markdown file; raw HTML inside is read as such.

    Raises:
        BookError: `no_text`, or `unreadable`.
    """
    decoded = decode(path.read_bytes())
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT_MATTER.match(text)
    root = parse_html(to_html(text[front.end() :] if front else text))
    if root is None:
        raise no_text(path)
    draft = compose(_metadata(front[1] if front else "", root), [Document(spelled(path.name), root)])
    if not draft.sections:
        raise no_text(path)
    return draft


def to_html(text: str) -> str:
    """Return Markdown as an HTML page, its footnotes as asides at the end."""
    from markdown_it import MarkdownIt

    body, notes = _take_notes(text)
    renderer = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    renderer.inline.ruler.before("link", "note_mark", _note_mark)
    asides = (
        f'<aside role="doc-footnote" id="fn-{escape(label)}">{renderer.render(note, {"notes": notes})}'
        "</aside>"
        for label, note in notes.items()
    )
    return f"<html><body>{renderer.render(body, {'notes': notes})}{''.join(asides)}</body></html>"


def _note_mark(state: "StateInline", silent: bool) -> bool:
    match = _MARK.match(state.src, state.pos)
    if match is None or match[1] not in state.env["notes"]:
        return False
    if not silent:
        label = escape(match[1])
        state.push("html_inline", "", 0).content = f'<a role="doc-noteref" href="#fn-{label}">{label}</a>'
    state.pos = match.end()
    return True


def _take_notes(text: str) -> tuple[str, dict[str, str]]:
    """Return the text without the definitions of its footnotes, and these by label.

    A definition goes on over lines that follow at once, and over indented paragraphs after blank lines.
    """
    body: list[str] = []
    notes: dict[str, list[str]] = {}
    current: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        definition = None if fence else _DEFINITION.match(line)
        if definition:
            current = notes.setdefault(definition[1], [])
            current.append(definition[2])
        elif current is not None and (_INDENTED.match(line) or not line.strip() or current[-1].strip()):
            current.append(_INDENTED.sub("", line, count=1))
        else:
            current = None
            body.append(line)
    return "\n".join(body), {label: "\n".join(lines).strip() for label, lines in notes.items()}


def _metadata(front: str, root: Element) -> Metadata:
    said = _front_matter(front)
    heading = next((one_line(text_of(e)) for e in root.iter() if local_name(e) == "h1"), "")
    language = _first(said, "lang", "language")
    return Metadata(
        title=_first(said, "title") or heading,
        authors=_all(said, "author", "authors", "creator"),
        language=language or None,
        language_source="metadata" if language else None,
        publisher=_first(said, "publisher"),
        date=_first(said, "date"),
        identifiers=_all(said, "identifier", "isbn"),
        subjects=_all(said, "subject", "keywords", "tags"),
    )


def _front_matter(text: str) -> Mapping[str, Sequence[str]]:
    """Return the keys of a front matter and their values: `key: value`, `key: [a, b]`, or a list below."""
    said: dict[str, list[str]] = {}
    values: list[str] = []
    for line in text.split("\n"):
        if key := _KEY.match(line):
            values = said.setdefault(key[1].lower(), [])
            several = key[2].startswith("[") and key[2].endswith("]")
            values += map(_unquoted, key[2][1:-1].split(",") if several else [key[2]])
        elif item := _ITEM.match(line):
            values.append(_unquoted(item[1]))
    return said


def _unquoted(value: str) -> str:
    value = one_line(value)
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _all(said: Mapping[str, Sequence[str]], *names: str) -> tuple[str, ...]:
    return tuple(value for name in names for value in said.get(name, ()) if value)


def _first(said: Mapping[str, Sequence[str]], *names: str) -> str:
    return next(iter(_all(said, *names)), "")
