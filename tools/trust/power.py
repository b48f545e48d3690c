"""Cuts the power while a library is written, and checks what is left on the disk.

    python -m tools.trust.power --points 200          needs root: mounts ext4 images through loop devices

The library lies on a file system that writes nothing until it is synced. At random moments the writing
process is stopped and the image copied as it is: what was not synced by then is lost in the copy. At every
second point, some files of the library are synced first, as the kernel may do at any time. Each copy is then
mounted: the library must open, every book of a finished step must be there, each book whole, nothing else
after the sweep, and the same command must end with the same points as without the cut.
"""

import argparse
import os
import random
import select
import signal
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.store.crash import start_fork
from tools.trust.campaign import Campaign
from tools.trust.disk import copy_image, make_image, mounted_image
from tools.trust.operations import OPERATIONS, PREFIXES

IMAGE_MEBIBYTES = 160


@dataclass(frozen=True, slots=True)
class Cut:
    """A copy of the disk, and how many steps were finished before."""

    image: Path
    n_steps: int


def record_cuts(campaign: Campaign, n_points: int) -> list[Cut]:
    """Run the operation once, and copy the disk at random moments."""
    image, place = campaign.scratch / "disk.img", campaign.scratch / "disk"
    make_image(image, mebibytes=IMAGE_MEBIBYTES)
    with mounted_image(image, place):
        library = place / "library"
        campaign.shelf.prepare(campaign.operation, campaign.kind, library)
        os.sync()
        seconds = campaign.rehearse()
        return _record(campaign, image, library, n_points, seconds)


def _record(campaign: Campaign, image: Path, library: Path, n_points: int, seconds: float) -> list[Cut]:
    """Run the operation in a fork, which is stopped while the disk is copied."""
    listening, done = os.pipe()
    pid = start_fork(lambda: campaign.work(library, done))
    os.close(done)
    cuts: list[Cut] = []
    n_steps = 0
    running = True
    while running and len(cuts) < n_points:
        time.sleep(campaign.rng.random() * 2 * seconds / n_points)
        os.kill(pid, signal.SIGSTOP)
        n_steps += _steps_done(listening)
        if len(cuts) % 2:
            _write_back(library, campaign.rng)
        copy = campaign.scratch / f"cut{len(cuts)}.img"
        copy_image(image, copy)
        cuts.append(Cut(copy, n_steps))
        os.kill(pid, signal.SIGCONT)
        running = os.waitpid(pid, os.WNOHANG) == (0, 0)
    if running:
        os.waitpid(pid, 0)
    os.close(listening)
    return cuts


def _steps_done(listening: int) -> int:
    """Return how many steps were written to the pipe since it was last read."""
    n_steps = 0
    while select.select([listening], [], [], 0)[0] and (bytes_read := os.read(listening, 64)):
        n_steps += len(bytes_read)
    return n_steps


def _write_back(library: Path, rng: random.Random) -> None:
    """Sync a few files, as the kernel may do at any time."""
    files = [path for path in library.parent.rglob("*") if path.is_file()]
    for path in rng.sample(files, min(3, len(files))):
        with suppress(FileNotFoundError):  # it takes a moment until the process has stopped
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)


def check(campaign: Campaign, cut: Cut) -> None:
    """Raise unless the library on a copy is whole, and the same command finishes it."""
    with mounted_image(cut.image, campaign.scratch / "after") as place:
        campaign.check(place / "library", n_steps=cut.n_steps)


def cut_power(kind: str, name: str, n_points: int, *, seed: int) -> tuple[int, int]:
    """Return at how many points the power was cut, and after how many of them something was wrong."""
    with Campaign.prepared(kind, name, seed=seed) as campaign:
        cuts = record_cuts(campaign, n_points)
        n_wrong = 0
        for number, cut in enumerate(cuts):
            try:
                check(campaign, cut)
            except (RuntimeError, AssertionError):
                n_wrong += 1
                print(f"{kind} {name}: wrong after cut {number} (steps done: {cut.n_steps})", file=sys.stderr)
                traceback.print_exc(limit=1)
            cut.image.unlink()
        return len(cuts), n_wrong


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--points", type=int, default=200, help="per kind, over all operations")
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--operation", choices=OPERATIONS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    names = chosen.operation or list(OPERATIONS)
    total = 0
    for kind in chosen.kind or list(PREFIXES):
        for name in names:
            n_points = -(-chosen.points // len(names))
            n_cuts = n_wrong = 0
            for turn in range(10):  # the operation may end before all points are taken
                if n_cuts < n_points:
                    cuts, wrong = cut_power(kind, name, n_points - n_cuts, seed=chosen.seed + turn)
                    n_cuts, n_wrong = n_cuts + cuts, n_wrong + wrong
            print(f"{kind:>6} {name:<8} {n_cuts} cuts, {n_wrong} wrong", flush=True)
            total += n_wrong
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
