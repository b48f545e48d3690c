"""The page in headless Chromium, from file://, without a network.

Skipped, with the reason, where Playwright (`pip install '.[browser]'`) or Chromium is absent.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from alexandria.library.inspect.comparison import Comparison
from alexandria.show.html.page import render
from tests.chromium import AXE, AXE_LEVELS, DESK, PHONE
from tests.conftest import SAMPLES
from tests.inspection.made import compared, document_of, hostile_book

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EPUB = SAMPLES / "the-quiet-trades.epub"
COMPARED = compared(EPUB, "universal-semantic", "optimal")
ONE = Comparison.of(COMPARED.inspections[:1])
SENTENCES = [one for chunk in ONE.inspections[0].chunks for one in chunk.sentences]

Open = Callable[..., "Page"]


@pytest.fixture
def open_page(chromium: "Browser", tmp_path: Path) -> Iterator[Open]:
    """Open a comparison's page; the test fails on any message of the console and on any request."""
    complaints: list[str] = []
    requests: list[str] = []
    contexts = []

    def opened(comparison: Comparison, **options: Any) -> "Page":
        file = tmp_path / "page.html"
        file.write_text(render(comparison), encoding="utf-8")
        contexts.append(chromium.new_context(**{"viewport": DESK, "offline": True, **options}))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert {url.rpartition("/")[2] for url in requests} <= {"page.html"}


def hover(page: "Page", gap: int, n_gaps: int, way: int = 0) -> tuple[float, float]:
    """Move to a gap on the curve that shows the whole book, and return where that is."""
    over = page.locator(".u-over").nth(way)
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box
    right = box["x"] + box["width"] - 1
    at = min(box["x"] + box["width"] * gap / (n_gaps - 1), right), box["y"] + box["height"] / 2
    page.mouse.move(*at)
    return at


@pytest.mark.parametrize("gap", [0, 10, 77, 200])
def test_hover_shows_the_sentences_on_both_sides(gap: int, open_page: Open) -> None:
    page, way = open_page(ONE), ONE.inspections[0]
    hover(page, gap, len(way.similarities))
    assert page.locator(".gap .before").text_content() == SENTENCES[gap]
    assert page.locator(".gap .after").text_content() == SENTENCES[gap + 1]
    numbers = page.locator(".gap .numbers").text_content() or ""
    similarity = document_of(way)["similarities"][gap]
    assert numbers.startswith(f"gap {gap}: similarity {similarity:z.3f} < 0.550")
    cut = {one.gap: one for one in way.boundaries}.get(gap)
    assert (f"cut: {cut.reason}, A new " if cut else "not cut") in numbers
    assert ("first chance" in numbers) == (cut is not None)


def test_click_jumps_to_the_chunk_after_the_cut(open_page: Open) -> None:
    page, way = open_page(ONE), ONE.inspections[0]
    chunk = way.chunks[6]
    assert chunk.boundary
    page.mouse.click(*hover(page, chunk.boundary.gap, len(way.similarities)))
    focused = page.locator(":focus")
    assert focused.get_attribute("id") == f"at{chunk.start}"
    assert focused.locator("h3").text_content() == "chunk 6"
    page.wait_for_timeout(300)  # a few frames, until the layout is stable
    box, header = focused.bounding_box(), page.locator("header").bounding_box()
    assert box
    assert header
    assert 0 <= box["y"] - header["height"] < 40


