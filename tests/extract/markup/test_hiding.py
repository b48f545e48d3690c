"""What style sheets do not show is left out, as far as that is certain."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from alexandria.extract import extract

TEXT = "<p>Before.</p>{body}<p>After.</p>"
HIDDEN = {
    "class": (".x{display:none}", '<p class="a x">Gone.</p>'),
    "visibility": ("p.x { visibility : hidden ; }", '<p class="x">Gone.</p>'),
    "collapse": (".x{visibility:collapse}", '<p class="x">Gone.</p>'),
    "id": ("#x{color:red;display:none}", '<p id="x">Gone.</p>'),
    "name": ("aside{display:none}", "<aside>Gone.</aside>"),
    "compound": ("p.x.y{display:none}", '<p class="y x">Gone.</p>'),
    "any of a list": ("h6, .x,b{display:none}", '<p class="x">Gone.</p>'),
    "descendant": (".y .x{display:none}", '<div class="y"><div><p class="x">Gone.</p></div></div>'),
    "child": (".y > .x{display:none}", '<div class="y"><p class="x">Gone.</p></div>'),
    "within a line": (".x{display:none}", '<p>One<i class="x"> Gone.</i></p>'),
    "important": (".x{display:none!important} .x{display:block}", '<p class="x">Gone.</p>'),
    "important before style": (".x{display:none !important}", '<p class="x" style="display:block">Gone.</p>'),
    "later": (".x{display:block} .x{display:none}", '<p class="x">Gone.</p>'),
    "more specific": ("p.x{display:none} p{display:block} .x{display:block}", '<p class="x">Gone.</p>'),
    "for screens": ("@media screen{.x{display:none}}", '<p class="x">Gone.</p>'),
    "for all": ("@media print, all {.x{display:none}} .y{}", '<p class="x">Gone.</p>'),
    "shown in print": (".x{display:none} @media print{.x{display:block}}", '<p class="x">Gone.</p>'),
    "shown under the mouse": (".x{display:none} .y:hover .x{display:block}", '<p class="x">Gone.</p>'),
    "comments": ("/* .x{} */ .x{/* } */display:none}", '<p class="x">Gone.</p>'),
    "capitals": (".x{DISPLAY:NONE}", '<p class="x">Gone.</p>'),
    "after an import": ('@import url("a.css"); .x{display:none}', '<p class="x">Gone.</p>'),
    "shown by its class, elsewhere": (
        ".x{display:none} .y .x{display:block}",
        '<p class="x">Gone.</p><div class="y"><p class="x">Two.</p></div>',
    ),
    "visible within, in its own style": (
        ".x{visibility:hidden}",
        '<div class="x"><p>Gone.</p><div><p style="visibility: visible">Two.</p></div></div>',
    ),
    "visible within": (
        ".x{visibility:hidden} .v{visibility:visible}",
        '<div class="x"><p>Gone.</p><div><p class="v">Two.</p></div></div>',
    ),
}
SHOWN = {
    "other class": (".x{display:none}", '<p class="xy x-1">Stays.</p>'),
    "in print": ("@media print{.x{display:none}}", '<p class="x">Stays.</p>'),
    "in print on paper": ("@media print and (color) {.x{display:none}}", '<p class="x">Stays.</p>'),
    "of a reader": ("@media amzn-mobi{.x{display:none}}", '<p class="x">Stays.</p>'),
    "on narrow screens": ("@media (max-width:600px){.x{display:none}}", '<p class="x">Stays.</p>'),
    "if supported": ("@supports (display:grid){.x{display:none}}", '<p class="x">Stays.</p>'),
    "later rule": (".x{display:none} .x{display:block}", '<p class="x">Stays.</p>'),
    "heavier rule": ("p.x{display:block} .x{display:none}", '<p class="x">Stays.</p>'),
    "important rule": (".x{display:block !important} #x{display:none}", '<p class="x" id="x">Stays.</p>'),
    "below another": (
        ".x{display:none} .y .x{display:block}",
        '<div class="y"><p class="x">Stays.</p></div>',
    ),
    "not a child": (".y > .x{display:none}", '<div class="y"><div><p class="x">Stays.</p></div></div>'),
    "sibling": ("h1 + .x{display:none}", '<p class="x">Stays.</p>'),
    "attribute": ("p[class]{display:none}", '<p class="x">Stays.</p>'),
    "negation": (".x:not(.y){display:none}", '<p class="x">Stays.</p>'),
    "shown in doubt": (".x{display:none} p:not(.y){display:block}", '<p class="x">Stays.</p>'),
    "shown on wide screens": (
        ".x{display:none} @media (min-width:9em){.x{display:block}}",
        '<p class="x">Stays.</p>',
    ),
    "part of an element": (".x::before{display:none} .x:first-line{display:none}", '<p class="x">Stays.</p>'),
    "under the mouse": (".x:hover{display:none}", '<p class="x">Stays.</p>'),
    "value of the other property": (".x{visibility:none; display:hidden}", '<p class="x">Stays.</p>'),
    "other property": (".x{-x-display:none; backface-visibility:hidden}", '<p class="x">Stays.</p>'),
    "own style": (".x{display:none}", '<p class="x" style="display:block">Stays.</p>'),
    "damaged": ("}} .x{{display:none", '<p class="x">Stays.</p>'),
    "page": ("@page{display:none}", "<p>Stays.</p>"),
}


def html(sheet: str, body: str) -> str:
    return f"<html><head><style>{sheet}</style></head><body>{TEXT.format(body=body)}</body></html>"


def test_what_a_style_sheet_hides_is_left_out_and_counted(tmp_path: Path) -> None:
    for sheet, body in HIDDEN.values():
        (tmp_path / "a.html").write_text(html(sheet, body))
        book = extract(tmp_path / "a.html")
        words = [word for word in ("One", "Two.") if word in body]
        assert book.text.split() == ["Before.", *words, "After."]
        assert [(part.kind, part.words) for part in book.left_out] == [("hidden", 1)]


def test_what_is_shown_or_in_doubt_stays(tmp_path: Path) -> None:
    for sheet, body in SHOWN.values():
        (tmp_path / "a.html").write_text(html(sheet, body))
        book = extract(tmp_path / "a.html")
        assert (book.text.split(), book.left_out) == (["Before.", "Stays.", "After."], ())


@pytest.mark.parametrize(
    ("head", "stays"),
    [
        ('<link rel="stylesheet" href="s.css"/>', False),
        ('<link rel="stylesheet" href="s.css" media="print"/>', True),
        ('<link rel="alternate stylesheet" href="s.css"/>', True),
        ('<link rel="stylesheet" href="s.css"/><style>.x{display:block}</style>', True),
        ('<style>.x{display:block}</style><link rel="stylesheet" href="s.css"/>', False),
        ('<style media="print">.x{display:none}</style>', True),
    ],
)
def test_each_document_has_its_own_style_sheets(head: str, stays: bool, tmp_path: Path) -> None:
    """One hides what another document, which does not link to it, shows."""
    body = '<body><h1>T</h1><p class="x">One.</p><p>Two.</p></body></html>'
    write_epub(
        tmp_path / "a.epub",
        {
            "a.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head>{body}',
            "b.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head></head>{body}',
            "s.css": ".x{display:none}",
        },
    )
    assert extract(tmp_path / "a.epub").text.split() == [
        *("T", "One.", "Two.")[:: 1 if stays else 2],
        *("T", "One.", "Two."),
    ]


def write_epub(path: Path, files: Mapping[str, str]) -> None:
    """Write a book of two documents, `a.xhtml` and `b.xhtml`."""
    items = "".join(f'<item id="{n[0]}" href="{n}" media-type="application/xhtml+xml"/>' for n in files)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
        f'<manifest>{items}</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    place = '<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", f"<container><rootfiles>{place}</rootfiles></container>")
        for name, content in {**files, "p.opf": package}.items():
            archive.writestr(name, content)
