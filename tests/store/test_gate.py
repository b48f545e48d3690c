"""The gate: readers together, a change alone, and no thread waits for itself."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from alexandria.store.gate import Gate


def test_readers_read_together() -> None:
    gate, together = Gate(), threading.Barrier(3, timeout=20)

    def read() -> None:
        with gate.reading():
            together.wait()

    with ThreadPoolExecutor(3) as threads:
        for reader in [threads.submit(read) for _ in range(3)]:
            reader.result()


@pytest.mark.parametrize("together", [True, False])
def test_a_change_is_seen_whole(together: bool) -> None:
    gate, values = Gate(together=together), [0, 0]

    def change() -> None:
        for _ in range(200):
            with gate.changing():
                values[0] += 1
                time.sleep(0)
                values[1] += 1

    def read() -> None:
        for _ in range(200):
            with gate.reading(), gate.reading():
                assert values[0] == values[1]

    with ThreadPoolExecutor(5) as threads:
        for thread in [threads.submit(work) for work in (change, read, read, change, read)]:
            thread.result()
    assert values == [400, 400]


def test_a_waiting_change_goes_before_readers_that_come_later_but_a_nested_read_goes_on() -> None:
    gate, order = Gate(), []

    def change() -> None:
        with gate.changing():
            order.append("change")

    def read() -> None:
        with gate.reading():
            order.append("late reader")

    with ThreadPoolExecutor(2) as threads:
        with gate.reading():
            changed = threads.submit(change)
            while not gate._n_waiting:
                time.sleep(0.001)
            late = threads.submit(read)
            with gate.reading():
                order.append("nested")
        changed.result()
        late.result()
    assert order == ["nested", "change", "late reader"]


def test_a_change_contains_reads_and_changes_but_a_read_no_change() -> None:
    gate = Gate()
    with gate.changing(), gate.reading(), gate.changing():
        pass
    with gate.reading(), pytest.raises(RuntimeError, match="cannot change"), gate.changing():
        pass
    with gate.changing():
        pass
