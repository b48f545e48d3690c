"""Finds a model on this machine or downloads it, and names it by a hash of its files, without loading it."""

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from alexandria.embed.extra import require_extra
from alexandria.embed.graph.blueprint import UnknownModelError, read_object
from alexandria.embed.models.multilingual import DIM as MULTILINGUAL_DIM
from alexandria.embed.models.multilingual import (
    MULTILINGUAL,
    check_file,
    find_multilingual_folder,
    multilingual_name,
)
from alexandria.embed.models.packaged import (
    DIM,
    WEIGHTS_SHA256,
    check_weights,
    models_folders,
    packaged_folder,
)
from alexandria.errors import ConfigError
from alexandria.system.cache import graphs_folder

log = logging.getLogger(__name__)

DEFAULT_MODEL = "all-MiniLM-L6-v2"

OTHER_FORMATS = ["onnx/*", "openvino/*", "*.h5", "*.ot", "*.msgpack", "*.onnx"]
"""Files of the hub that are not downloaded: the same weights for other libraries, as large again."""


_PASSAGE_PROMPTS = ("document", "passage", "corpus")
"""The names of the prompt of a passage: the first that is not empty counts. sentence-transformers 6.2 adds an
empty one for documents, which is then used for E5's passages: their vectors are others (cosine .89)."""
_PROMPTS, _SCALED = "prompts", "scaled"
"""Marks in the name of a model of what is applied to it, besides a number of dimensions."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What is applied to a model besides its own computation."""

    query: str = ""  # put before each question
    passage: str = ""  # put before each text that may answer a question
    dimensions: int | None = None  # how many numbers of each vector are kept; by default, all
    scaled: bool = False  # whether similarities are made like those of the default model

    @property
    def suffix(self) -> str:
        """What the name of the model says of it, such as `+prompts+256+scaled`."""
        marks = (
            _PROMPTS if self.query or self.passage else "",
            str(self.dimensions or ""),
            _SCALED if self.scaled else "",
        )
        return "".join(f"+{mark}" for mark in marks if mark)


@dataclass(frozen=True, slots=True)
class Model:
    """A model's folder in the layout of sentence-transformers."""

    name: str
    """The identity of the model, whatever computes it: a name, a hash of its files, and what is applied to
    it, as `NAME@HASH+prompts+scaled`."""
    folder: Path
    dim: int | None = None  # length of a vector, if known without loading the model
    adaptation: Adaptation = Adaptation()

    @property
    def label(self) -> str:
        """The name without the hash, for messages."""
        return self.name.rpartition("@")[0]

    @property
    def digest(self) -> str:
        """The hash in its name."""
        return self.name.rpartition("@")[2].partition("+")[0]

    @property
    def is_multilingual(self) -> bool:
        """Whether this is the packaged model of many languages, which is one file."""
        return self.name == multilingual_name()

    @property
    def is_default(self) -> bool:
        """Whether this is the packaged default model."""
        return self.name.startswith(f"{DEFAULT_MODEL}@{WEIGHTS_SHA256[:12]}")

    def check(self) -> None:
        """Verify the weights of a packaged model; of other models no published hash is known.

        Raises:
            ConfigError: the weights are not the published ones.
        """
        if self.is_default:
            check_weights(self.folder)
        elif self.is_multilingual:
            check_file(self.folder)


