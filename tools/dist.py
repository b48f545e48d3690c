"""Builds the wheel and the sdist, installs each into an empty environment, and tries it there.

    python tools/dist.py

The packages that it requires are borrowed from this environment, so that nothing is downloaded: this checks
that the archives are complete, with the domain files in them, and that the command works.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Build, install and try both; the exit code is not 0 if one does not work."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source, wheel in build(folder / "dist").items():
            try_wheel(wheel, folder / source)
            print(f"{source}: installed and tried", flush=True)


def build(folder: Path) -> dict[str, Path]:
    """Return the wheel built from this tree, and the one built from the sdist, by the name of its source."""
    run(sys.executable, "-m", "hatchling", "build", "-d", str(folder), cwd=ROOT)
    sdist = next(folder.glob("*.tar.gz"))
    run("tar", "--extract", "--file", str(sdist), "--one-top-level=source", cwd=folder)
    source = next((folder / "source").iterdir())
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "again"), cwd=source)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next((folder / "again").glob("*.whl"))}


def try_wheel(wheel: Path, environment: Path) -> None:
    """Install a wheel into a new environment, ingest the samples there, and search."""
    python = install(wheel, environment)
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for name in ("store", "cache"):
        environ[f"ALEXANDRIA_{name.upper()}"] = str(environment / name)

    def answer(*words: str) -> str:
        return run(python, "-P", *words, env=environ, cwd=environment)

    imported = answer("-c", "import alexandria; print(alexandria.__file__)").strip()
    require(imported.startswith(str(environment)), f"{imported} was imported instead")
    domains = {
        domain["domain"] for domain in json.loads(answer("-m", "alexandria", "domains", "list", "--json"))
    }
    require(
        domains == {path.stem for path in (ROOT / "configs").glob("*.yaml")}, f"its domains are {domains}"
    )
    answer("-m", "alexandria", "ingest", str(ROOT / "samples"), "--quiet")
    hits = json.loads(answer("-m", "alexandria", "search", "how do bees dance", "--json"))["hits"]
    require(hits[0]["book_title"] == "The Quiet Trades", "a search does not find the passage")


def install(wheel: Path, environment: Path) -> str:
    """Return the Python of a new environment with the wheel and, after it, the packages of this one."""
    venv.create(environment, with_pip=False)
    python = str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    borrowed = sysconfig.get_path("purelib")
    Path(packages, "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
    return python


def require(condition: bool, message: str) -> None:
    """End this program with a message unless a condition is true."""
    if not condition:
        raise SystemExit(message)


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Return what a command prints; if it fails, so does this program."""
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
