"""Headings and the printed table of contents of a plain text, headings by rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from alexandria.extract.text.unwrapping import Group, Layout

# From the outermost division to the innermost; each in several languages.
_KEYWORDS = (
    "volume|vol|tome|tomo|svezak|deel|том|τόμος|tom|cilt|bind|band|volumul|kötet",
    "book|livre|buch|libro|knjiga|liber|boek|книга|βιβλίο|księga|livro|kitap|bok|bog|kirja|könyv|cartea",
    "part|partie|teil|abteilung|parte|pars|dio|epoch|époque|epoca|época|часть|μέρος|część|kısım|osa|rész|partea",
    "chapter|chap|chapitre|kapitel|capitolo|cap[ií]tulo|caput|poglavlje|glava|hoofdstuk|act|acte|akt|aufzug|atto|acto|"
    "глава|действие|письмо|песнь|κεφάλαιο|πράξη|rozdział|capitolul|bölüm|perde|kapittel|luku|fejezet|felvonás|"
    "čin|canto|chant|gesang|letter|lettre|brief|lettera|carta|stave|lecture|essay|sermon|lesson|leçon|lektion|lezione",
    "section|abschnitt|sezione|sección|odjeljak|odlomak|scene|scène|szene|auftritt|scena|escena|prizor|раздел|"
    "параграф|сцена|явление|σκηνή|cena|sahne|avsnitt|afsnit|kohtaus|§",
)
CHAPTER, _SECTION = 3, 4  # indexes in _KEYWORDS
_NAMED = (
    "preface|foreword|introduction|prologue|epilogue|afterword|conclusion|appendix|dedication|postscript|glossary|"
    "footnotes|endnotes|notes|etymology|extracts|bibliography|acknowledge?ments|vorwort|vorrede|einleitung|prolog|epilog|"
    "nachwort|anhang|schluss|schluß|anmerkungen|préface|avant-propos|prologue|épilogue|conclusion|appendice|avertissement|"
    "prefazione|introduzione|prologo|epilogo|conclusione|prefacio|introducción|prólogo|epílogo|conclusión|apéndice|"
    "predgovor|uvod|prolog|epilog|pogovor|zaključak|dodatak|bilješke|praefatio|prooemium|voorwoord|inleiding"
)
_CONTENTS = re.compile(
    r"(?:the )?(?:table of )?contents(?: of the chapters)?|inhalt(?:sverzeichnis|sverzeichniss)?|"
    r"table(?: des mati[eè]res| des chapitres)?|sommaire|indice|índice|sadržaj|kazalo|inhoud|index",
    re.I,
)
_ORDINALS = (
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|\w+tieth|"
    r"twenty-\w+|thirty-\w+|last|erste[rsn]?|zweite[rsn]?|dritte[rsn]?|vierte[rsn]?|fünfte[rsn]?|sechste[rsn]?|"
    r"sieb(?:en)?te[rsn]?|achte[rsn]?|neunte[rsn]?|zehnte[rsn]?|elfte[rsn]?|zwölfte[rsn]?|\w+zehnte[rsn]?|\w+zigste[rsn]?|"
    r"premi(?:er|ère)|seconde?|deuxième|troisième|quatrième|cinquième|sixième|\w+ième|dernière?|"
    r"prim[oa]|second[oa]|terz[oa]|quart[oa]|quint[oa]|sest[oa]|settim[oa]|ottav[oa]|non[oa]|decim[oa]|"
    r"primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|sext[oa]|séptim[oa]|octav[oa]|noven[oa]|décim[oa]|"
    r"prv[aoi]|drug[aoi]|treć[aei]|četvrt[aoi]|pet[aoi]|šest[aoi]|sedm[aoi]|osm[aoi]|devet[aoi]|deset[aoi]|\w+naest[aoi]"
)
_ORDINALS += (
    r"|перв(?:ая|ый|ое)|втор(?:ая|ой|ое)|трет(?:ья|ий|ье)|четв[её]рт(?:ая|ый|ое)|пят(?:ая|ый|ое)|шест(?:ая|ой|ое)|"
    r"седьм(?:ая|ой|ое)|восьм(?:ая|ой|ое)|девят(?:ая|ый|ое)|десят(?:ая|ый|ое)|\w+надцат(?:ая|ый|ое)|двадцат(?:ая|ый|ое)|"
    r"πρώτ[οη]|δεύτερ[οη]|τρίτ[οη]|τέταρτ[οη]|πέμπτ[οη]|birinci|ikinci|üçüncü|dördüncü|beşinci|"
    r"pierwsz[ya]|drug[iea]|trzeci[a]?|czwart[ya]|piąt[ya]|első|második|harmadik|negyedik|ötödik"
)
_CARDINALS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|"
    "un|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|"
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|jedan|dva|tri|četiri"
)
_ROMAN = r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})"
_KEYED = re.compile(
    rf"(?:(?:the|der|die|das|la|le|il|el)\s+)?(?:"
    rf"(?P<keyword>{'|'.join(_KEYWORDS)})\.?\s*(?:the\s+)?"
    rf"(?:(?P<number>\d{{1,4}}|{_ROMAN})\b|(?:{_ORDINALS}|{_CARDINALS})\b)|"
    rf"(?:\d{{1,3}}\.|{_ROMAN}\.|{_ORDINALS})\s+(?P<after>{'|'.join(_KEYWORDS)})\b)"
    r"(?P<rest>.*)",
    re.I,
)
# 第三章 …; الفصل الثالث …
_OTHER_SCRIPTS = re.compile(
    r"第\s?[〇零一二三四五六七八九十百千两\d０-９]{1,7}\s?(?P<unit>[卷巻冊部篇編编章回話话幕節节場场])"
    r"(?P<rest>[\s　:：、—].*)?|"
    r"(?P<name>الجزء|المجلد|الكتاب|القسم|الباب|الفصل|المشهد)\s(?:ال\w+|[\d٠-٩]+)(?:\sعشر)?(?P<title>[\s:：—–-].*)?"
)
_RANKS = {
    **dict.fromkeys(("卷", "巻", "冊", "الجزء", "المجلد"), 0),
    "الكتاب": 1,
    **dict.fromkeys(("部", "篇", "編", "编", "القسم"), 2),
    **dict.fromkeys(("節", "节", "場", "场", "المشهد"), 4),
}
"""Ranks of divisions in scripts without capitals; any other is a chapter."""
_NUMBERED = re.compile(
    rf"(?P<roman>{_ROMAN})(?P<title>[.:)]? .+)?[.:)]?|(?P<arabic>\d{{1,3}})(?P<after>[.:)] .+)?[.:)]?"
)
_TITLED = re.compile(rf"(?:the )?(?P<name>(?:\S+ )?(?:{_NAMED}))(?P<rest>\b.*)", re.I)
_MARK = re.compile(r"\([*+%#†‡]+\)|\[\d{1,3}\]|\{\d{1,3}\}")  # the mark of a note in a heading
_LONGEST = 200  # characters of a heading: in old books it may be a summary of the chapter


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: one group of lines, or two if its title is a group of its own."""

    rank: int
    """0 for volumes, 1 for books, 2 for parts, 3 for chapters and acts, 4 for what is inside them."""
    n_groups: int
    bare: bool = False
    """Keyword and number alone."""
    capitals: bool = False
    """The keyword is in capitals."""


