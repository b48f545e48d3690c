"""Finds a model on this machine or downloads it, and names it by a hash of its files, without loading it."""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from alexandria.embed.extra import require_extra
from alexandria.embed.multilingual import DIM as MULTILINGUAL_DIM
from alexandria.embed.multilingual import (
    MULTILINGUAL,
    check_file,
    find_multilingual_folder,
    multilingual_name,
)
from alexandria.embed.packaged import DIM, WEIGHTS_SHA256, check_weights, packaged_folder
from alexandria.errors import ConfigError

DEFAULT_MODEL = "all-MiniLM-L6-v2"

_OTHER_FORMATS = ["onnx/*", "openvino/*", "*.h5", "*.ot", "*.msgpack", "*.onnx"]
"""Files of the hub that are not downloaded: the same weights for other libraries, as large again."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model's folder in the layout of sentence-transformers."""

    name: str
    """The identity of the model, whatever computes it: a name and a hash of its files, as `NAME@HASH`."""
    folder: Path
    dim: int | None = None
    """Length of a vector, if known without loading the model."""

    @property
    def label(self) -> str:
        """The name without the hash, for messages."""
        return self.name.rpartition("@")[0]

    @property
    def digest(self) -> str:
        """The hash in its name."""
        return self.name.rpartition("@")[2]

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


def locate(model: str) -> Model:
    """Return a packaged model, a model in a folder, or a model of the hub, downloaded if it is not cached.

    Raises:
        ConfigError: the model cannot be found or downloaded, or its folder contains no weights.
    """
    if model == DEFAULT_MODEL:
        # Its hash is known; the weights are verified when they are read (`Model.check`).
        return Model(f"{model}@{WEIGHTS_SHA256[:12]}", packaged_folder(), DIM)
    if model == MULTILINGUAL:
        return Model(multilingual_name(), find_multilingual_folder(), MULTILINGUAL_DIM)
    folder = Path(model).expanduser()
    if folder.is_dir():
        return Model(f"{folder.resolve().name}@{_hash_model(folder)}", folder)
    folder = _from_hub(model)
    return Model(f"{model}@{_hash_model(folder)}", folder)


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


def _from_hub(model: str) -> Path:
    """Return the folder of a model of the hub, from the cache if it is complete there, or else downloaded."""
    require_extra("huggingface_hub", what=f"cannot load the model {model}", why="it is not a folder")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    # sentence-transformers' own models are known by their short names.
    repository = model if "/" in model else f"sentence-transformers/{model}"
    try:
        # The patterns here as well: otherwise, the files that are not wanted count as missing from the cache.
        with suppress(LocalEntryNotFoundError):  # not in the cache, or incomplete
            cached = Path(
                snapshot_download(repository, ignore_patterns=_OTHER_FORMATS, local_files_only=True)
            )
            if _is_usable(cached):
                return cached
        return Path(snapshot_download(repository, ignore_patterns=_OTHER_FORMATS))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise ConfigError(
            f"cannot load the model {model}",
            why=f"it is neither a folder nor cached here, and cannot be downloaded: {_first_line(error)}",
            fix=f"pass a folder with a sentence-transformers model, or use the packaged {DEFAULT_MODEL}",
        ) from error


def _is_usable(folder: Path) -> bool:
    """Return whether a folder of the hub's cache has weights, and says how the model is computed.

    Other programs fetch only the files that they need, and older versions of the library also return what an
    interrupted download has left. Without modules.json, torch would guess the model's pooling.
    """
    return (folder / "modules.json").is_file() and bool(_weights(folder))


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
