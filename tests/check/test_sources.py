"""What citations and sentences say of a source, in the styles and languages that people use."""

import pytest

from alexandria.library.check.sources import (
    CitedWork,
    KnownWorks,
    cited_source,
    source_in_prose,
    surroundings,
)

LIBRARY = [
    CitedWork("Bertrand Russell", "The Problems of Philosophy", "1912"),
    CitedWork("Charles Darwin", "The Voyage of the Beagle"),
    CitedWork("Franz Kafka", "Die Verwandlung"),
    CitedWork("Herman Melville", "Moby-Dick"),
    CitedWork("Mary Shelley", "Frankenstein"),
    CitedWork("Thomas Hobbes", "Leviathan"),
]
CITED = {"russell1912": CitedWork("Russell, Bertrand", "The Problems of Philosophy", "1912")}
KNOWN = KnownWorks(LIBRARY, CITED)


@pytest.mark.parametrize(
    ("text", "author", "title", "page"),
    [
        pytest.param("Russell 23", "Russell", None, "23", id="MLA"),
        pytest.param("Russell 1912, 23", "Russell", None, "23", id="Chicago author-date"),
        pytest.param("Russell, 1912, p. 23", "Russell", None, "23", id="APA"),
        pytest.param("Russell 1912: 23", "Russell", None, "23", id="Harvard"),
        pytest.param("Russell, 1912", "Russell", None, None, id="a year is no page"),
        pytest.param("Russell, Problems, pp. 104–105", "Russell", "Problems", "104–105", id="short title"),
        pytest.param("Problems, p. 52", None, "Problems", "52", id="title alone"),
        pytest.param("p. 42", None, None, "42", id="page alone"),
        pytest.param("Darwin 90; see also 95", "Darwin", None, "90", id="see also"),
        pytest.param("Melville, Typee, p. 12", "Melville", "Typee", "12", id="another book"),
        pytest.param("Moby-Dick", None, "Moby Dick", None, id="a book"),
        pytest.param("Hobbes, Leviathan, ch. 25", "Hobbes", "Leviathan", None, id="a chapter is no page"),
        pytest.param(
            "Bertrand Russell, The Problems of Philosophy (London: Williams, 1912), 23.",
            *("Russell", "Problems Philosophy", "23"),
            id="Chicago note",
        ),
        pytest.param(
            "RUSSELL, Bertrand. The Problems of Philosophy. London: Williams, 1912, s. 23.",
            *("RUSSELL", "Problems Philosophy", "23"),
            id="ISO 690",
        ),
        pytest.param("Guicciardini 43", "Guicciardini", None, "43", id="an author who is not there"),
        pytest.param(
            "Robert Walser, Der Gehülfe, S. 12", "Robert Walser", "Der Gehülfe", "12", id="nor a book"
        ),
        pytest.param("vgl. Kafka, Die Verwandlung, S. 12", "Kafka", "Verwandlung", "12", id="German"),
        pytest.param("voir Darwin, Voyage, p. 12", "Darwin", "Voyage", "12", id="French"),
        pytest.param("véase Darwin, pág. 12", "Darwin", None, "12", id="Spanish"),
        pytest.param("cfr. Darwin, pag. 12", "Darwin", None, "12", id="Italian"),
        pytest.param("see Darwin xii", "Darwin", None, None, id="a Roman number needs its p."),
        pytest.param("Darwin, p. xii", "Darwin", None, "xii", id="Roman"),
        pytest.param(
            "@russell1912, p. 23", "Russell, Bertrand", "The Problems of Philosophy", "23", id="key"
        ),
        pytest.param(
            "see @russell1912, 23-25", "Russell, Bertrand", "The Problems of Philosophy", "23-25", id="range"
        ),
        pytest.param("@nobody1900, p. 23", None, None, "23", id="a key that is nowhere"),
        pytest.param(
            "Darwin, Voyage, p. 20. My friend calls it 30.", "Darwin", "Voyage", "20", id="a note goes on"
        ),
    ],
)
def test_a_citation(text: str, author: str | None, title: str | None, page: str | None) -> None:
    source = cited_source(text, KNOWN)
    assert source is not None
    assert (source.author, source.title, source.page) == (author, title, page)


@pytest.mark.parametrize(
    "text",
    [
        "my italics",
        "I quote from the chapter on Maldonado, and leave out a qualification",
        "I believe the critics of Darwin have influenced me most",
        "The Darwin of these letters is another",
        "There are other passages in Leviathan, too, that recall it.",
        "Throughout, I italicise what matters.",
        "sic",
        "1912",
        "",
    ],
)
def test_what_is_no_citation(text: str) -> None:
    assert cited_source(text, KNOWN) is None


def test_ibid_means_the_one_before() -> None:
    before = cited_source("Russell, Problems, p. 52", KNOWN)
    for text, page in [("ibid., 53", "53"), ("Ebd., S. 54", "54"), ("ibid.", "52")]:
        source = cited_source(text, KNOWN, before)
        assert source is not None
        assert (source.author, source.page) == ("Russell", page)


@pytest.mark.parametrize(
    ("sentence", "author", "title"),
    [
        pytest.param("As Russell says, “…”.", "Russell", None, id="says"),
        pytest.param("James asks, whereas Russell replies that “…”.", "Russell", None, id="the nearest"),
        pytest.param("Hobbes’s “…” is famous.", "Hobbes", None, id="owns"),
        pytest.param("“…”, he insisted, was Melville’s.", "Melville", None, id="was"),
        pytest.param("I read “…” and gave it, wickedly, to Darwin.", "Darwin", None, id="gave"),
        pytest.param("„…“, wie Robert Walser gesagt haben soll.", "Robert Walser", None, id="German"),
        pytest.param("« … », écrit Melville.", "Melville", None, id="French"),
        pytest.param("«…», escribe Melville.", "Melville", None, id="Spanish"),
        pytest.param("«…», scrive Melville.", "Melville", None, id="Italian"),
        pytest.param("He found Melville’s “…” in Typee.", "Melville", "Typee", id="title"),
        pytest.param(
            "“…”, as coming from The Origin of Species.", None, "The Origin of Species", id="long title"
        ),
        pytest.param(
            "He goes whaling, whereas Melville took six hundred pages: “…”", None, None, id="only named"
        ),
        pytest.param("“…”, which would have amused Hobbes.", None, None, id="only named after"),
        pytest.param("“…” is what he heard in London.", None, None, id="a town"),
        pytest.param("In England and Wales they say “…”.", None, None, id="two countries"),
        pytest.param("“…” steht in Der Zauberberg.", None, "Der Zauberberg", id="German title"),
        pytest.param("According to Hobbes, “…”.", "Hobbes", None, id="according to"),
        pytest.param("In the words of Bram Stoker: “…”.", "Bram Stoker", None, id="somebody's words"),
        pytest.param("Viele Leser sagen: „…“.", None, None, id="nouns with capitals"),
        pytest.param("“…” is often given to Bram Stoker.", "Bram Stoker", None, id="given to somebody"),
        pytest.param("The Duke says “…”.", None, None, id="no name"),
        pytest.param("“…”, as I thought.", None, None, id="nobody"),
    ],
)
def test_what_a_sentence_says(sentence: str, author: str | None, title: str | None) -> None:
    start, end = sentence.index("…"), sentence.index("…") + 1
    source = source_in_prose(surroundings(sentence, start, end), KNOWN)
    assert (source and source.author, source and source.title) == (author, title)
