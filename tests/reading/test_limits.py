"""What reading a file may cost, from the environment and by the size of the file."""

from pathlib import Path

import pytest

from alexandria.errors import BookError, Code, ConfigError
from alexandria.extract.isolated.limits import Limits, check_size, limits_from


def test_limits_come_from_the_environment() -> None:
    environ = {
        "ALEXANDRIA_READ_SECONDS": "2.5",
        "ALEXANDRIA_READ_MEMORY": "512",
        "ALEXANDRIA_FILE_SIZE": "10",
    }
    assert limits_from(environ) == Limits(seconds=2.5, memory_bytes=512 << 20, file_bytes=10 << 20)
    assert limits_from({}) == Limits()


def test_an_impossible_limit_is_refused() -> None:
    for value in ["0", "-1", "much", "nan", "inf", "1e300", ""]:
        with pytest.raises(ConfigError, match="ALEXANDRIA_READ_MEMORY"):
            limits_from({"ALEXANDRIA_READ_MEMORY": value})


def test_a_large_file_may_take_longer() -> None:
    limits = Limits(seconds=10, seconds_per_mib=2)
    assert limits.cpu_seconds(0) == 10
    assert limits.cpu_seconds(5 << 20) == 20
    assert limits.wall_seconds(5 << 20) == 80


def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse.epub"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte that takes no space on the disk
    with pytest.raises(BookError, match="1,048,576 MiB") as caught:
        check_size(sparse, Limits())
    assert caught.value.code is Code.TOO_LARGE


def test_a_file_one_byte_above_the_limit_is_larger_than_the_limit_in_its_error(tmp_path: Path) -> None:
    file = tmp_path / "large.txt"
    with file.open("wb") as opened:
        opened.truncate((2 << 20) + 1)
    with pytest.raises(BookError) as caught:
        check_size(file, Limits(file_bytes=2 << 20))
    assert caught.value.why == "it is 3 MiB, and 2 MiB are allowed"


def test_a_kernel_file_without_a_size_is_refused() -> None:
    # Reading /proc/kmsg would wait for the next message of the kernel.
    with pytest.raises(BookError) as caught:
        check_size(Path("/proc/kmsg"), Limits())
    assert caught.value.code is Code.EMPTY
