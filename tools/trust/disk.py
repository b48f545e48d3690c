"""A file system that can be copied at any moment, for the campaigns."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def make_image(image: Path, *, mebibytes: int) -> None:
    """Make an empty ext4 file system in a file."""
    with image.open("wb") as file:
        file.truncate(mebibytes << 20)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-m", "0", image], check=True)


@contextmanager
def mounted_image(image: Path, place: Path) -> Iterator[Path]:
    """Mount an image so that nothing is written to it before it is synced, or for ten minutes."""
    place.mkdir(exist_ok=True)
    options = "loop,commit=600,noauto_da_alloc"
    subprocess.run(["mount", "-t", "ext4", "-o", options, image, place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def copy_image(image: Path, copy: Path) -> None:
    """Copy what is on an image now: what a power cut at this moment would leave."""
    subprocess.run(["cp", "--sparse=always", image, copy], check=True)
