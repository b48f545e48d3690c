"""LaTeX is read as such for `check`: its quotations, notes and citations; to `ingest` it is plain text."""

from pathlib import Path

import pytest

from alexandria.book.model import BlockKind
from alexandria.extract import ReadOptions, extract
from alexandria.extract.latex import text_of_tex

MANUSCRIPT = ReadOptions(as_manuscript=True)


@pytest.fixture
def read(tmp_path: Path) -> "Read":
    return Read(tmp_path / "a.tex")


class Read:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, text: str) -> list[tuple[str, str]]:
        """Return the kind and the text of each block, then the notes."""
        self.file.write_text(text, encoding="utf-8")
        book = extract(self.file, MANUSCRIPT)
        assert book.format == "latex"
        blocks = [(block.kind.value, block.text) for block in book.blocks]
        return blocks + [("note", note.text) for note in book.notes]


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        pytest.param(r"\enquote{one \enquote{two} three}", "“one ‘two’ three”", id="enquote"),
        pytest.param(r"\enquote*{one}", "‘one’", id="inner"),
        pytest.param("``one'' and `two'", "“one” and ‘two’", id="ligatures"),
        pytest.param(r"\glqq eins\grqq{} und \og deux\fg", "„eins“ und «deux»", id="other languages"),
        pytest.param(r"\textquote[{\cite[12]{key}}]{one}", "“one” [@key, 12]", id="textquote"),
        pytest.param(r"\textcquote[12]{key}{one}", "“one” [@key, 12]", id="textcquote"),
        pytest.param(r"one\ldots{} two \dots three \textelp{} four", "one… two …three […] four", id="dots"),
        pytest.param(r"na\"{\i}ve \'Emile \c{c}a {\o} \ss", "naïve Émile ça ø ß", id="accents"),
        pytest.param("a---b, 1--2, c~d % e\nf \\% \\& g", "a—b, 1–2, c d f % & g", id="signs"),
        pytest.param(r"see \parencite[see][p.~3]{a,b}", "see [@a; @b, p. 3]", id="citation"),
        pytest.param(r"\emph{one} \textbf{two} {\itshape three}", "one two three", id="emphasis"),
        pytest.param(r"\newcommand{\nice}[1]{nice #1}\newcommand*\x[2][y]{#1 z} one", "one", id="commands"),
        pytest.param(r"\newenvironment{x}[1]{begun #1}{ended}\renewcommand\emph{x} one", "one", id="defined"),
        pytest.param(r"\def\pair#1#2{#1 and #2}\DeclareMathOperator*{\most}{most} one", "one", id="old"),
        pytest.param(
            r"\newtheorem{t}{Theorem}[part]\setcounter{page}{5}\setlength\parskip{1pt} one\newcommand",
            "one",
            id="cut off",
        ),
        pytest.param(r"one \unknown[x]{two} three\label{x}", "one two three", id="unknown command"),
        pytest.param(r"one\begin{figure}\enquote{x}\end{figure} two", "one two", id="figure"),
        pytest.param(r"\enquote{never closed", "never closed", id="unclosed"),
    ],
)
def test_a_paragraph(read: Read, tex: str, text: str) -> None:
    assert read(tex) == [("paragraph", text)]


def test_blocks_and_notes(read: Read) -> None:
    assert read(
        "\\documentclass{article}\n\\title{T}\n\\begin{document}\n\\section{One}\n"
        "Before.\\footnote{A \\enquote{note}.}\n\n"
        "\\begin{quote}\nset apart\\footcite[97]{key}\n\\end{quote}\n"
        "\\begin{displayquote}[{\\cite[3]{key}}]cited\\end{displayquote}\n"
        "\\begin{verse}one\\\\\ntwo\\end{verse}\n"
        "After.\n\\end{document}\nnothing"
    ) == [
        ("heading", "One"),
        ("paragraph", "Before."),
        ("quote", "set apart"),
        ("quote", "cited [@key, 3]"),
        ("quote", "one\ntwo"),
        ("paragraph", "After."),
        ("note", "A “note”."),
        ("note", "@key, 97"),
    ]


@pytest.mark.parametrize(
    "tex", ["\\emph{" * 20_000 + "x", "{" * 100_000 + "x", "[" * 100_000 + "x", "\\cite[" * 9_000]
)
def test_hostile_tex_is_read(read: Read, tex: str) -> None:
    assert read(f"a paragraph of words {tex}")


def test_to_ingest_it_is_plain_text(tmp_path: Path) -> None:
    file = tmp_path / "a.tex"
    file.write_text("\\section{One}\n\nA paragraph \\enquote{of} words.\n")
    book = extract(file)
    assert book.format == "txt"
    assert "\\enquote" in book.text


def test_a_field_of_a_bibliography() -> None:
    assert text_of_tex(r"{\'E}mile {Z}ola \& Fils") == "Émile Zola & Fils"


def test_a_quotation_of_html_has_the_marks_that_browsers_show(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_text("<p>He said <q>one <q>two</q> three</q>, and <q>“four”</q>.</p>", encoding="utf-8")
    [block] = extract(file).blocks
    assert (block.kind, block.text) == (BlockKind.PARAGRAPH, "He said “one ‘two’ three”, and “four”.")
