"""The tags of languages by their English names, as people and the headers of old files write them."""

TAGS = {
    "arabic": "ar", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "esperanto": "eo", "finnish": "fi", "french": "fr", "german": "de",
    "greek": "el", "hebrew": "he", "hungarian": "hu", "icelandic": "is", "italian": "it", "japanese": "ja",
    "korean": "ko", "latin": "la", "norwegian": "no", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "slovenian": "sl", "spanish": "es", "swedish": "sv", "tagalog": "tl",
    "turkish": "tr", "ukrainian": "uk", "welsh": "cy",
}  # fmt: skip
_NAMES = {tag: name.title() for name, tag in TAGS.items()}


def language_name(tag: str) -> str:
    """Return the English name of a language, or its tag if there is no name for it."""
    return _NAMES.get(tag.split("-")[0].lower(), tag)
