"""`--domain auto`: the field of a book, guessed from its subjects, its title and its words."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from alexandria import inspect
from alexandria.book.model import Book, Metadata
from alexandria.chunking.domains import DomainRequest, Guess, guess_field, init_domain, load_domain
from alexandria.chunking.domains.fields import SUBJECTS
from alexandria.errors import ConfigError
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.library.chunk_text import book_of, paragraphs
from alexandria.library.ingest.one_book import read
from tests.command import alexandria
from tests.conftest import SAMPLE_BOOKS
from tests.real import read_once

NOVEL = (
    "“Oh dear,” she said, and her eyes looked at the door. He laughed, and his voice cried in the night.\n\n"
    * 80
)
NOTHING = "It was there. They had three of them, and one more came later, as everybody knew.\n\n" * 80


def book(text: str = NOTHING, title: str = "Untitled", *subjects: str) -> Book:
    plain = book_of(text, paragraphs(text), language="en")
    return replace(plain, metadata=Metadata(title=title, subjects=subjects))


def test_two_subject_headings_tell_the_field() -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("Ethics--Early works to 1800", "Stoics"), "philosophy"),
        (("Science -- Philosophy", "Knowledge, Theory of"), "philosophy"),
        (("Economics", "Political science"), "philosophy"),
        (("Germany -- Economic conditions", "Reparations -- History"), "history"),
        (("Psychological fiction", "Whaling -- Fiction"), "literature"),
        (("Great Britain -- History -- Fiction", "Sea stories"), "literature"),
        (("Psychology, Religious", "Hypnotism"), "psychology"),
        (("World War, 1914-1918", "France -- History"), "history"),
        (("sci_history", "Geschichte"), "history"),
        (("COMPUTERS / Programming / Algorithms", "Linux"), "technical"),
    ]
    for subjects, field in cases:
        guess = guess_field(book(NOTHING, "Untitled", *subjects))
        assert (guess.field, guess.domain) == (field, field)
        assert guess.clues[0] == f"the subject “{subjects[0]}”"


def test_one_heading_alone_is_too_little() -> None:
    guess = guess_field(book(NOTHING, "Untitled", "Antiquities"))
    assert (guess.field, guess.domain) == ("history", "default")
    assert str(guess) == "domain default: history is too uncertain (0.64)"


def test_natural_history_is_no_history() -> None:
    assert guess_field(book(NOTHING, "Untitled", "Natural history")) == Guess(None, 0.0)


def test_the_words_of_a_text_tell_its_field() -> None:
    guess = guess_field(book(NOVEL))
    assert guess.domain == "literature"
    assert str(guess).startswith(
        "domain literature, guessed from words like cried, door, eyes (certainty 0.9"
    )
    assert guess.clues == ("words like cried, door, eyes",)


def test_what_argues_is_no_story_though_it_has_the_words_of_one() -> None:
    cases: dict[str, tuple[str, str]] = {
        "narrated": ("They went up the hill and over the wall, and then a dog ran after them.", "literature"),
        "statements in the present": (
            "It is just, it must be kept, and one ought to know that it can bind.",
            "default",
        ),
        "abstract nouns": (
            "The interpretation of a statement has its limitation, and attention its significance.",
            "default",
        ),
    }
    for rest, domain in cases.values():
        assert guess_field(book(f"“Oh dear,” she said, and looked. {rest} {rest}\n\n" * 80)).domain == domain


def test_one_word_in_mass_is_no_evidence() -> None:
    assert guess_field(book("He said that it was so, and they said that it was not.\n\n" * 200)).field is None


def test_a_few_words_are_too_few() -> None:
    poem = "“Oh dear,” she said, and her eyes looked at the door. "
    assert guess_field(book(poem * 8)).domain == "default"
    assert guess_field(book(poem * 200)).domain == "literature"


def test_a_title_counts_and_does_not_decide() -> None:
    assert guess_field(book(NOTHING, "A History of It")).domain == "default"
    sure = guess_field(book(NOTHING, "A History of It", "Antiquities"))
    assert (sure.domain, sure.clues) == ("history", ("the subject “Antiquities”", "its title"))


def test_a_long_text_is_read_in_pieces_from_all_over_it() -> None:
    assert guess_field(book(NOTHING * 30 + NOVEL * 90)).domain == "literature"


def test_every_field_has_its_domain() -> None:
    assert set(DomainRequest(domain="auto").candidates()) == {*SUBJECTS, "default"}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "harbour.txt").write_text(NOVEL)
    (folder / "plain.txt").write_text(NOTHING)
    return folder


def ingested(*words: str | Path) -> dict[str, dict[str, object]]:
    done = alexandria("ingest", *words, "--json")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(line["source"]).name: line for line in lines if "source" in line}


def stored_domains(store: Path) -> dict[str, str]:
    listed = json.loads(alexandria("list", "--store", store, "--json").stdout)
    return {Path(one["source"]).name: one["domain"] for one in listed}


def test_ingest_guesses_says_it_and_remembers_it(shelf: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    lines = ingested(shelf, "--store", store)
    assert lines["harbour.txt"]["guess"] == {
        "field": "literature",
        "certainty": pytest.approx(0.97, abs=0.02),
        "clues": ["words like cried, door, eyes"],
    }
    assert lines["harbour.txt"]["remarks"] == []
    said = alexandria("ingest", shelf, "--force", "--domain", "auto", "--store", store).stderr
    assert re.search(r"“harbour”  \d+ chunks, 1,600 words, literature, ", said)
    assert stored_domains(store) == {"harbour.txt": "literature", "plain.txt": "default"}
    for options in ((), ("--domain", "auto")):
        assert {line["status"] for line in ingested(shelf, *options, "--store", store).values()} == {
            "unchanged"
        }
    # What was guessed is no different from what is named.
    again = ingested(shelf / "harbour.txt", "--domain", "literature", "--store", store)
    assert again["harbour.txt"]["status"] == "unchanged"


def test_a_stored_book_keeps_its_domain_unless_forced(shelf: Path, tmp_path: Path) -> None:
    store, novel = tmp_path / "store", shelf / "harbour.txt"
    ingested(novel, "--domain", "history", "--store", store)
    assert ingested(novel, "--domain", "auto", "--store", store)["harbour.txt"]["status"] == "unchanged"
    forced = ingested(novel, "--domain", "auto", "--force", "--store", store)["harbour.txt"]
    assert "cut again: domain history → literature" in str(forced["remarks"])
    assert stored_domains(store) == {"harbour.txt": "literature"}


def test_a_book_that_is_read_again_is_not_guessed_again(shelf: Path, tmp_path: Path) -> None:
    store, novel = tmp_path / "store", shelf / "harbour.txt"
    ingested(novel, "--domain", "history", "--store", store)
    assert ingested(novel, "--force", "--store", store)["harbour.txt"]["status"] == "ingested"
    assert stored_domains(store) == {"harbour.txt": "history"}
    ingested(novel, "--set", "min_words=90", "--store", store)
    assert stored_domains(store) == {"harbour.txt": "history"}


def test_a_folder_may_ask_for_it_with_options_of_its_own(shelf: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    (shelf / "alexandria.yaml").write_text("domain: auto\nmax_words: 300\n")
    ingested(shelf, "--store", store)
    assert stored_domains(store) == {"harbour.txt": "literature", "plain.txt": "default"}
    (shelf / "alexandria.yaml").write_text("domain: auto\nmax_words: 400\n")
    changed = ingested(shelf, "--store", store)["harbour.txt"]
    assert changed["remarks"] == ["cut again: max_words 300 → 400"]


def test_inspect_shows_the_guess(shelf: Path) -> None:
    shown = alexandria("inspect", shelf / "harbour.txt", "-v")
    assert "domain literature, guessed from " in shown.stdout
    assert "(certainty 0.9" in shown.stdout
    document = json.loads(alexandria("inspect", shelf / "harbour.txt", "--domain", "auto", "--json").stdout)
    assert (document["guess"]["field"], document["settings"]["domain"]) == ("literature", "literature")
    named = json.loads(
        alexandria("inspect", shelf / "harbour.txt", "--domain", "literature", "--json").stdout
    )
    document.pop("guess")
    assert named == document


def test_python_guesses_too(shelf: Path) -> None:
    domain = inspect(shelf / "harbour.txt", domain="auto", options={"model": "hashing"}).domain
    assert domain.name == "literature"
    assert domain.guess is not None


def test_notes_are_read_as_the_guessed_domain_says(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "alexandria" / "domains"
    own.mkdir(parents=True)
    (own / "literature.yaml").write_text("extends: literature\nnotes: inline\n")
    (shelf / "harbour.txt").unlink()
    (shelf / "harbour.md").write_text(NOVEL + "She wept.[^1]\n\n[^1]: As the story tells.\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    text = alexandria("inspect", shelf / "harbour.md", "--domain", "auto", "--json").stdout
    assert "As the story tells" in json.loads(text)["chunks"][-1]["text"]
    store = tmp_path / "store"
    ingested(shelf / "harbour.md", "--domain", "auto", "--store", store)
    shown = alexandria("search", "As the story tells", "--mode", "bm25", "--store", store, "--json").stdout
    assert "As the story tells" in json.loads(shown)["hits"][0]["text"]


def test_where_no_book_is_read_auto_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot use the domain 'auto' here"):
        load_domain("auto")
    with pytest.raises(ConfigError, match="cannot name a domain 'auto'"):
        init_domain("auto")


SAMPLE_FIELDS = {
    "a-promise-to-the-dead.html": "philosophy",
    "backups-that-come-back.md": "technical",
    "gull-rock.txt": "literature",
    "small-machines.pdf": "technical",
    "the-quiet-trades.epub": "",
    "the-town-clock.docx": "history",
    "the-unreliable-witness.odt": "psychology",
    "weather-over-town.pdf": "technical",
    "winterapfel.txt": "literature history",
}


def test_the_samples_get_their_field_or_none() -> None:
    with IsolatedReader() as reader:
        guessed = {path.name: guess_field(read(path, reader=reader)).domain for path in SAMPLE_BOOKS}
    assert {
        name: domain
        for name, domain in guessed.items()
        if domain not in (*SAMPLE_FIELDS[name].split(), "default")
    } == {}
    assert sum(domain != "default" for domain in guessed.values()) >= 3


# Labelled by their known subject before the first guess was made, and split by the parity of sha256 of the
# work's name (all editions on one side): the words and the weights were set on the other half.
HELD_OUT = {
    "epub/darwin-the-voyage-of-the-beagle.epub": "history",
    "epub/epub2-ncx-prince.epub": "philosophy history",
    "epub/machiavelli-the-prince.epub": "philosophy history",
    "txt/machiavelli-the-prince.txt": "philosophy history",
    "epub/idpf-epub30-spec.epub": "technical",
    "epub/idpf-haruko-jpeg.epub": "literature",
    "epub/idpf-israelsailing.epub": "literature",
    "epub/idpf-trees.epub": "technical",
    "epub/james-the-varieties-of-religious-experience.epub": "psychology philosophy",
    "epub/marcus-aurelius-meditations.epub": "philosophy",
    "epub/shelley-frankenstein.epub": "literature",
    "epub/whitman-leaves-of-grass.epub": "literature",
    "txt/carroll-alice.txt": "literature",
    "txt/debian-gnu-linux-guide.txt": "technical",
    "txt/hobbes-leviathan.txt": "philosophy",
    "txt/kafka-die-verwandlung-german.txt": "literature",
    "txt/kafka-metamorphosis.txt": "literature",
    "txt/voltaire-candide.txt": "literature",
    "eval/chroma/corpora/state_of_the_union.md": "history",
    "eval/chroma/corpora/wikitexts.md": "",
    "pdf/pypdf-minimal-document.pdf": "",
    "pdf/pypdf-pdflatex-outline.pdf": "",
}


@pytest.mark.shared
def test_held_out_books_get_their_field_or_none(shared_data: Path) -> None:
    guessed = {name: guess_field(read_once(shared_data / name)).domain for name in HELD_OUT}
    wrong = {
        name: domain for name, domain in guessed.items() if domain not in (*HELD_OUT[name].split(), "default")
    }
    assert wrong == {}
    assert sum(domain != "default" for domain in guessed.values()) >= 8