def locate(
    model: str,
    *,
    dimensions: int | None = None,
    scaled: bool = True,
    bound_to: str | None = None,
    may_download: bool = True,
) -> Model:
    """Return a packaged model, a model in a folder, or a model of the hub, downloaded if it is not cached.

    Args:
        dimensions: how many numbers of each vector to keep; by default, all.
        scaled: make similarities like those of the default model; packaged models are measured as they are.
        bound_to: the name in a library that was made with the model: what was applied there is applied here.
        may_download: ask the hub for a model that is not on this machine.

    Raises:
        ConfigError: the model cannot be found or downloaded, its folder contains no weights, its vectors are
            not meant to be compared by their angle, or were not trained to be shortened.
    """
    packaged = {DEFAULT_MODEL: _default, MULTILINGUAL: _multilingual}.get(model)
    if packaged is not None:
        if dimensions is not None:
            raise _dimensions_error(model, dimensions, "it was trained for vectors of full length alone")
        return packaged()
    folder = Path(model).expanduser()
    if folder.is_dir():
        name = name_of(folder)
    else:
        installed = (parent / model for parent in models_folders())
        folder = next((place for place in installed if place.is_dir()), None) or _from_hub(
            model, may_download=may_download
        )
        name = f"{model}@{_hash_model(folder)}"
    if bound_to is not None and dimensions is None and scaled:
        marks = bound_to.rpartition("@")[2].split("+")[1:]
        adaptation = _adaptation_before(folder) if not marks else read_adaptation(folder)
        adaptation = replace(
            adaptation,
            dimensions=next((int(mark) for mark in marks if mark.isdigit()), None),
            scaled=_SCALED in marks,
        )
        return Model(name + "".join(f"+{mark}" for mark in marks), folder, adaptation.dimensions, adaptation)
    _check_similarity(model, folder)
    if dimensions is not None:
        _check_dimensions(model, folder, dimensions)
    adaptation = replace(read_adaptation(folder), dimensions=dimensions, scaled=scaled)
    return Model(name + adaptation.suffix, folder, dimensions, adaptation)


def tell_what_is_left_out(model: str, bound_to: str) -> None:
    """Say, once for a model on this machine, that a library of version 1.0.0 goes on without its prompts.

    Args:
        bound_to: the name of the library's encoder.
    """
    told = graphs_folder() / f"{bound_to.rpartition('@')[2]}.told"
    if "+" in bound_to or told.exists() or locate(model).name == bound_to:
        return
    log.warning(
        "note: this library was made without the prompts of %s, or on its own scale, and goes on so."
        " To change that:  alexandria copy --to FOLDER --model %s",
        bound_to.rpartition("@")[0],
        model,
    )
    with suppress(OSError):
        told.parent.mkdir(parents=True, exist_ok=True)
        told.touch()


def _default() -> Model:
    # Its hash is known; the weights are verified when they are read (`Model.check`).
    return Model(f"{DEFAULT_MODEL}@{WEIGHTS_SHA256[:12]}", packaged_folder(), DIM)


def _multilingual() -> Model:
    return Model(multilingual_name(), find_multilingual_folder(), MULTILINGUAL_DIM)


def read_adaptation(folder: Path) -> Adaptation:
    """Return the prompts of the model in a folder, as its authors mean them."""
    settings = _read_settings(folder / "config_sentence_transformers.json")
    prompts = settings.get("prompts") or {}
    default = prompts.get(settings.get("default_prompt_name"), "")
    passage = next((prompts[name] for name in _PASSAGE_PROMPTS if prompts.get(name)), default)
    return Adaptation(query=prompts.get("query") or default, passage=passage)


def _adaptation_before(folder: Path) -> Adaptation:
    """Return what version 1.0.0 applied to the model in a folder: one prompt for all texts, if it has one."""
    settings = _read_settings(folder / "config_sentence_transformers.json")
    prompt = (settings.get("prompts") or {}).get(settings.get("default_prompt_name"), "")
    return Adaptation(query=prompt, passage=prompt)


def _check_similarity(model: str, folder: Path) -> None:
    """Refuse a model whose vectors are compared by another measure than their angle.

    Raises:
        ConfigError: it is one.
    """
    measure = _read_settings(folder / "config_sentence_transformers.json").get("similarity_fn_name")
    modules = folder / "modules.json"
    normalises = modules.is_file() and "Normalize" in modules.read_text(encoding="utf-8", errors="replace")
    if measure not in (None, "cosine") and not normalises:
        raise ConfigError(
            f"cannot use the model {model}",
            why=f"its vectors are compared by {measure}, where their lengths count; here angles are compared",
            fix=f"use a model for cosine similarity, such as the packaged {DEFAULT_MODEL}",
        )
    if _read_settings(folder / "1_Pooling" / "config.json").get("include_prompt") is False:
        raise ConfigError(
            f"cannot use the model {model}",
            why="it reads a prompt, but leaves it out of the mean of a text",
            fix="use a model whose prompts are part of the text, as E5's are",
        )


