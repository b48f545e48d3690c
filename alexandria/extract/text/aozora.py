"""Reads the markup of Aozora Bunko (青空文庫): ruby 《…》, notes ［＃…］, its header and colophon."""

import re
import unicodedata
from dataclasses import dataclass

from alexandria.book.model import LeftOut, Metadata, count_words

_NOTE = re.compile(r"［＃([^］]*)］")
_RULE = r"^-{10,}[ \t]*\n"
_LEGEND = re.compile(rf"{_RULE}(?:.*\n)*?.*(?:記号について|《》).*\n(?:.*\n)*?{_RULE}", re.MULTILINE)
"""The explanation of the markup, between two rules."""
_MAX_LEGEND_END = 4000  # characters at the beginning of a text in which it is
_COLOPHON = re.compile(r"^[ \u3000]*底本[:：].*\Z", re.MULTILINE | re.DOTALL)
_GAIJI = re.compile(
    r"※?［＃[^］]*?(?:第[34]水準(?P<place>\d-\d{1,2}-\d{1,2})|U\+(?P<code>[0-9A-Fa-f]{4,6}))[^］]*］"
)  # a character that the encoding lacks, by its place in JIS X 0213 or in Unicode
_KANJI = r"[\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff〆ヶ]"
_RUBY = re.compile(r"(?:｜([^《》｜\n]+)|(?<=[^\s《｜]))《([^》\n]+)》")
_RUBY_OF_KANJI = re.compile(rf"{_KANJI}《[\u3040-\u30ff]+》")
_MIN_RUBY = 2  # ruby over kanji, without notes, that shows the markup; in other texts, 《…》 is a title
_SIGNS = dict(zip("'`^:~,_", "\u0301\u0300\u0302\u0308\u0303\u0327\u0304", strict=True))
_LIGATURES = dict(zip(("ae&", "AE&", "oe&", "OE&", "s&", "a&", "A&", "o/", "O/"), "æÆœŒßåÅøØ", strict=True))
_ACCENTED = re.compile(r"(?:ae|oe|[as])&|o/|[a-z]['`^:~,_]", re.IGNORECASE)
_FOREIGN = re.compile(rf"〔(?=[^〔〕\n]*(?i:{_ACCENTED.pattern}))([^〔〕\n]*)〕")
"""Words in Latin letters, whose accents are typed behind them: 〔fiance'e〕."""
_REPEATED = re.compile(r"／(″?)＼")  # typed for the mark that repeats the syllables above it, voiced with ″
_BLANK = re.compile(r"\n[ \t\u3000]*\n")
_MAX_HEAD_LINES = 5  # lines of a head: title, original title, subtitle, author, translator
_LEVELS = ("大", "中", "小")
_NOTE_BEFORE = re.compile(r"^［＃[^］]*字下げ[^］]*］(?=.*見出し］)", re.MULTILINE)
_HEADING_AFTER = re.compile(
    r"^[ \u3000]*(?P<title>\S.*?)［＃「[^\n]*?」は(?:同行|窓)?(?P<level>[大中小])見出し］.*$", re.MULTILINE
)
_HEADING_AROUND = re.compile(
    r"［＃(?:ここから)?(?P<level>[大中小])見出し］\s*(?P<title>.+?)\s*［＃(?:ここで)?(?P=level)見出し終わり］",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Plain:
    """A text without the markup: its headings are underlined, with = for the outermost."""

    text: str
    metadata: Metadata  # title, author and the like, from the lines before the first blank one
    left_out: tuple[LeftOut, ...]
    n_headings: int


def read_aozora(text: str) -> Plain | None:
    """Return a text of Aozora Bunko without its markup; None for any other text."""
    legend = _LEGEND.search(text, 0, _MAX_LEGEND_END)
    if not legend and not _NOTE.search(text) and len(_RUBY_OF_KANJI.findall(text)) < _MIN_RUBY:
        return None
    body = text[: legend.start()] + "\n" + text[legend.end() :] if legend else text
    colophon = _COLOPHON.search(body)
    body = body[: colophon.start()] if colophon else body
    body = _FOREIGN.sub(lambda match: _ACCENTED.sub(_accented, match[1]), body)
    body = _REPEATED.sub(lambda match: "〴〵" if match[1] else "〳〵", _GAIJI.sub(_character, body))
    levels = {
        match["level"] for pattern in (_HEADING_AFTER, _HEADING_AROUND) for match in pattern.finditer(body)
    }
    outermost = next((level for level in _LEVELS if level in levels), "")

    def underlined(match: re.Match[str]) -> str:
        title = _NOTE.sub("", match["title"].replace("\n", " "))
        sign = "=" if match["level"] == outermost else "-"
        return f"\n\n{title}\n{sign * max(4, 2 * len(title))}\n\n"

    body, n_after = _HEADING_AFTER.subn(underlined, _NOTE_BEFORE.sub("", body))
    body, n_around = _HEADING_AROUND.subn(underlined, body)
    ruby = [match[2] for match in _RUBY.finditer(body)]
    body = _RUBY.sub(lambda match: match[1] or "", body)
    notes = _NOTE.findall(body)
    left_out = (
        LeftOut("imprint", "Aozora Bunko's colophon", count_words(colophon[0]) if colophon else 0),
        LeftOut("imprint", "the explanation of the markup", count_words(legend[0]) if legend else 0),
        LeftOut("ruby", "readings above characters", sum(map(count_words, ruby))),
        LeftOut("hidden", "notes on the typesetting", sum(map(count_words, notes))),
    )
    return Plain(
        _NOTE.sub("", body),
        _read_head(body),
        tuple(record for record in left_out if record.words),
        n_after + n_around,
    )


def _read_head(body: str) -> Metadata:
    """Return what the lines before the first blank one state: title, subtitles, author, translator."""
    lines = [line.strip() for line in _BLANK.split(body.strip(), 1)[0].split("\n")]
    if len(lines) > _MAX_HEAD_LINES:
        lines = lines[:2]
    translators = tuple(line.removesuffix("訳").strip() for line in lines[2:] if line.endswith("訳"))
    title, *others = [line for line in lines if not (translators and line.endswith("訳"))]
    return Metadata(
        title=title if others else "",
        authors=tuple(others[-1:]),
        language="ja",
        language_source="detected",
        subtitle=" ".join(others[:-1]),
        translators=translators,
    )


def _accented(match: re.Match[str]) -> str:
    """Return a letter with the accent that is typed behind it; as typed if there is no such letter."""
    typed = match[0]
    letter = _LIGATURES.get(typed) or unicodedata.normalize("NFC", typed[0] + _SIGNS.get(typed[-1], "&"))
    return letter if len(letter) == 1 else typed


def _character(match: re.Match[str]) -> str:
    """Return the character that a note describes; 〓 if there is none at its place."""
    if match["code"]:
        return chr(int(match["code"], 16)) if int(match["code"], 16) < 0x110000 else "〓"
    plane, row, cell = map(int, match["place"].split("-"))
    data = bytes([row + 0xA0, cell + 0xA0]) if row <= 94 and cell <= 94 else b""
    return (data if plane == 1 else b"\x8f" + data).decode("euc_jis_2004", "ignore") or "〓"
