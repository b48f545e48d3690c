"""Where settings come from: shipped files, the user's, and the environment."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from alexandria.chunking import STRATEGIES
from alexandria.config.domain import DOMAIN_OPTIONS, option_names
from alexandria.config.setting import Layer, Setting, nearest, scalar
from alexandria.errors import ConfigError, io_reason


def domain_names() -> list[str]:
    """Return the names of all domains: shipped and the user's."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.yaml")})


def user_folder() -> Path:
    """Return the folder of the user's own domains; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path("alexandria") / "domains"


def shipped_folder() -> Path:
    """Return the folder of the shipped domains: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def named_layers(name: str, seen: tuple[str, ...]) -> list[Layer]:
    """Return the layers of a domain by its name, weakest first: what it extends, shipped, the user's."""
    if name in seen:
        raise ConfigError(
            f"domain {seen[0]!r} extends itself",
            why=" → ".join((*seen, name)),
            fix="take one `extends` out",
        )
    paths = [folder / f"{name}.yaml" for folder in _folders() if (folder / f"{name}.yaml").is_file()]
    if not paths:
        raise ConfigError(
            f"unknown domain {name!r}",
            why=f"the domains are {', '.join(domain_names())}",
            fix=nearest(name, domain_names()) or f"alexandria domains init {name}",
        )
    layers: list[Layer] = []
    for layer in map(read_layer, paths):
        # A user's file that extends its own name means the shipped one below it: that is there already.
        own = (setting := layer.get("extends")) is not None and setting.value == name and len(paths) > 1
        layers += [layer] if own else [*_extended(layer, (*seen, name)), layer]
    return layers


def _extended(layer: Layer, seen: tuple[str, ...]) -> list[Layer]:
    setting = layer.get("extends")
    return named_layers(str(setting.value), seen) if setting else []


def _folders() -> tuple[Path, Path]:
    return shipped_folder(), user_folder()


def read_layer(path: Path) -> dict[str, Setting]:
    """Return a file's options with the line of each."""
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}", why=io_reason(error), fix="check the path") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        why = getattr(error, "problem", None) or str(error)
        raise ConfigError(
            f"cannot read {path}{line}", why=f"it is not YAML: {why}", fix="correct the line"
        ) from error
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(
            f"cannot read {path}",
            why="it is not a list of `option: value` lines",
            fix="see alexandria domains init",
        )
    label = f"shipped {path.name}" if path.parent == shipped_folder() else str(path)
    lines = {key.value: key.start_mark.line + 1 for key, _ in root.value}
    return {str(key): Setting(value, f"{label}:{lines.get(key, 1)}") for key, value in values.items()}


def environment_layer(environ: Mapping[str, str]) -> dict[str, Setting]:
    """Return what the environment sets: `ALEXANDRIA_<OPTION>`, for options of any strategy."""
    names = {*DOMAIN_OPTIONS, *(one for strategy in STRATEGIES.values() for one in option_names(strategy))}
    return {
        name: Setting(scalar(environ[variable]), f"environment {variable}")
        for name in sorted(names)
        if (variable := f"ALEXANDRIA_{name.upper()}") in environ
    }
