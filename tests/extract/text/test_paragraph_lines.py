"""Texts typed one paragraph a line, letters, and speeches: chats, depositions, plays."""

from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book
from alexandria.extract import extract
from alexandria.extract.divisions import names_division, read_division
from tests.pairs import by_pairs

SENTENCES = (
    "The harbour was quiet before the first boats came in.",
    "“Who is there?” she asked.",
    "He shook his head.",
    "Every Friday the mail cart crossed the causeway, and twice a year it was caught by the sea.",
)
CHINESE = (
    "港口十分安静，只有海鸥在叫。",
    "“你听见了吗？”老人低声问道。",
    "少年摇了摇头。",
    "没有人提起那次海难……",
)
WRAPPED = (
    "It was late in the evening, and nobody in the village had seen the old\n"
    "doctor since the storm began. The river had risen to the bridge, and the\n"
    "miller's boy, who was sent to look for him, had not come back.\n"
)


def read(tmp_path: Path, text: str) -> Book:
    path = tmp_path / "book.txt"
    path.write_text(text, encoding="utf-8")
    return extract(path)


def outline(book: Book) -> list[str]:
    return [section.headings[-1] for section in book.sections if section.headings]


TITLES = [
    (["Chapter 1", "Chapter 2: The Mill", "Epilogue"], SENTENCES),
    (
        ["楔子", "第一章 港口", "第二章风暴", "第两百一十八章 灯塔", "第壹章 旧事", "番外 灰猫", "后记"],
        CHINESE,
    ),
    (["プロローグ", "第一話 港", "第2話", "あとがき"], CHINESE),
    (["프롤로그", "제1장 등대", "제 2 장", "3화", "에필로그"], CHINESE),
    (["chapter.844 老人", "第三章：谁"], CHINESE),
    (["引言", "第一章 港口", "大结局"], CHINESE),
    (["1", "2", "3"], SENTENCES),
    (["— I —", "— II —", "— III —"], SENTENCES),
    (["One", "Two", "Three", "Four"], SENTENCES),
    (["1. The mill", "2. The sea", "3. The bell"], SENTENCES),
    (["一、港口", "二、风暴", "三、灯塔"], CHINESE),
    (["001 港口", "002 风暴", "003 灯塔"], CHINESE),
    (["その一", "その二", "その三"], CHINESE),
    (["その一 峠", "其の二 薬缶", "巻の三 井戸", "後日談", "訳者あとがき"], CHINESE),
    (["☆、第1章 渡口", "★第2章 铜壶", "◆ 番外", "完结感言", "写在最后"], CHINESE),
    (["제1장 등대", "후일담", "옮긴이의 말"], CHINESE),
    (["Day 1", "Interlude", "Day 2"], SENTENCES),
    (["Пролог", "Глава первая", "Розділ 2", "Эпилог"], SENTENCES),
    (["Första kapitlet", "Kapitola 2", "Chương 3", "Nawoord"], SENTENCES),
    (["Capítulo Primeiro", "Capítulo Terceiro"], SENTENCES),
    (["פרק ראשון", "פרק ב׳", "الفصل الثالث", "الخاتمة", "अध्याय ३"], SENTENCES),
]


@by_pairs(("titles, sentences", TITLES), ("indent", ["", "\u3000\u3000"]))
def test_each_line_is_a_paragraph_and_chapters_need_no_blank_lines(
    tmp_path: Path, titles: list[str], sentences: tuple[str, ...], indent: str
) -> None:
    paragraphs = "".join(f"{indent}{sentence}\n" for sentence in sentences)
    book = read(tmp_path, "".join(f"{title}\n{paragraphs}" for title in titles))
    assert outline(book) == titles
    texts = [block.text for block in book.blocks if block.kind is BlockKind.PARAGRAPH]
    assert texts == [*sentences] * len(titles)


