"""Unpickles the answer of a reader without trusting it: a file may have taken over the process."""

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
        UnpicklingError: it sent something else.
    """
    try:
        answer = _Answers(stream).load()
    except (pickle.UnpicklingError, EOFError):
        raise
    except Exception as error:  # pickle raises anything at all on a broken stream
        raise pickle.UnpicklingError("not a valid pickle") from error
    if not isinstance(answer, Book | AlexandriaError):
        raise pickle.UnpicklingError("neither a book nor an error")
    return answer


class _Answers(pickle.Unpickler):
    """Allows only the classes of a book or an error: any other name in a pickle could run any code."""

    def find_class(self, module: str, name: str) -> Any:
        value = getattr(_MODULES.get(module), name, None)
        if getattr(value, "__module__", None) != module:  # the module only imports that name
            raise pickle.UnpicklingError(f"{module}.{name} is not part of an answer")
        return value
