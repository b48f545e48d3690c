"""The format is recognised by the bytes; a file that is not a book is refused, naming what it is."""

import codecs
import io
import os
import socket
import zipfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.encoding import _detect_wide_encoding, decode, looks_like_text
from alexandria.extract.mojibake import mend_mojibake
from alexandria.extract.sniff import sniff


def archive(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return file.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
KNOWN = {
    "epub": (archive(mimetype="application/epub+zip"), "epub"),
    "epub-by-container": (archive(a="x" * 70_000, **{"META-INF__container_dot_xml": "<c/>"}), "epub"),
    "epub-cut-off": (archive(**{"META-INF__container_dot_xml": "<c/>"})[:60], "epub"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3", "pdf"),
    "pdf-after-junk": (b"\r\n" * 200 + b"%PDF-1.4\n", "pdf"),
    "html": (b"<!DOCTYPE html>\n<html><body>", "html"),
    "html-in-capitals": (b"\xef\xbb\xbf\n<HTML><HEAD>", "html"),
    "xhtml": (b'<?xml version="1.0"?><!-- x --><!DOCTYPE html PUBLIC "a" "b"><html>', "html"),
    "html-utf-16": (codecs.BOM_UTF16_LE + "<html>".encode("utf-16-le"), "html"),
    "fb2": (b'<?xml version="1.0" encoding="windows-1251"?>\n<FictionBook xmlns="x">', "fb2"),
    "text": (b"It was late.\n", "txt"),
    "text-utf-8": ("Život je lijep.\n".encode(), "txt"),
    "text-legacy": ("Život je lijep.\n".encode("cp1250"), "txt"),
    "text-utf-16-unmarked": (("It was late.\n" * 9).encode("utf-16-be"), "txt"),
    "mobi": (b"x" * 60 + b"BOOKMOBI", "mobi"),
    "palmdoc": (b"x" * 60 + b"TEXtREAd", "mobi"),
    "text-about-html": (b"The tag <html> begins a page.", "txt"),
    "text-about-pdf": (b"A file that begins with %PDF- is one.", "txt"),
}
REFUSED = {
    "png": (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
    "gzip": (b"\x1f\x8b\x08\0", "a gzip archive"),
    "kfx": (b"CONT\x02\0", "KFX"),
    "lit": (b"ITOLITLS\1\0", "LIT"),
    "chm": (b"ITSF\3\0", "CHM"),
    "comic": (archive(page1_dot_jpg="x", page2_dot_jpg="x"), "comic"),
    "topaz": (b"TPZ0\0", "Topaz"),
    "djvu": (b"AT&TFORM\0\0", "DjVu"),
    "rtf": (b"{\\rtf1\\ansi It was late.}", "RTF"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", ".doc"),
    "xlsx": (archive(**{"xl__workbook_dot_xml": "<w/>"}), "workbook"),
    "ods": (archive(mimetype="application/vnd.oasis.opendocument.spreadsheet"), "OpenDocument"),
    "zip": (archive(note_dot_txt="hello"), "a ZIP archive, but not an EPUB"),
    "xml": (b'<?xml version="1.0"?><TEI>', "<tei>"),
    "binary": (bytes(range(256)) * 40, "binary"),
    "zeros": (bytes(9000), "only zero bytes"),
}


def test_the_format_is_recognised_by_the_bytes(tmp_path: Path) -> None:
    for data, expected in KNOWN.values():
        path = tmp_path / "book.xyz"
        path.write_bytes(data)
        assert sniff(path, data[:65_536]).name == expected


def test_a_file_that_is_not_a_book_is_refused_by_its_kind(tmp_path: Path) -> None:
    for data, what in REFUSED.values():
        path = tmp_path / "book.epub"
        path.write_bytes(data)
        with pytest.raises(BookError) as refused:
            sniff(path, data)
        assert what in refused.value.why
        assert refused.value.code is Code.UNSUPPORTED


@pytest.mark.parametrize("sector", [0, 200], ids=["in what is sniffed", "far into the file"])
def test_an_encrypted_document_of_office_is_known_by_the_directory_of_its_file(
    tmp_path: Path, sector: int
) -> None:
    file = bytearray(8 + 512 * 240)
    file[:8], file[30:32], file[48:52] = OLE, (9).to_bytes(2, "little"), sector.to_bytes(4, "little")
    name = "EncryptedPackage".encode("utf-16-le")
    file[512 * (sector + 1) : 512 * (sector + 1) + len(name)] = name
    path = tmp_path / "book.docx"
    path.write_bytes(file)
    with pytest.raises(BookError) as refused:
        sniff(path, bytes(file[:65_536]))
    assert refused.value.code is Code.PASSWORD


def test_the_name_decides_only_among_texts() -> None:
    assert sniff(Path("notes.md"), b"# Title\n").name == "markdown"
    assert sniff(Path("notes.MARKDOWN"), b"# Title\n").name == "markdown"
    assert sniff(Path("notes.md"), b"%PDF-1.7").name == "pdf"
    assert sniff(Path("notes.pdf"), b"# Title\n").name == "txt"
    assert sniff(Path("page.htm"), b"<h1>Title</h1>\n").name == "html"
    assert sniff(Path("page.txt"), b"<h1>Title</h1>\n").name == "txt"
    assert sniff(Path("page.html"), b"Title\n<h1>Title</h1>\n").name == "txt"
    assert sniff(Path("page.html"), b"<FictionBook><body/></FictionBook>").name == "fb2"


LOGIN = b"<!DOCTYPE html><html><title>Library</title><form>Sign in <input type=password></form></html>"
LONG_PAGE = b"<html><title>Rain</title><body><p>" + b"It rained in the town. " * 100 + b"</p></body></html>"


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        pytest.param("a.pdf", b"<html><body><h1>403 Forbidden</h1></body></html>", "403 Forbidden", id="403"),
        pytest.param("a.epub", b"<html><title>Error 404</title><p>Gone.</html>", "Error 404", id="404"),
        pytest.param("a.epub", LOGIN, "a login page: Library", id="login"),
        pytest.param("a.pdf", b"<html><body>Please wait.</body></html>", "HTML page: Please wait.", id="any"),
        pytest.param(
            "a.html", b"<html><title>404 Not Found</title></html>", "404 Not Found", id="named HTML"
        ),
        pytest.param("a.mobi", b'{"error": "no such book"}', "no such book", id="JSON"),
        pytest.param("a.txt", b'{"detail": "Not found."}', "Not found.", id="JSON named TXT"),
        pytest.param("a.txt", b"Internal Server Error\n", "Internal Server Error", id="error named TXT"),
        pytest.param("a.html", LOGIN, "a login page: Library", id="login named HTML"),
        pytest.param(
            "a.html",
            b"<html><title>Library</title><h1>503 Service Temporarily Unavailable</h1></html>",
            "Library",
            id="error in a heading",
        ),
        pytest.param("a.pdf", b"404 page not found\n", "404 page not found", id="text"),
        pytest.param("a.txt", b"404: Not Found", "404: Not Found", id="a number and an error"),
        pytest.param(
            "a.html", b"<html><title>Attention Required! | Cloudflare</title>", "Attention", id="blocked"
        ),
        pytest.param(
            "a.epub",
            b"<fulfillmentToken auth='user'><a>The Lamp and the Bell</a></fulfillmentToken>",
            "ACSM",
            id="token",
        ),
        pytest.param(
            "a.pdf",
            b"<br />\n<b>Fatal error</b>: No memory in <b>a.php</b>",
            "HTML page: Fatal error",
            id="PHP",
        ),
        *(
            pytest.param("a.html", f"<html><title>{title}</title><p>404</html>".encode(), title, id=title)
            for title in (
                *("Subscribe now to continue reading", "You have reached your limit of free articles"),
                *("Your session has expired", "Cookies are required", "Sitzung abgelaufen"),
                *("Страница не найдена", "Сторінку не знайдено", "Ошибка 404", "Nie znaleziono strony"),
                *("Pagina non trovata", "Página não encontrada", "Seite nicht gefunden", "Fehler 404"),
                *("Sidan hittades inte", "Sivua ei löytynyt", "Stránka nenalezena", "Sayfa bulunamadı"),
                *("Η σελίδα δεν βρέθηκε", "הדף לא נמצא", "الصفحة غير موجودة", "您访问的页面不存在"),
                *("お探しのページが見つかりません", "페이지를 찾을 수 없습니다", "Az oldal nem található"),
            )
        ),
        pytest.param("a.pdf", b"version https://git-lfs.github.com/spec/v1\noid x", "Git LFS", id="pointer"),
    ],
)
def test_a_page_that_a_server_sent_instead_of_the_book_is_refused_by_name(
    name: str, data: bytes, what: str
) -> None:
    with pytest.raises(BookError, match=what) as refused:
        sniff(Path(name), data)
    assert refused.value.code is Code.UNSUPPORTED


def test_a_page_that_only_looks_like_a_servers_is_read() -> None:
    cases = {
        "a long page with the wrong name": ("a.pdf", LONG_PAGE, "html"),
        "short": ("a.html", b"<html><title>Rain</title><p>It rained.</p></html>", "html"),
        "a number": ("a.html", b"<html><title>403 winters</title><p>Rain.</html>", "html"),
        "Russian": ("a.html", "<html><title>Страница жизни</title><p>404".encode(), "html"),
        "Chinese": ("a.html", f"<html><title>页面不存在</title><p>{'山谷' * 400}".encode(), "html"),
        "a text with an element": ("a.txt", b"<b>Salt</b>, a tale of the quay.", "txt"),
        "a text on errors": ("a.txt", b"404 Not Found is what the server said.", "txt"),
        "an error and more": ("a.txt", b"404: Not Found, a novel", "txt"),
        "more than an error": ("a.txt", b"Not found. Forbidden, even.", "txt"),
        "a text with the wrong name": ("notes.pdf", b"It was late.", "txt"),
    }
    for name, data, format in cases.values():
        assert sniff(Path(name), data).name == format


def test_an_empty_file_is_empty() -> None:
    with pytest.raises(BookError) as refused:
        sniff(Path("a.txt"), b"")
    assert refused.value.code is Code.EMPTY


def test_a_truncated_zip_of_unknown_content_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    path.write_bytes(archive(x="hello")[:40])
    with pytest.raises(BookError) as refused:
        sniff(path, path.read_bytes())
    assert refused.value.code is Code.DAMAGED


def test_a_zip_whose_mimetype_cannot_be_unpacked_is_damaged(tmp_path: Path) -> None:
    data = bytearray(archive(mimetype="application/epub+zip"))
    data[38:48] = b"\xff" * 10  # in the deflated bytes: 30 of the header and 8 of the name come first
    (tmp_path / "x.epub").write_bytes(data)
    with pytest.raises(BookError) as refused:
        sniff(tmp_path / "x.epub", bytes(data))
    assert refused.value.code is Code.DAMAGED


def test_a_zip_with_invalid_names_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    path.write_bytes(archive(é="hello").replace("é".encode(), b"\x92\x92"))
    with pytest.raises(BookError) as refused:
        sniff(path, path.read_bytes())
    assert refused.value.code is Code.DAMAGED


def test_zero_bytes_tell_a_wide_encoding_from_a_twentieth_on_and_where_few_are_elsewhere() -> None:
    for n_odd, n_even, expected in ((10, 0, None), (11, 0, "utf-16-le"), (20, 1, "utf-16-le"), (20, 2, None)):
        head = b"\0a" * n_even + b"a\0" * n_odd + b"aa" * (100 - n_odd - n_even)
        assert _detect_wide_encoding(head) == expected
        turned = b"".join(head[i + 1 : i + 2] + head[i : i + 1] for i in range(0, len(head), 2))
        assert _detect_wide_encoding(turned) == (expected and "utf-16-be")
    for n, expected in ((37, "utf-32-le"), (36, None)):
        head = b"aa\0\0" * n + b"aaaa" * (40 - n)
        assert (_detect_wide_encoding(head) == "utf-32-le") is (expected is not None)


OBJECTS = b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Kids [] >>\nendobj\n" * 9


def test_a_file_without_its_beginning_is_damaged(tmp_path: Path) -> None:
    cases = {
        "an EPUB of one byte": ("a.epub", b"P", "only 1 byte"),
        "an EPUB of a word": ("a.epub", b"Salt.", "only 5 bytes"),
        "a PDF of three bytes": ("a.pdf", b"%PD", "only 3 bytes"),
        "a PDF without its header": ("a.pdf", OBJECTS, "beginning is missing"),
        "whatever its name": ("a.txt", OBJECTS, "beginning is missing"),
        "an object that does not end": ("a.pdf", OBJECTS[:40], "beginning is missing"),
        "after junk": ("a.pdf", b"junk\n" * 300 + OBJECTS * 9, "beginning is missing"),
    }
    for name, data, why in cases.values():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(BookError, match=why) as refused:
            sniff(path, data)
        assert refused.value.code is Code.DAMAGED


def test_a_text_that_prints_an_object_of_a_pdf_is_text() -> None:
    text = b"Each object has a number:\n\n1 0 obj\n<< /Type /Catalog >>\nendobj\n\n" + b"And so on. " * 20
    assert sniff(Path("a.txt"), text).name == "txt"


def special(kind: str, path: Path) -> None:
    match kind:
        case "directory":
            path.mkdir()
        case "named pipe":
            os.mkfifo(path)
        case "socket":
            # A short name from inside the folder: socket paths are limited to 108 bytes.
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(path.parent)
                with socket.socket(socket.AF_UNIX) as bound:
                    bound.bind(path.name)
        case "device":
            path.symlink_to("/dev/zero")


def test_a_special_file_is_refused_without_opening_it(tmp_path: Path) -> None:
    for kind in ["directory", "named pipe", "socket", "device"]:
        path = tmp_path / f"{kind}.epub"
        special(kind, path)
        with pytest.raises(BookError) as refused:
            extract(path)
        assert refused.value.code is Code.UNSUPPORTED
        assert kind in refused.value.why


def test_a_dangling_link_is_reported_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.epub").symlink_to("nowhere.epub")
    with pytest.raises(BookError) as refused:
        extract(tmp_path / "a.epub")
    assert refused.value.code is Code.NOT_FOUND
    assert "link" in refused.value.why


def test_a_looping_link_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(BookError) as refused:
        extract(tmp_path / "a")
    assert refused.value.code is Code.UNREADABLE


# --- encodings ------------------------------------------------------------------------------------

CROATIAN = "Čovjek koji čita živi više života, a onaj koji šuti često čuje ono što drugi ne čuju. " * 9
FRENCH = "L’été dernier, le garçon était déjà à l’école où l’élève préférée rêvait de Noël.\n" * 9


def test_unicode_is_read_with_and_without_a_mark() -> None:
    cases = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"]
    for encoding in cases:
        assert decode(CROATIAN.encode(encoding)).text == CROATIAN


def test_legacy_encodings_are_guessed() -> None:
    cases = {
        "croatian": (CROATIAN, "cp1250"),
        "french": (FRENCH, "cp1252"),
        "german": ("Für größere Übungen müssen wir früh aufstehen. " * 9, "iso-8859-1"),
        "russian": ("Он пришёл домой поздно вечером и сразу лёг спать. " * 9, "cp1251"),
        "japanese": ("吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。" * 9, "shift_jis"),
    }
    for text, encoding in cases.values():
        assert decode(text.encode(encoding)).text == text


def test_accents_after_much_ascii_are_guessed_right() -> None:
    text = "It was late and nobody came. " * 9000 + FRENCH
    assert decode(text.encode("cp1252")).text == text


def test_damaged_utf_8_stays_utf_8_and_the_damage_is_counted() -> None:
    decoded = decode(CROATIAN.encode() + b"\xff\xfe." + CROATIAN.encode())
    assert decoded.encoding == "utf-8"
    assert decoded.n_invalid == 2
    assert decoded.text.replace("\ufffd", "") == CROATIAN + "." + CROATIAN


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_valid_utf_8_is_never_taken_for_anything_else(text: str) -> None:
    assume(not text.startswith("\ufeff"))
    assume(mend_mojibake(text).text == text)
    assert decode(text.encode()).text == text


@given(st.binary())
def test_any_bytes_decode_to_something(data: bytes) -> None:
    assert isinstance(decode(data).text, str)
    assert looks_like_text(data) in {True, False}
