"""What is passed on does not change."""

from tests.values import changeable


def test_values_are_frozen() -> None:
    # They gather what is found while a file is read.
    assert changeable("alexandria.extract") == {
        *("Container", "Fields", "FoundNote", "Group", "Huffman", "ListNumbers", "NoteSequence", "Numbering"),
        *(
            "OdtFindings",
            "OdtLists",
            "OdtStory",
            "OdtStyles",
            "Paragraph",
            "Probe",
            "WordFindings",
            "WordStory",
        ),
        *("WordStyles", "_Builder", "_Field", "_Glyph", "_LineBreak", "_SortedBook", "_SortedDocument"),
        *("_TextBuilder", "_Walker"),
    }
