"""The models on this machine: what is here, what is missing, and what a model can do."""

from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from alexandria.embed import DEFAULT_MODEL, load_encoder
from alexandria.embed.blueprint import UnknownModelError, read_blueprint
from alexandria.embed.languages import LanguageScore, score_languages
from alexandria.embed.locate import locate
from alexandria.embed.packaged import INSTALL, WEIGHTS, PlaceKind, check_weights, models_folder, places
from alexandria.errors import ConfigError

__all__ = [
    "INSTALL",
    "Copy",
    "Examination",
    "LanguageScore",
    "Models",
    "Weights",
    "examine_model",
    "find_models",
    "install",
    "needs_install",
]


class Weights(StrEnum):
    """Whether weights are the published ones."""

    PUBLISHED = "published"
    CHANGED = "changed"
    """They differ, or cannot be read: they are never used."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The default model in one place."""

    kind: PlaceKind
    folder: Path
    weights: Weights
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Models:
    """The default model, and what other models need."""

    name: str
    dim: int | None
    window: int | None
    """Word pieces that the model reads of one text."""
    copies: tuple[Copy, ...]
    """In order of precedence: the first is used."""
    folder: Path
    """Where models are installed if the environment cannot be written."""
    has_extra: bool
    """Whether other models can be downloaded, and computed by torch."""


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
    languages: tuple[LanguageScore, ...]


def find_models() -> Models:
    """Return which copies of the default model are on this machine, with their hashes checked."""
    copies = tuple(_copy(place.kind, place.folder) for place in places())
    dim, window = _shape(copies[0].folder) if copies else (None, None)
    has_extra = find_spec("sentence_transformers") is not None
    return Models(DEFAULT_MODEL, dim, window, copies, models_folder(), has_extra)


def needs_install(model: str) -> bool:
    """Return whether a model is the default one, and is not on this machine."""
    return model == DEFAULT_MODEL and next(places(), None) is None


def install(*, force: bool = False) -> Copy:
    """Install the default model, and return where it is.

    Raises:
        ConfigError: it cannot be installed, or its weights are not the published ones.
    """
    from alexandria.embed.install import install_weights

    place = install_weights(force=force)
    return _copy(place.kind, place.folder)


def examine_model(model: str) -> Examination:
    """Load a model by name or folder, and return what it can do.

    Raises:
        ConfigError: it cannot be found or loaded.
    """
    located = locate(model)
    encoder = load_encoder(model)
    obstacle, window, pooling, architecture = None, None, None, None
    try:
        blueprint = read_blueprint(located.folder)
        window, pooling, architecture = blueprint.window, blueprint.pooling.value, blueprint.kind.value
    except UnknownModelError as error:
        obstacle = str(error)
    languages = tuple(score_languages(encoder))
    return Examination(
        name=located.name,
        folder=located.folder,
        dim=encoder.dim,
        window=window,
        pooling=pooling,
        architecture=architecture,
        obstacle=obstacle,
        languages=languages,
    )


def _copy(kind: PlaceKind, folder: Path) -> Copy:
    try:
        check_weights(folder)
        weights = Weights.PUBLISHED
    except ConfigError:
        weights = Weights.CHANGED
    return Copy(kind, folder, weights, (folder / WEIGHTS).stat().st_size)


def _shape(folder: Path) -> tuple[int | None, int | None]:
    try:
        blueprint = read_blueprint(folder)
    except UnknownModelError:
        return None, None
    return blueprint.dim, blueprint.window
