"""The lock: readers together, a change alone, and no thread waits for itself."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from alexandria.store.read_write_lock import ReadWriteLock


def test_readers_read_together() -> None:
    lock, together = ReadWriteLock(), threading.Barrier(3, timeout=20)

    def read() -> None:
        with lock.read_lock():
            together.wait()

    with ThreadPoolExecutor(3) as threads:
        for reader in [threads.submit(read) for _ in range(3)]:
            reader.result()


@pytest.mark.parametrize("parallel_reads", [True, False])
def test_a_change_is_seen_whole(parallel_reads: bool) -> None:
    lock, values = ReadWriteLock(parallel_reads=parallel_reads), [0, 0]

    def change() -> None:
        for _ in range(200):
            with lock.write_lock():
                values[0] += 1
                time.sleep(0)
                values[1] += 1

    def read() -> None:
        for _ in range(200):
            with lock.read_lock(), lock.read_lock():
                assert values[0] == values[1]

    with ThreadPoolExecutor(5) as threads:
        for thread in [threads.submit(work) for work in (change, read, read, change, read)]:
            thread.result()
    assert values == [400, 400]


def test_a_waiting_change_goes_before_readers_that_come_later_but_a_nested_read_goes_on() -> None:
    lock, order = ReadWriteLock(), []

    def change() -> None:
        with lock.write_lock():
            order.append("change")

    def read() -> None:
        with lock.read_lock():
            order.append("late reader")

    with ThreadPoolExecutor(2) as threads:
        with lock.read_lock():
            changed = threads.submit(change)
            while not lock._n_waiting:
                time.sleep(0.001)
            late = threads.submit(read)
            with lock.read_lock():
                order.append("nested")
        changed.result()
        late.result()
    assert order == ["nested", "change", "late reader"]


def test_a_change_contains_reads_and_changes_but_a_read_no_change() -> None:
    lock = ReadWriteLock()
    with lock.write_lock(), lock.read_lock(), lock.write_lock():
        pass
    with lock.read_lock(), pytest.raises(RuntimeError, match="cannot change"), lock.write_lock():
        pass
    with lock.write_lock():
        pass
