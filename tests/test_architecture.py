"""Imports go one way, and foreign packages stay behind their fences."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "alexandria"

# A module imports what stands on its own line only within its own stage, and from the lines above freely.
LAYERS = [
    {"errors"},
    {"languages", "words", "word_lists"},
    {"modes", "balance", "anchors"},
    {"nearest", "people", "chapters"},
    {"volumes"},
    {"book", "plugins", "likeness", "filters"},
    {"passage"},
    {"system"},
    {"extract", "sentences", "embed", "chunking", "store"},
    {"config", "reading", "passages"},
    {"pipeline"},
    {"query", "batch", "inspection", "plain_text"},
    {"check"},
    {"described", "library"},
    {"evaluate", "integrations"},
    {"views"},
    {"mcp"},
    {"serve"},
    {"cli"},
    {"__main__"},
]
# Options in, one call, one view: stores, models and batches are a Library's business.
CLI_IMPORTS = {
    *("errors", "modes", "filters", "config", "inspection", "evaluate", "library", "views", "mcp", "serve"),
    "passages",  # which program opens a passage
    "words",  # how texts are compared
    "system",  # the cache folder
    "plugins",  # the strategies that --help lists
}
CLI_MODULES = {
    "alexandria.batch.discovery",  # which files there are
    *(f"alexandria.batch.{name}" for name in ("options", "outcome", "progress", "sync")),
    "alexandria.check.report",  # what a check returns
    *("alexandria.store.record", "alexandria.store.store"),  # the types of what a Library takes and returns
}
"""Modules of other packages that the command line imports: values, and what the terminal decides."""
FENCES = {
    "typer": {"cli"},
    "rich": {"cli", "views"},
    "jinja2": {"views", "serve"},
    "markupsafe": {"serve"},
    "qdrant_edge": {"store"},
    "qdrant_client": {"store"},
    "pypdf": {"extract"},
    "pypdfium2": {"extract"},
    "lxml": {"extract"},
    "zipfile": {"extract", "store"},
    "markdown_it": {"extract"},
    "mdit_py_plugins": {"extract"},
    "torch": {"embed"},
    "transformers": {"embed"},
    "sentence_transformers": {"embed"},
    "openvino": {"embed"},
    "tokenizers": {"embed"},
    "safetensors": {"embed"},
    "ray": {"batch"},
    "yaml": {"config", "evaluate"},
    "nupunkt": {"sentences"},
    "sentencex": {"sentences"},
    "langchain_core": {"integrations"},
    "llama_index": {"integrations"},
    "haystack": {"integrations"},
    "ebooklib": set(),
}


def stage_of(path: Path) -> str:
    part = path.relative_to(PACKAGE).parts[0]
    return part.removesuffix(".py")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem != "__init__")


def imported(source: str) -> Iterator[str]:
    """Yield every module a source names, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "alexandria":
                yield from (f"alexandria.{alias.name}" for alias in node.names)


def level_of(stage: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if stage in layer)


def wrong_imports(stage: str, source: str) -> list[str]:
    wrong = []
    for name in imported(source):
        root, _, rest = name.partition(".")
        if root in FENCES and stage not in FENCES[root]:
            wrong.append(name)
        if root == "alexandria" and rest:
            other = rest.partition(".")[0]
            known = any(other in layer for layer in LAYERS)
            if known and other != stage and level_of(other) >= level_of(stage):
                wrong.append(name)
            if stage == "cli" and known and other not in CLI_IMPORTS | {"cli"} and name not in CLI_MODULES:
                wrong.append(name)
    return wrong


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_comes_before_it(path: Path) -> None:
    assert wrong_imports(stage_of(path), path.read_text()) == []


def test_every_module_has_its_place_in_the_order() -> None:
    assert {stage_of(path) for path in modules()} <= set().union(*LAYERS) | {"py"}


@pytest.mark.parametrize(
    ("stage", "planted"),
    [
        ("extract", "from alexandria.store import open_store"),
        ("chunking", "from alexandria.sentences import split"),
        ("store", "import alexandria.pipeline"),
        ("book", "from alexandria import extract"),
        ("pipeline", "def late():\n    from rich.console import Console"),
        ("embed", "import qdrant_edge"),
        ("batch", "from alexandria.cli import app"),
        ("cli", "def late():\n    from alexandria.store import open_store"),
        ("cli", "from alexandria import pipeline"),
    ],
)
def test_a_planted_import_is_found(stage: str, planted: str) -> None:
    assert wrong_imports(stage, planted)


