"""Imports go one way, and foreign packages stay behind their fences."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from alexandria.system.annexes import ANNEXES, is_built

PACKAGE = Path(__file__).parents[1] / "alexandria"

# A module imports what stands on its own line only within its own room, and from the lines above freely.
FLOORS = [
    {"errors"},
    {"book"},
    {"system"},
    {"extract", "embed", "chunking", "store"},
    {"library"},
    {"show", "described", "integrations"},
    {"doors"},
    {"lab"},
]
# The same inside the room of the verbs.
VERBS = [
    {"remarks"},
    {"cite", "read"},
    {"ingest"},
    {"search", "inspect", "chunk_text"},
    {"check"},
    {"location", "searchable"},
    {"opened"},
    {"care"},
    {"library"},
    {"libraries"},
    {"shortcuts"},
]
# And inside that of the doors: the others bring their own commands.
DOORS = [{"cli"}, {"mcp"}, {"web"}]
CLI_IMPORTS = (
    *("errors", "book.choices", "book.edits", "book.filters", "chunking.domains", "show", "doors"),
    *("library.library", "library.libraries", "library.shortcuts", "library.location", "library.opened"),
    *("library.search.request", "library.remarks"),  # what a search is asked; what is said of results
    *("library.care", "library.inspect"),
    *("library.cite", "library.read"),  # citations as they are typed; which program opens a passage
    "book.words",  # how texts are compared
    "book.suggest",  # the nearest name
    "system",  # the cache folder; the strategies that --help lists
    "library.ingest.discovery",  # which files there are
    *(f"library.ingest.{name}" for name in ("failures", "options", "outcome", "progress", "sync")),
    "library.check.report",  # what a check returns
    *("store.record", "store.store"),  # the types of what a Library takes and returns
)
"""What the command line imports: options in, one call, one view."""
SHOW_IMPORTS = (
    *("care.health", "care.models", "care.repair", "check.report", "cite.citations", "read.contents"),
    *(f"ingest.{name}" for name in ("discovery", "estimate", "events", "failures", "outcome", "progress")),
    "ingest.sync",
    *(f"inspect.{name}" for name in ("comparison", "explanation", "figures", "inspection", "quality")),
    *("remarks", "search.hits"),
    "ingest.pace",  # what a progress bar is drawn from
)
"""The finished values of the library's rooms that views read."""
FENCES = {
    "typer": {"doors/cli", "doors/mcp/command", "doors/web/command", "lab/command"},
    "rich": {"doors/cli", "show", "lab"},
    "jinja2": {"show/html", "doors/web"},
    "markupsafe": {"doors/web"},
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
    "ray": {"library/ingest"},
    "yaml": {"chunking/domains", "lab"},
    "nupunkt": {"chunking/sentences"},
    "sentencex": {"chunking/sentences"},
    "langchain_core": {"integrations"},
    "llama_index": {"integrations"},
    "haystack": {"integrations"},
    "ebooklib": set(),
}
"""The folders or modules that alone import a foreign package."""


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def room_of(path: Path) -> str:
    return name_of(path).partition(".")[0]


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


def is_below(module: str, place: str) -> bool:
    """Whether a dotted name is a module, or lies in it."""
    return module == place or module.startswith(place + ".")


def goes_up(module: str, other: str, order: Sequence[set[str]], depth: int) -> bool:
    """Whether a module imports another, of the same folder's parts at a depth, that is not above it."""
    own, its = (name.split(".")[depth : depth + 1] for name in (module, other))
    levels = {part: i for i, parts in enumerate(order) for part in parts}
    if own == its or not own or not its or own[0] not in levels or its[0] not in levels:
        return False
    return levels[its[0]] >= levels[own[0]]


def wrong_imports(module: str, source: str) -> list[str]:
    """Return what a module imports against the order or through a fence.

    Args:
        module: its name without that of the package, as `store.edge`.
        source: its code.
    """
    wrong = []
    for name in imported(source):
        root, _, rest = name.partition(".")
        if root in FENCES and not any(is_below(module, place.replace("/", ".")) for place in FENCES[root]):
            wrong.append(name)
        if root == "alexandria" and rest:
            orders = {"": FLOORS, "library.": VERBS, "doors.": DOORS}
            ups = (
                goes_up(module, rest, order, place.count("."))
                for place, order in orders.items()
                if module.startswith(place) and rest.startswith(place)
            )
            by_command = is_below(module, "doors.cli") and rest.partition(".")[0] in ROOMS
            if any(ups) or (by_command and not any(is_below(rest, place) for place in CLI_IMPORTS)):
                wrong.append(name)
    return wrong


