"""An installed package adds formats and strategies; what is broken about it is reported by name."""

import sys
from pathlib import Path

import pytest

from alexandria.errors import ConfigError
from alexandria.plugins import Registry, installed_versions

GROUP = "alexandria.tests"
NAMED = "class Number(int): name = 'six'\nTWO = Number(2)"


def install(folder: Path, name: str, source: str, **entry_points: str) -> None:
    """Write a package that Python sees as installed once `folder` is on its path.

    Args:
        folder: to hold the module and its metadata.
        name: of the package and of its only module.
        source: of the module.
        entry_points: for each group, with `_` for `.`, lines such as `tiny = tiny:FORMAT`.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = (f"[{group.replace('_', '.')}]\n{lines}\n" for group, lines in entry_points.items())
    (info / "entry_points.txt").write_text("\n".join(groups))
    (folder / f"{name}.py").write_text(source)


def registry() -> Registry[int]:
    return Registry(GROUP, {"one": 1}, kind="number", accepts=lambda value: isinstance(value, int))


def test_an_installed_entry_is_listed_after_the_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "numbers_added", "TWO = 2", alexandria_tests="two = numbers_added:TWO")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(registry().items()) == [("one", 1), ("two", 2)]
    assert len(registry()) == 2
    assert "three" not in registry()
    assert installed_versions(GROUP) == ("numbers_added 1.0",)


@pytest.mark.parametrize(
    ("source", "point", "why"),
    [
        pytest.param("1 / 0", "two = broken_numbers:TWO", "ZeroDivisionError: division by zero", id="raises"),
        pytest.param("", "two = broken_numbers:TWO", "has no attribute 'TWO'", id="missing"),
        pytest.param(
            "TWO = 'b'", "two = broken_numbers:TWO", "broken_numbers:TWO is not a number", id="kind"
        ),
        pytest.param("TWO = 2", "one = broken_numbers:TWO", "another number has this name", id="name"),
        pytest.param(NAMED, "two = broken_numbers:TWO", "broken_numbers:TWO calls itself 'six'", id="itself"),
    ],
)
def test_a_broken_package_is_named(
    source: str, point: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken_numbers", source, alexandria_tests=point)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_numbers", raising=False)
    with pytest.raises(
        ConfigError, match=f"the number '{point[:3]}' of the package broken_numbers"
    ) as caught:
        dict(registry())
    assert why in caught.value.why


def test_names_are_listed_without_importing_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "numbers_unread", "1 / 0", alexandria_tests="two = numbers_unread:TWO")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(registry()) == ["one", "two"]
    assert "two" in registry()
    assert "numbers_unread" not in sys.modules


def test_a_shipped_name_is_found_without_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "slow_numbers", "1 / 0", alexandria_tests="two = slow_numbers:TWO")
    monkeypatch.syspath_prepend(tmp_path)
    assert registry()["one"] == 1
    assert "one" in registry()
