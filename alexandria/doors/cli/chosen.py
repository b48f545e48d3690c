"""Groups of options that several commands have, and what they select: a domain, a library, a server.

A command has a group as one parameter, and `App` makes the options of it.
"""

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from alexandria.book.choices import VARIABLES
from alexandria.book.edits import LISTS, Edits, Shown, option_of
from alexandria.book.filters import Filter, Filters, filters
from alexandria.doors.cli.completion import complete_domain, complete_title
from alexandria.doors.cli.help import FILTERS, Command
from alexandria.doors.cli.options import (
    ApiKeyFile,
    Collection,
    Collections,
    ConfigFile,
    DomainName,
    KeepMatter,
    ModelName,
    Ocr,
    PasswordFile,
    Quantized,
    Replicas,
    Settings,
    Shards,
    StoreFolder,
    StrategyName,
    Threshold,
    Wait,
)
from alexandria.doors.cli.printing import show_message
from alexandria.errors import ConfigError, refusing

if TYPE_CHECKING:
    from alexandria.chunking.domains import DomainRequest
    from alexandria.library.ingest.options import ReadChoices
    from alexandria.library.libraries import Libraries
    from alexandria.library.library import Library
    from alexandria.store.store import Server

Function = Callable[..., None]


class App(typer.Typer):
    """Commands, each with the options of the groups that its function takes."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:  # type: ignore[override]  # of any function
        """Return what makes a function a command."""
        register = super().command(name, cls=Command, **settings)
        return lambda function: register(with_groups(function))


def with_groups(command: Function) -> Function:
    """Return a command with one option per field of a group in place of the parameter of that type.

    Typer makes the options of a command from its signature, so the signature is replaced.
    """
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type, dict[str, str]]] = {}
    for parameter in signature.parameters.values():
        group = parameter.annotation
        if isinstance(group, type) and (is_dataclass(group) or group is Edits):
            members = _members_of(group)
            groups[parameter.name] = group, {field: member.name for field, member in members.items()}
            parameters += members.values()
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def command_with_options(**arguments: Any) -> None:
        for parameter, (group, names) in groups.items():
            arguments[parameter] = group(**{field: arguments.pop(name) for field, name in names.items()})
        command(**arguments)

    command_with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # Typer reads it
    command_with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command_with_options


_COMPLETIONS: dict[str, Callable[..., list[str]]] = {"book": complete_title, "domain": complete_domain}


def _members_of(group: type) -> dict[str, inspect.Parameter]:
    """Return a parameter for each field of a group, declared as an option, by the name of the field."""
    if group is Filters:
        return {name: _filter_parameter(name, declaration) for name, declaration in filters()}
    hints = get_type_hints(group, include_extras=True)
    if group is Edits:
        return {name: _edit_parameter(name, hint.__metadata__[0]) for name, hint in hints.items()}
    return {
        field: member.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[field])
        for field, member in inspect.signature(group).parameters.items()
    }


def _filter_parameter(name: str, declaration: Filter) -> inspect.Parameter:
    """Return the option of a filter; its name has a prefix, as a command may have an option of that name."""
    option = typer.Option(
        *declaration.options,
        metavar="TEXT",
        help=declaration.help,
        rich_help_panel=FILTERS,
        autocompletion=_COMPLETIONS.get(name),
    )
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(f"filter_{name}", kind, default=None, annotation=Annotated[str | None, option])


def _edit_parameter(name: str, shown: Shown) -> inspect.Parameter:
    """Return the option of a field of metadata."""
    option = typer.Option(option_of(name), metavar=shown.metavar, help=shown.help)
    one, several = Annotated[str | None, option], Annotated[list[str] | None, option]
    annotation = several if name in LISTS else one
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


@dataclass(frozen=True, slots=True)
class Cutting:
    """How books are cut."""

    domain: DomainName = None
    strategy: StrategyName = None
    threshold: Threshold = None
    settings: Settings = None
    config: ConfigFile = None
    model: ModelName = None

    def request(self) -> "DomainRequest":
        """Return the request for a domain that the options make; those of `--set` replace the others.

        Raises:
            ConfigError: one of `--set` has no `=`.
        """
        from alexandria.chunking.domains import DomainRequest

        own_options = {"strategy": self.strategy, "threshold": self.threshold, "model": self.model}
        options: Mapping[str, Any] = {key: value for key, value in own_options.items() if value is not None}
        assignments = dict(map(_split_assignment, self.settings or []))
        return DomainRequest(domain=self.domain, options={**options, **assignments}, file=self.config)


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read."""

    password_file: PasswordFile = None
    keep_matter: KeepMatter = False
    ocr: Ocr = None

    def choices(self) -> "ReadChoices":
        """Return how files are read."""
        from alexandria.library.ingest.options import ReadChoices

        password = password_from(self.password_file)
        return ReadChoices(password=password, keep_matter=self.keep_matter, ocr=self.ocr)


