"""Feed damaged books to the extractors: each must give a book or an `AlexandriaError`, within a time limit.

    python tools/fuzz.py [FORMAT...] [--seconds 60] [--seed 0] [--corpus FOLDER]... [--findings FOLDER]

Each case is a real book with a few mutations, determined by `(seed, format, number)` alone, so that
findings can be reproduced. EPUBs are mutated inside their zip members, because byte errors in the zip would
never reach the XML; MOBI books inside their records, so that the table of records still fits them. Cases
that break an extractor are kept in the findings folder; a crash or a hang ends the process for that format.
"""

import argparse
import faulthandler
import io
import multiprocessing
import resource
import sys
import time
import traceback
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from alexandria.book.model import Book  # noqa: E402  # run as a script, this folder is not a package
from alexandria.errors import AlexandriaError  # noqa: E402
from alexandria.extract import FORMATS, extract  # noqa: E402
from alexandria.extract.isolated.limits import Limits, limit_memory  # noqa: E402

CPU_SECONDS = 20.0
"""Processor time that reading a file may take."""
HANG_SECONDS = 90.0
"""Elapsed time that reading a file may take; more counts as a hang inside a C library."""
MAX_SEED_BYTES = 400_000
"""Size of a book to start from: small ones give many cases per minute."""

_TOKENS: Mapping[str, Sequence[bytes]] = {
    "lxml": (
        b"<", b">", b"</", b"/>", b"<!--", b"]]>", b"<![CDATA[", b"&", b"&#0;", b"&#xD800;", b"&#1114112;",
        b'<!DOCTYPE a [<!ENTITY x "y">]>', b"&x;", b"<div>" * 400, b"</p></body>", b'xmlns="x"', b' id=""',
        b'href="../../x#"', b"<table><tr><td>", b"<ruby><rt>", b"\xff\xfe", b"\x00",
        b"<?xml version='1.0' encoding='utf-7'?>",
    ),
    "pypdfium2": (
        b"endobj", b"obj", b"stream\n", b"endstream", b"xref", b"trailer", b"<<", b">>", b"/Length 999999999",
        b"/Count -1", b"/Kids [1 0 R]", b"/Parent 1 0 R", b"/MediaBox [0 0 1e9 -1e9]", b"/Rotate 45",
        b"%%EOF", b"(" * 50, b"BT /F1 1e30 Tf (x) Tj ET", b"/Encrypt 1 0 R", b"startxref\n0",
    ),
}  # fmt: skip
"""Bytes that mean something to a parser, by its name."""
_TEXT_TOKENS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\x0c", b"\x1b[2J", b"\xe2\x80\xae", b"\n\n",
    b"*** START OF THE PROJECT GUTENBERG EBOOK X ***", b"*** END OF THE PROJECT GUTENBERG EBOOK X ***",
    b" " * 300,
    b"*" * 300, b"_" * 99, b"[1]", b"[Footnote 1: ", b"CHAPTER I.\n\n", b"CONTENTS\n\n", b"-\n", b"```",
    b"# ", b"| a | b |\n|--|--|\n", b"[x]: <", b"\xf0\x9f\x93\x9a", b"\xcc\x81" * 50,
)  # fmt: skip
"""Bytes that mean something in text."""

_MAX_NAME = 10_000
"""Characters: longer names do not fit into the headers of a zip."""


@dataclass(frozen=True, slots=True)
class Result:
    """The results of one format's cases."""

    format: str
    n_cases: int
    n_books: int
    n_refused: int
    slowest: float
    """Seconds of processor time."""
    findings: tuple[str, ...]


