"""What a word is, and when two are the same, in every script."""

import re
import unicodedata

from alexandria.book.words import (
    ALL_MARKS,
    WORD,
    catalog_fold,
    entered_text,
    fold_text,
    index_terms,
    is_inside_word,
    letters_of,
    word_parts,
)
from alexandria.store.payload import index_tag
from alexandria.store.sparse import document_terms, terms_for


def test_they_are_the_same() -> None:
    cases = [
        ("הַמְּנוֹרָה", "המנורה"),
        ("מִ\u05beן", "מ\u05beן"),  # the maqaf, a hyphen, stays
        ("كِتَابٌ", "كتاب"),
        ("كتـــاب", "كتاب"),
        ("کتاب", "كتاب"),
        ("علی", "علي"),
        ("أحمد إلى آخر", "احمد الي اخر"),
        ("ﻛﺘﺎﺏ", "كتاب"),
        ("می\u200cخواهم", "میخواهم"),
        ("ٱلحمد", "الحمد"),
        ("น\u0e4d\u0e49า", "น้ำ"),
        ("ນ\u0ecd\u0ec9າ", "ນ້ຳ"),
        ("за́мок", "замок"),
        ("τῷ λόγῳ", "τω λογω"),
        ("ΤῼΙ", "τωι"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("١٩٥٢ ۱۳۴۵ १२ ๑๒", "1952 1345 12 12"),
        ("Ａｂｃ", "abc"),
        ("क\u093cलम", "\u0958लम"),  # with its dot in two characters, or in one
        ("Straße ﬁn œuvre", "strasse fin oeuvre"),
    ]
    for text, other in cases:
        assert fold_text(text) == fold_text(other)


def test_they_are_different() -> None:
    cases = [
        ("किताब", "कातिब"),
        ("किताब", "किताबें"),
        ("மேசையில்", "மாசயல்"),
        ("น้ำ", "นา"),
        ("й", "и"),
        ("が", "か"),
        ("ѓ", "г"),
        ("מלך", "מלכ"),
        ("كلب", "قلب"),
        ("圖書館", "图书馆"),  # traditional and simplified: not told to be the same
        ("vnder", "under"),  # as in old prints
        ("iustice", "justice"),
    ]
    for text, other in cases:
        assert fold_text(text) != fold_text(other)


def test_where_nothing_was_wrong_they_are_folded_as_they_were() -> None:
    cases = [
        *("naïve façade", "Straße", "Œuvre ﬁne", "Ελληνικά", "Ещё один", "Łódź", "’tis", "図書館", "도서관"),
        "½ ² Å",
    ]
    for text in cases:
        assert fold_text(text) == catalog_fold(text)


def test_a_word_holds_its_marks() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("उसने किताब पढ़ी।", ["उसने", "किताब", "पढ़ी"]),
        ("הַשּׁוֹמֵר הִדְלִיק", ["הַשּׁוֹמֵר", "הִדְלִיק"]),
        ("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"]),
        ("за́мок на́д", ["за́мок", "на́д"]),
        ("Don't the O’Briens run-on?", ["Don't", "the", "O’Briens", "run", "on"]),
        ("e\u0301te\u0301 3,5", ["e\u0301te\u0301", "3", "5"]),
        ("\u0301 a", ["a"]),
    ]
    for text, words in cases:
        assert WORD.findall(text) == words


def test_where_a_script_has_no_spaces_runs_of_letters_are_looked_up() -> None:
    cases: list[tuple[str, list[str], list[str]]] = [
        ("किताब", ["किताब"], ["किताब"]),
        ("灯", ["灯"], ["灯"]),
        ("图书馆", ["图", "书", "馆", "图书", "书馆"], ["图书", "书馆"]),
        ("น้ำ", ["น้ํ", "า", "น้ํา"], ["น้ํา"]),
        ("abc図書", ["abc", "図", "書", "図書"], ["abc", "図書"]),
    ]
    for word, terms, asked in cases:
        folded = fold_text(word)
        assert index_terms(folded) == terms
        assert index_terms(folded, asked=True) == asked


def test_a_letter_is_inside_a_word_in_scripts_with_spaces() -> None:
    cases = [
        ("an isle", "snl"),  # a letter that goes on with its word
        ("बंदरगाह", "दरगाह\u093e"),
        ("המנורה", "מנור"),
        ("a_b", ""),
        ("图书馆", ""),
        ("책을", ""),  # what is written to a Korean word is another
    ]
    for text, inside in cases:
        assert {text[i] for i in range(len(text)) if is_inside_word(text, i)} >= set(inside) - {"\u093e"}
        assert bool(inside) == any(is_inside_word(text, i) for i in range(len(text)))


def test_a_mark_is_never_apart_from_its_letter() -> None:
    assert is_inside_word("किताब", 1)
    assert is_inside_word("น้ำ", 1)


def test_all_marks_of_living_scripts_are_known() -> None:
    marks = {
        character for character in map(chr, range(0x10000)) if unicodedata.category(character) in ("Mn", "Mc")
    }
    of_symbols = {mark for mark in marks if 0x2000 <= ord(mark) < 0x3000 or 0xFE00 <= ord(mark) < 0xFE10}
    assert marks - ALL_MARKS - of_symbols == {"\ufb1e"}  # a point of Judeo-Spanish


def test_the_letters_of_a_text_are_without_signs() -> None:
    assert letters_of("“It’s—किताब_1!”") == "itsकिताब1"
    assert letters_of(entered_text("Cafe\u0301")) == "cafe"


def test_terms_in_latin_script_are_those_of_older_libraries() -> None:
    for language in ["en", "fr", "de", None]:
        text = "Don't they réparer l’été 3.5 % of Müller's co-workers in Straße x_y, naïve or not?"
        old = index_tag({"language": language})
        assert document_terms(text, language) == document_terms(text, old)
        assert terms_for(text, frozenset([language])) == terms_for(text, frozenset([old]))


def test_a_question_to_older_chunks_is_cut_as_they_were() -> None:
    assert terms_for("ज़्यादा", frozenset(["hi"])) != terms_for(
        "ज़्यादा", frozenset([index_tag({"language": "hi"})])
    )
    assert index_tag({"language": "hi", "words_version": 2}) == "hi"
    both = terms_for("ज़्यादा", frozenset(["hi", index_tag({"language": "hi"})]))
    assert len(both) > len(terms_for("ज़्यादा", frozenset(["hi"])))


def test_words_are_cut_alike_with_and_without_other_letters() -> None:
    text = "The keeper's lamp_was 3.5 metres run-on"
    assert word_parts(text) == word_parts(text + " é")[:-1]
    assert re.findall(r"[^\W_]+", text) == word_parts(text)
