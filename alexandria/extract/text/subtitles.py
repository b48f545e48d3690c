"""Subtitles (SRT, WebVTT): what is said, without its numbers and times."""

import html
import re

_LINE_END = re.compile(r"\r\n?")
_TIME = r"(?:\d{1,3}:)?\d\d:\d\d[,.]\d{1,3}"
_CUE = re.compile(
    rf"^(?:\d+[ \t]*\n|(?<=\n\n)[^\n]+\n)?({_TIME})[ \t]*-->[ \t]*({_TIME})[^\n]*$", re.MULTILINE
)
_BEGINNING = re.compile(
    r"\s*(?:WEBVTT[^\n]*\n(?:(?!.*-->)[^\n]*\n)*?)?\s*(?=(?:\d+[ \t]*\n)?[\d:,.]+[ \t]*-->)"
)
_BLOCK = re.compile(r"^(?:NOTE|STYLE|REGION)\b[^\n]*(?:\n[^\n]+)*", re.MULTILINE)
_TAG = re.compile(r"<[^>\n]*>|\{\\[^}\n]*\}")
_PAUSE = 3.0  # seconds of silence after which a new paragraph begins


def without_cues(text: str) -> tuple[str, int]:
    """Return a text without the cues of subtitles, as paragraphs, and how many words these have.

    A paragraph ends at a pause, and where another person begins to speak (`- `). Any other text is returned
    as it is, with 0.
    """
    text = _LINE_END.sub("\n", text).removeprefix("\ufeff") if "-->" in text else text
    begin = _BEGINNING.match(text) if "-->" in text else None
    if begin is None:
        return text, 0
    _, *parts = _CUE.split(_BLOCK.sub("", text[begin.end() :]))
    paragraphs: list[list[str]] = []
    last = 0.0
    for start, end, said in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        lines = [line.strip() for line in html.unescape(_TAG.sub("", said)).split("\n") if line.strip()]
        for line in lines:
            if not paragraphs or line.startswith(("- ", "– ")) or _seconds(start) - last >= _PAUSE:
                paragraphs.append([])
            paragraphs[-1].append(line)
            last = _seconds(end)
    return "\n\n".join(" ".join(lines) for lines in paragraphs), 4 * len(parts) // 3


def _seconds(time: str) -> float:
    """Return the seconds that a time names: `00:01:02,500` or `01:02.500`."""
    hours, minutes, seconds = ["0", *time.replace(",", ".").split(":")][-3:]
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)
