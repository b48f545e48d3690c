"""The program of the isolated process, `python -m alexandria.extract.isolated.worker`; `process` starts it.

Pickled requests arrive on standard input; each gets a pickled answer on standard output.
"""

import os
import pickle
import sys
from contextlib import suppress
from pathlib import Path

from alexandria.book.model import Book, PagePicture
from alexandria.errors import AlexandriaError, Code, OutOfMemoryError
from alexandria.extract import extract
from alexandria.extract.isolated.limits import (
    Limits,
    lift_time_limit,
    limit_memory,
    limit_time,
    reset_peak_memory,
)
from alexandria.extract.isolated.requests import PageRequest, PictureRequest, Request
from alexandria.extract.recogniser import recogniser
from alexandria.extract.refusals import damaged
from alexandria.extract.scans import Scan, ScannedPage, UnrecognisedError

Answer = Book | PagePicture | Scan | ScannedPage | AlexandriaError


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not mix with the answers
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answers.write(_pickle_answer(request))
        answers.flush()
        lift_time_limit()


def _pickle_answer(request: Request) -> bytes:
    """Return the pickled answer; if pickling a large book takes the last of the memory, the pickled error."""
    with suppress(MemoryError):
        return pickle.dumps(_answer(request), protocol=pickle.HIGHEST_PROTOCOL)
    return pickle.dumps(out_of_memory(request.path, request.limits))


def _answer(request: Request) -> Answer:
    """Do what is requested within its limits, and return the result or the error."""
    limit_memory(request.limits)
    reset_peak_memory()
    limits = request.limits.with_page() if isinstance(request, PageRequest) else request.limits
    limit_time(limits, request.n_bytes)
    try:
        if isinstance(request, PictureRequest):
            from alexandria.extract.pdf.picture import draw_page  # few workers need it

            return draw_page(request.path, request.page, request.width, request.password)
        if isinstance(request, PageRequest):
            seconds = request.limits.page_seconds
            recognise_page = recogniser().recognise_page
            return recognise_page(request.path, request.key, request.languages, request.password, seconds)
        return extract(request.path, request.options)
    except UnrecognisedError as error:
        return error.scan
    except AlexandriaError as error:
        return error
    except MemoryError:
        pass  # answered below: until this block ends, the traceback keeps the memory in use
    except Exception as error:  # a bug in an extractor must not end the run
        return damaged(
            request.path,
            f"the reader failed on it ({type(error).__name__}: {error})",
            fix="this is a bug in Alexandria: report it with the file",
        )
    return out_of_memory(request.path, request.limits)


def out_of_memory(path: Path, limits: Limits) -> OutOfMemoryError:
    """Return the error of a file that needs more memory than allowed."""
    return OutOfMemoryError(
        f"cannot read {path}",
        why=f"reading it takes more than {limits.memory_bytes >> 20:,} MiB of memory",
        fix="split the file, or allow more with ALEXANDRIA_READ_MEMORY (in MiB)",
        code=Code.TOO_LARGE,
    )


if __name__ == "__main__":
    main()
