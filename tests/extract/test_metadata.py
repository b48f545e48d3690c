"""What programs write where a title, an author or a date is unknown stands for nothing, in every format."""

from pathlib import Path

import pytest

from alexandria.book.model import Metadata
from alexandria.extract import extract
from alexandria.extract.metadata import (
    is_date,
    is_no_title,
    is_placeholder,
    read_metadata,
    with_printed_dates,
    without_placeholders,
)


def test_dates_are_those_that_the_title_page_and_the_imprint_print() -> None:
    cases: list[tuple[str, list[str], str, str, str]] = [
        ("2019-07-16", ["Nets was published in 1912 by Ida Marlow. Made in 2019."], "2019-07-16", "1912", ""),
        ("2004", ["First published in Great Britain in 1921", "© 1998"], "2004", "1921", ""),
        ("", ["Originally published: Hull, 1921"], "1921", "1921", ""),
        ("", ["First published 1921", "This edition © Ann Reed 1998"], "1998", "1921", ""),
        ("", ["Copyright (C) 2002 by David Reed."], "2002", "", ""),
        ("", ["Nets", "Ida Marlow", "London: Harbour Press, 1921"], "1921", "", ""),
        ("", ["HULL MDCCCXL."], "MDCCCXL", "", ""),
        ("", ["Leviathan", "1651"], "1651", "", ""),
        ("", ["Printed for Andrew Crooke, at the Green Dragon, 1651."], "1651", "", ""),
        ("", ["A thesis submitted for the degree of", "Doctor of Philosophy", "Hull 2019"], "2019", "", "D"),
        ("", ["A Dissertation presented in fulfilment of the degree of Master of Arts"], "", "", "M"),
        # No dates of a book.
        ("", ["Release Date: June, 2001", "Last updated 3 May 2009", "Version 2 of 2004"], "", "", ""),
        (
            "",
            ["The cover is a painting completed in 1615.", "In 1912 he was published by nobody."],
            "",
            "",
            "",
        ),
        ("", ["The harbour was built in 1840."], "", "", ""),
    ]
    for stated, printed, date, original, edition in cases:
        found = with_printed_dates(Metadata(date=stated), printed)
        assert (found.date, found.original_date, found.edition[:1]) == (date, original, edition)


def test_titles_of_books_without_one() -> None:
    cases = [
        *(
            *("Unknown", "untitled", "Untitled Document", "[No title]", "Document1", "New Page 1"),
            "Ohne Titel 1",
        ),
        *("PowerPoint Presentation", "Présentation PowerPoint", "Word Document", "Dokument1", "Unbenannt-1"),
        *("Безымянный", "Documento 2", "Presentación1", "名称未設定", "Adobe Scan 12 Mar 2021", "Xerox Scan"),
        *("Insert Title Here", "Scanned by CamScanner", "Senza nome", "Namnlös", "LaTeX document"),
        *("Sin título", "无标题", "無題", "Без названия", "Microsoft Word - salt.doc", "salt_v2.docx"),
        *("Untitled document - Google Docs", "Copy of Untitled document", "Document1 - Google Docs"),
        *("Unbenanntes Dokument – Google Docs", "Documento sin título - Documentos de Google"),
        *("無題のドキュメント - Google ドキュメント", "未命名文档", "Dokument bez tytułu - Dokumenty Google"),
        *("New Microsoft Word Document (2)", "新建 Microsoft Word 文档", "Новый документ", "제목 없는 문서"),
        *("Nouveau document texte", "New Text Document", "Documento senza titolo", "Nimetön asiakirja"),
        *(
            *("about:blank", "file:///C:/salt.htm", "http://www.salt.example/road", "scan0001.tif"),
            "IMG_2041.JPG",
        ),
        *("IMG_2041", "DSCN0031", "doc00312720201105", "CamScanner 11-05-2020 10.31", "Scanned Document"),
        *("[Document title]", "[Type the document title]", "[Titre du document]", "[Название документа]"),
        *("[文档标题]", "[文書のタイトル]", "[문서 제목]", "[Título del documento]", "[Belge başlığı]"),
    ]
    for title in cases:
        assert is_no_title(title)


def test_titles_that_only_resemble_them() -> None:
    cases = [
        "1984",
        "Documentary",
        *("Presentations", "The Presentation", "Titles and Names", "Nimetön mies", "Scanned Hearts"),
        "Dokumente",
        "PowerPoint Basics",
        "The Unknown",
        "New",
        "No Name Woman",
        "Untitled Stories",
        "Documents of the Quay",
        *("No", "Naamloos", "Adsız", "New Documents of the Quay", "Untitled: Poems 1971–1980"),
        *("Word - Image - Sound: A Reader", "Searching - Google and I", "Photo 51", "Image 5", "Scan"),
        *("About: Blank", "[Letters]", "[The Salt Road]", "Copy of a Copy", "文書と人", "The Title"),
        "S.",
    ]
    for title in cases:
        assert not is_no_title(title)


