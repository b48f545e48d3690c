"""The first Ctrl-C requests a stop; the second one interrupts."""

import os
import signal
import threading

import pytest

from alexandria.batch.interrupt import stop_on_signal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_requests_a_stop_and_the_second_interrupts(number: signal.Signals) -> None:
    before, calls = signal.getsignal(number), []
    with stop_on_signal(lambda: calls.append(1)) as stopped:
        assert not stopped()
        os.kill(os.getpid(), number)
        assert stopped()
        assert calls == [1]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_outside_the_main_thread_it_never_stops() -> None:
    results: list[bool] = []

    def work() -> None:
        with stop_on_signal(lambda: None) as stopped:
            results.append(stopped())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [False]
