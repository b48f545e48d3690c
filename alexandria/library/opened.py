"""A library's catalog and models: each is opened or loaded once, when it is first needed."""

import atexit
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING
from weakref import WeakSet

from alexandria.book.choices import NO_MODEL
from alexandria.errors import NoLibraryError, StoreError
from alexandria.library.location import binding_for, library_folder, library_options, open_bound, open_catalog
from alexandria.store import MEMORY, SERVER_SCHEMES, Binding, Server
from alexandria.store.catalog import Catalog
from alexandria.store.model_check import INGEST, check_binding
from alexandria.store.sharing import YIELD_SECONDS, Access

if TYPE_CHECKING:
    from alexandria.chunking.domains import Domain, DomainRequest
    from alexandria.embed import Encoder
    from alexandria.embed.cross_encoder import CrossEncoder
    from alexandria.library.ingest.cluster import Cluster

# Configuration, models and batches are imported by the methods that need them: most commands only read.


@dataclass(frozen=True, slots=True)
class LoadedModels:
    """The models that have been loaded; libraries that are read together share one."""

    encoders: "dict[tuple[str, str | None], Encoder]" = field(default_factory=dict)
    """By the name of the model, and that of the encoder of the library, if that says how it is applied."""
    rankers: "dict[Path, CrossEncoder]" = field(default_factory=dict)


_OPEN: "WeakSet[OpenLibrary]" = WeakSet()
_OF_PARENT: list[object] = []
"""What a forked process has from its parent, and must neither use nor free: its threads do not run here."""


def _leave_to_parent() -> None:
    for library in list(_OPEN):
        library.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


@atexit.register
def _close_at_exit() -> None:
    """Close the libraries that a program leaves open: as their clients are freed, it is too late for that."""
    for library in list(_OPEN):
        # Its thread may be reading, if it left a generator unfinished. As after an error, indexes can wait.
        with suppress(RuntimeError, StoreError):
            library.close(SystemExit, None, None)


