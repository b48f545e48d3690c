"""The words that all of Alexandria speaks: values, names, places and choices; nothing here reads or writes.

`model` has the values that flow from a file to the store, `Book` to `Chunk`. Packages that add a format or a
strategy import them from here: `from alexandria.book import Book`.

`words` compares words, `people` and `volumes` read names, `headings` reads what chapters are called, `places`
says where a text stands in a file, `filters` which books a search considers, `choices` what options may be.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alexandria.book.model import *  # noqa: F403


def __getattr__(name: str) -> object:
    """Load the values when the first of them is used: most modules of this package do without them."""
    return getattr(import_module("alexandria.book.model"), name)