def test_numbers_that_only_begin_lines_are_text(tmp_path: Path) -> None:
    cases: dict[str, list[str]] = {
        "in a row": ["He counted:", "1", "2", "3", "and jumped."],
        "not one after another": ["1", *SENTENCES, "3", *SENTENCES, "4", *SENTENCES],
        "years": ["1914", *SENTENCES, "1915", *SENTENCES, "1916", *SENTENCES],
        "sentences": ["1. He left.", *SENTENCES, "2. She stayed.", *SENTENCES, "3. It rained."],
        "words": ["One of them", *SENTENCES, "Two of them", *SENTENCES, "Three of them"],
        "two": ["1", *SENTENCES, "2", *SENTENCES],
    }
    for lines in cases.values():
        assert outline(read(tmp_path, "\n".join([*SENTENCES, *lines, *SENTENCES]))) == []


def test_numbers_of_stanzas_below_numbered_chapters_are_no_chapters(tmp_path: Path) -> None:
    song = "".join(f"{n}.\n\nThe bell, the bell,\nOver the sea.\n\n" for n in (1, 2, 3))
    text = "".join(f"\n\n{n}. The Mill\n\n{WRAPPED}\n\n" for n in ("I", "II", "III")) + song
    assert outline(read(tmp_path, text)) == ["I. The Mill", "II. The Mill", "III. The Mill"]


def test_lines_that_only_begin_like_a_division_are_text(tmp_path: Path) -> None:
    cases = [
        "Chapter 3 shows how the boy came back.",
        "Part One. He left the house.",
        "chapter and verse",
        "第六回合开始了",
        "第一节课",
        "第四本书记载着灯塔的历史。",
        "第一章讲的是灯塔，港口。",
        "第三部分我们讨论",
        "3장의 종이",
        "その二人は帰った",
        "その一、嘘をつくな。",
        "☆ 第六回合开始了",
        "写在最后一页",
        "完结了",
    ]
    for line in cases:
        text = "\n".join([*SENTENCES, line, *SENTENCES])
        assert outline(read(tmp_path, text)) == []


def test_divisions_in_east_asian_scripts_have_their_rank() -> None:
    cases = [
        ("卷二 海上", 0),
        ("上卷", 0),
        ("第三部", 2),
        ("第一卷 海上 第三章 雨", 3),
        ("제2부 바다", 2),
        ("第一節", 4),
        ("巻の一", 0),
        ("その二 峠", 3),
    ]
    for line, rank in cases:
        division = read_division(line)
        assert division is not None
        assert division.rank == rank


def test_title_and_author_are_read_above_the_first_chapter(tmp_path: Path) -> None:
    book = read(tmp_path, "《灯塔守》\n作者：李海\n第一章\n" + "\n".join(CHINESE))
    assert (book.metadata.title, book.metadata.authors) == ("灯塔守", ("李海",))


def test_in_wrapped_text_a_heading_after_a_full_stop_ends_the_paragraph(tmp_path: Path) -> None:
    book = read(tmp_path, f"{WRAPPED}Chapter 2\n{WRAPPED}\n{WRAPPED}")
    assert outline(book) == ["Chapter 2"]


@pytest.mark.parametrize("stanza", ["Tyger Tyger, burning bright,\nIn the forests of the night;\nWhat eye"])
def test_verse_among_lines_that_are_paragraphs_keeps_its_lines(tmp_path: Path, stanza: str) -> None:
    book = read(tmp_path, "\n".join(SENTENCES * 4) + f"\n\n{stanza}\n")
    assert [block.text for block in book.blocks if block.kind is BlockKind.VERSE] == [stanza]


# --- verse ----------------------------------------------------------------------------------------

STANZAS = [
    "And grey was the ledger by the sea,\nAnd silent was the pilot by the sea,\nNor saddle in the night.",
    "If this be error and upon me prov'd,\nI never writ, nor no man ever lov'd.",
    "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\nRough winds",
]