def mutate(data: bytes, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> bytes:
    """Return the bytes with one to six changes at random places."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 6)):
        random.choice(_CHANGES)(changed, others, tokens, random)
    return bytes(changed)


Change = Callable[[bytearray, Sequence[bytes], Sequence[bytes], Random], None]


def _flip(data: bytearray, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> None:
    for _ in range(random.choice((1, 8, 64))):
        if data:
            data[random.randrange(len(data))] = random.randrange(256)


def _cut(data: bytearray, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> None:
    start, stop = _span(data, random)
    del data[start:stop]


def _repeat(data: bytearray, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> None:
    start, stop = _span(data, random)
    data[start:start] = data[start:stop] * random.choice((1, 2, 30))


def _insert(data: bytearray, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> None:
    start = random.randint(0, len(data))
    data[start:start] = random.choice(tokens)


def _truncate(data: bytearray, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> None:
    del data[random.randint(0, len(data)) :]


def _splice(data: bytearray, others: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> None:
    other = random.choice(others)
    start, stop = _span(other, random)
    at, until = _span(data, random)
    data[at:until] = other[start:stop]


# `_insert` twice: tokens reach the parts of a parser that random bytes do not.
_CHANGES: Sequence[Change] = (_flip, _cut, _repeat, _insert, _insert, _truncate, _splice)


def _span(data: bytes | bytearray, random: Random) -> tuple[int, int]:
    start = random.randint(0, len(data))
    return start, min(len(data), start + random.choice((1, 10, 200, 4_000)))


def mutate_zip(data: bytes, tokens: Sequence[bytes], random: Random) -> bytes:
    """Return a valid zip whose members were changed, left out or renamed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    texts = [
        name for name in members if not name.endswith((".jpg", ".png", ".ttf", ".otf", ".svg", "mimetype"))
    ]
    for name in random.sample(texts, min(len(texts), random.randint(1, 3))):
        match random.randrange(10):
            case 0:
                del members[name]
            case 1:
                members[mutate(name.encode(), [b"x"], tokens, random).decode("latin-1")] = members.pop(name)
            case _:
                members[name] = mutate(members[name], list(members.values()), tokens, random)
    packed = io.BytesIO()
    method = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(packed, "w") as archive:
        for name, member in members.items():
            # A `ZipInfo` carries no time of day: the same case has the same bytes.
            archive.writestr(zipfile.ZipInfo(name[:_MAX_NAME] or "x"), member, method)
    return packed.getvalue()


def mutate_records(data: bytes, tokens: Sequence[bytes], random: Random) -> bytes:
    """Return a Palm database whose records were changed or left out, with a table that fits them."""
    n = int.from_bytes(data[76:78], "big")
    starts = [int.from_bytes(data[at : at + 4], "big") for at in range(78, 78 + 8 * n, 8)]
    records = [data[start:end] for start, end in zip(starts, (*starts[1:], len(data)), strict=True)]
    for i in random.sample(range(n), min(n, random.randint(1, 3))):
        records[i] = mutate(records[i], records, tokens, random) if random.randrange(10) else b""
    at = 80 + 8 * n
    table = b""
    for i, record in enumerate(records):
        table += at.to_bytes(4, "big") + i.to_bytes(4, "big")
        at += len(record)
    return data[:78] + table + bytes(2) + b"".join(records)


def case(format: str, seeds: Sequence[bytes], seed: int, number: int) -> bytes:
    """Return the bytes of one case: the same for the same arguments."""
    random = Random(f"{seed} {format} {number}")
    tokens = _TOKENS.get(next(iter(FORMATS[format].libraries), ""), _TEXT_TOKENS)
    chosen = random.choice(seeds)
    if chosen.startswith(b"PK") and random.random() < 0.9:
        return mutate_zip(chosen, tokens, random)
    if chosen[60:68] == b"BOOKMOBI" and random.random() < 0.9:
        return mutate_records(chosen, tokens, random)
    return mutate(chosen, seeds, tokens, random)


def seeds_of(format: str, folders: Iterable[Path]) -> list[bytes]:
    """Return the small valid books of a format in these folders."""
    seeds = []
    suffixes = {suffix for known in FORMATS.values() for suffix in known.suffixes}
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix.lower() in suffixes and path.is_file() and 0 < path.stat().st_size < MAX_SEED_BYTES:
            try:
                book = extract(path)
            except AlexandriaError:
                continue
            if book.format == format:
                seeds.append(path.read_bytes())
    return seeds


def check(path: Path) -> Book | None:
    """Read a case and return the book, or None if it was refused; other exceptions propagate.

    Raises:
        AssertionError: the book breaks the rule that its blocks are slices of its text.
    """
    try:
        book = extract(path)
    except (AlexandriaError, MemoryError):  # the reader's process turns the latter into `too_large`
        return None
    for block in book.blocks:
        if book.text[block.start : block.end] != block.text or not block.text.strip():
            raise AssertionError(f"the block at {block.start} is empty or not a slice of the text")
    return book


def fuzz(format: str, folders: Sequence[Path], seconds: float, seed: int, findings: Path) -> Result:
    """Run cases of one format for this many seconds."""
    limit_memory(Limits())
    seeds = seeds_of(format, folders)
    if not seeds:
        raise SystemExit(f"no {format} book to start from in {', '.join(map(str, folders))}")
    findings.mkdir(parents=True, exist_ok=True)
    current = findings / f"current-{format}{FORMATS[format].suffixes[0]}"
    found: list[str] = []
    n_books = n_cases = 0
    slowest = 0.0
    end = time.monotonic() + seconds
    for number in count():
        if time.monotonic() > end:
            break
        current.write_bytes(case(format, seeds, seed, number))
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        began = _cpu()
        try:
            n_books += check(current) is not None
        except Exception as error:
            found.append(f"{format} case {number} of seed {seed}: {type(error).__name__}: {error}")
            traceback.print_exc()
            (findings / f"{format}-{seed}-{number}").write_bytes(current.read_bytes())
        faulthandler.cancel_dump_traceback_later()
        took = _cpu() - began
        if took > CPU_SECONDS:
            found.append(f"{format} case {number} of seed {seed}: took {took:.0f} s")
            (findings / f"{format}-{seed}-{number}").write_bytes(current.read_bytes())
        slowest = max(slowest, took)
        n_cases += 1
    current.unlink()
    return Result(format, n_cases, n_books, n_cases - n_books - len(found), slowest, tuple(found))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _report(format: str, folders: Sequence[Path], seconds: float, seed: int, findings: Path) -> None:
    result = fuzz(format, folders, seconds, seed, findings)
    print(
        f"{format}: {result.n_cases:,} cases, {result.n_books:,} read, {result.n_refused:,} refused, "
        f"slowest {result.slowest:.1f} s, {len(result.findings)} findings",
        flush=True,
    )
    for finding in result.findings:
        print(f"  {finding}", flush=True)
    if result.findings:
        sys.exit(1)


def main() -> None:
    """Fuzz one format after the other, each in a separate process; exit with code 1 if there are findings."""
    parser = argparse.ArgumentParser(description="Feed damaged books to the extractors.")
    parser.add_argument(
        "formats", nargs="*", metavar="FORMAT", help=f"of {', '.join(FORMATS)}; all by default"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for all formats together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--corpus", type=Path, action="append", help="folders of valid books; samples by default"
    )
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    chosen = parser.parse_args()
    formats = chosen.formats or list(FORMATS)
    folders = chosen.corpus or [ROOT / "samples", ROOT / "tests" / "fuzz" / "seeds"]
    failed = []
    for format in formats:
        seconds = chosen.seconds / len(formats)
        process = multiprocessing.Process(
            target=_report, args=(format, folders, seconds, chosen.seed, chosen.findings)
        )
        process.start()
        process.join()
        if process.exitcode:
            failed.append(f"{format} (exit code {process.exitcode})")
    if failed:
        sys.exit(f"found in {', '.join(failed)}: see {chosen.findings}")


if __name__ == "__main__":
    main()
