"""Words that no book has: the nearest word is searched, said, and undone by an option."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import alexandria
from alexandria.book.model import Embeddings
from alexandria.embed.hashing import HashingEncoder
from alexandria.library.library import Library
from alexandria.library.location import open_catalog
from alexandria.library.search.phrases import hits_with_phrases, phrases_of
from alexandria.library.search.question import understand
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.spelling import edit_cost, edits_of, respellings
from alexandria.store import QueryVectors
from alexandria.store.sparse import as_query

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TEXT = """The Poisoner

The doctor found strychnine in the soup. A coffin stood in the hall. The lexicographer read in his chair.
Ophelia drowned in the brook among the nettles. Berkeley the bishop denied matter. Nettles sting in summer.
"""
GERMAN = """Das Schloss

Der Apotheker fand das Gift in der Küche. Die Gräfin weinte im Garten. Das Pferd stand still im Regen.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("shelf")
    (folder / "poison.txt").write_text(TEXT)
    (folder / "schloss.txt").write_text(GERMAN)
    with alexandria.open(folder / "library") as opened:
        opened.ingest(folder, options={"model": "hashing", "min_words": 5, "max_words": 30})
        yield opened


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("strichnine", "strychnine"),
        ("strychine", "strychnine"),
        ("cofin", "coffin"),
        ("lexicografer", "lexicographer"),
        ("Ofelia", "ophelia"),
        ("Berkly", "berkeley"),
        ("netles", "nettles"),
        ("Ofelia's", "ophelia's"),
        ("Berkly’s", "berkeley’s"),
        ("BERKLY'S", "berkeley's"),
        ("Apoteker", "apotheker"),
    ],
)
def test_the_nearest_word_is_searched_and_said(library: Library, typed: str, meant: str) -> None:
    found = library.search(typed, mode="bm25")
    assert meant.rstrip("’'s") in found[0].text.casefold()
    assert f"Searched for “{meant}” instead of “{typed}”; exact=True takes words as typed." in found.remarks
    assert found.respelled == (typed,)


@pytest.mark.parametrize(
    "typed", ["Ophelia", "nettle", "dall", "xylophone", "Zzyzx", "soop1", "fun", "“cofin”"]
)
def test_a_word_that_is_right_or_like_no_other_stays(library: Library, typed: str) -> None:
    assert library.search(typed).respelled == ()


class Lexicon(HashingEncoder):
    """A model that has every word whole, and for which all or none of them mean the same."""

    def __init__(self, *, alike: bool) -> None:
        super().__init__()
        self.alike = alike

    def knows(self, word: str) -> bool:
        return word.islower()

    def encode(self, texts: Sequence[str]) -> Embeddings:
        vectors = np.eye(len(texts), self.dim, dtype=np.float32)
        return vectors[[0] * len(texts)] if self.alike else vectors


@pytest.mark.parametrize(
    ("encoder", "meant"),
    [
        (HashingEncoder(), {"hull": "hall"}),  # it knows no words: any may be a slip
        (Lexicon(alike=False), {}),  # a word that is right, of which no book speaks
        (Lexicon(alike=True), {"hull": "hall"}),  # another spelling, as of *color*
    ],
)
def test_a_word_that_the_model_knows_is_no_slip(
    library: Library, encoder: HashingEncoder, meant: dict[str, str]
) -> None:
    with open_catalog(library.store, library.collection, None) as catalog:
        assert respellings(["hull"], catalog, frozenset({"en"}), encoder=encoder) == meant


@pytest.mark.parametrize(
    ("typed", "meant"), [("in Cofin", ()), ("Cofin", ("coffin",)), ("in cofin", ("coffin",))]
)
def test_a_name_is_not_a_slip_for_another_word(library: Library, typed: str, meant: tuple[str, ...]) -> None:
    with open_catalog(library.store, library.collection, None) as catalog:
        asked = understand(SearchRequest(query=typed), catalog, frozenset({"en"}), HashingEncoder())
    assert tuple(asked.meant.values()) == meant


def test_words_are_taken_as_typed_on_request(library: Library) -> None:
    exact = library.search("cofin", mode="bm25", exact=True)
    assert (exact.hits, exact.respelled, exact.verdict) == ((), (), "none")