@dataclass(frozen=True, slots=True)
class NewCollection:
    """How a server creates a collection."""

    shards: Shards = None
    replicas: Replicas = None
    quantization: Quantized = None


@dataclass(frozen=True, slots=True)
class LibraryAt:
    """The library of a command that takes one collection."""

    store: StoreFolder = None
    collection: Collection = "books"
    api_key_file: ApiKeyFile = None
    wait: Wait = None

    def open(self, new: NewCollection | None = None) -> "Library":
        """Return the library; `new` is how a server creates it.

        Raises:
            ConfigError: the options name several collections.
        """
        from alexandria.library.library import Library
        from alexandria.library.location import split_collection_names

        if len(split_collection_names(self.collection)) > 1:
            raise ConfigError(
                f"cannot open {self.collection} as one collection",
                why="a comma separates collections, and this command takes one",
                fix="name one with --collection; commands that only read, such as search, take several",
            )
        server = server_options(self.api_key_file, new)
        return Library(self.store, self.collection, server=server, wait=self.wait, waiting=_announce_wait)


@dataclass(frozen=True, slots=True)
class LibrariesAt:
    """The library of a command that only reads; several collections are read as one."""

    store: StoreFolder = None
    collection: Collections = "books"
    api_key_file: ApiKeyFile = None
    wait: Wait = None

    def open(self) -> "Library | Libraries":
        """Return the library, or the collections."""
        from alexandria.library.location import split_collection_names

        names = split_collection_names(self.collection)
        if len(names) < 2:
            return self.single().open()
        from alexandria.library.libraries import Libraries

        server = server_options(self.api_key_file)
        return Libraries(self.store, names, server=server, wait=self.wait, waiting=_announce_wait)

    def single(self) -> LibraryAt:
        """Return the library as a command names it that takes one collection."""
        return LibraryAt(self.store, self.collection, self.api_key_file, self.wait)


def _announce_wait(owner: object) -> None:
    show_message(f"waiting for {owner}, which has the library open")


def server_options(
    api_key_file: Path | None = None, new: NewCollection | None = None, compat: str | None = None
) -> "Server":
    """Return how to reach a server, and how to create a collection there.

    Args:
        compat: the programs that must be able to read the collection, separated by commas.
    """
    from alexandria.library.location import server_settings

    new = new or NewCollection()
    programs = [name.strip() for name in (compat or "").split(",")]
    return server_settings(
        api_key=read_secret(api_key_file) if api_key_file else None,
        shards=new.shards,
        replicas=new.replicas,
        quantization=new.quantization,
        compat=[name for name in programs if name],
    )


def password_from(file: Path | None) -> str | None:
    """Return the password of encrypted books, from a file or the environment."""
    return os.environ.get("ALEXANDRIA_PASSWORD") if file is None else read_secret(file)


def read_secret(file: Path) -> str:
    """Return the content of a file without its line end.

    Secrets come from files because every user of the machine can read the words of a command line.
    """
    with refusing(f"cannot read the secret in {file}", fix="check the path"):
        secret = file.read_text(encoding="utf-8")
    return secret.rstrip("\r\n")


def announce_unknown_variables() -> None:
    """Print a note for each `ALEXANDRIA_…` variable that sets nothing: most are misspelt."""
    prefix = "ALEXANDRIA_"
    ours = {name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)}
    if ours <= VARIABLES | {"MODEL"}:
        return  # the options, which take time to import, need not be known
    from alexandria.chunking.domains import unknown_variables

    for name, hint in unknown_variables(os.environ).items():
        show_message(f"note: {name} is not a variable of Alexandria" + (f"; {hint}" if hint else ""))


def _split_assignment(text: str) -> tuple[str, str]:
    """Return the option and the value of `OPTION=VALUE`, as given to --set."""
    option, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(
            f"cannot read --set {text}",
            why="there is no =",
            fix="--set OPTION=VALUE, as in --set min_words=100",
        )
    return option.strip(), value.strip()
