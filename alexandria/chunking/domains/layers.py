"""Reads the sources of options: shipped files, the user's files, and the environment."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import yaml

from alexandria.book.choices import VARIABLES
from alexandria.book.suggest import suggestion
from alexandria.chunking.domains.values import Layer, Origin, Source, SourcedValue, scalar
from alexandria.errors import ConfigError, io_reason

_PREFIX = "ALEXANDRIA_"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C, ten times as fast; some builds lack it


def domain_names() -> list[str]:
    """Return the names of all domains: shipped and the user's."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.yaml")})


def user_folder() -> Path:
    """Return the folder of the user's own domains; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path("alexandria") / "domains"


def shipped_folder() -> Path:
    """Return the folder of the shipped domains: inside the wheel, or next to the package in a checkout."""
    package = Path(__file__).parents[2]
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def domain_layers(name: str, extended_by: tuple[str, ...] = ()) -> list[Layer]:
    """Return the layers of a domain, weakest first: what it extends, the shipped file, the user's file.

    Args:
        extended_by: the domains whose `extends` led to this one, outermost first; empty for a domain that is
            not read because another extends it.

    Raises:
        ConfigError: there is no such domain, or it extends itself.
    """
    if name in extended_by:
        raise ConfigError(
            f"domain {extended_by[0]!r} extends itself",
            why=" → ".join((*extended_by, name)),
            fix="remove one `extends`",
        )
    paths = [folder / f"{name}.yaml" for folder in _folders() if (folder / f"{name}.yaml").is_file()]
    if not paths:
        raise ConfigError(
            f"unknown domain {name!r}",
            why=f"the domains are {', '.join(domain_names())}",
            fix=suggestion(name, domain_names()) or f"alexandria domains init {name}",
        )
    layers: list[Layer] = []
    for layer in map(read_layer, paths):
        if "extends" in layer:
            extended = str(layer["extends"].value)
            # A user's file that extends its own name means the shipped file, already the layer below.
            means_shipped_file = extended == name and len(paths) > 1
            if not means_shipped_file:
                layers += domain_layers(extended, (*extended_by, name))
        layers.append(layer)
    return layers


def _folders() -> tuple[Path, Path]:
    return shipped_folder(), user_folder()


def read_layer(path: Path) -> dict[str, SourcedValue]:
    """Return the options in a YAML file, each with its value, the line where it is, and the comment there.

    Raises:
        ConfigError: the file cannot be read, or is not YAML of the form `option: value`.
    """
    text, root, values = _parse(path)
    is_shipped = path.parent == shipped_folder()
    source, file = (Source.SHIPPED, path.name) if is_shipped else (Source.FILE, str(path))
    lines = text.splitlines()
    line_numbers: dict[object, int] = {}
    comments: dict[object, str] = {}
    for key_node, value_node in root.value if root else ():
        line_numbers[key_node.value] = key_node.start_mark.line + 1
        comments[key_node.value] = _comment_after(value_node.end_mark, lines)
    layer = {}
    for key, value in values.items():
        # Nodes have the text of a key. Where YAML reads it as no string, as it does `on`, no line is found.
        origin = Origin(source, f"{file}:{line_numbers.get(key, 1)}")
        layer[str(key)] = SourcedValue(value, origin, comments.get(key, ""))
    return layer


def _comment_after(mark: yaml.Mark, lines: Sequence[str]) -> str:
    """Return the comment after a mark on the same line, or an empty string if there is none."""
    rest = lines[mark.line][mark.column :].strip() if mark.line < len(lines) else ""
    return rest.removeprefix("#").strip() if rest.startswith("#") else ""


def _parse(path: Path) -> tuple[str, yaml.MappingNode | None, dict[object, object]]:
    """Return a YAML file as text, as nodes, which have line numbers, and as values."""
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=_LOADER)
        values = yaml.load(text, Loader=_LOADER)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}", why=io_reason(error), fix="check the path") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        why = getattr(error, "problem", None) or str(error)
        raise ConfigError(
            f"cannot read {path}{line}", why=f"it is not YAML: {why}", fix="correct the line"
        ) from error
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise ConfigError(
            f"cannot read {path}",
            why="it does not consist of `option: value` lines",
            fix="alexandria domains init NAME writes an example",
        )
    if root is not None:
        _refuse_repeated_keys(path, root)
    return text, root, values or {}


def _refuse_repeated_keys(path: Path, root: yaml.MappingNode) -> None:
    """Refuse a key that occurs twice: YAML parsers take the last one and ignore the others."""
    lines: dict[str, int] = {}
    for key, _ in root.value:
        line = key.start_mark.line + 1
        if key.value in lines:
            raise ConfigError(
                f"{key.value!r} is set twice ({path}:{line})",
                why=f"line {lines[key.value]} sets it too, and only one can count",
                fix="remove one of the lines",
            )
        lines[key.value] = line


def meaningless_variables(environ: Mapping[str, str], options: Collection[str]) -> dict[str, str]:
    """Return the `ALEXANDRIA_…` variables that set nothing, each with a suggestion, which may be empty."""
    meaningful = sorted({*VARIABLES, *(option.upper() for option in options)})
    ours = [name.removeprefix(_PREFIX) for name in sorted(environ) if name.startswith(_PREFIX)]
    hints = {name: suggestion(name, meaningful) for name in ours if name not in meaningful}
    return {
        _PREFIX + name: hint.replace("did you mean ", f"did you mean {_PREFIX}")
        for name, hint in hints.items()
    }


def environment_layer(environ: Mapping[str, str]) -> dict[str, SourcedValue]:
    """Return the values of all `ALEXANDRIA_…` variables, by option.

    Variables that set no option, such as ALEXANDRIA_STORE, are dropped when the domain is built.
    """
    return {
        variable.removeprefix(_PREFIX).lower(): SourcedValue(
            scalar(value), Origin(Source.ENVIRONMENT, variable)
        )
        for variable, value in sorted(environ.items())
        if variable.startswith(_PREFIX) and variable.isupper()
    }