def test_names_of_nobody() -> None:
    cases = [
        "Unknown",
        "unbekannt",
        "Autor desconocido",
        "Auteur inconnu",
        "佚名",
        "Неизвестный автор",
        "calibre",
        "作者不詳",
        "N/A",
        *("[unknown author]", "(anonymous)", "[Author name]", "[Your Name]", "[Type the author's name]"),
        *("[Nombre del autor]", "[Имя автора]", "[作者姓名]", "作者不明", "不明"),
        *("読み人知らず", "匿名", "미상"),
        *("Άγνωστος συγγραφέας", "مجهول المؤلف", "לא ידוע", "Невідомий автор", "Okänd författare", "Anonim"),
        *("Tuntematon", "Ismeretlen szerző", "bilinmeyen yazar", "autor neznámý", "Auteur onbekend"),
        *("Пользователь Windows", "Usuario de Windows", "Benutzer", "用户", "Администратор"),
    ]
    for name in cases:
        assert is_placeholder(name)


def test_names_that_only_resemble_them() -> None:
    cases = [
        *("Ann Noone", "Noah", "Autor, Paul", "未知子", "Nikola Unknown", "Anonymous Bosch", "[Ada Okafor]"),
        *("Ignotus", "明不", "Userman", "Nome, Ada", "[Author of Waverley]", "匿名子", "Anna Anonymova"),
    ]
    for name in cases:
        assert not is_placeholder(name)


def test_a_publisher_that_stands_for_none_is_none() -> None:
    cases = [
        *(
            (name, True)
            for name in ("Unknown", "[s.n.]", "Publisher not identified", "N/A", "Verlag unbekannt")
        ),
        *((name, False) for name in ("Unknown Press", "S. Fischer", "Anonymous Books", "Noone & Sons")),
    ]
    for publisher, is_none in cases:
        assert without_placeholders(Metadata("Salt", publisher=publisher)).publisher == (
            "" if is_none else publisher
        )


def test_dates_that_say_nothing() -> None:
    cases = [
        *("", "unknown", "n.d.", "0101-01-01T00:00:00+00:00", "0100-12-31T23:00:00+00:00", "1900-01-01"),
        *("0000-00-00", "9999-12-31", "1601-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        "2013-12-23T23:15:00Z",
    ]
    for date in cases:
        assert not is_date(date)


def test_dates_that_say_something() -> None:
    cases = [
        *("1900", "1900-01-02", "1900-12-31", "1871-04-02", "1980-01-01", "1601", "2013-12-23", "ca. 1605"),
        *("MCMXX", "一九八四年", "101 AD"),
    ]
    for date in cases:
        assert is_date(date)


def test_a_title_of_figures_may_be_a_year() -> None:
    cases = [
        ("1984", "1984"),
        ("12 3", ""),
        ("PowerPoint Presentation", ""),
        ("Slide 1", ""),
        ("2666", "2666"),
    ]
    for stated, title in cases:
        assert read_metadata({"Title": stated}).title == title


@pytest.mark.parametrize(
    ("author", "heading", "title"),
    [("Ada Okafor", "Unknown", "Unknown"), ("Unknown", "Unknown", "a"), ("Ada Okafor", "Salt", "Salt")],
)
def test_a_book_may_have_the_title_unknown(tmp_path: Path, author: str, heading: str, title: str) -> None:
    (tmp_path / "a.fb2").write_text(
        "<FictionBook><description><title-info><book-title>Unknown</book-title><author><nickname>"
        f"{author}</nickname></author></title-info></description><body><section><p>{heading}</p>"
        "<p>A text.</p></section></body></FictionBook>",
        encoding="utf-8",
    )
    assert extract(tmp_path / "a.fb2").metadata.title == title


def test_a_heading_is_the_title_where_the_stated_one_says_nothing(tmp_path: Path) -> None:
    head = "<head><title>Untitled Document</title><meta name='author' content='Unknown'></head>"
    for name, text in {
        "a.html": f"<!DOCTYPE html><html>{head}<body><h1>Salt</h1><p>A text.</p></body></html>",
        "a.md": "---\ntitle: Untitled\nauthor: Unknown\ndate: 0101-01-01\n---\n\n# Salt\n\nA text.\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        metadata = extract(tmp_path / name).metadata
        assert (metadata.title, metadata.authors, metadata.date) == ("Salt", (), "")
