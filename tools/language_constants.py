"""Writes alexandria/embed/models/multilingual.json: what is taken out of the vectors of `multilingual`.

    .venv/bin/python tools/language_constants.py          # writes it
    .venv/bin/python tools/language_constants.py --check  # compares it with what this machine measures

The texts are in alexandria/embed/texts. `alexandria models calibrate FOLDER` does the same for another model.
The constants are part of the model's name: libraries made with others have to be copied with
`alexandria copy --model multilingual`.
"""

import sys

import numpy as np

from alexandria.embed.graph.calibrate import measure_blueprint
from alexandria.embed.models.e5_file import multilingual_blueprint
from alexandria.embed.models.multilingual import CONSTANTS_FILE, check_file, find_multilingual_folder
from alexandria.embed.neutral import read_constants

CLOSE = 1e-3
"""By how much a constant may differ on another processor."""


def main() -> None:
    """Measure the constants, and write or compare them."""
    folder = find_multilingual_folder()
    check_file(folder)
    measured = measure_blueprint(multilingual_blueprint(folder))
    if "--check" not in sys.argv[1:]:
        CONSTANTS_FILE.write_text(measured.to_json(), encoding="utf-8")
        return
    written = read_constants(CONSTANTS_FILE)
    if written is None or not np.allclose(measured.common, written.common, atol=CLOSE):
        sys.exit(f"{CONSTANTS_FILE} differs from what is measured here")


if __name__ == "__main__":
    main()
