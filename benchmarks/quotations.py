"""Where `find` places quotations with slips, and which invented ones it takes for quotations.

    python -m benchmarks.quotations BOOK... --absent BOOK... [--each 500] [--folder FOLDER]

Quotations are sentences of the library's books, of 8 to 40 words, with two slips each, and with four.
Invented ones are sentences of absent books, the library's own sentences with their words shuffled, and chains
in which each word has followed the word before it, or the two before it, somewhere in the library. The halves
of two sentences are joined as well: half of that is a quotation, and finding it is no mistake, but it shows
how tolerant `find` is.
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alexandria import Library
from alexandria.book.model import Book, count_words
from alexandria.chunking.sentences import split
from alexandria.library.ingest.one_book import read
from alexandria.library.search.alignment import Letters
from alexandria.store.passage import Quotation

MIN_WORDS = 8
"""Words of a quotation."""
MAX_WORDS = 40
RUN = 5
"""Words in a row that an invented chain may not share with the library."""
NEAR_START = 20
"""Characters by which a place may begin elsewhere than its sentence: a slip may change the first word."""


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence, and where it begins in the text of its book."""

    book_id: str
    start: int
    text: str


def sources(book: Book) -> Iterator[Source]:
    """Yield the sentences of a book that are long enough to quote, and short enough."""
    for sentence in split(book):
        text = book.text[sentence.start : sentence.end]
        if MIN_WORDS <= count_words(text) <= MAX_WORDS and sum(map(str.isalpha, text)) > len(text) / 2:
            yield Source(book.id, sentence.start, text)


def unique(found: Sequence[Source], others: Sequence[Source] = ()) -> list[Source]:
    """Return the sentences whose letters occur once in `found`, and in none of the others."""
    times: defaultdict[str, int] = defaultdict(int)
    for source in (*found, *others):
        times[Letters.of(source.text).text] += 1
    return [source for source in found if times[Letters.of(source.text).text] == 1]


# --- what is asked --------------------------------------------------------------------------------


def add_slips(text: str, slips: int, rng: np.random.Generator) -> str:
    """Return a quotation with slips: a word left out, doubled, exchanged with the next, or misspelt."""
    words = text.split()
    for kind in rng.permutation(np.arange(max(slips, 4)) % 4)[:slips]:
        i = int(rng.integers(len(words) - 1))
        if kind == 0:
            del words[i]
        elif kind == 1:
            words.insert(i, words[i])
        elif kind == 2:
            words[i : i + 2] = words[i + 1], words[i]
        else:
            letter = int(rng.integers(len(words[i])))
            words[i] = words[i][:letter] + "e" + words[i][letter + 1 :]
    return " ".join(words)


def shuffle_words(text: str, rng: np.random.Generator) -> str:
    """Return the words in another order."""
    return " ".join(rng.permutation(text.split()))


def words_of(text: str) -> tuple[str, ...]:
    """Return the letters of each word."""
    return tuple(letters for word in text.split() if (letters := Letters.of(word).text))


def runs(text: str) -> set[tuple[str, ...]]:
    """Return every run of `RUN` words."""
    words = words_of(text)
    return {words[i : i + RUN] for i in range(len(words) - RUN + 1)}


