"""Measures the language constants of a model (see `neutral.py`) with the model itself."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from alexandria.book.choices import Precision
from alexandria.embed.extra import require_extra
from alexandria.embed.graph.blueprint import Blueprint, UnknownModelError, read_blueprint
from alexandria.embed.graph.build import build_graph
from alexandria.embed.models.locate import Model, read_adaptation
from alexandria.embed.neutral import CONSTANTS, LanguageConstants, measure_constants
from alexandria.embed.openvino import OpenVinoEncoder
from alexandria.errors import refusing
from alexandria.system.files import write_durably


def calibrate_folder(folder: Path) -> LanguageConstants:
    """Measure the constants of a sentence-transformers model, and write them into its folder.

    The constants become part of the model's identity: libraries that were made with the model before cannot
    be continued.

    Raises:
        ConfigError: the model cannot be loaded, or its folder cannot be written.
    """
    prompt = read_adaptation(folder).passage
    try:
        constants = measure_blueprint(replace(read_blueprint(folder), passage=prompt))
    except UnknownModelError as error:
        require_extra(
            "sentence_transformers",
            what=f"cannot calibrate {folder}",
            why=f"only torch can load it ({error})",
        )
        from alexandria.embed.torch import TorchEncoder

        encoder = TorchEncoder(Model(f"{folder.name}@", folder), Precision.F32, calibrated=False)
        constants = measure_constants(lambda texts: encoder.encode([prompt + text for text in texts]))
    _write(constants, folder / CONSTANTS)
    return constants


def measure_blueprint(blueprint: Blueprint) -> LanguageConstants:
    """Return the constants of a model, measured with a temporary graph.

    The graph takes out no constants, even if the folder has some already.
    """
    with TemporaryDirectory() as temporary:
        graph = build_graph(replace(blueprint, constants=None), Path(temporary))
        return measure_constants(OpenVinoEncoder("", graph, Precision.F32).encode)


def _write(constants: LanguageConstants, file: Path) -> None:
    """Write constants into a file, or raise a ConfigError that says why not."""
    with refusing(f"cannot write {file}", fix="copy the model to a folder of your own"):
        write_durably(file, constants.to_json())
