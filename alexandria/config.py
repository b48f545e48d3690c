"""A domain: how the books of one field are cut, read from YAML and checked at the door.

Where an option's value comes from, strongest first: command line, `ALEXANDRIA_<OPTION>`, the file named with
`--config`, the user's folder, the shipped file, the field's default. Options belong to the strategy they were
written beside: where a stronger source names another strategy, weaker sources' options no longer count.
"""

import os
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import yaml

from alexandria.chunking import STRATEGIES, Strategy
from alexandria.embed import Backend, Precision
from alexandria.errors import ConfigError
from alexandria.sentences import SPLITTERS

DEFAULT_DOMAIN = "default"
DEFAULT_STRATEGY = "universal-semantic"


class Notes(StrEnum):
    """What happens to the notes a chunk cites."""

    ATTACH = "attach"
    """They go into the chunk's payload, beside its text."""
    DROP = "drop"
    """They are not stored."""
    INLINE = "inline"
    """They stand in the text, behind the paragraph that cites them."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A field of books and how it is cut; the strategy's own options are the strategy's fields."""

    name: str
    strategy: Strategy
    description: str = ""
    model: str = "all-MiniLM-L6-v2"
    backend: Backend = Backend.AUTO
    precision: Precision = Precision.AUTO
    sentences: str = "default"
    sentence_vectors: bool = True
    bm25_language: str | None = None
    notes: Notes = Notes.ATTACH
    respect_sections: bool = True
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where each option's value comes from, in words: `shipped philosophy.yaml:3`."""

    def settings(self) -> dict[str, Any]:
        """Return every option with its value: what goes into JSON and makes a generation."""
        return {
            "domain": self.name,
            "strategy": self.strategy.name,
            **{one.name: getattr(self.strategy, one.name) for one in fields(self.strategy)},
            **{
                name: getattr(self, name)
                for name in _DOMAIN_OPTIONS
                if name not in ("description", "strategy")
            },
        }


_NOT_OPTIONS = ("name", "origins")
_DOMAIN_OPTIONS: dict[str, Field[Any]] = {
    one.name: one for one in fields(Domain) if one.name not in _NOT_OPTIONS
}


@dataclass(frozen=True, slots=True)
class _Setting:
    value: object
    origin: str


_Layer = Mapping[str, _Setting]