STAGES = {
    "begin_encoding": "embed",
    "segment_book": "chunking",
    "assemble": "chunking",
    "measure_sentences": "chunking",
    "make_points": "store",
}
"""The functions that take a book from one stage to the next, and the stage that each belongs to."""


def test_the_stages_meet_in_the_pipeline_and_nowhere_else() -> None:
    users = {
        (stage_of(path), alias.name)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("alexandria.")
        for alias in node.names
        if alias.name in STAGES and stage_of(path) != STAGES[alias.name]
    }
    assert users == {("pipeline", name) for name in STAGES}


def extractor_imports(source: str) -> list[str]:
    """Return the imports of the function that parses a file."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name == "alexandria.extract"]
        elif isinstance(node, ast.ImportFrom) and node.module in ("alexandria", "alexandria.extract"):
            names += [alias.name for alias in node.names if alias.name in ("extract", "*")]
    return names


def test_only_the_isolated_process_parses_files() -> None:
    outside = [path for path in modules() if stage_of(path) != "extract"]
    parsing = [path for path in outside if extractor_imports(path.read_text())]
    assert parsing == [PACKAGE / "reading" / "worker.py"]


@pytest.mark.parametrize(
    "planted",
    [
        "from alexandria.extract import ReadOptions, extract",
        "def late():\n    from alexandria.extract import extract as parse",
        "from alexandria import extract",
        "import alexandria.extract",
    ],
)
def test_a_planted_parser_is_found(planted: str) -> None:
    assert extractor_imports(planted)


# A name that several modules may define, and why.
SHARED_NAMES = {
    "AlexandriaRetriever": "the same class for each framework, under the name that its users look for",
    "extract": "the entry point of every format, called through FORMATS",
    "ingest": "the one-call convenience calls the function of the same name",
    "search": "the one-call convenience calls the function of the same name",
    "to_filter": "the same translation for each of Qdrant's two clients",
    "to_point": "the same translation for each of Qdrant's two clients",
    "to_request": "the same translation for each of Qdrant's two clients",
}


def public_names(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def test_a_public_name_has_one_meaning() -> None:
    """Commands are not counted: a command's function is named after it, and calls what does the work."""
    places: dict[str, list[str]] = {}
    for path in modules():
        parts = path.relative_to(PACKAGE).parts
        if parts[0] != "cli":
            for name in public_names(path):
                places.setdefault(name, []).append("/".join(parts))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in SHARED_NAMES} == {}


def defined_twice(source: str) -> set[str]:
    """Return the constants, functions and classes that a module defines more than once."""
    names: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [
                name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)
            ]
    return {name for name in names if names.count(name) > 1}


def test_a_module_defines_each_name_once() -> None:
    assert {path.name: defined_twice(path.read_text()) for path in modules()} == {
        path.name: set() for path in modules()
    }
    assert defined_twice("_MOST = 9\n_LEAST, _MOST = 1, 8") == {"_MOST"}


REPEATED_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+(?!\))")


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python 3.11.2, that of Debian 12, then takes in what an alternative read before it failed."""
    assert not {path.name: found for path in modules() if (found := REPEATED_GROUP.findall(path.read_text()))}
    assert REPEATED_GROUP.search(r"(?:x|[ ]y(?!z))*+")
    assert not REPEATED_GROUP.search(r"(?>(?:x|[ ]y(?!z))*)")


@pytest.mark.parametrize(
    "statement",
    [
        "import alexandria",
        "import alexandria.cli",
        "from alexandria import AlexandriaError",
        "import alexandria.reading.worker",
    ],
)
def test_importing_loads_nothing_heavy(statement: str) -> None:
    heavy = ("numpy", "torch", "transformers", "qdrant_edge", *PARSERS, "yaml", "openvino", "ray")
    assert loaded_by(statement, heavy) == "[]"


@pytest.mark.parametrize(
    "statement",
    [
        "import alexandria.library.library",
        "from alexandria.views.terminal.library import show_books",
        "from alexandria.views.terminal.status import show_status",
    ],
)
def test_commands_that_only_read_load_no_stage_of_an_ingest(statement: str) -> None:
    """They would take twice as long."""
    others = (
        "yaml",
        *(f"alexandria.{stage}" for stage in ("batch.run", "chunking", "config", "embed", "pipeline")),
    )
    assert loaded_by(statement, others) == "[]"


def test_the_library_loads_no_parser_of_files() -> None:
    """The isolated process does, which reads them."""
    assert loaded_by("import alexandria.library.library", PARSERS) == "[]"


PARSERS = ("lxml", "pypdfium2", "pypdf", "markdown_it")


def loaded_by(statement: str, names: Sequence[str]) -> str:
    script = f"{statement}; import sys; print([m for m in {names!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()
