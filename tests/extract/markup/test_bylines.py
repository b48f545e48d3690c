"""Chapters of books by several authors: who wrote them, and what looks like a byline."""

from pathlib import Path
from zipfile import ZipFile

from alexandria.extract import extract
from tests.pairs import by_pairs

TEXTS = (
    "The keeper lit the lamp before the tide turned, and the boats came home in a long line.",
    "An old woman sold bread beside the pump and told each buyer a story about the war.",
)
TITLES = ("Lamps of the North", "Bread and War")
NAMES = ("Ida Marsh", "Ada Wren")
BOTH = [("Lamps of the North", "Ida Marsh"), ("Bread and War", "Ada Wren")]
EDITED = "<dc:creator id='e'>Rosa Field</dc:creator><meta refines='#e' property='role'>edt</meta>"
AUTHORED = EDITED.replace(">edt", ">aut")


def contributions(
    path: Path, chapters: list[str], people: str, head: str = ""
) -> list[tuple[str, str] | None]:
    """Write an EPUB with a document per chapter; return the contribution that each of its sections is in."""
    items = "".join(
        f"<item id='i{n}' href='{n}.xhtml' media-type='application/xhtml+xml'/>"
        for n, _ in enumerate(chapters)
    )
    spine = "".join(f"<itemref idref='i{n}'/>" for n, _ in enumerate(chapters))
    opf = (
        "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata "
        "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>Harbours</dc:title><dc:language>en</dc:language>"
        f"{people}</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    with ZipFile(path / "book.epub", "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", "<container><rootfile full-path='a.opf'/></container>")
        archive.writestr("a.opf", opf)
        for n, chapter in enumerate(chapters):
            archive.writestr(
                f"{n}.xhtml",
                "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'><head>"
                f"<title>x</title>{head.format(name=NAMES[n % 2])}</head><body>{chapter}</body></html>",
            )
    return [section.contribution for section in extract(path / "book.epub").sections]


def chapters_with(byline: str, text: str = "<p>{text}</p>") -> list[str]:
    """Two chapters by two people; the pattern has `heading`, `title`, `name`, `NAME`, `last` for theirs."""
    return [
        (byline + text).format(
            heading=f"<h1>{title}</h1>",
            title=title,
            name=name,
            NAME=name.upper(),
            last=name.split()[1],
            text=words,
        )
        for title, name, words in zip(TITLES, NAMES, TEXTS, strict=True)
    ]


LINES = [
    "{heading}<p class='chapter-author'>{name}</p>",
    "{heading}<p class='chapterauthor'>{name}</p>",
    "{heading}<p class='x03-Chapter-Author'>{name}</p>",
    "{heading}<p class='Author'>{NAME}</p>",
    "{heading}<h2 class='author'>{name}</h2>",
    "{heading}<p class='byline'>by {name}</p>",
    "{heading}<p>By {name}</p>",
    "{heading}<p><i>by</i> <b>{name}</b></p>",
    "{heading}<h3>by {name}</h3>",
    "{heading}<p><span epub:type='z3998:author'>{name}</span></p>",
    "{heading}<div class='authors'><p>{name}</p><p class='affiliation'>University of Hull</p></div>",
    "{heading}<p class='au'>{name}<sup>1</sup></p>",
    "{heading}<p class='author'>{name}<br/>University of Hull</p>",
    "{heading}<p class='subtitle'>A story</p><p class='author'>{name}</p>",
    "<p class='author'>{name}</p>{heading}",
    "<header>{heading}<p class='author'>{name}</p></header>",
    "{heading}<p class='author'>{name} | University of Hull</p>",
    "{heading}<p class='author'>{name}, Department of History, University of Hull</p>",
    "<h1>{title}<br/><span class='author'>{name}</span></h1>",
    "<h1>{title} <span class='author'>by {name}</span></h1>",
    "<h1>{title}, <small>by <span class='author'>{name}</span></small></h1>",
    "<div class='book'>{heading}<p class='author'>{name}<a epub:type='noteref' href='#n'>*</a></p></div>",
]


@by_pairs(("people", {"editors stated": EDITED, "nobody stated": ""}), ("byline", LINES))
def test_a_byline_at_a_heading_names_the_author_of_the_chapter(
    byline: str, people: str, tmp_path: Path
) -> None:
    # Where no contents say otherwise, a byline above its heading is in no chapter, or in the one before.
    found = contributions(tmp_path, chapters_with(byline), people)
    assert [contribution for contribution in found if contribution] == BOTH


def test_a_name_alone_is_a_byline_only_in_an_edited_book(tmp_path: Path) -> None:
    cases = [
        "{heading}<h2>{name}</h2>",
        "{heading}<p>{NAME}</p>",
        "{heading}<h3><i>{name}</i></h3>",
        "<hgroup>{heading}<p>{name}</p></hgroup>",
    ]
    for byline in cases:
        assert contributions(tmp_path, chapters_with(byline), EDITED) == BOTH
        assert not any(contributions(tmp_path, chapters_with(byline), AUTHORED))


def test_a_class_shows_names_of_one_word_and_without_spaces(tmp_path: Path) -> None:
    for names in [("Voltaire", "Colette"), ("魯迅", "夏目漱石"), ("夏目 漱石", "김소월")]:
        pairs = list(zip(TITLES, names, strict=True))
        chapters = [f"<h1>{title}</h1><p class='author'>{name}</p><p>{TEXTS[0]}</p>" for title, name in pairs]
        assert contributions(tmp_path, chapters, EDITED) == pairs
        without_class = [chapter.replace(" class='author'", "") for chapter in chapters]
        assert not any(contributions(tmp_path, without_class, EDITED))


def test_a_name_in_a_heading_that_is_no_byline_stays_in_it(tmp_path: Path) -> None:
    found = contributions(
        tmp_path, chapters_with("<h1>{title} <span class='author'>Rosa Field</span></h1>"), AUTHORED
    )
    assert not any(found)
    assert extract(tmp_path / "book.epub").blocks[0].text == "Lamps of the North Rosa Field"


def test_metadata_of_a_document_names_the_author_of_its_chapter(tmp_path: Path) -> None:
    head = "<meta name='author' content='{name}'/>"
    assert contributions(tmp_path, chapters_with("{heading}"), EDITED, head) == BOTH


def test_the_same_metadata_in_each_document_are_those_of_the_book(tmp_path: Path) -> None:
    head = "<meta name='author' content='Ida Marsh'/>"
    assert not any(contributions(tmp_path, chapters_with("{heading}"), EDITED, head))


def test_several_authors_and_sections_below_a_chapter(tmp_path: Path) -> None:
    byline = "{heading}<p class='author'>{name}</p><p class='author'>Tom van der Hale and J. R. Lund</p>"
    found = contributions(
        tmp_path, chapters_with(byline, "<p>{text}</p><h2>Section</h2><p>{text}</p>"), EDITED
    )
    names = "Ida Marsh, Tom van der Hale, J. R. Lund"
    assert found[0] == found[1] == ("Lamps of the North", names)


def test_what_only_looks_like_a_byline_is_none(tmp_path: Path) -> None:
    cases: dict[str, tuple[str, str]] = {
        "own author": ("{heading}<p class='author'>Rosa Field</p>", AUTHORED),
        "one author of all": ("{heading}<p>By Rosa Field</p>", ""),
        "epigraph": ("{heading}<p class='epigraph'>All is salt.</p><p class='author'>{name}</p>", EDITED),
        "class of epigraphs": ("{heading}<p class='epigraph-author'>{name}</p>", EDITED),
        "quotation": (
            "{heading}<blockquote><p>All is salt.</p><p class='author'>{name}</p></blockquote>",
            EDITED,
        ),
        "dash": ("{heading}<p class='author'>— {name}</p>", EDITED),
        "small letters": ("{heading}<p class='author'>and others</p>", EDITED),
        "sentence": ("{heading}<p>By {name}, who lit the lamp, the boats came home.</p>", EDITED),
        "no name": ("{heading}<p>By night and day</p>", EDITED),
        "nouns": ("{heading}<p>By Land and Sea</p>", EDITED),
        "translator": ("{heading}<p class='author'>Translated by {name}</p>", EDITED),
        "class of translators": ("{heading}<p class='translator'>{name}</p>", EDITED),
        "subtitle of words": ("{heading}<h2>Early Keepers</h2>", EDITED),
        "headings": ("{heading}<h2>Early {last}</h2><p>{text}</p><h2>Later {last}</h2>", EDITED),
        "same in each": ("{heading}<h2>Learning Goals</h2>", EDITED),
        "title below a number": ("<h1>Chapter 1</h1><h2>{name}</h2>", EDITED),
        "told by a person": ("{heading}<p>{name}</p>", AUTHORED),
        "at the end": ("{heading}<p>{text}</p><p class='author'>{name}</p>", EDITED),
        "title of the book": ("<h1>Harbours</h1><p class='author'>{name}</p>", EDITED),
        "in a story": ("{heading}<h2>New {last}</h2><p>x</p><h1>One</h1><p>x</p><h1>Two</h1>", EDITED),
        "few of the headings": (
            "{heading}<p>x</p><h1>{last}</h1><p>x</p><h1>More</h1><p class='byline'>By Mr. Pott</p>",
            AUTHORED,
        ),
    }
    for chapter, people in cases.values():
        text = "<p>{text} The early keepers had goals of learning, and later others.</p>"
        assert not any(contributions(tmp_path, chapters_with(chapter, text), people))