def find_headings(groups: Sequence[Group], layout: Layout) -> dict[int, Heading]:
    """Return the headings of a text by the index of their group, ascending."""
    headings = _demoted({i: heading for i, group in enumerate(groups) if (heading := _keyed(group))})
    chapters = any(heading.rank == CHAPTER for heading in headings.values())
    gap = _gap(groups)
    headings = _numbered(groups, gap, _SECTION if chapters else CHAPTER) | headings
    headings = dict(_with_titles(groups, headings))
    used = {i + n for i, heading in headings.items() for n in range(heading.n_groups)}
    others = {
        i: heading
        for i, group in enumerate(groups)
        if i not in used
        and (
            heading := _named(group)
            or _set_apart(groups, i, gap, headings, layout)
            or _outdented(groups, i, layout)
        )
    }
    return dict(sorted((headings | others).items()))


def _gap(groups: Sequence[Group]) -> int:
    """Return how many blank lines set a heading apart: 2, or 1 in a text with hardly any double ones."""
    wide = sum(group.blank_before >= 2 for group in groups[1:])
    return 2 if wide > 2 else 1


def _keyed(group: Group) -> Heading | None:
    if _may_be_heading(group) and (division := _OTHER_SCRIPTS.fullmatch(group.text.strip())):
        rank = _RANKS.get(division["unit"] or division["name"], CHAPTER)
        return Heading(rank, 1, bare=not (division["rest"] or division["title"] or "").strip())
    if not _may_be_heading(group) or not (key := _KEYED.match(_MARK.sub("", group.text))):
        return None
    word, rest = key["keyword"] or key["after"], key["rest"]
    if not group.text.strip("_ ")[0].isupper() and word != "§":
        return None
    # "Chapter 3 shows how" continues as a sentence; a title is set off, or begins with a capital.
    if rest and not re.match(r"\s*[.:,;—–-]|\s+[\"'“‘«»(_]*[^\W_a-z\d]|\s*$", rest):
        return None
    if not _in_capitals(group.text) and (group.text[-1] in ",;" or len(group.lines) > 3):
        return None
    rank = next(r for r, words in enumerate(_KEYWORDS) if re.fullmatch(words, word, re.I))
    return Heading(rank, 1, bare=not rest.strip(" .:—–-_"), capitals=word.isupper())


