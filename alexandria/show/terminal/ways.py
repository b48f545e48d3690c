"""How the command line says a remark: it names commands and options."""

from alexandria.book.remarks import Remark, RemarkKind

IN_COMMANDS = {
    RemarkKind.NARROWED: "; --everywhere searches all.",
    RemarkKind.RESPELLED: "; --exact takes words as typed.",
    RemarkKind.STORED_PARTLY: "; --force reads it again",
    RemarkKind.REMOVED: "; --again brings it back",
    RemarkKind.YEAR_OF_E_BOOK: "; that of the work is set with alexandria edit {} --original-date YEAR",
}
"""What commands and options can do about remarks."""


def in_command(remark: Remark) -> str:
    """Return a remark as the command line says it."""
    if remark.kind is not RemarkKind.UNREAD:
        return remark.worded(IN_COMMANDS)
    from alexandria.embed.models.languages import remedy  # it says what is installed

    return f"{remark.text} To search by meaning:  {remedy()}"
