"""Why a cut is where it is, as a reader sees it: words of both sides, signs, the next best place."""

from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.book.model import Boundary, Chunk, Reason
from alexandria.book.weighed import Balance, NextBest, Term
from alexandria.library.inspect.inspection import Inspection
from tests.inspection.made import inspected

SAMPLES = Path(__file__).parents[2] / "samples"
INSPECTION = inspected(SAMPLES / "gull-rock.txt")
ICE = (
    "The ship lay in the ice. The captain watched the ice from the mast, and the crew mended the sails.\n\n"
    "He said that the ice of the bay would hold the ship."
)
MILL = (
    "In the morning Marta came to the mill. The miller of the valley ground corn, as may surprise nobody. "
    "The wheel of the mill turned. Nobody spoke of the mill."
)


def made(
    texts: list[str], boundary: Boundary, *, language: str = "en", similarities: tuple[float, ...] = ()
) -> Inspection:
    """Return the inspection of a book of these chunks, of which each sentence ends with a full stop."""
    chunks: list[Chunk] = []
    start = first = 0
    for i, text in enumerate(texts):
        starts = [
            0,
            *(
                j + 1 + len(text[j + 1 :]) - len(text[j + 1 :].lstrip())
                for j, c in enumerate(text)
                if c == "."
            ),
        ]
        starts = [start + j for j in starts if j < len(text)]
        chunks.append(
            replace(
                INSPECTION.chunks[0],
                index=i,
                start=start,
                end=start + len(text),
                text=text,
                first_sentence=first,
                n_sentences=len(starts),
                sentence_starts=tuple(starts),
                headings=("A",),
                avg_similarity=0.5,
                boundary=replace(boundary, gap=first - 1) if i else None,
            )
        )
        start, first = start + len(text) + 2, first + len(starts)
    return replace(
        INSPECTION, chunks=tuple(chunks), language=language, similarities=similarities or (0.5,) * (first - 1)
    )


def weighed(*terms: Term) -> Boundary:
    return Boundary(2, 0.3, 0.5, Reason.TOPIC, balance=Balance(False, terms, 3.0, NextBest(1, 3.0, 1.0)))


def turn_of(texts: list[str]) -> str:
    """Return what the reason of the first cut says of words."""
    cut = replace(weighed(), balance=Balance(False, (), 3.0, None))
    reason = made(texts, cut).reasons[1]
    return reason.partition(". ")[0].removeprefix("A new paragraph").removeprefix(": ")


def test_a_cut_is_explained_from_what_to_what() -> None:
    assert turn_of([ICE, MILL]) == "from “ice”, “ship” to “mill”"


def test_a_word_recurs_on_its_side_near_the_cut() -> None:
    assert "mill" not in turn_of([ICE, MILL.replace(" of the mill", "")])
    for n, is_near in ((2, True), (30, False)):
        others = " ".join(["Nobody spoke to the crew."] * n)
        assert ("mill" in turn_of([ICE, f"{others} {MILL}"])) == is_near
        assert ("ice" in turn_of([f"{ICE} {others}", MILL])) == is_near


def test_the_nearest_words_come_first_and_three_at_most() -> None:
    lamps = "The lamps were old. He mended the lamps."
    ropes = "The ropes were wet. He dried the ropes."
    far = "They did not know why. " * 8
    masts = "The masts were tall. He climbed the masts."
    assert turn_of([f"He saw the ice. {lamps} {far} {ropes} {far} {masts}", MILL]).startswith(
        "from “masts”, “ropes”, “lamps” to"
    )


@pytest.mark.parametrize("other", ["mills", "Mill-wheels", "a mill's wheel", "milling"])
def test_a_word_is_not_new_if_a_form_of_it_stands_before(other: str) -> None:
    assert "mill" not in turn_of([f"{ICE} There were no {other}.", MILL])


def test_a_word_of_both_sides_stays() -> None:
    texts = [ICE, "The ice held. The ice of the bay was old. Nobody left the ice.", *[MILL] * 4]
    assert turn_of(texts).endswith("still with “ice”")


def test_japanese_nouns_are_named_but_no_stems_of_verbs() -> None:
    before, after = (
        "白壁の家が見えた。\n白壁は高い。物足りない。\n物足りない。",
        "木瓜が咲いた。\n木瓜は赤い。",
    )
    cut = replace(weighed(), balance=Balance(False, (), 3.0, None))
    inspection = made([before, after], cut, language="ja")
    chunks = [
        replace(chunk, sentence_starts=(chunk.start, chunk.start + chunk.text.index("\n") + 1))
        for chunk in inspection.chunks
    ]
    reason = replace(inspection, chunks=tuple(chunks)).reasons[1]
    assert "from “白壁” to “木瓜”. " in reason