@pytest.mark.parametrize("gap", ["\n\n\n\n", "\n\n"])
def test_in_a_book_of_verse_each_stanza_keeps_its_lines_and_poems_are_equals(
    tmp_path: Path, gap: str
) -> None:
    titles = ["THE MILL", "LONDON", "THE CHARIOT", "ROSES"]
    poems = "".join(f"{gap}{title}\n\n" + "\n\n".join(STANZAS) + "\n" for title in titles)
    book = read(tmp_path, f"A BOOK OF VERSES\n\nby Ann Author\n\n\n\n{poems}")
    assert [s.level for s in book.sections if s.headings[-1:] and s.headings[-1] in titles] == [1] * 4
    verse = [block.text for block in book.blocks if block.kind is BlockKind.VERSE]
    assert verse == STANZAS * len(titles)


def test_titles_of_poems_need_neither_capitals_nor_wide_gaps(tmp_path: Path) -> None:
    titles = ["The Mill", "London", "At the Ford", "Sonnet 4"]
    text = "\n\n".join(part for title in titles for part in (title, *STANZAS))
    assert outline(read(tmp_path, text)) == titles


MODERN = ["船停在黄昏\n没有人上岸\n只有一盏灯\n照着木桩", "我数过的星\n都落进水里\n像盐一样化了"]


@pytest.mark.parametrize("titles", [["渡口", "铜壶", "骡子", "水磨", "井"], ["渡口", "铜壶", "骡子", "水磨"]])
def test_in_a_book_of_chinese_verse_single_lines_are_titles(tmp_path: Path, titles: list[str]) -> None:
    poems = "\n\n\n".join("\n\n".join([title, *MODERN]) for title in titles)
    book = read(tmp_path, f"盐的诗\n周远\n\n{poems}\n")
    assert [(s.level, s.headings[-1]) for s in book.sections if s.headings] == [(1, t) for t in titles]
    assert [block.text for block in book.blocks if block.kind is BlockKind.VERSE][1:] == MODERN * len(titles)


def test_single_lines_in_other_chinese_texts_are_text(tmp_path: Path) -> None:
    cases = {
        "sentences": "\n\n\n".join(MODERN[0].replace("\n", "。\n") for _ in range(5)),
        "one blank line": "\n\n".join([*MODERN, "井", *MODERN, "骡子", *MODERN, "壶", *MODERN]),
        "prose": "\n\n\n".join(f"井\n\n{line}{line}\n{line}{line}" for line in CHINESE * 2),
    }
    for text in cases.values():
        assert outline(read(tmp_path, text)) == []


def test_prose_in_a_book_of_verse_is_prose(tmp_path: Path) -> None:
    book = read(tmp_path, "\n\n".join(STANZAS * 5) + f"\n\n{WRAPPED}")
    assert book.blocks[-1].kind is BlockKind.PARAGRAPH
    assert "\n" not in book.blocks[-1].text


# --- letters --------------------------------------------------------------------------------------


def test_a_signature_ends_a_letter(tmp_path: Path) -> None:
    cases = [
        "I remain, Sir,\nYour obedient servant,",
        "Yours, etc.,",
        "Yours truly",
        "Believe me, dear friend,",
        "Hochachtungsvoll",
        "此致",
        "With love,",
        "Bien à vous,",
        "Herzlichst",
        "Un abrazo,",
    ]
    for end in cases:
        letter = f"{WRAPPED}\n{end}\n\nJ. W. KEEPER.\n\nP.S. The oil is bad.\n\n"
        book = read(tmp_path, f"LETTER I\n\n{letter}LETTER II\n\n{letter}")
        assert outline(book) == ["LETTER I", "LETTER II"]


def test_a_salutation_in_capitals_is_no_heading(tmp_path: Path) -> None:
    letter = f"SIR,\n\n{WRAPPED}\n\n{WRAPPED}\nYours truly,\n\nJ. KEEPER.\n\n"
    assert outline(read(tmp_path, letter * 3)) == []


