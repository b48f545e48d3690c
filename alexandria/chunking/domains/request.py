"""Decides the domain of a book, from what the caller requests, its folders' files, and its record."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from alexandria.book.model import Book
from alexandria.chunking.domains.build import build
from alexandria.chunking.domains.domain import DOMAIN_OPTIONS, WITHOUT_EFFECT, Domain
from alexandria.chunking.domains.fields import DEFAULT_DOMAIN, SUBJECTS
from alexandria.chunking.domains.guess import AUTO, guess_field
from alexandria.chunking.domains.layers import domain_layers, domain_names, environment_layer, read_layer
from alexandria.chunking.domains.names import find_option, flatten, options_for, replace_synonyms
from alexandria.chunking.domains.values import Layer, Origin, Source, SourcedValue, scalar
from alexandria.errors import ConfigError

FOLDER_FILE = "alexandria.yaml"
"""The file that names the domain and sets options for the books in its folder and below."""
MODEL_OPTIONS = ("model", "backend", "precision", "dimensions", "threshold_scale")
"""Options that a folder cannot set, as a library has one model; in the environment, they do not change a
stored book."""


@dataclass(frozen=True, slots=True)
class _FolderSettings:
    """What the files of a book's folder and of those above it set."""

    domain: str | None
    """The domain that the nearest of these files names, or `auto`; None if none of them names one."""
    layers: tuple[Layer, ...]  # weakest first: the file of the innermost folder is last

    def agrees(self, stored_settings: Mapping[str, Any]) -> bool:
        """Return whether a book with these stored settings has the domain and options of the files."""
        if self.domain not in (None, AUTO) and stored_settings.get("domain") != self.domain:
            return False
        strategy = str(stored_settings.get("strategy"))
        layers = (replace_synonyms(options_for(layer, strategy), strategy) for layer in self.layers)
        requested = {option: sourced.value for layer in layers for option, sourced in layer.items()}
        return all(
            stored_settings.get(option) == value
            for option, value in requested.items()
            if option not in WITHOUT_EFFECT
        )


