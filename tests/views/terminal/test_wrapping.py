"""Lines of a terminal in every script: no wider than it, and broken where a reader would."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from alexandria.show.terminal.wrapping import print_wrapped, shorten_middle, wrap

CHINESE = "他在 1915 年写了这封信，说：「我再也不回去了。」然后他把灯吹灭。"


def lines(text: str, width: int) -> list[str]:
    return [line.plain for line in wrap(Text(text), width)]


def test_a_line_is_broken_where_a_reader_would() -> None:
    cases: dict[str, tuple[str, int, list[str]]] = {
        "words": ("a lamp in the window", 8, ["a lamp", "in the", "window"]),
        "no stop begins a line": ("灯亮了。他走了。", 6, ["灯亮", "了。他", "走了。"]),
        "no quotation mark ends a line": ("他说：「不回去」", 8, ["他说：", "「不回", "去」"]),
        "numbers stay whole": ("他写于 1915 年", 11, ["他写于 1915", "年"]),
        "a word wider than a line": ("a_very_long_name灯", 6, ["a_very", "_long_", "name灯"]),
        "Arabic, between words": ("قرأ الرسالة مرتين", 12, ["قرأ الرسالة", "مرتين"]),
    }
    for text, width, expected in cases.values():
        assert lines(text, width) == expected


@given(st.text(alphabet="ab 灯亮了。，「」（）éカな-1", max_size=60), st.integers(min_value=6, max_value=30))
def test_no_line_is_too_wide_and_no_character_is_lost(text: str, width: int) -> None:
    wrapped = lines(text, width)
    assert all(cell_len(line) <= width for line in wrapped)
    assert "".join("".join(wrapped).split()) == "".join(text.split())


def test_no_printed_line_is_wider_than_the_terminal() -> None:
    for lead in [None, Text(""), Text("1. "), Text("1,000. ")]:
        console = Console(width=20, force_terminal=True, color_system=None)
        with console.capture() as capture:
            print_wrapped(console, Text("ab " * 30), lead)
        printed = capture.get().splitlines()
        assert len(printed) > 1
        assert all(cell_len(line) <= 20 for line in printed)


def test_what_is_marked_stays_marked() -> None:
    text = Text(CHINESE)
    text.stylize("bold", 5, 20)
    marked = [line.plain[span.start : span.end] for line in wrap(text, 20) for span in line.spans]
    assert "".join(marked).replace(" ", "") == CHINESE[5:20].replace(" ", "")


def test_the_middle_of_a_long_text_is_left_out() -> None:
    cases = [
        ("a lamp in the window", 20, "a lamp in the window"),
        ("a lamp in the window of the house", 21, "a lamp in … the house"),
        (CHINESE, 29, "他在 1915 年 … 他把灯吹灭。"),
        ("灯亮了，他在窗前写信，灯灭了，他走了。", 19, "灯亮了， … 他走了。"),
    ]
    for text, width, expected in cases:
        assert shorten_middle(text, width) == expected
        assert cell_len(expected) <= width
