"""Text after the end of a nested section is under the heading around it, as HTML's sectioning says."""

from pathlib import Path

from alexandria.book.model import BlockKind
from alexandria.extract import extract
from tests.extract.markup.test_hiding import write_epub

B = "<section><h2>B</h2><p>b</p></section>"
CASES = {
    "section": (f"<section><h1>A</h1><p>a</p>{B}<p>c</p></section>", "A:a A/B:b A:c"),
    "article": ("<article><h1>A</h1><article><h2>B</h2><p>b</p></article><p>c</p></article>", "A/B:b A:c"),
    "at once": (f"<section><h1>A</h1>{B}<p>c</p></section>", "A/B:b A:c"),
    "of the body": (f"<h1>A</h1>{B}<p>c</p>", "A/B:b A:c"),
    "two levels": (
        "<section><h1>A</h1><section><h2>B</h2><section><h3>C</h3><p>c</p></section></section><p>d</p></section>",
        "A/B/C:c A:d",
    ),
    "one level of two": (
        "<section><h1>A</h1><section><h2>B</h2><section><h3>C</h3><p>c</p></section><p>d</p></section></section>",
        "A/B/C:c A/B:d",
    ),
    "again": (
        f"<section><h1>A</h1>{B}<p>c</p>{B.replace('B', 'D')}<p>e</p></section>",
        "A/B:b A:c A/D:b A:e",
    ),
    "the last heading in it": (
        f"<section><h1>A</h1><h2>X</h2><p>x</p>{B.replace('2', '3')}<p>c</p></section>",
        "A/X:x A/X/B:b A/X:c",
    ),
    "in a list": (f"<section><h1>A</h1>{B}<ul><li>c</li></ul></section>", "A/B:b A:c"),
    "heading after it": (f"<section><h1>A</h1>{B}<p>c</p><h2>D</h2><p>d</p></section>", "A/B:b A:c A/D:d"),
    "no section": ("<div><h1>A</h1><div><h2>B</h2><p>b</p></div><p>c</p></div>", "A/B:b A/B:c"),
    "headings in headers": (
        "<section><header><h1>A</h1></header><p>a</p><header><h2>B</h2></header><p>b</p></section>",
        "A:a A/B:b",
    ),
    "headings in divisions": ("<div><h1>A</h1></div><p>a</p><div><h2>B</h2></div><p>b</p>", "A:a A/B:b"),
    "heading in a group": ("<section><hgroup><h1>A</h1><p>s</p></hgroup><p>a</p></section>", "A: s:a"),
    "a section around the heading alone": (
        "<section><h1>A</h1><p>a</p><section><h2>B</h2></section><p>b</p></section>",
        "A:a A/B:b",
    ),
    "the same, and a section in it": (
        "<section><h1>A</h1><p>a</p><section><h2>B</h2></section><p>b</p>"
        "<section><h3>C</h3><p>c</p></section><p>d</p></section>",
        "A:a A/B:b A/B/C:c A/B:d",
    ),
    "sections around headings and text": (
        "<section><h1>A</h1></section><section><p>a</p></section><section><h1>B</h1></section><p>b</p>",
        "A:a B:b",
    ),
    "after all sections": ("<section><h1>A</h1><p>a</p></section><p>b</p>", "A:a A:b"),
    "after each of sections beside each other": (
        f"<section><h2>A</h2><p>a</p></section><p>c</p>{B}<p>d</p>{B.replace('B', 'E')}<p>f</p>",
        "A:a A:c B:b B:d E:b E:f",
    ),
    "untitled section": ("<section><h1>A</h1><section><p>a</p></section><p>b</p></section>", "A:a A:b"),
}


def places(path: Path) -> str:
    """Return each paragraph with its heading path."""
    blocks = [block for block in extract(path).blocks if block.kind is not BlockKind.HEADING]
    return " ".join(
        f"{'/'.join(block.location.headings)}:{block.text.removeprefix('• ')}" for block in blocks
    )


def test_text_is_under_the_heading_whose_section_it_is_in(tmp_path: Path) -> None:
    for body, expected in CASES.values():
        (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
        assert places(tmp_path / "a.html") == expected
        page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
        write_epub(tmp_path / "a.epub", {"a.xhtml": page, "b.xhtml": page})
        assert places(tmp_path / "a.epub") == f"{expected} {expected}"


def test_text_at_the_start_of_a_file_is_under_the_last_heading_of_the_file_before(tmp_path: Path) -> None:
    first, second = CASES["at once"][0], "<section><p>d</p></section><p>e</p>"
    write_epub(tmp_path / "a.epub", {"a.xhtml": f"<html><body>{first.replace('<p>c</p>', '')}</body></html>",
               "b.xhtml": f"<html><body>{second}</body></html>"})  # fmt: skip
    assert places(tmp_path / "a.epub") == "A/B:b A/B:d A/B:e"
