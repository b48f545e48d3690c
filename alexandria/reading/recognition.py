"""Scanned pages are recognised one by one, several at once; each is kept: a killed run goes on after it."""

import logging
import os
import pickle
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TypeVar

import alexandria
from alexandria.errors import BookError, Code, ConfigError
from alexandria.extract import content_id
from alexandria.extract.language import detect_language
from alexandria.extract.ocr.languages import code_of, missing, tesseract_command
from alexandria.extract.ocr.tesseract import PROGRAM, find_program, installed, missing_languages
from alexandria.extract.options import OCR_AUTO, OCR_OFF
from alexandria.extract.scans import Scan, ScannedPage
from alexandria.reading.answers import load_answer
from alexandria.system.cache import books_folder, mark_used, write_entry

_LOG = logging.getLogger(__name__)

_SUFFIX = ".page"
_DIGEST_BYTES = sha256().digest_size
_MOST_FAILURES = 5
"""Pages in a row that cannot be recognised: the next ones would only take as much time."""
_SAMPLES = 3
"""Pages from all over the file that show its language, and what the others will cost: covers and titles have
few words."""
_MORE_SAMPLES = 9
"""The same if these pages are blank."""
_REPORT_SECONDS = 10.0
"""How often it is said how far a file is."""

_NAMES = re.compile(r"[A-Za-z_]{3,}(?:\+[A-Za-z_]{3,})*")

_T = TypeVar("_T")

Ask = Callable[[str, str], ScannedPage | BookError]
"""Has the page of this key recognised in these languages; called from several threads."""


def ocr_choice(given: str | None = None) -> str:
    """Return how scans are read: as given, else as ALEXANDRIA_OCR says, else `auto`.

    Raises:
        ConfigError: it names no language, or one that is not installed.
    """
    choice = given or os.environ.get("ALEXANDRIA_OCR") or OCR_AUTO
    if choice in (OCR_AUTO, OCR_OFF):
        return choice
    what = f"cannot read scans with --ocr {choice}"
    if not _NAMES.fullmatch(choice):
        raise ConfigError(
            what, why="it names no language", fix=f"auto, off, or languages as {PROGRAM} names them: deu+lat"
        )
    program = find_program()
    if program is None:
        raise ConfigError(what, why=f"{PROGRAM} is not installed", fix=tesseract_command())
    known = installed(program)[1]
    if lacking := missing(choice, known):
        names = ", ".join(sorted(known - {"osd"}))
        raise ConfigError(
            what,
            why=f"{PROGRAM} lacks {', '.join(lacking)}; it has {names or 'no language'}",
            fix=tesseract_command(lacking),
        )
    return choice


@dataclass(frozen=True, slots=True)
class Recognised:
    """The pages of a scan, by their keys, and why some are missing."""

    pages: dict[str, ScannedPage]
    error: BookError | None = None
    """Of the last page that was not recognised."""
    n_left: int = 0
    """Pages of a sampled scan of which no words are kept."""
    seconds: float = 0.0
    """That sampling took."""


