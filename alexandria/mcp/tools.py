"""The tools: what a model reads about them, and what each returns."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alexandria.errors import ConfigError
from alexandria.filters import filters, fold_text
from alexandria.mcp.paging import Entry, render_part
from alexandria.mcp.quoting import citation_line, clean_text, inline
from alexandria.modes import CitationStyle
from alexandria.passage import Passage

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary
    from alexandria.passage import Hit
    from alexandria.passages.contents import Chapter
    from alexandria.store.record import Record

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 0}
_BOOK = {"type": "string", "description": "part of its title, or its id"}
_TYPE_NAMES = {"string": "a text", "integer": "a whole number, 0 or more", "boolean": "true or false"}
"""What messages call the types of JSON Schema."""
_MAX_HITS = 50
_DEFAULT_CHUNKS = 3
"""Chunks that `read` returns from a chunk on; `n` asks for another number."""
_MAX_CHUNKS = 200
_MAX_PLACES = 5
"""Places that `find_quote` returns."""
_NEAREST = 3
"""Passages that it returns by their meaning, if none comes close to the wording."""
_MAX_EXCERPT = 500
"""How many characters of its answering sentences are quoted before the text of a long hit."""
_OBVIOUS_RATIO = 3
"""A passage at most this many times as long as its answering sentences is shown without them: they stand
out."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what a model is told about it, and the function that runs it."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    run: Callable[["AnyLibrary", Mapping[str, Any]], str]

    def declaration(self) -> dict[str, Any]:
        """Return the tool in the form of `tools/list`."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {name: dict(schema) for name, schema in self.parameters.items()},
                **({"required": list(self.required)} if self.required else {}),
            },
            "annotations": {"readOnlyHint": True},
        }


def run_tool(library: "AnyLibrary", name: str, arguments: Mapping[str, Any]) -> str:
    """Run a tool and return its text.

    Raises:
        AlexandriaError: an argument is wrong, or the library cannot answer.
    """
    tool = next(tool for tool in TOOLS if tool.name == name)
    # Models send null or an empty text for arguments that they leave out.
    values = {key: value for key, value in arguments.items() if value not in (None, "")}
    for key, value in values.items():
        if key not in tool.parameters:
            raise ConfigError(f"{name} has no argument {key!r}", why=f"it has {', '.join(tool.parameters)}")
        values[key] = _check_type(key, value, tool.parameters[key]["type"])
    if missing := [key for key in tool.required if key not in values]:
        raise ConfigError(f"{name} needs {missing[0]!r}")
    return tool.run(library, values)


def _check_type(name: str, value: object, types: str | list[str]) -> object:
    """Return the value of an argument, which must have one of the types, named as in JSON Schema.

    Raises:
        ConfigError: the value has another type, or is negative.
    """
    allowed = [types] if isinstance(types, str) else types
    if isinstance(value, float) and value.is_integer():  # 5.0 is an integer, says JSON Schema
        value = int(value)
    if isinstance(value, str):
        is_valid = "string" in allowed
    elif isinstance(value, bool):  # to Python, True is an integer
        is_valid = "boolean" in allowed
    elif isinstance(value, int):
        is_valid = "integer" in allowed and value >= 0
    else:
        is_valid = False
    if not is_valid:
        wanted = " or ".join(_TYPE_NAMES[type] for type in allowed)
        raise ConfigError(f"{name} cannot be {str(value)[:40]!r}", why=f"it must be {wanted}")
    return value


def _search(library: "AnyLibrary", arguments: Mapping[str, Any]) -> str:
    """Run the tool `search`: return the hits, each with its citation, and the remarks on the search first."""
    limit = arguments.get("limit", 5)
    if not 1 <= limit <= _MAX_HITS:
        raise ConfigError(f"limit cannot be {limit}", why=f"it must be between 1 and {_MAX_HITS}")
    # Any: a type checker cannot know that the keys are names of filters.
    filter_values: Any = {name: arguments.get(name) for name, _ in filters()}
    results = library.search(
        arguments["query"],
        limit=limit,
        everywhere=arguments.get("everywhere", False),
        exact=arguments.get("exact", False),
        **filter_values,
    )
    entries = [
        Entry(f"{n}. {citation_line(hit)}{_relevance_text(hit)}", hit.text, answer=_answering_sentences(hit))
        for n, hit in enumerate(results, 1)
    ]
    remarks = [inline(remark, 600) for remark in results.remarks]
    return render_part(entries, arguments.get("cursor"), remarks=remarks) or "Nothing was found."


def _relevance_text(hit: "Hit") -> str:
    return "" if hit.relevance is None else f" {hit.strength}, relevance {hit.relevance:.2f}"


def _answering_sentences(hit: "Hit") -> str:
    """Return the sentences of a hit that answer best; empty in a short hit, where they are seen at once."""
    start, end = hit.excerpt or hit.best or (hit.start, hit.end)
    sentences = inline(hit.text[start - hit.start : end - hit.start], _MAX_EXCERPT)
    return sentences if _OBVIOUS_RATIO * len(sentences) < len(hit.text) else ""


def _find_quote(library: "AnyLibrary", arguments: Mapping[str, Any]) -> str:
    """Run the tool `find_quote`: return the places nearest to the words, each with its words."""
    places = library.find(arguments["text"], limit=_MAX_PLACES, book=arguments.get("book"))
    if not places:
        nearest = library.search(arguments["text"], limit=_NEAREST, book=arguments.get("book"))
        entries = [Entry(f"{citation_line(hit)}{_relevance_text(hit)}", hit.text) for hit in nearest]
        remark = "No passage comes close to this wording. Closest in meaning:"
        return render_part(entries, None, remarks=[remark])
    entries = [
        Entry(f"{citation_line(place)} {place.nearness:.0%} of the letters", place.words) for place in places
    ]
    return render_part(entries, None)


def _read(library: "AnyLibrary", arguments: Mapping[str, Any]) -> str:
    """Run the tool `read`: return the chunks, each with its citation and the notes it cites."""
    starts = [key for key in ("chunk", "page", "chapter") if key in arguments]
    if len(starts) > 1:
        raise ConfigError(f"read takes one of {', '.join(starts)}", why="each of them says where to begin")
    entries = (Entry(citation_line(chunk), _with_notes(chunk)) for chunk in _read_chunks(library, arguments))
    return render_part(entries, arguments.get("cursor"))


def _read_chunks(library: "AnyLibrary", arguments: Mapping[str, Any]) -> list[Passage]:
    """Return the chunks of `n` pages, at most `n` chunks of a chapter, or `n` chunks from a chunk on."""
    book, n = arguments["book"], arguments.get("n") or None  # 0 is as if it were not given
    if "page" in arguments:
        n_pages = n or 1
        on_page = library.read(book, page=arguments["page"])
        if n_pages == 1:
            return on_page
        # `context` counts pages on both sides; those before are dropped.
        around = library.read(book, page=arguments["page"], context=n_pages - 1)
        return [chunk for chunk in around if chunk.start >= on_page[0].start]
    if "chapter" in arguments:
        return library.read(book, chapter=arguments["chapter"])[:n]
    after = min(n or _DEFAULT_CHUNKS, _MAX_CHUNKS) - 1
    return library.read(book, arguments.get("chunk"), before=0, after=after)


def _with_notes(chunk: Passage) -> str:
    """Return the text of a chunk, followed by the notes that it cites."""
    return "\n\n".join([chunk.text, *(f"[Note: {note}]" for note in chunk.payload["notes"])])


def _contents(library: "AnyLibrary", arguments: Mapping[str, Any]) -> str:
    """Run the tool `contents`: return the book, then each chapter with its topic and a typical sentence."""
    record = library.book(arguments["book"])
    head = Entry(_book_line(record))
    chapters = map(_chapter_entry, library.contents(record.book_id))
    return render_part([head, *chapters], arguments.get("cursor"))


def _chapter_entry(chapter: "Chapter") -> Entry:
    """Return a chapter as an entry: heading, chunks, page and length, then its topic and typical sentence."""
    name = inline(" › ".join(chapter.headings)) or "(no heading)"
    page = f", p. {inline(chapter.page)}" if chapter.page else ""
    first, last = chapter.first_chunk, chapter.last_chunk
    chunks = f"chunk {first}" if first == last else f"chunks {first}–{last}"
    topic = f"Topic: {inline(', '.join(chapter.topic))}\n" if chapter.topic else ""
    head = f"{name} [{chunks}{page}, {chapter.n_words:,} words]"
    return Entry(head, topic + inline(chapter.sentence, 400))


def _cite(library: "AnyLibrary", arguments: Mapping[str, Any]) -> str:
    """Run the tool `cite`: return the citation of a hit."""
    return clean_text(library.cite(arguments["hit"], arguments.get("style", CitationStyle.CHICAGO)))


def _books(library: "AnyLibrary", arguments: Mapping[str, Any]) -> str:
    """Run the tool `books`: return the number of books that match the filter, then a line for each."""
    substring = fold_text(arguments.get("filter", ""))
    records = [record for record in library.books() if substring in fold_text(_searchable_text(record))]
    if not records:
        return f"No book matches {arguments['filter'][:100]!r}." if substring else "The library has no books."
    total = Entry(f"{len(records)} books" if len(records) != 1 else "1 book")
    return render_part([total, *(Entry(_book_line(record)) for record in records)], arguments.get("cursor"))


def _searchable_text(record: "Record") -> str:
    return "\n".join([record.title, record.author, record.series, record.language or "", record.domain])


def _book_line(record: "Record") -> str:
    """Return a book on one line: author, title, language, format, year, size, and its id."""
    author = f"{inline(record.author)}, " if record.author else ""
    facts = [record.language or "language unknown", record.format, record.date[:4]]
    sizes = f"{record.n_words:,} words, chunks 0–{record.n_chunks - 1}"
    pages = f", {record.n_pages} pages" if record.n_pages else ""
    description = ", ".join(inline(fact) for fact in facts if fact)
    return f"{author}{inline(record.title)} ({description}; {sizes}{pages}) [book {record.book_id[:8]}]"


def declarations(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the tools in the form of `tools/list`."""
    return [tool.declaration() for tool in tools]