def test_a_dateline_is_not_the_title_of_a_letter(tmp_path: Path) -> None:
    assert outline(read(tmp_path, f"LETTER I\n\nSalt Island, 3rd May 1801.\n\n{WRAPPED}")) == ["LETTER I"]


def test_capitals_after_a_comma_in_a_heading_remain_a_heading(tmp_path: Path) -> None:
    text = f"{WRAPPED}\n\n\nOF STORMS\n\n{WRAPPED}\n\n\nOF MILLS\n\n{WRAPPED}"
    assert outline(read(tmp_path, text)) == ["OF STORMS", "OF MILLS"]


POEMS = (
    "静夜思\n李白\n床前明月光，疑是地上霜。\n举头望明月，低头思故乡。",
    "登鹳雀楼\n白日依山尽，\n黄河入海流。\n欲穷千里目，\n更上一层楼。",
    "春晓\n孟浩然\n春眠不觉晓，处处闻啼鸟。\n夜来风雨声，花落知多少。",
)


def test_the_titles_of_chinese_poems_are_headings(tmp_path: Path) -> None:
    cases: dict[str, tuple[list[str], list[str]]] = {
        "poems": ([*POEMS], ["静夜思", "登鹳雀楼", "春晓"]),
        "without stops": ([poem.replace("，", "").replace("。", "") for poem in POEMS], []),
        "prose": (
            [f"{title}\n{CHINESE[0]}{CHINESE[0]}\n{CHINESE[2]}" for title in ("港口", "海鸥", "海难")],
            [],
        ),
    }
    for poems, titles in cases.values():
        assert outline(read(tmp_path, "唐诗选\n\n" + "\n\n".join(poems))) == titles


@pytest.mark.parametrize("indent", ["　　", ""])
def test_chinese_that_is_wrapped_is_joined(tmp_path: Path, indent: str) -> None:
    paragraphs = [indent + "".join(CHINESE[i % 4] for i in range(n, n + 7)) for n in range(6)]
    wrapped = ["\n".join(each[i : i + 24] for i in range(0, len(each), 24)) for each in paragraphs]
    text = ("\n" if indent else "\n\n").join(wrapped)
    blocks = ["".join(block.text.split()) for block in read(tmp_path, text).blocks]
    assert blocks == [paragraph.strip() for paragraph in paragraphs]


def test_chinese_typed_one_paragraph_a_line_is_not_joined(tmp_path: Path) -> None:
    paragraphs = ["".join(CHINESE[i % 4] for i in range(n, n + 2)) for n in range(12)]
    assert [block.text for block in read(tmp_path, "\n".join(paragraphs)).blocks] == paragraphs


# --- speeches -------------------------------------------------------------------------------------

