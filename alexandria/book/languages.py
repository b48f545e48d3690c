"""What names a language, put into one form at every door: the shortest tag of BCP 47."""

import re
from functools import cache

TAGS = {
    "arabic": "ar", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "esperanto": "eo", "finnish": "fi", "french": "fr", "german": "de",
    "greek": "el", "hebrew": "he", "hungarian": "hu", "icelandic": "is", "italian": "it", "japanese": "ja",
    "korean": "ko", "latin": "la", "norwegian": "no", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "slovenian": "sl", "spanish": "es", "swedish": "sv", "tagalog": "tl",
    "turkish": "tr", "ukrainian": "uk", "welsh": "cy", "hindi": "hi", "tamil": "ta", "thai": "th",
    "urdu": "ur", "vietnamese": "vi", "indonesian": "id", "estonian": "et", "bulgarian": "bg",
    "slovak": "sk", "latvian": "lv", "lithuanian": "lt", "irish": "ga", "sanskrit": "sa", "bangla": "bn",
    "bengali": "bn", "myanmar": "my", "burmese": "my", "khmer": "km", "lao": "lo", "marathi": "mr",
    "ancient greek": "grc", "farsi": "fa", "persian": "fa", "telugu": "te", "gujarati": "gu",
    "punjabi": "pa", "kannada": "kn", "malayalam": "ml", "nepali": "ne", "sinhala": "si", "tibetan": "bo",
    "mongolian": "mn", "georgian": "ka", "armenian": "hy", "albanian": "sq", "macedonian": "mk",
    "belarusian": "be", "malay": "ms", "kazakh": "kk", "swahili": "sw", "afrikaans": "af", "basque": "eu",
    "galician": "gl", "yiddish": "yi", "amharic": "am", "pali": "pi", "bokmål": "nb", "nynorsk": "nn",
}  # fmt: skip
"""Tags by English names, as people and the headers of old files write them; of two, the better last."""
_OWN_NAMES = {
    "deutsch": "de", "eesti": "et", "español": "es", "français": "fr", "hrvatski": "hr", "italiano": "it",
    "magyar": "hu", "nederlands": "nl", "polski": "pl", "português": "pt", "română": "ro", "suomi": "fi",
    "svenska": "sv", "türkçe": "tr", "čeština": "cs", "ελληνικά": "el", "русский": "ru", "українська": "uk",
    "עברית": "he", "العربية": "ar", "فارسی": "fa", "हिन्दी": "hi", "ไทย": "th", "中文": "zh", "日本語": "ja",
}  # fmt: skip
_PLAIN = re.compile(r"(?!(?:in|iw|ji|jw|mo|sh)\b)[a-z]{2}(-[A-Z]{2})?")
_NAMES_NONE = frozenset(("und", "mul", "zxx", "mis"))
"""Of BCP 47: undetermined, several languages, no linguistic content, not coded."""


@cache
def language_tag(text: str) -> str | None:
    """Return the tag of a language that a file or a person names; None if the text names none.

    `eng`, `English`, `EN` and `iw` become `en`, `en`, `en` and `he`; `en_US.UTF-8` becomes `en-US`, `fre` and
    `fra` become `fr`: codes of ISO 639-2 (B and T) have one of 639-1, where there is one.
    """
    name = text.strip().lower()
    name = TAGS.get(name) or _OWN_NAMES.get(name) or text.strip().partition(".")[0].partition("@")[0]
    if not _PLAIN.fullmatch(name):
        import langcodes  # takes .06 s, which most tags need not

        try:
            name = langcodes.standardize_tag(name)
            if len(name.partition("-")[0]) == 3:  # cmn: of the languages that zh stands for
                broader = langcodes.standardize_tag(name, macro=True)
                name = broader if len(broader.partition("-")[0]) == 2 else name
        except ValueError:  # LanguageTagError
            return None
    primary = name.partition("-")[0]
    return name if primary.isalpha() and primary not in _NAMES_NONE else None


def primary_language(tag: str | None) -> str:
    """Return the language that a stored tag names, such as `pt` of `pt-BR` and of `por`; empty for none."""
    return (language_tag(tag) or "").partition("-")[0] if tag else ""


_NAMES = {tag: name.title() for name, tag in TAGS.items()}


def language_name(tag: str) -> str:
    """Return the English name of a language, or its tag if there is no name for it."""
    return _NAMES.get(primary_language(tag), tag)
