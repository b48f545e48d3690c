"""Finds title and author as a text prints them in its first lines: `Gull Rock`, then `by Ruth Penhale`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from alexandria.book.model import Metadata
from alexandria.extract.divisions import in_title_case
from alexandria.extract.metadata import with_guessed_title, without_all_capitals

_BY = re.compile(r"(?:written )?(?:by|von|par|di|de|por|van|door|av|af)[ :]\s*(?P<name>\S.*)", re.IGNORECASE)
_STATED = re.compile(
    r"^(?P<key>title|author|titel|autor|titre|auteur|[书書]名|作者|著者|제목|지은이)\s*[:：]\s*(?P<value>\S.*)$",
    re.I | re.M,
)
_TITLE_KEYS = ("title", "titel", "titre", "书名", "書名", "제목")
_AUTHOR_KEYS = ("author", "autor", "auteur", "作者", "著者", "지은이")
_MAX_TITLE = 120  # characters of a title
_MAX_NAME_WORDS = 8
_MAX_SMALL_WORD = 3  # letters of the small words in names, as in `de la`, which need no capital
_STATED_GROUPS = 3  # groups of lines at the beginning in which a text may state its title and author by name
_TITLE_GROUPS = 4  # groups of lines at the beginning in which a title page is looked for
_MAX_TITLE_LINES = 4  # lines of a title, before the line with the author


def with_printed_title(metadata: Metadata, name: str, first_groups: Sequence[str]) -> Metadata:
    """Return the metadata, with a title and an author if it has no title.

    Title and author are those printed at the beginning of the text, or those in its name ("Ruth Penhale -
    Gull Rock"); otherwise the name is the title.

    Args:
        name: the name of the file, or of the book in its database.
    """
    if metadata.title:
        return metadata
    title, author = find_printed_title(first_groups)
    if title:
        return replace(metadata, title=title, authors=metadata.authors or (author,))
    author, dash, title = name.partition(" - ")
    if dash and author.strip() and title.strip():
        named = replace(metadata, authors=metadata.authors or (author.strip(),))
        return with_guessed_title(named, "", title.strip())
    return with_guessed_title(metadata, find_first_line(first_groups), name.replace("_", " ").strip())


def find_printed_title(groups: Sequence[str]) -> tuple[str, str]:
    """Return title and author; both are empty unless the text prints both.

    Args:
        groups: the first groups of lines of a text, which blank lines separate.
    """
    title, author = _find_stated_title(groups[:_STATED_GROUPS])
    if title and author:
        return title, author
    lines = [line.strip() for group in groups[:_TITLE_GROUPS] for line in group.splitlines() if line.strip()]
    for i, line in enumerate(lines[1 : 1 + _MAX_TITLE_LINES], 1):
        by_line = _BY.fullmatch(line)
        if line.casefold() in ("by", "von", "par") and i + 1 < len(lines):  # the name is on the next line
            by_line = _BY.fullmatch(f"{line} {lines[i + 1]}")
        if by_line and _is_name(by_line["name"]):
            title, author = " ".join(lines[:i]), by_line["name"].rstrip(" .,")
            if not _is_title(title):
                return "", ""
            return without_all_capitals(title), without_all_capitals(author)
    return "", ""


def find_first_line(groups: Sequence[str]) -> str:
    """Return the first group of lines if it is set as a title, in two lines at most, above other groups."""
    lines = groups[0].split("\n") if len(groups) > 1 else []
    return " ".join(lines) if len(lines) <= 2 and all(map(in_title_case, lines)) else ""


def _find_stated_title(groups: Sequence[str]) -> tuple[str, str]:
    """Return title and author from lines such as `Title: Gull Rock`; each is empty if no line states it."""
    # The line above a stated author is the title: 《灯塔守》, then 作者：李海.
    text = "\n".join(groups)
    matches = _STATED.finditer(text)
    values = {match["key"].lower(): match["value"].strip() for match in matches}
    title = next((values[key] for key in _TITLE_KEYS if key in values), "")
    author = next((values[key] for key in _AUTHOR_KEYS if key in values), "")
    lines = text.split("\n")
    is_above_stated = len(lines) > 1 and _STATED.match(lines[1]) and _is_title(lines[0])
    if author and not title and is_above_stated:
        title = lines[0].strip().strip("《》『』")
    return title, author


def _is_title(text: str) -> bool:
    return len(text) <= _MAX_TITLE and not text.endswith((".", ",", ";")) and any(map(str.isalpha, text))


def _is_name(text: str) -> bool:
    """Return whether each word of a text begins with a capital, except for small words before the last."""
    words = re.findall(r"[^\W\d_]+", text)
    if not 0 < len(words) <= _MAX_NAME_WORDS or not words[-1][0].isupper():
        return False
    return all(word[0].isupper() for word in words if len(word) > _MAX_SMALL_WORD)
