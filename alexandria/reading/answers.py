"""Takes a reader's answer without trusting the reader: a file may have taken its process over."""

import pickle
from typing import IO, Any

from alexandria import book, errors
from alexandria.book import Book
from alexandria.errors import AlexandriaError
from alexandria.reading.worker import Answer

_MODULES = {module.__name__: module for module in (book, errors)}


def load_answer(stream: IO[bytes]) -> Answer:
    """Return the next answer on the stream.

    Raises:
        EOFError: the process ended before it answered.
        UnpicklingError: what it sent is no answer.
    """
    try:
        answer = _Answers(stream).load()
    except (pickle.UnpicklingError, EOFError):
        raise
    except Exception as error:  # the module raises whatever a broken stream leads it to
        raise pickle.UnpicklingError("not a pickle of ours") from error
    if not isinstance(answer, Book | AlexandriaError):
        raise pickle.UnpicklingError("neither a book nor an error")
    return answer


class _Answers(pickle.Unpickler):
    """Knows only what a book or an error is made of: any other name in a pickle could run anything."""

    def find_class(self, module: str, name: str) -> Any:
        found = getattr(_MODULES.get(module), name, None)
        if getattr(found, "__module__", None) != module:  # what those modules import is not theirs
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an answer")
        return found
