"""The codec of chunks: `pack` makes the payload of a point, and `unpack` the chunk again.

To add a payload field, add it to both. Stores parse a payload value by value: what has many values, such as
the balance of a cut, is packed into few.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from hashlib import sha256
from json import dumps
from typing import Any
from urllib.parse import quote

from alexandria.book.edits import LISTS
from alexandria.book.model import (
    ARTICLE_KEYS,
    Book,
    Boundary,
    Chunk,
    Contribution,
    Overlap,
    PageStart,
    Reason,
    pages_between,
)
from alexandria.book.places import BLOCK_SEPARATOR, cfi_at, shift_anchors
from alexandria.book.weighed import Balance, KeptTogether, NextBest, Term
from alexandria.store.locator import make_locator, quote_between

SCHEMA_VERSION = 5
"""Incremented when the meaning of payload or vectors changes: a book is then stored again at its next ingest.

2: `source` and `metadata.source` are absolute paths. 3: `source` is relative, `metadata.source` the title.
4: the locator follows Readium's schema, and anchors hold what the file has in place of the text.
5: the words of the index are folded.
"""
READABLE_SCHEMAS = (SCHEMA_VERSION,)  # the schemas that this version can read
WORDS_VERSION = 2  # its words are cut and folded as `words.index_terms` does
OLD_WORDS = "-x-words1"
"""At the end of a language tag, for chunks that version 1.0.0 indexed (no `words_version` in the payload):
the engine cut their words, in other places than we do in scripts with vowel signs or without spaces."""

KEYWORDS = ("book_id", "generation", "domain", "language", "author", "book_title", "section")
INTEGERS = ("chunk_id",)
DATETIMES = ("ingested_at",)
STATED_KEYS = ("publisher", "date", "translators", "identifiers", "series")
OPTIONAL_KEYS = ("volume", "volume_title", *ARTICLE_KEYS)  # the metadata that most books do not have
_OF_BOOK = (
    *("book_id", "generation", "author", "language", "format", "source", "domain", "strategy", "ingested_at"),
    *STATED_KEYS,
)  # the fields of a book's record that payloads have under the same names and in the same form
_NUMBERS: Mapping[str, type[float]] = {"sentence_starts": int, "similarities": float}
"""The keys of one number per sentence, and what kind of number."""
_COPIED = (
    *("domain", "book_title", "author", "language", "section", "page_start", "page_end", "page_label"),
    *("book_id", "chunk_id"),
)  # the keys that are also under `metadata`: some clients return only this key of a payload
_MAX_QUOTE = 120
"""Characters of the beginning of a chunk that are quoted, to find it in another edition of the file."""


COMPARED_KEYS = (
    *("book_id", "generation", "chunk_id", "book_title", "author", "language", "words_version"),
    *("text", "section", "start", "end", "sentence_starts"),
)
"""What candidates of a search are compared and ranked by; the rest is for those that are shown."""


@dataclass(frozen=True, slots=True)
class Context:
    """What all points of a book have in common besides the book: how and when they were made."""

    domain: str
    strategy: str
    source: str  # the path of the file, relative to the folder that was ingested
    generation: str  # the hash of everything that decides the points (`generation_of`)
    n_chunks: int
    ingested_at: str  # ISO 8601, UTC
    bm25_language: str | None  # the language of the stemmer; None for the book's own
    sentence_vectors: bool  # whether points get the vectors of their sentences
    notes: bool  # whether the payload of a chunk holds the notes that it cites
    overlap_in_words: bool = False
    """Whether a chunk is also found by the words that it repeats from the chunk before it."""


def pack(chunk: Chunk, book: Book, context: Context, coverage: float) -> dict[str, Any]:
    """Return the payload of a chunk.

    Args:
        coverage: the share of its text that the model has read, in [0, 1].
    """
    verses = pages_between(book.verse_starts, chunk.start, chunk.end)
    payload: dict[str, Any] = {
        "text": chunk.text,
        "book_title": book.title,
        "author": book.author,
        "domain": context.domain,
        "language": book.language,
        "ingested_at": context.ingested_at,
        "strategy": context.strategy,
        "chunk_id": chunk.index,
        "word_count": chunk.word_count,
        "book_id": book.id,
        "generation": context.generation,
        "source": context.source,
        "format": book.format,
        "start": chunk.start,
        "end": chunk.end,
        "n_sentences": chunk.n_sentences,
        "total_chunks": context.n_chunks,
        "avg_similarity": round(chunk.avg_similarity, 6),
        "section": list(chunk.headings),
        "topic": list(chunk.topic),
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "page_label": chunk.page_label,
        "page_starts": pack_pages(chunk.page_starts),
        "href": chunk.href,
        "hrefs": _pack_hrefs(chunk),
        "locator": _locator_of(book, chunk, context.source),
        "anchors": chunk.anchors,
        "notes": list(chunk.notes) if context.notes else [],
        **({"note_marks": join_numbers(chunk.note_marks)} if context.notes and chunk.notes else {}),
        "boundary": _pack_boundary(chunk.boundary) if chunk.boundary else None,
        "kept": chunk.kept and {**asdict(chunk.kept), "terms": _join_terms(chunk.kept.terms)},
        "overlap_before": asdict(chunk.overlap_before) if chunk.overlap_before else None,
        # From these two, `inspect` shows every gap of a stored book without its file.
        "sentence_starts": join_numbers(chunk.sentence_starts),
        "similarities": join_numbers(round(number, 6) for number in chunk.similarities),
        **{name: as_stored(getattr(book.metadata, name)) for name in STATED_KEYS},
        # Only where they have a value: the payloads of other books, and so their digests, stay the same.
        **{name: value for name in OPTIONAL_KEYS if (value := getattr(book.metadata, name))},
        **({"kind": book.metadata.kind} if book.metadata.container else {}),
        "vector_coverage": round(coverage, 4),
        "words_version": WORDS_VERSION,
        **(chunk.contribution._asdict() if chunk.contribution else {}),
        **({"verse_starts": pack_pages(verses)} if any(verse.label for verse in verses) else {}),
        # Only for scans.
        **({} if chunk.ocr_confidence is None else {"ocr_confidence": round(chunk.ocr_confidence, 1)}),
        **({"text_layer": True} if chunk.text_layer else {}),
        "schema_version": SCHEMA_VERSION,
    }
    return {**payload, "metadata": {"source": book.title, **{key: payload[key] for key in _COPIED}}}


_AS_IS = (
    *("start", "end", "text", "word_count", "n_sentences", "avg_similarity"),
    *("page_start", "page_end", "page_label", "href"),
)  # the fields of a chunk that its payload has under the same names and in the same form


def unpack(payload: Mapping[str, Any]) -> Chunk:
    """Return the chunk of a payload.

    It is as it was packed, but its numbers are rounded, `hrefs` is empty unless there are several, `notes` if
    they are not stored, and its boundary does not say how many sentences are repeated.
    """
    boundary = _parse_boundary(payload)
    overlap = payload.get("overlap_before")
    contribution = [payload[name] for name in Contribution._fields if name in payload]
    return Chunk(
        **{name: payload[name] for name in _AS_IS},
        index=payload["chunk_id"],
        first_sentence=boundary.gap + 1 if boundary else 0,
        headings=tuple(payload["section"]),
        notes=tuple(payload["notes"]),
        note_marks=parse_numbers(payload, "note_marks"),
        boundary=boundary,
        sentence_starts=parse_numbers(payload, "sentence_starts"),
        similarities=tuple(map(float, payload["similarities"].split())),
        page_starts=parse_pages(payload),
        anchors=payload.get("anchors") or "",
        hrefs=parse_hrefs(payload),
        kept=_parse_kept(payload),
        overlap_before=Overlap(**overlap) if overlap else None,
        topic=tuple(payload.get("topic", ())),
        ocr_confidence=payload.get("ocr_confidence"),
        text_layer=payload.get("text_layer"),
        contribution=Contribution(*contribution) if contribution else None,
    )


def boundary_values(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of the cut before a stored chunk, and its margin; None for the first of a book."""
    stored = payload["boundary"]
    return stored and {**stored, "balance": _parse_balance(stored)}


