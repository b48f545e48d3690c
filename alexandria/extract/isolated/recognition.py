"""Has scanned pages recognised, several at the same time, and caches each; checks the choice of --ocr.

A run that is killed continues after the pages that it has recognised.
"""

import logging
import os
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from alexandria.errors import BookError, Code, ConfigError
from alexandria.extract import content_id
from alexandria.extract.isolated.answers import load_sealed, sealed
from alexandria.extract.language import detect_language
from alexandria.extract.options import OCR_AUTO, OCR_OFF
from alexandria.extract.recogniser import missing_languages, missing_languages_error, recogniser
from alexandria.extract.refusals import no_text
from alexandria.extract.scans import Scan, ScannedPage
from alexandria.system.cache import books_folder, write_entry
from alexandria.system.files import PACKAGE_FOLDER

_LOG = logging.getLogger(__name__)

_SUFFIX = ".page"
_MAX_FAILURES = 5  # failures in a row after which the rest is given up: each page would take as long
_N_SAMPLES = 3
"""Number of pages, from all over the file, that show its language and what the other pages will cost. The
first pages would not do: covers and title pages have few words."""
_MORE_SAMPLES = 9  # number of sampled pages if the first ones are blank
_REPORT_SECONDS = 10.0  # time between two log messages about the progress in a file

_LANGUAGE_NAMES = re.compile(r"[A-Za-z_]{3,}(?:\+[A-Za-z_]{3,})*")

_T = TypeVar("_T")

Ask = Callable[[str, str], ScannedPage | BookError]
"""Has the page with a key recognised in some languages; called from several threads."""
Recognised = Callable[[float | None], None]
"""Is told, while the pages of a scan are recognised, how many seconds those that are left take if they take
as long as the others: 0.0 before the first page, None at the end in any case."""


def ocr_choice(given: str | None = None) -> str:
    """Return how scans are read: as given, otherwise as ALEXANDRIA_OCR says, otherwise `auto`.

    Raises:
        ConfigError: the choice names no language, or one that is not installed.
    """
    choice = given or os.environ.get("ALEXANDRIA_OCR") or OCR_AUTO
    if choice in (OCR_AUTO, OCR_OFF):
        return choice
    what, ocr = f"cannot read scans with --ocr {choice}", recogniser()
    if not _LANGUAGE_NAMES.fullmatch(choice):
        raise ConfigError(
            what,
            why="it names no language",
            fix=f"auto, off, or languages as {ocr.PROGRAM} names them: deu+lat",
        )
    installed = ocr.installed()
    if installed is None:
        raise ConfigError(what, why=f"{ocr.PROGRAM} is not installed", fix=ocr.how_to_install())
    available = installed[1]
    if missing_names := missing_languages(choice, available):
        names = ", ".join(sorted(available - {"osd"}))  # osd detects scripts, and is no language
        raise ConfigError(
            what,
            why=f"{ocr.PROGRAM} lacks {', '.join(missing_names)}; it has {names or 'no language'}",
            fix=ocr.how_to_install(missing_names),
        )
    return choice


@dataclass(frozen=True, slots=True)
class RecognisedPages:
    """The recognised pages of a scan, by their keys, and why others are missing."""

    pages: dict[str, ScannedPage]
    error: BookError | None = None  # the error of the last page that could not be recognised
    n_left: int = 0  # for a sample: the pages of the scan that are not in the cache
    seconds: float = 0.0  # for a sample: the time that it took


