"""The languages of the recognition program: their names, and the choice of the one for a book."""

from collections.abc import Collection

_CODES = {
    "af": "afr", "am": "amh", "ar": "ara", "as": "asm", "az": "aze", "be": "bel", "bg": "bul", "bn": "ben",
    "bo": "bod", "br": "bre", "bs": "bos", "ca": "cat", "cs": "ces", "cy": "cym", "da": "dan", "de": "deu",
    "dv": "div", "dz": "dzo", "el": "ell", "en": "eng", "eo": "epo", "es": "spa", "et": "est", "eu": "eus",
    "fa": "fas", "fi": "fin", "fo": "fao", "fr": "fra", "fy": "fry", "ga": "gle", "gd": "gla", "gl": "glg",
    "gu": "guj", "he": "heb", "hi": "hin", "hr": "hrv", "ht": "hat", "hu": "hun", "hy": "hye", "id": "ind",
    "is": "isl", "it": "ita", "iu": "iku", "ja": "jpn", "jv": "jav", "ka": "kat", "kk": "kaz", "km": "khm",
    "kn": "kan", "ko": "kor", "ku": "kmr", "ky": "kir", "la": "lat", "lb": "ltz", "lo": "lao", "lt": "lit",
    "lv": "lav", "mi": "mri", "mk": "mkd", "ml": "mal", "mn": "mon", "mr": "mar", "ms": "msa", "mt": "mlt",
    "my": "mya", "nb": "nor", "ne": "nep", "nl": "nld", "nn": "nor", "no": "nor", "oc": "oci", "or": "ori",
    "pa": "pan", "pl": "pol", "ps": "pus", "pt": "por", "qu": "que", "ro": "ron", "ru": "rus", "sa": "san",
    "sd": "snd", "si": "sin", "sk": "slk", "sl": "slv", "sq": "sqi", "sr": "srp", "su": "sun", "sv": "swe",
    "sw": "swa", "ta": "tam", "te": "tel", "tg": "tgk", "th": "tha", "ti": "tir", "tl": "fil", "to": "ton",
    "tr": "tur", "tt": "tat", "ug": "uig", "uk": "ukr", "ur": "urd", "uz": "uzb", "vi": "vie", "yi": "yid",
    "yo": "yor", "zh": "chi_sim",
}  # fmt: skip
"""The program's name of each language, by the primary subtag of its BCP 47 tag."""
_TRADITIONAL = ("hant", "tw", "hk", "mo")
_SCRIPTS = {
    "Latin": "eng", "Cyrillic": "rus", "Greek": "ell", "Arabic": "ara", "Hebrew": "heb", "Han": "chi_sim",
    "HanS": "chi_sim", "HanT": "chi_tra", "Japanese": "jpn", "Korean": "kor", "Hangul": "kor",
    "Devanagari": "hin", "Bengali": "ben", "Tamil": "tam", "Telugu": "tel", "Kannada": "kan",
    "Malayalam": "mal", "Gujarati": "guj", "Gurmukhi": "pan", "Oriya": "ori", "Sinhala": "sin",
    "Thai": "tha", "Lao": "lao", "Khmer": "khm", "Myanmar": "mya", "Tibetan": "bod", "Georgian": "kat",
    "Armenian": "hye", "Ethiopic": "amh", "Fraktur": "frk", "Cherokee": "chr", "Syriac": "syr",
}  # fmt: skip
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


def missing_languages(languages: str, installed: Collection[str]) -> tuple[str, ...]:
    """Return which of some languages, such as `deu+lat`, are not installed."""
    return tuple(name for name in languages.split("+") if name not in installed)


def tesseract_command(languages: Collection[str] = ()) -> str:
    """Return the commands that install tesseract, or some of its languages, on Debian and macOS."""
    names = [f"tesseract-ocr-{name.replace('_', '-')}" for name in languages] or ["tesseract-ocr"]
    return f"apt install {' '.join(names)}  (macOS: brew install tesseract{'-lang' if languages else ''})"
