"""Notes in the attributes of their marks, and attributes that are none."""

from pathlib import Path

from alexandria.book.model import Book
from alexandria.extract import extract

NOTES = {
    "weread": ('灯塔<img class="qqreader-footnote" alt="指看守人。" src="n.png"/>亮了。', "灯塔亮了。"),
    "zhangyue": ('灯塔<img class="epub-footnote" zy-footnote="指看守人。" alt="注"/>亮了。', "灯塔亮了。"),
    "zhangyue in a link to nothing": (
        '灯塔<sup><a href="#gone"><img src="x.png" zy-footnote="指看守人。"/></a></sup>亮了。',
        "灯塔亮了。",
    ),
    "weread on the web": ('灯塔<span class="x" data-wr-footernote="指看守人。"></span>亮了。', "灯塔亮了。"),
    "picture named footnote": ('灯塔<img src="../i/footnote_1.png" alt="指看守人。"/>亮了。', "灯塔亮了。"),
    "raised mark": (
        'The house<span class="x" title="A tavern."><sup>1</sup></span> stood.',
        "The house stood.",
    ),
    "script": (
        'The house<a href="javascript:void(0)" title="A tavern."><sup>[1]</sup></a> stood.',
        "The house stood.",
    ),
    "label": ('The house<sup aria-label="A tavern.">*</sup> stood.', "The house stood."),
    "popover": (
        'The house<button class="popover-toggle" data-bs-content="A tavern.">2</button> stood.',
        "The house stood.",
    ),
    "words": ('The <span data-note="A tavern.">house</span> stood.', "The house stood."),
    "words of a class": (
        'The <span class="footnote" title="A tavern.">house</span> stood.',
        "The house stood.",
    ),
}
PLAIN = {
    "picture": ('The <img class="icon" alt="A tavern."/> stood.', "The A tavern. stood."),
    "abbreviation": ('The <abbr title="A tavern.">T.</abbr> stood.', "The T. stood."),
    "tooltip of a link": ('The <a href="x.html" title="A tavern.">house</a> stood.', "The house stood."),
    "tooltip of a word": (
        'The <span class="tooltip" title="A tavern.">house</span> stood.',
        "The house stood.",
    ),
    "page elsewhere": (
        'The house<sup><a href="https://a.example" title="Opens a tab.">1</a></sup> stood.',
        "The house1 stood.",
    ),
    "id": ('The <span data-note="tavern-1">house</span> stood.', "The house stood."),
    "name of the note": ('The house<sup title="See footnote 3">3</sup> stood.', "The house3 stood."),
    "unit": ('The house has 9 m<sup class="x">2</sup> there.', "The house has 9 m2 there."),
}


def read(folder: Path, paragraph: str) -> Book:
    path = folder / "a.html"
    path.write_text(f"<html><body><h1>I</h1><p>{paragraph}</p><p>Then.</p></body></html>", encoding="utf-8")
    return extract(path)


def test_a_note_in_an_attribute_is_a_note(tmp_path: Path) -> None:
    for paragraph, text in NOTES.values():
        book = read(tmp_path, paragraph)
        assert [block.text for block in book.blocks] == ["I", text, "Then."]
        (note,) = book.notes
        assert note.text in ("A tavern.", "指看守人。")
        assert note.cited_at is not None
        assert book.text[: note.cited_at].endswith(("house", "灯塔"))


def test_other_attributes_are_what_they_were(tmp_path: Path) -> None:
    for paragraph, text in PLAIN.values():
        book = read(tmp_path, paragraph)
        assert ([block.text for block in book.blocks], book.notes) == (["I", text, "Then."], ())


def test_a_mark_that_leads_to_its_note_is_not_doubled(tmp_path: Path) -> None:
    mark = '灯塔<a class="duokan-footnote" href="#n"><img alt="注" zy-footnote="指看守人。"/></a>亮了。'
    book = read(tmp_path, f'{mark}</p><aside id="n" class="duokan-footnote-item">指看守人。</aside><p>')
    assert [note.text for note in book.notes] == ["指看守人。"]
