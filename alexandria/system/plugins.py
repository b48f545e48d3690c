"""Adds the strategies and formats that installed packages provide through entry points."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from alexandria.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The shipped entries by name, followed by those of installed packages.

    Installed packages are searched when an unshipped name is first looked up, or all names are listed. Their
    names are listed without importing them; each is imported when it is looked up.
    """

    def __init__(
        self, group: str, shipped: Mapping[str, T], *, kind: str, accepts: Callable[[Any], bool]
    ) -> None:
        """Add the entries that the entry points of `group` name to `shipped`.

        Args:
            group: the group of entry points, such as `alexandria.formats`.
            shipped: the entries of Alexandria itself.
            kind: what an entry is called in messages, such as `format`.
            accepts: returns whether an object that an entry point names is such an entry.
        """
        self._group, self._shipped, self._kind, self._accepts = group, shipped, kind, accepts

    def __getitem__(self, name: str) -> T:
        """Return an entry.

        Raises:
            KeyError: there is none of this name.
            ConfigError: a package's entry cannot be loaded, is of another kind, or its name is taken.
        """
        return self._shipped[name] if name in self._shipped else self._load(self._installed[name])

    def __iter__(self) -> Iterator[str]:
        yield from self._shipped
        yield from self._installed

    def __len__(self) -> int:
        return len(self._shipped) + len(self._installed)

    def __contains__(self, name: object) -> bool:
        return name in self._shipped or name in self._installed

    @cached_property
    def _installed(self) -> "Mapping[str, EntryPoint]":
        """The entry points of installed packages, by name."""
        points: dict[str, EntryPoint] = {}
        for point in _entry_points(self._group):
            if point.name in self._shipped or point.name in points:
                raise self._load_error(point, f"another {self._kind} has this name")
            points[point.name] = point
        return points

    def _load(self, point: "EntryPoint") -> T:
        """Import the object that an entry point names, and return it if it is a valid entry."""
        try:
            entry = point.load()
        except Exception as error:  # importing foreign code can fail in any way
            raise self._load_error(point, f"{type(error).__name__}: {error}") from error
        if not self._accepts(entry):
            raise self._load_error(point, f"{point.value} is not a {self._kind}")
        if (name := getattr(entry, "name", point.name)) != point.name:
            raise self._load_error(point, f"{point.value} calls itself {name!r}")
        return cast("T", entry)

    def _load_error(self, point: "EntryPoint", why: str) -> ConfigError:
        package = point.dist.name if point.dist else point.module
        return ConfigError(
            f"cannot load the {self._kind} {point.name!r} of the package {package}",
            why=why,
            fix=f"update {package}, or uninstall it",
        )


def entry_names(group: str) -> tuple[str, ...]:
    """Return the names that installed packages add to the group."""
    return tuple(point.name for point in _entry_points(group))


def list_installed_versions(group: str) -> tuple[str, ...]:
    """Return name and version of each package with entry points in the group."""
    return tuple(f"{point.dist.name} {point.dist.version}" for point in _entry_points(group) if point.dist)


def _entry_points(group: str) -> "list[EntryPoint]":
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return sorted(entry_points(group=group), key=lambda point: point.name)
