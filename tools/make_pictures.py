"""Make the pictures in the docs from the samples: terminal views and pages, as PNG.

Beside them, `made-of.json` has a digest of what each shows; a test tells when that has changed since. Needs
the extra `browser` and Chromium (`chromium` on the path, or ALEXANDRIA_CHROMIUM). The same model and fonts
give the same pictures; with another machine's fonts they may differ by a pixel.
"""

import atexit
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from hashlib import sha256
from html import escape
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import alexandria
from alexandria.chunking.domains import load_domain
from alexandria.doors.web.server import LibraryServer
from alexandria.embed import load_encoder
from alexandria.library.ingest.one_book import read, read_options
from alexandria.library.inspect.comparison import Comparison, from_book
from alexandria.show.html.page import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "the-quiet-trades.epub"
STORY = ROOT / "samples" / "gull-rock.txt"
FOLDER = ROOT / "docs" / "images"
COLUMNS, LINES = 100, 34
TERMINAL = {
    "search-terminal": "search how do bees tell each other the way -k 2",
    "inspect-terminal": f"inspect samples/{SAMPLE.name}",
}
"""The pictures of a terminal, by the names of their files, each with what is typed."""
DESK = {"width": 1200, "height": 860}
BAND = {"width": 1200, "height": 560}
PHONE = {"width": 390, "height": 860}
_PAGE = ("alexandria/show/html/assets/page.*", "alexandria/show/html/layout.py")
_SITE = ("alexandria/doors/web/assets/*", "alexandria/show/html/layout.py")
SOURCES = {
    "search-terminal": ("alexandria/show/terminal/library.py",),
    "inspect-terminal": ("tests/golden/inspect/the-quiet-trades.epub.*",),
    **dict.fromkeys(("inspect-page", "inspect-dark", "inspect-phone", "inspect-compare"), _PAGE),
    "domains": (*_PAGE, "configs/literature.yaml", "configs/default.yaml"),
    **dict.fromkeys(("serve-search", "serve-read"), _SITE),
}
"""The files that decide what a picture shows, by the name of the picture."""
_STYLE = """
pre { display: inline-block; margin: 0; padding: 16px; background: #14171a; color: #e6e8ea;
      font: 15px/1.3 "DejaVu Sans Mono", monospace; }
i { display: inline-block; width: 1ch; font-style: normal; text-indent: -0.06em; }
"""


def main() -> None:
    """Write the pictures into `docs/images`."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    one, two = _cut({}), _cut({"strategy": "universal-semantic"}, {"strategy": "optimal"})
    found = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    path = os.environ.get("ALEXANDRIA_CHROMIUM") or found
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, command in TERMINAL.items():
            _picture(browser, _terminal(command), FOLDER / f"{name}.png", DESK, only="pre")
        _picture(browser, render(one), FOLDER / "inspect-page.png", DESK, point=0.31)
        _picture(browser, render(one), FOLDER / "inspect-dark.png", DESK, point=0.31, scheme="dark")
        _picture(browser, render(one), FOLDER / "inspect-phone.png", PHONE, point=0.31)
        _picture(browser, render(two), FOLDER / "inspect-compare.png", DESK, to=".piece:nth-of-type(2)")
        stories = _cut_for("literature", "default")
        _picture(
            browser,
            render(stories),
            FOLDER / "domains.png",
            BAND,
            to=".piece:has(+ #at6264) p:nth-last-child(2) span",
        )
        _site(browser)
        browser.close()
    made_of = {name: digest(name) for name in SOURCES}
    (FOLDER / "made-of.json").write_text(json.dumps(made_of, indent=2) + "\n")


def digest(name: str) -> str:
    """Return a digest of the files that decide what a picture shows."""
    files = sorted(file for pattern in SOURCES[name] for file in ROOT.glob(pattern))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _site(browser: "Browser") -> None:
    """Make the pictures of the library in the browser: a search, and its first hit in the reading view."""
    with alexandria.open(_library()) as library, LibraryServer(library) as server:
        thread = Thread(target=server.run)
        thread.start()
        page = browser.new_page(viewport={"width": 1200, "height": 860})
        page.goto(f"{server.address}search?q=how+do+bees+tell+each+other+the+way")
        page.screenshot(path=FOLDER / "serve-search.png")
        page.locator("a.hit").first.click()
        page.wait_for_url("**/read?*")
        page.wait_for_timeout(300)  # until scrolling has ended
        page.screenshot(path=FOLDER / "serve-read.png")
        page.close()
        server.stop()
        thread.join()


def _cut(*options: dict[str, object]) -> Comparison:
    domains = [load_domain(options=chosen, environ={}) for chosen in options]
    return from_book(read(SAMPLE, read_options(domains[0])), domains, load_encoder(domains[0].model))


def _cut_for(*domains: str) -> Comparison:
    cut = [load_domain(name, environ={}) for name in domains]
    return from_book(read(STORY, read_options(cut[0])), cut, load_encoder(cut[0].model))


def _terminal(command: str, *, lines: int = LINES) -> str:
    """Return a command and the first lines of what it prints in a terminal as an HTML page."""
    environ = {**os.environ, "ALEXANDRIA_STORE": str(_library()), "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1"}
    words = [sys.executable, "-m", "alexandria", *shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environ, check=True)
    recorder = Console(record=True, width=COLUMNS, file=StringIO(), highlight=False, force_terminal=True)
    recorder.print(Text.from_ansi("\n".join(done.stdout.splitlines()[:lines])))
    shown = recorder.export_html(theme=MONOKAI, inline_styles=True, code_format="{code}")
    # Fonts without braille borrow it from another font of another width: pin each character to its column.
    text = re.sub("[\u2801-\u28ff]", r"<i>\g<0></i>", shown)
    return f'<meta charset="utf-8"><style>{_STYLE}</style><pre>$ alexandria {escape(command)}\n{text}</pre>'


@cache
def _library() -> Path:
    """Return a library of the samples, made once."""
    folder = Path(mkdtemp(prefix="alexandria-pictures-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    alexandria.ingest(ROOT / "samples", store=folder)
    return folder


def _picture(
    browser: "Browser",
    html: str,
    file: Path,
    size: dict[str, int],
    *,
    only: str | None = None,
    point: float | None = None,
    to: str | None = None,
    scheme: str = "light",
) -> None:
    """Write a picture of a page.

    Args:
        browser: the running Chromium.
        html: the page.
        file: where to write the picture.
        size: of the window.
        only: the one element to show.
        point: position of the cursor along the curve, in [0, 1].
        to: what to scroll to.
        scheme: light or dark.
    """
    options: dict[str, Any] = {"viewport": size, "color_scheme": scheme}
    page = browser.new_page(**options)
    page.set_content(html)
    if point is not None:
        box = page.locator(".u-over").bounding_box()
        if box:
            page.mouse.move(box["x"] + box["width"] * point, box["y"] + box["height"] / 2)
    if to is not None:
        page.locator(to).evaluate("element => element.scrollIntoView()")
        page.wait_for_timeout(300)  # a few frames, until scrolling has ended
    if only is None:
        page.screenshot(path=file)
    else:
        page.locator(only).screenshot(path=file)
    page.close()


if __name__ == "__main__":
    main()
