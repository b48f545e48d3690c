"""The languages of the recognition program: their names, and which of them a book's or a text's is."""

from collections.abc import Collection

from alexandria.extract.words import read_words

_NAMES = read_words("tesseract")
_CODES = dict(pair.split() for pair in _NAMES["languages"].split("|"))
"""The program's name of each language, by the primary subtag of its BCP 47 tag."""
_TRADITIONAL = ("hant", "tw", "hk", "mo")
_SCRIPTS = dict(pair.split() for pair in _NAMES["scripts"].split("|"))
"""The most common language of each script that the program distinguishes."""


def code_of(tag: str) -> str | None:
    """Return tesseract's name of a language, such as `eng`, or None if it cannot read the language.

    Args:
        tag: a BCP 47 tag, such as `en` or `zh-TW`. Three letters, such as `eng`, are returned as they are if
            they are tesseract's name of a language.
    """
    primary, *rest = tag.lower().replace("_", "-").split("-")
    if primary == "zh" and any(part in _TRADITIONAL for part in rest):
        return "chi_tra"
    return _CODES.get(primary) or (primary if primary in _CODES.values() else None)


def code_of_script(script: str | None) -> str:
    """Return the language in which to read a script, such as `Cyrillic`; English if the script is not known.

    Most scans are in Latin script, for which English is the best guess.
    """
    return _SCRIPTS.get(script or "Latin", "eng")


def how_to_install(languages: Collection[str] = ()) -> str:
    """Return the commands that install tesseract, or some of its languages, on Debian and macOS."""
    names = [f"tesseract-ocr-{name.replace('_', '-')}" for name in languages] or ["tesseract-ocr"]
    return f"apt install {' '.join(names)}  (macOS: brew install tesseract{'-lang' if languages else ''})"