ROOMS = {*set().union(*FLOORS), "__main__"}


def test_a_module_imports_only_what_comes_before_it() -> None:
    wrong = {name_of(path): wrong_imports(name_of(path), path.read_text()) for path in modules()}
    assert {name: imports for name, imports in wrong.items() if imports} == {}


def test_every_module_has_its_place_in_the_order() -> None:
    assert {room_of(path) for path in modules()} == ROOMS
    for folder, order in (("library", VERBS), ("doors", DOORS)):
        parts = {name_of(path).split(".")[1] for path in modules() if room_of(path) == folder}
        assert parts - {"__init__"} == set().union(*order)


def loaded_before(module: str, source: str, known: set[str]) -> set[str]:
    """Return which known modules have to be loaded when a module is, before it is done.

    Args:
        module: its whole name.
        source: its code; what is imported inside functions or for types only comes later.
        known: the whole names of all modules.
    """
    names = set[str]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    names |= {package for name in names & known for package in packages_of(name)}
    return (names & known) - {module, *packages_of(module)}  # its own packages have begun to load


def packages_of(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts))}


def circle(sources: Mapping[str, str]) -> list[str]:
    """Return modules of a package that need one another to be loaded: none of them can be imported first."""
    graph = {name: loaded_before(name, source, set(sources)) for name, source in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def named_in(module: str, source: str, known: set[str]) -> set[str]:
    """Return the known modules that a module imports anywhere: inside functions and for types, too."""
    imported = set[str]()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                imported |= {alias.name for alias in aliases}
            case ast.ImportFrom(module=str(name), names=aliases):
                parts = {f"{name}.{alias.name}" for alias in aliases}
                imported |= parts & known or {name}
    return imported & known - {module}


def test_no_modules_name_each_other_in_a_circle() -> None:
    sources = sources_of_package()
    TopologicalSorter(
        {name: named_in(name, source, set(sources)) for name, source in sources.items()}
    ).prepare()


def sources_of_package() -> dict[str, str]:
    return {f"alexandria.{name_of(path)}".removesuffix(".__init__"): path.read_text() for path in modules()}


def test_any_module_can_be_imported_first() -> None:
    assert circle(sources_of_package()) == []
    first = "alexandria.extract.notes.labels"  # part of such a circle once
    assert loaded_by(f"import {first}", [first]) == str([first])


def test_a_circle_through_a_package_is_found() -> None:
    sources = {
        "a.notes": "from a.pdf.lines import Line",
        "a.pdf": "from a.pdf.reader import read",
        "a.pdf.lines": "",
        "a.pdf.reader": "def late():\n    import a.notes",
    }
    assert circle(sources) == []
    assert set(circle({**sources, "a.pdf.reader": "import a.notes"})) == {"a.notes", "a.pdf", "a.pdf.reader"}


def test_the_ground_floor_is_small() -> None:
    entries = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}
    assert len(entries - {"__init__.py", "__main__.py"}) <= 13


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("extract.html", "from alexandria.store import open_store"),
        ("chunking.sizes", "from alexandria.embed import load_encoder"),
        ("store.edge", "import alexandria.library.library"),
        ("book.words", "from alexandria import extract"),
        ("library.read.stored", "from alexandria.library.search import hits"),
        ("library.ingest.one_book", "def late():\n    from rich.console import Console"),
        ("embed.torch", "import qdrant_edge"),
        ("library.ingest.run", "from alexandria.doors.cli import app"),
        ("doors.cli.help", "from alexandria.doors.web import pages"),
        ("doors.cli.ingest", "def late():\n    from alexandria.store import open_store"),
        ("doors.cli.ingest", "from alexandria.library.ingest import one_book"),
    ],
)
def test_a_planted_import_is_found(module: str, planted: str) -> None:
    assert wrong_imports(module, planted)


STAGES = {
    "segment_book": "chunking",
    "assemble": "chunking",
    "measure_sentences": "chunking",
    "make_points": "store",
}
"""The functions that take a book from one stage to the next, and the stage that each belongs to; texts are
given to an encoder by its method `begin`."""


def test_the_stages_meet_in_the_pipeline_and_nowhere_else() -> None:
    users = {
        (name_of(path), alias.name)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("alexandria.")
        for alias in node.names
        if alias.name in STAGES and room_of(path) != STAGES[alias.name]
    }
    assert users == {("library.ingest.one_book", name) for name in STAGES}
    begun = {name_of(path) for path in modules() if "encoder.begin(" in path.read_text()}
    assert {name for name in begun if not name.startswith("embed.")} == {"library.ingest.one_book"}


