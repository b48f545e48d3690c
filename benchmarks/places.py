"""How long it takes to find every place of a quotation: `python -m benchmarks.places FOLDER [N_BOOKS]`.

Makes N books of some 150,000 words (33 by default, of 88,000) of sentences of the text files in FOLDER, in
random order, and their letters, as an ingest does; then looks for quotations of three to twelve words, half
of them with as many slips as are allowed, the first with a cold cache of files, if the system allows that.
"""

import random
import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from alexandria.book.words import letters_of
from alexandria.library.search.places import places_in, slips_allowed
from alexandria.store.letter_files import LetterFiles
from alexandria.store.passage import Passage

WORDS_OF_BOOK = 150_000
WORDS_OF_SHORT_BOOK = 88_000
"""So long are the books of a shelf of 33 with 2.9 million words."""


def make_books(
    sentences: list[str], n_books: int, files: LetterFiles
) -> tuple[list[str], list[str], int, float]:
    """Return the names of books whose letters were written, stretches of them, and words and seconds."""
    chance, stretches, n_words, seconds = random.Random(11), list[str](), 0, 0.0
    length = WORDS_OF_BOOK if n_books > 100 else WORDS_OF_SHORT_BOOK
    for number in range(n_books):
        words = list[str]()
        while len(words) < length:
            words += chance.choice(sentences).split()
        n_words += len(words)
        for _ in range(max(1, 600 // n_books)):
            first, n = chance.randrange(len(words) - 12), chance.randint(3, 12)
            stretches.append(" ".join(words[first : first + n]))
        texts = [" ".join(words[i : i + 300]) for i in range(0, len(words), 300)]
        chunks = [Passage(id="", payload={"text": text, "start": 0}) for text in texts]
        start = time.process_time()
        files.write(f"{number:040d}", chunks)
        seconds += time.process_time() - start
    return [f"{number:040d}" for number in range(n_books)], stretches, n_words, seconds


def with_slips(letters: str, n: int, chance: random.Random) -> str:
    """Return letters with n of them replaced."""
    for _ in range(n):
        i = chance.randrange(len(letters))
        letters = letters[:i] + chance.choice("etaoinshrdlu") + letters[i + 1 :]
    return letters


def drop_file_cache() -> bool:
    """Let the system forget the files it has read; return whether it did."""
    try:
        Path("/proc/sys/vm/drop_caches").write_text("1")
    except OSError:
        return False
    return True


def main(folder: Path, n_books: int) -> None:
    """Print the size, the time of making and of looking up."""
    text = " ".join(file.read_text(errors="replace") for file in sorted(folder.glob("*.txt")))
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", text) if len(part.split()) > 4]
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None) as place:
        files = LetterFiles(Path(place))
        names, stretches, n_words, seconds = make_books(sentences, n_books, files)
        size = sum(file.stat().st_size for file in Path(place).iterdir())
        print(f"{n_books} books, {n_words:,} words: {size / n_words:.1f} bytes a word")
        print(f"made in {1e6 * seconds / n_words:.2f} µs a word")
        chance = random.Random(7)
        asked = [letters for stretch in stretches if len(letters := letters_of(stretch)) >= 6]
        asked = [
            with_slips(letters, slips_allowed(len(letters)), chance) if i % 2 else letters
            for i, letters in enumerate(chance.sample(asked, min(len(asked), 600 if n_books <= 100 else 60)))
        ]
        is_cold = drop_file_cache()
        for label, quotations in (("cold" if is_cold else "first", asked[:1]), ("warm", asked)):
            times, n_missed = list[float](), 0
            for letters in quotations:
                start = time.perf_counter()
                slips = slips_allowed(len(letters))
                books = (files.get(name, lambda: [], write=False) for name in names)
                n_missed += not sum(len(places_in(book, letters, slips)) for book in books)
                times.append(1000 * (time.perf_counter() - start))
            parts = quantiles(times, n=20) if len(times) > 1 else times * 20
            print(
                f"{label}: {len(times)} quotations in {sum(times) / 1000:.2f} s, p50 {parts[9]:.1f} ms,"
                f" p95 {parts[-1]:.1f} ms; {n_missed} not found"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 33)
