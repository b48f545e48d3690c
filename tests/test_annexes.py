"""A build without the annexes reads, stores and searches, and says what it lacks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from alexandria.extract import ocr
from alexandria.extract.recogniser import Recogniser, recogniser
from alexandria.system.annexes import ANNEXES
from tests.conftest import ROOT, SAMPLES

PACKAGE = ROOT / "alexandria"


def annexes_in(folder: str, names: list[str]) -> list[str]:
    """Return which entries of a folder of the package are annexes."""
    place = Path(folder).relative_to(PACKAGE)
    return [name for name in names if (place / name).with_suffix("").as_posix() in ANNEXES]


def copy_core(folder: Path) -> None:
    """Copy the package without its annexes, and its configuration."""
    shutil.copytree(PACKAGE, folder / "alexandria", ignore=annexes_in)
    shutil.copytree(ROOT / "configs", folder / "configs")


def test_the_annex_is_the_recogniser() -> None:
    tesseract: Recogniser = ocr  # mypy compares the module with the protocol
    assert recogniser() is tesseract
    assert tesseract.PROGRAM == "tesseract"
    assert tesseract.code_of("de") == "deu"


def test_what_a_build_without_annexes_does(tmp_path: Path) -> None:
    copy_core(tmp_path)
    folders = {"ALEXANDRIA_STORE": str(tmp_path / "library"), "ALEXANDRIA_CACHE": str(tmp_path / "cache")}
    environ = {**os.environ, **folders, "ALEXANDRIA_MODEL": "hashing", "PYTHONPATH": str(tmp_path)}

    def run(*words: str | Path, code: int = 0) -> str:
        command = [sys.executable, "-m", "alexandria", *map(str, words)]
        done = subprocess.run(
            command, env=environ, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    assert run("--version").startswith("alexandria ")
    commands = run("--help")
    assert "Programs: export, models\n" in commands
    assert "serve" not in commands
    run("ingest", SAMPLES / "winterapfel.txt", SAMPLES / "the-quiet-trades.epub")
    assert "The Quiet Trades" in run("search", "bees", "in", "the", "garden")
    assert len(run("list").splitlines()) == 2
    lacking = {
        ("ingest", SAMPLES / "the-town-clock.docx"): (4, "this build has no extract/docx"),
        ("extract", SAMPLES / "winterapfel.txt", "--ocr", "eng"): (2, "extract.ocr is not installed"),
        ("list", "--store", "http://localhost:1"): (2, "this build has no store/server"),
        ("mcp",): (2, "this build has no doors/mcp"),
        ("schema", "tune"): (2, "this build has no lab"),
    }
    for words, (code, why) in lacking.items():
        refused = run(*words, code=code)
        assert why in refused
        assert "fix: install all of Alexandria" in refused


def test_the_quick_tests_without_those_of_annexes_pass_there(tmp_path: Path) -> None:
    """Some of them: `make quick` has all."""
    copy_core(tmp_path)
    for name in ("tests", "samples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    files = [
        "extract/test_contract.py",
        "store/test_contract.py",
        "query/test_quotations.py",
        "mcp/test_tools.py",
    ]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-m",
            "not model and not shared and not annex",
            "-p",
            "no:cacheprovider",
        ]
        + [f"tests/{file}" for file in files],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " deselected" in done.stdout