def _parse_boundary(payload: Mapping[str, Any]) -> Boundary | None:
    stored = boundary_values(payload)
    if stored is None:
        return None
    names = ("gap", "similarity", "threshold", "rank", "n_candidates", "balance")
    return Boundary(**{name: stored[name] for name in names}, reason=Reason(stored["reason"]))


def book_values(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a chunk says of its book, by the fields of its record."""
    return {
        **{name: payload[name] for name in _OF_BOOK},
        **{name: tuple(payload[name]) for name in STATED_KEYS if name in LISTS},
        "title": payload["book_title"],
        **{name: payload.get(name, "") for name in OPTIONAL_KEYS},
        "words_version": payload.get("words_version"),
    }


def with_changes(payload: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload with changed values of its book, also in the copy under `metadata` and the locator."""
    # `metadata.source` is the title of the book.
    metadata = {
        key: changes.get("book_title" if key == "source" else key, value)
        for key, value in payload.get("metadata", {}).items()
    }
    changed = {**payload, **changes, "metadata": metadata}
    # The locator of an EPUB does not name its file; a payload without `hrefs` is of an earlier schema.
    if "source" in changes and payload.get("format") != "epub" and "hrefs" in payload:
        changed["locator"] = {**payload["locator"], "href": quote(changes["source"])}
    return changed


def with_lists(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload in which the numbers of sentences, which are stored as one string, are lists."""
    lists = {key: payload[key].split() for key in _NUMBERS if isinstance(payload.get(key), str)}
    return {**payload, **{key: [*map(_NUMBERS[key], numbers)] for key, numbers in lists.items()}}


def is_all_read(payload: Mapping[str, Any]) -> bool:
    """Return whether the vector of a stored chunk covers all of its text."""
    return bool(payload["vector_coverage"] == 1)


def digest_of(payload: Mapping[str, Any]) -> str:
    """Return a hash of a payload without its timestamps, the same in every run: 16 hexadecimal digits."""
    timeless = {key: value for key, value in payload.items() if key not in DATETIMES}
    return sha256(dumps(timeless, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def index_tag(payload: Mapping[str, Any]) -> str | None:
    """Return the language of a stored chunk, with `OLD_WORDS` if version 1.0.0 indexed its words."""
    language: str | None = payload["language"]
    return language if "words_version" in payload else f"{language or ''}{OLD_WORDS}"


def as_stored(value: object) -> object:
    """Return a value of metadata as payloads have it."""
    return list(value) if isinstance(value, tuple) else value


def join_numbers(numbers: Iterable[float]) -> str:
    """Return numbers as one string: stores parse a payload value by value, so that long lists are slow."""
    return " ".join(map(str, numbers))


def parse_numbers(payload: Mapping[str, Any], key: str) -> tuple[int, ...]:
    """Return the whole numbers under a key, as `join_numbers` wrote them; none if it is not there."""
    return tuple(map(int, (payload.get(key) or "").split()))


def _pack_boundary(boundary: Boundary) -> dict[str, Any]:
    return {
        "gap": boundary.gap,
        "reason": str(boundary.reason),
        "similarity": round(boundary.similarity, 6),
        "threshold": _round_if_any(boundary.threshold),
        "margin": _round_if_any(boundary.margin),
        "rank": boundary.rank,
        "n_candidates": boundary.n_candidates,
        "balance": boundary.balance and _pack_balance(boundary.balance),
    }


def _round_if_any(number: float | None) -> float | None:
    return None if number is None else round(number, 6)


def _pack_hrefs(chunk: Chunk) -> str:
    """Return the documents that a chunk is from as one string, if there are several."""
    # One line per document: the offset in the book's text at which it begins in the chunk, and the href
    # there.
    return "\n".join(f"{start} {href}" for start, href in chunk.hrefs) if len(chunk.hrefs) > 1 else ""


def _locator_of(book: Book, chunk: Chunk, source: str) -> dict[str, Any]:
    """Return where a chunk begins, as a Readium Locator."""
    # `source`: the path of its file, relative to the folder that was ingested.
    end_of_block = chunk.text.find(BLOCK_SEPARATOR)  # what the file has between two blocks is not known
    length = min(_end_of_quote(chunk.text), end_of_block if end_of_block > 0 else len(chunk.text))
    anchors = shift_anchors(chunk.anchors, -chunk.start)
    return make_locator(
        format=book.format,
        source=source,
        href=chunk.href,
        cfi=cfi_at(chunk.anchors, chunk.start),
        page=chunk.page_start,
        title=chunk.headings[-1] if chunk.headings else "",
        locations={"totalProgression": round(chunk.start / max(1, len(book.text)), 6)},
        text=quote_between(anchors, chunk.text, 0, length),
    )


def _end_of_quote(text: str) -> int:
    """Return the offset at which the quoted beginning of a chunk ends: of the chunk, or of a whole word."""
    if len(text) <= _MAX_QUOTE:
        return len(text)
    last_space = text.rfind(" ", 0, _MAX_QUOTE)  # -1 if there is none
    return max(last_space, 1)  # never an empty quote


def _pack_balance(balance: Balance) -> dict[str, Any]:
    """Return a balance as a payload holds it: its terms are one string, and so is the next best cut."""
    next_best = balance.next_best and " ".join(map(str, astuple(balance.next_best)))
    return {**asdict(balance), "terms": _join_terms(balance.terms), "next_best": next_best}


def _parse_balance(boundary: Mapping[str, Any]) -> Balance | None:
    """Return the balance of a stored boundary, or None if it was stored without one."""
    packed = boundary.get("balance")
    if packed is None:
        return None
    return Balance(
        **{name: packed[name] for name in ("inside_paragraph", "gain")},
        terms=_parse_terms(packed["terms"]),
        next_best=_parse_next_best(packed["next_best"]) if packed["next_best"] else None,
    )


def _parse_kept(payload: Mapping[str, Any]) -> KeptTogether | None:
    """Return the gap that was not cut (`KeptTogether`) of a stored chunk, or None if none was stored."""
    packed = payload.get("kept")
    if packed is None:
        return None
    as_is = {name: packed[name] for name in ("gap", "similarity", "loss")}
    return KeptTogether(**as_is, terms=_parse_terms(packed["terms"]))


def _join_terms(terms: Iterable[Term]) -> str:
    """Return names and costs of terms as one string, such as `window 0.84 new_time -1.5`."""
    return " ".join(f"{term.name} {term.cost}" for term in terms)


def _parse_terms(text: str) -> tuple[Term, ...]:
    """Return the terms in a string of `_join_terms`."""
    fields = text.split()
    return tuple(Term(name, float(cost)) for name, cost in zip(fields[::2], fields[1::2], strict=True))


def _parse_next_best(text: str) -> NextBest:
    gap, cost, loss = text.split()
    return NextBest(int(gap), cost=float(cost), loss=float(loss))


def page_fields(pages: Iterable[PageStart], start: int, end: int) -> dict[str, str | int | None]:
    """Return the fields of a payload that name the pages which the text between two offsets spans.

    Args:
        pages: the pages in reading order; a repeated one counts once.
        start: offset in the book's text.
    """
    distinct = {page.start: page for page in pages}.values()
    text_pages = pages_between(list(distinct), start, end)
    if not text_pages:
        return {}
    return {
        "page_starts": pack_pages(text_pages),
        "page_start": text_pages[0].page,
        "page_label": text_pages[0].label,
        "page_end": text_pages[-1].page,
    }


def pack_pages(pages: Iterable[PageStart]) -> str:
    """Return pages, or verses, as one string.

    One line per page: its offset in the text, its number in the file or `-`, and its printed label.
    """
    lines = []
    for page in pages:
        number = "-" if page.page is None else page.page
        label = " ".join((page.label or "").split())  # without line breaks: each page is one line
        lines.append(f"{page.start} {number} {label}")
    return "\n".join(lines)


def parse_pages(payload: Mapping[str, Any], key: str = "page_starts") -> tuple[PageStart, ...]:
    """Return where pages begin in a chunk, as `pack_pages` wrote them; the first may begin before it.

    With the key `verse_starts`, where verses begin.
    """
    return tuple(map(_parse_page, (payload.get(key) or "").splitlines()))


def _parse_page(line: str) -> PageStart:
    """Return the page of a line that `pack_pages` wrote."""
    start, page, label = line.split(" ", 2)
    return PageStart(int(start), None if page == "-" else int(page), label or None)


def parse_hrefs(payload: Mapping[str, Any]) -> tuple[tuple[int, str], ...]:
    """Return the documents that a chunk is from, as `_pack_hrefs` wrote them."""
    lines = (line.split(" ", 1) for line in (payload.get("hrefs") or "").splitlines())
    return tuple((int(start), href) for start, href in lines)
