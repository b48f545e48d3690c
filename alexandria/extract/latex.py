r"""LaTeX as `check` reads it: its text, quotations, notes and citations, rendered to be read as HTML.

Nothing is executed: macros of the document's own are not expanded. Citations become those of Pandoc,
`[@key, p. 12]`, and those of \footcite notes. `ingest` reads these files as plain text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from alexandria.book.model import Metadata
from alexandria.book.word_lists import read_lists
from alexandria.extract.clean import one_line
from alexandria.extract.draft import Draft
from alexandria.extract.encoding import decode
from alexandria.extract.markup.compose import compose_file, find_no_matter
from alexandria.extract.markup.tree import parse_html
from alexandria.extract.options import ReadOptions

_COMMENT = re.compile(r"(?<!\\)%[^\n]*(?:\n[ \t]*(?!\n))?")
_TOKEN = re.compile(
    r"\\(?P<name>[A-Za-z@]+)(?P<star>\*?)[ \t]*|\\(?P<sign>.)|(?P<blank>\n[ \t]*\n\s*)|(?P<brace>[{}])"
    r"|(?P<ligature>---?|``|''|\"[`'=|~-]|[`'~$])",
    re.DOTALL,
)
_CITE = re.compile(r"(?P<foot>[Ff]oot)?[A-Za-z]*?[Cc]ites?(?P<part>author|title|year|url|date)?[A-Za-z]{0,5}")
_LISTS = read_lists(Path(__file__).with_suffix(".txt"))
_LIGATURES, _SYMBOLS, _ACCENTS, _HEADINGS = (
    dict(line.split() for line in _LISTS[name]) for name in ("ligatures", "symbols", "accents", "headings")
)
_QUOTES, _PASSED_OVER, _WITHOUT_TEXT, _DEFINITIONS = (
    re.compile("|".join(_LISTS[name]))
    for name in ("quotations", "passed over", "without text", "definitions")
)
_SIGNS = {"\\": "<br/>", ",": " ", **dict.fromkeys("()[]/-", "")}
# What is defined, where it stands without braces: \x, or with arguments \x#1#2.
_DEFINED = re.compile(r"\s*\\(?:[A-Za-z@]+|.)\s*(?:#\d\s*)*", re.DOTALL)
_Rendered = Callable[..., str]
_MAX_DEPTH = 40  # arguments inside arguments: deeper ones are left out


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a LaTeX file.

    Raises:
        BookError: `no_text`, or `unreadable`.
    """
    text = _COMMENT.sub("", decode(path.read_bytes()).text.replace("\r\n", "\n"))
    title = re.search(r"\\title(?:\[[^\]]*\])?\{([^{}]{1,300})\}", text)
    begin, end = text.find(r"\begin{document}"), text.find(r"\end{document}")
    body = text[max(0, begin) : end if end > 0 else len(text)].removeprefix(r"\begin{document}")
    root = parse_html(f"<html><body><p>{_Renderer(body).html()}</p></body></html>")
    metadata = Metadata(title=one_line(text_of_tex(title[1])) if title else "")
    return compose_file(path, options, metadata, root, find_matter=find_no_matter)


def text_of_tex(tex: str) -> str:
    r"""Return a line of LaTeX, such as a field of a bibliography, as text: `\'Emile` as `Émile`."""
    return re.sub(r"<[^<>]*>", "", _Renderer(tex).html()).replace("&amp;", "&").strip()