class OpenLibrary:
    """What a `Library` has open; several threads may use it."""

    def __init__(
        self, store: str, collection: str, server: Server | None, access: Access, models: LoadedModels
    ) -> None:
        """Name a library; nothing is opened yet."""
        self.store, self.collection, self.access, self.models = store, collection, access, models
        self._server = server
        self._catalog: Catalog | None = None
        self._closed = False
        self._lock = RLock()
        _OPEN.add(self)

    def leave_to_parent(self) -> None:
        """In a forked process, forget what is open without closing it: the next method opens it again."""
        self._lock = RLock()  # another thread of the parent may hold it
        _OF_PARENT.append((self._catalog, dict(self.models.rankers)))
        self.models.rankers.clear()
        if self._catalog is not None and self.store != MEMORY:
            self._catalog.on_close()
            self._catalog = None

    def close(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the catalog for good; the arguments are those of its `__exit__`."""
        with self._lock:
            catalog, self._catalog, self._closed = self._catalog, None, True
        if catalog is not None:
            catalog.__exit__(kind, error, trace)

    def release(self) -> None:
        """Close the catalog for now: the next method that needs it opens it again."""
        with self._lock:
            catalog, self._catalog = self._catalog, None
        if catalog is not None:
            catalog.close()

    def ranker(self, folder: Path) -> "CrossEncoder":
        """Return the cross-encoder in a folder, loaded once.

        Raises:
            ConfigError: it cannot be loaded.
        """
        from alexandria.embed.cross_encoder import load_cross_encoder

        with self._lock:
            if folder not in self.models.rankers:
                self.models.rankers[folder] = load_cross_encoder(folder)
            return self.models.rankers[folder]

    def for_reading(self, *, sweep: bool = True) -> Catalog:
        """Return the catalog, which another process may have open; `sweep` deletes what a crash has left."""
        with self._lock:
            if self._catalog is None or not self._catalog.is_open:
                if self._catalog is not None:  # it was handed over, or its owner has ended
                    time.sleep(YIELD_SECONDS)
                return self._open(None, sweep=sweep)
            if sweep:
                self._catalog.sweep()
            return self._catalog

    def for_writing(self) -> Catalog:
        """Return the catalog; no other process can write to it until it is closed."""
        with self._lock:
            catalog = self.for_reading()
            if catalog.claim_for_writing():
                return catalog
            return self._open(None, write=True)  # another process has it open: wait until it hands it over

    @contextmanager
    def reading(self) -> Iterator[Catalog]:
        """Open the catalog for reading, and keep other threads from changing the books in this block."""
        catalog = self.for_reading()
        with catalog.read_lock():
            yield catalog

    @contextmanager
    def writing(self) -> Iterator[Catalog]:
        """Open the catalog for writing, and keep others from reading or changing the books in this block."""
        catalog = self.for_writing()
        with catalog.write_lock():
            yield catalog

    def model(self) -> str | None:
        """Return the name of the library's model, or None if there is no library, or one without vectors.

        Raises:
            StoreError: it cannot be opened.
        """
        with self._lock:
            catalog = self._existing()
            if catalog is None:
                return None
            with catalog.read_lock():
                # The settings of the books name the model; an empty library has only its encoder,
                # `MODEL@HASH`.
                name = catalog.model() if catalog.n_books else catalog.binding.encoder.rpartition("@")[0]
        return name if name and name != NO_MODEL else None

    def _existing(self) -> Catalog | None:
        """Return the catalog for reading, or None if there is no library."""
        folder = library_folder(self.store, self.collection)
        if folder is not None and not folder.is_dir():
            return None
        try:
            return self.for_reading()
        except NoLibraryError:  # the folder, or the server, has no such collection
            return None

    def open_or_create(self, domain: "Domain | DomainRequest") -> Catalog:
        """Return the catalog for writing; if there is no library, create one for the domain's model.

        Raises:
            StoreError: it is in use, or was created for another model.
        """
        from alexandria.chunking.domains import Domain

        with self._lock:
            encoder = self.encoder(domain if isinstance(domain, Domain) else domain.domain_for())
            return self.open_or_create_bound(binding_for(encoder))

    def open_or_create_bound(self, binding: Binding) -> Catalog:
        """Return the catalog for writing; if there is no library, create one with this binding.

        Raises:
            StoreError: it is in use, or is bound to another model.
        """
        with self._lock:
            if self._catalog is not None and self._catalog.is_open:
                check_binding(binding, self._catalog.binding, self.store)
                if self._catalog.claim_for_writing():
                    return self._catalog
            catalog = self._open(binding)  # for writing, as there is a binding
            catalog.claim_for_writing()
            return catalog

    def _open(self, binding: Binding | None, *, sweep: bool = True, write: bool = False) -> Catalog:
        """Open the catalog in place of the one that is open, and keep it.

        Args:
            binding: the model and schema of the library, which is created for them where there is none; it is
                then opened for writing. None opens only what exists.
            sweep: delete what a crash has left.

        Raises:
            StoreError: this library has been closed, or cannot be opened.
        """
        if self._closed:
            raise StoreError(
                f"the library at {self.store} is closed",
                why="its `with` block has ended, or close() was called",
                fix="open it again",
            )
        if self._catalog is not None:
            self._catalog.close()
        try:
            self._catalog = open_bound(
                self.store,
                self.collection,
                binding,
                server=self._server,
                sweep=sweep,
                access=replace(self.access, write=write),
            )
        except NoLibraryError as error:
            if error.fix == INGEST:
                error.fix += library_options(self.store, self.collection)
            raise
        return self._catalog

    def encoder(self, domain: "Domain", *, cache: bool = False) -> "Encoder":
        """Return the encoder of a domain, which is loaded once; with `cache`, it caches vectors on disk.

        Searches use it too: see `search_encoder`.
        """
        from alexandria.embed import with_cache
        from alexandria.embed.models.locate import tell_what_is_left_out
        from alexandria.library.ingest.encoder import encoder_of

        bound_to = self._bound_to(domain.model)
        encoder = encoder_of(domain, bound_to=bound_to)
        if encoder.name == bound_to and "@" in bound_to:  # else it has no folder
            tell_what_is_left_out(domain.model, bound_to)
        if encoder.name != NO_MODEL:
            with self._lock:
                self.models.encoders.setdefault((domain.model, bound_to), encoder)
        return with_cache(encoder) if cache else encoder

    def _bound_to(self, model: str) -> str | None:
        """Return the name of the library's encoder, by which a model is applied as it was there."""
        # It is None if there is no library yet, or the model is packaged and applied in one way.
        from alexandria.embed import DEFAULT_MODEL, MULTILINGUAL

        if model in (DEFAULT_MODEL, MULTILINGUAL, NO_MODEL):
            return None
        with self._lock:
            catalog = self._existing()
            return None if catalog is None else catalog.binding.encoder

    def installed_encoder(self, model: str, bound_to: str | None = None) -> "Encoder":
        """Return the encoder of a model, which is loaded once; for `none`, one without vectors.

        Args:
            bound_to: the name of the encoder of the library that the vectors are for; None for a new one.

        Raises:
            ConfigError: the model is not on this machine, even if the user's strategy needs none.
        """
        from alexandria.chunking.domains import load_domain
        from alexandria.embed import NoEncoder
        from alexandria.library.ingest.encoder import installed_encoder

        if model == NO_MODEL:
            return NoEncoder()
        encoder = installed_encoder(load_domain(options={"model": model}), bound_to=bound_to)
        with self._lock:
            return self.models.encoders.setdefault((model, bound_to), encoder)

    def search_encoder(self, model: str) -> "Encoder":
        """Return an encoder of the library's model, if possible one that is loaded already.

        It is a `NoEncoder` if the library has no model; also if the model is not on this machine, and the
        user's settings name a strategy that needs none.

        Raises:
            ConfigError: the model is not on this machine, and the strategy of the user's settings needs one.
        """
        from alexandria.chunking.domains import load_domain
        from alexandria.embed import NoEncoder

        if model == NO_MODEL:
            return NoEncoder()
        with self._lock:
            # The domain has the user's settings of the model: backend, precision and batch size.
            loaded = self.models.encoders.get((model, self._bound_to(model)))
            return loaded or self.encoder(load_domain(options={"model": model}))

    def cluster(self, address: str, domain: "Domain", *, cache: bool) -> "Cluster":
        """Return a Ray cluster for an ingest.

        If the library is on a server, the machines of the cluster write to it; otherwise this process does.
        """
        from alexandria.library.ingest.cluster import Cluster
        from alexandria.library.ingest.encoder import encoder_of

        encoder = partial(encoder_of, domain, cache=cache, bound_to=self._bound_to(domain.model))
        if not self.store.startswith(SERVER_SCHEMES):
            return Cluster(address, encoder)
        open_on_machine = partial(
            open_catalog, self.store, self.collection, None, server=self._server, sweep=False
        )
        return Cluster(address, encoder, open_on_machine)
