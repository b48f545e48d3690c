"""The process that reads untrusted files: `python -m alexandria.reading.worker`, driven by `batch.reader`.

One pickled request after the other on standard input, one pickled answer each on standard output.
"""

import os
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from alexandria.book import Book
from alexandria.errors import AlexandriaError, BookError, Code
from alexandria.extract import extract
from alexandria.extract.options import ReadOptions
from alexandria.reading.limits import Limits, lift_time_limit, limit_memory, limit_time


@dataclass(frozen=True, slots=True)
class Request:
    """A file to read, and what that may cost."""

    path: Path
    options: ReadOptions
    limits: Limits
    n_bytes: int


Answer = Book | AlexandriaError


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand among the answers
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answers.write(_packed(request))
        answers.flush()
        lift_time_limit()


def _packed(request: Request) -> bytes:
    """Return the answer as bytes: packing a large book takes memory too, and may take the last of it."""
    with suppress(MemoryError):
        return pickle.dumps(_answer(request), protocol=pickle.HIGHEST_PROTOCOL)
    return pickle.dumps(out_of_memory(request.path, request.limits))


def _answer(request: Request) -> Answer:
    limit_memory(request.limits)
    limit_time(request.limits, request.n_bytes)
    try:
        return extract(request.path, request.options)
    except AlexandriaError as error:
        return error
    except MemoryError:
        pass  # answered below: in here, what fills the memory is still held by the traceback
    except Exception as error:  # a reader that breaks on one file must not take the batch with it
        return BookError(
            f"cannot read {request.path}",
            why=f"the reader broke on it ({type(error).__name__}: {error})",
            fix="this is a fault of Alexandria: report it with the file",
            code=Code.DAMAGED,
        )
    return out_of_memory(request.path, request.limits)


def out_of_memory(path: Path, limits: Limits) -> BookError:
    """Return the error of a file that needs more memory than allowed."""
    return BookError(
        f"cannot read {path}",
        why=f"reading it takes more than {limits.memory_bytes >> 20:,} MiB of memory",
        fix="split the file, or allow more with ALEXANDRIA_READ_MEMORY (in MiB)",
        code=Code.TOO_LARGE,
    )


if __name__ == "__main__":
    main()
