"""What citations and sentences say of a source, in the styles and languages that people use."""

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


def test_a_citation() -> None:
    cases = {
        "MLA": ("Russell 23", "Russell", None, "23"),
        "Chicago author-date": ("Russell 1912, 23", "Russell", None, "23"),
        "APA": ("Russell, 1912, p. 23", "Russell", None, "23"),
        "Harvard": ("Russell 1912: 23", "Russell", None, "23"),
        "a year is no page": ("Russell, 1912", "Russell", None, None),
        "short title": ("Russell, Problems, pp. 104–105", "Russell", "Problems", "104–105"),
        "title alone": ("Problems, p. 52", None, "Problems", "52"),
        "page alone": ("p. 42", None, None, "42"),
        "see also": ("Darwin 90; see also 95", "Darwin", None, "90"),
        "another book": ("Melville, Typee, p. 12", "Melville", "Typee", "12"),
        "a book": ("Moby-Dick", None, "Moby Dick", None),
        "a chapter is no page": ("Hobbes, Leviathan, ch. 25", "Hobbes", "Leviathan", None),
        "Chicago note": (
            "Bertrand Russell, The Problems of Philosophy (London: Williams, 1912), 23.",
            *("Russell", "Problems Philosophy", "23"),
        ),
        "ISO 690": (
            "RUSSELL, Bertrand. The Problems of Philosophy. London: Williams, 1912, s. 23.",
            *("RUSSELL", "Problems Philosophy", "23"),
        ),
        "an author who is not there": ("Guicciardini 43", "Guicciardini", None, "43"),
        "nor a book": ("Robert Walser, Der Gehülfe, S. 12", "Robert Walser", "Der Gehülfe", "12"),
        "German": ("vgl. Kafka, Die Verwandlung, S. 12", "Kafka", "Verwandlung", "12"),
        "French": ("voir Darwin, Voyage, p. 12", "Darwin", "Voyage", "12"),
        "Spanish": ("véase Darwin, pág. 12", "Darwin", None, "12"),
        "Italian": ("cfr. Darwin, pag. 12", "Darwin", None, "12"),
        "a Roman number needs its p.": ("see Darwin xii", "Darwin", None, None),
        "Roman": ("Darwin, p. xii", "Darwin", None, "xii"),
        "key": ("@russell1912, p. 23", "Russell, Bertrand", "The Problems of Philosophy", "23"),
        "range": ("see @russell1912, 23-25", "Russell, Bertrand", "The Problems of Philosophy", "23-25"),
        "a key that is nowhere": ("@nobody1900, p. 23", None, None, "23"),
        "a note goes on": ("Darwin, Voyage, p. 20. My friend calls it 30.", "Darwin", "Voyage", "20"),
    }
    for text, author, title, page in cases.values():
        source = cited_source(text, KNOWN)
        assert source is not None
        assert (source.author, source.title, source.page) == (author, title, page)


def test_what_is_no_citation() -> None:
    cases = [
        "my italics",
        "I quote from the chapter on Maldonado, and leave out a qualification",
        "I believe the critics of Darwin have influenced me most",
        "The Darwin of these letters is another",
        "There are other passages in Leviathan, too, that recall it.",
        "Throughout, I italicise what matters.",
        "sic",
        "1912",
        "",
    ]
    for text in cases:
        assert cited_source(text, KNOWN) is None


def test_ibid_means_the_one_before() -> None:
    before = cited_source("Russell, Problems, p. 52", KNOWN)
    for text, page in [("ibid., 53", "53"), ("Ebd., S. 54", "54"), ("ibid.", "52")]:
        source = cited_source(text, KNOWN, before)
        assert source is not None
        assert (source.author, source.page) == ("Russell", page)


def test_what_a_sentence_says() -> None:
    cases = {
        "says": ("As Russell says, “…”.", "Russell", None),
        "the nearest": ("James asks, whereas Russell replies that “…”.", "Russell", None),
        "owns": ("Hobbes’s “…” is famous.", "Hobbes", None),
        "was": ("“…”, he insisted, was Melville’s.", "Melville", None),
        "gave": ("I read “…” and gave it, wickedly, to Darwin.", "Darwin", None),
        "German": ("„…“, wie Robert Walser gesagt haben soll.", "Robert Walser", None),
        "French": ("« … », écrit Melville.", "Melville", None),
        "Spanish": ("«…», escribe Melville.", "Melville", None),
        "Italian": ("«…», scrive Melville.", "Melville", None),
        "title": ("He found Melville’s “…” in Typee.", "Melville", "Typee"),
        "long title": ("“…”, as coming from The Origin of Species.", None, "The Origin of Species"),
        "only named": ("He goes whaling, whereas Melville took six hundred pages: “…”", None, None),
        "only named after": ("“…”, which would have amused Hobbes.", None, None),
        "a town": ("“…” is what he heard in London.", None, None),
        "two countries": ("In England and Wales they say “…”.", None, None),
        "German title": ("“…” steht in Der Zauberberg.", None, "Der Zauberberg"),
        "according to": ("According to Hobbes, “…”.", "Hobbes", None),
        "somebody's words": ("In the words of Bram Stoker: “…”.", "Bram Stoker", None),
        "nouns with capitals": ("Viele Leser sagen: „…“.", None, None),
        "given to somebody": ("“…” is often given to Bram Stoker.", "Bram Stoker", None),
        "no name": ("The Duke says “…”.", None, None),
        "nobody": ("“…”, as I thought.", None, None),
    }
    for sentence, author, title in cases.values():
        start, end = sentence.index("…"), sentence.index("…") + 1
        source = source_in_prose(surroundings(sentence, start, end), KNOWN)
        assert (source and source.author, source and source.title) == (author, title)
