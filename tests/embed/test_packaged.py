"""The packaged weights are the published ones, or nothing is embedded."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.book.choices import Backend, Precision
from alexandria.embed.backends import load_backend
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.embed.models.packaged import check_weights, packaged_folder
from alexandria.errors import ConfigError


@pytest.fixture
def tampered(tmp_path: Path) -> Path:
    """A copy of the model with one flipped bit in its weights."""
    folder = Path(shutil.copytree(packaged_folder(), tmp_path / "model"))
    weights = folder / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))
    return folder


def test_the_installed_weights_are_the_published_ones() -> None:
    check_weights(packaged_folder())


def test_one_flipped_bit_is_refused(tampered: Path) -> None:
    with pytest.raises(ConfigError, match="not the published ones"):
        check_weights(tampered)


@pytest.mark.parametrize("backend", [Backend.AUTO, Backend.TORCH, Backend.OPENVINO])
def test_tampered_weights_are_never_loaded(
    tampered: Path, backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))  # without a graph of the good ones
    model = locate(DEFAULT_MODEL)
    with pytest.raises(ConfigError, match="not the published ones"):
        load_backend(replace(model, folder=tampered), backend, Precision.AUTO)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the weights"):
        check_weights(tmp_path)


def test_a_copy_of_other_weights_has_another_name(tampered: Path) -> None:
    model = locate(str(tampered))
    assert model.name.startswith("model@")
    assert model.digest != locate(str(packaged_folder())).digest


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no weights"):
        locate(str(tmp_path))


def test_a_model_that_is_nowhere_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="nobody/no-such-model"):
        locate("nobody/no-such-model")