class _Renderer:
    """Renders LaTeX as HTML."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.closed_at = _matching(text, "{", "}")
        self.bracket_closed_at = _matching(text, "[", "]")
        self.n_notes = 0
        self.cited = list[str]()  # the citations of the quotations that are open

    def html(self) -> str:
        """Return all of it."""
        return "".join(self._render(0, len(self.text), 0))

    def _render(self, start: int, end: int, level: int, depth: int = 0) -> Iterator[str]:
        """Yield the HTML of a part; `level` is that of quotation marks."""
        at = start
        while at < end and depth < _MAX_DEPTH:
            token = _TOKEN.search(self.text, at, end)
            yield escape(self.text[at : token.start() if token else end], quote=False)
            if token is None:
                return
            at = token.end()
            if token["name"]:
                html, at = self._command(token["name"], token["star"], at, level, depth + 1)
                yield html
            elif sign := token["sign"]:
                if sign in _ACCENTS:
                    accented, at = self._accented(_ACCENTS[sign], at)
                    yield accented
                else:
                    yield _SIGNS.get(sign, escape(sign))
            else:
                yield "</p><p>" if token["blank"] else _LIGATURES.get(token[0], " " * (token[0] == "~"))

    def _accented(self, accent: str, at: int) -> tuple[str, int]:
        """Return the letter at an offset with its accent, and where it ends."""
        letter = re.compile(r"\s*\{?\s*(?:\\(?=[ij]))?([^\W\d_])[ \t]*\}?").match(self.text, at)
        if letter is None:
            return "", at
        return unicodedata.normalize("NFC", letter[1] + chr(int(accent, 16))), letter.end()

    def _command(self, name: str, star: str, at: int, level: int, depth: int) -> tuple[str, int]:
        """Return the HTML of a command whose arguments begin at an offset, and where they end."""

        def rendered(span: tuple[int, int] | None, level: int = level) -> str:
            return "".join(self._render(*span, level, depth)) if span else ""

        if name in _SYMBOLS:
            at += 2 if self.text.startswith("{}", at) else 0
            return _SYMBOLS[name], at
        if name in _ACCENTS:
            return self._accented(_ACCENTS[name], at)
        if name in ("begin", "end"):
            [environment], at = self._groups(at, 1)
            return self._environment(
                name, self.text[slice(*(environment or (0, 0)))].rstrip("*"), at, rendered
            )
        if name.lower().endswith(("quote", "quote*")):
            return self._quote(name, star, at, level, rendered)
        if name in ("footnote", "endnote", "footnotetext", "thanks"):
            _, at = self._options(at)
            [note], at = self._groups(at, 1)
            return self._note(rendered(note, 0)), at
        if cite := _CITE.fullmatch(name):
            options, at = self._options(at)
            [keys], at = self._groups(at, 1)
            citation = self._citation(options, keys, rendered)
            if cite["part"]:
                return "", at
            return (self._note(citation) if cite["foot"] else f" {citation}"), at
        if name in _HEADINGS:
            _, at = self._options(at)
            [title], at = self._groups(at, 1)
            return f"</p><h{_HEADINGS[name]}>{rendered(title)}</h{_HEADINGS[name]}><p>", at
        if _WITHOUT_TEXT.fullmatch(name):
            _, at = self._options(at)
            _, at = self._groups(at, 1)
            return "", at
        if _DEFINITIONS.fullmatch(name):
            return "", self._end_of_definition(at, 2 if name.endswith("environment") else 1)
        if name in ("href", "foreignlanguage", "textcolor"):
            _, at = self._groups(at, 1)
        if name == "textins":
            [words], at = self._groups(at, 1)
            return f"[{rendered(words)}]", at
        _, at = self._options(at)
        return "", at

    def _end_of_definition(self, at: int, n_parts: int) -> int:
        """Return where a definition ends: after the name, the options and the parts of what is defined."""
        defined = _DEFINED.match(self.text, at)
        at = defined.end() if defined else self._groups(at, 1)[1]
        # A theorem has options after its parts: what it is counted in.
        return self._options(self._groups(self._options(at)[1], n_parts)[1])[1]

    def _quote(self, name: str, star: str, at: int, level: int, rendered: _Rendered) -> tuple[str, int]:
        """Return the HTML of a command of csquotes: `enquote`, `textquote`, `textcquote`, `blockquote`, …"""
        options, at = self._options(at)
        before = 1 if "cquote" in name else 0
        before += name.startswith(("foreign", "hyphen"))
        groups, at = self._groups(at, before)
        _, at = self._options(at) if before else ([], at)
        [words], at = self._groups(at, 1)
        if words is None:
            return "", at
        is_inner = bool(star) or level % 2 == 1
        text = rendered(words, level + 1)
        if "cquote" in name:
            cited = self._citation(options, groups[-1], rendered)
        else:
            cited = rendered(options[0]) if options else ""
        cited = f" {cited.strip()}" if cited.strip() else ""
        if name.startswith("block") or "block" in name:
            return f"</p><blockquote><p>{text}{cited}</p></blockquote><p>", at
        return (f"‘{text}’" if is_inner else f"“{text}”") + cited, at

    def _environment(self, name: str, environment: str, at: int, rendered: _Rendered) -> tuple[str, int]:
        """Return the HTML of `begin` or `end`; the citation of a quotation comes at its end."""
        if _QUOTES.fullmatch(environment) and name == "end":
            cited = self.cited.pop() if self.cited else ""
            return f" {cited}</p></blockquote><p>", at
        if _QUOTES.fullmatch(environment):
            options, at = self._options(at)
            cited = rendered(options[0]) if options else ""
            if environment == "displaycquote":
                [keys], at = self._groups(at, 1)
                cited = self._citation(options, keys, rendered)
            self.cited.append(cited)
            return "</p><blockquote><p>", at
        if name == "begin" and _PASSED_OVER.fullmatch(environment):
            end = self.text.find(rf"\end{{{environment}", at)
            return "", len(self.text) if end < 0 else end
        return "", at

    def _citation(
        self, options: list[tuple[int, int]], keys: tuple[int, int] | None, rendered: _Rendered
    ) -> str:
        """Return a citation as Pandoc has it; the last option says where, one before it comes first."""
        if keys is None:
            return ""
        named = "; @".join(key.strip() for key in self.text[slice(*keys)].split(","))
        where = rendered(options[-1]) if options else ""
        return escape(f"[@{named}", quote=False) + (f", {where}]" if where else "]")

    def _note(self, text: str) -> str:
        self.n_notes += 1
        return f'<span class="footnote"><span class="sidenote-number">{self.n_notes}</span> {text}</span>'

    def _options(self, at: int) -> tuple[list[tuple[int, int]], int]:
        """Return the spans of options in square brackets from an offset on, and where they end."""
        options = list[tuple[int, int]]()
        while self.text.startswith("[", at) and (end := self.bracket_closed_at.get(at)):
            options.append((at + 1, end))
            at = end + 1
        return options, at

    def _groups(self, at: int, n: int) -> tuple[list[tuple[int, int] | None], int]:
        """Return the spans of n arguments in braces from an offset on, and where they end."""
        groups = list[tuple[int, int] | None]()
        for _ in range(n):
            start = at + len(self.text[at : at + 80]) - len(self.text[at : at + 80].lstrip())
            end = self.closed_at.get(start)
            groups.append(None if end is None else (start + 1, end))
            at = at if end is None else end + 1
        return groups, at


def _matching(text: str, opening: str, closing: str) -> dict[int, int]:
    """Return where each bracket that opens is closed; brackets after a backslash do not count."""
    open_at, closed_at = list[int](), dict[int, int]()
    for match in re.finditer(rf"\\.|[{re.escape(opening + closing)}]", text, re.DOTALL):
        if match[0] == opening:
            open_at.append(match.start())
        elif match[0] == closing and open_at:
            closed_at[open_at.pop()] = match.start()
    return closed_at
