"""Processes of isolated readers, handed from test to test: starting one and its parsers takes a second."""

import gc
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import pytest

from alexandria.extract.isolated import process
from alexandria.extract.isolated.process import IsolatedReader, end_worker, start_worker
from alexandria.extract.isolated.requests import Request
from alexandria.extract.isolated.worker import Answer

_MOST = 2
"""Idle processes: most tests need one reader, and some two."""
_FREE = ("PYTEST_CURRENT_TEST", "ALEXANDRIA_CACHE", "ALEXANDRIA_MODEL", "COLUMNS")
"""What may differ in the environment: a reader does not look at it."""

Place = tuple[Path, tuple[tuple[str, str], ...]]
"""The folder and the environment in which a process was started."""


def _place() -> Place:
    return Path.cwd(), tuple(sorted(item for item in os.environ.items() if item[0] not in _FREE))


@dataclass(slots=True)
class Readers:
    """Processes that have answered each request, by the place in which a test would have started them."""

    paused: bool = False
    """Whether each reader starts and ends its own process, as it does outside of tests."""
    _places: dict[int, Place] = field(default_factory=dict)
    _idle: list[tuple[Place, Popen[bytes]]] = field(default_factory=list)
    _busy: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> Popen[bytes]:
        """Return an idle process of this place, or a new one."""
        place = _place()
        with self._lock:
            for number, (other, worker) in enumerate(() if self.paused else self._idle):
                if other == place and worker.poll() is None and worker.pid not in self._busy:
                    del self._idle[number]
                    return worker
            worker = start_worker()
            self._places[worker.pid] = place
            return worker

    def end(self, worker: Popen[bytes]) -> None:
        """Keep a process for the next test, unless it has ended or owes an answer."""
        with self._lock:
            if not self.paused and worker.poll() is None and worker.pid not in self._busy:
                self._idle.append((self._places[worker.pid], worker))
                if len(self._idle) <= _MOST:
                    return
                worker = self._idle.pop(0)[1]
        end_worker(worker)

    def close(self) -> None:
        """End the idle processes."""
        gc.collect()  # a run that a test has dropped may still hold its readers
        while self._idle:
            end_worker(self._idle.pop()[1])

    def serve(self, patch: pytest.MonkeyPatch) -> None:
        """Let every `IsolatedReader` take its process from here."""
        ask = IsolatedReader._ask

        def recorded(reader: IsolatedReader, request: Request) -> Answer:
            pid = reader.pid
            assert pid is not None
            self._busy.add(pid)
            answer = ask(reader, request)  # if it raises, the process stays marked
            self._busy.discard(pid)
            return answer

        patch.setattr(IsolatedReader, "_ask", recorded)
        patch.setattr(process, "start_worker", self.start)
        patch.setattr(process, "end_worker", self.end)
