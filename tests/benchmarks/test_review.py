"""A blind review: items drawn from several settings, graded by hand or in files, scored and compared."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from alexandria.book.model import Reason
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.library.ingest.one_book import Analysis, analyse
from benchmarks.readers.folder import ReviewFolder
from benchmarks.readers.graded_tables import read_reviews
from benchmarks.readers.grades import Grade, field_report, measure_agreement, review_report
from benchmarks.readers.items import N_WORDS, ReviewItem, draw_items, first_words, last_words
from tests.evaluate.made import book


def analyses() -> dict[str, Analysis]:
    options: dict[str, dict[str, object]] = {
        "A": {"strategy": "recursive", "max_words": 100, "overlap_words": 0},
        "B": {"strategy": "universal-semantic", "threshold": 0.9, "min_words": 40},
    }
    return {
        name: analyse(book(), load_domain(options=one), load_encoder("hashing"))
        for name, one in options.items()
    }


def cuts_of(analysis: Analysis) -> set[int]:
    return {
        analysis.sentences[one.gap + 1].start
        for one in analysis.segmentation.boundaries
        if one.reason is not Reason.SECTION
    }


def test_every_cut_inside_a_section_can_be_drawn_once_with_the_settings_that_cut_there() -> None:
    both = analyses()
    items = draw_items(both, each=10_000)
    assert [item.n for item in items] == list(range(1, len(items) + 1))
    for name, analysis in both.items():
        assert {item.start for item in items if name in item.settings} == cuts_of(analysis)
    assert len({item.start for item in items}) == len(items)


def test_each_setting_has_as_many_items_as_asked_and_shared_places_are_drawn_for_both() -> None:
    both = analyses()
    items = draw_items(both, each=3)
    for name in both:
        assert sum(name in item.settings for item in items) == 3
    same = draw_items({"A": both["A"], "A again": both["A"]}, each=3)
    assert [item.settings for item in same] == [("A", "A again")] * 3


def test_both_sides_of_a_cut_are_slices_of_the_text() -> None:
    both = analyses()
    text = " ".join(both["A"].book.text.split())
    for item in draw_items(both, each=5):
        assert f"{' '.join(item.before.split())} {' '.join(item.after.split())}" in text
        assert text.count(" ".join(item.after.split()[:9]))


def test_the_order_tells_nothing_and_can_be_repeated() -> None:
    starts = [item.start for item in draw_items(analyses(), seed=1)]
    assert starts == [item.start for item in draw_items(analyses(), seed=1)]
    assert starts != sorted(starts)
    assert starts != [item.start for item in draw_items(analyses(), seed=2)]


def test_the_text_around_a_cut_is_limited_and_keeps_its_paragraphs() -> None:
    words = [f"w{i}" for i in range(3 * N_WORDS)]
    text = " ".join(words[:100]) + "\n\n" + " ".join(words[100:])
    assert first_words(text) == " ".join(words[:100]) + "\n\n" + " ".join(words[100:N_WORDS])
    assert last_words(text) == " ".join(words[-N_WORDS:])
    assert last_words("one two\n\nthree\nfour") == first_words("one two\n\nthree\nfour")
    assert last_words("one two\n\nthree\nfour") == "one two\n\nthree\nfour"


def item(n: int, *settings: str, domain: str = "history", title: str = "T") -> ReviewItem:
    return ReviewItem(n, settings, domain, "id", title, 10 * n, f"Before {n}.", f"After {n}.")


def test_a_folder_keeps_the_items_and_hides_the_settings_from_the_reader(tmp_path: Path) -> None:
    folder = ReviewFolder(tmp_path / "review")
    assert folder.items() == []
    folder.add([item(1, "secret"), item(2, "secret", "other")])
    folder.add([item(3, "other")])
    assert folder.items() == [item(1, "secret"), item(2, "secret", "other"), item(3, "other")]
    shown = (folder.path / "items.md").read_text() + (folder.path / "grades.csv").read_text()
    assert all(words in shown for words in ("Before 1.", "After 3.", "CUT 2"))
    assert "secret" not in shown
    assert "other" not in shown
    assert folder.grades_by_reader() == {}


def test_grades_are_read_from_the_filled_in_table_and_from_copies_of_it(tmp_path: Path) -> None:
    folder = ReviewFolder(tmp_path)
    folder.add([item(1, "a"), item(2, "a"), item(3, "a")])
    template = (tmp_path / "grades.csv").read_text()
    assert template == "n,cut,begin,comment\n1,,,\n2,,,\n3,,,\n"
    (tmp_path / "grades-anna.csv").write_text(template.replace("2,,", '2,5,y,"well, yes"\n'))
    (tmp_path / "grades-bo.csv").write_text("\ufeffn;cut;begin;comment\n3;1;NO;\n3;2;N;\n", encoding="utf-8")
    folder.append("me", 1, Grade(4, begins=True))
    folder.append("me", 2, Grade(3, begins=False))
    assert folder.grades_by_reader() == {
        "anna": {2: Grade(5, begins=True)},
        "bo": {3: Grade(2, begins=False)},
        "me": {1: Grade(4, begins=True), 2: Grade(3, begins=False)},
    }


def test_grades_in_several_files_of_one_reader_are_put_together(tmp_path: Path) -> None:
    folder = ReviewFolder(tmp_path)
    folder.add([item(1, "a"), item(2, "a"), item(3, "a")])
    (tmp_path / "grades-anna.csv").write_text("n,cut,begin\n1,5,Y\n2,4,Y\n")
    (tmp_path / "grades_anna.csv").write_text("n,cut,begin\n2,4,Y\n3,1,N\n")
    anna = {1: Grade(5, begins=True), 2: Grade(4, begins=True), 3: Grade(1, begins=False)}
    assert folder.grades_by_reader() == {"anna": anna}
    (tmp_path / "grades_anna.csv").write_text("n,cut,begin\n3,1,N\n2,4,N\n")
    with pytest.raises(ConfigError, match=r"grades_anna\.csv contradicts .* of anna") as caught:
        folder.grades_by_reader()
    assert "item 2" in caught.value.why


@pytest.mark.parametrize(
    ("saved", "appended"),
    [
        pytest.param("n;cut;begin;comment\n1;5;Y;\n", "2;3;N;\n", id="semicolons"),
        pytest.param("n,cut,begin,comment\r\n1,5,Y,\r\n", "2,3,N,\n", id="Windows"),
        pytest.param("n,cut,begin,comment\n1,5,Y,", "\n2,3,N,\n", id="no last line end"),
        pytest.param("begin,n,why,cut\nY,1,,5\n", "N,2,,3\n", id="other columns"),
        pytest.param("", "n,cut,begin,comment\n2,3,N,\n", id="empty"),
    ],
)
def test_a_file_that_was_saved_in_another_form_can_be_graded_further(
    tmp_path: Path, saved: str, appended: str
) -> None:
    folder = ReviewFolder(tmp_path)
    folder.add([item(1, "a"), item(2, "a")])
    file = tmp_path / "grades-anna.csv"
    file.write_bytes(saved.encode())
    folder.append("anna", 2, Grade(3, begins=False))
    assert file.read_bytes().decode() == saved + appended
    earlier = {1: Grade(5, begins=True)} if saved else {}
    assert folder.grades_by_reader() == {"anna": {**earlier, 2: Grade(3, begins=False)}}


def test_more_items_leave_the_grades_that_were_given(tmp_path: Path) -> None:
    folder = ReviewFolder(tmp_path)
    folder.add([item(1, "a")])
    (tmp_path / "grades.csv").write_text("n,cut,begin,comment\n1,5,Y,\n")
    folder.add([item(2, "a")])
    assert folder.grades_by_reader() == {"reader": {1: Grade(5, begins=True)}}
    assert (tmp_path / "grades.csv").read_text().endswith("1,5,Y,\n2,,,\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("9,5,Y", "no item '9'"),
        ("x,5,Y", "no item 'x'"),
        ("1,6,Y", "the cut is '6'"),
        ("1,,Y", "the cut is ''"),
        ("1,5,", "begin is ''"),
        ("1,5,maybe", "begin is 'maybe'"),
    ],
)
def test_a_line_that_is_no_grade_is_named(tmp_path: Path, line: str, why: str) -> None:
    folder = ReviewFolder(tmp_path)
    folder.add([item(1, "a")])
    (tmp_path / "grades-anna.csv").write_text(f"n,cut,begin\n1,5,Y\n{line}\n")
    with pytest.raises(ConfigError, match=r"grades-anna\.csv:3") as caught:
        folder.grades_by_reader()
    assert why in caught.value.why


@pytest.mark.parametrize("text", ["1,5,Y\n2,3,N\n", "item,grade,begin\n1,5,Y\n", "n\tcut\tbegin\n1\t5\tY\n"])
def test_a_file_of_grades_without_its_columns_is_refused(tmp_path: Path, text: str) -> None:
    folder = ReviewFolder(tmp_path)
    folder.add([item(1, "a"), item(2, "a")])
    (tmp_path / "grades-anna.csv").write_text(text)
    with pytest.raises(ConfigError, match=r"grades-anna\.csv") as caught:
        folder.grades_by_reader()
    assert "columns n, cut and begin" in caught.value.why
    (tmp_path / "grades-anna.csv").write_text("")
    assert folder.grades_by_reader() == {}


@pytest.mark.parametrize("key", ["", "{", "[]", '{"items": [{"n": 1}]}'])
def test_a_damaged_key_is_refused(tmp_path: Path, key: str) -> None:
    (tmp_path / "key.json").write_text(key)
    with pytest.raises(ConfigError, match=r"key\.json"):
        ReviewFolder(tmp_path).items()


def test_scores_by_setting_domain_and_book_with_shared_items_counted_for_both() -> None:
    items = [item(1, "a"), item(2, "a", "b"), item(3, "b", domain="x", title="U"), item(4, "b")]
    grades = {1: Grade(5, begins=True), 2: Grade(1, begins=False), 3: Grade(4, begins=True)}
    report = review_report(items, {"me": grades})
    assert report.n_items == 4
    assert [(one.group, one.n, one.mean.value) for one in report.settings] == [
        (("a",), 2, 3.0),
        (("b",), 2, 2.5),
    ]
    assert [one.share_mid_thought for one in report.settings] == [0.5, 0.5]
    assert [one.share_begins for one in report.settings] == [0.5, 0.5]
    assert {one.group: one.mean.value for one in report.domains} == {
        ("history", "a"): 3.0,
        ("history", "b"): 1.0,
        ("x", "b"): 4.0,
    }
    assert {one.group for one in report.books} == {("T", "a"), ("T", "b"), ("U", "b")}
    assert (report.readers, report.agreements) == ({"me": 3}, ())


def test_grades_by_two_readers_are_averaged_by_item() -> None:
    readers = {"a": {1: Grade(5, begins=True), 2: Grade(3, begins=True)}, "b": {1: Grade(1, begins=False)}}
    (score,) = review_report([item(1, "s"), item(2, "s")], readers).settings
    assert (score.n, score.mean.value, score.share_mid_thought, score.share_begins) == (2, 3.0, 0.25, 0.75)


def grades(cuts: str, begins: str = "") -> Mapping[int, Grade]:
    answers = begins or "y" * len(cuts)
    return {n: Grade(int(cut), begins=answers[n] == "y") for n, cut in enumerate(cuts)}


def test_the_agreement_of_two_readers() -> None:
    names = ("a", "b")
    same = measure_agreement(names, grades("51324"), grades("51324"))
    assert (same.n, same.kappa, same.within_one, same.same_begin) == (5, 1.0, 1.0, 1.0)
    # By hand: observed (0 + 1 + 4) / 3; expected, over all nine pairs of 1, 3, 5 with 1, 4, 3: 39 / 9.
    other = measure_agreement(names, grades("135", "yyn"), grades("143", "yny"))
    assert other.kappa == pytest.approx(1 - (5 / 3) / (39 / 9))
    assert other.within_one == pytest.approx(2 / 3)
    assert other.same_begin == pytest.approx(1 / 3)
    assert measure_agreement(names, grades("33"), grades("33")).kappa is None
    assert measure_agreement(names, grades("15"), grades("51")).kappa == pytest.approx(-1)


def test_the_key_can_be_read_without_this_program(tmp_path: Path) -> None:
    ReviewFolder(tmp_path).add([item(1, "a", "b")])
    key = json.loads((tmp_path / "key.json").read_text())
    assert key["items"][0]["settings"] == ["a", "b"]


def test_grades_by_field_stand_beside_those_of_the_description(tmp_path: Path) -> None:
    table = tmp_path / "kept.csv"
    table.write_text(
        "n,setting,book,domain,cut_anna,begin_anna,cut_ben,begin_ben\n"
        "1,A,Ethics,philosophy,5,Y,4,Y\n2,A,Ethics,philosophy,3,N,,\n3,A,Annals,history,1,N,1,N\n",
        encoding="utf-8",
    )
    history, philosophy = field_report(read_reviews([table]))
    assert philosophy.score.group == ("philosophy", "A")
    assert (philosophy.score.n, philosophy.n_readers, philosophy.n_books) == (2, 2, 1)
    assert philosophy.score.mean.value == (4.5 + 3) / 2
    assert (philosophy.described, history.described) == (4.7, None)


def test_a_reviews_own_folder_and_a_table_are_read_together(tmp_path: Path) -> None:
    folder = ReviewFolder(tmp_path / "review")
    folder.add(draw_items(analyses(), each=2))
    folder.append("anna", 1, Grade(4, begins=True))
    (tmp_path / "kept.csv").write_text("setting,book,domain,cut,begin\nB,Ethics,default,5,Y\n")
    scores = field_report(read_reviews([folder.path, tmp_path / "kept.csv"]))
    assert sum(score.score.n for score in scores) >= 2
    in_folder = field_report(read_reviews([folder.path / "grades-anna.csv"]))
    assert {score.score.mean.value for score in in_folder} == {4.0}


def test_a_review_counts_once_however_many_paths_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ReviewFolder(tmp_path / "review")
    folder.add([item(1, "a"), item(2, "a")])
    folder.append("anna", 1, Grade(4, begins=True))
    folder.append("bo", 2, Grade(2, begins=True))
    table = tmp_path / "kept.csv"
    table.write_text("setting,book,domain,cut,begin\nB,Ethics,default,5,Y\n")
    monkeypatch.chdir(tmp_path)
    files = [folder.path / "grades-anna.csv", folder.path / "grades-bo.csv", Path("review"), Path("kept.csv")]
    once = field_report(read_reviews([folder.path, table]))
    assert field_report(read_reviews([*files, table])) == once


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("setting,book,domain,cut\nA,x,default,7\n", "the grade of a cut is 7"),
        ("setting,book,domain,cut\nA,x,default,good\n", "invalid literal"),
        ("n,cut\n1,5\n", "it has no key.json"),
        ("n,cut,book\n1,5,x\n", "it has no key.json"),
        ("cut,comment\n5,\n", "it has no key.json"),
        ("setting,book,cut\nA,x,5\n", "it has no column domain"),
        ("settings,book,Domain,cut\nA,x,default,5\n", "it has no column setting or domain"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "kept.csv").write_text(text)
    with pytest.raises(ConfigError) as error:
        read_reviews([tmp_path / "kept.csv"])
    assert why in error.value.why


def test_a_row_of_a_table_that_lacks_its_last_cells_has_empty_ones(tmp_path: Path) -> None:
    (tmp_path / "kept.csv").write_text("cut,setting,book,domain\n5,A\n3,A,Annals,history\n")
    scores = field_report(read_reviews([tmp_path / "kept.csv"]))
    assert [score.score.group for score in scores] == [("", "A"), ("history", "A")]


def test_a_table_with_semicolons_is_read(tmp_path: Path) -> None:
    (tmp_path / "KEPT.CSV").write_text("setting;book;domain;cut_anna;begin_anna\nA;Ethics;philosophy;5;Y\n")
    (score,) = field_report(read_reviews([tmp_path / "KEPT.CSV"]))
    assert (score.score.group, score.score.mean.value) == (("philosophy", "A"), 5.0)


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("setting,book,domain,cut,comment\nA,x,default,5,", id="a table"),
        pytest.param("n,cut,begin,comment\n1,5,Y,", id="a file of a review"),
    ],
)
def test_a_cell_that_csv_cannot_read_is_refused(
    tmp_path: Path, head: str, request: pytest.FixtureRequest
) -> None:
    limit = csv.field_size_limit(1000)
    request.addfinalizer(lambda: csv.field_size_limit(limit))
    ReviewFolder(tmp_path).add([item(1, "a")])
    (tmp_path / "grades-anna.csv").write_text(head + "a" * 1001 + "\n")
    with pytest.raises(ConfigError) as error:
        read_reviews([tmp_path / "grades-anna.csv"])
    assert "field larger than field limit" in error.value.why
