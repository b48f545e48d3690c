"""The pages in headless Chromium: for keyboards and screen readers, and with hostile books."""

import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from alexandria.library.library import Library
from tests.chromium import AXE, AXE_LEVELS, DESK, PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

Open = Callable[..., "Page"]


@pytest.fixture
def open_page(chromium: "Browser", address: str) -> Iterator[Open]:
    """Open a page; the test fails on any message of the console, dialog, or request to anywhere else."""
    complaints: list[str] = []
    foreign: list[str] = []
    contexts = []

    def dismiss(dialog: "Dialog") -> None:
        complaints.append(dialog.message)
        dialog.dismiss()

    def note(asked: "Request") -> None:
        if not asked.url.startswith(address):
            foreign.append(asked.url)

    def opened(path: str, **options: Any) -> "Page":
        contexts.append(chromium.new_context(**{"viewport": DESK, **options}))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", dismiss)
        page.on("request", note)
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert foreign == []


def paths_of(library: Library) -> list[str]:
    """Return one address of each kind of page, those of the hostile book among them."""
    quiet, machines = (library.book(title).book_id[:16] for title in ("quiet", "machines"))
    hostile = next(record for record in library.books() if "canary" in str(record.identifiers))
    hit = library.search("lamp", limit=1)[0]
    best = hit.best or (0, 1)
    return [
        "",
        "search?q=lamp",
        "search?q=lamp&author=nobody",
        f"book/{quiet}",
        f"book/{hit.book_id[:16]}/read?q=lamp&n=0&mark={best[0]}-{best[1]}#hit",
        f"book/{machines}/page/5",
        f"cite?hit={hit.short_id}",
        "check",
        "find?q=lamp+on+the+rock",
        "find?q=a+figure+of+eight+with+a+straight+run",
        f"book/{hostile.book_id[:16]}",
        f"book/{hostile.book_id[:16]}/read?q=%3Cscript%3Ealert(1)%3C/script%3E&n=0",
        f"search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&book={hostile.book_id[:16]}",
        f"cite?hit={hostile.book_id[:16]}-0",
    ]


@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing_and_no_book_runs_or_loads_anything(
    open_page: Open, library: Library, address: str, options: dict[str, Any]
) -> None:
    """A hostile book's title, author, text, headings and links are on these pages; none of it is code."""
    page = open_page("", **options)
    width = options.get("viewport", DESK)["width"]
    for path in paths_of(library):
        if "author=nobody" in path:
            continue  # its status is one that the console reports
        page.goto(address + path)
        if page.locator("#show-cuts").count():
            page.check("#show-cuts")
        page.evaluate(AXE)
        result = page.evaluate(f"axe.run(document, {{runOnly: {AXE_LEVELS}}})")
        found = [(one["id"], [node["html"] for node in one["nodes"]][:2]) for one in result["violations"]]
        assert (path, found) == (path, [])
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate("document.scripts.length") == 2, path
        names = page.evaluate("[...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames())")
        assert not [name for name in names if name.startswith("on")], path


def test_even_what_were_not_escaped_would_not_run(chromium: "Browser", address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(address)
        ran = page.evaluate(
            """async (elsewhere) => {
                const script = document.createElement("script");
                try { script.text = "window.canary = 1"; document.body.append(script); } catch {}
                const picture = document.createElement("img");
                const loaded = new Promise((done) => { picture.onload = picture.onerror = done; });
                picture.src = elsewhere;
                document.body.append(picture);
                await loaded;
                try { await fetch(elsewhere, { mode: "no-cors" }); } catch {}
                try { document.body.innerHTML = "<b>x</b>"; } catch (error) { window.refused = error.name; }
                return [window.canary ?? null, window.refused ?? null];
            }""",
            f"http://127.0.0.1:{canary.getsockname()[1]}/x.png",
        )
        context.close()
        canary.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has connected
            canary.accept()
    assert ran == [None, "TypeError"]


def test_results_appear_as_one_types_and_a_hit_is_opened_by_keys(open_page: Open) -> None:
    page = open_page("")
    page.keyboard.press("/")
    page.keyboard.type("the bees dance on the comb")
    page.locator(".status", has_text="comb”").wait_for()
    assert "search?q=the+bees" in page.url
    assert page.locator("#q").input_value() == "the bees dance on the comb"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/read?*")
    page.locator("mark#hit").wait_for()
    top = page.locator("mark#hit").evaluate("mark => mark.getBoundingClientRect().top")
    assert 0 <= top < DESK["height"]
    before = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != before)
    page.go_back()
    page.go_back()
    assert page.locator(".status").text_content()