SPEECHES = {
    "times": ["[00:01:00] GUEST: The harbour was quiet", "[00:01:30] HOST: yes"],
    "dates": ["12/03/21, 14:05 - Ann: are you there", "12/03/21, 14:06 - Bob: yes"],
    "angles": ["[14:05] <ann> are you there", "[14:06] <bob> yes"],
    "question-and-answer": ["Q. When did you see it?", "A. In the spring, when the council voted money"],
    "question-and-answer-spaces": ["Q   When did you see it?", "A   In the spring."],
    "question-and-answer-and-others": ["Q.  When?", "MR. HALE: Objection.", "A.  In the spring."],
    "question-and-answer-colon": ["Q: When?", "A: In the spring."],
    "names and colons": ["Ann: are you there", "Bob: yes"],
    "play": ["HAMLET. Whither wilt thou lead me?", "GHOST. Mark me."],
    "stage directions": ["ÉDITH, à part. — Un commis du bureau.", "LE NOTAIRE. — Non.", "ÉDITH. — Oui."],
    "in brackets": ["Mill (softly): Come.", "Ann: No."],
    "cyrillic": ["ЗЕМЛЕМЕР (тихо). Дорога закрыта.", "НОТАРИУС. Да."],
    "cyrillic names": ["Иван: Ты там?", "Мария: Да"],
    "abbreviations": ["Fran. You come most carefully.", "Barn. 'Tis now struck twelve.", "Fran. Well."],
    "names": ["Algernon. [Inspects them.] Oh!", "[She reads.]", "Lady Orr. Is that so?"],
    "offices": [
        "Mr. Orr (Leith): Why?",
        "The Lord Advocate (Mr. Gray): No.",
        "Mr. Orr: Oh.",
        "The Lord Advocate: So.",
    ],
    "minutes": ["The CHAIRMAN. Is that all?", "Mrs. COLE of Norfolk. Yes.", "Dr. HUME. No."],
    "minutes-in-german": ["Der VORSITZENDE. Ist das alles?", "Frau ADLER. Nein."],
    "clock": ["9:00\tお蘭\t彼女の弟は鍵を預かった", "午後9:08\t弟\tそうか"],
    "chinese": ["问：你看见了吗？", "答：看见了。"],
    "japanese-quotes": ["太郎「灯りがついていますか」", "花子「はい」"],
    "chinese-names": ["老人：你听见了吗？", "少年：没有。"],
}


def test_each_speech_is_a_block_with_its_speaker(tmp_path: Path) -> None:
    for speeches in SPEECHES.values():
        lines = speeches * 6
        book = read(tmp_path, "\n".join(lines))
        assert [block.kind for block in book.blocks] == [BlockKind.PARAGRAPH] * len(lines)
        assert [block.text for block in book.blocks] == [" ".join(line.split()) for line in lines]


def test_a_speech_of_several_lines_is_one_block(tmp_path: Path) -> None:
    book = read(tmp_path, "Q. When did you\nsee it?\nA. In the\nspring.\n" * 3)
    assert [block.text for block in book.blocks] == ["Q. When did you see it?", "A. In the spring."] * 3


def test_a_wrapped_speech_is_one_block(tmp_path: Path) -> None:
    who = ("MR. HALE", "THE WITNESS")
    book = read(tmp_path, "".join(f"{who[i % 2]}: {WRAPPED}" for i in range(6)))
    assert [block.text[:9] for block in book.blocks] == ["MR. HALE:", "THE WITNE"] * 3


HEADERS = [
    *("Ann — 12:01", "Ann [12:01]", "00:01:10 Ann", "[12:01] Ann", "Ann, 12:01"),
    "2025-11-03 10:07:03 Ann(10086)",
]


@by_pairs(("header", HEADERS), ("gap", ["", "\n"]))
def test_speaker_and_time_above_a_speech_belong_to_it(tmp_path: Path, header: str, gap: str) -> None:
    book = read(tmp_path, f"{header}\nThe harbour was quiet before the first boats came in.\n{gap}" * 4)
    assert [block.text for block in book.blocks] == [
        f"{header} The harbour was quiet before the first boats came in."
    ] * 4


def test_lines_that_only_begin_like_speeches_are_no_speeches(tmp_path: Path) -> None:
    cases = {
        "a list of terms": "Lamp: a light\nBell: a sound\nOil: a fuel",
        "lettered points": "A. First point\nB. Second point\nC. Third point",
        "who says it": "彼は「行く」\n私は「待て」\n彼は「行く」\n私は「待て」",
        "capitals": "THE END, he said. It\nwas over. AND HE WENT\nhome.",
        "titles": "Mr. Hale came. It\nwas late. Mrs.\nHale and Dr. Hume\nhad gone.\nMrs. Hart as well",
        "times in text": "He came at 14:05 and\nleft at 15:20",
    }
    for lines in cases.values():
        book = read(tmp_path, f"{WRAPPED}\n{lines}\n\n{WRAPPED}")
        inner = [block.text for block in book.blocks[1:-1]]
        assert len(inner) == 1 or inner != lines.split("\n")


