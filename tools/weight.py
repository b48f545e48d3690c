"""Prints the size of an environment by package, as the table in docs/install.md.

python tools/weight.py .venv
"""

import sys
from collections import Counter
from importlib.metadata import distributions
from pathlib import Path

MIN_BYTES = 3_000_000
"""Size from which a package has a row of its own."""


def main() -> None:
    """Print the table."""
    environment = Path(sys.argv[1]).resolve()
    sizes = weigh(environment)
    print("| package | MB |\n|---|--:|")
    for name, size in sizes.most_common():
        if size >= MIN_BYTES:
            print(f"| {name} | {size / 1e6:,.0f} |")
    small = [size for size in sizes.values() if size < MIN_BYTES]
    print(f"| {len(small)} others | {sum(small) / 1e6:,.0f} |")
    print(f"| **all** | **{sum(sizes.values()) / 1e6:,.0f}** |")


def weigh(environment: Path) -> Counter[str]:
    """Return the bytes of each package in an environment; files of no package count as `environment`."""
    packages = [str(path) for path in environment.glob("[Ll]ib*/**/site-packages")]
    owners: dict[Path, str] = {}
    for package in distributions(path=packages):
        for file in package.files or ():
            owners[Path(str(package.locate_file(file))).resolve()] = package.name
    sizes: Counter[str] = Counter()
    for path in environment.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.suffix != ".pyc":
            sizes[owners.get(path.resolve(), "environment")] += path.stat().st_size
    return sizes


if __name__ == "__main__":
    main()
