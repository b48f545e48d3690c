"""The account of a folder of books: where each word went that a second, plainer reader finds in a file.

    python tools/account.py FOLDER... [--format pdf] [--above 0.1] [--words 12]

Prints one line per file: its words by `tools/dumps.py`; those in the book's text, in notes, and left out by
name; and what remains unexplained: words of the file that are nowhere, and words of the book that are not in
the file. Exit code 1 if more than `--above` percent of a file is unexplained.
"""

import argparse
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from alexandria.book.model import Book  # noqa: E402  # run as a script, this folder is not a package
from alexandria.errors import AlexandriaError  # noqa: E402
from alexandria.extract import FORMATS, extract  # noqa: E402
from tools.dumps import dump  # noqa: E402

# Chinese and Japanese: each character is a word.
_CHARACTER = "[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]"
_WORD = re.compile(rf"{_CHARACTER}|(?:(?!{_CHARACTER})\S)+")
# What one of two readers may drop: hyphens at line ends, underscores of emphasis, invisible characters.
_DROPPED = re.compile(
    "[-\u2010\u2011_\u00ad\u200b-\u200f\u2060\ufeff\ufdd0-\ufdef\x00-\x08\x0e-\x1f\x7f-\x9f]"
)
# The brackets and end signs of formulas whose fonts name no character.
_GLYPHS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]+")
_MAX_PIECES = 24
"""Words that may be one word to the other reader: the letters of a heading with a space after each."""
_MAX_BETWEEN_HALVES = 400
"""Words between two halves of a word, at most: notes, a page number and a running head."""
_MAX_MARK = 6
"""Characters of a note's mark that adheres to a word: `[123]`."""
_BRACKETS = re.compile(r"[\[\](){}]+")
_STOP = re.compile(r"[.,;:!?)\]”’\"]{1,3}")
_NUMBER_AT_END = re.compile(r"(.*[^\W\d]\W*?)([\[({]?\d{1,4}[\])}]?)")


@dataclass(frozen=True, slots=True)
class Account:
    """Where the words of a file are."""

    n_words: int
    """By the second reader; a note's mark counts as a word also where it adheres to one."""
    n_book: int
    n_notes: int
    left_out: dict[str, int]
    """Words by kind, in the order in which they were first left out."""
    nowhere: Counter[str]
    """Words of the file that are neither in the text nor in notes; those left out are among them."""
    added: Counter[str]
    """Words of the text and the notes that are not in the file."""

    @property
    def n_unexplained(self) -> int:
        """Words that are nowhere and not left out by name, or left out twice, or added.

        A book counts up to five adjacent Chinese or Japanese characters as one word, so that the words that
        are nowhere are known only within a range.
        """
        characters = sum(n for word, n in self.nowhere.items() if re.fullmatch(_CHARACTER, word))
        most_nowhere = self.nowhere.total()
        fewest_nowhere = most_nowhere - 4 * characters // 5
        named = sum(self.left_out.values())
        return max(0, fewest_nowhere - named, named - most_nowhere) + self.added.total()

    @property
    def share(self) -> float:
        """The unexplained words as a share of all words, in [0, 1] unless the book invents words."""
        return self.n_unexplained / max(self.n_words, 1)


def account(path: Path) -> Account:
    """Return the account of one file.

    Raises:
        AlexandriaError: the file is refused.
        KeyError: there is no second reader for its format.
    """
    book = extract(path)
    return balance(dump(path, book.format), book)


def balance(source: str, book: Book) -> Account:
    """Return the account of a book whose file holds the text `source`."""
    text, notes = _words(book.text), [word for note in book.notes for word in _words(note.text)]
    theirs, ours = _words(source), [*text, *notes]
    theirs, ours = _join_split_words(theirs, ours), _join_split_words(ours, theirs)
    theirs = _join_halves_across_pages(theirs, ours)
    theirs = list(_split_off_marks(theirs, ours))
    left_out: Counter[str] = Counter()
    for part in book.left_out:
        left_out[part.kind] += part.words
    in_file, in_book = Counter(theirs), Counter(ours)
    return Account(
        n_words=len(theirs),
        n_book=len(ours) - len(notes),
        n_notes=len(notes),
        left_out=dict(left_out),
        nowhere=in_file - in_book,
        added=in_book - in_file,
    )


def _words(text: str) -> list[str]:
    """Return the words in a form that both readers share, without glyphs that a PDF maps to no character."""
    words = (
        word for word in _WORD.findall(unicodedata.normalize("NFKC", text)) if not _GLYPHS.fullmatch(word)
    )
    return [_DROPPED.sub("", word) or word for word in words]


def _join_split_words(words: list[str], others: Sequence[str]) -> list[str]:
    """Return the words; neighbours that are one word to the other reader are joined."""
    mine, theirs = Counter(words), Counter(others)
    # Words that only this reader has, and words that only the other one has.
    missing, wanted = mine - theirs, theirs - mine
    if not missing or not wanted:
        return words
    longest = max(map(len, wanted))
    joined: list[str] = []
    i = 0
    while i < len(words):
        n = _n_pieces(words, i, missing, wanted, longest)
        word = "".join(words[i : i + n])
        if n > 1:
            wanted[word] -= 1
            missing.subtract(words[i : i + n])
        joined.append(word)
        i += n
    return joined


def _n_pieces(words: Sequence[str], i: int, missing: Counter[str], wanted: Counter[str], longest: int) -> int:
    """Return how many words from `i` on are one word to the other reader; 1 if `i` is one by itself."""
    if missing.get(words[i], 0) <= 0 and (i + 1 == len(words) or missing.get(words[i + 1], 0) <= 0):
        return 1
    word = words[i]
    n_pieces = 1
    for n in range(2, min(_MAX_PIECES, len(words) - i) + 1):
        word += words[i + n - 1]
        if len(word) > longest:
            break
        if wanted[word] > 0:
            n_pieces = n  # the longest: "R n ," is one word where "R n" is one too
    return n_pieces