@by_pairs(
    (
        "names",
        [
            ("HAMO", "IRIS"),
            ("HAMO.", "IRIS."),
            ("ÉMILE, seul.", "FIGARO"),
            ("THE CLERK", "Iris Hart"),
            ("Ann:", "Bob (aside)"),
        ],
    ),
    ("gap", ["", "\n"]),
)
def test_a_name_on_a_line_of_its_own_belongs_to_the_speech_below(
    tmp_path: Path, names: tuple[str, str], gap: str
) -> None:
    speeches = [(names[i % 2], SENTENCES[i]) for i in (0, 1, 2, 3, 0, 2, 1)]
    book = read(tmp_path, "".join(f"{name}\n{sentence}\n{gap}" for name, sentence in speeches))
    assert [block.text for block in book.blocks] == [" ".join(speech) for speech in speeches]


def test_speeches_below_their_speakers_are_prose_or_verse_each_by_itself(tmp_path: Path) -> None:
    stanza = "Tyger Tyger, burning bright,\n    In the forests of the night;\n    What immortal hand or eye"
    said = ["Here you are.", "Here I am.", "Come with me.", stanza, "It is.", "So it is."]
    speeches = [f"{('ANN.', 'BOB.')[i % 2]}\n    {text}\n" for i, text in enumerate(said)]
    book = read(tmp_path, f"ANN.\n{WRAPPED}\n{''.join(speeches)}\nBOB.\n{WRAPPED}")
    assert [block.text.split() for block in book.blocks[1:-1]] == [speech.split() for speech in speeches]
    assert [i for i, block in enumerate(book.blocks[1:-1]) if block.kind is BlockKind.VERSE] == [3]


def test_japanese_speech_needs_no_stop_to_be_a_paragraph(tmp_path: Path) -> None:
    prose = [f"　{'波が高かった。' * n}" for n in (1, 9, 2, 6, 3, 7)]
    lines = [
        f"　{'男が町からやって来た。' * 4}",
        "「君が灯台守か」",
        "　私は黙っていた。",
        "　空は暗かった。",
    ]
    book = read(tmp_path, "\n".join(prose) + "\n\n" + "\n".join(lines))
    assert [(block.kind, block.text) for block in book.blocks] == [
        (BlockKind.PARAGRAPH, line.strip()) for line in prose + lines
    ]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([*SENTENCES, "Silence", *SENTENCES, "Nothing", *SENTENCES] * 2, id="short lines"),
        pytest.param(["Ann", *SENTENCES, *SENTENCES, "Bob", *SENTENCES], id="names that come once"),
    ],
)
def test_a_short_line_above_others_is_no_speaker(tmp_path: Path, lines: list[str]) -> None:
    assert [block.text for block in read(tmp_path, "\n".join(lines)).blocks] == lines


# --- numbers of lines -----------------------------------------------------------------------------


def paged(lines: list[str], n: int = 25, form: str = "{:>2}  {}") -> str:
    """Number the lines of each page from 1 to `n`."""
    return "\n".join(form.format(i % n + 1, line).rstrip() for i, line in enumerate(lines))


WORDS = WRAPPED.replace("\n", " ")
DEPOSITION = [
    *("     Q.   When did you see the doctor of the village, if you saw", "him at all on that evening?"),
    *("     A.   It was late, and nobody had seen him since the storm", "began. The river had risen."),
] * 9


def test_the_numbers_of_the_lines_of_each_page_are_left_out_and_counted(tmp_path: Path) -> None:
    for form in ["{:>2}  {}", "{}   {}", "{:02} {}"]:
        book = read(tmp_path, paged(DEPOSITION, form=form))
        assert [block.text[:3].strip() for block in book.blocks] == ["Q.", "A."] * 9
        assert not any(character.isdigit() for character in book.text)
        assert [(part.kind, part.words) for part in book.left_out] == [("line_numbers", len(DEPOSITION))]


