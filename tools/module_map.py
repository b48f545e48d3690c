"""The text of docs/modules.md: every module with the first paragraph of its docstring, room by room."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "alexandria"


def module_map() -> str:
    """Return a list per room, in the order of their paths."""
    rooms = (path.parent for path in sorted(PACKAGE.rglob("__init__.py")))
    return "\n".join(_list_of(room) for room in rooms if any(room.glob("[!_]*.py")))


def _list_of(room: Path) -> str:
    modules = sorted(path for path in room.glob("*.py") if not path.stem.startswith("__"))
    title = f"## `{room.relative_to(PACKAGE.parent).as_posix()}/`\n\n{_summary_of(room / '__init__.py')}\n"
    return "\n".join([title, *(f"- `{path.stem}`: {_summary_of(path)}" for path in modules), ""])


def _summary_of(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split())