def chains(texts: Sequence[str], order: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield invented sentences: each word has followed the `order` words before it in one of the texts.

    No `RUN` words in a row are those of a text.
    """
    following: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in texts:
        words = text.split()
        for i in range(len(words) - order):
            following[tuple(words[i : i + order])].append(words[i + order])
    runs_of_texts = set[tuple[str, ...]]().union(*map(runs, texts))
    while True:
        length = int(rng.integers(MIN_WORDS, MAX_WORDS + 1))
        words = texts[int(rng.integers(len(texts)))].split()[:order]
        while len(words) < length and (choices := following.get(tuple(words[-order:]))):
            words.append(choices[int(rng.integers(len(choices)))])
        text = " ".join(words)
        if len(words) == length and runs_of_texts.isdisjoint(runs(text)):
            yield text


def join_halves(beginning: str, end: str) -> str:
    """Return the first half of a sentence with the second half of another."""
    first, second = beginning.split(), end.split()
    return " ".join(first[: len(first) // 2] + second[len(second) // 2 :])


# --- what is answered -----------------------------------------------------------------------------


def is_placed(place: Quotation, source: Source) -> bool:
    """Return whether a place is the one that a quotation was taken from."""
    assert place.best is not None  # `find` always says where
    return place.book_id == source.book_id and abs(place.best[0] - source.start) <= NEAR_START


def report_placed(library: Library, asked: Sequence[tuple[Source, str]], *, slips: int, show: bool) -> None:
    """Print how many quotations are placed first where they come from, and the time of each."""
    n_first, times = 0, []
    for source, text in asked:
        began = time.process_time()
        places = library.find(text)
        times.append(time.process_time() - began)
        if places and is_placed(places[0], source):
            n_first += 1
        elif show:
            print(f"    missed: {text!r}\n        of: {source.text!r}")
    p50, p95 = np.percentile(times, [50, 95]) * 1000
    print(
        f"{f'{slips} slips':<16}{n_first:>5} of {len(asked)} placed first; {p50:.0f} ms of processor time, "
        f"p95 {p95:.0f}",
        flush=True,
    )


def report_invented(library: Library, name: str, asked: Sequence[str], *, show: bool) -> None:
    """Print how many of the invented quotations are found."""
    n_found = 0
    for text in asked:
        places = library.find(text, limit=1)
        n_found += bool(places)
        if show and places:
            place = places[0]
            print(f"    found: {text!r}\n       as: {place.words!r} ({place.nearness:.2f}, {place.title})")
    print(f"{name:<16}{n_found:>5} of {len(asked)} found", flush=True)


def draw(found: Sequence[Source], n: int, rng: np.random.Generator) -> list[Source]:
    """Return `n` of the sentences, none twice."""
    return [found[i] for i in rng.choice(len(found), n, replace=False)]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("books", nargs="+", type=Path, help="what the library contains")
    parser.add_argument("--absent", nargs="+", type=Path, required=True, help="other works")
    parser.add_argument("--show", action="store_true", help="print what was missed or found")
    parser.add_argument("--each", type=int, default=500, help="quotations of each kind")
    parser.add_argument("--folder", type=Path, help="a library of these books that is kept")
    options = parser.parse_args()
    rng = np.random.default_rng(24)
    inside = [source for path in options.books for source in sources(read(path))]
    absent = unique([source for path in options.absent for source in sources(read(path))], inside)
    inside = unique(inside)
    texts = [source.text for source in inside]
    by_one, by_two = chains(texts, 1, rng), chains(texts, 2, rng)
    kinds: dict[str, Callable[[], str]] = {
        "absent books": lambda: draw(absent, 1, rng)[0].text,
        "shuffled": lambda: shuffle_words(draw(inside, 1, rng)[0].text, rng),
        "chains by one": lambda: next(by_one),
        "chains by two": lambda: next(by_two),
        "two halves": lambda: join_halves(*(source.text for source in draw(inside, 2, rng))),
    }
    with (
        tempfile.TemporaryDirectory() as scratch,
        Library(options.folder or Path(scratch) / "lib") as library,
    ):
        library.ingest(options.books, options={"model": "hashing"})
        print(
            f"{len(library.books())} books, {sum(book.n_chunks for book in library.books()):,} chunks",
            flush=True,
        )
        for slips in (2, 4):
            asked = [
                (source, add_slips(source.text, slips, rng)) for source in draw(inside, options.each, rng)
            ]
            report_placed(library, asked, slips=slips, show=options.show)
        for name, invent in kinds.items():
            report_invented(library, name, [invent() for _ in range(options.each)], show=options.show)


if __name__ == "__main__":
    main()
