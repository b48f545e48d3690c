"""Lists of words are text files, with remarks for who edits them."""

from pathlib import Path

from alexandria.book.word_lists import read_lists, read_word_sets


def test_lists_are_read_by_name_without_remarks(tmp_path: Path) -> None:
    file = tmp_path / "lists.txt"
    file.write_text("What they are for.\n\n== cold\nice snow\n# of the south\nsleet\n\n== none\n", "utf-8")
    assert read_lists(file) == {"cold": ["ice snow", "sleet"], "none": []}
    assert read_word_sets(file) == {"cold": {"ice", "snow", "sleet"}, "none": set()}