_FILTER_SCHEMAS = {
    "book": _BOOK,
    "author": _TEXT,
    "language": {"type": "string", "description": "such as en"},
    "chapter": {"type": "string", "description": "part of a heading"},
}
_FILTERS = {
    name: _FILTER_SCHEMAS.get(name) or {"type": "string", "description": filter.help}
    for name, filter in filters()
}
_CURSOR = {"type": "string", "description": "from the last answer"}
TOOLS = (
    Tool(
        name="search",
        description=("Find passages by meaning and words, with citation, hit id and chunk number."),
        parameters={
            "query": {"type": "string", "description": "a question or words"},
            "limit": {"type": "integer", "minimum": 1, "maximum": _MAX_HITS},
            **_FILTERS,
            "everywhere": {"type": "boolean"},
            "exact": {"type": "boolean"},
            "cursor": _CURSOR,
        },
        required=("query",),
        run=_search,
    ),
    Tool(
        name="find_quote",
        description="Find where quoted words, exact or not, come from.",
        parameters={"text": _TEXT, "book": _BOOK},
        required=("text",),
        run=_find_quote,
    ),
    Tool(
        name="read",
        description="Read on from a chunk, page or chapter; by default from a hit or the book's beginning.",
        parameters={
            "book": {"type": "string", "description": "part of its title, its id, or a hit id"},
            "chunk": _NUMBER,
            "page": {"type": ["string", "integer"], "description": "as printed, else as in the file"},
            "chapter": {"type": "string", "description": "part of its heading"},
            "n": {"type": "integer", "minimum": 1, "description": "chunks, or pages with page"},
            "cursor": _CURSOR,
        },
        required=("book",),
        run=_read,
    ),
    Tool(
        name="contents",
        description="List a book's chapters with their chunks, telling words and most typical sentence.",
        parameters={"book": _BOOK, "cursor": _CURSOR},
        required=("book",),
        run=_contents,
    ),
    Tool(
        name="books",
        description="List the books.",
        parameters={
            "filter": {"type": "string", "description": "part of title, author, language or domain"},
            "cursor": _CURSOR,
        },
        required=(),
        run=_books,
    ),
    Tool(
        name="cite",
        description="Cite a passage.",
        parameters={
            "hit": {"type": "string", "description": "its hit id"},
            "style": {"type": "string", "enum": list(CitationStyle)},
        },
        required=("hit",),
        run=_cite,
    ),
)
