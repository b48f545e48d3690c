"""Loads the model of py3langid from an unpacked copy in the cache: to unpack it takes half a second."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from alexandria.system.cache import languages_folder, write_entry

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]  # py3langid has no type hints


def load_identifier() -> "LanguageIdentifier":
    """Return py3langid's identifier, which returns the language of a text, for all languages that it knows.

    The first process on a machine writes the unpacked model, 69 MB, to the cache, and the others read it. It
    is written again if it is damaged; where the cache cannot be written, each process unpacks the model.
    """
    import py3langid  # type: ignore[import-untyped]  # as above
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    path = languages_folder() / f"py3langid-{py3langid.__version__}.npz"
    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile):
        return _read(path)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    write_entry(
        path,
        lambda file: np.savez(
            file,
            ptc=identifier.nb_ptc,
            pc=identifier.nb_pc,
            classes=identifier.nb_classes,
            nextmove=identifier.tk_nextmove,
            row=identifier.tk_row,
            output=np.array(identifier.tk_output, np.int32),
        ),
    )
    return identifier


def _read(path: Path) -> "LanguageIdentifier":
    """Return the identifier with the model in a file that `load_identifier` wrote."""
    from py3langid.langid import LanguageIdentifier

    # Opened here: NumPy leaves a file that it cannot read open.
    with path.open("rb") as file, np.load(file, allow_pickle=False) as model:
        return LanguageIdentifier(
            model["ptc"],
            model["pc"],
            model["classes"].tolist(),
            # A memoryview: like py3langid's own array, it yields Python's numbers, not NumPy's.
            model["nextmove"].data,
            model["output"].tolist(),
            tk_row=model["row"].data,
        )
