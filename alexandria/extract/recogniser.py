"""What `extract` asks of a program that reads pictures of pages; the annex `ocr` answers for tesseract."""

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from alexandria.errors import BookError
from alexandria.extract.refusals import no_text
from alexandria.extract.scans import ScannedPage
from alexandria.system.annexes import WHOLE, is_built, load


class Recogniser(Protocol):
    """A program that recognises words on pictures of pages. What it has by default is a build without one."""

    PROGRAM: str = "alexandria.extract.ocr"
    """Its name."""

    def installed(self) -> tuple[str, frozenset[str]] | None:
        """Return its version, and the languages that it can read, as it names them; None without it."""
        return None

    def code_of(self, tag: str, /) -> str | None:
        """Return its name of a language, by a BCP 47 tag; None if it can never read the language."""
        return None

    def how_to_install(self, languages: Collection[str] = (), /) -> str:
        """Return the command that installs the program, or some of its languages."""
        return WHOLE

    def recognise_page(
        self, path: Path, key: str, languages: str, password: str | None, seconds: float
    ) -> ScannedPage:
        """Return the words on a picture of a file, which it may take so many seconds to read.

        Raises:
            BookError: `no_text` if the program or a language is missing; `damaged` if it cannot read it.
        """
        return ScannedPage(width=0, height=0, points_per_pixel=1.0, words=())


class _Without(Recogniser):
    """That of a build without the annex."""


@cache
def recogniser() -> Recogniser:
    """Return the recogniser of this build."""
    return cast("Recogniser", load(Recogniser.PROGRAM)) if is_built(Recogniser.PROGRAM) else _Without()


def way_to_read(what: str) -> str:
    """Return how to have scans or pictures read: the program is not installed, or was not to be used."""
    ocr = recogniser()
    install = f"install {ocr.PROGRAM}, which reads {what}: {ocr.how_to_install()}"
    return f"read {what} with --ocr auto" if ocr.installed() else install


def missing_languages(languages: str, installed: Collection[str]) -> tuple[str, ...]:
    """Return which of some languages, such as `deu+lat`, are not installed."""
    return tuple(name for name in languages.split("+") if name not in installed)


def missing_languages_error(path: Path, languages: tuple[str, ...]) -> BookError:
    """Return the error for a scan in languages that are not installed."""
    ocr = recogniser()
    return no_text(
        path,
        f"it is a scan, and {ocr.PROGRAM} lacks the language {', '.join(languages)}",
        f"{ocr.how_to_install(languages)}; or name the language of the book with --ocr LANG",
    )