def _check_dimensions(model: str, folder: Path, dimensions: int) -> None:
    """Refuse a length of vectors that a model does not have; warn if it may not be trained for it.

    Raises:
        ConfigError: it does not have that many numbers, or states others.
    """
    config = _read_settings(folder / "config.json") or _read_settings(
        folder / "0_Transformer" / "config.json"
    )
    full = int(config.get("hidden_size", dimensions))
    trained = config.get("matryoshka_dimensions") or ()
    if not 1 <= dimensions <= full:
        raise _dimensions_error(model, dimensions, f"its vectors have {full}")
    if trained and dimensions not in (*trained, full):
        raise _dimensions_error(model, dimensions, f"it was trained for {', '.join(map(str, trained))}")
    if not trained:
        log.warning(
            "%s does not state that its vectors may be shortened: %d of %d dimensions may find less",
            model,
            dimensions,
            full,
        )


def _dimensions_error(model: str, dimensions: int, why: str) -> ConfigError:
    return ConfigError(
        f"cannot use {dimensions} dimensions of {model}", why=why, fix="leave out --set dimensions"
    )


def _read_settings(file: Path) -> dict[str, Any]:
    """Return the object in a JSON file of a model; empty if there is none.

    Raises:
        ConfigError: it cannot be read, or is no object.
    """
    try:
        return read_object(file)
    except UnknownModelError as error:
        raise ConfigError(
            f"cannot read {file}", why=str(error), fix="get a fresh copy of the model"
        ) from error


def name_of(folder: Path) -> str:
    """Return what identifies the model in a folder: the folder's name, and a hash of its files.

    Raises:
        ConfigError: the folder contains no weights.
    """
    return f"{folder.resolve().name}@{_hash_model(folder)}"


def _hash_model(folder: Path) -> str:
    """Return a short hash of everything that decides vectors: weights, configuration, tokenizer.

    Raises:
        ConfigError: the folder contains no weights.
    """
    weights = _weights(folder)
    if not weights:
        raise ConfigError(
            f"cannot load the model {folder}",
            why="the folder contains no weights (*.safetensors, *.bin)",
            fix="pass the folder that contains modules.json and the weights; "
            "if its download was interrupted, run the command again with a network",
        )
    digest = sha256()
    for path in [*weights, *sorted(folder.rglob("*.json")), *sorted(folder.rglob("*.txt"))]:
        with path.open("rb") as file:
            digest.update(file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _weights(folder: Path) -> list[Path]:
    """Return the files with weights in a model's folder, sorted."""
    return sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.bin"))


def _from_hub(model: str, *, may_download: bool) -> Path:
    """Return the folder of a model of the hub, from the cache if it is complete there, or else downloaded."""
    require_extra("huggingface_hub", what=f"cannot load the model {model}", why="it is not a folder")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    repository = repository_of(model)
    try:
        # The patterns here as well: otherwise, the files that are not wanted count as missing from the cache.
        with suppress(LocalEntryNotFoundError):  # not in the cache, or incomplete
            cached = Path(snapshot_download(repository, ignore_patterns=OTHER_FORMATS, local_files_only=True))
            if _is_usable(cached):
                return cached
        downloaded = snapshot_download(
            repository, ignore_patterns=OTHER_FORMATS, local_files_only=not may_download
        )
        return Path(downloaded)
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise ConfigError(
            f"cannot load the model {model}",
            why=f"it is neither a folder nor cached here, and cannot be downloaded: {first_line(error)}",
            fix=f"pass a folder with a sentence-transformers model, or use the packaged {DEFAULT_MODEL}",
        ) from error


def repository_of(model: str) -> str:
    """Return the name of a model on the hub; sentence-transformers' own have short names."""
    return model if "/" in model else f"sentence-transformers/{model}"


def _is_usable(folder: Path) -> bool:
    """Return whether a folder of the hub's cache has weights, and says how the model is computed."""
    # Other programs fetch only the files that they need, and older versions of the library also return what
    # an interrupted download has left. Without modules.json, torch would guess the model's pooling.
    return (folder / "modules.json").is_file() and bool(_weights(folder))


def first_line(error: Exception) -> str:
    """Return the first line of the message of an error, or its kind if it has no message."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
