"""The tools: what a model reads about them, and what each returns."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alexandria.book.choices import NEAREST, BibliographyFormat, CitationStyle
from alexandria.book.filters import Filters, filters
from alexandria.book.word_lists import read_lists
from alexandria.book.words import entered_text, fold_text
from alexandria.doors.mcp.paging import (
    AnswerPart,
    Entry,
    citation_line,
    clean_text,
    inline,
    passage_lines,
    render_part,
)
from alexandria.errors import ConfigError
from alexandria.library.remarks import RemarkKind
from alexandria.show.checked import doubts_about
from alexandria.store.passage import Passage

if TYPE_CHECKING:
    from alexandria.library.check.report import CheckedQuotation
    from alexandria.library.libraries import AnyLibrary
    from alexandria.library.read.contents import Chapter
    from alexandria.store.passage import Hit
    from alexandria.store.record import Record

_TEXTS = read_lists(Path(__file__).with_suffix(".txt"))
"""What a model reads about each tool: its title, then the lines of its description."""
_NUMBER = {"type": "integer", "minimum": 0}
_BOOK = {"type": "string", "description": "part of the title, or the id"}
_TYPE_NAMES = {"string": "a text", "integer": "a whole number", "boolean": "true or false"}
"""What messages call the types of JSON Schema."""
_NUMBER_AS_TEXT = re.compile(r"-?\d{1,9}(?:\.0+)?")
_MAX_HITS = 50
_DEFAULT_CHUNKS = 3  # chunks that `read` returns from a chunk on; `n` asks for another number
_MAX_CHUNKS = 200
_MAX_PLACES = 50  # places that `find_quote` returns
_WAYS = {
    RemarkKind.NARROWED: "; everywhere: true searches all.",
    RemarkKind.RESPELLED: "; exact: true takes words as typed.",
    RemarkKind.UNREAD: ". To search by meaning:  {}alexandria copy --model multilingual --to FOLDER",
}  # what arguments of `search` can do about remarks
_SEARCH_OPTIONS = ("limit", "everywhere", "exact", "all_editions")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it takes and returns, and the function that runs it."""

    name: str
    parameters: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    returns: Mapping[str, Mapping[str, Any]]  # the properties of its structured answer
    run: Callable[["AnyLibrary", Mapping[str, Any]], "Reply"]

    def declaration(self) -> dict[str, Any]:
        """Return the tool in the form of `tools/list`."""
        title, *description = _TEXTS[self.name]
        return {
            "name": self.name,
            "title": title,
            "description": " ".join(description),
            "inputSchema": {
                "type": "object",
                "properties": {name: dict(schema) for name, schema in self.parameters.items()},
                **({"required": list(self.required)} if self.required else {}),
            },
            "outputSchema": {
                "type": "object",
                "properties": {name: dict(s) for name, s in self.returns.items()},
            },
            "annotations": {"title": title, "readOnlyHint": True},
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool returns."""

    text: str  # with the texts of books, quoted
    data: Mapping[str, Any]
    """The same without those texts: ids, citations and figures, as `Tool.returns` describes them."""

    @classmethod
    def of(cls, part: AnswerPart, name: str, **more: Any) -> "Reply":
        """Return the reply for a part of a long answer, whose entries are listed under a name."""
        cursor = {"cursor": part.cursor} if part.cursor else {}
        return cls(part.text, {name: list(part.data), **more, **cursor})


def run_tool(library: "AnyLibrary", name: str, arguments: Mapping[str, Any]) -> Reply:
    """Run a tool and return its reply.

    Raises:
        AlexandriaError: an argument is wrong, or the library cannot answer.
    """
    tool = next(tool for tool in TOOLS if tool.name == name)
    # Models send null or an empty text for arguments that they leave out.
    values = {key: value for key, value in arguments.items() if value not in (None, "")}
    for key, value in values.items():
        if key not in tool.parameters:
            raise ConfigError(f"{name} has no argument {key!r}", why=f"it has {', '.join(tool.parameters)}")
        values[key] = _check_value(key, value, tool.parameters[key])
    if missing := [key for key in tool.required if key not in values]:
        raise ConfigError(f"{name} needs {missing[0]!r}")
    return tool.run(library, values)


def _check_value(name: str, value: object, schema: Mapping[str, Any]) -> object:
    """Return the value of an argument as its JSON Schema has it; a number may be sent as a text.

    Raises:
        ConfigError: the value has another type, or is out of range.
    """
    allowed = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, str) and "string" not in allowed and _NUMBER_AS_TEXT.fullmatch(value):
        value = float(value)
    if isinstance(value, float) and value.is_integer():  # 5.0 is an integer, says JSON Schema
        value = int(value)
    least, most = schema.get("minimum", 0), schema.get("maximum")
    if isinstance(value, str):
        is_valid = "string" in allowed
    elif isinstance(value, bool):  # to Python, True is an integer
        is_valid = "boolean" in allowed
    elif isinstance(value, int):
        is_valid = "integer" in allowed and least <= value and (most is None or value <= most)
    else:
        is_valid = False
    if not is_valid:
        wanted = " or ".join(_TYPE_NAMES[type] for type in allowed)
        if "integer" in allowed:
            wanted += f" of at least {least}" if most is None else f" from {least} to {most}"
        raise ConfigError(f"{name} cannot be {str(value)[:40]!r}", why=f"it must be {wanted}")
    return value


def _search(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `search`: return the hits, each with its citation, and the remarks on the search first."""
    # Of a passage that several editions have, the first edition with pages is cited.
    from alexandria.library.search.request import SearchRequest

    asked = {name: arguments[name] for name in _SEARCH_OPTIONS if name in arguments}
    chosen = Filters(**{name: arguments.get(name) for name, _ in filters()})
    results = library.answer(SearchRequest(query=arguments["query"], filters=chosen, **asked))
    entries = [_hit_entry(hit, f"{n}. ") for n, hit in enumerate(results, 1)]
    remarks = [inline(remark.worded(_WAYS), 600) for remark in results.noted]
    part = render_part(entries, arguments.get("cursor"), remarks=remarks)
    if not part.text:
        part = replace(part, text="Nothing was found.")
    return Reply.of(part, "hits", verdict=results.verdict, notes=remarks)


def _hit_entry(hit: "Hit", number: str = "", *, judged: bool = True) -> Entry:
    """Return a hit as an entry, cited from the edition that has pages, and with the others named."""
    # How well it answers is said if it is judged: a quotation is no question.
    editions = [hit, *hit.also_in]
    cited = next((edition for edition in editions if edition.page), hit)
    others = [inline(f"{other.title} ({other.format})") for other in editions if other is not cited]
    also = f" also in {', '.join(others)};" if others else ""
    relevance = f" {hit.strength}" if judged and hit.relevance is not None else ""
    data = _passage_data(cited)
    if judged:
        data |= {"relevance": hit.relevance, "strength": hit.strength}
    return Entry(number + passage_lines(cited, also + relevance), hit.text, data)


def _passage_data(passage: Passage) -> dict[str, Any]:
    """Return the place of a passage as a value."""
    return {
        "id": passage.short_id,
        "citation": inline(passage.citation, 300),
        "book": inline(passage.title),
        "chunk": passage.chunk_id,
    }


def _find_quote(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `find_quote`: return the places nearest to the words, each with its words."""
    places = library.find(arguments["text"], limit=_MAX_PLACES, book=arguments.get("book"))
    if not places:
        nearest = library.search(arguments["text"], limit=NEAREST, book=arguments.get("book"))
        remark = f"{places.summary} Closest in meaning:"
        part = render_part((_hit_entry(hit, judged=False) for hit in nearest), None, remarks=[remark])
        return Reply.of(part, "nearest_in_meaning", places=[])
    entries = [
        Entry(
            f"{citation_line(place)} {place.nearness:.0%} of the letters",
            place.words,
            {**_passage_data(place), "nearness": round(place.nearness, 3), "near": place.near},
        )
        for place in places
    ]
    remarks = [places.summary] if places.n_places != len(places) else []
    return Reply.of(render_part(entries, arguments.get("cursor"), remarks=remarks), "places")


def _check_quotations(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `check_quotations`: return each quotation with its verdict, and the right words."""
    report = library.check_text(arguments["text"])
    part = render_part(map(_checked_entry, report.items), arguments.get("cursor"), remarks=[str(report)])
    return Reply.of(part, "quotations", summary=str(report))


def _checked_entry(item: "CheckedQuotation") -> Entry:
    place = item.place or item.nearest
    nearest = "nearest: " if item.nearest else ""
    remarks = [item.verdict.words, *item.allowances, *map(inline, doubts_about(item))]
    if place:
        remarks.insert(1, nearest + citation_line(place))
    differs = place is not None and (item.differences or item.nearest)
    data = {
        "quotation": inline(item.text),
        "verdict": item.verdict,
        **asdict(item.claims),
        "citation": item.place and inline(item.place.citation, 300),
    }
    line = f"{item.ordinal}. “{inline(item.text)}”: {'; '.join(remarks)}"
    return Entry(line, place.words if place and differs else "", data)


def _read(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `read`: return the chunks, each with its citation and the notes it cites."""
    starts = [key for key in ("chunk", "page", "chapter") if key in arguments]
    if len(starts) > 1:
        raise ConfigError(f"read takes one of {', '.join(starts)}", why="each of them says where to begin")
    entries = (
        Entry(passage_lines(chunk), _with_notes(chunk), _passage_data(chunk))
        for chunk in _read_chunks(library, arguments)
    )
    return Reply.of(render_part(entries, arguments.get("cursor")), "passages")


def _read_chunks(library: "AnyLibrary", arguments: Mapping[str, Any]) -> list[Passage]:
    """Return `n` pages, at most `n` chunks of a chapter, or `n` chunks from one on and some before it."""
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
    chunk, before = arguments.get("chunk"), arguments.get("before") or 0
    after = min(n or _DEFAULT_CHUNKS, _MAX_CHUNKS) - 1
    return library.read(book, chunk, before=min(before, _MAX_CHUNKS), after=after)


def _with_notes(chunk: Passage) -> str:
    return "\n\n".join([chunk.text, *(f"[Note: {note}]" for note in chunk.notes)])


def _contents(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `contents`: return the book, then each chapter with its topic and a typical sentence."""
    record = library.book(arguments["book"])
    head = Entry("; ".join((_book_line(record), *map(inline, record.warnings))))
    chapters = map(_chapter_entry, library.contents(record.book_id))
    part = render_part([head, *chapters], arguments.get("cursor"))
    return Reply.of(part, "chapters", book=_book_data(record), warnings=list(record.warnings))


def _chapter_entry(chapter: "Chapter") -> Entry:
    """Return a chapter as an entry: heading, chunks, page and length, then its topic and typical sentence."""
    name = inline(" › ".join(chapter.headings)) or "(no heading)"
    page = f", p. {inline(chapter.page)}" if chapter.page else ""
    first, last = chapter.first_chunk, chapter.last_chunk
    chunks = f"chunk {first}" if first == last else f"chunks {first}–{last}"
    topic = f"Topic: {inline(', '.join(chapter.topic))}\n" if chapter.topic else ""
    head = f"{name} [{chunks}{page}, {chapter.n_words:,} words]"
    data = {
        "heading": name,
        "first_chunk": first,
        "last_chunk": last,
        "page": chapter.page,
        "words": chapter.n_words,
    }
    return Entry(head, topic + inline(chapter.sentence, 400), data)


def _cite(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `cite`: return the citation of a hit."""
    hit, style = arguments["hit"], arguments.get("style", CitationStyle.CHICAGO_NOTES)
    if style in list(BibliographyFormat):
        reference = clean_text(library.bibliography(BibliographyFormat(style), books=[library.passage(hit)]))
        return Reply(reference, {"reference": reference})
    citation = library.cite(hit, style)
    data = {"reference": clean_text(citation.reference), "in_text": clean_text(citation.in_text)}
    return Reply("\n".join(data.values()), data)


def _books(library: "AnyLibrary", arguments: Mapping[str, Any]) -> Reply:
    """Run the tool `books`: return the number of books that match the filter, then a line for each."""
    substring = fold_text(entered_text(arguments.get("filter", "")))
    typed = arguments.get("filter")
    named = Filters(book=typed), Filters(author=typed), Filters(language=typed)
    records = [
        record
        for record in library.books()
        if substring in fold_text(_searchable_text(record)) or any(one.admit(record) for one in named)
    ]
    if not records:
        none = f"No book matches {arguments['filter'][:100]!r}." if substring else "The library has no books."
        return Reply(none, {"books": [], "total": 0})
    total = Entry(f"{len(records)} books" if len(records) != 1 else "1 book")
    lines = (Entry(_book_line(record), data=_book_data(record)) for record in records)
    part = render_part([total, *lines], arguments.get("cursor"))
    return Reply.of(part, "books", total=len(records))


def _book_data(record: "Record") -> dict[str, Any]:
    """Return a book as a value."""
    return {
        "id": record.book_id[:8],
        "title": inline(record.as_volume.full_title),
        "author": inline(record.author),
        "language": record.language,
        "words": record.n_words,
    }


def _searchable_text(record: "Record") -> str:
    title = record.as_volume.full_title
    return "\n".join([title, record.author, record.series, record.language or "", record.domain])


def _book_line(record: "Record") -> str:
    """Return a book on one line: author, title, language, format, year, domain, size, and its id."""
    author = f"{inline(record.author)}, " if record.author else ""
    title = inline(record.as_volume.full_title)
    facts = [record.language or "language unknown", record.format, record.date[:4], record.domain]
    sizes = f"{record.n_words:,} words, chunks 0–{record.n_chunks - 1}"
    pages = f", {record.n_pages} pages" if record.n_pages else ""
    description = ", ".join(inline(fact) for fact in facts if fact)
    return f"{author}{title} ({description}; {sizes}{pages}) [book {record.book_id[:8]}]"


def declarations(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the tools in the form of `tools/list`."""
    return [tool.declaration() for tool in tools]


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}
_FILTER_SCHEMAS = {
    "book": _BOOK,
    "author": {"type": "string", "description": "such as Darwin"},
    "domain": _STRING,
    "language": {"type": "string", "description": "such as en"},
    "chapter": {"type": "string", "description": "heading or number"},
}
_FILTERS = {
    name: _FILTER_SCHEMAS.get(name) or {"type": "string", "description": filter.help}
    for name, filter in filters()
}
_CURSOR = _STRING  # each answer says how to use its own
_PASSAGE = {"id": _STRING, "citation": _STRING, "book": _STRING, "chunk": _INTEGER}
_HIT = {**_PASSAGE, "relevance": {"type": ["number", "null"]}, "strength": {"type": ["string", "null"]}}
_BOOK_DATA = {
    **dict.fromkeys(("id", "title", "author"), _STRING),
    "language": {"type": ["string", "null"]},
    "words": _INTEGER,
}


def _list_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": dict(properties)}}


TOOLS = (
    Tool(
        name="search",
        parameters={
            "query": {"type": "string", "description": "a question or words; quoted words must occur"},
            "limit": {"type": "integer", "minimum": 1, "maximum": _MAX_HITS},
            **_FILTERS,
            "everywhere": {"type": "boolean", "description": "all books, whatever is named"},
            "exact": {"type": "boolean", "description": "as typed"},
            "all_editions": {"type": "boolean"},
            "cursor": _CURSOR,
        },
        required=("query",),
        returns={
            "hits": _list_of(_HIT),
            "verdict": {"type": ["string", "null"]},
            "notes": {"type": "array", "items": _STRING},
            "cursor": _STRING,
        },
        run=_search,
    ),
    Tool(
        name="find_quote",
        parameters={"text": _STRING, "book": _BOOK, "cursor": _CURSOR},
        required=("text",),
        returns={
            "places": _list_of({**_PASSAGE, "nearness": {"type": "number"}, "near": {"type": "boolean"}}),
            "nearest_in_meaning": _list_of(_PASSAGE),
            "cursor": _STRING,
        },
        run=_find_quote,
    ),
    Tool(
        name="check_quotations",
        parameters={"text": _STRING, "cursor": _CURSOR},
        required=("text",),
        returns={
            "quotations": _list_of(
                {
                    **dict.fromkeys(("quotation", "verdict", "author", "title", "page"), _STRING),
                    "citation": {"type": ["string", "null"]},
                }
            ),
            "summary": _STRING,
            "cursor": _STRING,
        },
        run=_check_quotations,
    ),
    Tool(
        name="read",
        parameters={
            "book": {"type": "string", "description": "a hit id, part of the title, or a book's id"},
            "chunk": _NUMBER,
            "page": {"type": ["string", "integer"], "description": "as printed"},
            "chapter": {"type": "string", "description": "heading or number"},
            "n": {"type": "integer", "minimum": 1, "description": "chunks, or pages with page"},
            "before": _NUMBER,
            "cursor": _CURSOR,
        },
        required=("book",),
        returns={"passages": _list_of(_PASSAGE), "cursor": _STRING},
        run=_read,
    ),
    Tool(
        name="contents",
        parameters={"book": _BOOK, "cursor": _CURSOR},
        required=("book",),
        returns={
            "book": {"type": "object", "properties": _BOOK_DATA},
            "warnings": {"type": "array", "items": _STRING},
            "chapters": _list_of(
                {
                    "heading": _STRING,
                    "first_chunk": _INTEGER,
                    "last_chunk": _INTEGER,
                    "page": {"type": ["string", "null"]},
                    "words": _INTEGER,
                }
            ),
            "cursor": _STRING,
        },
        run=_contents,
    ),
    Tool(
        name="books",
        parameters={
            "filter": {"type": "string", "description": "part of title, author, language or domain"},
            "cursor": _CURSOR,
        },
        required=(),
        returns={"books": _list_of(_BOOK_DATA), "total": _INTEGER, "cursor": _STRING},
        run=_books,
    ),
    Tool(
        name="cite",
        parameters={
            "hit": {"type": "string", "description": "its hit id"},
            "style": {"type": "string", "enum": [*CitationStyle, *BibliographyFormat]},
        },
        required=("hit",),
        returns={"reference": _STRING, "in_text": _STRING},
        run=_cite,
    ),
)
