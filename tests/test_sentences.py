"""Sentences are spans: nothing lost, nothing crossing a block, none longer than the cap."""

import re
from importlib.util import find_spec
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import BlockKind, Book, Metadata, count_words
from alexandria.chunking.domains import load_domain
from alexandria.chunking.sentences import EXTRA_SPLITTERS, SPLITTERS, split
from alexandria.errors import ConfigError
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind

INSTALLED = [name for name in SPLITTERS if name not in EXTRA_SPLITTERS or find_spec(name)]

# Each case is one block; " | " marks where a reader sees the next sentence begin.
READERS = {
    "two": "He came in. | He sat down.",
    "question": "Who is it? | Nobody knows.",
    "exclamation": "Away! | The bridge is falling.",
    "several-marks": "What?! | You here?... | I see.",
    "title": "Mr. Darcy met Mrs. Bennet. | They bowed.",
    "doctor": "Dr. Watson wrote to Prof. Moriarty. | No answer came.",
    "saint": "They walked to St. Albans. | It rained.",
    "initials": "J. S. Mill and G. E. Moore agreed. | Others did not.",
    "initials-joined": "We read J.R.R. Tolkien aloud. | Nobody slept.",
    "pronoun-i": "So did I. | Nobody else moved.",
    "king": "It was Charles I. Stuart was his name.",
    "eg": "Some birds, e.g. Darwin's finches, differ. | Others do not.",
    "ie-capital": "The capital, i.e. Paris, fell. | Peace followed.",
    "cf": "See the Republic, cf. Plato. | It is long.",
    "vs": "It was Brown vs. Board. | All knew it.",
    "etc-ends": "Pens, paper, etc. | He bought them all.",
    "etc-continues": "Pens, paper, etc. were bought.",
    "us-army": "The U.S. Army came. | It stayed.",
    "us-ends": "He lived in the U.S. | The war was over.",
    "pm-ends": "He left at 5 p.m. | She stayed.",
    "decimal": "Pi is 3.14 or so. | It never ends.",
    "number-no": "We sang No. 5 again. | Then we slept.",
    "word-no": "Was it so? | No. | He had lied.",
    "page": "It stands on p. 12 of vol. 3 there. | Look it up.",
    "roman-volume": "Read vol. IV first. | Then rest.",
    "year-ends": "It was 1914. | War came.",
    "age-ends": "He was 35. | The years had gone.",
    "year-after-colon-ends": "The year: 1914. | War came.",
    "section-roman": "See sect. IV first. | Then rest.",
    "abbreviation-quoted-ends": "He wrote “Mr.” | Nobody knew why.",
    "enumerated-from-twelve": "12. Take the pan. | 13. Heat the oil.",
    "enumerated": "1. Take the pan. | 2. Heat the oil.",
    "lettered": "A. The first. | B. The second.",
    "ellipsis-inside": "He was ... tired, I think. | We left.",
    "ellipsis-ends": "He was tired... | The others left.",
    "ellipsis-spaced": "He was . . . tired, I think. | We left.",
    "ellipsis-character": "Well… | Nobody came.",
    "ellipsis-i": "But... I do not know.",
    "ellipsis-two-dots": "But.. I do not know.",
    "quote-closed": "“It is late.” | She rose.",
    "quote-straight": 'He said, "It is late." | She rose.',
    "quote-several": "“It is late. | The moon is up. | Come,” she said.",
    "quote-tag": "“Stop!” he cried. | Nobody stopped.",
    "quote-question-tag": '"Is it late?" asked the boy. | It was.',
    "quote-single": "‘It is late.’ | She rose.",
    "bracket": "He left. | (Nobody saw him.) | The door stood open.",
    "bracket-inside": "He left (who saw him?) at noon. | We stayed.",
    "dash-after": "He was gone!—and nobody knew. | We waited.",
    "italics": "It was _late._ | She rose.",
    "italic-title": "We met _Mr._ Darcy. | He bowed.",
    "note-square": "It was late.[12] | She rose.",
    "note-brace": "It was late.{3} | She rose.",
    "note-superscript": "It was late.¹² | She rose.",
    "note-dagger": "It was late.* | She rose.",
    "colon-stays": "He said: nothing is lost. | All agreed.",
    "german-quotes": "„Es ist spät.“ | Sie stand auf.",
    "german-guillemets": "»Es ist spät«, sagte er. | »Komm!« | Sie ging.",
    "german-zb": "Tiere, z. B. Hunde, bellen. | Katzen nicht.",
    "german-dh": "Das Ende, d. h. Freitag, naht. | Wir warten.",
    "german-count": "Wir zählten 12. | Gäste kamen keine.",
    "number-after-a-name": "We came to Rome. | 12 men were there.",
    "sign-after": "It was late. | ★ She rose.",
    "german-date": "Am 3. März kam er an. | Es schneite.",
    "german-century": "Im 19. Jahrhundert war es still. | Dann nicht mehr.",
    "german-hundredth": "Zum 100. Geburtstag kam er. | Es schneite.",
    "german-year-ends": "Er blieb bis 1914. | Krieg kam.",
    "german-number": "Siehe Nr. 7 und Bd. 2 dort. | Danke.",
    "french-guillemets": "« Il est tard. » | Elle se leva.",
    "french-question": "Vous ici ? | Je pars !",
    "french-monsieur": "M. Dupont vit Mme Leroy. | Il salua.",
    "french-dash": "— Il est tard. | — Je sais, dit-elle.",
    "italian": "Il sig. Rossi e la dott. Bianchi partirono. | Era tardi.",
    "spanish": "¿Quién es? | ¡Nadie! | El Sr. García calla.",
    "croatian-quotes": "„Kasno je.” | Ustala je.",
    "croatian-tag": "„Stani!” viknu on. | Nitko nije stao.",
    "croatian-date": "Došao je 3. ožujka 1990. godine. | Padao je snijeg.",
    "croatian-abbreviation": "Stvari, npr. Marulićeve knjige, ostaju. | Ljudi odlaze.",
    "latin": "Cn. Pompeius venit. | M. Tullius tacuit.",
    "russian": "Он пришёл. | Никто не знал.",
    "greek-capital": "Ἦλθεν. | Οὐδεὶς οἶδεν.",
    "arabic": "من هذا؟ | لا أحد.",
    "greek-question": "Πού πας; | Πάω σπίτι. | «Τι λες;» ρώτησε. | «Ποιος είναι;» | Κανείς.",
    "greek-semicolon": "The word λόγος; Plato has it, too. | The word ψυχή, also.",
    "urdu": "وہ آیا۔ | کوئی نہیں۔",
    "hindi": "वह आया। | कोई नहीं था।",
    "sanskrit-verse-number": "स आगतः ॥ १२ ॥ | न कश्चित् आसीत् ॥ १३ ॥",
    "hebrew-verse": "הסירות חזרו׃ | איש לא זכר׃",
    "burmese": "လှေများ ပြန်လာကြသည်။ | မည်သူမျှ မမှတ်မိပါ။",
    "khmer": "ទូកបានត្រឡប់មកវិញ។ | គ្មាននរណាចាំបានទេ។",
    "khmer-and-so-on": "មានទូក ត្រី ។ល។ | គ្មាននរណាចាំបានទេ៕",
    "tibetan": "གྲུ་ཚང་མ་ཕྱིར་ལོག་བྱུང་། | སུས་ཀྱང་དྲན་མ་བྱུང་། །",
    "amharic": "ጀልባዎቹ ተመለሱ። | ማን ያስታውሳል፧ | ማንም አላስታወሰም፡፡ | ዝም አሉ።",
    "sinhala": "ඔරු ආපසු ආවා෴ | කිසිවෙකුට මතක නැත෴",
    "mongolian": "ᠮᠣᠩᠭᠣᠯ᠃ | ᠬᠦᠮᠦᠨ᠃",
    "greek-question-unquoted": "Ποιος θυμάται τον φάρο; | Κανείς δεν απάντησε.",
    "greek-question-mark": "Ποιος θυμάται τον φάρο\u037e | Κανείς δεν απάντησε.",
    "greek-question-quoted": "«Ποιος θυμάται;» ρώτησε. | «Κανείς;» | Κανείς.",
    "greek-in-english": "The names are Σωκράτης; Πλάτων; Ἀριστοτέλης; none of the others is known to us.",
    "semicolon": "He came; She left; Nobody saw it.",
    "law-report": "Cf. Smith, 12 F.3d 345 (2d Cir. 1994). | See 42 U.S.C. § 1983. | It held otherwise.",
    "law-courts": "See 5 F. Supp. 2d 7 (Mo. Ct. App. 1987) and 9 Cal. Rptr. 3d 1. | It was late.",
    "law-rules": "Under Fed. R. Civ. P. 12(b) and Fla. Stat. § 812, see id. § 5, he won. | He left.",
    "law-in-german": "Nach § 5 Abs. 2 Nr. 3 Buchst. B gem. Art. 5 Abs. 1 S. 2 GG ist er frei. | Er ging.",
    "law-in-german-following": "Nach §§ 433 ff. BGB und BGBl. I S. 12 gilt es. | Er ging.",
    "law-in-german-new-section": "Er trat in Kraft. | § 5 gilt weiter.",
    "law-in-german-ends": "Vgl. § 5. | Das Gericht schwieg.",
    "law-in-french": "Selon l’art. R. 4127-1, al. 2, et Cass. civ. 1re, 3 mai 2001, il perd. | Il sort.",
    "law-in-spanish": "Según el art. 5, inc. 3, apdo. 2, y la S.T.S. 12/2001, pierde. | Sale.",
    "law-in-italian": "Secondo Cass. civ., sez. III, e l’art. 3, lett. B, perde. | Esce.",
    "law-in-polish": "Według art. 5 ust. 2 pkt 3, poz. 12, przegrywa. | Wychodzi.",
    "state-is-a-name": "Nobody answered Cal. | I know why. | He asked Cal. | Markets fell.",
    "app-ends": "He closed the app. | Markets fell.",
    "gem-ends": "She was a gem. | Nobody knew. | It lasted, ff. | He left.",
    "et-al-ends": "Smith, et al. | 12 May 1998.",
    "year-alone": "It was long ago (in the war. | 1914 came).",
    "small-letters-all": "he came in. | he sat down.",
    "small-letter-after": "He met approx. twelve people. | They left.",
}
UNSPACED = {
    "chinese": ["他来了。", "你好！", "再见？"],
    "chinese-quote": ["“你好。”", "他走了。"],
    "chinese-title": ["我们去看《摔跤吧！爸爸》好吗？", "好！"],
    "chinese-attribution": ["“这是对的。”他说。", "“真的吗？”她低声问道：“是。”", "他走了。"],
    "chinese-quote-then-action": ["“真的吗？”", "他点点头。"],
    "chinese-number": ["数值是3．14。", "完了．", "走吧。"],
    "japanese": ["雨が降る。", "寒い。"],
    "burmese": ["လှေများ ပြန်လာကြသည်။", "မည်သူမျှ မမှတ်မိပါ။"],
    "khmer": ["ទូកបានត្រឡប់មកវិញ។", "គ្មាននរណាចាំបានទេ។"],
    "tibetan": ["གྲུ་ཚང་མ་ཕྱིར་ལོག་བྱུང་།", "སུས་ཀྱང་དྲན་མ་བྱུང་།"],
    "japanese-quotation": ["「行く。」と言った。", "彼は去った。"],
}