class ScanReader:
    """Has the pages of one file recognised, and caches them."""

    def __init__(
        self,
        path: Path,
        ask: Ask,
        *,
        keep: bool,
        at_once: int = 1,
        folder: Path | None = None,
        recognised: Recognised = lambda seconds_left: None,
    ) -> None:
        """Set how pages are read.

        Args:
            path: the file.
            ask: has one page recognised.
            keep: take pages from the cache, and add new ones to it.
            at_once: how many pages are recognised at the same time.
            folder: the folder of the cache; by default the user's.
            recognised: called while `read` works.
        """
        self._path, self._ask, self._keep, self._at_once = path, ask, keep, at_once
        self._recognised = recognised
        self._folder = folder or books_folder()
        self._ocr = recogniser()
        self._id = content_id(path) if keep else ""

    def read(self, scan: Scan, ocr: str) -> RecognisedPages:
        """Return all pages that can be recognised.

        Args:
            ocr: the languages as tesseract names them; or `auto` for the language of the book.
        """
        self._recognised(0.0)
        try:
            languages = self._choose_languages(scan, ocr)
            if isinstance(languages, BookError):
                return RecognisedPages({}, languages)
            return self._recognise_all(scan.pages, languages)
        finally:
            self._recognised(None)

    def read_sample(self, scan: Scan, ocr: str) -> RecognisedPages:
        """Return three pages from all over the file, or nine if these are blank; arguments as for `read`."""
        began = time.monotonic()
        languages = self._choose_languages(scan, ocr)
        if isinstance(languages, BookError):
            return RecognisedPages({}, languages)
        sample = self._recognise_all(_choose_evenly(scan.pages, _N_SAMPLES), languages)
        if not any(page.words for page in sample.pages.values()):
            sample = self._recognise_all(_choose_evenly(scan.pages, _MORE_SAMPLES), languages)
        seconds = time.monotonic() - began
        n_left = sum(self._load_cached_page(key, languages) is None for key in scan.pages)
        return replace(sample, n_left=n_left, seconds=seconds)

    def _recognise_all(self, keys: tuple[str, ...], languages: str) -> RecognisedPages:
        """Return the pages with these keys, cached or recognised now; stop after `_MAX_FAILURES` in a row."""
        pages: dict[str, ScannedPage] = {}
        error, n_failed, n_new, name = None, 0, 0, self._path.name
        began = reported = time.monotonic()
        if len(keys) > 1:
            _LOG.info(
                "“%s”: %d scanned pages to read with %s (%s)", name, len(keys), self._ocr.PROGRAM, languages
            )

        def page_of(key: str) -> tuple[ScannedPage | BookError, bool]:
            """Return a page, and whether it was recognised now."""
            cached = self._load_cached_page(key, languages)
            return (self._recognise_page(key, languages), True) if cached is None else (cached, False)

        results = _map_in_order(page_of, keys, self._at_once)
        for n_done, (key, (page, is_new)) in enumerate(zip(keys, results, strict=True), start=1):
            n_new += is_new
            if isinstance(page, ScannedPage):
                pages[key], n_failed = page, 0
            else:
                error, n_failed = page, n_failed + 1
                if n_failed == _MAX_FAILURES:
                    results.close()
                    break
            now = time.monotonic()
            # Pages from the cache take no time.
            seconds_left = (now - began) / n_new * (len(keys) - n_done) if n_new else 0.0
            self._recognised(seconds_left)
            if now - reported > _REPORT_SECONDS and n_done < len(keys):
                reported = now
                minutes = seconds_left / 60
                _LOG.info("“%s”: page %d of %d read, %.0f min left", name, n_done, len(keys), minutes)
        return RecognisedPages(pages, error)

    def _choose_languages(self, scan: Scan, ocr: str) -> str | BookError:
        """Return the languages to read a scan in, as asked for, stated or shown by its pages; or an error."""
        installed = self._ocr.installed()
        if installed is None:
            return no_text(
                self._path,
                f"it is a scan, and {self._ocr.PROGRAM}, which reads scans, is not installed",
                self._ocr.how_to_install(),
            )
        available = installed[1]
        if ocr != OCR_AUTO:
            missing_names = missing_languages(ocr, available)
            return missing_languages_error(self._path, missing_names) if missing_names else ocr
        if scan.language and (code := self._ocr.code_of(scan.language)):
            return code if code in available else missing_languages_error(self._path, (code,))
        return self._detect_languages(scan, available)

    def _detect_languages(self, scan: Scan, available: AbstractSet[str]) -> str | BookError:
        """Return the language of sampled pages; if it is not detected, the languages of their script."""
        # The first page is read in the languages of its script, which the others are then read in too.
        script_languages = ""  # empty: the script of the page decides
        texts = []
        for key in _choose_evenly(scan.pages, _N_SAMPLES):
            page = self._load_cached_page(key, script_languages) or self._recognise_page(
                key, script_languages
            )
            if isinstance(page, BookError):
                if page.code is Code.NO_TEXT:  # the program or a language is missing: no page can be read
                    return page
                continue
            script_languages = script_languages or page.languages
            texts.append(" ".join(word.text for word in page.words))
        detected = detect_language("\n".join(texts))
        code = self._ocr.code_of(detected) if detected else None
        if code is None or code == script_languages:
            return script_languages or "eng"
        return code if code in available else missing_languages_error(self._path, (code,))

    def _recognise_page(self, key: str, languages: str) -> ScannedPage | BookError:
        began = time.monotonic()
        page = self._ask(key, languages)
        if isinstance(page, BookError):
            return page
        page = replace(page, seconds=time.monotonic() - began)
        if self._keep:
            data = sealed(page)
            # The same page may be requested in the languages of its script (empty), or in these by name.
            for requested in {languages, page.languages}:
                write_entry(self._cache_file(key, requested), lambda file: file.write(data))
        return page

    def _load_cached_page(self, key: str, languages: str) -> ScannedPage | None:
        """Return a page from the cache, or None if it is not there, or its entry is damaged."""
        if not self._keep:
            return None
        return load_sealed(self._cache_file(key, languages), ScannedPage)

    def _cache_file(self, key: str, languages: str) -> Path:
        """Return the cache file of a page: its name is a hash of all that affects how the page is read."""
        version, _ = self._ocr.installed() or ("", ())
        state = repr((self._id, key, languages, version, _code_state()))
        return self._folder / (sha256(state.encode("utf-8", "surrogatepass")).hexdigest() + _SUFFIX)