def load_domain(
    name: str | None = None,
    *,
    options: Mapping[str, object] | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Domain:
    """Return a domain with every source of its options taken into account.

    Args:
        name: a shipped domain or one of the user's folder; without it, a `file` is a domain of its own,
            named after the file, on top of what it `extends`.
        options: what the command line says; strings are read as YAML scalars.
        file: a YAML file that overrides the domain.
        environ: the environment, `os.environ` if not given.

    Raises:
        ConfigError: an unknown domain, strategy or option, or a value of the wrong type or out of range;
            the message names file, line and the nearest name.
    """
    environ = os.environ if environ is None else environ
    layers: list[_Layer]
    if file is None:
        layers = _named_layers(name or DEFAULT_DOMAIN, seen=())
    else:
        layer = _read(file)
        base = layer["extends"].value if "extends" in layer else DEFAULT_DOMAIN
        layers = [*_named_layers(name or str(base), seen=()), layer]
    layers.append(_environment(environ))
    layers.append({key: _Setting(_scalar(value), "command line") for key, value in (options or {}).items()})
    return _build(name or (file.stem if file else DEFAULT_DOMAIN), layers)


def domain_names() -> list[str]:
    """Return the names of all domains: shipped and the user's."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.yaml")})


def user_folder() -> Path:
    """Return the folder of the user's own domains; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path("alexandria") / "domains"


def shipped_folder() -> Path:
    """Return the folder of the shipped domains: inside the wheel, or beside the package in a checkout."""
    inside = Path(__file__).parent / "configs"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "configs"


def init_domain(name: str) -> Path:
    """Write a commented domain file into the user's folder and return its path.

    Raises:
        ConfigError: the file is there already, or cannot be written.
    """
    path = user_folder() / f"{name}.yaml"
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(
            f"cannot name a domain {name!r}",
            why="a name is letters, digits, - and _",
            fix="choose another name",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as out:
            out.write(_template(name))
    except FileExistsError as error:
        raise ConfigError(
            f"cannot create {path}", why="it is there already", fix="edit it, or choose another name"
        ) from error
    except OSError as error:
        raise ConfigError(
            f"cannot create {path}",
            why=(error.strerror or str(error)).lower(),
            fix="check the folder's permissions",
        ) from error
    return path


def _named_layers(name: str, seen: tuple[str, ...]) -> list[_Layer]:
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
            fix=_nearest(name, domain_names()) or f"alexandria domains init {name}",
        )
    layers: list[_Layer] = []
    for layer in map(_read, paths):
        # A user's file that extends its own name means the shipped one below it: that is there already.
        own = (setting := layer.get("extends")) is not None and setting.value == name and len(paths) > 1
        layers += [layer] if own else [*_extended(layer, (*seen, name)), layer]
    return layers


def _extended(layer: _Layer, seen: tuple[str, ...]) -> list[_Layer]:
    setting = layer.get("extends")
    return _named_layers(str(setting.value), seen) if setting else []


def _folders() -> tuple[Path, Path]:
    return shipped_folder(), user_folder()


def _read(path: Path) -> dict[str, _Setting]:
    """Return a file's options with the line of each."""
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot read {path}", why=why.lower(), fix="check the path") from error
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
    return {str(key): _Setting(value, f"{label}:{lines.get(key, 1)}") for key, value in values.items()}


def _environment(environ: Mapping[str, str]) -> dict[str, _Setting]:
    names = {*_DOMAIN_OPTIONS, *(one for strategy in STRATEGIES.values() for one in _option_names(strategy))}
    return {
        name: _Setting(_scalar(environ[variable]), f"environment {variable}")
        for name in sorted(names)
        if (variable := f"ALEXANDRIA_{name.upper()}") in environ
    }


def _build(name: str, layers: Sequence[_Layer]) -> Domain:
    chosen = _strategy_of(layers)
    strategy = STRATEGIES[chosen]
    merged = dict(_merge(layers, chosen))
    for key, setting in list(merged.items()):
        if key in _option_names(strategy) or key in _DOMAIN_OPTIONS or key == "extends":
            continue
        if _of_shell(setting):
            del merged[key]
            continue
        raise _unknown_option(key, setting, strategy)
    origins = {key: setting.origin for key, setting in merged.items() if key != "extends"}
    own = {key: setting for key, setting in merged.items() if key in _option_names(strategy)}
    common = {key: merged[key] for key in _DOMAIN_OPTIONS if key in merged and key != "strategy"}
    domain = Domain(
        name=name,
        strategy=_make_strategy(strategy, own),
        **{key: _typed(key, setting, _hint(Domain, key)) for key, setting in common.items()},
        origins=origins,
    )
    if domain.sentences not in SPLITTERS:
        raise _bad_value("sentences", common["sentences"], f"one of {', '.join(SPLITTERS)}")
    return domain


def _strategy_of(layers: Sequence[_Layer]) -> str:
    """Return the name of the strongest layer's strategy."""
    setting = next((layer["strategy"] for layer in reversed(layers) if "strategy" in layer), None)
    if setting is None:
        return DEFAULT_STRATEGY
    if setting.value not in STRATEGIES:
        raise ConfigError(
            f"unknown strategy {setting.value!r}{_at(setting)}",
            why=f"the strategies are {', '.join(STRATEGIES)}",
            fix=_nearest(str(setting.value), STRATEGIES),
        )
    return str(setting.value)


def _merge(layers: Sequence[_Layer], chosen: str) -> dict[str, _Setting]:
    """Return the strongest setting of each option, without those written beside another strategy."""
    merged: dict[str, _Setting] = {}
    current = DEFAULT_STRATEGY
    for layer in layers:
        if (setting := layer.get("strategy")) is not None and setting.value != current:
            # What is set for the shell is not written beside any strategy: it waits for its own.
            merged = {k: one for k, one in merged.items() if k in _DOMAIN_OPTIONS or _of_shell(one)}
            current = str(setting.value)
        merged |= layer
    return merged


def _of_shell(setting: _Setting) -> bool:
    return setting.origin.startswith("environment")


def _make_strategy(strategy: type[Strategy], settings: Mapping[str, _Setting]) -> Strategy:
    values = {key: _typed(key, setting, _hint(strategy, key)) for key, setting in settings.items()}
    try:
        return strategy(**values)
    except ValueError as error:  # its message begins with the option's name
        setting = settings.get(str(error).split(maxsplit=1)[0])
        raise ConfigError(
            f"the strategy {strategy.name} cannot work with these settings{_at(setting) if setting else ''}",
            why=str(error),
            fix="change the value",
        ) from error


def _typed(key: str, setting: _Setting, hint: Any) -> Any:
    """Return the value as the option's type, or say what it should be."""
    value = setting.value
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if kind is int and isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(kind, type) and issubclass(kind, StrEnum) and value in list(kind):
            return kind(str(value))
        if kind in (bool, str) and isinstance(value, kind):
            return value
    raise _bad_value(key, setting, _in_words(kinds))


def _in_words(kinds: Sequence[Any]) -> str:
    words = {
        float: "a number",
        int: "a whole number",
        bool: "true or false",
        str: "a text",
        type(None): "null",
    }
    return " or ".join(words[kind] if kind in words else f"one of {', '.join(kind)}" for kind in kinds)


def _bad_value(key: str, setting: _Setting, wanted: str) -> ConfigError:
    return ConfigError(
        f"{key} cannot be {setting.value!r}{_at(setting)}", why=f"it must be {wanted}", fix="change it"
    )


def _unknown_option(key: str, setting: _Setting, strategy: type[Strategy]) -> ConfigError:
    known = [*_option_names(strategy), *_DOMAIN_OPTIONS, "extends"]
    owners = [name for name, other in STRATEGIES.items() if key in _option_names(other)]
    if owners:
        why = f"{key} is an option of {', '.join(owners)}, not of {strategy.name}"
        own = ", ".join(_option_names(strategy)) or "none"
        fix = f"take it out, or choose that strategy; the options of {strategy.name} are {own}"
    else:
        why = f"the options are {', '.join(known)}"
        fix = _nearest(key, known) or "take it out"
    return ConfigError(f"unknown option {key!r}{_at(setting)}", why=why, fix=fix)


def _nearest(name: str, known: Sequence[str] | Mapping[str, object]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


def _at(setting: _Setting) -> str:
    return f" ({setting.origin})"


def _scalar(value: object) -> object:
    """Return what a string of the command line or the environment says, read as YAML reads it."""
    if not isinstance(value, str):
        return value
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value


def _option_names(strategy: type[Strategy]) -> list[str]:
    return [one.name for one in fields(strategy)]


def _hint(owner: type[Any], name: str) -> Any:
    return get_type_hints(owner)[name]


def _template(name: str) -> str:
    lines = [
        f"# Domain {name}: how its books are cut. Delete what you do not change;",
        f"# `alexandria domains show {name} --origin` tells where each value comes from.",
        f"extends: {DEFAULT_DOMAIN}",
        f"description: {name}",
        "",
        f"strategy: {DEFAULT_STRATEGY}  # one of {', '.join(STRATEGIES)}",
        *_commented(STRATEGIES[DEFAULT_STRATEGY]),
        "",
        *_commented(Domain),
    ]
    return "\n".join(lines) + "\n"


def _commented(owner: type[Any]) -> Iterator[str]:
    """Yield a commented line an option, with its default."""
    skip = (*_NOT_OPTIONS, "strategy", "description")
    for one in fields(owner):
        if one.name not in skip and one.default is not MISSING:
            default = yaml.safe_dump(str(one.default) if isinstance(one.default, StrEnum) else one.default)
            yield f"# {one.name}: {default.splitlines()[0]}"