def book(*blocks: DraftBlock) -> Book:
    section = DraftSection(headings=(), level=0, href=None, blocks=blocks)
    return bind(Draft(Metadata(), (section,)), id="0", source="book.txt", format="txt")


def sentences(text: str, splitter: str = "default") -> list[str]:
    one = book(DraftBlock(BlockKind.PARAGRAPH, text))
    return [one.text[s.start : s.end] for s in split(one, splitter=splitter)]


def test_sentences_end_where_a_reader_sees_them_end() -> None:
    for case in READERS.values():
        expected = case.split(" | ")
        assert sentences(" ".join(expected)) == expected


def test_scripts_without_spaces_are_split_without_them() -> None:
    for expected in UNSPACED.values():
        assert sentences("".join(expected)) == expected


def test_regex_splits_as_specified_and_loses_nothing() -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "marks": ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        "knows-no-abbreviations": ("Mr. Smith came.", ["Mr.", "Smith came."]),
        "fragment-joins-before": ("He. A. Came in.", ["He. A.", "Came in."]),
        "first-fragment-joins-next": ("A. Came in. Sat.", ["A. Came in.", "Sat."]),
        "mark-in-quotes": ("“So.” He left.", ["“So.” He left."]),
        "nothing-to-join": ("A.", ["A."]),
    }
    for text, expected in cases.values():
        assert sentences(text, "regex") == expected