def test_a_corrected_question_has_the_hits_of_the_right_one(library: Library) -> None:
    found = [
        library.search(words)
        for words in ("how did Ofelia drown in a cofin", "how did Ophelia drown in a coffin")
    ]
    typed, right = ([(hit.id, hit.score, hit.relevance) for hit in results] for results in found)
    assert typed == right


def test_a_slip_in_a_possessive_is_one_where_another_language_has_the_ending_for_a_word(
    tmp_path: Path,
) -> None:
    (tmp_path / "poison.txt").write_text(TEXT)
    (tmp_path / "s.md").write_text("---\nlang: tlh\n---\n\nThe letter s and the word t, s and t.\n")
    with alexandria.open(tmp_path / "library") as opened:
        opened.ingest(tmp_path, options={"model": "hashing", "min_words": 5, "max_words": 30})
        for apostrophe in "'’":
            assert opened.search(f"Ofelia{apostrophe}s brook").respelled == (f"Ofelia{apostrophe}s",)
            assert not opened.search(f"Ophelia{apostrophe}s brook").respelled


def test_a_word_that_no_book_has_is_named(library: Library) -> None:
    assert (
        "No passage contains “xylophone”; notes, contents, index and other matter left out apart."
        in library.search("the xylophone in the hall").remarks
    )
    assert not [note for note in library.search("the coffin in the hall").remarks if "no passage" in note]


def test_the_name_of_an_author_is_not_mistyped(library: Library) -> None:
    library.edit("poison", author="Ann Coffyn")
    assert library.search("Coffyn and the soup").respelled == ()


def test_the_books_of_a_mistyped_author_are_searched(library: Library) -> None:
    library.edit("poison", author="George Berkeley")
    found = library.search("What does Berkly say? The doctor found strychnine in the soup")
    assert (found.named, found.respelled) == (("George Berkeley",), ("Berkly",))
    assert (
        library.search("What does Berkly say? The doctor found strychnine in the soup", exact=True).named
        == ()
    )


def test_an_author_that_no_text_names_is_meant_before_a_word_that_is_further(library: Library) -> None:
    library.edit("poison", author="Otto Weinter")
    assert library.search("What does Weintr say? The doctor found strychnine in the soup").named == (
        "Otto Weinter",
    )
    assert library.search("weintr", mode="bm25", exact=True).respelled == ()


def test_another_first_letter_is_dear(library: Library) -> None:
    assert library.search("moffin").respelled == ()


@given(st.text(LETTERS, min_size=1, max_size=8), st.data())
def test_an_edit_is_found_and_costs_at_most_one_and_a_half(word: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(edits_of(word, LETTERS))))
    assert word in edits_of(other, LETTERS) or len(other) != len(word)
    assert 0 < edit_cost(word, other) <= 2
    assert edit_cost(word, word) == 0


def test_common_slips_cost_less() -> None:
    cases = [
        ("comit", "commit", "comet"),
        ("hadly", "hadley", "hadny"),
        ("realy", "really", "relay"),
        ("cat", "cut", "bat"),
    ]
    for word, common, rare in cases:
        assert edit_cost(word, common) < edit_cost(word, rare)


@pytest.mark.parametrize("question", ["who is it", "was it in the", "Poisoner’s hall"])
def test_common_words_and_words_of_titles_are_not_said_to_be_absent(library: Library, question: str) -> None:
    assert not any("No passage contains" in remark for remark in library.search(question).remarks)


@pytest.mark.parametrize(
    ("phrase", "n_hits"),
    [
        pytest.param("in his", 1, id="common words"),
        pytest.param("in the soup. A coffin", 1, id="over a full stop"),
        pytest.param("in the coffin", 0, id="words that are not together"),
    ],
)
def test_a_phrase_is_denied_only_if_no_passage_has_it(library: Library, phrase: str, n_hits: int) -> None:
    with open_catalog(library.store, library.collection, None) as catalog:
        nothing = QueryVectors(np.zeros(catalog.binding.dim, np.float32), as_query([]))
        found = hits_with_phrases([], phrases_of(f"“{phrase}”"), catalog, nothing, catalog.everything())
    assert len(found) == n_hits
    assert {hit.payload["source"] for hit in found} <= {record.source for record in library.books()}
    denied = "No passage contains the quoted words; find allows for slips."
    assert (denied in library.search(f"“{phrase}”").remarks) == (not n_hits)
