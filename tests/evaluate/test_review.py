"""Marks: given blind, kept at once, resumed, averaged."""

from pathlib import Path

import pytest

from alexandria.book import Reason
from alexandria.config import load_domain
from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.evaluate.review import (
    Cut,
    append_mark,
    averages,
    cuts_to_review,
    make_mark,
    read_marks,
    unmarked,
)
from alexandria.pipeline import Analysis, analyse
from tests.evaluate.made import book


def analyses() -> list[Analysis]:
    options: list[dict[str, object]] = [
        {"strategy": "recursive", "max_words": 100, "overlap_words": 0},
        {"strategy": "universal-semantic", "threshold": 0.9, "min_words": 40},
    ]
    return [analyse(book(), load_domain(options=one), load_encoder("hashing")) for one in options]


def test_each_place_is_shown_once_with_both_sides_and_who_cuts_there() -> None:
    both = analyses()
    cuts = cuts_to_review(both)
    assert len({cut.start for cut in cuts}) == len(cuts)
    for cut in cuts:
        assert both[0].book.text[cut.start :].startswith(cut.after)
        assert cut.before == cut.before.rstrip() != ""
        assert 1 <= len(cut.settings) <= 2
    own = {
        analysis.sentences[one.gap + 1].start
        for analysis in both
        for one in analysis.segmentation.boundaries
        if one.reason is not Reason.SECTION
    }
    assert {cut.start for cut in cuts} == own


def test_the_order_tells_nothing_and_can_be_repeated() -> None:
    starts = [cut.start for cut in cuts_to_review(analyses(), seed=1)]
    assert starts == [cut.start for cut in cuts_to_review(analyses(), seed=1)]
    assert starts != sorted(starts)


def test_a_review_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "marks" / "mine.jsonl"
    cuts = cuts_to_review(analyses())
    assert read_marks(path) == []
    for cut in cuts[:2]:
        append_mark(path, make_mark(cut, 5))
    assert unmarked(cuts, read_marks(path)) == cuts[2:]


def test_marks_are_averaged_by_domain_and_setting_and_shared_cuts_count_for_both() -> None:
    def cut(*settings: str, domain: str = "history") -> Cut:
        return Cut("id", "T", domain, settings, 0, "", "")

    marks = [
        make_mark(cut("a"), 5),
        make_mark(cut("a", "b"), 3),
        make_mark(cut("b"), 1),
        make_mark(cut("a", domain="x"), 1),
    ]
    means = {(one.domain, one.setting): (one.n, one.score.value) for one in averages(marks)}
    assert means == {("history", "a"): (2, 4.0), ("history", "b"): (2, 2.0), ("x", "a"): (1, 1.0)}


@pytest.mark.parametrize("line", ["{", "[]", '{"score": 5}'])
def test_a_damaged_file_names_the_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "marks.jsonl"
    append_mark(path, make_mark(cuts_to_review(analyses())[0], 5))
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ConfigError, match=r"marks\.jsonl:2"):
        read_marks(path)
