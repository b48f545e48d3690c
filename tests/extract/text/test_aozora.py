"""The markup of Aozora Bunko: ruby, notes, headings, header and colophon."""

from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.extract import extract

RULE = "-" * 55
LEGEND = f"{RULE}\n【テキスト中に現れる記号について】\n\n《》：ルビ\n（例）灯台《とうだい》\n{RULE}\n"
COLOPHON = "底本：「灯台守全集」港書房\n入力：鈴木\n校正：佐藤\n"


def read(tmp_path: Path, text: str, encoding: str = "shift_jis") -> Book:
    path = tmp_path / "a.txt"
    path.write_bytes(f"灯台守\n山田太郎\n\n{LEGEND}\n{text}\n\n{COLOPHON}".encode(encoding))
    return extract(path)


def test_markup_is_read_as_such(tmp_path: Path) -> None:
    cases = [
        ("　灯台《とうだい》の下。", "灯台の下。"),
        ("　老｜水夫《すいふ》は言った。", "老水夫は言った。"),
        ("　｜Ａ《ええ》と。", "Ａと。"),
        ("　波は※［＃「さんずい＋弯」、第3水準1-87-24］に。", "波は濊に。"),
        ("　波は※［＃「虫＋樂」、U+4E00、1-2］に。", "波は一に。"),
        ("　かん／＼と、それ／″＼に。", "かん〳〵と、それ〴〵に。"),
        ("　〔fiance'e〕と〔Ko:ln〕の〔注意〕と〔it's〕。", "fiancéeとKölnの〔注意〕とit's。"),
        ("　波に［＃「波に」に傍点］。", "波に。"),
        ("［＃ここから２字下げ］\n　波。\n［＃ここで字下げ終わり］", "波。"),
    ]
    for text, text_read in cases:
        book = read(tmp_path, text)
        assert book.text == f"灯台守\n\n山田太郎\n\n{text_read}"
        assert (book.title, book.metadata.authors, book.language) == ("灯台守", ("山田太郎",), "ja")


def test_the_head_states_title_author_and_translator(tmp_path: Path) -> None:
    cases: list[tuple[str, str, str, tuple[str, ...]]] = [
        ("灯台守\n山田太郎", "山田太郎", "", ()),
        ("灯台守\n遠い手紙\n山田太郎", "山田太郎", "遠い手紙", ()),
        ("灯台守\n山田太郎\n鈴木花子訳", "山田太郎", "", ("鈴木花子",)),
        (
            "灯台守\nTHE LIGHT\n遠い手紙\nアン・ミル\n鈴木花子訳",
            "アン・ミル",
            "THE LIGHT 遠い手紙",
            ("鈴木花子",),
        ),
    ]
    for head, author, subtitle, translators in cases:
        (tmp_path / "a.txt").write_text(f"{head}\n\n{LEGEND}\n　灯台《とうだい》の下。\n", encoding="utf-8")
        metadata = extract(tmp_path / "a.txt").metadata
        assert (metadata.title, metadata.authors) == ("灯台守", (author,))
        assert (metadata.subtitle, metadata.translators) == (subtitle, translators)


def test_headings_have_their_level(tmp_path: Path) -> None:
    cases = [
        "［＃５字下げ］{title}［＃「{title}」は{level}見出し］",
        "［＃{level}見出し］{title}［＃{level}見出し終わり］",
        "［＃ここから{level}見出し］\n{title}\n［＃ここで{level}見出し終わり］",
    ]
    for form in cases:
        parts = ("大", "第一部"), ("中", "一　港"), ("中", "二　嵐"), ("大", "第二部")
        text = "".join(f"{form.format(level=level, title=title)}\n　波。\n" for level, title in parts)
        book = read(tmp_path, text)
        outline = [(section.level, section.headings[-1]) for section in book.sections if section.headings]
        assert outline == [(1, "第一部"), (2, "一 港"), (2, "二 嵐"), (1, "第二部")]
        assert "ornament" not in {part.kind for part in book.left_out}


def test_a_title_may_be_a_single_character(tmp_path: Path) -> None:
    text = "".join(f"［＃３字下げ］{title}［＃「{title}」は中見出し］\n　波。\n" for title in "一二")
    assert [s.headings[-1] for s in read(tmp_path, text).sections if s.headings] == ["一", "二"]


def test_what_is_not_the_text_is_counted(tmp_path: Path) -> None:
    kinds = {part.kind for part in read(tmp_path, "　灯台《とうだい》。［＃改ページ］").left_out}
    assert kinds == {"imprint", "ruby", "hidden"}


@pytest.mark.parametrize("text", ["他读了《为什么？》和《家》。", "《灯塔守》\n作者：李海\n他走了。"])
def test_titles_in_other_texts_are_no_ruby(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    assert extract(path).text == "\n\n".join(text.split("\n"))