def test_other_numbers_at_the_beginning_of_lines_are_text(tmp_path: Path) -> None:
    cases = {
        "a list of one line each": paged([f"Rule of {name}" for name in "abcdefghijklm"]),
        "verses, one a line": paged([WORDS] * 12),
        "verses": "\n".join(WRAPPED.replace("It was", f"{i} It was") for i in range(1, 13)),
        "items with a full stop": paged([WRAPPED.split("\n")[1]] * 12, form="{}. {}"),
        "a few lines": paged(DEPOSITION[:7]),
    }
    for text in cases.values():
        book = read(tmp_path, text)
        assert not [part for part in book.left_out if part.kind == "line_numbers"]
        assert book.text.split() == text.split()


# --- what divides, and what does not --------------------------------------------------------------


def test_a_wrapped_speech_below_its_speaker_is_one_block(tmp_path: Path) -> None:
    book = read(tmp_path, "".join(f"{('OLIVE.', 'THE BOY.')[i % 2]}\n{WRAPPED}\n" for i in range(6)))
    assert [block.text.split(" It")[0] for block in book.blocks] == ["OLIVE.", "THE BOY."] * 3


def test_a_chapter_is_named_by_word_and_number() -> None:
    cases = [
        *((f"Chapitre {word}", True) for word in ("deuxième", "cinquième", "II", "dix", "CINQ")),
        *(("CHAPITRE DEUXIÈME", True), ("【第一章 归来】", True), ("〔楔子〕", True)),
        *(("Chapitre de ma vie", False), ("【他说】", False)),
    ]
    for line, is_chapter in cases:
        assert (read_division(line) is not None) is is_chapter


def test_divisions_are_named_in_many_languages() -> None:
    cases = {
        "Dutch": "Hoofdstuk een|Eerste hoofdstuk|Deel twee|Nawoord|Woord vooraf",
        "Ukrainian": "Розділ перший|РОЗДІЛ П'ЯТИЙ|Частина друга|Розділ двадцять перший|Післямова",
        "Greek": "ΚΕΦΑΛΑΙΟ Α΄|Κεφάλαιο ΙΒ΄|Πρώτο κεφάλαιο|ΜΕΡΟΣ ΠΡΩΤΟ|ΕΠΙΛΟΓΟΣ|Πρόλογος",
        "Turkish": "Birinci Bölüm|ÜÇÜNCÜ BÖLÜM|Son Bölüm|2. Bölüm|Son Söz|Önsöz",
        "Swedish": "Kapitel ett|Första kapitlet|Andra delen|Efterord|Slutord",
        "Danish, Norwegian": "Kapitel to|Første kapitel|Anden del|Kapittel en|Tredje bok|Etterord",
        "Finnish": "Luku yksi|Ensimmäinen luku|Toinen osa|Kolmastoista luku|Jälkisanat",
        "Polish": "Rozdział pierwszy|Część druga|Rozdział dwudziesty pierwszy|Posłowie",
        "Czech, Slovak": "První kapitola|Část druhá|Díl třetí|Štvrtá kapitola|Časť piata|Doslov",
        "Hungarian": "Első fejezet|2. fejezet|III. fejezet|Hatodik rész|Utószó",
        "Romanian": "Capitolul întâi|Capitolul al doilea|Partea a treia|Cuvânt înainte",
        "Bulgarian": "Глава първа|Втора глава|Част трета|Послеслов",
        "Serbian": "Глава прва|Поглавље треће|Књига друга|Drugo poglavlje|Deo prvi|Поговор",
        "Portuguese": "Capítulo um|Capítulo segundo|CAPITULO DECIMO|Posfácio|INTRODUÇÃO",
        "Catalan": "Capítol primer|Segona part|Capítol II|Epíleg|Pròleg",
        "French, Spanish": "Chapitre Ier|1re partie|DEUXIEME PARTIE|Capítulo 1º|Parte once",
        "Russian": "Глава двадцать первая|Часть 2-я|Глава пятая. Мельница|От автора",
        "German, English": "1. Kapitel|Zwölftes Kapitel|Chapter Twenty One|1st Book",
    }
    for lines in cases.values():
        assert [line for line in lines.split("|") if not names_division(line)] == []