def uses_of_library(source: str) -> list[str]:
    """Return what a view has of the library besides types and constants: functions, calls of methods."""
    tree, names, wrong = ast.parse(source), set[str](), list[str]()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith("alexandria.library"):
                names |= {alias.asname or alias.name for alias in node.names}
                is_allowed = module.removeprefix("alexandria.library.") in SHOW_IMPORTS
                wrong += [name for name in names if not is_allowed or name[0].islower()]
            case ast.Import():
                wrong += [alias.name for alias in node.names if alias.name.startswith("alexandria.library")]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if name in names:
                wrong.append(f"{name}.{method}")
    return wrong


def test_views_read_finished_values_and_call_nothing_of_the_library() -> None:
    views = [path for path in modules() if room_of(path) == "show"]
    assert {name_of(path): wrong for path in views if (wrong := uses_of_library(path.read_text()))} == {}


@pytest.mark.parametrize(
    "planted",
    [
        "from alexandria.library.inspect.reasons import Reasons",
        "from alexandria.library.inspect.figures import figures_of",
        "from alexandria.library import inspect",
        "import alexandria.library.inspect.figures",
        "def late():\n    from alexandria.library.inspect.comparison import Comparison as C\n    C.of([])",
    ],
)
def test_a_planted_call_of_the_library_is_found(planted: str) -> None:
    assert uses_of_library(planted)


def is_of_annex(module: str) -> bool:
    return any(is_below(module, annex.replace("/", ".")) for annex in ANNEXES)


def annex_imports(source: str) -> list[str]:
    """Return what a source imports of annexes, wherever in it the import stands."""
    names = [*imported(source)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if is_of_annex(name.removeprefix("alexandria."))]


def test_the_core_imports_no_annex() -> None:
    core = [path for path in modules() if not is_of_annex(name_of(path))]
    assert {name_of(path): found for path in core if (found := annex_imports(path.read_text()))} == {}


def test_every_annex_is_there() -> None:
    """A fence around what has moved would hold nothing."""
    assert len(ANNEXES) > 9
    assert [annex for annex in ANNEXES if not is_built(f"alexandria/{annex}".replace("/", "."))] == []


@pytest.mark.parametrize(
    "planted",
    [
        "import alexandria.store.server.connect",
        "from alexandria.store.server.compat import parse_readers",
        "def late():\n    from alexandria.extract import fb2",
        "if TYPE_CHECKING:\n    from alexandria.lab.settings import Variant",
        "from alexandria import lab",
    ],
)
def test_a_planted_annex_is_found(planted: str) -> None:
    assert annex_imports(planted)


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
    parsing = [path for path in modules() if extractor_imports(path.read_text())]
    assert parsing == [PACKAGE / "extract" / "isolated" / "worker.py"]


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
    "prepare_folder": "the entry point of every store in folders, called through STORES",
    "search": "the one-call convenience calls the function of the same name",
    "server_version": "asked of the store of an address",
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
        if parts[:2] != ("doors", "cli") and parts[-1] != "command.py":
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
        "import alexandria.doors.cli",
        "from alexandria import AlexandriaError",
        "import alexandria.extract.isolated.worker",
    ],
)
def test_importing_loads_nothing_heavy(statement: str) -> None:
    heavy = ("numpy", "torch", "transformers", "qdrant_edge", *PARSERS, "yaml", "openvino", "ray")
    assert loaded_by(statement, heavy) == "[]"


@pytest.mark.parametrize(
    "statement",
    [
        "import alexandria.library.library",
        "from alexandria.show.terminal.library import show_books",
        "from alexandria.show.terminal.status import show_status",
    ],
)
def test_commands_that_only_read_load_no_stage_of_an_ingest(statement: str) -> None:
    """They would take twice as long."""
    others = (
        "yaml",
        *(
            f"alexandria.{stage}"
            for stage in ("chunking", "embed", "library.ingest.one_book", "library.ingest.run")
        ),
    )
    assert loaded_by(statement, others) == "[]"


def test_the_library_loads_no_parser_of_files() -> None:
    """The isolated process does, which reads them."""
    assert loaded_by("import alexandria.library.library", PARSERS) == "[]"


PARSERS = ("lxml", "pypdfium2", "pypdf", "markdown_it")


def loaded_by(statement: str, names: Sequence[str]) -> str:
    assert all(find_spec(name) for name in names if name.startswith("alexandria."))
    script = f"{statement}; import sys; print([m for m in {names!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()
