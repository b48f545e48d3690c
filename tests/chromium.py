"""Debian's Chromium, or the one that ALEXANDRIA_CHROMIUM names, for the tests of pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

AXE = (Path(__file__).parent / "views" / "html" / "axe.js").read_text(encoding="utf-8")
AXE_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_PROGRAMS = "chromium-headless-shell", "chromium"
"""The first has no windows to draw, and takes half the processor time of the second."""
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def chromium_browser() -> Iterator["Browser"]:
    """Start the browser; skip, with the reason, where Playwright or Chromium is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = os.environ.get("ALEXANDRIA_CHROMIUM") or next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = driver.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()