def test_sentences_with_the_words_of_divisions_are_text() -> None:
    cases = {
        "Dutch": "Deel een appel met hem|De eerste dag|Banden",
        "Nordic": "Del to kager med din bror|Toinen osa miehistä lähti.",
        "Slavic": "Розділ перший був довгим.|Часть вторая была скучна.|Глава семьи|Лист 3",
        "English": "Letter to Harriet|Day to Night|Part once More|Act to Save Trees|Parti",
        "more": "A Second Letter|Third letter,|On the 3rd day|Chapter Pet|List 1|Son of the Book",
        "others": "Les deux Orphelines|Band um Band|Un acto|Cartea mea|Partie|Prefaceerde",
    }
    for lines in cases.values():
        assert [line for line in lines.split("|") if names_division(line)] == []


def test_a_salutation_is_no_title_of_a_letter(tmp_path: Path) -> None:
    cases = [
        ("Письмо {}", "Любезный друг!", "Письмо I"),
        ("LETTER {}", "My dear Cousin,", "LETTER I"),
        ("Lettre {}", "Chère Marie!", "Lettre I"),
        ("CHAPTER {}", "LAND AHEAD!", "CHAPTER I LAND AHEAD!"),
        ("LETTER {}", "THE FERRY", "LETTER I THE FERRY"),
    ]
    for name, below, title in cases:
        letters = "".join(f"{name.format(n)}\n\n{below}\n\n{WRAPPED}\n" for n in ("I", "II", "III"))
        assert outline(read(tmp_path, letters))[0] == title


def test_place_and_day_above_a_letter_are_no_title(tmp_path: Path) -> None:
    cases = [
        *(("The Rectory, Monday.", "LETTER I"), ("The Rectory, Friday evening.", "LETTER I")),
        *(("The Rectory", "LETTER I The Rectory"), ("My Man Friday", "LETTER I My Man Friday")),
    ]
    for below, title in cases:
        letters = "".join(f"LETTER {n}\n\n{below}\n\n{WRAPPED}\n" for n in ("I", "II", "III"))
        assert outline(read(tmp_path, letters))[0] == title


STANZA = "I heard my father by the marsh;\nShe sang to him of winter;\nO let me hold the bell;\nWe lost it.\n"


@pytest.mark.parametrize(
    "titles", [["THE FERRY", "THE LAMP", "THE MARSH"], ["The Ferry", "The Lamp", "The Bell"]]
)
def test_a_title_in_capitals_right_above_a_stanza_is_a_heading(tmp_path: Path, titles: list[str]) -> None:
    book = read(tmp_path, "\n\n".join(f"{title}\n{STANZA}\n{STANZA}" for title in titles))
    assert outline(book) == (titles if titles[0].isupper() else [])
    assert {block.kind for block in book.blocks if block.kind != BlockKind.HEADING} == {BlockKind.VERSE}


def test_lines_of_verse_that_end_in_semicolons_are_no_code(tmp_path: Path) -> None:
    stanza = "".join(f"    {line}\n" for line in STANZA.splitlines())
    code = "    int lamp = 3;\n    ring(lamp);\n    lamp += 1;\n"
    kinds = {block.kind for block in read(tmp_path, f"{WRAPPED * 3}\n{stanza}\n{WRAPPED * 3}\n{code}").blocks}
    assert kinds == {BlockKind.PARAGRAPH, BlockKind.VERSE, BlockKind.CODE}
