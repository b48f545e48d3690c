"""The catalog of a store: where books are added, replaced, removed, and kept from others meanwhile.

A book is replaced in an order that is safe if the process is killed at any moment: the new generation is
noted as pending, its points and its letters are written, one record in the catalog commits them, and then the
old points are deleted. Points without a record are not in the library: searches ignore them, and the sweep
deletes those that are pending.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from alexandria.book.choices import Mode
from alexandria.book.headings import Levels
from alexandria.book.model import Embeddings, Point
from alexandria.errors import (
    ChangedError,
    DamagedError,
    DeniedError,
    DisconnectedError,
    FullDiskError,
    TooLargeError,
)
from alexandria.store.letter_files import LetterFiles
from alexandria.store.lock import ReadWriteLock
from alexandria.store.lookup import Listing
from alexandria.store.passage import Hit, Passage, passage_of
from alexandria.store.plan import N_FUSED, Stage, plan_search
from alexandria.store.ranking import by_score, first_with_ties
from alexandria.store.record import (
    Record,
    incomplete_error,
    latest_by_path,
    removed_by_id,
    with_payload_changes,
    with_vector_sums,
)
from alexandria.store.store import GRACE, Pending, QueryVectors, Scope, Store, Where

if TYPE_CHECKING:
    from alexandria.store.letters import BookLetters

log = logging.getLogger(__name__)

MAX_AGE = 30.0
"""Seconds after which the records of a library on a server are read again, since others may change them."""
_PATIENCE, _SILENCE = 20.0, 5.0
"""Seconds for which one search makes the letters that are missing, and between two messages about it."""
_BYTES_PER_WORD = 10  # of a file of letters
_MAKING = "the letters of the books, in which quotations are looked up, are made once: %s"
_MORE_FUSED = 4
"""How many times as many points are fused if those of one fusion are fewer than the hits asked for."""
_NO_GENERATION = "none"  # a generation that no book has: a generation is a hash
_MAX_SEARCHES = 20
"""How often one search is sent to the store, while books that it finds keep being added or replaced."""


class Catalog(Listing):
    """The books of a store. As a context manager, it closes the store at the end."""

    def __init__(self, store: Store, *, sweep: bool = True) -> None:
        """Take over an open store; `sweep` deletes what a crash left behind, which a reader need not do."""
        super().__init__(store)
        self._lock = ReadWriteLock(parallel_reads=store.parallel)
        self._closed = self._needs_optimizing = False
        self._is_claimed = False  # for writing, by this process
        self.letter_files = LetterFiles(store.records.letters_folder)
        self.denied: DeniedError | None = None
        """Why the books may not be changed: what is open is a copy of a library that may only be read."""
        self.on_close: Callable[[], None] = lambda: None
        self.is_swept = False
        if sweep:
            self.sweep()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store; after an error, without bringing its indexes up to date."""
        # On interrupt or error, leave at once: the indexes can wait for the next ingest.
        self._needs_optimizing = self._needs_optimizing and kind is None
        self.close()

    def close(self) -> None:
        """Close the store; after writes, optimize its indexes first."""
        self.on_close()
        with self._lock.write_lock():
            if self._closed:
                return
            self._closed = True
            try:
                if self._needs_optimizing:
                    self._store.optimize()
                    self.letter_files.keep_only(
                        {str(one["generation"]) for one in self._records.all(["generation"])}
                    )
            finally:
                self._store.close()

    @property
    def is_open(self) -> bool:
        """Whether it can be read: neither closed, nor handed over, nor lost with the process that had it."""
        return not self._closed and not self._store.lost

    def claim_for_writing(self) -> bool:
        """Keep the library for this process until it is closed; return False if another process has it.

        Raises:
            DeniedError: it may only be read.
        """
        if self.denied is not None:
            raise self.denied
        with self._lock.write_lock():
            if self._store.on_server and not self._is_claimed:
                # Nothing is deleted; but a key without the right to write is refused before a book is read.
                self._store.delete({"generation": [_NO_GENERATION]})
                self._records.commit(done=[_NO_GENERATION])
            self._is_claimed = self.is_open and not self._store.through_owner
        return self._is_claimed

    def give_way(self) -> bool:
        """Close the library for a process that wants to write; return False if this one writes it."""
        if self._is_claimed:
            return False
        with self._lock.write_lock():  # waits for the threads that are reading
            if not self._is_claimed:  # another thread may have begun to write meanwhile
                self.close()
        return not self._is_claimed

    @contextmanager
    def read_lock(self) -> Iterator[None]:
        """Keep other threads from changing the books during this block, and the library open.

        On a server, it reads what others have changed if that was last done `MAX_AGE` ago. Other processes
        may change the books meanwhile, on a server and where one of them owns the folder: what is read of a
        book is checked against the catalog afterwards.

        Raises:
            DisconnectedError: the library was closed or handed over, or the process that owns it has ended.
        """
        if self._store.on_server:  # a server
            if time.monotonic() - self._refreshed_at > MAX_AGE:
                self._refresh(check=True)
            with self._reading():
                yield
            return
        with self._lock.read_lock(), self._reading():
            self._check_open()
            yield

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Keep others from reading or changing the books in this block, and from asking for the library until
        it is closed; on a server, others go on, and what they have changed is read first.
        """
        if self._store.on_server:
            self._refresh()
            yield
            return
        with self._lock.write_lock():
            self._check_open()
            self._is_claimed = True
            yield

    def _check_open(self) -> None:
        """Raise DisconnectedError if another thread has closed or handed over the library."""
        if not self.is_open:
            raise DisconnectedError(
                "the library is no longer open",
                why="it was handed over to another process that writes to it",
                fix="run the same command again",
            )

    def refresh(self) -> None:
        """Read the records again at once: on a server, others may have changed them."""
        with self.read_lock():
            self._refresh(check=True)

    def _commit(
        self,
        *,
        put: Sequence[Record] = (),
        delete: Sequence[str] = (),
        pending: Sequence[Pending] = (),
        done: Sequence[str] = (),
    ) -> None:
        """Change the records in one step, as `Records.commit` does."""
        self._records.commit(put=list(map(asdict, put)), delete=delete, pending=pending, done=done)

    def _delete_points(self, generations: Sequence[str]) -> None:
        """Delete the points of pending generations; a generation without points is no longer pending."""
        if not generations:
            return
        self._store.delete({"generation": generations})
        self.letter_files.delete(generations)
        # Once in a thousand kills, the engine finds some of the points only when it is opened again.
        self._records.commit(done=[name for name in generations if not self._has_points(name)])

    def _has_points(self, generation: str) -> bool:
        return any(self._store.payloads({"generation": [generation]}))

    def replace(self, record: Record, points: Sequence[Point]) -> Record:
        """Store a book, all of it or nothing, in place of the one it replaces; return its record as stored.

        It replaces the book with the same content, and the book that was read from the same path.
        """
        with self.write_lock():
            replaced = self._books_of(record.book_id, record.source)
            record, points = _with_distinct_points(replaced, record, points)
            return self._replace(replaced, record, points)

    def _replace(self, replaced: Sequence[Record], record: Record, points: Sequence[Point]) -> Record:
        """Write a book in the order that is safe if the process is killed; see the module."""
        self._records.commit(pending=[_pending(record)])
        try:
            self._store.upsert(points)
        except TooLargeError:  # the store is sound, this book is not: delete what was written of it
            if not self.holds(record.book_id, record.generation):
                self._delete_points([record.generation])
            raise
        self._needs_optimizing = True
        with suppress(OSError):  # they can be made again
            self.letter_files.write(record.generation, list(map(passage_of, points)))
        record = with_vector_sums(record, self._store)
        obsolete = [old for old in replaced if old.generation != record.generation]
        removed = removed_by_id(self._records_of(record.book_id, record.source))
        self._commit(
            put=[record],
            delete=sorted({*removed, *(old.book_id for old in replaced)} - {record.book_id}),
            pending=list(map(_pending, obsolete)),
            done=[record.generation],
        )
        self._delete_points([old.generation for old in obsolete])
        return record

    def update(self, record: Record) -> None:
        """Write the record of a stored book with other values, or of one that another library has removed."""
        with self.write_lock():
            self._commit(put=[record])

    def rewrite_points(self, record: Record, points: Sequence[Point]) -> bool:
        """Write the points of a stored book over those it has; return False if it was replaced since."""
        with self.write_lock():
            stored = self.find_id(record.book_id)
            if stored is None or stored.generation != record.generation:
                return False
            self._store.upsert(points)
            self._needs_optimizing = True
            self._commit(put=[with_vector_sums(stored, self._store)])
        return True

    def remove(self, record: Record) -> None:
        """Remove a book, but keep its record among the removed books; `replace` brings it back."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        removed = replace(record, removed_at=now, digests=(), vector_sums=())
        with self.write_lock():
            self._needs_optimizing = True
            self._commit(put=[removed], pending=[_pending(removed)])
            self._delete_points([record.generation])

    def forget(self, record: Record) -> None:
        """Remove a book as if it had never been in the library."""
        with self.write_lock():
            self._needs_optimizing = True
            self._commit(delete=[record.book_id], pending=[replace(_pending(record), removed=True)])
            self._delete_points([record.generation])

    def search(
        self,
        query: QueryVectors,
        mode: Mode,
        scope: Scope,
        limit: int,
        *,
        sections: Levels = (),
    ) -> list[Hit]:
        """Return the best matches in some books, or in all of them, best first.

        Those with equal scores are in the order of `by_score`, and all that tie with the last are returned.

        Args:
            query: the vectors of the query.
            mode: how the query is compared with the chunks.
            scope: the books of this catalog to search.
            limit: the number of hits, but for those that tie with the last.
            sections: search only chunks under one heading of each level; if empty, all chunks.

        Returns:
            hits with what they are compared by (`COMPARED_KEYS`); `whole` reads the rest.
        """
        plan = partial(
            plan_search,
            mode,
            limit,
            n_points=self.n_points(),
            sentences=scope.sentence_vectors,
            meaning_weight=query.meaning_weight,
        )
        where = {**scope.where, **_under(sections)}
        n_fused = N_FUSED
        hits = by_score(self._search_complete(query, plan(), where, scope.without))
        if not hits:
            self.check_complete()
        # More than one fusion has: those of a larger one follow, as a short list is the head of a long one.
        while mode is Mode.HYBRID and n_fused <= len(hits) < limit:
            n_fused *= _MORE_FUSED
            n_before = len(hits)
            more = by_score(self._search_complete(query, plan(n_fused=n_fused), where, scope.without))
            hits = _continue(hits, more)
            if len(hits) == n_before:
                break
        self._check_listed([str(generation) for generation in scope.where.get("generation", ())])
        return first_with_ties(hits, limit)

    def every_chunk(self, scope: Scope, *, sections: Levels = ()) -> Iterator[Hit]:
        """Yield every chunk of some books, in no order, as a hit without a score.

        Args:
            sections: only chunks under one heading of each level; if empty, all chunks.
        """
        where = {**scope.where, **_under(sections)}
        current: dict[str, Record | None] = {}
        for id, payload in self._store.payloads(where):
            hit = Hit(id=id, payload=payload, score=0.0)
            if not _is_ours(hit):
                continue
            if (generation := hit.generation) not in current:
                record = self.find_id(hit.book_id)
                current[generation] = record if record and record.generation == generation else None
            if (record := current[generation]) is not None:
                yield replace(hit, payload={**payload, "source": record.source})

    def check_complete(self) -> None:
        """Raise DamagedError if points are missing: that nothing was found would not be true."""
        # On a server, each count is a request.
        n_points = self.n_points() if self._store.on_server else self._store.count()
        if n_points >= self.n_chunks():
            return
        self._refresh(check=True)  # on a server, another process may have removed books
        n_missing = self.n_chunks() - self._store.count()
        if n_missing > 0:
            raise DamagedError(
                f"the library at {self._store.address} is damaged",
                why=f"{n_missing:,} of its {self.n_chunks():,} chunks are missing",
                fix="alexandria verify names the books, and alexandria repair mends them",
            )

    def _check_listed(self, generations: Sequence[str]) -> None:
        """Raise ChangedError unless the catalog still lists all these generations."""
        # Only another process can have changed them: it has deleted the points of a book that it replaces.
        others_write = self._store.through_owner or self._store.on_server
        if others_write and self._records.n_listed(generations) < len(generations):
            raise self._changed_error()

    def check_current(self, record: Record) -> None:
        """Raise ChangedError if a book was replaced or removed since its record was read."""
        self._refresh()
        if not self.holds(record.book_id, record.generation):
            raise self._changed_error()

    def _changed_error(self) -> ChangedError:
        return ChangedError(
            f"cannot read the library at {self._store.address}",
            why="other processes keep changing what is read",
            fix="run the same command again",
        )

    def book_of(self, hit: Hit) -> Record:
        """Return the record of the book of a hit.

        Raises:
            ChangedError: the book was replaced or removed since it was found.
        """
        record = self.find_id(hit.book_id)
        if record is None or record.generation != hit.generation:
            raise self._changed_error()
        return record

    def whole(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return hits of a search, and what `also_in` names, with all that is stored with them."""
        payloads = self._store.whole_payloads([passage for hit in hits for passage in (hit, *hit.also_in)])

        def payload_of(passage: Passage) -> dict[str, Any]:
            return {**payloads[passage.id], "source": passage.source}

        return [
            replace(
                hit,
                payload=payload_of(hit),
                also_in=tuple(replace(other, payload=payload_of(other)) for other in hit.also_in),
            )
            for hit in hits
        ]

    def _search_complete(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str]
    ) -> list[Hit]:
        """Return the best matches in books that were complete before the search began.

        A hit may be shown only if the catalog lists its generation: otherwise that generation is excluded,
        and the store is asked again. It is also asked again if the catalog of a server has changed meanwhile:
        points of a book that it lists since then may not have been visible yet. In a folder, no book is
        written during a search.

        Raises:
            ChangedError: others keep changing the books.
        """
        excluded = set(without)
        for _ in range(_MAX_SEARCHES):
            version = self._records.version() if self._store.on_server else 0
            hits = [hit for hit in self._store.search(query, plan, where, sorted(excluded)) if _is_ours(hit)]
            records = self._current_records(hits)
            unlisted = {
                generation
                for hit in hits
                if (generation := hit.generation) != records.get(hit.book_id, {}).get("generation")
            }
            has_changed = self._store.on_server and self._records.version() != version
            if not unlisted and not has_changed:
                return [
                    Hit(
                        id=hit.id,
                        payload={**hit.payload, "source": records[hit.book_id]["source"]},
                        score=hit.score,
                    )
                    for hit in hits
                ]
            excluded |= unlisted
        raise self._changed_error()

    def _current_records(self, hits: Sequence[Hit]) -> dict[str, dict[str, Any]]:
        """Read the current records of the books of these hits from the store, and return them by book id."""
        # The records are not parsed, and have only the fields that `_search_complete` needs. A book that has
        # been removed has no entry.
        book_ids = sorted({hit.book_id for hit in hits})
        self._refresh()
        fields = ("book_id", "generation", "source", "removed_at")
        records = self._records.by("book_id", book_ids, fields)
        return {record["book_id"]: record for record in records if record.get("removed_at") is None}

    def chunks(self, record: Record, chunk_ids: Sequence[int] = ()) -> list[Passage]:
        """Return a book's chunks in reading order: those with these numbers, or all.

        Raises:
            ChangedError: the book was replaced or removed meanwhile.
            StoreError: points of the book are missing, or have lost their payload.
        """
        where: dict[str, Any] = {"generation": [record.generation]}
        if chunk_ids:
            where["chunk_id"] = list(chunk_ids)
        # A payload has a path that is relative to the folder of the books; the record has the absolute path.
        chunks = [
            Passage(id=id, payload={**payload, "source": record.source})
            for id, payload in self._store.payloads(where)
        ]
        expected = range(record.n_chunks)
        n_wanted = sum(number in expected for number in chunk_ids) if chunk_ids else len(expected)
        if n_missing := max(0, n_wanted - len(chunks)):
            self.check_current(record)
            verb = "is" if n_missing == 1 else "are"
            raise incomplete_error(record, f"{n_missing:,} of its chunks {verb} missing")
        # The engine finds points by its indexes: in a damaged library, a match may have no payload any more.
        if not all("chunk_id" in chunk.payload for chunk in chunks):
            raise incomplete_error(record, "points of it have lost their payload")
        return sorted(chunks, key=lambda chunk: chunk.chunk_id)

    def stored_source(self, record: Record) -> str:
        """Return the path of a book's file as its chunks have it, relative; empty if its first is lost."""
        where: Where = {"generation": [record.generation], "chunk_id": [0]}
        _, payload = next(self._store.payloads(where), ("", {}))
        return str(payload.get("source") or "")

    def letters(self, record: Record) -> "BookLetters":
        """Return the letters of a book; they are made of its chunks if it was stored without them."""
        is_ours = not self._store.through_owner  # the process that has the folder writes into it
        return self.letter_files.get(record.generation, lambda: self.chunks(record), write=is_ours)

    def with_letters(self, records: Sequence[Record], patience: float | None = None) -> list[Record]:
        """Return the books whose letters are there: missing ones are made, for 20 seconds by default.

        Those of a library on a server are made by each client, of the chunks that it reads.
        """
        missing = [record for record in records if not self.letter_files.has(record.generation)]
        n_bytes = sum(record.n_words for record in missing) * _BYTES_PER_WORD
        late = {record.generation for record in missing}
        started = said = time.monotonic()
        for n_made, record in enumerate(missing):
            if (now := time.monotonic()) - started > (_PATIENCE if patience is None else patience):
                break
            if now - said > _SILENCE:
                said = now
                log.warning(_MAKING, f"{n_made:,} of {len(missing):,} books, {n_bytes / 1e6:,.0f} MB in all")
            self.letters(record)
            late.remove(record.generation)
        return [record for record in records if record.generation not in late]

    def points(self, record: Record) -> Iterator[Point]:
        """Yield a book's points with their vectors."""
        return self._store.points({"generation": [record.generation]})

    def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have any, by id: (n_sentences, dim) each."""
        return self._store.sentence_vectors(ids)

    def sweep(self) -> None:
        """Delete what a crash left behind, once per catalog."""
        if self.is_swept or self._store.through_owner:  # then the process that has it open sweeps it
            return
        with self._lock.write_lock():
            self.is_swept = True
            with suppress(FullDiskError):  # the library can still be read; the next open deletes the strays
                self._delete_strays()

    def _delete_strays(self) -> None:
        """Delete the points of pending generations that no record lists, and records that were replaced."""
        # On a server, another process may be writing these points: what is recent stays, and stays pending.
        pending = self._records.pending()
        generations = [note.generation for note in pending]
        listed = list(map(self._parse, self._records.by("generation", generations)))
        paths = sorted({record.source for record in listed})
        current, replaced = latest_by_path(map(self._parse, self._records.by("source", paths)))
        if replaced:
            self._commit(delete=[record.book_id for record in replaced])
        kept = {record.generation for record in current.values()}
        settled = [
            note.generation for note in pending if not (self._store.on_server and _is_recent(note.since))
        ]
        self._delete_points([generation for generation in settled if generation not in kept])
        if written_again := kept.intersection(settled):
            self._records.commit(done=sorted(written_again))

    def lost_generations(self) -> set[str]:
        """Return the generations of points that no record lists, and that nobody is writing."""
        unlisted = set(self._store.generations()) - {record.generation for record in self.books()}
        if not self._store.on_server:
            return unlisted
        return {generation for generation in unlisted if not self._is_being_written(generation)}

    def _is_being_written(self, generation: str) -> bool:
        """Return whether points without a record are so new that a process may be writing their book."""
        _, payload = next(self._store.payloads({"generation": [generation]}), ("", {}))
        return _is_recent(payload.get("ingested_at"))


def _is_recent(ingested_at: str | None) -> bool:
    """Return whether a book was ingested so lately that its process may still be writing it."""
    return ingested_at is not None and datetime.now(UTC) - datetime.fromisoformat(ingested_at) < GRACE


def _pending(record: Record) -> Pending:
    """Return the note that points of a book are about to be written or deleted."""
    return Pending(
        generation=record.generation,
        title=record.title,
        since=datetime.now(UTC).isoformat(timespec="seconds"),
        removed=record.removed_at is not None,
    )


def _continue(hits: Sequence[Hit], more: Sequence[Hit]) -> list[Hit]:
    """Return hits, then those of `more` that are not among them, with scores below the last of them."""
    ids = {hit.id for hit in hits}
    others = [hit for hit in more if hit.id not in ids]
    shift = min(0.0, hits[-1].score - others[0].score) if others else 0.0
    return [*hits, *(replace(hit, score=hit.score + shift) for hit in others)]


def _is_ours(hit: Hit) -> bool:
    """Return whether a point is of a book: other programs may have written points of their own."""
    return "book_id" in hit.payload and "generation" in hit.payload


def _with_distinct_points(
    replaced: Sequence[Record], record: Record, points: Sequence[Point]
) -> tuple[Record, Sequence[Point]]:
    """Return a book that can be written, even in part, without altering the books that it replaces."""
    # A replaced book of the same generation has points with the same ids, which writing would overwrite. If
    # the payloads are equal too, the book takes over the old time of ingestion, and overwriting changes
    # nothing: if it replaces that book alone, all stays as it was. Otherwise it gets a new generation, and so
    # new ids.
    old = next((old for old in replaced if old.generation == record.generation), None)
    if old is None:
        return record, points
    if old.digests == record.digests and len(replaced) == 1:
        old_time = {"ingested_at": old.ingested_at}
        same_points = [replace(point, payload={**point.payload, **old_time}) for point in points]
        return replace(record, ingested_at=old.ingested_at), same_points
    return with_payload_changes(record, points, changes={})


def _under(levels: Levels) -> dict[str, list[str]]:
    """Return the conditions that a chunk is under one heading of each level: each under a key of its own."""
    return {"|".join(["section"] * n): sorted(level) for n, level in enumerate(levels, 1)}
