"""Manuscripts are checked against a library: what is found, what is said of it, and how the command ends."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import alexandria
from alexandria import ConfigError, Libraries, Library
from alexandria.errors import BookError
from alexandria.library.check.report import Allowance, CheckedQuotation, ClaimVerdict, Verdict
from tests.command import alexandria as run
from tests.conftest import ROOT, SAMPLES

HASHING = {"model": "hashing", "min_words": 30, "max_words": 60}
DRAFT = ROOT / "docs" / "examples" / "chapter-2.txt"
DANCE = "The dance is a figure of eight with a straight run through the middle."
PENCIL = "A round one rolls off the desk"
AGREES, DISAGREES, UNKNOWN = ClaimVerdict.AGREES, ClaimVerdict.DISAGREES, ClaimVerdict.UNKNOWN


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check") / "library"
    names = ("the-quiet-trades.epub", "small-machines.pdf", "winterapfel.txt")
    with alexandria.open(folder) as opened:
        opened.ingest([SAMPLES / name for name in names], options=HASHING)
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with alexandria.open(folder) as opened:
        yield opened


def one(library: Library, text: str) -> CheckedQuotation:
    [item] = library.check_text(text).items
    return item


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        pytest.param(f"She says, “{DANCE}”", Verdict.EXACT, id="word for word"),
        pytest.param("“the dance is a figure of eight …”", Verdict.ALLOWED, id="dots"),
        pytest.param("“[I]n the middle” and so on, Marlow writes.", Verdict.TOO_SHORT, id="too short"),
        pytest.param("“The dance is a figure of nine with a straight run”", Verdict.DIFFERS, id="a word"),
        pytest.param(
            "Marlow: “Bees are letters that nobody has posted yet”", Verdict.NOT_FOUND, id="invented"
        ),
        pytest.param(f"> {DANCE}", Verdict.EXACT, id="set apart"),
        pytest.param(
            "„Äpfel sind wie Verwandte, sie vertragen sich, solange man sie“", Verdict.DIFFERS, id="German"
        ),
    ],
)
def test_verdicts(library: Library, text: str, verdict: Verdict) -> None:
    assert one(library, text).verdict is verdict


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The word “hive” is old.", id="a word as a word"),
        pytest.param("In “The Quiet Trades” she says nothing of it.", id="a title"),
        pytest.param("“The Long And Winding Roads Through Europe” is a book.", id="another title"),
        pytest.param("“But surely you can just knock on the wood and see,” she says.", id="dialogue"),
        pytest.param("It may be answered, “the bees were never asked about it.”", id="what may be said"),
        pytest.param("“The bees were never asked about it,” she seems to say.", id="what seems to be said"),
        pytest.param("It is as if he said: “The bees were never asked about it.”", id="as if it were said"),
        pytest.param("In other words, “the bees were never asked about it.”", id="in other words"),
        pytest.param("Im Grunde könnte man sagen: „Niemand hat die Bienen gefragt.“", id="in German"),
        pytest.param("Nothing is quoted here.", id="none"),
    ],
)
def test_what_is_no_quotation_is_passed_over(library: Library, text: str) -> None:
    assert library.check_text(text).items == ()


def test_a_few_words_only_differ_from_a_book_that_something_names_or_quotes(library: Library) -> None:
    few = "“the dance is a figure of nine”"
    assert library.check_text(f"They say {few}.").items == ()
    assert one(library, f"Marlow says {few}.").verdict is Verdict.DIFFERS
    quoted = f"“{DANCE}” They say {few}. “Her sisters, who follow her with their feelers almost touching”"
    verdicts = [item.verdict for item in library.check_text(quoted).items]
    assert verdicts == [Verdict.EXACT, Verdict.DIFFERS, Verdict.EXACT]


def test_the_speech_of_a_story_is_no_quotation(library: Library) -> None:
    assert not library.check(SAMPLES / "gull-rock.txt").complaints
    assert one(library, "The book says “bees are letters that nobody has posted yet”.").is_complaint


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (f"> {DANCE} A well-known fact, and no-one else's", f"{DANCE} A well-known fact, and no-one else's"),
        (f"> {DANCE[:-1]} — whether it is so or not", f"{DANCE[:-1]} — whether it is so or not"),
        (f"> {DANCE} — Marlow, p. 3", DANCE),
        (f"> {DANCE} (Marlow 3)", DANCE),
    ],
)
def test_a_block_ends_before_its_citation_and_nowhere_else(library: Library, text: str, quoted: str) -> None:
    assert one(library, text).text.removeprefix("> ") == quoted


def test_a_character_of_the_book_is_no_wrong_author(library: Library) -> None:
    bees = one(library, f"The forager says, “{DANCE}”")
    assert bees.claims.author is not DISAGREES


def test_differences_are_side_by_side(library: Library) -> None:
    item = one(library, "“The dance is a figure of nine with a straight run”")
    [difference] = item.differences
    assert (difference.yours, difference.book) == ("nine", "eight")
    assert item.text[difference.start :].startswith("nine")
    assert item.place is not None
    assert item.place.words[difference.book_start :].startswith("eight")
    assert item.is_complaint


def test_two_pieces_with_an_attribution_between_are_one(library: Library) -> None:
    item = one(library, "“The dance,” Marlow says, “is a figure of eight with a straight run.”")
    assert (item.verdict, item.text) == (
        Verdict.ALLOWED,
        "The dance, is a figure of eight with a straight run.",
    )
    assert Allowance.ATTRIBUTION in item.allowances


@pytest.mark.parametrize(
    ("text", "author", "title", "page"),
    [
        pytest.param(f"“{DANCE}” (Marlow, Quiet Trades, p. 1)", AGREES, AGREES, AGREES, id="all"),
        pytest.param(f"“{DANCE}” (Ferrand, Small Machines)", DISAGREES, DISAGREES, UNKNOWN, id="another"),
        pytest.param(
            f"“{DANCE}” (Melville 12)", DISAGREES, UNKNOWN, UNKNOWN, id="an author who is not there"
        ),
        pytest.param(f"“{DANCE}”", UNKNOWN, UNKNOWN, UNKNOWN, id="nothing is claimed"),
        pytest.param(f"“{PENCIL}” [@nobody, p. 1]", UNKNOWN, UNKNOWN, UNKNOWN, id="a key that is nowhere"),
    ],
)
def test_claims(
    library: Library, text: str, author: ClaimVerdict, title: ClaimVerdict, page: ClaimVerdict
) -> None:
    claims = one(library, text).claims
    assert (claims.author, claims.title, claims.page) == (author, title, page)


def test_a_page_is_wrong_only_if_the_cited_edition_is_there(library: Library) -> None:
    wrong = f"“{PENCIL}” (Ferrand 99)."
    assert one(library, wrong).claims.page is UNKNOWN
    storm = "It owes its beginning to a storm"
    items = library.check_text(f"{wrong} “{storm}” (Ferrand {library.find(storm)[0].page}).").items
    assert [item.claims.page for item in items] == [DISAGREES, AGREES]


def test_a_manuscript_that_is_on_the_shelf_is_left_out(library: Library, tmp_path: Path) -> None:
    report = library.check(SAMPLES / "the-quiet-trades.epub")
    assert report.library.not_looked_at == ("The Quiet Trades",)
    assert not any(item.place and item.place.title == "The Quiet Trades" for item in report.items)


def test_an_answer_is_compared_with_the_passages_that_it_was_given(library: Library) -> None:
    hits = library.find(DANCE)
    text = f"Marlow says “{DANCE}”, and Ferrand says “{PENCIL}”."
    assert [item.verdict for item in library.check_text(text).items] == [Verdict.EXACT] * 2
    within = library.check_text(text, within=hits)
    assert [item.verdict for item in within.items] == [Verdict.EXACT, Verdict.NOT_FOUND]
    assert within.library.n_books == len({hit.book_id for hit in hits})


def test_several_collections_are_one_shelf(folder: Path) -> None:
    with alexandria.open(folder, "more") as more:
        more.ingest(SAMPLES / "gull-rock.txt", options=HASHING)
    with Libraries(folder, ["books", "more"]) as libraries:
        report = libraries.check_text(f"“{DANCE}”")
        assert report.library.n_books == 4
        [item] = report.items
        assert item.place is not None
        assert item.place.collection == "books"


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("a.html", f"<h1>One</h1><p>x</p><p>So <q>{DANCE}</q></p>", "§1 “One”, paragraph 2"),
        ("a.md", f"# One\n\nx\n\nSo “{DANCE}”\n", "line 5"),
        ("a.txt", f"x\n\nSo “{DANCE}”\n", "line 3"),
        ("a.tex", f"\\begin{{document}}\nx\n\nSo \\enquote{{{DANCE}}}\n\\end{{document}}", "line 4"),
        ("a.tex", f"x\n\n\\begin{{quote}}{DANCE}\\end{{quote}}", "line 3"),
        ("a.md", f"x[^1]\n\n[^1]: So “{DANCE}”\n", "line 3"),
    ],
)
def test_formats(library: Library, tmp_path: Path, name: str, content: str, where: str) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    [item] = library.check(file).items
    assert (item.verdict, item.where, item.file) == (Verdict.EXACT, where, str(file))


def test_a_title_in_a_note_is_none_and_lines_go_on_after_it(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    title = "The dance of the bees and what it means to us"
    file.write_text(f"So “{DANCE}”[^1]\n\nAnd “{PENCIL}”\n\n[^1]: A. Nobody, “{title},” Bees 3 (1990): 4.\n")
    assert [item.where for item in library.check(file).items] == ["line 1", "line 3"]


def test_offsets_are_those_of_the_text_that_extract_prints(folder: Path, library: Library) -> None:
    text = run("extract", DRAFT, "--text").stdout
    for item in library.check(DRAFT).items:
        assert text[item.start : item.end] == item.text


def test_keys_are_looked_up_in_the_bibliography_that_is_named(library: Library, tmp_path: Path) -> None:
    bibliography = tmp_path / "own.bib"
    bibliography.write_text("@book{m26, author = {Marlow, Ida}, title = {The Quiet {T}rades}, year = 2026}")
    draft = tmp_path / "draft.md"
    draft.write_text(f"---\nbibliography: own.bib\n---\n\n“{DANCE}” [@m26, p. 1]\n")
    [item] = library.check(draft).items
    assert (item.claims.author, item.claims.title, item.claims.page) == (AGREES,) * 3
    other = tmp_path / "other.json"
    other.write_text('[{"id": "m26", "title": "Small Machines", "author": [{"family": "Ferrand"}]}]')
    [item] = library.check(draft, bibliography=other).items
    assert (item.claims.author, item.claims.title) == (DISAGREES, DISAGREES)
    other.write_text("[1]")
    with pytest.raises(ConfigError, match="cannot read the bibliography"):
        library.check(draft, bibliography=other)


def test_the_command(folder: Path, tmp_path: Path) -> None:
    done = run("check", DRAFT, "--store", folder)
    assert done.returncode == 1
    assert (
        "4 quotations: 1 word for word, 1 as convention allows, 1 differs, 1 not in your books" in done.stdout
    )
    assert "yours  has told her that it is too much" in done.stdout
    only = run("check", DRAFT, "--store", folder, "--only", "exact")
    assert only.returncode == 1
    assert "shakes her body" in only.stdout
    assert "too much" not in only.stdout
    unknown = run("check", DRAFT, "--store", folder, "--only", "wrong")
    assert (unknown.returncode, unknown.stderr.partition("\n")[0]) == (2, "Error: unknown verdict 'wrong'")
    piped = run("check", "-", "--store", folder, typed=f"So “{DANCE}”\n")
    assert (piped.returncode, piped.stdout.split("  ")[0]) == (0, "-")
    assert run("check", tmp_path / "none.md", "--store", folder).returncode == 4
    assert run("check", DRAFT, tmp_path / "none.md", "--store", folder).returncode == 3
    assert run("check", DRAFT, "--store", tmp_path / "nowhere").returncode == 5
    assert run("check", DRAFT, "--store", folder, "--chapter", "one").returncode == 2


def test_differences_that_are_meant_are_counted(folder: Path, tmp_path: Path) -> None:
    accepted = tmp_path / "accepted.txt"
    assert run("check", DRAFT, "--store", folder, "--write").returncode == 2
    assert run("check", DRAFT, "--store", folder, "--accept", accepted).returncode == 2
    for _ in range(2):
        assert run("check", DRAFT, "--store", folder, "--accept", accepted, "--write").returncode == 0
        assert len(accepted.read_text().splitlines()) == 2
    done = run("check", DRAFT, "--store", folder, "--accept", accepted, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["accepted"] == 2


def test_complaints_that_are_meant_are_left_out(library: Library) -> None:
    report = library.check(DRAFT)
    meant = report.accepting([" ".join(item.text.split()) for item in report.complaints])
    assert (meant.complaints, meant.summary.accepted) == ((), 2)
    assert str(meant) == "4 quotations: 1 word for word, 1 as convention allows, 2 accepted"
    assert str(library.check_text("nothing")) == "no quotation"


def test_files_that_latex_includes_are_checked_too(library: Library, tmp_path: Path) -> None:
    (tmp_path / "ch").mkdir()
    main = tmp_path / "thesis.tex"
    main.write_text("\\include{ch/one}\n% \\include{ch/two}\n\\input{../other}\n\\input{thesis}\n")
    (tmp_path / "ch" / "one.tex").write_text(f"\\enquote{{{DANCE}}}")
    (tmp_path / "ch" / "two.tex").write_text(f"\\enquote{{{DANCE}}}")
    assert [Path(item.file).name for item in library.check(main).items] == ["one.tex"]


def test_a_folder_is_read_with_its_latex(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(f"\\enquote{{{DANCE}}}")
    (tmp_path / "b.md").write_text(f"“{DANCE}”")
    (tmp_path / "c.docx").write_bytes(b"PK\3\4broken")
    report = library.check(tmp_path)
    assert [Path(item.file).name for item in report.items] == ["b.md", "a.tex"]
    assert [Path(unread.file).name for unread in report.unread] == ["c.docx"]
    with pytest.raises(BookError):
        library.check(tmp_path / "c.docx")


HOSTILE = {
    "marks that never close": "“" * 200_000,
    "a mark on each letter": "“a” " * 20_000,
    "apostrophes": "'a " * 60_000,
    "brackets": "“" + "[a" * 50_000 + "”",
    "dots": "“" + "a… " * 3_000 + "”",
    "right to left": "אמר: “" + "שלום עולם " * 200 + "”",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_get_an_answer(library: Library, text: str) -> None:
    assert library.check_text(text).summary.exact == 0


def test_one_quotation_of_a_whole_book(library: Library) -> None:
    text = "\n\n".join(chunk.text for chunk in library.chunks("machines"))
    item = one(library, f"“{' '.join(text.split())}”")
    assert item.verdict in (Verdict.EXACT, Verdict.ALLOWED)