def _join_halves_across_pages(words: list[str], others: Sequence[str]) -> list[str]:
    """Return the words; two halves of a word with the foot and head of a page between them are joined.

    "con 4 The Prince sider" is "consider 4 The Prince" to the other reader, which must have the whole word
    more often than this one: a word that was lost stays lost.
    """
    mine, theirs = Counter(words), Counter(others)
    missing, wanted = mine - theirs, theirs - mine
    endings: defaultdict[str, set[str]] = defaultdict(set)
    for word in wanted:
        for n in range(1, len(word)):
            endings[word[:n]].add(word[n:])
    joined = list(words)
    halves = [i for i, word in enumerate(words) if word in missing]
    for n, i in enumerate(halves):
        word = words[i]
        if word not in endings or missing[word] <= 0 or not joined[i]:
            continue
        for j in halves[n + 1 : n + 1 + _MAX_BETWEEN_HALVES]:
            if j >= i + _MAX_BETWEEN_HALVES:
                break
            if words[j] not in endings[word]:  # the usual case
                continue
            whole = word + words[j]
            if joined[j] and missing[words[j]] > 0 and wanted[whole] > 0:
                joined[i], joined[j] = whole, ""
                wanted[whole] -= 1
                missing.subtract((word, words[j]))
                break
    return [word for word in joined if word]


def _split_off_marks(words: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """Yield the words; a note's mark in a word comes after it if the other reader has the word without it."""
    mine, theirs = Counter(words), Counter(others)
    missing, wanted = mine - theirs, theirs - mine
    stop = ""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if stop:
            stop = ""  # this word was taken with the one before
        elif missing.get(word, 0) > 0 and (parts := _split_mark(word, wanted, theirs)):
            missing[word] -= 1
            wanted[parts[0]] -= 1
            yield from parts
        elif missing.get(word, 0) > 0 and missing.get(following, 0) > 0 and _STOP.fullmatch(following):
            # "2000" with a raised 2, then the full stop.
            parts = _split_mark(word + following, wanted, theirs)
            if parts:
                stop = following
                missing.subtract((word, following))
                wanted.subtract(parts[:1])
            yield from parts or (word,)
        else:
            yield word


def _split_mark(word: str, wanted: Counter[str], others: Container[str]) -> tuple[str, ...]:
    """Return a word without the mark inside it, and the mark; empty if the other reader has no such word.

    Brackets are not a mark: those around "[Footnote 1: See above.]" are none of its words.
    """
    for length in range(1, min(_MAX_MARK, len(word) - 1) + 1):
        for at in range(len(word) - length, -1, -1):
            rest = word[:at] + word[at + length :]
            if wanted.get(rest, 0) > 0:
                mark = word[at : at + length]
                return (rest,) if _BRACKETS.fullmatch(mark) else (rest, mark)
    # A word that is also in the contents, which the book leaves out, is never wanted.
    number = _NUMBER_AT_END.fullmatch(word)
    return (number[1], number[2]) if number and number[1] in others else ()


def _row(name: str, entry: Account) -> str:
    left_out = " ".join(f"{kind}={n}" for kind, n in entry.left_out.items())
    return (
        f"{entry.n_words:>9,} {entry.n_book:>9,} {entry.n_notes:>7,} {sum(entry.left_out.values()):>7,} "
        f"{entry.n_unexplained:>6,} {100 * entry.share:>6.2f}%  {name}  {left_out}"
    )


def _examples(entry: Account, n: int) -> Iterator[str]:
    for kind, words in (("nowhere", entry.nowhere), ("added", entry.added)):
        if words:
            yield f"            {kind}: " + " ".join(f"{word}×{k}" for word, k in words.most_common(n))


def _find_books(folders: Sequence[Path], formats: Sequence[str]) -> Iterator[Path]:
    suffixes = {suffix for name in formats or FORMATS for suffix in FORMATS[name].suffixes}
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if path.is_file() and (path == folder or path.suffix.lower() in suffixes):
                yield path


def main() -> None:
    """Print the account of each file; exit with 1 if too much of one is unexplained."""
    parser = argparse.ArgumentParser(description="Account for every word of a folder of books.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--format", action="append", default=[], choices=sorted(FORMATS))
    parser.add_argument("--above", type=float, default=0.1, help="percent of a file that may be unexplained")
    parser.add_argument("--words", type=int, default=0, help="examples of words to print for such a file")
    chosen = parser.parse_args()
    print("    words      book   notes    left  unexplained")
    n_words = n_unexplained = n_files = n_above = 0
    for path in _find_books(chosen.folders, chosen.format):
        try:
            entry = account(path)
        except AlexandriaError as error:
            print(f"  refused: {path.name}: {error.why}")
            continue
        except Exception as error:  # the plain reader does not expect damaged files
            print(f"  not accounted for: {path.name}: {type(error).__name__}: {error}")
            continue
        print(_row(path.name, entry), flush=True)
        if 100 * entry.share > chosen.above:
            n_above += 1
            print(*_examples(entry, chosen.words), sep="\n", end="\n" if chosen.words else "")
        n_files += 1
        n_words += entry.n_words
        n_unexplained += entry.n_unexplained
    print(
        f"{n_files:,} files, {n_words:,} words, {n_unexplained:,} unexplained, "
        f"{n_above:,} files above {chosen.above} %"
    )
    sys.exit(1 if n_above else 0)


if __name__ == "__main__":
    main()
