"""UTF-8 that was read as Windows-1252, once or more, is mended where that is certain."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from alexandria.extract import extract
from alexandria.extract.markup.tree import decode_markup, repair_mojibake
from alexandria.extract.mojibake import mend_mojibake
from tests.pairs import by_pairs

FRENCH = "L’été dernier, “le garçon” était déjà à l’école… – Noël"
RUSSIAN = "Он пришёл домой поздно вечером."
CROATIAN = "Čovjek živi više života, a onaj koji šuti često čuje."


def misread(text: str) -> str:
    """Return UTF-8 as Windows-1252 reads it, with controls where it defines nothing."""
    undefined = b"\x81\x8d\x8f\x90\x9d"
    return "".join(chr(b) if b in undefined else bytes([b]).decode("cp1252") for b in text.encode())


@by_pairs(
    ("text", [FRENCH, RUSSIAN, CROATIAN, "naïve", "Über 5 °C", "📚 und “Bücher”"]), ("times", [1, 2, 3])
)
def test_a_text_that_was_misread_is_mended(text: str, times: int) -> None:
    broken = text
    for _ in range(times):
        broken = misread(broken)
    assert mend_mojibake(broken).text == text


def test_other_texts_stay_as_they_are() -> None:
    cases = [
        FRENCH,
        RUSSIAN,
        CROATIAN,
        "CAFÉ»",
        "“SÃO PAULO”",
        "It prints Ã© for é.",
        "Ã",
        "naïve ÃŒ",
        "LA CITÉ…",
    ]
    for text in cases:
        assert mend_mojibake(text).text == text


@given(st.text())
def test_no_text_is_taken_for_mojibake_of_another(text: str) -> None:
    assert mend_mojibake(text).text == text or misread(mend_mojibake(text).text) != mend_mojibake(text).text


def test_a_long_text_with_an_exception_is_mended() -> None:
    text = f"{FRENCH}\n" * 10
    assert mend_mojibake(f"{misread(text)}An editor’s remark").text == f"{text}An editor’s remark"


def test_what_only_looks_like_mojibake_is_counted() -> None:
    text = "The name RenÃ©e is printed for Renée, AndrÃ©e for Andrée, LÃ©onie for Léonie, in français.\n"
    assert mend_mojibake(text).text == text
    assert mend_mojibake(text).n_doubtful == 3


def test_mojibake_is_mended_in_every_format_of_text(tmp_path: Path) -> None:
    cases = [
        ("a.txt", "{}"),
        ("a.md", "{}"),
        ("a.html", "<html><head><meta charset='utf-8'></head><body><p>{}</p></body></html>"),
        ("b.html", '<?xml version="1.0" encoding="windows-1252"?><html><body><p>{}</p></body></html>'),
        ("a.fb2", "<FictionBook><body><section><p>{}</p></section></body></FictionBook>"),
    ]
    for name, markup in cases:
        path = tmp_path / name
        encoding = "utf-8" if name != "b.html" else "latin-1"
        broken = misread(FRENCH) if name != "b.html" else FRENCH.encode().decode("latin-1")
        path.write_bytes(markup.format(broken).encode(encoding))
        book = extract(path)
        assert (book.text, book.warnings) == (FRENCH, ())


def test_repaired_markup_declares_utf_8_and_is_otherwise_as_it_was() -> None:
    cases = [
        ('<?xml version="1.0" encoding="windows-1252"?>', '<?xml version="1.0" encoding="utf-8"?>'),
        ("<meta charset='windows-1252'/>", "<meta charset='utf-8'/>"),
        ('<meta content="text/html; charset=windows-1252"/>', '<meta content="text/html; charset=utf-8"/>'),
        ("<meta charset=windows-1252>", "<meta charset=utf-8>"),
        ("", ""),
    ]
    for declared, expected in cases:
        filler, prose = " " * 1024, "<p>Write charset=latin1 there.</p>"
        markup = f"{declared}<p>{FRENCH if declared else misread(FRENCH)}</p>{filler}{prose}"
        repaired, n_doubtful = repair_mojibake(markup.encode())
        assert (repaired.decode(), n_doubtful) == (f"{expected}<p>{FRENCH}</p>{filler}{prose}", 0)


def test_only_a_declaration_says_how_markup_is_encoded() -> None:
    cases = [
        ("<p>Write charset=koi8-r there.<p>Café", "utf-8"),
        ("<script src=a.js charset=koi8-r></script><meta charset=windows-1251><p>Да", "windows-1251"),
        ("<META content='text/html; charset=koi8-r'><p>Да", "koi8-r"),
    ]
    for markup, encoding in cases:
        assert decode_markup(markup.encode(encoding)) == markup


RUSSIAN = "Соль земли и моря была белой, и рыбаки брали её каждый день. Они знали цену соли."
GREEK = "Το αλάτι της γης και της θάλασσας ήταν λευκό, και οι ψαράδες το έπαιρναν κάθε μέρα."
JAPANESE = "塩は白く、漁師たちは毎日それを買いました。彼らは塩の値段を知っていた。"


ENCODED = {
    "Russian": (RUSSIAN, "cp1251"),
    "Russian of Unix": (RUSSIAN, "koi8-r"),
    "Greek": (GREEK, "cp1253"),
    "Japanese": (JAPANESE, "shift_jis"),
    "French": (FRENCH, "cp1252"),
    "ornaments": ("• • •", "cp1252"),
    "signs": ("“…”", "cp1252"),
}


@by_pairs(("declared", {"none": "", "wrong": "<meta charset=utf-8>"}), ("text, encoding", ENCODED))
def test_markup_without_a_true_declaration_is_read_by_its_bytes(
    declared: str, text: str, encoding: str
) -> None:
    markup = f'<html>{declared}<p class="first">{text}<p>'
    assert decode_markup(markup.encode(encoding)) == markup


@by_pairs(("declared", ["utf-16", "UTF-16LE", "utf-32"]), ("text", ["Café", "Cafés", "Cafés!", "A café"]))
def test_a_declaration_of_utf_16_that_can_be_read_is_wrong(declared: str, text: str) -> None:
    markup = f"<meta charset={declared}><p>{text}"
    assert decode_markup(markup.encode()) == markup


def test_doubtful_places_are_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("He wrote RenÃ©e, AndrÃ©e and DÃ©sirÃ©e, en français.")
    assert any("look like UTF-8" in warning for warning in extract(path).warnings)