def test_keys_are_listed_and_remarks_wait_for_a_pause(open_page: Open) -> None:
    page = open_page("")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.locator("#keys").wait_for(state="hidden")
    page.keyboard.press("/")
    page.keyboard.type("zzyzx the bees")
    assert page.locator("body.typing").count() == 1
    page.locator("body:not(.typing) .remark", has_text="zzyzx").wait_for()


def test_search_and_reading_work_without_script(open_page: Open) -> None:
    page = open_page("", java_script_enabled=False)
    page.fill("#q", "the bees dance on the comb")
    page.click("form#search button")
    page.locator("a.hit").first.click()
    page.wait_for_url("**/read?*")  # until the whole page has arrived
    assert page.locator("mark#hit").count() == 1
    assert page.locator("button.copy:visible").count() == 0


@pytest.mark.parametrize("with_script", [True, False])
def test_a_pasted_text_comes_back_marked(open_page: Open, address: str, with_script: bool) -> None:
    page = open_page("", java_script_enabled=with_script, viewport=PHONE)
    page.get_by_role("link", name="Check quotations").click()
    text = "“The dance is a figure of nine with a straight run”\n\n<script>alert(1)</script> Äpfel=1\n"
    page.get_by_label("Paste a text").fill(text)
    page.get_by_role("button", name="Check").click()
    assert (
        page.locator("mark.differs[id]").text_content() == "The dance is a figure of nine with a straight run"
    )
    assert page.get_by_role("status").text_content() == "1 quotation: 1 differs"
    assert page.get_by_label("The text").input_value().strip() == text.strip()
    assert page.url == address + "check"
    if with_script:
        page.evaluate(AXE)
        assert page.evaluate(f"axe.run(document, {{runOnly: {AXE_LEVELS}}})")["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_citation_is_copied(open_page: Open, address: str, library: Library) -> None:
    hit = library.search("lamp", limit=1)[0]
    page = open_page("search?q=lamp")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("button.copy").first.click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == str(library.cite(hit))
    page.locator("button.copy").nth(1).click()
    page.wait_for_timeout(50)
    copied = page.evaluate(
        """async () => {
            const [item] = await navigator.clipboard.read();
            return (await item.getType("text/html")).text();
        }"""
    )
    assert "<i>" in copied
    assert hit.sentence is not None
    assert hit.sentence.split()[0] in copied


def test_colours_and_cuts_are_kept_from_page_to_page(open_page: Open, library: Library, address: str) -> None:
    page = open_page("")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.get_by_label("Colours: dark").count() == 1
    page.goto(f"{address}book/{library.book('quiet').book_id[:16]}/read")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    assert page.locator(".cut:visible").count() == 0
    page.check("#show-cuts")
    assert page.locator(".cut:visible").count() > 1
    page.reload()
    assert page.locator(".cut:visible").count() > 1
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground


def test_a_quotation_is_looked_for_by_keys(open_page: Open) -> None:
    page = open_page("")
    page.keyboard.press("/")
    page.keyboard.type("a figure of eight with a straight run")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/find?*")
    assert page.locator("mark").inner_text() == "a figure of eight with a straight run"
    page.locator("a.hit").press("Enter")
    page.wait_for_url("**/read?*")
    assert page.locator("mark#hit").count() == 1
