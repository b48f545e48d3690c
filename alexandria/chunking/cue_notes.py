"""Each cue in words and with an example, for the views that explain a cut or a domain."""

from collections.abc import Mapping
from dataclasses import dataclass

from alexandria.chunking.cues import Cue


@dataclass(frozen=True, slots=True)
class CostNote:
    """A cost of cuts, as a reader would describe it."""

    phrase: str
    """What is there, as in `despite …`."""
    tie: str
    """Why the text is not cut there, as in `Almost cut before “He slid …”, but …`."""
    example: str
    """Text around a cut, which is marked with `|`."""


NOTES: Mapping[str, CostNote] = {
    "paragraph": CostNote(
        "inside a paragraph", "it is inside a paragraph", "The ships came in. | Nobody was left on the quay."
    ),
    "window": CostNote(
        "the same topic before and after",
        "the topic stays the same",
        "four sentences on the tides | four more on the tides",
    ),
    "new_subject": CostNote(
        "dissimilar paragraphs on either side",
        "the paragraphs have little in common",
        "… the tides of the bay. | A contract is an agreement …",
    ),
    "break": CostNote(
        "the author's own break",
        "the author marks a break there",
        "… so the year ended. * * * | Ann was now twenty.",
    ),
    Cue.POINTS_BACK: CostNote(
        "a sentence that points back",
        "it points back to the sentence before",
        "… in the old harbour. | He never saw it again.",
    ),
    Cue.REFERS_BACK: CostNote(
        "words that may refer back",
        "some of its words may refer back",
        "… a jealous temper. | Men of such a mind …",
    ),
    Cue.PRONOUNS: CostNote(
        "pronouns that may refer back",
        "its pronouns may refer back",
        "Ann met Ben and Eva. | Then he showed her his house.",
    ),
    Cue.LEAD_IN: CostNote(
        "a lead-in and what it announces",
        "the words before announce it",
        "I now give his own words. | “If at this time …”",
    ),
    Cue.UNFINISHED: CostNote(
        "an unfinished paragraph", "the paragraph before is unfinished", "… the ships of | Oslo sailed."
    ),
    Cue.QUOTATION: CostNote(
        "what looks like an introduced quotation",
        "the words before seem to introduce it",
        "… as a patient tells it. | “I was alone …”",
    ),
    Cue.SAME_QUOTATION: CostNote(
        "what looks like a continued quotation",
        "a quotation seems to continue",
        "“… I was alone. | “Then I heard a step …”",
    ),
    Cue.LIST: CostNote(
        "a list, table, caption or code",
        "it belongs to a list, table, caption or code",
        "Stop the pump. | 2. Open the valve.",
    ),
    Cue.TURN: CostNote(
        "two speakers' turns",
        "two speakers take turns there",
        "“Who is there?” asked Ann. | “Only I,” said Ben.",
    ),
    Cue.SPEECH: CostNote(
        "speech after narration",
        "the words before lead up to this speech",
        "Ann opened the door. | “Only I,” said Ben.",
    ),
    Cue.TALK: CostNote(
        "dialogue right after the cut",
        "dialogue follows",
        "… “I shall go,” said Ann. | “Will you?” “Yes.”",
    ),
    Cue.TALK_ENDS: CostNote(
        "the end of a dialogue", "a dialogue ends there", "“Good night,” said Ann. | The harbour lay dark …"
    ),
    Cue.REACTION: CostNote(
        "a reaction to what was said",
        "it is a reaction to what was said",
        "“Only I,” said Ben. | Ann smiled.",
    ),
    Cue.QUESTION: CostNote(
        "a question and what follows it",
        "it follows a question",
        "What, then, is time? | The first answer is …",
    ),
    Cue.SHORT_PARAGRAPH: CostNote(
        "short paragraphs", "short paragraphs follow each other there", "“Yes.” | “No.”"
    ),
    Cue.NEW_TIME: CostNote(
        "a new time or date", "only the time changes", "… and so to bed. | The next day Ann left."
    ),
    Cue.ARRIVAL: CostNote(
        "an arrival or a departure", "somebody only comes or goes", "… by the fire. | At noon Ann arrived."
    ),
    Cue.NEW_NAME: CostNote(
        "a new name",
        "only a name is new",
        "… by the fire. | Mr. Low was a miller from Bergen.",
    ),
}
"""The note on each cost of cuts, by its name."""


def tie_of(term: str) -> str:
    """Return why a text is not cut where a term stands, in words."""
    return NOTES[term].tie if term in NOTES else f"{term.replace('_', ' ')} speaks against it"


def phrase_of(term: str) -> str:
    """Return a term in words; if it has no note, its name with spaces."""
    return NOTES[term].phrase if term in NOTES else term.replace("_", " ")