def _map_in_order(work: Callable[[str], _T], keys: Sequence[str], at_once: int) -> Generator[_T, None, None]:
    """Yield the result of `work` for each key, in order, with `at_once` keys in progress at the same time."""
    # Closing the generator waits for the work in progress, so that no thread outlives it; after Ctrl-C, which
    # must be prompt, it does not wait.
    threads = ThreadPoolExecutor(at_once)
    is_interrupted = False
    try:
        submitted: deque[Future[_T]] = deque()
        for key in keys:
            submitted.append(threads.submit(work, key))
            # More than there are threads, so that a slow page at the front does not leave the others idle.
            if len(submitted) == 2 * at_once - 1:
                yield submitted.popleft().result()
        while submitted:
            yield submitted.popleft().result()
    except KeyboardInterrupt:
        is_interrupted = True
        raise
    finally:
        threads.shutdown(wait=not is_interrupted, cancel_futures=True)


def _code_state() -> list[tuple[str, int]]:
    """Return when the code that recognises pages was changed: another version may read them differently."""
    extract = PACKAGE_FOLDER / "extract"
    files = [extract / "scans.py", *sorted((extract / "ocr").glob("*.py"))]
    return [(file.name, file.stat().st_mtime_ns) for file in files]


def _choose_evenly(keys: tuple[str, ...], n: int) -> tuple[str, ...]:
    """Return at most `n` of the pages' keys, evenly spread over the file: the middle of each of `n` parts."""
    if not keys:
        return ()
    middles = [(2 * i + 1) * len(keys) // (2 * n) for i in range(n)]
    return tuple(dict.fromkeys(keys[middle] for middle in middles))