def _demoted(headings: dict[int, Heading]) -> dict[int, Heading]:
    """Return the headings; if most are in capitals ("CHAPTER I"), others ("The Second Book") are sections."""
    if 2 * sum(heading.capitals for heading in headings.values()) <= len(headings):
        return headings
    return {i: h if h.capitals else replace(h, rank=_SECTION) for i, h in headings.items()}


def _may_be_heading(group: Group) -> bool:
    return len(group.lines) <= 5 and len(group.text) <= _LONGEST and not group.fenced


def _numbered(groups: Sequence[Group], gap: int, rank: int) -> dict[int, Heading]:
    """Return the groups that count up from 1: a number alone, or with a title on its line.

    Roman and Arabic numbers count separately; if both occur, the Arabic ones are inside the Roman ones.
    """
    roman, arabic = _Run(), _Run()
    for i, group in enumerate(groups):
        if len(group.lines) > 2 or len(group.text) > 80 or not (number := _NUMBERED.fullmatch(group.text)):
            continue
        title = number["title"] or number["after"] or ""
        if number["roman"] and (not title or group.blank_before >= gap):
            roman.add(i, _value(number["roman"].upper()), bare=not title)
        elif number["arabic"] and group.blank_before >= gap and (not title or _in_title_case(title)):
            arabic.add(i, int(number["arabic"]), bare=not title)
    inner = _SECTION if roman.counting() else rank
    return {i: Heading(rank, 1, bare) for i, bare in roman.counting().items()} | {
        i: Heading(inner, 1, bare) for i, bare in arabic.counting().items()
    }


class _Run:
    """Numbers in the order of the text, of which those that count 1, 2, … matter; they may restart at 1."""

    def __init__(self) -> None:
        self._done: dict[int, bool] = {}
        self._open: dict[int, bool] = {}

    def add(self, i: int, value: int, *, bare: bool) -> None:
        if value == 1:
            self._done, self._open = self.counting(), {}
        if value == len(self._open) + 1:
            self._open[i] = bare

    def counting(self) -> dict[int, bool]:
        # A single number counts nothing.
        return self._done | (self._open if len(self._open) > 1 else {})


def _value(roman: str) -> int:
    digits = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}[digit] for digit in roman]
    return sum(-d if d < max(digits[i:]) else d for i, d in enumerate(digits))


def _named(group: Group) -> Heading | None:
    text = group.text.strip("_ ")
    if len(group.lines) > 2 or len(text) > 60 or not (title := _TITLED.match(text)):
        return None
    if _in_capitals(text) or (text[:1].isupper() and not title["rest"].strip("._: ")):
        return Heading(CHAPTER, 1)
    return None


def _set_apart(
    groups: Sequence[Group], i: int, gap: int, headings: dict[int, Heading], layout: Layout
) -> Heading | None:
    """Return a heading for a line in capitals or title case that is set apart, with text below it."""
    group, text = groups[i], groups[i].text
    if group.blank_before < gap or len(group.lines) > 2 or len(text) > 100 or i + 1 == len(groups):
        return None
    if text[0] in "[*+|©" or re.search(r"COPYRIGHT|\(C\)|©", text):
        return None
    if group.blank_before < 2 and _NUMBERED.fullmatch(text):
        return None  # numbers that count have been found already
    # Title pages consist of short lines; a line in title case is a heading only above prose.
    below = groups[i + 1]
    if _in_capitals(text):
        below_fits = i + 1 in headings or (
            not _in_capitals(below.text) and len(below.text) >= 0.5 * layout.width
        )
    else:
        titled = len(group.lines) == 1 and len(text) <= 60 and text[-1].isalnum() and _in_title_case(text)
        below_fits = titled and i + 1 not in headings and group.blank_before >= 2 and _is_prose(below, layout)
    # Chapters have three or four blank lines above, sections inside them two.
    inside = group.blank_before < 4 or (
        not _in_capitals(text) and any(h.rank == CHAPTER for h in headings.values())
    )
    return Heading(_SECTION if inside else CHAPTER, 1) if below_fits else None