def test_headings_code_and_tables_are_one_sentence() -> None:
    for kind in [BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE]:
        one = book(DraftBlock(kind, "CHAPTER I. Of Sense. Of Reason."))
        assert len(split(one)) == 1


def test_a_verse_sentence_goes_on_over_line_ends() -> None:
    stanza = book(DraftBlock(BlockKind.VERSE, "The sun was shining\nOn the sea. He did\nHis best."))
    assert [stanza.text[s.start : s.end] for s in split(stanza)] == [
        "The sun was shining\nOn the sea.",
        "He did\nHis best.",
    ]


def test_a_sentence_knows_its_section_and_block() -> None:
    sections = tuple(
        DraftSection((title,), 1, None, tuple(DraftBlock(BlockKind.PARAGRAPH, text) for text in texts))
        for title, texts in (("I", ["One. Two.", "Three."]), ("II", ["Four."]))
    )
    two = bind(Draft(Metadata(), sections), id="0", source="b", format="txt")
    assert [(s.section, s.block) for s in split(two)] == [(0, 0), (0, 0), (0, 1), (1, 2)]


def test_a_long_sentence_is_cut_at_the_clause_mark_nearest_the_middle() -> None:
    text = "one two three, four five six; seven eight nine ten"
    one = book(DraftBlock(BlockKind.PARAGRAPH, text))
    parts = [one.text[s.start : s.end] for s in split(one, max_words=7)]
    assert parts == ["one two three, four five six;", "seven eight nine ten"]


