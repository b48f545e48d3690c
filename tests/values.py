"""What of a package can be changed after it was made: few dataclasses, which are listed."""

import ast
from collections.abc import Iterator

from tests.conftest import ROOT


def changeable(package: str) -> set[str]:
    """Return the dataclasses of a package that are not frozen, or take attributes that are not declared."""
    paths = sorted((ROOT / package.replace(".", "/")).rglob("*.py"))
    assert paths, package
    return {name for path in paths for name in _changeable(ast.parse(path.read_text(encoding="utf-8")))}


def _changeable(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            for decorator in map(ast.unparse, node.decorator_list):
                is_frozen = "frozen=True" in decorator and "slots=True" in decorator
                if decorator.partition("(")[0] == "dataclass" and not is_frozen:
                    yield node.name
