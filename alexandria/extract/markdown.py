"""CommonMark with tables, front matter, `[^1]` and `^[inline]` notes, rendered to be read as HTML.

Front matter is YAML, TOML, JSON, Pandoc's title block or MultiMarkdown's metadata.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alexandria.book.model import Metadata
from alexandria.book.people import AUTHOR, EDITOR, TRANSLATOR, Contributor, people_of
from alexandria.extract.clean import one_line
from alexandria.extract.draft import Draft
from alexandria.extract.encoding import decode
from alexandria.extract.markup.compose import compose_file, find_no_matter
from alexandria.extract.markup.tree import Element, local_name, parse_html, text_of
from alexandria.extract.metadata import all_values, first_value, is_no_title
from alexandria.extract.mojibake import mojibake_warnings
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import no_text

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

# A paragraph between two ornaments of plus signs is no TOML: this begins with a key, a table or a comment.
_TOML = re.compile(
    r"\+\+\+[ \t]*\n(?=\s*(?:#|\[+[\w\"'.-]+\]|[\w\"'.-]+[ \t]*=))(.*?)^\+\+\+[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
# Pandoc's title block: lines with "%" for title, authors and date; what is indented continues a line.
_TITLE_BLOCK = re.compile(r"(?:%[^\n]*\n(?:[ \t]+\S[^\n]*\n)*){1,3}(?=\s*\n|\S|\Z)")
_TITLE_FIELD = re.compile(r"^%(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_TITLE_FIELDS = ("title", "author", "date")
# MultiMarkdown's: `Key: value` from the first line to the first blank one; a value may go on, indented.
_MULTIMARKDOWN = re.compile(
    r"(?:(?:[A-Za-z][\w -]{0,30}:[ \t]*\S[^\n]*|[ \t]+\S[^\n]*)\n)+(?=[ \t]*(?:\n|\Z))"
)
_MULTIMARKDOWN_KEYS = re.compile(
    r"(?:title|author|date|subtitle|language|keywords|base header level)\s*:", re.IGNORECASE
)
_ATTRIBUTE = r"[#.][\w:.-]+|[\w-]+=(?:\"[^\"\n]*\"|[\w.%-]+)"
_BRACES = rf"\{{:?[ \t]*(?:(?:{_ATTRIBUTE}|-)[ \t]*)+\}}"
"""Attributes in Pandoc and PHP Markdown Extra: {#id .class key="value"}, {-}."""
_AFTER_LINE = re.compile(rf"[ \t]*{_BRACES}[ \t]*$", re.MULTILINE)
_SPAN = re.compile(rf"\[([^\[\]\n]+)\]{_BRACES}")
_AFTER_LINK = re.compile(rf"(?<=[)`]){_BRACES}")
_DIV = re.compile(rf"^:{{3,}}[ \t]*(?:{_BRACES}|[\w-]+)?[ \t]*:*[ \t]*$", re.MULTILINE)
"""The lines around a division of Pandoc: `::: {.note}`."""
# Nor is a paragraph between two rules YAML, which begins with a key or a comment.
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?=[ \t]*(?:#|[\"']?\w[^\n:]{0,40}:))(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ \t]*$|`[^`\n]+`(?!\{))", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"([A-Za-z][\w -]*?)[ \t]*[:=][ \t]*(.*?)[ \t]*$")
_FOLDED = re.compile(r":[ \t]*[>|][+-]?[ \t]*\n((?:[ \t]+.*\n?)+)")  # a value of YAML, indented below its key
_FLOW_ITEM = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|[^,]+?)\s*(?:,|$)")  # an item of `["Harrow, J. R.", Berg]`.
_LIST_ITEM = re.compile(r"(?:\s*-[ \t]+(?![\w-]+:[ \t])|(?:\s*-)?[ \t]+(?:name|text):[ \t]+)(.*)")
"""An item of YAML; of one with fields, what it says: `- type: main`, `  text: Gull Rock`."""


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a Markdown file; raw HTML in it is read as HTML.

    Raises:
        BookError: `no_text`, or `unreadable`.
    """
    decoded = decode(path.read_bytes())
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    front = _split_front_matter(text)
    root = parse_html(to_html(_without_attributes(front.rest)))
    if root is None:
        raise no_text(path)
    metadata, warnings = _read_metadata(front.values, root), mojibake_warnings(decoded.n_doubtful)
    return compose_file(path, options, metadata, root, find_matter=find_no_matter, warnings=warnings)


@dataclass(frozen=True, slots=True)
class _FrontMatter:
    """The metadata above a text, and the text."""

    values: Mapping[str, Sequence[str]]
    rest: str


def _split_front_matter(text: str) -> _FrontMatter:
    """Return the front matter, in one of the forms that the module names, and what follows it."""
    if text.startswith("{") and (front_matter := _json_front_matter(text)):
        return front_matter
    if front := _FRONT_MATTER.match(text) or _TOML.match(text):
        return _FrontMatter(_front_matter(front[1]), text[front.end() :])
    if front := _TITLE_BLOCK.match(text):
        fields = _TITLE_FIELD.findall(front[0])
        values = {name: [one_line(field)] for name, field in zip(_TITLE_FIELDS, fields, strict=False)}
        if len(fields) > 1:  # one author a line, or between semicolons
            values["author"] = [one_line(name) for name in re.split(r"[;\n]", fields[1])]
        return _FrontMatter(values, text[front.end() :])
    if (front := _MULTIMARKDOWN.match(text)) and _MULTIMARKDOWN_KEYS.match(text):
        return _FrontMatter(_front_matter(re.sub(r"\n[ \t]+", " ", front[0])), text[front.end() :])
    return _FrontMatter({}, text)


def _json_front_matter(text: str) -> _FrontMatter | None:
    """Return the JSON object that begins a text, as Hugo has it, and the text after it; otherwise None."""
    try:
        stated, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    values = {
        key.lower(): [one_line(str(item)) for item in (value if isinstance(value, list) else [value])]
        for key, value in stated.items()
    }
    return _FrontMatter(values, text[end:]) if text[end:].strip() else None


def _without_attributes(text: str) -> str:
    """Return Markdown without the attributes of its headings, blocks and spans; code is left as it is."""
    parts = _CODE.split(text)  # text and code take turns
    for i in range(0, len(parts), 2):
        part = _AFTER_LINK.sub("", _SPAN.sub(r"\1", _DIV.sub("", parts[i])))
        parts[i] = _AFTER_LINE.sub("", part)
    return "".join(parts)


def to_html(text: str) -> str:
    """Return Markdown as an HTML page, its footnotes as asides at the end."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    # The plug-in itself would move only the notes that are cited, and lose the others.
    parser.use(footnote_plugin, inline=True, move_to_end=False)
    parser.add_render_rule("footnote_ref", _render_footnote_ref)
    parser.add_render_rule("footnote_reference_open", _render_note_start)
    parser.add_render_rule("footnote_reference_close", lambda *_: "</aside>")
    env: dict[str, object] = {}
    tokens = _move_notes_last(parser.parse(text, env))
    for token in tokens:
        if token.type == "ordered_list_open" and token.markup == ")":
            token.attrSet("style", "list-style-type: parenthesis")
    return f"<html><body>{parser.renderer.render(tokens, parser.options, env)}</body></html>"


def _move_notes_last(tokens: Iterable["Token"]) -> list["Token"]:
    """Return the tokens with the notes at the end."""
    # Each note's token gets `is_cited`: of several notes with one label, links lead to the first.
    body: list[Token] = []
    notes: list[Token] = []
    labels: set[str] = set()
    depth = 0  # how many notes are open
    for token in tokens:
        if token.type == "footnote_reference_open":
            depth += 1
            token.meta["is_cited"] = token.meta["label"] not in labels
            labels.add(token.meta["label"])
        (notes if depth else body).append(token)
        if token.type == "footnote_reference_close":
            depth -= 1
    return [*body, *notes]


def _render_footnote_ref(
    renderer: "RendererHTML", tokens: Sequence["Token"], i: int, options: "OptionsDict", env: dict[str, Any]
) -> str:
    """Return the HTML of a footnote reference: a link to the note or, for an inline note, the note itself."""
    # `env` belongs to the document: it holds the inline notes, and counts those rendered in `n_inline_notes`.
    meta = tokens[i].meta
    if "label" in meta:
        label = escape(meta["label"])
        return f'<a role="doc-noteref" href="#fn-{label}">{label}</a>'
    number = env["n_inline_notes"] = env.get("n_inline_notes", 0) + 1
    inline_note = env["footnotes"]["list"][meta["id"]]
    text = renderer.renderInline(inline_note["tokens"], options, env)
    # `lift_inline_notes` recognises these classes.
    return f'<span class="footnote"><span class="sidenote-number">{number}</span> {text}</span>'


def _render_note_start(
    renderer: object, tokens: Sequence["Token"], i: int, options: object, env: object
) -> str:
    """Return the start tag of a note; only a note to which links lead has an id."""
    id = f' id="fn-{escape(tokens[i].meta["label"])}"' if tokens[i].meta["is_cited"] else ""
    return f'<aside role="doc-footnote"{id}>'


def _read_metadata(front_matter: Mapping[str, Sequence[str]], root: Element) -> Metadata:
    """Return the metadata in the front matter; without a title there, the first heading is the title."""
    heading = next((one_line(text_of(e)) for e in root.iter() if local_name(e) == "h1"), "")
    title, language = first_value(front_matter, "title"), first_value(front_matter, "lang", "language")
    return Metadata(
        title=heading if is_no_title(title) else title or heading,
        authors=all_values(front_matter, "author", "authors", "creator"),
        language=language or None,
        language_source="metadata" if language else None,
        subtitle=first_value(front_matter, "subtitle"),
        people=_people(front_matter, language),
        translators=all_values(front_matter, "translator", "translators"),
        place=first_value(front_matter, "place", "publisher-place"),
        edition=first_value(front_matter, "edition"),
        original_date=first_value(front_matter, "original-date"),
        url=first_value(front_matter, "url"),
        publisher=first_value(front_matter, "publisher"),
        date=first_value(front_matter, "date"),
        identifiers=all_values(front_matter, "identifier", "isbn"),
        subjects=all_values(front_matter, "subject", "keywords", "tags"),
    )


def _people(front_matter: Mapping[str, Sequence[str]], language: str) -> tuple[Contributor, ...]:
    """Return the people that front matter names, with their roles."""
    keys = {AUTHOR: ("author", "authors", "creator"), EDITOR: ("editor", "editors")}
    keys[TRANSLATOR] = ("translator", "translators")
    return tuple(
        person
        for role, names in keys.items()
        for text in all_values(front_matter, *names)
        for person in people_of(text, language=language, role=role)
    )


def _front_matter(text: str) -> Mapping[str, Sequence[str]]:
    """Return the values of each key of front matter."""
    # They are read from `key: value`, `key = value`, `key: [a, b]`, or a list below the key.
    front_matter: dict[str, list[str]] = {}
    values: list[str] = []  # of the last key
    for line in _FOLDED.sub(lambda match: f": {one_line(match[1])}\n", text).split("\n"):
        if match := _KEY.match(line):
            key, value = match[1].lower(), match[2]
            values = front_matter.setdefault(key, [])
            is_list = value.startswith("[") and value.endswith("]")
            values += map(_without_quotes, _FLOW_ITEM.findall(value[1:-1]) if is_list else [value])
        elif item := _LIST_ITEM.match(line):
            values.append(_without_quotes(item[1]))
    return front_matter


def _without_quotes(text: str) -> str:
    """Return a value of front matter, cleaned and without the quotes around it."""
    value = one_line(text)
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if is_quoted else value