class ScanReader:
    """Has the pages of one file recognised, and keeps them."""

    def __init__(
        self, path: Path, ask: Ask, *, keep: bool, at_once: int = 1, folder: Path | None = None
    ) -> None:
        """Set how pages are read.

        Args:
            path: the file.
            ask: has one page recognised.
            keep: take pages from the cache, and add them to it.
            at_once: how many pages are recognised at the same time.
            folder: of the cache.
        """
        self._path, self._ask, self._keep, self._at_once = path, ask, keep, at_once
        self._folder = folder or books_folder()
        self._id = content_id(path) if keep else ""

    def read(self, scan: Scan, ocr: str) -> Recognised:
        """Return the words of all pages.

        Args:
            scan: the pages.
            ocr: the languages as tesseract names them; or `auto`, for that of the book.
        """
        languages = self._languages(scan, ocr)
        if isinstance(languages, BookError):
            return Recognised({}, languages)
        return self._read(scan.pages, languages)

    def read_sample(self, scan: Scan, ocr: str) -> Recognised:
        """Return the words of three pages from all over the file; arguments are those of `read`.

        If these are blank, there are nine.
        """
        began = time.monotonic()
        languages = self._languages(scan, ocr)
        if isinstance(languages, BookError):
            return Recognised({}, languages)
        sample = self._read(_middle(scan.pages, _SAMPLES), languages)
        if not any(page.words for page in sample.pages.values()):
            sample = self._read(_middle(scan.pages, _MORE_SAMPLES), languages)
        seconds = time.monotonic() - began
        n_left = sum(self._kept(key, languages) is None for key in scan.pages)
        return replace(sample, n_left=n_left, seconds=seconds)

    def _read(self, keys: tuple[str, ...], languages: str) -> Recognised:
        pages: dict[str, ScannedPage] = {}
        error, n_failed, began = None, 0, time.monotonic()
        reported, n_new = began, 0
        if len(keys) > 1:
            _LOG.info(
                "“%s”: %d scanned pages to read with %s (%s)", self._path.name, len(keys), PROGRAM, languages
            )

        def page_of(key: str) -> tuple[ScannedPage | BookError, bool]:
            kept = self._kept(key, languages)
            return (self._recognised(key, languages), True) if kept is None else (kept, False)

        results = _in_order(page_of, keys, self._at_once)
        for n_done, (key, (page, is_new)) in enumerate(zip(keys, results, strict=True)):
            n_new += is_new
            if isinstance(page, ScannedPage):
                pages[key], n_failed = page, 0
            else:
                error, n_failed = page, n_failed + 1
                if n_failed == _MOST_FAILURES:
                    results.close()
                    break
            now = time.monotonic()
            if now - reported > _REPORT_SECONDS and n_done + 1 < len(keys):
                reported = now
                left = (now - began) / n_new * (len(keys) - n_done - 1) if n_new else 0.0
                _LOG.info(
                    "“%s”: page %d of %d read, %.0f min left",
                    self._path.name,
                    n_done + 1,
                    len(keys),
                    left / 60,
                )
        return Recognised(pages, error)

    def _languages(self, scan: Scan, ocr: str) -> str | BookError:
        """Return the languages to read in: those asked for, that of the book, or what its middle shows."""
        program = find_program()
        if program is None:
            return _no_program(self._path)
        known = installed(program)[1]
        if ocr != OCR_AUTO:
            lacking = missing(ocr, known)
            return missing_languages(self._path, lacking) if lacking else ocr
        if scan.language and (code := code_of(scan.language)):
            return code if code in known else missing_languages(self._path, (code,))
        sample = _middle(scan.pages, _SAMPLES)
        first = ""
        texts = []
        for key in sample:
            page = self._kept(key, first) or self._recognised(key, first)
            if isinstance(page, BookError):
                if page.code is Code.NO_TEXT:
                    return page
                continue
            first = first or page.languages
            texts.append(" ".join(word.text for word in page.words))
        detected = detect_language("\n".join(texts))
        code = code_of(detected) if detected else None
        if code is None or code == first:
            return first or "eng"
        return code if code in known else missing_languages(self._path, (code,))

    def _recognised(self, key: str, languages: str) -> ScannedPage | BookError:
        began = time.monotonic()
        page = self._ask(key, languages)
        if isinstance(page, BookError):
            return page
        page = replace(page, seconds=time.monotonic() - began)
        if self._keep:
            packed = pickle.dumps(page, protocol=pickle.HIGHEST_PROTOCOL)
            for name in {languages, page.languages}:
                write_entry(self._entry(key, name), lambda file: file.write(sha256(packed).digest() + packed))
        return page

    def _kept(self, key: str, languages: str) -> ScannedPage | None:
        """Return a page that was recognised before; None if it was not, or its entry is damaged."""
        if not self._keep:
            return None
        entry = self._entry(key, languages)
        try:
            data = entry.read_bytes()
        except OSError:
            return None
        packed = data[_DIGEST_BYTES:]
        if sha256(packed).digest() != data[:_DIGEST_BYTES]:
            return None
        try:
            page = load_answer(BytesIO(packed))
        except (EOFError, pickle.UnpicklingError):
            return None
        mark_used(entry)
        return page if isinstance(page, ScannedPage) else None

    def _entry(self, key: str, languages: str) -> Path:
        version = installed(find_program() or PROGRAM)[0]
        name = repr((self._id, key, languages, version, _code_state()))
        return self._folder / (sha256(name.encode("utf-8", "surrogatepass")).hexdigest() + _SUFFIX)


def _in_order(work: Callable[[str], _T], keys: Sequence[str], at_once: int) -> Generator[_T, None, None]:
    """Yield the result for each key, in their order; so many are worked on at the same time.

    What was begun has ended when the generator is closed; not so after an interrupt, which must not wait.
    """
    threads = ThreadPoolExecutor(at_once)
    is_interrupted = False
    try:
        begun: deque[Future[_T]] = deque()
        for key in keys:
            begun.append(threads.submit(work, key))
            if len(begun) == 2 * at_once - 1:  # a slow page keeps no thread waiting
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    except KeyboardInterrupt:
        is_interrupted = True
        raise
    finally:
        threads.shutdown(wait=not is_interrupted, cancel_futures=True)


def _code_state() -> list[tuple[str, int]]:
    """Return when what makes pages was changed: another version may read them differently."""
    package = Path(alexandria.__file__).parent
    extract = package / "extract"
    files = [extract / "scans.py", *sorted((extract / "ocr").glob("*.py"))]
    return [(file.name, file.stat().st_mtime_ns) for file in files]


def _middle(keys: tuple[str, ...], n: int) -> tuple[str, ...]:
    """Return this many keys from all over the file but its ends."""
    return tuple(dict.fromkeys(keys[(2 * i + 1) * len(keys) // (2 * n)] for i in range(n))) if keys else ()


def _no_program(path: Path) -> BookError:
    return BookError(
        f"cannot read {path}",
        why=f"it is a scan, and {PROGRAM}, which reads scans, is not installed",
        fix=tesseract_command(),
        code=Code.NO_TEXT,
    )