def test_a_finger_points_and_the_button_goes(open_page: Open) -> None:
    """A tap cannot hover first: it shows the gap and leaves the reader where the curve is."""
    page, way = open_page(ONE, viewport=PHONE, has_touch=True, is_mobile=True), ONE.inspections[0]
    over = page.locator(".u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 60)
    numbers = page.locator(".gap .numbers").text_content() or ""
    gap = int(re.findall(r"\d+", numbers)[0])
    assert abs(gap - 100) <= 1
    assert page.locator(":focus.piece").count() == 0
    page.touchscreen.tap(box["x"] + box["width"] / 4, box["y"] + 60)  # nothing was zoomed
    assert abs(int(re.findall(r"\d+", page.locator(".gap .numbers").text_content() or "")[0]) - 50) <= 1
    over.evaluate(
        "(over, clientX) => over.dispatchEvent("
        "new PointerEvent('pointermove', { pointerType: 'touch', clientX }))",
        box["x"] + box["width"] / 2,
    )
    gap = int(re.findall(r"\d+", page.locator(".gap .numbers").text_content() or "")[0])
    assert abs(gap - 100) <= 1
    page.get_by_role("button", name="Go to the text").tap()
    assert page.locator(":focus").get_attribute("id") == f"at{way.chunk_of(gap + 1).start}"


def test_a_drag_zooms_and_a_button_shows_the_whole_book(open_page: Open) -> None:
    page, n_gaps = open_page(ONE), len(ONE.inspections[0].similarities)
    x, y = hover(page, 50, n_gaps)
    page.mouse.down()
    page.mouse.move(x + 100, y)
    page.mouse.up()
    page.mouse.move(x, y)
    near = page.locator(".gap .numbers").text_content()
    page.mouse.move(x + 100, y)
    far = page.locator(".gap .numbers").text_content()
    gaps = [int(re.findall(r"\d+", text or "")[0]) for text in (near, far)]
    assert gaps[1] - gaps[0] < 100 * n_gaps / 800 / 4
    page.get_by_role("button", name="Whole book").click()
    hover(page, 0, n_gaps)
    assert (page.locator(".gap .numbers").text_content() or "").startswith("gap 0:")


def test_the_curve_answers_to_the_keyboard(open_page: Open) -> None:
    page, way = open_page(ONE), ONE.inspections[0]
    curve = page.get_by_role("slider")
    curve.focus()
    for key, gap in (("ArrowRight", 1), ("End", 200), ("Home", 0), ("PageDown", way.boundaries[0].gap)):
        page.keyboard.press(key)
        assert curve.get_attribute("aria-valuenow") == str(gap)
    page.keyboard.press("+")
    assert "first chance after 200 words" in (curve.get_attribute("aria-valuetext") or "")
    page.keyboard.press("Enter")
    assert page.locator(":focus").get_attribute("id") == f"at{way.chunks[1].start}"


def test_single_keys_search_step_and_can_be_turned_off(open_page: Open) -> None:
    page = open_page(ONE)
    page.keyboard.press("/")
    page.keyboard.type("Kitchen")
    page.locator("#hits:not(:empty)").wait_for()
    wanted = [one for one in SENTENCES if "kitchen" in one.lower()]
    assert page.locator("#hits").text_content() == f"{len(wanted)} sentences"
    assert page.locator(".words .hit").all_text_contents() == wanted
    for n, key in ((1, "Enter"), (2, "Enter"), (1, "Shift+Enter")):
        page.keyboard.press(key)
        assert page.locator("#hits").text_content() == f"{n} of {len(wanted)}"
        assert page.locator(".here").text_content() == wanted[n - 1]
    page.locator("h1").click()
    page.keyboard.press("n")
    assert page.locator(":focus.piece").count() == 1
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.locator("#single-keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 0


def test_cuts_are_stepped_through_in_order(open_page: Open) -> None:
    page = open_page(ONE)
    page.locator("#text").evaluate("element => element.scrollIntoView()")
    seen = []
    for _ in range(3):
        page.get_by_role("button", name="Next cut").click()
        page.wait_for_timeout(300)  # some frames
        seen.append(page.locator(":focus").get_attribute("id"))
    starts = [f"at{chunk.start}" for chunk in ONE.inspections[0].chunks]
    first = starts.index(seen[0] or "")
    assert seen == starts[first : first + 3]


def test_two_strategies_stand_side_by_side(open_page: Open) -> None:
    page = open_page(COMPARED)
    assert page.locator("figure.plot canvas").count() == 2
    assert page.locator("#agreed").text_content() == str(COMPARED.n_agreed)
    for place in COMPARED.places:
        cards = page.locator(f"#at{place.start} .card")
        assert ["continued" not in (cards.nth(i).get_attribute("class") or "") for i in range(2)] == [
            cut is not None for cut in place.cuts
        ]
    left, right = (page.locator(".card").nth(i).bounding_box() for i in range(2))
    assert left
    assert right
    assert left["y"] == right["y"]
    second = COMPARED.inspections[1]
    hover(page, second.boundaries[0].gap, len(second.similarities), way=1)
    numbers = page.locator(".gap .numbers").nth(1).text_content() or ""
    assert "cost of a cut" in numbers
    assert "Next best: " in numbers


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("comparison", [ONE, COMPARED], ids=["one", "compared"])
def test_axe_finds_nothing_to_object_to(
    comparison: Comparison, viewport: dict[str, int], scheme: str, open_page: Open
) -> None:
    page = open_page(comparison, viewport=viewport, color_scheme=scheme)
    hover(page, 10, len(comparison.inspections[0].similarities))
    page.evaluate(AXE)
    result = page.evaluate(f"axe.run(document, {{runOnly: {AXE_LEVELS}}})")
    violations = [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in result["violations"]]
    assert violations == []
    assert len(result["passes"]) > 15


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_is_wider_than_the_screen(viewport: dict[str, int], open_page: Open, tmp_path: Path) -> None:
    for comparison in (COMPARED, compared(hostile_book(tmp_path))):
        page = open_page(comparison, viewport=viewport)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_dark_ground_follows_the_system_and_the_button(open_page: Open) -> None:
    page = open_page(ONE, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    light = page.evaluate(ground)
    assert (dark, light) == ("rgb(20, 23, 26)", "rgb(255, 255, 255)")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == light


def test_a_hostile_book_does_nothing(open_page: Open, tmp_path: Path) -> None:
    page = open_page(compared(hostile_book(tmp_path)))
    assert page.title() != "taken over"
    hover(page, 0, page.locator(".words span").count() - 1)
    page.locator("#query").fill("taken over")
    page.locator(".words .hit").first.wait_for(state="attached")
    assert page.locator("main img, main script").count() == 0
    assert page.title() != "taken over"


def test_an_injected_script_is_refused_by_the_policy(chromium: "Browser", tmp_path: Path) -> None:
    """If the escaping ever failed, the policy would still hold."""
    file = tmp_path / "page.html"
    planted = "<p>broken escaping <script>document.title = 'taken over'</script></p>"
    file.write_text(render(ONE).replace("</main>", f"{planted}</main>"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(file.as_uri())
    assert "Quiet Trades" in page.title()
    page.close()


def test_paper_shows_all_the_text_and_no_tools(open_page: Open) -> None:
    page = open_page(ONE)
    page.emulate_media(media="print")
    assert not page.locator(".tools").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator(".piece").last.evaluate("one => getComputedStyle(one).contentVisibility") == "visible"
    assert b"%PDF" in page.pdf()[:8]


@pytest.mark.parametrize(
    "text", ["Only this.", "No chapter here. " * 400, "Ω"], ids=["one sentence", "no chapters", "one letter"]
)
def test_small_and_plain_books_look_right(text: str, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(text, encoding="utf-8")
    page = open_page(compared(tmp_path / "book.txt"))
    assert page.locator(".words").first.is_visible()
    assert page.locator("figure.plot").is_visible() == (len(text) > 20)
    assert page.locator("nav li").count() == 1


def test_a_long_book_is_drawn_only_where_it_is_looked_at(open_page: Open, tmp_path: Path) -> None:
    """Text out of sight is laid out when it comes near; the end is reached all the same."""
    sentences = (f"Sentence {n} is about the number {n} and about nothing else." for n in range(4000))
    (tmp_path / "book.txt").write_text(" ".join(sentences), encoding="utf-8")
    comparison = compared(tmp_path / "book.txt", "universal-semantic")
    page, way = open_page(comparison), comparison.inspections[0]
    drawn = page.locator(".piece").evaluate_all(
        "all => all.filter(one => one.checkVisibility === undefined "
        "|| one.querySelector('.words').checkVisibility({contentVisibilityAuto: true})).length"
    )
    assert drawn < len(way.chunks) / 2
    assert "bold line" in (page.locator(".means").text_content() or "")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)  # a few frames, until the layout is stable
    assert page.locator(".words span").last.is_visible()
    assert page.locator(":focus").get_attribute("id") == f"at{way.chunks[-1].start}"


def test_without_javascript_the_text_is_there(open_page: Open) -> None:
    page = open_page(ONE, java_script_enabled=False)
    assert page.locator(".words").first.is_visible()
    assert page.locator(".tools, figure.plot").first.is_hidden()


def test_the_data_block_is_read_as_data(open_page: Open) -> None:
    page = open_page(ONE)
    data = json.loads(page.locator("#data").text_content() or "")
    assert len(data["ways"][0]["similarities"]) == len(SENTENCES) - 1