def test_a_name_of_several_words_is_whole() -> None:
    wales = "They came to New South Wales. Nobody in New South Wales spoke. In New South Wales they stayed."
    assert "“New South Wales”" in turn_of([ICE, wales])


def test_a_speech_of_a_play_is_named_by_its_speaker() -> None:
    play = "\n\n".join(f"{name}\nThe ice is near." for name in ("ANN", "BEN", "ANN", "BEN", "ANN"))
    assert made([ICE, play], weighed()).reasons[1].startswith("A speech of ANN")
    assert made([ICE, "The ice,\nThe sea."], weighed()).reasons[1].startswith("New lines")
    assert made([ICE, "Pack ice\n\nIce that drifts."], weighed()).reasons[1].startswith("“Pack ice” begins: ")
    assert made([ICE, "“Ice!”\n\nHe saw it."], weighed()).reasons[1].startswith("A new paragraph")


@pytest.mark.parametrize(
    ("before", "after", "is_said"),
    [
        ("“Ice!” he said.", "The mill stood still.", True),
        ("“Ice!” he said.", "The “mill” stood.", False),
        ("The word “ice” is old.", "The mill stood still.", False),
        ("“the ice of the bay of seals”, he said.", "The mill stood still.", True),
    ],
)
def test_no_quotation_marks_are_said_where_the_paragraph_has_none(
    before: str, after: str, is_said: bool
) -> None:
    cut = replace(weighed(Term("talk_ends", -1.0)), gap=0)
    cut = replace(cut, balance=replace(cut.balance or Balance(False, (), None, None), next_best=None))
    reason = made([before, after], cut).reasons[1]
    assert ("a paragraph without quotation marks after one with them" in reason) == is_said


def test_similarities_are_said_where_they_show_the_cut() -> None:
    term = Term("window", -1.0)
    reasons = [
        made([ICE, MILL], weighed(term), similarities=(0.5, 0.5, here, 0.5, 0.5, 0.5)).reasons[1]
        for here in (0.1, 0.5)
    ]
    assert (
        "What decided: less similarity across the cut than around it (0.10 against 0.50 and 0.50)"
        in reasons[0]
    )
    assert "What decided: how alike the sentences of each chunk are, and its length. " in reasons[1]


def test_a_sign_is_named_with_its_words_and_not_without_any() -> None:
    cases = {
        "as printed": (Term("new_time", -3.0), "words of time (“morning”)"),
        "a name": (Term("new_name", -1.5), "names not mentioned shortly before (“Marta”)"),
        "nobody arrives": (
            Term("arrival", -2.0),
            "how alike the sentences of each chunk are, and its length",
        ),
    }
    for term, words in cases.values():
        assert f"What decided: {words}" in made([ICE, MILL], weighed(term)).reasons[1]


def test_a_month_has_a_capital() -> None:
    text = "This may surprise nobody. The mill stood still."
    assert "words of time" not in made([ICE, text], weighed(Term("new_time", -1.5))).reasons[1]
    assert (
        "(“May”)"
        in made([ICE, text.replace("This may", "In May it did")], weighed(Term("new_time", -1.5))).reasons[1]
    )


def test_the_next_best_place_is_named_by_the_words_after_it() -> None:
    reason = made([ICE, MILL], weighed()).reasons[1]
    assert reason.endswith(
        "Next best: earlier, before “He said that the ice of the bay would …”, slightly worse."
    )
    best = replace(weighed().balance or Balance(False, (), None, None), next_best=NextBest(3, 1.0, 0.1))
    reason = made([ICE, MILL], replace(weighed(), balance=best)).reasons[1]
    assert reason.endswith(
        "inside a paragraph, before “The miller of the valley ground corn, …”, nearly as good."
    )


def test_without_costs_the_place_is_named_where_sentences_are_least_similar() -> None:
    cut = Boundary(2, 0.3, 0.5, Reason.TOPIC, rank=2, n_candidates=6)
    reason = made([ICE, MILL], cut, similarities=(0.6, 0.2, 0.3, 0.4, 0.5, 0.6)).reasons[1]
    assert "Similarity 0.30, below 0.50" in reason
    assert "Least similar elsewhere in the two chunks (0.20): before “He said" in reason


def test_a_section_is_named_by_its_heading() -> None:
    inspection = made([ICE, MILL], Boundary(2, 0.3, None, Reason.SECTION))
    assert inspection.reasons[1].startswith("A chapter or section begins: from “")
    chunks = (inspection.chunks[0], replace(inspection.chunks[1], headings=("A", "The mill")))
    assert replace(inspection, chunks=chunks).reasons[1].startswith("“The mill” begins: from “")


def test_any_language_has_reasons() -> None:
    for language in ["th", "zh", "hr", "la", "de", "ar"]:
        assert made([ICE, MILL], weighed(), language=language).reasons.keys() == {1}
