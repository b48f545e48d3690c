"""The docs name what there is, and what they show is true."""

import re
from pathlib import Path

import pytest
import typer

from alexandria.chunking import STRATEGIES
from alexandria.cli import app
from alexandria.config import domain_names
from alexandria.extract import FORMATS
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
STAGES = ("extract/", "sentences.py", "embed/", "chunking/", "store/", "search.py")


def commands() -> list[str]:
    return list(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # a group, as app is


@pytest.mark.parametrize("name", [*commands(), *STRATEGIES, *FORMATS, *domain_names()])
def test_the_readme_names_it(name: str) -> None:
    assert name in README


def test_how_it_works_follows_the_flow_with_a_link_a_stage() -> None:
    how = README.split("## How it works")[1].split("\n## ")[0]
    assert tuple(re.findall(r"^\d\. \[`(.*?)`\]", how, re.MULTILINE)) == STAGES


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.name
)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_has_its_chapter(strategy: str) -> None:
    assert strategy in (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")


def test_the_changelog_begins_with_what_is_new() -> None:
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].startswith("Unreleased")