_NO_FOLDER = _FolderSettings(None, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRequest:
    """The domain and options that a caller names, if any.

    A domain or a file that the caller names decides for every book. Otherwise a stored book keeps the
    settings it is stored with, and a new one is cut as the `alexandria.yaml` of its folder says, or by the
    domain that is guessed for it. Options that the caller names or the environment sets always count. A
    folder's file counts for a stored book only if the book is stored with another domain or other values than
    the file states.

    The domain `auto`, named by the caller or by the file of a folder, asks for the same guess; a stored book
    keeps its domain.
    """

    domain: str | None = None
    """A domain that is shipped or in the user's folder, or `auto`. Without it, `file` is a domain of its own:
    it bears the file's name and overrides the domain that the file `extends`."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The options of the command line, by name; strings are read as YAML scalars."""
    file: Path | None = None  # a YAML file that overrides the domain
    model: str | None = None
    """The model of the library, or the one chosen for it, which counts where nothing else names a model."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    _folders: dict[Path, _FolderSettings] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By folder."""
    _built: dict[tuple[int, str, str], Domain] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # by the identity of the folder's settings, the stored settings as JSON, and the guessed domain

    def domain_for(
        self,
        path: Path | None = None,
        stored_settings: Mapping[str, Any] | None = None,
        *,
        guessed: str = DEFAULT_DOMAIN,
    ) -> Domain:
        """Return the domain of a book.

        Args:
            path: the book's file; without it, the files of folders do not count.
            stored_settings: the settings that the book is stored with; None for a new book.
            guessed: the domain of a new book if `auto` is requested.

        Raises:
            ConfigError: an unknown domain, strategy or option, here or in a file of a folder.
        """
        folder = _NO_FOLDER if path is None else self._read_folder_chain(path.absolute().parent)
        # Each folder's settings are read once, so that their identity is a key; equality would be slow.
        key = (id(folder), json.dumps(stored_settings, default=str), guessed)
        if key not in self._built:
            name, layers = self._collect_layers(folder, stored_settings, guessed)
            self._built[key] = build(name, layers)
        return self._built[key]

    def is_guessed(self, path: Path | None = None, *, again: bool = False) -> bool:
        """Return whether the domain of a new book in this file is to be guessed.

        Args:
            path: the file; without it, the files of folders do not count.
            again: the book is stored, and read again: its domain is guessed only where `auto` is named.
        """
        if self.domain is not None or self.file is not None:
            return self.domain == AUTO
        named = None if path is None else self._read_folder_chain(path.absolute().parent).domain
        return named == AUTO or (named is None and not again)

    def candidates(self, path: Path | None = None) -> dict[str, Domain]:
        """Return the domains that may be guessed for a new book in this file, by name."""
        return {name: self.domain_for(path, guessed=name) for name in (*SUBJECTS, DEFAULT_DOMAIN)}

    def domain_of(self, book: Book, path: Path | None = None) -> Domain:
        """Return the domain of a book that is not stored; it is guessed if `auto` is requested.

        Args:
            path: its file; without it, the files of folders do not count.
        """
        if not self.is_guessed(path):
            return self.domain_for(path)
        guess = guess_field(book)
        return replace(self.domain_for(path, guessed=guess.domain), guess=guess)

    def single_domain(self) -> Domain:
        """Return the one domain of all books.

        Raises:
            ConfigError: the domain is to be guessed, or as `domain_for` raises.
        """
        if self.domain == AUTO:
            raise ConfigError(
                f"cannot use the domain {AUTO!r} here",
                why="ingest and inspect guess a domain for each book; here one is used for all",
                fix=f"name one of {', '.join(domain_names())}",
            )
        return self.domain_for()

    def names_model(self) -> bool:
        """Return whether the caller, one of the user's files or the environment names a model."""
        _, layers = self._collect_layers(_NO_FOLDER, None)
        return any(
            find_option(name, ("model",)) and value.origin.source is not Source.SHIPPED
            for layer in layers
            for name, value in layer.items()
        )

    def with_model(self, model: str) -> "DomainRequest":
        """Return the request with a model that counts where nothing else names one."""
        return replace(self, model=model)

    def keeps_settings(self, path: Path, stored_settings: Mapping[str, Any]) -> bool:
        """Return whether a book that is stored with these settings keeps them.

        Its model does not count: all books of a library have the same one.
        """
        if self.domain not in (None, AUTO) or self.file is not None or self.options:
            return False
        if not self._read_folder_chain(path.absolute().parent).agrees(stored_settings):
            return False
        deciding_options = {*DOMAIN_OPTIONS, *stored_settings} - {*MODEL_OPTIONS, *WITHOUT_EFFECT, "domain"}
        environment = replace_synonyms(environment_layer(self.environ), str(stored_settings.get("strategy")))
        return deciding_options.isdisjoint(environment)

    def _collect_layers(
        self,
        folder: _FolderSettings,
        stored_settings: Mapping[str, Any] | None,
        guessed: str = DEFAULT_DOMAIN,
    ) -> tuple[str, list[Layer]]:
        """Return the name of the domain of a book, and its layers, weakest first."""
        # `folder`: what the files of the book's folder set.
        # `stored_settings`: the settings that the book is stored with; None for a new book.
        # `guessed`: the domain of a new book if `auto` is requested.
        environment = environment_layer(self.environ)
        name_for_auto = guessed if stored_settings is None else str(stored_settings["domain"])
        if stored_settings is not None and self._keeps_domain(folder, stored_settings):
            name, layers = str(stored_settings["domain"]), [_layer_of_stored_settings(stored_settings)]
            # The model of a stored book is the library's, whatever the environment says.
            environment = {key: value for key, value in environment.items() if key not in MODEL_OPTIONS}
        elif self.domain is not None or self.file is not None:
            name, layers = self._collect_requested_layers(name_for_auto)
        else:
            name, layers = _folder_layers(folder, stored_settings, name_for_auto)
        command_line = Origin(Source.COMMAND_LINE)
        options = {key: SourcedValue(scalar(value), command_line) for key, value in self.options.items()}
        model: Layer = {}
        if self.model is not None:
            model = {"model": SourcedValue(self.model, Origin(Source.FILE, "the library"))}
        return name, [model, *layers, environment, options]

    def _keeps_domain(self, folder: _FolderSettings, stored_settings: Mapping[str, Any]) -> bool:
        """Return whether a stored book keeps its domain and settings, apart from requested options."""
        if self.file is not None:
            return False
        return self.domain == AUTO or (self.domain is None and folder.agrees(stored_settings))

    def _collect_requested_layers(self, name_for_auto: str) -> tuple[str, list[Layer]]:
        """Return the name and layers of the domain that the caller names."""
        # `name_for_auto`: the name of the domain that `auto` stands for.
        domain = name_for_auto if self.domain == AUTO else self.domain
        if self.file is None:
            name = domain or DEFAULT_DOMAIN
            return name, domain_layers(name)
        layer = read_layer(self.file)
        extended = str(layer["extends"].value) if "extends" in layer else DEFAULT_DOMAIN
        return domain or self.file.stem, [*domain_layers(domain or extended), layer]

    def _read_folder_chain(self, folder: Path) -> _FolderSettings:
        """Return what the files of a folder and of those above it set; the nearest file is the strongest."""
        if folder not in self._folders:
            above = _NO_FOLDER if folder.parent == folder else self._read_folder_chain(folder.parent)
            file = folder / FOLDER_FILE
            self._folders[folder] = _read_folder(file, above) if file.is_file() else above
        return self._folders[folder]


def _folder_layers(
    folder: _FolderSettings, stored_settings: Mapping[str, Any] | None, name_for_auto: str
) -> tuple[str, list[Layer]]:
    """Return the name and layers of the domain that a folder's files name, or of the guessed one."""
    # `folder`: what the files set.
    # `stored_settings`: the settings that the book is stored with. If the files name `auto`, the book keeps
    # them.
    # `name_for_auto`: the name of the domain that `auto`, or no name, stands for.
    if folder.domain == AUTO and stored_settings is not None:
        return name_for_auto, [_layer_of_stored_settings(stored_settings), *folder.layers]
    if folder.domain not in (None, AUTO):
        name = folder.domain
    elif name_for_auto in domain_names():
        name = name_for_auto
    else:  # the book was stored under the name of a file that was passed then (`DomainRequest.file`)
        name = DEFAULT_DOMAIN
    return name, [*domain_layers(name), *folder.layers]


def _layer_of_stored_settings(stored_settings: Mapping[str, Any]) -> Layer:
    origin = Origin(Source.FILE, "the stored book")
    return {
        option: SourcedValue(value, origin) for option, value in stored_settings.items() if option != "domain"
    }


def _read_folder(file: Path, above: _FolderSettings) -> _FolderSettings:
    """Return what the file of a folder sets, added to what the folders above it set.

    Raises:
        ConfigError: the file cannot be read, or names a model.
    """
    layer = flatten(read_layer(file))
    for name in layer:
        if (option := find_option(name, MODEL_OPTIONS)) is not None:
            raise ConfigError(
                f"cannot set {name} in {file}",
                why="all books of a library have the same model",
                fix=f"remove the line, and use --set {option}=… for the whole library",
            )
    domain = str(layer["domain"].value) if "domain" in layer else None
    options = {option: sourced for option, sourced in layer.items() if option != "domain"}
    if domain is not None:  # the domain is named again, so the options of the folders above do not count
        return _FolderSettings(domain, (options,))
    return _FolderSettings(above.domain, (*above.layers, options))
