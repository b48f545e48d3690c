"""Interrupts commands at random moments, as Ctrl-C does, and checks how they end.

    python -m tools.trust.interrupts --moments 50     per command

Each command runs in a session of its own, and SIGINT goes to all its processes at a random moment. The
command must end with exit code 130 or, if it had done its work before the signal, with 0; it must print no
traceback; and the library must be whole at the end. While Python itself starts, it still ends with a
traceback of its own (a shell reports 130 then, too); such moments are counted as `early`.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from tools.trust.operations import check_library

MAX_SECONDS = 60.0
"""Seconds that a command may take to end."""
SERVE_SECONDS = 4.0
"""Seconds during which `serve`, which never ends by itself, is interrupted."""
COMMANDS = {
    "ingest": ["ingest", "--force", "samples", "--store"],
    "new": ["ingest", "--force", "--no-cache", "samples", "--store"],
    "inspect": ["inspect", "--no-cache", "samples/the-quiet-trades.epub"],
    "search": ["search", "where do bees find flowers", "--store"],
    "serve": ["serve", "--store"],
}


def start(words: list[str]) -> subprocess.Popen[str]:
    """Start a command in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "alexandria", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def seconds_of(command: list[str]) -> float:
    """Return the elapsed time of a command."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def interrupt(words: list[str], moment: float) -> str:
    """Run a command, interrupt it, and return how it ended: `130`, `done`, or what is wrong."""
    process = start(words)
    if words[0] == "serve":
        threading.Thread(target=_visit, args=(process,), daemon=True).start()
    time.sleep(moment)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    try:
        if words[0] == "serve":
            process.wait(MAX_SECONDS)
            errors = process.stderr.read() if process.stderr else ""
        else:
            _, errors = process.communicate(timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return "does not end"
    if process.returncode == -signal.SIGINT and "__main__.py" not in errors:
        return "early"
    if "Traceback" in errors or "Exception ignored" in errors or "Error" in errors:
        return f"{process.returncode}: {errors.strip()[-2000:]}"
    # With 0, no handler has run: such a command ends with 130 even if its work is done.
    return "done" if process.returncode == 0 else str(process.returncode)


def _visit(process: subprocess.Popen[str]) -> None:
    """Search in the browser again and again, so that the interrupt meets requests."""
    address = process.stdout.readline().strip() if process.stdout else ""
    with suppress(OSError, ValueError, HTTPException):
        while process.poll() is None:
            urlopen(f"{address}?q=bees", timeout=5).read()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--moments", type=int, default=50, help="per command")
    parser.add_argument("--command", choices=COMMANDS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    # A shell lets what it starts in the background ignore the signal, and so would the commands.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = random.Random(chosen.seed)
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        start([*COMMANDS["ingest"], str(library)]).communicate()
        first = min(seconds_of([sys.executable, "-c", "import alexandria"]) for _ in range(3))
        for name in chosen.command or COMMANDS:
            words = COMMANDS[name]
            words = [*words, str(library)] if words[-1] == "--store" else words
            whole = [sys.executable, "-m", "alexandria", *words]
            last = SERVE_SECONDS if name == "serve" else min(seconds_of(whole) for _ in range(3))
            ends = Counter(interrupt(words, rng.uniform(first, last)) for _ in range(chosen.moments))
            n_wrong += sum(count for end, count in ends.items() if end not in ("130", "done", "early"))
            print(f"{name:<8} {chosen.moments} interrupts in {last:.1f} s:", dict(ends), flush=True)
        check_library(str(library), range(1, 100))
    print(f"{n_wrong} wrong")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
