"""Scans for the tests: pages of a PDF as pictures, turned, with noise, compressed, without text."""

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pytest
from PIL import Image

from alexandria.extract.pdf.start import start_pdfium

DPI = 150
needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")


def pictures(source: Path, pages: Iterable[int], *, degrees: float = 0.6) -> list[Image.Image]:
    """Draw pages as a scanner would: every other one is turned the other way."""
    noise = np.random.default_rng(7)
    start_pdfium(fonts=True)
    document = pdfium.PdfDocument(source)
    scans = []
    for index in pages:
        page = document[index].render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
        turned = page.rotate(degrees * (-1) ** index, resample=Image.Resampling.BICUBIC, fillcolor=255)
        grey = np.asarray(turned, dtype=np.float32) * 0.88 + 12
        grey += noise.normal(0, 10, grey.shape)
        scans.append(_compressed(Image.fromarray(grey.clip(0, 255).astype(np.uint8))))
    return scans


def _compressed(picture: Image.Image) -> Image.Image:
    packed = io.BytesIO()
    picture.save(packed, "JPEG", quality=60)
    return Image.open(packed)


def scan(source: Path, pages: Iterable[int], target: Path) -> Path:
    """Write a PDF of the pictures of some pages."""
    first, *rest = pictures(source, pages)
    first.save(target, "PDF", save_all=True, append_images=rest, resolution=DPI, quality=60)
    return target


@cache
def _programs() -> TemporaryDirectory[str]:
    """A folder before all others on the path: the same in all tests, so that they can share their readers."""
    return TemporaryDirectory()


_N_CALLS = count()


def fake_tesseract(
    monkeypatch: pytest.MonkeyPatch, body: str, *, script: str = "Script: Latin\nScript confidence: 9.00"
) -> Path:
    """Put a program named tesseract before all others, which describes itself and then does what is asked.

    Args:
        monkeypatch: changes the path.
        body: Python that runs with the picture in `picture` and the path of the log in `log`.
        script: what it prints when it is asked for the script.

    Returns:
        The file to which the program adds a line for each picture; there is none yet.
    """
    folder = Path(_programs().name)
    # A log for each test: a program that an earlier one left still writes to its own.
    program, log = folder / "tesseract", folder / f"log{next(_N_CALLS)}"
    program.unlink(missing_ok=True)
    program.write_text(
        f"#!{sys.executable} -S\n"
        "import os, sys, time, zlib\n"
        "if '--version' in sys.argv: print('tesseract 5.0'); sys.exit()\n"
        "if '--list-langs' in sys.argv: print('List:\\neng\\nosd'); sys.exit()\n"
        "picture = sys.stdin.buffer.read()\n"
        f"log = {str(log)!r}\n"
        "open(log, 'a').write(f'{os.getpid()} {zlib.crc32(picture)} {sys.argv[1:]}\\n')\n"
        f"if '0' in sys.argv: print({script!r}); sys.exit()\n" + body
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ALEXANDRIA_OCR", "eng")
    return log


def is_running(pid: str) -> bool:
    """Return whether a process is there and not a zombie; False where there is no /proc."""
    return _state_and_parent(pid)[0] not in "ZX"


def started_by(pid: str) -> list[str]:
    """Return the processes that one started, and those that they started; none where there is no /proc."""
    ours = [stat.name for stat in Path("/proc").glob("[0-9]*") if _state_and_parent(stat.name)[1] == pid]
    return [*ours, *(child for each in ours for child in started_by(each))]


def _state_and_parent(pid: str) -> tuple[str, str]:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return "X", pid
    return state, parent


def wait_for(holds: Callable[[], bool]) -> None:
    """Wait until this holds, and fail after half a minute."""
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
