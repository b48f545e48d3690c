"""Pickles as other versions of Python write them."""

import io
import pickle
from enum import Enum
from typing import Any


def as_python_3_11_0(value: object) -> bytes:
    """Pickle as Python 3.11.0 to 3.11.3 does (Debian 12 has 3.11.2): a member of an enum by its name."""

    class Pickler(pickle.Pickler):
        def reducer_override(self, part: object) -> Any:
            return (getattr, (type(part), part.name)) if isinstance(part, Enum) else NotImplemented

    stream = io.BytesIO()
    Pickler(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return stream.getvalue()
