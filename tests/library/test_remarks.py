"""A remark is a value: each door says in its own terms what its reader can do about it."""

from alexandria.library.remarks import IN_PYTHON, Remark, RemarkKind


def test_each_door_words_it_in_its_own_terms() -> None:
    cases = [
        (
            Remark(RemarkKind.NARROWED, "Searched Plato's books."),
            "Searched Plato's books; everywhere=True searches all.",
            "Searched Plato's books; --everywhere searches all.",
        ),
        (Remark(RemarkKind.PLAIN, "Nothing to do."), "Nothing to do.", "Nothing to do."),
        (
            Remark(RemarkKind.YEAR_OF_E_BOOK, "2010 is the year of the e-book", about="abababab"),
            "2010 is the year of the e-book; that of the work is set with"
            " library.edit('abababab', original_date='YEAR')",
            "2010 is the year of the e-book",
        ),
    ]
    for remark, python, command in cases:
        ways = {RemarkKind.NARROWED: "; --everywhere searches all."}
        assert (remark.worded(IN_PYTHON), remark.worded(ways)) == (python, command)