def test_a_clause_mark_out_of_reach_is_passed_over() -> None:
    cases: dict[str, tuple[str, int, list[str]]] = {
        "the first part would be too long": ("a b c d e, f g h", 4, ["a b c d", "e, f g h"]),
        "the second part would be too long": ("a b c, d e f g h", 4, ["a b c, d", "e f g h"]),
        "more than a quarter of a part away": (
            "a b c d e, f g h i j k l m n o p",
            12,
            ["a b c d e, f g h", "i j k l m n o p"],
        ),
    }
    for text, max_words, parts in cases.values():
        one = book(DraftBlock(BlockKind.PARAGRAPH, text))
        assert [one.text[s.start : s.end] for s in split(one, max_words=max_words)] == parts


def test_a_part_cut_early_leaves_no_part_too_long() -> None:
    words = [*["word"] * 5, "word,", *["word"] * 32]
    one = book(DraftBlock(BlockKind.PARAGRAPH, " ".join(words)))
    parts = [count_words(one.text[s.start : s.end]) for s in split(one, max_words=8)]
    assert parts == [6, 8, 8, 8, 8]


def test_long_code_is_cut_at_a_line_end() -> None:
    one = book(DraftBlock(BlockKind.CODE, "a = 1, b\nc = 2\nd = 3\ne = 4, f"))
    parts = [one.text[s.start : s.end] for s in split(one, max_words=8)]
    assert parts == ["a = 1, b\nc = 2", "d = 3\ne = 4, f"]


def test_an_unknown_splitter_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="'words'"):
        split(book(), splitter="words")


def test_a_cap_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="max_words"):
        split(book(), max_words=0)


PIECES = st.lists(
    st.sampled_from(
        [
            *("Mr", "he", "I", "J", "z. B", "12", ".", "...", " ", "  ", "\n", "!", "?", "”", "“", "»"),
            *("[1]", "。", "字", ";", ","),
        ]
    )
    | st.text(min_size=1, max_size=4)
)


@given(
    pieces=PIECES,
    kind=st.sampled_from(list(BlockKind)),
    splitter=st.sampled_from(INSTALLED),
    max_words=st.integers(1, 6),
)
def test_spans_ascend_are_stripped_cover_all_and_fit_the_cap(
    pieces: list[str], kind: BlockKind, splitter: str, max_words: int
) -> None:
    text = "".join(pieces).strip() or "x"
    one = book(DraftBlock(kind, text), DraftBlock(kind, text))
    found = split(one, splitter=splitter, max_words=max_words)
    spans = [one.text[s.start : s.end] for s in found]
    assert all(span and span == span.strip() for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(not one.text[a.end : b.start].strip() for a, b in pairwise(found))
    assert re.sub(r"\s", "", "".join(spans)) == re.sub(r"\s", "", one.text)
    assert all(count_words(span) <= max_words for span in spans)
    assert all(one.blocks[s.block].start <= s.start < s.end <= one.blocks[s.block].end for s in found)


@given(st.integers(1, 400), st.integers(1, 50))
def test_parts_are_as_few_as_the_cap_allows_and_about_equal(n_words: int, max_words: int) -> None:
    one = book(DraftBlock(BlockKind.PARAGRAPH, " ".join(["word"] * n_words)))
    sizes = [count_words(one.text[s.start : s.end]) for s in split(one, max_words=max_words)]
    assert len(sizes) == -(-n_words // max_words)
    assert max(sizes) - min(sizes) <= 1


# --- the splitters of other packages ----------------------------------------------------------------


@pytest.mark.parametrize("name", EXTRA_SPLITTERS)
def test_another_package_splits_where_it_would(name: str) -> None:
    pytest.importorskip(name)
    text = "Dr. Smith came.  He left!\nThe lamp is lit."
    spans = SPLITTERS[name](text)
    assert [text[start:end] for start, end in spans] == ["Dr. Smith came.", "He left!", "The lamp is lit."]


def test_sentencex_is_told_the_language_of_the_book() -> None:
    pytest.importorskip("sentencex")
    text = "Es war am 3. Mai. Sie ging."
    german = [EXTRA_SPLITTERS["sentencex"](text, language) for language in ("de", "de-AT")]
    assert german == [[18], [18]]


@pytest.mark.parametrize("name", EXTRA_SPLITTERS)
def test_a_package_that_is_missing_is_named_with_what_installs_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alexandria.chunking.sentences.find_spec", lambda package: None)
    with pytest.raises(ConfigError, match=f"cannot split sentences with {name}") as caught:
        load_domain(options={"sentences": name}, environ={})
    assert "alexandria-books[sentences]" in caught.value.fix
