"""docs/strategies.md names every strategy and every option with its default."""

from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from alexandria.chunking import STRATEGIES, Strategy
from alexandria.show.json.view import attribute_docs

DOC = Path(__file__).parents[2] / "docs" / "strategies.md"


@pytest.mark.parametrize(("name", "cls"), STRATEGIES.items(), ids=list(STRATEGIES))
def test_a_strategy_is_described_with_its_options(name: str, cls: type[Strategy]) -> None:
    chapters = DOC.read_text("utf-8").split("\n## ")
    (chapter,) = [chapter for chapter in chapters if chapter.startswith(f"{name}\n")]
    for option in fields(cls):
        assert option.default is not MISSING
        default = str(option.default).lower() if isinstance(option.default, bool) else option.default
        row = f"| `{option.name}` | " if default is None else f"| `{option.name}` | {default} |"
        assert row in chapter
    assert "*From*" in chapter


def test_each_option_of_a_strategy_is_explained_wherever_it_is_inherited_from() -> None:
    for name, strategy in STRATEGIES.items():
        explained = attribute_docs(strategy)
        assert [field.name for field in fields(strategy) if not explained.get(field.name)] == [], name
