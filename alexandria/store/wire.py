"""Messages between processes that share a library: a length in bytes, then a pickle.

Only the classes listed here are unpickled: with any others, a pickle could run arbitrary code.
"""

import io
import pickle
import socket
import struct
from typing import Any

from alexandria import errors
from alexandria.book import Point, Sparse
from alexandria.passage import Hit
from alexandria.store.plan import Stage
from alexandria.store.store import Binding, QueryVectors
from alexandria.store.vectors import VectorName
from alexandria.system.enum_members import AS_GETATTR, enum_member

PROTOCOL = 11
"""The version of the protocol, raised with every change of what is sent: both sides must have the same."""
TOKEN_BYTES = 32
BEGUN = "begun"
"""What the owner sends before an answer, once it does not write: from then on, it answers without waiting."""
_LENGTH = struct.Struct(">Q")
_MAX_MESSAGE = 1 << 31
"""Bytes of a message; the vectors of 64 long chunks take some 20 MB."""
_VALUES = (Point, Sparse, Hit, Stage, Binding, QueryVectors, VectorName, range)
_ERRORS = tuple(
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.AlexandriaError)
)
"""All our errors: the owner of a library answers with whichever error its store raises."""
_ALLOWED = {
    **{(value.__module__, value.__qualname__): value for value in (*_VALUES, *_ERRORS)},
    **{(value.__module__, value.__qualname__): value for value in (errors.Code, errors._rebuild)},
    AS_GETATTR: enum_member,
}
"""What may be unpickled, by module and name."""
_ARRAYS = {"_frombuffer", "_reconstruct", "dtype", "ndarray"}
"""The names of numpy in the pickle of an array."""


def send(peer: socket.socket, message: object) -> None:
    """Send one message."""
    data = pickle.dumps(message, protocol=5)
    peer.sendall(_LENGTH.pack(len(data)) + data)


def receive(peer: socket.socket) -> Any:
    """Wait for a message, and return it.

    Raises:
        EOFError: the other side has closed the connection.
        UnpicklingError: the other side has sent something that is not such a message.
    """
    (length,) = _LENGTH.unpack(read_bytes(peer, _LENGTH.size))
    if length > _MAX_MESSAGE:
        raise pickle.UnpicklingError(f"a message of {length:,} bytes")
    data = read_bytes(peer, length)
    try:
        return _RestrictedUnpickler(io.BytesIO(data)).load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # on bytes that are not a pickle, pickle raises errors of many classes
        raise pickle.UnpicklingError("not a valid pickle") from error


def read_bytes(peer: socket.socket, n_bytes: int) -> bytearray:
    """Wait for `n_bytes`, and return them.

    Raises:
        EOFError: the other side has closed the connection.
    """
    data = bytearray(n_bytes)
    view = memoryview(data)
    while view:
        n_read = peer.recv_into(view)
        if not n_read:
            raise EOFError
        view = view[n_read:]
    return data


class _RestrictedUnpickler(pickle.Unpickler):
    """Loads only the classes in `_ALLOWED`, and arrays."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that a message may contain; refuse every other name, which could run any code."""
        if module.partition(".")[0] == "numpy" and name in _ARRAYS:
            return super().find_class(module, name)
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is not part of a library")
        return _ALLOWED[module, name]
