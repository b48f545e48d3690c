"""The page of a check: each quotation is marked in its text, and nothing in it is code."""

import html as entities
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import alexandria
from alexandria import CheckReport, Library
from alexandria.show.html.checking import marked_blocks, render_check
from tests.chromium import AXE, AXE_LEVELS, DESK
from tests.command import alexandria as run
from tests.conftest import SAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DANCE = "The dance is a figure of eight with a straight run through the middle."
TEXT = f"""# <script>alert(1)</script>

She says “{DANCE}” & “the dance is a figure of <b>nine</b> with a straight run” (Plato 1999, 3).

> {DANCE}

“Bees are letters that nobody <img src=x onerror=alert(1)> has posted yet”, and “the dance” again.
“The dance is a figure of eight,” she says, “with a straight run through the middle.”
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checked") / "library"
    with alexandria.open(folder) as opened:
        opened.ingest([SAMPLES / "the-quiet-trades.epub"], options={"model": "hashing"})
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with alexandria.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def report(library: Library) -> CheckReport:
    return library.check_text(TEXT)


def test_each_quotation_is_marked_where_it_stands(report: CheckReport) -> None:
    [manuscript] = report.manuscripts
    marked = list(marked_blocks(manuscript, report))
    assert ["".join(text for text, _ in one.parts) for one in marked] == [
        block.text for block in manuscript.blocks
    ]
    found = [(text, item) for one in marked for text, item in one.parts if item]
    assert [item for _, item in found] == list(report.items)
    assert all(text == item.text or " she says, " in text for text, item in found)


def test_quotations_in_notes_are_marked_there(library: Library, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(
        f"A.[^1] “The bees of June owe nothing to May.”\n\n[^1]: See “{DANCE}” there.\n"
    )
    report = library.check(tmp_path / "x.md")
    [manuscript] = report.manuscripts
    found = [
        text
        for one in marked_blocks(manuscript, report)
        if one.block.is_note
        for text, item in one.parts
        if item
    ]
    assert found == [DANCE]


def test_texts_are_no_code_and_the_policy_names_the_only_style(report: CheckReport) -> None:
    page = render_check(report)
    assert not re.search(r"<(script|img|b>|link)", page)
    assert entities.escape("<script>alert(1)</script>") in page
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert (
        f"default-src &#39;none&#39;; script-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;;" in page
    )
    assert "you name Plato" in page


def test_the_page_is_written(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text(TEXT)
    command = ("check", tmp_path / "draft.md", "--store", folder, "--html")
    assert run(*command, tmp_path / "page.html").returncode == 1
    assert 'class="differs' in (tmp_path / "page.html").read_text("utf-8")
    assert "cannot write" in run(*command, tmp_path / "none" / "page.html").stderr


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, DESK["width"]])
def test_the_page_needs_no_script_and_fits_a_phone(
    chromium: "Browser", report: CheckReport, tmp_path: Path, colours: str, width: int
) -> None:
    (tmp_path / "page.html").write_text(render_check(report), encoding="utf-8")
    options: Any = {"viewport": {"width": width, "height": 800}, "color_scheme": colours}
    with chromium.new_context(**options, offline=True, bypass_csp=True) as context:
        page = context.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto((tmp_path / "page.html").as_uri())
        assert page.locator("mark[id]").count() == len(report.items)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate(AXE)
        result = page.evaluate("levels => axe.run({runOnly: levels})", AXE_LEVELS)
        assert result["violations"] == []
        assert len(requests) == 1
