"""Reads bibliographies: BibTeX and CSL-JSON, by the keys of their entries."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from alexandria.errors import ConfigError, io_reason
from alexandria.extract.latex import text_of_tex
from alexandria.library.check.manuscript import Manuscript
from alexandria.library.check.sources import CitedWork, bibliographies_named

_MAX_BYTES = 64 << 20
_ENTRY = re.compile(r"@(?P<kind>\w+)\s*[{(]\s*(?P<key>[^,\s{}]+)\s*,")
_FIELD = re.compile(r"\s*(?P<name>[\w-]+)\s*=\s*")
_BARE = re.compile(r"[^,{}\s]+")


def read_bibliography(file: Path) -> dict[str, CitedWork]:
    """Return the entries of a bibliography by their keys.

    Raises:
        ConfigError: it cannot be read, or is neither BibTeX nor CSL-JSON.
    """
    why = ""
    try:
        if file.stat().st_size > _MAX_BYTES:
            why = f"it is larger than {_MAX_BYTES >> 20} MiB"
        else:
            text = file.read_text(encoding="utf-8-sig", errors="replace")
            return _csl_works(json.loads(text)) if text.lstrip()[:1] in ("[", "{") else _bibtex_works(text)
    except OSError as error:
        why = io_reason(error)
    except (ValueError, TypeError, AttributeError, RecursionError):
        why = "it is neither BibTeX nor CSL-JSON"
    raise ConfigError(f"cannot read the bibliography {file}", why=why, fix="give a .bib or a CSL .json file")


def bibliographies_of(manuscript: Manuscript) -> list[Path]:
    """Return the bibliographies that a manuscript names, or if it names none, those beside it."""
    if manuscript.path is None:
        return []
    folder = manuscript.path.parent
    named = [folder / name for name in bibliographies_named(manuscript.source)]
    return [file for file in named if file.is_file()] or sorted(folder.glob("*.bib"))[:5]


def _csl_works(entries: Any) -> dict[str, CitedWork]:
    listed: Iterable[Mapping[str, Any]] = entries if isinstance(entries, list) else entries.get("items", [])
    return {
        str(entry.get("id") or entry.get("citation-key")): CitedWork(
            "; ".join(map(_csl_name, entry.get("author") or entry.get("editor") or ())),
            str(entry.get("title") or ""),
            str(((entry.get("issued") or {}).get("date-parts") or [[""]])[0][0]),
            str(entry.get("publisher") or ""),
        )
        for entry in listed
    }


def _csl_name(name: Mapping[str, str]) -> str:
    if name.get("literal"):
        return f"{{{name['literal']}}}"
    parts = (name.get("non-dropping-particle"), name.get("family"))
    return ", ".join(filter(None, (" ".join(filter(None, parts)), name.get("given"))))


def _bibtex_works(text: str) -> dict[str, CitedWork]:
    works = {}
    for entry in _ENTRY.finditer(text):
        fields, at = dict[str, str](), entry.end()
        while field := _FIELD.match(text, at):
            value, at = _value(text, field.end())
            fields[field["name"].lower()] = value
            at += len(text[at : at + 200]) - len(text[at : at + 200].lstrip(" \t\r\n,#"))
        date = fields.get("date") or fields.get("year", "")
        author = re.sub(r"\s+and\s+", "; ", fields.get("author") or fields.get("editor") or "")
        title, publisher = fields.get("title", ""), fields.get("publisher", "")
        author, title, publisher = map(text_of_tex, (author, title, publisher))
        works[entry["key"]] = CitedWork(author, title, date[:4], publisher)
    return works


def _value(text: str, at: int) -> tuple[str, int]:
    """Return the value of a field, in braces, in quotation marks or bare, and where it ends."""
    if at >= len(text) or text[at] not in '{"':
        bare = _BARE.match(text, at)
        return (bare[0], bare.end()) if bare else ("", at + 1)
    closing, depth = "}" if text[at] == "{" else '"', 0
    for match in re.compile(r"\\.|[{}\"]", re.DOTALL).finditer(text, at + 1):
        if match[0] == closing and depth == 0:
            return " ".join(text[at + 1 : match.start()].split()), match.end()
        depth += (match[0] == "{") - (match[0] == "}")
    return "", len(text)
