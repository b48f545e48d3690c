"""The generated parts of the README and the docs: the output of commands, and tables of the registries."""

import os
import re
import shutil
import subprocess
import sys
from atexit import register
from dataclasses import fields
from pathlib import Path
from tempfile import gettempdir

ROOT = Path(__file__).parents[1]
LIBRARY = Path(gettempdir()) / f"alexandria-readme-{os.getpid()}"
"""Of this process alone: two that shared it would delete it under each other."""
register(shutil.rmtree, LIBRARY, ignore_errors=True)


def shown(command: str, *, lines: int | None = None) -> str:
    """Return a command and its output as a block of Markdown, run against a temporary library."""
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ALEXANDRIA_")},
        "ALEXANDRIA_STORE": str(LIBRARY),
        "ALEXANDRIA_CACHE": str(LIBRARY / "cache"),
        # In half precision the last digit of a similarity may depend on the processor.
        "ALEXANDRIA_PRECISION": "f32",
        # Otherwise the German sample decides where `multilingual` is installed.
        "ALEXANDRIA_MODEL": "all-MiniLM-L6-v2",
        "XDG_CONFIG_HOME": str(LIBRARY / "config"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "HF_HUB_OFFLINE": "1",
    }
    words = [sys.executable, "-m", "alexandria", *_words(command)]
    result = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environ, check=False)
    printed = [line.rstrip() for line in (result.stderr + result.stdout).splitlines()]
    shown_lines = printed if lines is None or len(printed) <= lines else [*printed[:lines], "…"]
    # What only a log has, and durations, which differ from run to run.
    text = re.sub(r"^\d{4}-\d\d-\d\d [\d:]{8}  \d+/\d+  ", "", "\n".join(shown_lines), flags=re.MULTILINE)
    text = re.sub(r"\b\d+\.\d s\b", "… s", text)
    return f"```console\n$ alexandria {command}\n{text}\n```"


def _words(command: str) -> list[str]:
    import shlex

    return shlex.split(command)


def options(strategy: str) -> str:
    """Return the options of a strategy, each with its default and what it means."""
    from alexandria.chunking import STRATEGIES
    from alexandria.show.json.view import attribute_docs

    docs = attribute_docs(STRATEGIES[strategy])
    rows = ["| option | default | |", "|---|---|---|"]
    for option in fields(STRATEGIES[strategy]):
        default = "" if option.default is None else f" {_in_yaml(option.default)}"
        rows.append(f"| `{option.name}` |{default} | {' '.join(docs[option.name].split())} |")
    return "\n".join(rows)


def strategies() -> str:
    """Return the strategies, each with what it does."""
    from alexandria.chunking import STRATEGIES

    rows = ["| strategy | cuts |", "|---|---|"]
    for name, strategy in STRATEGIES.items():
        first = (strategy.__doc__ or "").strip().splitlines()[0]
        rows.append(f"| [`{name}`](#{name}) | {first} |")
    return "\n".join(rows)


def _in_yaml(value: object) -> str:
    """Return a default as a domain file writes it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def formats() -> str:
    """Return the names of the supported formats."""
    from alexandria.extract import FORMATS

    return ", ".join(f"`{name}`" for name in FORMATS)
