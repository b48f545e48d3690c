"""What the reader of a result should know besides it, as a value that each door says in its own terms."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class RemarkKind(Enum):
    """What a remark is about, as far as doors tell remarks apart."""

    PLAIN = auto()  # nothing can be done about it in particular
    NARROWED = auto()  # only the books that a question names were searched
    RESPELLED = auto()  # other words were searched than those that were typed
    UNREAD = auto()
    """The model does not know the language of a question; the remark is about what is to be done first."""
    ABSENT = auto()  # no passage has some words of a question
    DOUBT = auto()  # probably no hit answers
    STORED_PARTLY = auto()  # a stored book could not be read whole, and is not read again
    REMOVED = auto()  # a book was removed, and is not ingested again
    YEAR_OF_E_BOOK = auto()  # the year of a work is not known; the remark is about a book, by its id


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence on a result, and of which kind it is."""

    kind: RemarkKind
    text: str  # what is so, in any door's words
    about: str = ""

    def worded(self, ways: Mapping[RemarkKind, str]) -> str:
        """Return the sentence with what its reader can do about it in place of its full stop.

        Args:
            ways: what a door says for each kind about which something can be done; `{}` stands for `about`.
        """
        if self.kind not in ways:
            return self.text
        return self.text.removesuffix(".") + ways[self.kind].format(self.about)


IN_PYTHON = {
    RemarkKind.NARROWED: "; everywhere=True searches all.",
    RemarkKind.RESPELLED: "; exact=True takes words as typed.",
    RemarkKind.UNREAD: ". To search by meaning:  {}library.copy(FOLDER, model='multilingual')",
    RemarkKind.STORED_PARTLY: "; force=True reads it again",
    RemarkKind.REMOVED: "; again=True brings it back",
    RemarkKind.YEAR_OF_E_BOOK: "; that of the work is set with library.edit('{}', original_date='YEAR')",
}  # what the methods of `Library` can do about remarks