def _outdented(groups: Sequence[Group], i: int, layout: Layout) -> Heading | None:
    """Return a heading for a line left of the text, or centred, in a text that is indented throughout."""
    group = groups[i]
    if layout.indent < 2 or len(group.lines) > 1 or len(group.text) > 70 or i + 1 == len(groups):
        return None
    left, right = group.indents[0], layout.width - len(group.lines[0])
    centred = left > layout.indent + 4 and abs(left - right) <= 6
    titled = group.text[0].isupper() and group.text[-1].isalnum() and not group.text.startswith("Table ")
    if not titled or not (centred or left < layout.indent) or groups[i + 1].fenced:
        return None
    return Heading(CHAPTER if centred else _SECTION, 1)


def _with_titles(groups: Sequence[Group], headings: dict[int, Heading]) -> Iterator[tuple[int, Heading]]:
    """Yield the headings, extended by a title, or the rest of one, in the next group."""
    bare = [i for i, heading in headings.items() if heading.bare]
    short = [i for i in bare if _may_be_title(groups, i, headings)]
    # If four of five numbers have a short line below, it is their title, in capitals or not.
    all_have = len(short) >= 3 and len(short) >= 0.8 * len(bare)
    for i, heading in headings.items():
        more = _may_be_title(groups, i, headings)
        if more and heading.bare:
            more = all_have or _in_title_case(groups[i + 1].text)
        elif more:
            more = (
                groups[i + 1].blank_before == 1
                and _in_capitals(groups[i].text)
                and _in_capitals(groups[i + 1].text)
            )
        yield i, replace(heading, n_groups=2 if more else 1)


def _may_be_title(groups: Sequence[Group], i: int, headings: dict[int, Heading]) -> bool:
    """Return whether the group below heading `i` is short, near it, and followed by text."""
    if i + 2 >= len(groups) or i + 1 in headings:
        return False
    title = groups[i + 1]
    if headings[i].rank < CHAPTER and _named(title):
        return False  # "BOOK ONE", then a separate "INTRODUCTION"
    short = len(title.lines) <= 2 and len(title.text) <= 100
    if not short and not (_in_capitals(title.text) and _may_be_heading(title)):
        return False
    return title.blank_before <= 2 and title.text[-1] not in ",;:" and title.text[0] not in '"“„«»‘—–-[*('


def _in_capitals(text: str) -> bool:
    """Return whether a text is in capitals; one acronym in a script without capitals does not make it so."""
    return text.isupper() and 2 * sum(map(str.isupper, text)) > sum(map(str.isalpha, text))


def _in_title_case(text: str) -> bool:
    # Words of at least four letters: short ones are not capitalised in titles.
    words = re.findall(r"[^\W\d_]{4,}", text)
    return _in_capitals(text) or (bool(words) and all(word[0].isupper() for word in words))


# --- the printed table of contents ----------------------------------------------------------------


def find_contents(groups: Sequence[Group], layout: Layout) -> range:
    """Return the groups of a printed table of contents, title included; empty if there is none."""
    # In the first fifth: at the end it would be an index.
    for i, group in enumerate(groups[: max(20, len(groups) // 5)]):
        if _CONTENTS.fullmatch(group.text.strip("._: ")):
            end = _contents_end(groups, i + 1, layout)
            if len(groups[i + 1 : end]) > 2 or sum(len(group.lines) for group in groups[i + 1 : end]) > 2:
                return range(i, end)
    return range(0)


def _contents_end(groups: Sequence[Group], start: int, layout: Layout) -> int:
    """Return the group after the last entry: the first entry repeated, a wide gap, or prose."""
    first = _entry(groups[start]) if start < len(groups) else []
    for i in range(start, len(groups)):
        group = groups[i]
        entry = _entry(group)
        again = i > start and entry and entry == first[: len(entry)]
        if again or (i > start and group.blank_before >= 4):
            return i
        if _is_prose(group, layout):
            # The last short lines before prose are its own heading.
            while i - 1 > start and groups[i - 1].blank_before >= 2 and not groups[i - 1].text[-1].isdigit():
                i -= 1
                if groups[i].blank_before >= 3:
                    break
            return i
    return start


def _entry(group: Group) -> list[str]:
    """Return the words of a group's first line, without the page number at its end."""
    words = re.findall(r"[^\W_]+", group.lines[0].lower())
    return words[:-1] if len(words) > 1 and words[-1].isdigit() else words


def _is_prose(group: Group, layout: Layout) -> bool:
    full = [line for line in group.lines if len(line) >= 0.75 * layout.width]
    return (
        len(group.lines) > 2 and len(full) >= 0.75 * (len(group.lines) - 1) and not group.text[-1].isdigit()
    )
